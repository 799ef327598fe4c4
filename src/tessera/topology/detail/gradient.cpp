#include <tessera/topology/gradient.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include <tessera/core/config.h>
#include <tessera/core/csr.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/detail/grid_gradient.h>
#include <tessera/topology/detail/lower_star.h>
#include <tessera/topology/detail/star_source.h>

namespace tessera::detail {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

/// Works out lower stars in parallel, each worker into its own arrays, and puts their rows together.
template <int Dim>
class GradientBuilder {
 public:
  GradientBuilder(std::shared_ptr<const TiledMesh<Dim>> tiles, const GradientOptions<Dim>& options,
                  bool fetch_paths)
      : tiles_(*tiles),
        options_(options),
        monitor_(monitor_of(options.monitor)),
        fetch_paths_(fetch_paths),
        exec_(Exec::host(options.exec.threads())) {
    report(0);
    result_.tiles_ = std::move(tiles);
    for (int i = 0; i < exec_.threads(); ++i) {
      workers_.push_back(std::make_unique<Worker>());
      workers_.back()->number = static_cast<uint32_t>(i);
    }
  }

  std::shared_ptr<GradientData<Dim>> run(const Field& field) {
    check_stars(tiles_, options_.stars, options_.exec);
    if constexpr (built_with_cuda) {
      if (options_.exec.is_cuda()) return run_on_device(field);
    }
    result_.order_ = compute_order(tiles_, field, exec_);
    // A mesh has about seven edges a vertex; growing arrays would be held twice.
    const size_t expected = 8 * tiles_.vertex_count() / static_cast<size_t>(exec_.threads());
    for (const auto& worker : workers_) {
      worker->lower.reserve(expected);
      worker->partners.reserve(expected);
    }
    result_.opposite_.resize(tiles_.cell_count());
    if (options_.keep_paths) {
      result_.next_.resize(tiles_.cell_count());
      result_.first_cells_.resize(tiles_.vertex_count());
    }
    result_.offsets_.resize(tiles_.vertex_count() + 1);
    for_each_star(
        tiles_, result_.order_, options_.stars, exec_, monitor_,
        [&](int worker, const auto& stars) { visit(*workers_[static_cast<size_t>(worker)], stars); });
    report(0.8);
    join_rows();
    join_critical_cells();
    join_branches();
    report(1);
    return std::make_shared<GradientData<Dim>>(std::move(result_));
  }

 private:
  /// Rows of consecutive vertices in a worker's arrays.
  struct Run {
    uint32_t first_vertex;
    uint32_t end_vertex;
    size_t begin;
  };
  /// Names of edges and triangles are places in the row of their vertex until the rows have theirs.
  struct Found {
    CellName name;
    uint32_t highest;           ///< tiled
    uint32_t worker = 0;        ///< whose cofaces ...
    uint32_t first_coface = 0;  ///< ... from here on ...
    uint32_t coface_count = 0;  ///< ... it has
  };
  struct Worker {
    LowerStar<Dim> star;
    std::vector<Run> runs;
    Array<uint32_t> lower;
    Array<uint8_t> partners;
    std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> far_partners;
    std::array<std::vector<Found>, 4> critical;
    std::vector<uint32_t> cofaces;
    uint32_t number = 0;
    std::vector<Branch> branches;
  };

  void report(double fraction) const { monitor_.update("computing the gradient", fraction); }

