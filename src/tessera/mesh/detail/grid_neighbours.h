// The neighbours of a vertex of a grid. They are the same everywhere but at the border, so they are known at
// compile time.
//
// triangulate() cuts voxels along the diagonal from (1,0,0) to (0,1,1), as TTK does. An inner vertex then has
// 14 neighbours, numbered here by ascending id. Neighbours k and 13 - k lie opposite each other:
//
//   below (z - 1)       same layer           above (z + 1)
//   0 1    y - 1        .  4  5   y - 1
//   2 3    y            6  v  7   y          10 11   y
//                       8  9  .   y + 1      12 13   y + 1
//   x x+1               x-1 x x+1            x-1 x
//
// Two neighbours are joined in the link if the step from one to the other is one of the 14, too.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <tessera/core/macros.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/periodic_axes.h>

namespace tessera::detail {

inline constexpr std::size_t grid_neighbours = 14;
/// Neighbours before this one have lower ids than the vertex.
inline constexpr std::size_t first_higher_neighbour = grid_neighbours / 2;
using GridMask = std::uint16_t;  ///< a bit for each neighbour

struct GridStep {
  int x = 0;
  int y = 0;
  int z = 0;
  friend constexpr bool operator==(const GridStep&, const GridStep&) = default;
};
constexpr GridStep operator+(const GridStep& a, const GridStep& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
constexpr GridStep operator-(const GridStep& a, const GridStep& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

inline constexpr std::array<GridStep, grid_neighbours> grid_steps = {{{0, -1, -1},
                                                                      {1, -1, -1},
                                                                      {0, 0, -1},
                                                                      {1, 0, -1},
                                                                      {0, -1, 0},
                                                                      {1, -1, 0},
                                                                      {-1, 0, 0},
                                                                      {1, 0, 0},
                                                                      {-1, 1, 0},
                                                                      {0, 1, 0},
                                                                      {-1, 0, 1},
                                                                      {0, 0, 1},
                                                                      {-1, 1, 1},
                                                                      {0, 1, 1}}};

constexpr std::array<GridMask, grid_neighbours> make_grid_link() {
  std::array<GridMask, grid_neighbours> joined = {};
  for (std::size_t a = 0; a < grid_neighbours; ++a) {
    for (std::size_t b = 0; b < grid_neighbours; ++b) {
      const GridStep step = {grid_steps[b].x - grid_steps[a].x, grid_steps[b].y - grid_steps[a].y,
                             grid_steps[b].z - grid_steps[a].z};
      for (const GridStep& known : grid_steps) {
        if (step == known) joined[a] = static_cast<GridMask>(joined[a] | 1u << b);
      }
    }
  }
  return joined;
}
/// Whom each neighbour is joined with in the link: 36 edges.
inline constexpr std::array<GridMask, grid_neighbours> grid_link = make_grid_link();

/// Where a vertex lies along an axis.
struct AxisPlace {
  bool is_border = false;
  bool has_before = false;
  bool has_after = false;
  bool before_is_border = false;
  bool after_is_border = false;

  /// A periodic axis has no border.
  TS_HD constexpr AxisPlace(std::uint32_t i, std::uint32_t n, bool is_periodic = false)
      : is_border(!is_periodic && n > 1 && (i == 0 || i + 1 == n)),
        has_before(is_periodic || i > 0),
        has_after(is_periodic || i + 1 < n),
        before_is_border(!is_periodic && i == 1),
        after_is_border(!is_periodic && i + 2 == n) {}
};

/// The neighbours at a step of -1, 0 or 1 along an axis.
constexpr GridMask grid_neighbours_at(int axis, int step) {
  GridMask found = 0;
  for (std::size_t k = 0; k < grid_neighbours; ++k) {
    const std::array<int, 3> to = {grid_steps[k].x, grid_steps[k].y, grid_steps[k].z};
    if (to[static_cast<std::size_t>(axis)] == step) found = static_cast<GridMask>(found | 1u << k);
  }
  return found;
}

/// What there is around a vertex.
struct GridSurrounding {
  bool is_on_border = false;
  GridMask present = 0;    ///< neighbours that there are
  GridMask on_border = 0;  ///< those on the border, if the vertex is there: the boundary rule asks for them

  GridSurrounding() = default;
  TS_HD constexpr GridSurrounding(const AxisPlace& x, const AxisPlace& y, const AxisPlace& z)
      : is_on_border(x.is_border || y.is_border || z.is_border), present((1u << grid_neighbours) - 1) {
    look_along<0>(x);
    look_along<1>(y);
    look_along<2>(z);
    on_border = static_cast<GridMask>(is_on_border ? on_border & present : 0);
  }
  friend constexpr bool operator==(const GridSurrounding&, const GridSurrounding&) = default;

 private:
  template <int Axis>
  TS_HD constexpr void look_along(const AxisPlace& place) {
    constexpr GridMask before = grid_neighbours_at(Axis, -1);
    constexpr GridMask beside = grid_neighbours_at(Axis, 0);
    constexpr GridMask after = grid_neighbours_at(Axis, 1);
    const int missing = (place.has_before ? 0 : before) | (place.has_after ? 0 : after);
    const int border = (place.before_is_border ? before : 0) | (place.is_border ? beside : 0) |
                       (place.after_is_border ? after : 0);
    present = static_cast<GridMask>(present & ~missing);
    on_border = static_cast<GridMask>(on_border | border);
  }
};

/// A grid without its axes of one point, which do not change the ids of vertices.
struct GridLattice {
  std::array<std::uint32_t, 3> dims = {1, 1, 1};
  PeriodicAxes periodic = {};
  int dimension = 0;

  /// The periodic axes are those of the grid, as check_periodic() wants them.
  explicit GridLattice(const Grid& grid, const PeriodicAxes& of_grid = {}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (grid.dims[axis] <= 1) continue;
      periodic[static_cast<std::size_t>(dimension)] = of_grid[axis];
      dims[static_cast<std::size_t>(dimension++)] = grid.dims[axis];
    }
  }
  [[nodiscard]] bool is_periodic() const { return is_any_periodic(periodic); }
  [[nodiscard]] std::size_t rows() const { return std::size_t{dims[1]} * dims[2]; }
  /// From a vertex to a neighbour; across a seam the way is another (grid_places.h).
  [[nodiscard]] std::ptrdiff_t step(std::size_t k) const {
    const GridStep& step = grid_steps[k];
    return step.x +
           static_cast<std::ptrdiff_t>(dims[0]) * (step.y + static_cast<std::ptrdiff_t>(dims[1]) * step.z);
  }

  // Along an axis there are five kinds of places: the first, the second, the last but one, the last, and
  // those between them. On a short axis each place is a kind of its own.
  static constexpr std::size_t place_kinds = 5;
  [[nodiscard]] std::size_t place_kind(std::size_t axis, std::size_t i) const {
    const std::size_t n = dims[axis];
    return n <= place_kinds || i < 2 ? i : i + 2 < n ? 2 : i + place_kinds - n;
  }
  /// One of the kind; nothing if there is none.
  [[nodiscard]] std::optional<AxisPlace> place_of_kind(std::size_t axis, std::size_t kind) const {
    const auto n = static_cast<std::size_t>(dims[axis]);
    if (kind >= n) return std::nullopt;
    const std::size_t i = n <= place_kinds || kind <= 2 ? kind : kind + n - place_kinds;
    return AxisPlace(static_cast<std::uint32_t>(i), dims[axis], periodic[axis]);
  }
};

}  // namespace tessera::detail
