#include <tessera/surface/heat_method.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tessera/surface/detail/cholesky.h>
#include <tessera/surface/detail/heat_loops.h>
#include <tessera/surface/detail/run_loop.h>
#include <tessera/surface/detail/solver_work.h>
#include <tessera/surface/solve.h>
#include <tessera/surface/sparse.h>

namespace tessera {

using namespace detail;

namespace {

using std::size_t;
using std::uint32_t;

/// Heat at a source: so large that it stays a number far away.
constexpr double source_heat = 0x1p480;
/// How often the time is raised.
constexpr size_t most_raised = 12;

/// A source as corners with weights, tiled ids.
struct Corner {
  uint32_t vertex;
  double weight;
  double distance;  ///< to the source
};
using SourceCorners = std::vector<Corner>;

/// An array at exec's place, on the host.
template <class T>
Array<T> download(const Exec& exec, const T* values, size_t count) {
  Array<T> result(count);
  if (exec.is_cuda()) {
    copy(exec, result.data(), values, count * sizeof(T), CopyKind::to_host);
  } else {
    std::copy_n(values, count, result.begin());
  }
  return result;
}

/// The component of each vertex, numbered by their first vertices; on the host.
struct Components {
  Array<uint32_t> of_vertex;
  uint32_t count = 0;
};

Components find_components(const Exec& exec, const SurfaceRows<VV>& neighbours) {
  constexpr uint32_t unknown = 0xFFFFFFFFu;
  const size_t n = neighbours.size();
  if (n == 0) return {};
  const Array<uint32_t> offsets = download(exec, neighbours.offsets(), n + 1);
  const Array<uint32_t> values = download(exec, neighbours.values(), offsets[n]);
  Components result{Array<uint32_t>(n, unknown), 0};
  std::vector<uint32_t> open;
  for (uint32_t first = 0; first < n; ++first) {
    if (result.of_vertex[first] != unknown) continue;
    result.of_vertex[first] = result.count;
    open.assign(1, first);
    while (!open.empty()) {
      const uint32_t v = open.back();
      open.pop_back();
      for (uint32_t k = offsets[v]; k < offsets[v + 1]; ++k) {
        if (result.of_vertex[values[k]] != unknown) continue;
        result.of_vertex[values[k]] = result.count;
        open.push_back(values[k]);
      }
    }
    ++result.count;
  }
  return result;
}

/// Input ids to tiled ones; empty: they are the same.
Array<uint32_t> tiled_ids(const Surface& surface) {
  const auto order = surface.to_input(Kind::vertex);
  const Array<uint32_t> input = download(surface.exec(), order.data(), order.size());
  Array<uint32_t> tiled(input.size());
  for (uint32_t v = 0; v < input.size(); ++v) tiled[input[v]] = v;
  return tiled;
}

void check(const HeatOptions& options) {
  const auto refuse = [](const char* name, double value) {
    throw Error(ErrorCode::bad_option, std::string("the ") + name + " of the heat method is " +
                                           std::to_string(value) + "; it must be above 0");
  };
  if (!(options.time > 0) || !std::isfinite(options.time)) refuse("time", options.time);
  if (!(options.tolerance > 0)) refuse("tolerance", options.tolerance);
}

}  // namespace

class HeatMethod::Work {
 public:
  Work(const Surface& surface, const HeatOptions& options)
      : surface_(surface),
        options_(options),
        rows_(surface.rows<VV, VF, FV>()),
        positions_(positions<double>(surface)),
        laplacian_(make_laplacian(surface), distance_options(options)),
        mass_(make_mass(surface)),
        to_tiled_(tiled_ids(surface)) {
    const Components components = find_components(exec(), rows_.get<VV>());
    component_ = components.of_vertex;
    component_count_ = components.count;
    component_there_ = Buffer<uint32_t>(exec(), component_);
    is_reached_ = Buffer<std::uint8_t>(exec(), surface.vertex_count());
    heat_ = Buffer<double>(exec(), surface.vertex_count());
    b_ = Buffer<double>(exec(), surface.vertex_count());
    flux_ = Buffer<double>(exec(), 3 * surface.face_count());
    edge_length_ = mean_edge_length();
    if (options_.solver == HeatSolver::direct) {
      const CsrMatrix l = matrix_on_host(laplacian_.matrix());
      dissection_ = std::make_unique<Dissection>(l, positions_.on_host());
      factor_ = std::make_unique<Cholesky>(host(), *dissection_, l);
    }
    add_flow(options_.time);
  }

