// Morton codes: the place of a point on a curve that visits a cube octant by octant, x lowest.
#pragma once

#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>

namespace tessera::detail {

/// An axis-aligned box.
struct Box {
  Vec3d low = {0, 0, 0};
  Vec3d high = {1, 1, 1};
};

/// Levels of the octree: 21 bits an axis fill a 64-bit code.
inline constexpr int octree_levels = 21;

namespace morton {

/// Puts two zeros between the low 21 bits.
TS_HD constexpr std::uint64_t spread(std::uint64_t x) {
  x &= 0x1FFFFF;
  x = (x | x << 32) & 0x001F00000000FFFF;
  x = (x | x << 16) & 0x001F0000FF0000FF;
  x = (x | x << 8) & 0x100F00F00F00F00F;
  x = (x | x << 4) & 0x10C30C30C30C30C3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}

/// Cell number along one axis, in the box's 2^21 cells; 0 for what is not finite.
TS_HD constexpr std::uint64_t cell_number(double position, double low, double high) {
  constexpr double cells = 1 << octree_levels;
  const double scaled = (position - low) / (high - low) * cells;
  if (!(scaled > 0) || position - position != 0) return 0;  // also boxes without extent
  return static_cast<std::uint64_t>(scaled < cells - 1 ? scaled : cells - 1);
}

}  // namespace morton

/// Points outside the box count as on its border.
TS_HD constexpr std::uint64_t morton_code(const Vec3d& p, const Box& box) {
  return morton::spread(morton::cell_number(p.x, box.low.x, box.high.x)) |
         morton::spread(morton::cell_number(p.y, box.low.y, box.high.y)) << 1 |
         morton::spread(morton::cell_number(p.z, box.low.z, box.high.z)) << 2;
}

}  // namespace tessera::detail
