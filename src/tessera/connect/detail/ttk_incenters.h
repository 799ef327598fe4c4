// The incenters of elements, as TTK has them, from a triangulation under its names.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tessera::detail {

using TtkPoint = std::array<float, 3>;

inline float distance(const TtkPoint& p, const TtkPoint& q) {
  return std::sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                   (p[2] - q[2]) * (p[2] - q[2]));
}

/// The center of a triangle's inscribed circle: its corners, each as heavy as the side opposite it is long.
inline TtkPoint incenter_of(const TtkPoint& p, const TtkPoint& q, const TtkPoint& r) {
  const float sum = distance(q, r) + distance(p, r) + distance(p, q);
  const std::array<float, 3> weight = {distance(q, r) / sum, distance(p, r) / sum, distance(p, q) / sum};
  TtkPoint center;
  for (std::size_t k = 0; k < 3; ++k) center[k] = weight[0] * p[k] + weight[1] * q[k] + weight[2] * r[k];
  return center;
}

/// The points of an element's N vertices, which `vertex(i, out)` gives; false if there is no such element.
template <std::size_t N, class Names, class Vertex>
[[nodiscard]] bool find_corners(const Names& names, const Vertex& vertex, std::array<TtkPoint, N>& corners) {
  for (std::size_t i = 0; i < N; ++i) {
    typename Names::SimplexId v = -1;
    if (vertex(static_cast<int>(i), v) != 0) return false;
    if (names.getVertexPoint(v, corners[i][0], corners[i][1], corners[i][2]) != 0) return false;
  }
  return true;
}

template <class Names>
int edge_incenter(const Names& names, int edge, float incenter[3]) {
  std::array<TtkPoint, 2> p;
  if (!find_corners(
          names, [&](int i, int& v) { return names.getEdgeVertex(edge, i, v); }, p))
    return -1;
  for (std::size_t k = 0; k < 3; ++k) incenter[k] = static_cast<float>(0.5 * p[0][k] + 0.5 * p[1][k]);
  return 0;
}

template <class Names>
int triangle_incenter(const Names& names, int triangle, float incenter[3]) {
  std::array<TtkPoint, 3> p;
  if (!find_corners(
          names, [&](int i, int& v) { return names.getTriangleVertex(triangle, i, v); }, p))
    return -1;
  const TtkPoint center = incenter_of(p[0], p[1], p[2]);
  std::copy(center.begin(), center.end(), incenter);
  return 0;
}

/// The mean of the incenters of its triangles.
template <class Names>
int tetra_incenter(const Names& names, int tetra, float incenter[3]) {
  std::array<TtkPoint, 4> p;
  if (names.getDimensionality() == 2 ||
      !find_corners(
          names, [&](int i, int& v) { return names.getCellVertex(tetra, i, v); }, p))
    return -1;
  TtkPoint sum = {0, 0, 0};
  for (std::size_t left_out = 0; left_out < 4; ++left_out) {
    const TtkPoint center = incenter_of(p[(left_out + 1) % 4], p[(left_out + 2) % 4], p[(left_out + 3) % 4]);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += center[k];
  }
  for (std::size_t k = 0; k < 3; ++k) incenter[k] = sum[k] / 4;
  return 0;
}

/// One of these, or the point of a vertex, by the dimension of the element.
template <class Names>
int cell_incenter(const Names& names, int cell, int dimension, float incenter[3]) {
  switch (dimension) {
    case 0: return names.getVertexPoint(cell, incenter[0], incenter[1], incenter[2]);
    case 1: return edge_incenter(names, cell, incenter);
    case 2: return triangle_incenter(names, cell, incenter);
    case 3: return tetra_incenter(names, cell, incenter);
    default: return -1;
  }
}

/// A count as TTK's ids can hold it. Error(unsupported) if they cannot.
[[nodiscard]] int checked_ttk_count(std::size_t count, const char* what);

}  // namespace tessera::detail