  /// The device does most tiles, the host those that it leaves.
  std::shared_ptr<GradientData<Dim>> run_on_device(const Field& field) {
    const auto tiles = device_tiles(tiles_, options_.exec);
    Buffer<VertexOrderKey> order = cuda::compute_order(options_.exec, tiles_, *tiles, field, monitor_);
    cuda::GradientFinder<Dim> finder(*tiles, order, options_.keep_paths, monitor_);
    const Array<VertexRange>& left = finder.left();
    report(0.4);
    result_.order_ = OrderArray(order.to_host());
    result_.opposite_ = finder.unfinished().opposite.to_host();
    if (fetch_paths_ || !left.empty()) {
      result_.next_ = finder.unfinished().next.to_host();
      result_.first_cells_ = finder.unfinished().first_cells.to_host();
    }
    result_.offsets_.resize(tiles_.vertex_count() + 1);
    for_each_star(tiles_, result_.order_, left, exec_, monitor_, [&](int worker, const auto& stars) {
      visit(*workers_[static_cast<size_t>(worker)], stars);
    });
    Array<uint32_t> host_rows;  // entries by range
    Array<uint32_t> counts;     // by vertex of these ranges
    for (const VertexRange& owned : left) {
      host_rows.push_back(0);
      for (uint32_t v = owned.begin; v < owned.end; ++v) {
        host_rows.back() += result_.offsets_[v];
        counts.push_back(result_.offsets_[v]);
      }
    }
    auto device = std::make_shared<cuda::DeviceGradient<Dim>>(finder.finish(host_rows));
    report(0.6);
    result_.offsets_ = device->offsets.to_host();
    result_.lower_ = device->lower.to_host();
    result_.partners_ = device->partners.to_host();
    size_t at = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      uint32_t begin = finder.first_rows()[i];
      for (uint32_t v = left[i].begin; v < left[i].end; ++v) {
        result_.offsets_[v] = begin;
        begin += counts[at++];
      }
    }
    place_rows();
    const Array<cuda::FoundCell>& found = finder.critical_cells();
    host::for_each_chunk(exec_.threads(), found.size(), 4096, [&](host::Range range, int worker) {
      for (size_t i = range.begin; i < range.end; ++i)
        take(found[i], left, *workers_[static_cast<size_t>(worker)]);
    });
    join_critical_cells();
    join_branches();
    const auto is_small = [](uint32_t row) {
      return row <= GradientData<Dim>::far_place;
    };  // its places are kept in a byte
    if (options_.keep_paths && std::all_of(counts.begin(), counts.end(), is_small)) {
      if (!left.empty()) complete(*device);
      device->tiles = tiles;
      device->order = std::move(order);
      result_.device_ = std::move(device);
    }
    report(1);
    return std::make_shared<GradientData<Dim>>(std::move(result_));
  }

  /// Gives the device the host's part of the gradient too. Copies all of it, which is less than the host
  /// would need for what the device can do then.
  void complete(cuda::DeviceGradient<Dim>& device) const {
    device.offsets.assign(result_.offsets_);
    device.lower.assign(result_.lower_);
    device.partners.assign(result_.partners_);
    device.opposite.assign(result_.opposite_);
    device.next.assign(result_.next_);
    device.first_cells.assign(result_.first_cells_);
  }

  void take(const cuda::FoundCell& cell, const Array<VertexRange>& left, Worker& worker) const {
    if (cuda::is_in(left, cell.highest)) return;
    const size_t before = worker.cofaces.size();
    for (const uint32_t coface : cell.cofaces) {
      if (coface != GradientData<Dim>::none) worker.cofaces.push_back(coface);
    }
    add_critical(worker, {cell.id, cell.low, cell.dimension}, cell.highest, before);
  }

  /// `before`: how many cofaces the worker had before it found those of this cell.
  void add_critical(Worker& worker, const CellName& name, uint32_t highest, size_t before) const {
    std::sort(worker.cofaces.begin() + static_cast<std::ptrdiff_t>(before), worker.cofaces.end(),
              [&](uint32_t a, uint32_t b) { return input(a) < input(b); });
    worker.critical[name.dimension].push_back({name, highest, worker.number, checked_offset(before),
                                               static_cast<uint32_t>(worker.cofaces.size() - before)});
  }
  void add_critical(Worker& worker, const CellName& name, uint32_t highest) const {
    worker.critical[name.dimension].push_back({name, highest});
  }

