// Distances from a plane, which are exactly 0 for points that lie on it as far as their coordinates can tell.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <tessera/core/array.h>
#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>
#include <tessera/generate/slice.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// Error(bad_option) for a plane without a direction or with numbers that are not finite.
void expect_plane(const Plane& plane);

/// The distance, in units of the normal's length, of a point whose coordinates came as Real; NaN if it has
/// none.
template <class Real>
[[nodiscard]] double plane_distance(const Plane& plane, Vec3d point) {
  constexpr double unit = std::is_same_v<Real, float> ? 0x1p-24 : 0x1p-51;
  const Vec3d n = plane.normal;
  const Vec3d o = plane.origin;
  const double distance = dot(n, point - o);
  if (!std::isfinite(distance)) return std::numeric_limits<double>::quiet_NaN();
  const double reach = std::abs(n.x) * (std::abs(point.x) + std::abs(o.x)) +
                       std::abs(n.y) * (std::abs(point.y) + std::abs(o.y)) +
                       std::abs(n.z) * (std::abs(point.z) + std::abs(o.z));
  return std::abs(distance) <= unit * reach ? 0 : distance;
}

[[nodiscard]] Array<double> plane_distances(const Points& points, const Plane& plane, const Exec& exec);
[[nodiscard]] Array<double> plane_distances(const Grid& grid, const Plane& plane, const Exec& exec);

}  // namespace tessera::detail
