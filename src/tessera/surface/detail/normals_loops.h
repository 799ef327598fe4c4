// Normals of vertices and triangles, on either side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/generate/detail/common/angle.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/detail/stars.h>
#include <tessera/surface/normals.h>

namespace tessera::detail {

/// 0 if it has no direction.
[[nodiscard]] TS_HD inline Vec3d unit_or_zero(const Vec3d& a) {
  const double size = length(a);
  return size > 0 ? (1 / size) * a : Vec3d{0, 0, 0};
}

/// What a triangle adds to the normal of its corner p.
template <NormalWeights Weights>
[[nodiscard]] TS_HD Vec3d normal_share(const Vec3d& p, const Vec3d& q, const Vec3d& r) {
  const Vec3d to_q = q - p;
  const Vec3d to_r = r - p;
  const Vec3d normal = cross(to_q, to_r);
  if constexpr (Weights == NormalWeights::area) {
    return normal;
  } else {
    const double size = length(normal);
    if (!(size > 0)) return {0, 0, 0};
    const double weight = Weights == NormalWeights::uniform ? 1 : corner_angle(size, dot(to_q, to_r));
    return (weight / size) * normal;
  }
}

template <NormalWeights Weights, class Stars, class Point>
[[nodiscard]] TS_HD Vec3d normal_of_vertex(const Stars& stars, const Point* points, std::uint32_t v) {
  Vec3d sum = {0, 0, 0};
  const std::size_t end = stars.end(v);
  const Vec3d at = vec_cast<double>(points[v]);
  for (std::size_t i = stars.begin(v); i < end; ++i) {
    const Corners c = stars.triangle(v, i);
    sum = sum + normal_share<Weights>(at, vec_cast<double>(points[c[1]]), vec_cast<double>(points[c[2]]));
  }
  return unit_or_zero(sum);
}

template <NormalWeights Weights, class Stars, class Point, class Real>
struct VertexNormals {
  Stars stars;
  const Point* points;
  Vec3<Real>* normals;

  TS_HD void operator()(std::size_t v) const {
    normals[v] = vec_cast<Real>(normal_of_vertex<Weights>(stars, points, static_cast<std::uint32_t>(v)));
  }
};

template <class Point, class Real>
struct FaceNormals {
  const std::uint32_t* corners;
  const Point* points;
  Vec3<Real>* normals;

  TS_HD void operator()(std::size_t f) const {
    const auto at = [&](std::size_t c) { return vec_cast<double>(points[corners[3 * f + c]]); };
    const Vec3d p = at(0);
    normals[f] = vec_cast<Real>(unit_or_zero(cross(at(1) - p, at(2) - p)));
  }
};

template <class Side, class Stars, class Point, class Real>
void make_vertex_normals(const Side& side, std::size_t vertices, const Stars& stars, const Point* points,
                         Vec3<Real>* normals, NormalWeights weights) {
  switch (weights) {
    case NormalWeights::area:
      return side.for_each(vertices,
                           VertexNormals<NormalWeights::area, Stars, Point, Real>{stars, points, normals});
    case NormalWeights::angle:
      return side.for_each(vertices,
                           VertexNormals<NormalWeights::angle, Stars, Point, Real>{stars, points, normals});
    case NormalWeights::uniform:
      return side.for_each(vertices,
                           VertexNormals<NormalWeights::uniform, Stars, Point, Real>{stars, points, normals});
  }
}

template <class Side, class Real>
void make_vertex_normals(const Side& side, const VertexAttribute<Vec3<Real>>& positions,
                         VertexAttribute<Vec3<Real>>& normals, NormalWeights weights) {
  const auto rows = positions.surface().template rows<VF, OrientedFV>();
  make_vertex_normals(side, positions.size(), FaceStars(rows), positions.view().data(), normals.view().data(),
                      weights);
}

template <class Side, class Real>
void make_face_normals(const Side& side, const VertexAttribute<Vec3<Real>>& positions,
                       FaceAttribute<Vec3<Real>>& normals) {
  const auto rows = positions.surface().template rows<OrientedFV>();
  side.for_each(normals.size(),
                FaceNormals<Vec3<Real>, Real>{rows.template get<OrientedFV>().values(),
                                              positions.view().data(), normals.view().data()});
}

}  // namespace tessera::detail
