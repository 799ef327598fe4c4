// What naive oracles for surfaces start from: neighbours in sets, cotangents from angles.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/core/vec.h>
#include <tessera/mesh/mesh.h>

namespace tessera::test {

inline std::vector<Vec3d> points_of(const Points& points) {
  std::vector<Vec3d> result;
  for (std::uint32_t v = 0; v < points.size(); ++v) result.push_back(points[VertexId(v)]);
  return result;
}

inline TriMesh in_double(TriMesh mesh) {
  Array<Vec3d> points;
  for (const Vec3d& p : points_of(mesh.points)) points.push_back(p);
  mesh.points = std::move(points);
  return mesh;
}

inline std::vector<std::set<std::uint32_t>> naive_neighbours(const TriMesh& mesh) {
  std::vector<std::set<std::uint32_t>> result(mesh.vertex_count());
  for (const auto& cell : mesh.cells) {
    for (const VertexId a : cell) {
      for (const VertexId b : cell) {
        if (a != b) result[a.index()].insert(b.index());
      }
    }
  }
  return result;
}

inline std::vector<bool> naive_boundary(const TriMesh& mesh) {
  std::map<std::pair<VertexId, VertexId>, int> uses;
  for (const auto& cell : mesh.cells) {
    for (int c = 0; c < 3; ++c) ++uses[std::minmax(cell[c], cell[(c + 1) % 3])];
  }
  std::vector<bool> result(mesh.vertex_count());
  for (const auto& [edge, count] : uses) {
    if (count != 2) result[edge.first.index()] = result[edge.second.index()] = true;
  }
  return result;
}

/// The cotangent of the angle at o, 0 in a triangle without area.
inline double naive_cotangent(const Vec3d& o, const Vec3d& a, const Vec3d& b) {
  const double area = length(cross(a - o, b - o));
  return area > 0 ? 1 / std::tan(std::atan2(area, dot(a - o, b - o))) : 0;
}

/// The mesh with its vertices in another order: vertex v becomes order[v].
inline TriMesh renumbered(const TriMesh& mesh, const std::vector<std::uint32_t>& order) {
  TriMesh result;
  Array<Vec3d> points(mesh.vertex_count());
  for (std::uint32_t v = 0; v < order.size(); ++v) points[order[v]] = mesh.points[VertexId(v)];
  result.points = std::move(points);
  for (std::size_t f = mesh.cell_count(); f-- > 0;) {
    const auto& c = mesh.cells[f];
    result.cells.push_back(
        {VertexId(order[c[1].index()]), VertexId(order[c[2].index()]), VertexId(order[c[0].index()])});
  }
  return result;
}

inline std::vector<std::uint32_t> random_order(std::size_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
  SplitMix64 random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// The mesh in double precision with each coordinate off by up to `size`.
inline TriMesh with_noise(const TriMesh& mesh, double size, std::uint64_t seed) {
  TriMesh result = in_double(mesh);
  SplitMix64 random(seed);
  const auto noise = [&] { return size * (2 * random.uniform() - 1); };
  Array<Vec3d> points;
  for (const Vec3d& p : points_of(mesh.points))
    points.push_back({p.x + noise(), p.y + noise(), p.z + noise()});
  result.points = std::move(points);
  return result;
}

}  // namespace tessera::test
