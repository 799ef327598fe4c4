#include <tessera/topology/detail/grid_gradient.h>

#include <atomic>
#include <bit>
#include <optional>
#include <string>

#include <tessera/core/config.h>
#include <tessera/core/csr.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/cuda/grid_analyses.h>

namespace tessera::detail {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

/// Vertices that a worker takes at once.
constexpr size_t chunk_vertices = 16384;

}  // namespace

template <int Dim>
class GridGradientBuilder {
 public:
  GridGradientBuilder(const GridLattice& lattice, const Field& field, const Exec& exec,
                      const Monitor& monitor)
      : exec_(Exec::host(exec.threads())),
        monitor_(monitor),
        result_(std::make_shared<GridGradient<Dim>>(lattice, FieldOrder(field, exec_))) {}

  std::shared_ptr<const GridGradient<Dim>> run() {
    report(0);
    const host::Range all = {0, result_->cells().lattice().rows()};
    const auto workers = pair_rows({all, all}, false);
    report(0.8);
    for (size_t d = 0; d <= Dim; ++d) join_critical(workers, d);
    find_cofaces();
    report(1);
    return result_;
  }

  PartGradient<Dim> run_part(const PartRows& rows) {
    const auto workers = pair_rows(rows, true);
    PartGradient<Dim> part;
    for (const auto& worker : workers) {
      for (size_t d = 1; d < Dim && worker != nullptr; ++d) part.saddles[d] += worker->counted(d);
    }
    join_critical(workers, 0);
    join_critical(workers, Dim);
    part.gradient = result_;
    return part;
  }

  std::shared_ptr<const GridGradient<Dim>> run_on_device(const Exec& device) {
    report(0);
    const size_t vertices = result_->vertex_count();
    FieldOrderView order = result_->order().view();
    const Buffer<uint32_t> values(device, std::span(order.values, vertices));
    order.values = values.data();
    const cuda::DeviceGridGradient made =
        cuda::pair_grid<Dim>(result_->cells().lattice(), order, device, monitor_);
    result_->rows_ = made.rows.to_host();
    result_->tops_ = made.tops.to_host(vertices);
    const Array<CriticalCell> critical = made.critical.to_host();
    auto next = critical.begin();
    for (size_t d = 0; d <= Dim; ++d) {
      result_->critical_[d].assign(next, next + made.counts[d]);
      next += made.counts[d];
    }
    find_cofaces();
    report(1);
    return result_;
  }

 private:
  struct Found {
    uint64_t key;  ///< by which critical cells of a dimension are sorted
    CriticalCell cell;
  };

  /// Writes what the lower stars give.
  class Worker {
   public:
    /// Saddles are only counted if a range of vertices is given, and their highest vertex lies there.
    Worker(GridGradient<Dim>& to, std::optional<host::Range> counted) : to_(to), counted_vertices_(counted) {}

    void process_row(size_t row) {
      const GridLattice& lattice = to_.cells_.lattice();
      const auto y = static_cast<uint32_t>(row % lattice.dims[1]);
      const auto z = static_cast<uint32_t>(row / lattice.dims[1]);
      const uint32_t nx = lattice.dims[0];
      for (uint32_t x = 0; x < nx; ++x) {
        // Only the ends of the row have other neighbours.
        if (x <= 1 || x + 1 == nx) enter(to_.cells_.places().at(x, y, z));
        process(static_cast<uint32_t>(row * nx + x));
      }
    }
    [[nodiscard]] const std::vector<Found>& found(size_t d) const { return found_[d]; }
    [[nodiscard]] size_t counted(size_t d) const { return counted_[d]; }
    void forget(size_t d) { found_[d] = {}; }

    // What LowerStarSink reports.
    void add_critical(const CellName& name, uint32_t v, uint64_t key) {
      if (counted_vertices_ && name.dimension != 0 && name.dimension != Dim) {
        const bool is_counted = v >= counted_vertices_->begin && v < counted_vertices_->end;
        counted_[name.dimension] += is_counted ? 1 : 0;
        return;
      }
      found_[name.dimension].push_back({key, {name, VertexId(v)}});
    }
    /// Digits of a word come from several vertices.
    void add_top(uint32_t v, std::uint16_t added) {
      std::atomic_ref(to_.tops_[v]).fetch_add(added, std::memory_order_relaxed);
    }