  [[nodiscard]] VertexAttribute<double> compute(std::span<const GeodesicSource> sources) {
    if (sources.empty())
      throw Error(ErrorCode::bad_option, "distances need a source: a vertex or a point of a triangle");
    std::vector<SourceCorners> corners;
    for (size_t k = 0; k < sources.size(); ++k) corners.push_back(locate(sources[k], k));
    const size_t n = surface_.vertex_count();
    mark_reached(corners);
    flow(corners);
    VertexAttribute<double> distance(surface_);
    double* x = distance.view().data();
    fill_right_side();
    if (factor_) {
      solve_directly(*factor_, x);
    } else {
      run_loop(exec(), n, GuessDistance{heat_.data(), root_time_, x});
    }
    const CgResult solved = laplacian_.solve(b_.data(), x);
    report_.distance_iterations = solved.iterations;
    report_.residual = solved.residual;
    report_.has_converged = report_.has_converged && solved.has_converged;
    shift(corners, x);
    return distance;
  }

  [[nodiscard]] const HeatReport& report() const { return report_; }
  [[nodiscard]] Bytes bytes() const {
    Bytes bytes = laplacian_.matrix().bytes() + laplacian_.preconditioner_bytes() + mass_.bytes() +
                  component_there_.bytes() + positions_.bytes() + heat_.bytes() + b_.bytes() + flux_.bytes();
    for (const auto& flow : flows_) bytes += flow->matrix().bytes() + flow->preconditioner_bytes();
    for (const auto& factor : flow_factors_) bytes += factor->bytes();
    if (factor_) bytes += factor_->bytes();
    return bytes;
  }

 private:
  /// After a direct solution the iteration only says what the residual is.
  [[nodiscard]] static SolveOptions distance_options(const HeatOptions& options) {
    const bool is_direct = options.solver == HeatSolver::direct;
    return {.preconditioner = is_direct ? Preconditioner::none : Preconditioner::multilevel,
            .tolerance = options.tolerance,
            .max_iterations = is_direct ? 0u : 200u,
            .starts_from_x = true};
  }

  [[nodiscard]] const Exec& exec() const { return surface_.exec(); }
  [[nodiscard]] Exec host() const { return Exec::host(exec().threads()); }
  [[nodiscard]] Triangles triangles() const { return {rows_.get<FV>(), positions_.view().data()}; }
  [[nodiscard]] uint32_t tiled(VertexId v) const {
    return to_tiled_.empty() ? v.index() : to_tiled_[v.index()];
  }

  [[nodiscard]] double mean_edge_length() const {
    const size_t n = surface_.vertex_count();
    const size_t entries = laplacian_.matrix().entry_count() - n;
    if (entries == 0) return 1;
    Buffer<double> sums(exec(), n);
    run_loop(exec(), n, AddEdgeLengths{rows_.get<VV>(), positions_.view().data(), sums.data()});
    const double mean = sum_elements(exec(), sums.data(), n) / static_cast<double>(entries);
    return mean > 0 ? mean : 1;
  }