  template <class Stars>
  void visit(Worker& worker, const Stars& stars) {
    const uint32_t v = stars.center().index();
    worker.star.process(stars, options_.keep_paths);
    const LowerStarResult<Dim>& star = worker.star.result();
    result_.offsets_[v] = static_cast<uint32_t>(star.lower.size());
    if (worker.runs.empty() || worker.runs.back().end_vertex != v)
      worker.runs.push_back({v, v, worker.lower.size()});
    worker.runs.back().end_vertex = v + 1;
    if (star.lower.empty()) add_critical(worker, {v, 0, 0}, v);
    write_edges(worker, stars);
    write_cells(worker, stars);
    if (options_.keep_paths) result_.first_cells_[v] = first_cell(stars);
  }

  template <class Stars>
  [[nodiscard]] uint32_t first_cell(const Stars& stars) const {
    uint32_t first = GradientData<Dim>::none;
    typename TiledMesh<Dim>::InputCellId lowest;
    for (const auto& cell : stars.star()) {
      const uint32_t id = stars.cell_id(cell.cell);
      const auto in = input(id);
      if (first != GradientData<Dim>::none && !(in < lowest)) continue;
      first = id;
      lowest = in;
      if (tiles_.keeps_cell_order()) break;  // stars ascend
    }
    return first;
  }

  template <class Stars>
  void write_edges(Worker& worker, const Stars& stars) {
    const LowerStarResult<Dim>& star = worker.star.result();
    const uint32_t center = stars.center().index();
    const auto add_facet = [&](const CellName& name, const typename LowerStarResult<Dim>::Facet& facet) {
      const size_t before = worker.cofaces.size();
      star.for_each_around(stars, facet,
                           [&](uint32_t cell) { worker.cofaces.push_back(stars.cell_id(cell)); });
      add_critical(worker, name, center, before);
    };
    const size_t begin = worker.lower.size();
    worker.lower.resize(begin + star.lower.size());
    worker.partners.resize(begin + star.lower.size());
    uint32_t* const lower = worker.lower.data() + begin;
    uint8_t* const partners = worker.partners.data() + begin;
    for (uint32_t r = 0; r < star.lower.size(); ++r) lower[r] = stars.vertex_id(star.lower[r]);
    if (!star.lower.empty()) partners[0] = 0;
    for (uint32_t r = 1; r < star.lower.size(); ++r) {
      const uint32_t third = star.partners[r];
      partners[r] = static_cast<uint8_t>(std::min(third, result_.far_place));
      if (third < result_.far_place) continue;
      if (third == star.none) {
        partners[r] = GradientData<Dim>::critical;
        if constexpr (Dim == 2) {
          add_facet({r, 0, 1}, {r});
        } else {
          add_critical(worker, {r, 0, 1}, center);
        }
      } else {
        worker.far_partners.push_back({center, {r, third}});
      }
    }
    if constexpr (Dim == 3) {
      for (const auto& face : star.critical_faces) add_facet({face.high, face.low, 2}, {face.high, face.low});
    }
  }

  template <class Stars>
  void write_cells(Worker& worker, const Stars& stars) {
    for (const auto& top : worker.star.result().tops) {
      const uint32_t id = stars.cell_id(top.cell);
      if (options_.keep_paths) {
        result_.next_[id] = top.has_choice                     ? choose_beyond(worker, top, stars)
                            : top.next == LowerStar<Dim>::none ? GradientData<Dim>::none
                                                               : stars.cell_id(top.next);
      }
      if (top.opposite == LowerStar<Dim>::none) {
        result_.opposite_[id] = GradientData<Dim>::critical;
        add_critical(worker, {id, 0, Dim}, stars.center().index());
        continue;
      }
      const auto& corners = stars.corners(top.cell);
      const uint32_t opposite = worker.star.result().lower[top.opposite];
      uint32_t corner = 0;  // without branches
      for (uint32_t k = 1; k <= Dim; ++k) corner += corners[k] == opposite ? k : 0;
      result_.opposite_[id] = static_cast<uint8_t>(corner);
    }
  }

  [[nodiscard]] auto input(uint32_t cell) const {
    return tiles_.input(typename TiledMesh<Dim>::CellId(cell));
  }