   private:
    void enter(const GridPlace& place) {
      present_ = place.present;
      is_at_seam_ = place.is_at_seam;
      for (size_t k = 0; k < grid_neighbours; ++k) steps_[k] = static_cast<std::int32_t>(place.steps[k]);
    }
    void process(uint32_t v) {
      const FieldOrderView& order = to_.order_.view();
      alignas(64) std::int32_t values[16] = {};
      for (uint32_t k = 0; k < grid_neighbours; ++k)
        values[k] = order.signed_value(v + static_cast<uint32_t>(steps_[k]));
      LowerNeighbours lower = rank_lower(values, order.signed_value(v), present_);
      if (is_at_seam_) [[unlikely]]
        lower = rank_at_seam(v);
      LowerStarSink<Dim, Worker> sink(grid_star_tables<Dim>, steps_.data(), v, *this);
      to_.rows_[v] = pair_lower_star(grid_star_tables<Dim>, lower, sink);
    }

    /// As rank_lower(), which takes the order of neighbours for that of their ids.
    [[nodiscard, gnu::noinline, gnu::cold]] LowerNeighbours rank_at_seam(uint32_t v) const {
      const auto key = [&](uint32_t k) { return to_.order_[v + static_cast<uint32_t>(steps_[k])]; };
      LowerNeighbours lower;
      std::array<uint32_t, grid_neighbours> sorted;
      for (uint32_t left = present_; left != 0; left &= left - 1) {
        const auto k = static_cast<uint32_t>(std::countr_zero(left));
        if (to_.order_[v] < key(k)) continue;
        lower.mask |= 1u << k;
        sorted[lower.count++] = k;
      }
      std::sort(sorted.begin(), sorted.begin() + lower.count,
                [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
      for (uint32_t rank = 0; rank < lower.count; ++rank) {
        lower.ranks |= uint64_t{rank} << (4 * sorted[rank]);
        lower.order |= uint64_t{sorted[rank]} << (4 * rank);
      }
      return lower;
    }

    GridGradient<Dim>& to_;
    std::array<std::int32_t, grid_neighbours> steps_ = {};
    uint32_t present_ = 0;
    bool is_at_seam_ = false;
    std::optional<host::Range> counted_vertices_;
    std::array<size_t, Dim + 1> counted_ = {};
    std::array<std::vector<Found>, Dim + 1> found_;
  };

  std::vector<std::unique_ptr<Worker>> pair_rows(const PartRows& rows, bool is_part) {
    const GridCells<Dim>& cells = result_->cells();
    result_->rows_.resize(cells.vertex_count());
    result_->tops_.assign(cells.vertex_count(), 0);
    const size_t nx = cells.lattice().dims[0];
    const std::optional<host::Range> counted =
        is_part ? std::optional<host::Range>({rows.counted.begin * nx, rows.counted.end * nx}) : std::nullopt;
    const size_t at_once = std::max<size_t>(1, chunk_vertices / nx);
    const size_t chunks = (rows.paired.size() + at_once - 1) / at_once;
    return host::walk(
        chunks, {exec_, monitor_, 1}, [&](int) { return Worker(*result_, counted); },
        [&](Worker& worker, size_t chunk) {
          const size_t begin = rows.paired.begin + chunk * at_once;
          for (size_t row = begin; row < std::min(rows.paired.end, begin + at_once); ++row)
            worker.process_row(row);
        });
  }

  void report(double fraction) const { monitor_.update("computing the gradient", fraction); }

  void join_critical(const std::vector<std::unique_ptr<Worker>>& workers, size_t d) {
    size_t count = 0;
    for (const auto& worker : workers) count += worker == nullptr ? 0 : worker->found(d).size();
    Array<uint64_t> keys;
    Array<CriticalCell> cells;
    keys.reserve(count);
    cells.reserve(count);
    for (const auto& worker : workers) {
      if (worker == nullptr) continue;
      for (const Found& one : worker->found(d)) {
        keys.push_back(one.key);
        cells.push_back(one.cell);
      }
      worker->forget(d);
    }
    Array<uint32_t> places(count);
    host_for_each(exec_, count, [&](size_t i) { places[i] = static_cast<uint32_t>(i); });
    if (result_->cells().lattice().is_periodic())  // names do not ascend as ids do
      host_for_each(exec_, count, [&](size_t i) { keys[i] = result_->rank_of(cells[i].name); });
    sort_pairs<uint64_t, uint32_t>(exec_, keys, places);
    Array<CriticalCell>& sorted = result_->critical_[d];
    sorted.resize(count);
    host_for_each(exec_, count, [&](size_t i) { sorted[i] = cells[places[i]]; });
  }

  /// The one or two top cells around each critical facet.
  void find_cofaces() {
    const GridCells<Dim>& cells = result_->cells();
    for (const CriticalCell& facet : result_->critical_cells(Dim - 1)) {
      const uint32_t v = facet.highest.index();
      const uint32_t high = result_->place(facet);
      uint32_t others = cells.around(v).present & grid_link[high];
      if constexpr (Dim == 3) others &= grid_link[facet.name.low];
      const size_t begin = result_->cofaces_.size();
      for (; others != 0; others &= others - 1) {
        std::array<uint32_t, Dim> ascending;
        ascending[0] = high;
        if constexpr (Dim == 3) ascending[1] = facet.name.low;
        ascending[Dim - 1] = static_cast<uint32_t>(std::countr_zero(others));
        std::sort(ascending.begin(), ascending.end());
        result_->cofaces_.push_back(cells.top_around(v, ascending));
      }
      std::sort(result_->cofaces_.begin() + static_cast<std::ptrdiff_t>(begin), result_->cofaces_.end(),
                [&](uint32_t a, uint32_t b) { return cells.is_lower_top(a, b); });
      result_->coface_offsets_.push_back(checked_offset(result_->cofaces_.size()));
    }
  }

  Exec exec_;
  const Monitor& monitor_;
  std::shared_ptr<GridGradient<Dim>> result_;
};

template <int Dim>
typename GridGradient<Dim>::Simplex GridGradient<Dim>::to_simplex(std::span<const uint32_t> vertices) const {
  Simplex simplex;
  for (const uint32_t v : vertices) {  // inserted into what is sorted already
    size_t at = simplex.size++;
    for (; at > 0 && v < simplex.vertices[at - 1].index(); --at)
      simplex.vertices[at] = simplex.vertices[at - 1];
    simplex.vertices[at] = VertexId(v);
  }
  return simplex;
}

template <int Dim>
typename GridGradient<Dim>::Simplex GridGradient<Dim>::simplex_of_row(
    tiled::VertexId v, std::span<const uint32_t> places) const {
  std::array<uint32_t, 4> vertices = {v.index()};
  for (size_t i = 0; i < places.size(); ++i) vertices[i + 1] = neighbour(v, places[i]);
  return to_simplex(std::span(vertices).first(places.size() + 1));
}

template <int Dim>
bool GridGradient<Dim>::is_name(const CellName& cell) const {
  if (cell.dimension == 0) return cell.id < vertex_count();
  if (cell.dimension == Dim) return cell.id < cell_end() && cells_.has_top(cells_.top(cell.id));
  if (cell.dimension > Dim || cell.id >= edge_end()) return false;
  const uint32_t low = cell.id / edges_of_vertex;
  const uint32_t at = first_higher_neighbour + cell.id % edges_of_vertex;
  if ((cells_.around(low).present >> at & 1) == 0) return false;
  if (cell.dimension == 1) return true;
  const tiled::VertexId v = highest_of_edge(cell.id);
  const uint32_t joined = cells_.around(v.index()).present & grid_link[place_of_edge(v, cell.id)];
  return cell.low < grid_neighbours && (joined >> cell.low & 1) != 0;
}

template <int Dim>
typename GridGradient<Dim>::Simplex GridGradient<Dim>::simplex(const CellName& cell) const {
  if (cell.dimension == 0) return to_simplex(std::array{cell.id});
  if (cell.dimension == Dim) {
    std::array<uint32_t, Dim + 1> corners;
    const auto top = cells_.top(cell.id);
    for (size_t k = 0; k <= Dim; ++k) corners[k] = cells_.corner(top, k);
    return to_simplex(corners);
  }
  const tiled::VertexId v = highest_of_edge(cell.id);
  const uint32_t place = place_of_edge(v, cell.id);
  if (cell.dimension == 1) return simplex_of_row(v, std::array{place});
  return simplex_of_row(v, std::array{place, cell.low});
}

template <int Dim>
CellName GridGradient<Dim>::facet_of(uint32_t cell, size_t corner) const {
  const auto top = cells_.top(cell);
  std::array<size_t, Dim> left;  // corners, by descending order
  size_t count = 0;
  for (size_t k = 0; k <= Dim; ++k) {
    if (k == corner) continue;
    const VertexOrderKey order = order_[cells_.corner(top, k)];
    size_t at = count++;
    for (; at > 0 && order_[cells_.corner(top, left[at - 1])] < order; --at) left[at] = left[at - 1];
    left[at] = k;
  }
  const tiled::VertexId highest(cells_.corner(top, left[0]));
  const auto& between = grid_tops<Dim>.between[top.kind][left[0]];
  const uint32_t facet_edge = edge(highest, between[left[1]]);
  if constexpr (Dim == 2) return {facet_edge, 0, 1};
  return {facet_edge, between[left[Dim - 1]], 2};
}

template <int Dim>
size_t GridGradient<Dim>::rank_of(const CellName& cell) const {
  if (cell.dimension == 0) return cell.id;
  if (cell.dimension == Dim) return cells_.rank_of_top(cell.id);
  if (cell.dimension == 1) return cells_.rank_of_edge(cell.id);
  const Simplex triangle = simplex(cell);
  const uint32_t low = triangle.vertices[0].index();
  return cells_.rank_of_triangle(low, cells_.find_neighbour(low, triangle.vertices[1].index()),
                                 cells_.find_neighbour(low, triangle.vertices[2].index()));
}

/// Places of the lower neighbours, lowest first.
template <int Dim>
std::vector<uint32_t> GridGradient<Dim>::sorted_row(tiled::VertexId v) const {
  std::vector<uint32_t> row;
  for (uint32_t left = cells_.around(v.index()).present; left != 0; left &= left - 1) {
    const auto k = static_cast<uint32_t>(std::countr_zero(left));
    if (order_[neighbour(v, k)] < order_[v.index()]) row.push_back(k);
  }
  std::sort(row.begin(), row.end(), [&](uint32_t a, uint32_t b) { return is_lower_place(v, a, b); });
  return row;
}

template <int Dim>
std::optional<typename GridGradient<Dim>::Simplex> GridGradient<Dim>::partner(
    std::span<const VertexId> cell) const {
  const auto is_vertex = [&](VertexId v) { return v.index() < vertex_count(); };
  if (cell.empty() || cell.size() > Dim + 1 || !std::ranges::all_of(cell, is_vertex)) refuse_cell(cell);
  std::vector<uint32_t> v;
  for (const VertexId input : cell) v.push_back(input.index());
  std::sort(v.begin(), v.end(), [&](uint32_t a, uint32_t b) { return order_[a] > order_[b]; });
  const tiled::VertexId highest(v[0]);
  std::vector<uint32_t> places;  // of the others
  uint32_t joined = ~0u;
  for (size_t i = 1; i < v.size(); ++i) {
    const uint32_t place = cells_.find_neighbour(v[0], v[i]);
    if (place == no_neighbour || (joined >> place & 1) == 0) refuse_cell(cell);
    joined &= grid_link[place];
    places.push_back(place);
  }
  if (v.size() == 1) {
    const uint32_t low = lowest(highest);
    return low == none ? std::nullopt : std::optional(to_simplex(std::array{v[0], low}));
  }
  if (v.size() == Dim + 1) {
    std::array<uint32_t, Dim> ascending;
    std::copy(places.begin(), places.end(), ascending.begin());
    std::sort(ascending.begin(), ascending.end());
    const uint32_t id = cells_.top_around(v[0], ascending);
    return is_critical(id) ? std::nullopt : std::optional(simplex(next_facet(id)));
  }
  if (v.size() == 2) {
    if (is_lowest(highest, places[0])) return to_simplex(std::array{v[0]});
    const uint32_t third = triangle_of(highest, places[0]);
    if (third == none) return std::nullopt;
    return simplex_of_row(highest, std::array{places[0], third});
  }
  for (size_t i = 0; i < 2; ++i) {
    if (!is_lowest(highest, places[i]) && triangle_of(highest, places[i]) == places[1 - i])
      return simplex_of_row(highest, std::array{places[i]});
  }
  return partner_above(highest, places);
}

/// A triangle of tetrahedra that no edge is paired with: is one of the cells around it?
template <int Dim>
std::optional<typename GridGradient<Dim>::Simplex> GridGradient<Dim>::partner_above(
    tiled::VertexId v, std::span<const uint32_t> places) const {
  if constexpr (Dim == 3) {
    const CellName name = name_of(row_triangle(v, places[0], places[1]));
    const uint32_t joined = grid_link[places[0]] & grid_link[places[1]];
    for (uint32_t left = cells_.around(v.index()).present & joined; left != 0; left &= left - 1) {
      std::array<uint32_t, 3> ascending = {places[0], places[1],
                                           static_cast<uint32_t>(std::countr_zero(left))};
      std::sort(ascending.begin(), ascending.end());
      const uint32_t cell = cells_.top_around(v.index(), ascending);
      if (!is_critical(cell) && next_facet(cell) == name) return simplex({cell, 0, Dim});
    }
  }
  return std::nullopt;
}

template <int Dim>
std::vector<GradientPair> GridGradient<Dim>::pairs() const {
  std::vector<GradientPair> pairs;
  for (uint32_t v = 0; v < vertex_count(); ++v) {
    if (lowest(tiled::VertexId(v)) != none) pairs.push_back({{v, 0, 0}, lowest_edge(tiled::VertexId(v))});
  }
  for (uint32_t i = 0; Dim == 3 && i < vertex_count(); ++i) {
    const tiled::VertexId v(i);
    for (const uint32_t place : sorted_row(v)) {
      const uint32_t third = triangle_of(v, place);
      if (is_lowest(v, place) || third == none) continue;
      pairs.push_back({{edge(v, place), 0, 1}, name_of(row_triangle(v, place, third))});
    }
  }
  for (size_t rank = 0; rank < cell_count(); ++rank) {
    const uint32_t cell = cells_.top_of_rank(rank);
    if (!is_critical(cell)) pairs.push_back({next_facet(cell), {cell, 0, Dim}});
  }
  return pairs;
}

namespace {

/// Error(unsupported) for a grid or a field without a gradient.
void check_gradient(const Grid& grid, const Field& field, int dimension) {
  check_grid(grid, dimension);
  constexpr size_t max_points = 0xFFFFFFFFu / edges_of_vertex;
  if (grid.vertex_count() > max_points) {
    throw Error(ErrorCode::unsupported, "the grid has " + std::to_string(grid.vertex_count()) +
                                            " points; gradients are made for " + std::to_string(max_points) +
                                            " at most");
  }
  check_field(field, grid.vertex_count());
}

}  // namespace

template <int Dim>
std::shared_ptr<const GridGradient<Dim>> build_gradient(const Grid& grid, const Field& field,
                                                        const GridOptions& options) {
  const Exec& exec = options.exec;
  check_gradient(grid, field, Dim);
  check_periodic(grid, options.periodic, exec);
  GridGradientBuilder<Dim> builder(GridLattice(grid, options.periodic), field, exec,
                                   monitor_of(options.monitor));
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return builder.run_on_device(exec);
  }
  return builder.run();
}

template <int Dim>
PartGradient<Dim> build_part_gradient(const Grid& part, const Field& field, const PartRows& rows,
                                      const Exec& exec, const Monitor& monitor) {
  check_gradient(part, field, Dim);
  return GridGradientBuilder<Dim>(GridLattice(part), field, exec, monitor).run_part(rows);
}

template class GridGradient<2>;
template class GridGradient<3>;
template std::shared_ptr<const GridGradient<2>> build_gradient(const Grid&, const Field&, const GridOptions&);
template std::shared_ptr<const GridGradient<3>> build_gradient(const Grid&, const Field&, const GridOptions&);
template PartGradient<2> build_part_gradient(const Grid&, const Field&, const PartRows&, const Exec&,
                                             const Monitor&);
template PartGradient<3> build_part_gradient(const Grid&, const Field&, const PartRows&, const Exec&,
                                             const Monitor&);
static_assert(GradientSource<GridGradient<2>, 2> && GradientSource<GridGradient<3>, 3>);

}  // namespace tessera::detail
