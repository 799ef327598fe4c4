// Periodic axes of a grid are closed to rings: its first point follows its last one.
//
//   four points    0 ── 1 ── 2 ── 3 ── 0 ...      the period is four steps
//
// All points are distinct, as in TTK. A grid whose last points repeat the first ones has one too many.
#pragma once

#include <array>
#include <cstdint>

#include <tessera/mesh/mesh.h>

namespace tessera {

/// Which of the axes x, y and z are periodic.
using PeriodicAxes = std::array<bool, 3>;

/// On a ring of two points, the neighbours on both sides are the same point. With three, all cells have
/// vertices of their own.
inline constexpr std::uint32_t least_periodic_points = 3;

[[nodiscard]] constexpr bool is_any_periodic(const PeriodicAxes& periodic) {
  return periodic[0] || periodic[1] || periodic[2];
}

/// Error(bad_option) if a periodic axis has too few points.
void check_periodic(const Grid& grid, const PeriodicAxes& periodic);

}  // namespace tessera