  /// Notes the cells beyond the facet of a top cell, which are several, and gives that with the lowest input
  /// id.
  template <class Stars>
  uint32_t choose_beyond(Worker& worker, const auto& top, const Stars& stars) const {
    const LowerStarResult<Dim>& star = worker.star.result();
    Branch branch{stars.cell_id(top.cell), {}};
    typename LowerStarResult<Dim>::Facet facet;
    std::ranges::copy_if(top.ranks, facet.begin(), [&](uint32_t rank) { return rank != top.opposite; });
    star.for_each_around(stars, facet, [&](uint32_t cell) {
      if (cell != top.cell) branch.others.push_back(stars.cell_id(cell));
    });
    std::sort(branch.others.begin(), branch.others.end());
    worker.branches.push_back(branch);
    return *std::min_element(branch.others.begin(), branch.others.end(),
                             [&](uint32_t c, uint32_t d) { return input(c) < input(d); });
  }

  void join_rows() {
    size_t edges = 0;
    for (const auto& worker : workers_) edges += worker->lower.size();
    (void)checked_offset(edges);
    result_.offsets_.back() = 0;
    exclusive_scan<uint32_t, uint32_t>(exec_, result_.offsets_, result_.offsets_);
    result_.lower_.resize(edges);
    result_.partners_.resize(edges);
    place_rows();
  }

  /// Moves the workers' rows to where the offsets say.
  void place_rows() {
    host::run_workers(exec_.threads(), [&](int w) {
      Worker& worker = *workers_[static_cast<size_t>(w)];
      for (const Run& run : worker.runs) {
        const uint32_t to = result_.offsets_[run.first_vertex];
        const uint32_t size = result_.offsets_[run.end_vertex] - to;
        std::copy_n(worker.lower.begin() + run.begin, size, result_.lower_.begin() + to);
        std::copy_n(worker.partners.begin() + run.begin, size, result_.partners_.begin() + to);
      }
      worker.lower = {};
      worker.partners = {};
    });
    for (const auto& worker : workers_) {
      for (const auto& [v, partner] : worker->far_partners) {
        result_.far_partners_.emplace_back(result_.offsets_[v] + partner.first, partner.second);
      }
    }
    std::sort(result_.far_partners_.begin(), result_.far_partners_.end());
  }

  void join_critical_cells() {
    for (size_t d = 0; d <= Dim; ++d) join_critical_cells(d);
  }

  void join_critical_cells(size_t d) {
    std::vector<Found*> cells;
    for (const auto& worker : workers_) {
      for (Found& cell : worker->critical[d]) cells.push_back(&cell);
    }
    Array<std::array<uint32_t, 3>> keys(cells.size());
    host_for_each(exec_, cells.size(), [&](size_t i) {
      if (d > 0 && d < Dim) cells[i]->name.id += result_.offsets_[cells[i]->highest];
      keys[i] = sort_key(*cells[i]);
    });
    // By the last of the ids that order them first: sorts are stable.
    Array<uint32_t> order(cells.size());
    std::iota(order.begin(), order.end(), 0u);
    Array<uint32_t> word(cells.size());
    const int bits = bits_in_use(std::max(tiles_.vertex_count(), tiles_.cell_count()));
    for (size_t k = d < Dim ? d + 1 : 1; k-- > 0;) {
      host_for_each(exec_, cells.size(), [&](size_t i) { word[i] = keys[order[i]][k]; });
      sort_pairs<uint32_t, uint32_t>(exec_, word, order, bits);
    }
    result_.critical_[d].resize(cells.size());
    host_for_each(exec_, cells.size(), [&](size_t i) {
      const Found& cell = *cells[order[i]];
      result_.critical_[d][i] = {cell.name, result_.to_input(tiled::VertexId(cell.highest))};
    });
    if (d == Dim - 1) join_cofaces(cells, order);
    for (const auto& worker : workers_) worker->critical[d] = {};
  }

