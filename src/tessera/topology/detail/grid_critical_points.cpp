// Critical points of a grid, straight from its values: 14 comparisons a vertex, and a look-up.
//
// The floor is to read the field once. Rows are compared as a whole, which compilers turn into vector code; a
// table of 2^14 bytes, one for each kind of row, says which masks are critical. Critical points are listed
// chunk by chunk and put together in order.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/for_each.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/cuda/grid_analyses.h>
#include <tessera/topology/detail/grid_critical_points.h>
#include <tessera/topology/detail/grid_places.h>
#include <tessera/topology/detail/grid_star.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

/// Vertices that a worker takes at once: their rows stay in the second-level cache.
constexpr size_t chunk_vertices = 32768;

/// What there is around the vertices of a row, by their kind of place in it, and which masks are critical
/// there.
struct Row {
  std::array<GridSurrounding, GridLattice::place_kinds> around;
  Array<uint8_t> is_critical;  ///< for the inner kind, if there are such vertices

  [[nodiscard]] const GridSurrounding& inner() const { return around[2]; }
};

/// The kinds of rows.
template <int Dim>
class Rows {
 public:
  explicit Rows(const GridLattice& lattice) : lattice_(lattice) {
    for (size_t y = 0; y < GridLattice::place_kinds; ++y) {
      for (size_t z = 0; z < GridLattice::place_kinds; ++z) {
        const auto at_y = lattice.place_of_kind(1, y);
        const auto at_z = lattice.place_of_kind(2, z);
        if (at_y && at_z) fill(rows_[y * GridLattice::place_kinds + z], *at_y, *at_z);
      }
    }
  }
  [[nodiscard]] const uint8_t* pieces() const { return pieces_.all().data(); }
  [[nodiscard]] const Row& at(uint32_t y, uint32_t z) const {
    return rows_[lattice_.place_kind(1, y) * GridLattice::place_kinds + lattice_.place_kind(2, z)];
  }

 private:
  void fill(Row& row, const AxisPlace& y, const AxisPlace& z) {
    for (size_t kind = 0; kind < GridLattice::place_kinds; ++kind) {
      if (const auto x = lattice_.place_of_kind(0, kind)) row.around[kind] = {*x, y, z};
    }
    if (lattice_.dims[0] <= GridLattice::place_kinds) return;
    row.is_critical.assign(size_t{1} << grid_neighbours, 0);
    const GridSurrounding& around = row.inner();
    for (uint32_t mask = around.present;; mask = (mask - 1) & around.present) {
      const GridKind kind = grid_kind<Dim>(pieces(), around, mask);
      row.is_critical[mask] = kind.type != CriticalType::regular ? 1 : 0;
      if (mask == 0) return;
    }
  }

  GridLattice lattice_;
  GridPieces pieces_;
  std::array<Row, GridLattice::place_kinds * GridLattice::place_kinds> rows_;
};

/// The mask of a vertex; there(k) is the value of neighbour k, any if it does not exist.
template <class T, class There>
uint32_t compare(T value, const There& there) {
  uint32_t mask = 0;
  for (size_t k = 0; k < first_higher_neighbour; ++k) mask |= static_cast<uint32_t>(there(k) <= value) << k;
  for (size_t k = first_higher_neighbour; k < grid_neighbours; ++k)
    mask |= static_cast<uint32_t>(there(k) < value) << k;
  return mask;
}
/// The same at a seam, where other neighbours than the first seven have lower ids.
template <class T, class There>
uint32_t compare_at_seam(T value, const There& there, uint32_t with_lower_ids) {
  uint32_t less = 0;
  uint32_t equal = 0;
  for (size_t k = 0; k < grid_neighbours; ++k) {
    less |= static_cast<uint32_t>(there(k) < value) << k;
    equal |= static_cast<uint32_t>(there(k) == value) << k;
  }
  return less | (equal & with_lower_ids);
}

/// The masks of vertices begin to end of a row. Returns whether a value is not a number.
template <class T, class Compare>
bool compare_row(const T* row, std::pair<size_t, size_t> part, GridMask* __restrict masks,
                 const Compare& compare_at) {
  uint32_t is_nan = 0;
  for (size_t x = part.first; x < part.second; ++x) {
    masks[x] = static_cast<GridMask>(compare_at(x));
    is_nan |= row[x] == row[x] ? 0 : 1;
  }
  return is_nan != 0;
}

