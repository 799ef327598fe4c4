// Where the neighbours of a vertex of a grid are, and which of them have lower ids. Both depend only on
// whether the vertex is the first, an inner or the last one along each axis: 27 kinds of places.
//
// On a periodic axis, the neighbour before the first vertex is the last one. There the step to a neighbour
// is not the one of grid_steps, and neighbours do not follow each other in the order of their ids:
//
//   vertex             0        1 ... n-2     n-1
//   neighbour x - 1    n - 1    - 1           - 1           higher ids at vertex 0
//   neighbour x + 1    + 1      + 1           - (n - 1)     lower ids at vertex n - 1
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <tessera/mesh/detail/grid_neighbours.h>

namespace tessera::detail {

/// The first, an inner or the last vertex of an axis.
inline constexpr std::size_t axis_ends = 3;
inline constexpr std::size_t grid_place_kinds = axis_ends * axis_ends * axis_ends;

[[nodiscard]] constexpr std::size_t axis_end(std::uint32_t i, std::uint32_t n) {
  return i == 0 ? 0 : i + 1 < n ? 1 : 2;
}

/// A vertex of a lattice.
struct GridPoint {
  std::uint32_t x, y, z;
};

struct GridPlace {
  /// Stands for the vertex itself among its neighbours.
  static constexpr std::uint8_t itself = grid_neighbours;

  std::array<std::ptrdiff_t, grid_neighbours> steps = {};    ///< from the vertex to each neighbour
  std::array<std::uint8_t, grid_neighbours + 1> by_id = {};  ///< the neighbours and itself, by ascending id
  GridMask present = 0;                                      ///< neighbours that there are
  GridMask with_lower_ids = 0;                               ///< of those
  bool is_at_seam = false;                                   ///< is it an end of a periodic axis?
};

class GridPlaces {
 public:
  explicit GridPlaces(const GridLattice& lattice) : dims_(lattice.dims) {
    for (std::size_t kind = 0; kind < grid_place_kinds; ++kind) places_[kind] = make_place(lattice, kind);
  }

  [[nodiscard]] std::size_t kind(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return axis_end(x, dims_[0]) + axis_ends * (axis_end(y, dims_[1]) + axis_ends * axis_end(z, dims_[2]));
  }
  [[nodiscard]] const GridPlace& operator[](std::size_t kind) const { return places_[kind]; }
  [[nodiscard]] const GridPlace& at(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return places_[kind(x, y, z)];
  }

 private:
  static GridPlace make_place(const GridLattice& lattice, std::size_t kind) {
    const std::array<std::size_t, 3> ends = {kind % axis_ends, kind / axis_ends % axis_ends,
                                             kind / (axis_ends * axis_ends)};
    GridPlace place;
    for (std::uint8_t k = 0; k < grid_neighbours; ++k) {
      const std::array<int, 3> along = {grid_steps[k].x, grid_steps[k].y, grid_steps[k].z};
      bool is_present = true;
      std::ptrdiff_t stride = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::ptrdiff_t n = lattice.dims[axis];
        // An axis of one point is its own first and last.
        const bool leaves_before = ends[axis] == 0 && along[axis] < 0;
        const bool leaves_behind = (ends[axis] == 2 || n == 1) && along[axis] > 0;
        if (leaves_before || leaves_behind) is_present = is_present && lattice.periodic[axis];
        place.steps[k] += stride * (along[axis] + (leaves_before ? n : leaves_behind ? -n : 0));
        stride *= n;
      }
      if (!is_present) place.steps[k] = 0;
      if (is_present) place.present = static_cast<GridMask>(place.present | 1u << k);
      if (place.steps[k] < 0) place.with_lower_ids = static_cast<GridMask>(place.with_lower_ids | 1u << k);
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      place.is_at_seam = place.is_at_seam || (lattice.periodic[axis] && ends[axis] != 1);
    sort_by_id(place);
    return place;
  }
  static void sort_by_id(GridPlace& place) {
    std::iota(place.by_id.begin(), place.by_id.end(), std::uint8_t{0});
    std::sort(place.by_id.begin(), place.by_id.end(), [&](std::uint8_t a, std::uint8_t b) {
      const std::ptrdiff_t to_a = a == GridPlace::itself ? 0 : place.steps[a];
      const std::ptrdiff_t to_b = b == GridPlace::itself ? 0 : place.steps[b];
      return to_a < to_b || (to_a == to_b && a < b);
    });
  }

  std::array<std::uint32_t, 3> dims_;
  std::array<GridPlace, grid_place_kinds> places_;
};

}  // namespace tessera::detail