  void join_cofaces(const std::vector<Found*>& cells, const Array<uint32_t>& order) {
    result_.coface_offsets_.reserve(cells.size() + 1);
    for (const uint32_t i : order) {
      const auto begin = workers_[cells[i]->worker]->cofaces.begin() + cells[i]->first_coface;
      result_.cofaces_.insert(result_.cofaces_.end(), begin, begin + cells[i]->coface_count);
      result_.coface_offsets_.push_back(checked_offset(result_.cofaces_.size()));
    }
    for (const auto& worker : workers_) worker->cofaces = {};
  }

  void join_branches() {
    for (const auto& worker : workers_)
      result_.branches_.insert(result_.branches_.end(), worker->branches.begin(), worker->branches.end());
    std::sort(result_.branches_.begin(), result_.branches_.end(),
              [](const Branch& a, const Branch& b) { return a.cell < b.cell; });
  }

  /// Input ids that order the critical cells of a dimension.
  [[nodiscard]] std::array<uint32_t, 3> sort_key(const Found& cell) const {
    const CellName& name = cell.name;
    if (name.dimension == Dim) return {input(name.id).index()};
    std::array<uint32_t, 3> vertices = {cell.highest};
    if (name.dimension > 0) vertices[1] = result_.lower_[name.id];
    if (name.dimension > 1) vertices[2] = result_.lower(tiled::VertexId(cell.highest))[name.low];
    const auto simplex = result_.to_simplex(std::span(vertices).first(name.dimension + 1));
    std::array<uint32_t, 3> key = {};
    for (size_t k = 0; k < simplex.size; ++k) key[k] = simplex.vertices[k].index();
    return key;
  }

  const TiledMesh<Dim>& tiles_;
  const GradientOptions<Dim>& options_;
  const Monitor& monitor_;
  bool fetch_paths_;
  Exec exec_;
  std::vector<std::unique_ptr<Worker>> workers_;
  GradientData<Dim> result_;
};

template <int Dim>
std::shared_ptr<GradientData<Dim>> build_gradient(std::shared_ptr<const TiledMesh<Dim>> tiles,
                                                  const Field& field, const GradientOptions<Dim>& options,
                                                  bool fetch_paths) {
  return GradientBuilder<Dim>(std::move(tiles), options, fetch_paths).run(field);
}

template std::shared_ptr<GradientData<2>> build_gradient(std::shared_ptr<const TiledMesh<2>>, const Field&,
                                                         const GradientOptions<2>&, bool);
template std::shared_ptr<GradientData<3>> build_gradient(std::shared_ptr<const TiledMesh<3>>, const Field&,
                                                         const GradientOptions<3>&, bool);

}  // namespace tessera::detail

namespace tessera {

template <int Dim>
Gradient<Dim> compute_gradient(const TiledMesh<Dim>& tiles, const Field& field,
                               const GradientOptions<Dim>& options) {
  return Gradient<Dim>(detail::build_gradient(detail::borrow(tiles), field, options));
}

template <int Dim>
Gradient<Dim> compute_gradient(const SimplexMesh<Dim>& mesh, const Field& field,
                               const GradientOptions<Dim>& options) {
  return Gradient<Dim>(detail::build_gradient(detail::make_tiles(mesh, options), field, options));
}

template <int Dim>
Gradient<Dim> compute_gradient(const Grid& grid, const Field& field, const GridOptions& options) {
  return Gradient<Dim>(detail::build_gradient<Dim>(grid, field, options));
}

template Gradient<2> compute_gradient(const Grid&, const Field&, const GridOptions&);
template Gradient<3> compute_gradient(const Grid&, const Field&, const GridOptions&);
template Gradient<2> compute_gradient(const TiledMesh<2>&, const Field&, const GradientOptions<2>&);
template Gradient<3> compute_gradient(const TiledMesh<3>&, const Field&, const GradientOptions<3>&);
template Gradient<2> compute_gradient(const TriMesh&, const Field&, const GradientOptions<2>&);
template Gradient<3> compute_gradient(const TetMesh&, const Field&, const GradientOptions<3>&);

}  // namespace tessera
