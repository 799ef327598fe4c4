// The doctor's geometry: signs that are right, and points that are equal.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/vec.h>
#include <tessera/mesh/detail/doctor_pass.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::doctor {

template <class T>
[[nodiscard]] bool is_finite(Vec3<T> p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

/// The sign of (b - a) x (c - a) . (d - a): 1 if d lies where the right hand's thumb points, 0 if the points
/// lie in one plane. Exact for finite points whose non-zero coordinates lie within a factor of 2^250 of
/// each other: double arithmetic with an error bound decides almost always, else an exact sum does.
[[nodiscard]] int volume_sign(Vec3d a, Vec3d b, Vec3d c, Vec3d d);

/// Whether the three points lie on one line; exact under the same condition.
[[nodiscard]] bool has_zero_area(Vec3d a, Vec3d b, Vec3d c);

/// The sign of a cell's area or volume, whose corners are finite. Areas have no sign in space: a triangle's
/// is 0 or 1.
template <std::size_t Corners, class T>
[[nodiscard]] int cell_sign(const std::array<VertexId, Corners>& cell, std::span<T> points) {
  const auto corner = [&](std::size_t i) { return vec_cast<double>(points[cell[i].index()]); };
  if constexpr (Corners == 3) {
    return has_zero_area(corner(0), corner(1), corner(2)) ? 0 : 1;
  } else {
    return volume_sign(corner(0), corner(1), corner(2), corner(3));
  }
}

/// For each point the smallest id of a point with equal coordinates: -0 equals 0, and a point that is not
/// finite equals no other. Memory: that of group_equal_points().
[[nodiscard]] Array<std::uint32_t> find_first_equals(const PassContext& context, const Points& points);

}  // namespace tessera::detail::doctor