  [[nodiscard]] SourceCorners locate(const GeodesicSource& source, size_t place) const {
    const std::string name = "source " + std::to_string(place);
    if (const VertexId* vertex = std::get_if<VertexId>(&source)) {
      require(*vertex, surface_.vertex_count(), name + " is vertex ", " vertices");
      return {{tiled(*vertex), 1, 0}};
    }
    const FacePoint& point = std::get<FacePoint>(source);
    require(point.face, surface_.face_count(), name + " lies in triangle ", " triangles");
    if (surface_.mesh() == nullptr) {
      throw Error(ErrorCode::unsupported,
                  name + " is a point of a triangle, but the mesh lies on a device; give a vertex");
    }
    double sum = 0;
    bool is_negative = false;
    for (const double weight : point.weights) {
      sum += weight;
      is_negative = is_negative || !(weight >= 0);
    }
    if (is_negative || !(std::abs(sum - 1) <= 1e-6)) {
      throw Error(ErrorCode::bad_option, name + " has weights that are negative or do not add up to 1");
    }
    const auto& cell = surface_.mesh()->cells[point.face.index()];
    Vec3d at = {0, 0, 0};
    for (size_t k = 0; k < 3; ++k) at = at + point.weights[k] * surface_.mesh()->points[cell[k]];
    SourceCorners corners;
    for (size_t k = 0; k < 3; ++k) {
      if (point.weights[k] > 0)
        corners.push_back({tiled(cell[k]), point.weights[k], length(surface_.mesh()->points[cell[k]] - at)});
    }
    return corners;
  }
  template <class IdType>
  static void require(IdType id, size_t count, const std::string& what, const char* elements) {
    if (id.index() < count) return;
    throw Error(ErrorCode::not_found, what + std::to_string(id.index()) + ", but there are only " +
                                          std::to_string(count) + elements);
  }

  void mark_reached(const std::vector<SourceCorners>& sources) {
    Array<std::uint8_t> has_source(component_count_, 0);
    for (const SourceCorners& corners : sources) has_source[component_[corners.front().vertex]] = 1;
    const Buffer<std::uint8_t> flags(exec(), has_source);
    run_loop(exec(), surface_.vertex_count(),
             MarkReached{component_there_.data(), flags.data(), is_reached_.data()});
  }

  /// Lets heat flow from the sources. Where it does not reach all that is connected, for longer.
  void flow(const std::vector<SourceCorners>& sources) {
    std::map<uint32_t, double> start;
    for (const SourceCorners& corners : sources) {
      for (const Corner& c : corners) start[c.vertex] += source_heat * c.weight;
    }
    Array<uint32_t> places;
    Array<double> values;
    for (const auto& [place, value] : start) {
      places.push_back(place);
      values.push_back(value);
    }
    const double nothing = 0;
    fill_elements(exec(), &nothing, b_.data(), b_.size(), sizeof(double));
    set_each(places, values, b_.data());
    report_ = {.solver = options_.solver};
    for (size_t raised = 0; raised <= most_raised; ++raised) {
      if (raised == flows_.size()) add_flow(std::ldexp(options_.time, static_cast<int>(2 * raised)));
      if (factor_) solve_directly(*flow_factors_[raised], heat_.data());
      const CgResult solved = flows_[raised]->solve(b_.data(), heat_.data(), is_reached_.data());
      report_.time = std::ldexp(options_.time, static_cast<int>(2 * raised));
      report_.heat_iterations += solved.iterations;
      report_.has_converged = solved.has_converged;
      if (solved.has_converged || std::isnan(solved.residual)) break;
    }
    root_time_ = std::sqrt(report_.time) * edge_length_;
  }

  void add_flow(double time) {
    const SparseMatrix& l = laplacian_.matrix();
    SparseMatrix a;
    a.rows = l.rows;
    a.columns = l.columns;
    a.offsets = Buffer<uint32_t>(exec(), l.offsets.size());
    a.column_ids = Buffer<uint32_t>(exec(), l.column_ids.size());
    a.values = Buffer<double>(exec(), l.values.size());
    gather_elements(exec(), l.offsets.data(), {}, a.offsets.data(), l.offsets.size(), sizeof(uint32_t));
    gather_elements(exec(), l.column_ids.data(), {}, a.column_ids.data(), l.column_ids.size(),
                    sizeof(uint32_t));
    run_loop(exec(), a.rows.size,
             FillFlow{l.offsets.data(), l.column_ids.data(), l.values.data(), mass_.values.data(),
                      time * edge_length_ * edge_length_, a.values.data()});
    if (factor_) flow_factors_.push_back(std::make_unique<Cholesky>(host(), *dissection_, matrix_on_host(a)));
    flows_.push_back(
        std::make_unique<SolverWork>(std::move(a), SolveOptions{.preconditioner = Preconditioner::jacobi,
                                                                .tolerance = options_.tolerance,
                                                                .max_iterations = factor_ ? 0u : 20000u,
                                                                .starts_from_x = factor_ != nullptr}));
  }