template <int Dim, class T>
class Finder {
 public:
  /// What a worker needs for a row.
  struct Scratch {
    std::vector<GridMask> masks;
    std::vector<uint32_t> critical;
    std::vector<FoundPoint> found;
    bool has_nan = false;
  };

  /// `values` begin with a row, which need not be the first.
  Finder(const GridLattice& lattice, const T* values, size_t first_row)
      : lattice_(lattice),
        values_(values),
        first_vertex_(first_row * lattice.dims[0]),
        rows_(lattice),
        places_(lattice) {}

  /// Appends the critical vertices of a row.
  void find(size_t row, Scratch& scratch) const {
    const size_t nx = lattice_.dims[0];
    const auto y = static_cast<uint32_t>(row % lattice_.dims[1]);
    const auto z = static_cast<uint32_t>(row / lattice_.dims[1]);
    const Row& kind = rows_.at(y, z);
    const bool has_inner = nx > GridLattice::place_kinds;
    const auto place = [&](size_t x) -> const GridPlace& {
      return places_.at(static_cast<uint32_t>(x), y, z);
    };
    for (size_t x = 0; x < (has_inner ? 2 : nx); ++x)
      find_one(row * nx + x, kind.around[x], place(x), scratch);
    if (!has_inner) return;
    find_inner(row * nx, kind, place(2), scratch);
    for (size_t x = nx - 2; x < nx; ++x)
      find_one(row * nx + x, kind.around[x + GridLattice::place_kinds - nx], place(x), scratch);
  }

 private:
  void add(size_t v, const GridSurrounding& around, uint32_t mask, Scratch& scratch) const {
    const GridKind kind = grid_kind<Dim>(rows_.pieces(), around, mask);
    if (kind.type == CriticalType::regular) return;
    scratch.found.push_back({static_cast<uint32_t>(v), kind.type, around.is_on_border,
                             static_cast<uint8_t>(kind.lower_pieces),
                             static_cast<uint8_t>(kind.upper_pieces)});
  }
  void find_one(size_t v, const GridSurrounding& around, const GridPlace& place, Scratch& scratch) const {
    const T* const vertex = values_ + (v - first_vertex_);
    const auto there = [&](size_t k) { return vertex[place.steps[k]]; };
    const uint32_t mask =
        place.is_at_seam ? compare_at_seam(*vertex, there, place.with_lower_ids) : compare(*vertex, there);
    if (*vertex != *vertex) scratch.has_nan = true;
    add(v, around, mask & around.present, scratch);
  }
  /// All but the two vertices at each end.
  void find_inner(size_t first, const Row& row, const GridPlace& place, Scratch& scratch) const {
    const GridSurrounding& around = row.inner();
    const T* const values = values_ + (first - first_vertex_);
    std::array<const T*, grid_neighbours> to = {};
    for (size_t k = 0; k < grid_neighbours; ++k) to[k] = values + place.steps[k];
    const auto there = [&](size_t x) { return [&, x](size_t k) { return to[k][x]; }; };
    const size_t end = lattice_.dims[0] - 2;
    scratch.masks.resize(end);
    scratch.critical.resize(end);
    GridMask* const masks = scratch.masks.data();
    const bool has_nan =
        place.is_at_seam
            ? compare_row(
                  values, {2, end}, masks,
                  [&](size_t x) { return compare_at_seam(values[x], there(x), place.with_lower_ids); })
            : compare_row(values, {2, end}, masks, [&](size_t x) { return compare(values[x], there(x)); });
    if (has_nan) scratch.has_nan = true;
    const uint8_t* const is_critical = row.is_critical.data();
    const uint32_t present = around.present;
    uint32_t* next = scratch.critical.data();
    for (size_t x = 2; x < end; ++x) {
      *next = static_cast<uint32_t>(x);
      next += is_critical[masks[x] & present];
    }
    for (const uint32_t* x = scratch.critical.data(); x != next; ++x)
      add(first + *x, around, masks[*x] & present, scratch);
  }

  GridLattice lattice_;
  const T* values_;
  size_t first_vertex_;  ///< whose value is the first
  Rows<Dim> rows_;
  GridPlaces places_;
};

void count_types(CriticalPoints& found) {
  for (const CriticalPoint& point : found.points) ++found.counts[static_cast<size_t>(point.type)];
}

