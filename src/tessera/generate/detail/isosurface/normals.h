// The normal of one vertex of an isosurface, on either side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// The triangles' normals around a vertex, weighted by area, summed in their order.
template <class Vector>
[[nodiscard]] TS_HD Vec3f averaged_normal(const Vector* points, const TriMesh::Cell* cells,
                                          std::span<const FaceId> around) {
  Vec3d sum = {0, 0, 0};
  for (const FaceId face : around) {
    const TriMesh::Cell& cell = cells[face.index()];
    const auto at = [&](int c) { return vec_cast<double>(points[cell[c].index()]); };
    sum = sum + cross(at(1) - at(0), at(2) - at(0));
  }
  return unit_vector(sum);
}

/// Six times the volume of a tet times the gradient of a field in it, with the sign of the volume taken out.
template <class T, class Vector>
[[nodiscard]] TS_HD Vec3d weighted_gradient(const Vector* points, const T* values, const TetMesh::Cell& tet) {
  const auto at = [&](int c) { return vec_cast<double>(points[tet[c].index()]); };
  const auto rise = [&](int c) {
    return static_cast<double>(values[tet[c].index()]) - static_cast<double>(values[tet[0].index()]);
  };
  const Vec3d a = at(1) - at(0);
  const Vec3d b = at(2) - at(0);
  const Vec3d c = at(3) - at(0);
  const Vec3d sum = rise(1) * cross(b, c) + rise(2) * cross(c, a) + rise(3) * cross(a, b);
  return dot(cross(a, b), c) < 0 ? -1.0 * sum : sum;
}

/// The sum of the field's gradients in the tets around a point, weighted by volume; what is NaN does not
/// count.
template <class T, class Vector>
[[nodiscard]] TS_HD Vec3d point_gradient(const Vector* points, const T* values, const TetMesh::Cell* tets,
                                         std::span<const TetId> around) {
  Vec3d sum = {0, 0, 0};
  for (const TetId t : around) {
    const Vec3d one = weighted_gradient(points, values, tets[t.index()]);
    if (std::isfinite(one.x + one.y + one.z)) sum = sum + one;
  }
  return sum;
}

/// The normal between two points whose gradients are known: it points to lower values.
[[nodiscard]] TS_HD inline Vec3f normal_along_edge(Vec3d here, Vec3d there, double weight) {
  return unit_vector(-1.0 * lerp(here, there, weight));
}

}  // namespace tessera::detail
