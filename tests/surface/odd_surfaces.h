// Triangle meshes that are hard in some way and that a surface takes all the same.
#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/mesh.h>

namespace tessera::test {

/// A closed fan around vertex 0.
inline TriMesh make_star(std::uint32_t count) {
  TriMesh star;
  Array<Vec3d> points = {{0, 0, 1}};
  for (std::uint32_t i = 0; i < count; ++i) {
    const double angle = 2 * 3.14159265358979 * i / count;
    points.push_back({std::cos(angle), std::sin(angle), 0});
    star.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(1 + (i + 1) % count)});
  }
  star.points = std::move(points);
  return star;
}

/// Triangles between random points: edges of any number of triangles, vertices of several fans, vertices
/// without triangles, and triangles without area, as some points coincide or lie on a line.
inline TriMesh make_heap(std::uint32_t vertices, std::uint32_t triangles, std::uint64_t seed) {
  SplitMix64 random(seed);
  TriMesh heap;
  Array<Vec3d> points(vertices);
  for (Vec3d& p : points) p = {random.uniform(), random.uniform(), random.uniform()};
  for (std::uint32_t v = 0; v + 10 < vertices; v += 10) {
    points[v + 1] = points[v];
    points[v + 2] = points[v];
    for (std::uint32_t k = 3; k < 7; ++k) points[v + k] = {0.25 * k, 0.5, 0.125 * v};
  }
  heap.points = std::move(points);
  std::set<std::set<std::uint32_t>> used;
  while (heap.cells.size() < triangles) {
    // Near each other in numbers, so that those without area are among them.
    const auto first = static_cast<std::uint32_t>(random.below(vertices));
    const auto near = [&] { return (first + static_cast<std::uint32_t>(random.below(12))) % vertices; };
    const std::uint32_t second = near();
    const std::uint32_t third = near();
    const std::set<std::uint32_t> corners = {first, second, third};
    if (corners.size() < 3 || !used.insert(corners).second) continue;
    heap.cells.push_back({VertexId(first), VertexId(second), VertexId(third)});
  }
  return heap;
}

inline std::vector<TriMesh> odd_surfaces() {
  std::vector<TriMesh> meshes = {TriMesh{}};
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"})
    meshes.push_back(make_small_surface(name));
  meshes.push_back(make_shuffled(make_ico(3)));
  meshes.push_back(make_shuffled(make_torus(17, 9)));
  meshes.push_back(make_height_field(20, 11));
  meshes.push_back(make_star(3000));
  meshes.push_back(make_heap(80, 150, 1));
  meshes.push_back(make_heap(300, 400, 2));
  return meshes;
}

}  // namespace tessera::test