  void solve_directly(Cholesky& factor, double* x) const {
    if (!exec().is_cuda()) return factor.solve(b_.data(), x);
    Array<double> values = b_.to_host();
    factor.solve(values.data(), values.data());
    copy(exec(), x, values.data(), values.size() * sizeof(double), CopyKind::to_device);
    synchronize(exec());
  }

  void set_each(const Array<uint32_t>& places, const Array<double>& values, double* x) const {
    const Buffer<uint32_t> places_there(exec(), places);
    const Buffer<double> values_there(exec(), values);
    run_loop(exec(), places.size(), SetEach{places_there.data(), values_there.data(), x});
  }

  void fill_right_side() {
    run_loop(exec(), surface_.face_count(), FillFlux{triangles(), heat_.data(), flux_.data()});
    run_loop(exec(), surface_.vertex_count(),
             GatherFlux{rows_.get<VF>(), triangles(), flux_.data(), b_.data()});
  }

  /// Makes the sources of each component 0, on average, and vertices that are sources exactly.
  void shift(const std::vector<SourceCorners>& sources, double* x) const {
    std::vector<double> sum(component_count_, 0);
    std::vector<double> count(component_count_, 0);
    Array<uint32_t> exact;
    for (const SourceCorners& corners : sources) {
      const uint32_t component = component_[corners.front().vertex];
      for (const Corner& c : corners)
        sum[component] += c.weight * (download(exec(), x + c.vertex, 1)[0] - c.distance);
      count[component] += 1;
      if (corners.size() == 1) exact.push_back(corners.front().vertex);
    }
    Array<double> by(component_count_);
    for (size_t c = 0; c < component_count_; ++c)
      by[c] = count[c] > 0 ? sum[c] / count[c] : std::numeric_limits<double>::infinity();
    const Buffer<double> by_there(exec(), by);
    run_loop(exec(), surface_.vertex_count(), Shift{component_there_.data(), by_there.data(), x});
    set_each(exact, Array<double>(exact.size(), 0), x);
  }

  Surface surface_;
  HeatOptions options_;
  RowsOf<VV, VF, FV> rows_;
  VertexAttribute<Vec3d> positions_;
  SolverWork laplacian_;
  SparseMatrix mass_;
  std::vector<std::unique_ptr<SolverWork>> flows_;  ///< for 1, 4, 16, ... times the time
  std::unique_ptr<Dissection> dissection_;          ///< of direct solutions, as the factors
  std::unique_ptr<Cholesky> factor_;
  std::vector<std::unique_ptr<Cholesky>> flow_factors_;
  Array<uint32_t> to_tiled_;
  Array<uint32_t> component_;
  uint32_t component_count_ = 0;
  Buffer<uint32_t> component_there_;
  Buffer<std::uint8_t> is_reached_;
  Buffer<double> heat_;
  Buffer<double> b_;     ///< of either system
  Buffer<double> flux_;  ///< three a triangle
  double edge_length_ = 1;
  double root_time_ = 1;
  HeatReport report_;
};

HeatMethod::HeatMethod(const Surface& surface, const HeatOptions& options) {
  check(options);
  work_ = std::make_unique<Work>(surface, options);
}
HeatMethod::HeatMethod(HeatMethod&&) noexcept = default;
HeatMethod& HeatMethod::operator=(HeatMethod&&) noexcept = default;
HeatMethod::~HeatMethod() = default;

VertexAttribute<double> HeatMethod::compute(std::span<const GeodesicSource> sources) {
  return work_->compute(sources);
}
Array<double> HeatMethod::distances(std::span<const GeodesicSource> sources) {
  return compute(sources).values();
}
const HeatReport& HeatMethod::report() const {
  return work_->report();
}
Bytes HeatMethod::bytes() const {
  return work_->bytes();
}

}  // namespace tessera