template <int Dim, class T>
FoundPoints find_points(const LatticeRows& rows, std::span<const T> values, const Exec& exec,
                        const Monitor& monitor) {
  using Scratch = typename Finder<Dim, T>::Scratch;
  const Finder<Dim, T> finder(rows.lattice, values.data(), rows.first_value);
  const size_t at_once = std::max<size_t>(1, chunk_vertices / rows.lattice.dims[0]);
  const size_t chunks = (rows.end - rows.begin + at_once - 1) / at_once;
  FoundPoints found;
  found.chunks.resize(chunks);
  const auto workers = host::walk(
      chunks, {exec, monitor, 1}, [](int) { return Scratch(); },
      [&](Scratch& mine, size_t chunk) {
        mine.found.clear();
        const size_t begin = rows.begin + chunk * at_once;
        for (size_t row = begin; row < std::min(rows.end, begin + at_once); ++row) finder.find(row, mine);
        found.chunks[chunk].assign(mine.found.begin(), mine.found.end());
      });
  for (const auto& worker : workers) found.has_nan = found.has_nan || (worker != nullptr && worker->has_nan);
  return found;
}

template <int Dim, class T>
CriticalPoints find_points_on_device(const GridLattice& lattice, const Field& field,
                                     std::span<const T> values, const GridOptions& options) {
  const Monitor& monitor = monitor_of(options.monitor);
  const cuda::DeviceCriticalPoints found =
      cuda::find_critical_points<Dim, T>(lattice, Buffer<T>(options.exec, values), monitor);
  if (found.has_nan) refuse_nan(values, field.name(), Exec::host(options.exec.threads()));
  CriticalPoints result;
  result.points = found.points.to_host();
  count_types(result);
  monitor.update("finding critical points", 1);
  return result;
}

CriticalPoints find_points_on_host(const GridLattice& lattice, const Field& field,
                                   const GridOptions& options) {
  const Monitor& monitor = monitor_of(options.monitor);
  const Exec exec = host_for(options.exec, field.size());
  FoundPoints found = find_critical_points({lattice, 0, lattice.rows(), 0}, field, exec, monitor);
  monitor.update("finding critical points", 0.9);
  if (found.has_nan) field.visit([&](auto values) { refuse_nan(values, field.name(), exec); });
  CriticalPoints result = join_points(std::move(found.chunks), exec);
  monitor.update("finding critical points", 1);
  return result;
}

}  // namespace

namespace detail {

FoundPoints find_critical_points(const LatticeRows& rows, const Field& field, const Exec& exec,
                                 const Monitor& monitor) {
  return field.visit([&]<class T>(std::span<const T> values) {
    return rows.lattice.dimension == 3 ? find_points<3, T>(rows, values, exec, monitor)
                                       : find_points<2, T>(rows, values, exec, monitor);
  });
}

CriticalPoints join_points(std::vector<std::vector<FoundPoint>> found, const Exec& exec) {
  const size_t chunks = found.size();
  std::vector<size_t> begins(chunks + 1, 0);
  for (size_t chunk = 0; chunk < chunks; ++chunk) begins[chunk + 1] = begins[chunk] + found[chunk].size();
  CriticalPoints result;
  result.points.resize(begins[chunks]);
  host::for_each_chunk(exec.threads(), chunks, 8, [&](host::Range range, int) {
    for (size_t chunk = range.begin; chunk < range.end; ++chunk) {
      CriticalPoint* to = result.points.data() + begins[chunk];
      for (const FoundPoint& one : std::exchange(found[chunk], {})) *to++ = one.point();
    }
  });
  count_types(result);
  return result;
}

}  // namespace detail

CriticalPoints critical_points(const Grid& grid, const Field& field, const GridOptions& options) {
  check_grid(grid);
  check_periodic(grid, options.periodic, options.exec);
  check_field(field, grid.vertex_count());
  monitor_of(options.monitor).update("finding critical points", 0);
  const GridLattice lattice(grid, options.periodic);
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) {
      return field.visit([&]<class T>(std::span<const T> values) {
        return lattice.dimension == 3 ? find_points_on_device<3, T>(lattice, field, values, options)
                                      : find_points_on_device<2, T>(lattice, field, values, options);
      });
    }
  }
  return find_points_on_host(lattice, field, options);
}

}  // namespace tessera
