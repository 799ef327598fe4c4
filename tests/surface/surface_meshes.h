// Meshes and partitions that test queries on both sides.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include <tessera/core/random.h>
#include <tessera/mesh/mesh.h>
#include <tessera/tile/partition.h>

namespace tessera::test {

/// Triangles around one vertex: `count` of them, closed.
inline TriMesh make_fan(std::uint32_t count) {
  Array<Vec3f> points;
  points.push_back({0, 0, 1});
  TriMesh mesh;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double angle = 6.283185307179586 * i / count;
    points.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), 0});
    mesh.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(1 + (i + 1) % count)});
  }
  mesh.points = std::move(points);
  return mesh;
}

/// Triangles that share nothing.
inline TriMesh make_confetti(std::uint32_t count) {
  SplitMix64 random(7);
  Array<Vec3f> points;
  TriMesh mesh;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vec3f at = {static_cast<float>(random.uniform()), static_cast<float>(random.uniform()), 0};
    const std::uint32_t first = 3 * i;
    points.push_back(at);
    points.push_back(at + Vec3f{0.001F, 0, 0});
    points.push_back(at + Vec3f{0, 0.001F, 0});
    mesh.cells.push_back({VertexId(first), VertexId(first + 1), VertexId(first + 2)});
  }
  mesh.points = std::move(points);
  return mesh;
}

/// Vertices thrown into `tiles` tiles, which are as good as never connected.
inline Partition scatter_vertices(const TriMesh& mesh, std::uint32_t tiles) {
  SplitMix64 random(11);
  Array<std::uint32_t> tile_of(mesh.vertex_count());
  for (std::uint32_t& tile : tile_of) tile = static_cast<std::uint32_t>(random.below(tiles));
  return partition_given(tile_of, mesh.vertex_count());
}

}  // namespace tessera::test
