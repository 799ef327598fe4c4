#include <tessera/surface/heat_method.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/surface/detail/cholesky.h>
#include <tessera/surface/detail/geodesic_sources.h>
#include <tessera/surface/detail/heat_loops.h>
#include <tessera/surface/detail/run_loop.h>
#include <tessera/surface/detail/solver_work.h>
#include <tessera/surface/geodesics.h>
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
constexpr uint32_t most_raised = 12;

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

/// The component of each vertex, numbered by their first vertices; on the host. Vertices are joined where the
/// Laplacian couples them: a vertex may have triangles and no coupling, and then no heat gets there.
struct Components {
  Array<uint32_t> of_vertex;
  uint32_t count = 0;
};

Components find_components(const CsrMatrix& laplacian) {
  constexpr uint32_t unknown = 0xFFFFFFFFu;
  const size_t n = laplacian.rows;
  const Array<uint32_t>& offsets = laplacian.offsets;
  const Array<uint32_t>& columns = laplacian.column_ids;
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
        if (laplacian.values[k] == 0 || result.of_vertex[columns[k]] != unknown) continue;
        result.of_vertex[columns[k]] = result.count;
        open.push_back(columns[k]);
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
  const auto refuse = [](const char* name, double value, const char* bounds) {
    throw Error(ErrorCode::bad_option, std::string("the ") + name + " of the heat method is " +
                                           std::to_string(value) + "; it must be " + bounds);
  };
  if (!(options.time > 0) || !std::isfinite(options.time)) refuse("time", options.time, "finite and above 0");
  if (!(options.tolerance > 0) || !(options.tolerance < 1))
    refuse("tolerance", options.tolerance, "above 0 and below 1");
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
    const Components components = find_components(matrix_on_host(laplacian_.matrix()));
    component_ = components.of_vertex;
    component_count_ = components.count;
    component_there_ = Buffer<uint32_t>(exec(), component_);
    is_reached_ = Buffer<std::uint8_t>(exec(), surface.vertex_count());
    heat_ = Buffer<double>(exec(), surface.vertex_count());
    b_ = Buffer<double>(exec(), surface.vertex_count());
    flux_ = Buffer<double>(exec(), 3 * surface.face_count());
    edge_length_ = mean_edge_length();
    if (options_.solver == HeatSolver::direct) factorize();
    make_flow(0);
  }

  [[nodiscard]] VertexAttribute<double> compute(std::span<const GeodesicSource> sources) {
    check_sources(surface_, sources);
    std::vector<SourceCorners> corners;
    for (const GeodesicSource& source : sources) add_corners(source, corners);
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
    const StageProgress progress(monitor(), "finding distances");
    const CgResult solved = laplacian_.solve(b_.data(), x, progress);
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
    if (flow_) bytes += flow_->matrix().bytes() + flow_->preconditioner_bytes();
    if (flow_factor_) bytes += flow_factor_->bytes();
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
            .starts_from_x = true,
            .monitor = options.monitor};
  }

  [[nodiscard]] const Exec& exec() const { return surface_.exec(); }
  [[nodiscard]] Exec host() const { return Exec::host(exec().threads()); }
  [[nodiscard]] const Monitor& monitor() const { return monitor_of(options_.monitor); }
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

  [[nodiscard]] SourceCorners locate(const GeodesicSource& source) const {
    if (const VertexId* vertex = std::get_if<VertexId>(&source)) return {{tiled(*vertex), 1, 0}};
    const FacePoint& point = std::get<FacePoint>(source);
    const TriMesh& mesh = *surface_.mesh();
    const TriMesh::Cell& cell = mesh.cells[point.face.index()];
    const Vec3d at = find_position(mesh, point);
    SourceCorners corners;
    for (size_t k = 0; k < 3; ++k) {
      if (point.weights[k] > 0)
        corners.push_back({tiled(cell[k]), point.weights[k], length(mesh.points[cell[k]] - at)});
    }
    return corners;
  }

  /// A source in a triangle whose corners are not all in one component is one in each.
  void add_corners(const GeodesicSource& source, std::vector<SourceCorners>& to) const {
    std::map<uint32_t, SourceCorners> by_component;
    for (const Corner& corner : locate(source)) by_component[component_[corner.vertex]].push_back(corner);
    for (auto& [component, corners] : by_component) {
      double weight = 0;
      for (const Corner& corner : corners) weight += corner.weight;
      for (Corner& corner : corners) corner.weight /= by_component.size() > 1 ? weight : 1;
      to.push_back(std::move(corners));
    }
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
    const double nothing = 0;
    fill_elements(exec(), &nothing, b_.data(), b_.size(), sizeof(double));
    set_each(start, b_.data());
    if (!flow_from_start()) {
      factorize();
      flow_.reset();
      (void)flow_from_start();
    }
    root_time_ = std::sqrt(report_.time) * edge_length_;
  }

  /// False if conjugate gradients do not converge.
  [[nodiscard]] bool flow_from_start() {
    report_ = {.solver = factor_ ? HeatSolver::direct : HeatSolver::iterative};
    for (uint32_t raised = first_raised_; raised <= most_raised; ++raised) {
      report_.time = raised_time(raised);
      make_flow(raised);
      if (flow_factor_) solve_directly(*flow_factor_, heat_.data());
      const std::string stage =
          raised == 0 ? "letting heat flow"
                      : "letting heat flow " + std::to_string(size_t{1} << (2 * raised)) + " times as long";
      const CgResult solved = flow_->solve(b_.data(), heat_.data(), {monitor(), stage}, is_reached_.data());
      report_.heat_iterations += solved.iterations;
      report_.has_converged = solved.has_converged;
      if (solved.has_converged) first_raised_ = raised;
      if (solved.has_converged || std::isnan(solved.residual)) break;
      if (!factor_ && solved.iterations >= most_heat_iterations()) return false;
    }
    return true;
  }
  [[nodiscard]] double raised_time(uint32_t raised) const {
    return std::ldexp(options_.time, static_cast<int>(2 * raised));
  }
  /// Heat gets an edge further with each iteration. Where it takes far more of them than there are edges
  /// across a surface, as around a vertex of very many thin triangles, a factorization is faster.
  [[nodiscard]] uint32_t most_heat_iterations() const {
    return std::max(2000u,
                    static_cast<uint32_t>(10 * std::sqrt(static_cast<double>(surface_.vertex_count()))));
  }

  void factorize() {
    const CsrMatrix l = matrix_on_host(laplacian_.matrix());
    dissection_ = std::make_unique<Dissection>(l, positions_.on_host(), monitor());
    factor_ = std::make_unique<Cholesky>(host(), *dissection_, l, monitor());
  }

  /// The system of a time that was raised so often, in the place of the one that is there.
  void make_flow(uint32_t raised) {
    if (flow_ && flow_raised_ == raised) return;
    flow_.reset();
    flow_factor_.reset();
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
                      raised_time(raised) * edge_length_ * edge_length_, a.values.data()});
    if (factor_)
      flow_factor_ = std::make_unique<Cholesky>(host(), *dissection_, matrix_on_host(a), monitor());
    flow_ = std::make_unique<SolverWork>(std::move(a),
                                         SolveOptions{.preconditioner = Preconditioner::jacobi,
                                                      .tolerance = options_.tolerance,
                                                      .max_iterations = factor_ ? 0u : most_heat_iterations(),
                                                      .starts_from_x = factor_ != nullptr});
    flow_raised_ = raised;
  }

  void solve_directly(Cholesky& factor, double* x) const {
    if (!exec().is_cuda()) return factor.solve(b_.data(), x);
    Array<double> values = b_.to_host();
    factor.solve(values.data(), values.data());
    copy(exec(), x, values.data(), values.size() * sizeof(double), CopyKind::to_device);
    synchronize(exec());
  }

  void set_each(const std::map<uint32_t, double>& each, double* x) const {
    Array<uint32_t> places;
    Array<double> values;
    for (const auto& [place, value] : each) {
      places.push_back(place);
      values.push_back(value);
    }
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
    std::map<uint32_t, double> exact;
    const Array<double> found = values_at(sources, x);
    const double* value = found.data();
    for (const SourceCorners& corners : sources) {
      const uint32_t component = component_[corners.front().vertex];
      for (const Corner& c : corners) sum[component] += c.weight * (*value++ - c.distance);
      count[component] += 1;
      if (corners.size() > 1) continue;
      const auto [at, is_new] = exact.try_emplace(corners.front().vertex, corners.front().distance);
      if (!is_new) at->second = std::min(at->second, corners.front().distance);
    }
    Array<double> by(component_count_);
    for (size_t c = 0; c < component_count_; ++c)
      by[c] = count[c] > 0 ? sum[c] / count[c] : std::numeric_limits<double>::infinity();
    const Buffer<double> by_there(exec(), by);
    run_loop(exec(), surface_.vertex_count(), Shift{component_there_.data(), by_there.data(), x});
    set_each(exact, x);
  }

  /// Of all corners, one after the other, with one copy.
  [[nodiscard]] Array<double> values_at(const std::vector<SourceCorners>& sources, const double* x) const {
    Array<uint32_t> places;
    for (const SourceCorners& corners : sources) {
      for (const Corner& c : corners) places.push_back(c.vertex);
    }
    const Buffer<uint32_t> order(exec(), places);
    Buffer<double> values(exec(), places.size());
    gather_elements(exec(), x, {order.data(), order.size()}, values.data(), places.size(), sizeof(double));
    return values.to_host();
  }

  Surface surface_;
  HeatOptions options_;
  RowsOf<VV, VF, FV> rows_;
  VertexAttribute<Vec3d> positions_;
  SolverWork laplacian_;
  SparseMatrix mass_;
  std::unique_ptr<SolverWork> flow_;  ///< for 4^flow_raised_ times the time
  uint32_t flow_raised_ = 0;
  uint32_t first_raised_ = 0;               ///< of the last call that converged: where the next one starts
  std::unique_ptr<Dissection> dissection_;  ///< of direct solutions, as the factors
  std::unique_ptr<Cholesky> factor_;
  std::unique_ptr<Cholesky> flow_factor_;
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
