#include <tessera/generate/detail/cut/plane_distances.h>

#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>

namespace tessera::detail {

void expect_plane(const Plane& plane) {
  const auto is_finite = [](Vec3d v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  if (!is_finite(plane.origin) || !is_finite(plane.normal))
    throw Error(ErrorCode::bad_option, "the origin and the normal of a plane must be finite");
  if (plane.normal == Vec3d{0, 0, 0})
    throw Error(ErrorCode::bad_option, "a plane whose normal is zero has no direction");
}

Array<double> plane_distances(const Points& points, const Plane& plane, const Exec& exec) {
  Array<double> distances(points.size());
  points.visit([&](auto from) {
    using Real = std::remove_const_t<decltype(from[0].x)>;
    host_for_each(exec, from.size(), [&](std::size_t v) {
      distances[v] = plane_distance<Real>(plane, vec_cast<double>(from[v]));
    });
  });
  return distances;
}

Array<double> plane_distances(const Grid& grid, const Plane& plane, const Exec& exec) {
  Array<double> distances(grid.vertex_count());
  const std::size_t nx = grid.dims[0];
  host_for_each(exec, distances.size() / nx, [&](std::size_t row) {
    const auto j = static_cast<std::uint32_t>(row % grid.dims[1]);
    const auto k = static_cast<std::uint32_t>(row / grid.dims[1]);
    for (std::size_t i = 0; i < nx; ++i) {
      const Vec3d point = grid.point(static_cast<std::uint32_t>(i), j, k);
      distances[nx * row + i] = plane_distance<double>(plane, point);
    }
  });
  return distances;
}

}  // namespace tessera::detail
