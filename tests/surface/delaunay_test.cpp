// Delaunay flips: no edge is left that should be flipped and can be, by angles that the test works out
// itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/delaunay.h>

#include "surface/edit_cases.h"

namespace tessera::test {
namespace {

constexpr double pi = 3.14159265358979323846;

double angle_at(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
  const Vec3d u = a - p;
  const Vec3d v = b - p;
  return std::atan2(length(cross(u, v)), dot(u, v));
}

struct Quad {
  std::vector<std::uint32_t> opposite;
  bool winds_alike = true;
};

/// Edges of two triangles whose opposite angles add up to more than 180 degrees and that could be flipped.
std::size_t count_flippable(const TriMesh& mesh, double feature_angle) {
  Array<Vec3d> points;
  mesh.points.visit([&](auto all) {
    for (const auto& p : all) points.push_back(vec_cast<double>(p));
  });
  std::map<std::pair<std::uint32_t, std::uint32_t>, Quad> edges;
  for (const TriMesh::Cell& cell : mesh.cells) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = cell[k].index();
      const std::uint32_t b = cell[(k + 1) % 3].index();
      edges[std::minmax(a, b)].opposite.push_back(cell[(k + 2) % 3].index());
    }
  }
  std::size_t count = 0;
  for (const auto& [ends, quad] : edges) {
    if (quad.opposite.size() != 2 || quad.opposite[0] == quad.opposite[1]) continue;
    if (edges.contains(std::minmax(quad.opposite[0], quad.opposite[1]))) continue;
    const Vec3d a = points[ends.first];
    const Vec3d b = points[ends.second];
    const Vec3d c = points[quad.opposite[0]];
    const Vec3d d = points[quad.opposite[1]];
    if (angle_at(c, a, b) + angle_at(d, a, b) <= pi + 1e-6) continue;
    if (angle_at(a, c, b) + angle_at(a, b, d) >= pi - 1e-6) continue;
    if (angle_at(b, c, a) + angle_at(b, a, d) >= pi - 1e-6) continue;
    const Vec3d n = cross(b - a, c - a);
    const Vec3d m = cross(a - b, d - b);
    if (angle_at({0, 0, 0}, n, m) > (feature_angle - 1e-4) * pi / 180) continue;
    ++count;
  }
  return count;
}

TEST(Delaunay, FlipsTheDiagonalOfAKite) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{-2, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}, {VertexId(1), VertexId(0), VertexId(3)}};
  const TriMesh flipped = flip_to_delaunay(mesh);
  for (const TriMesh::Cell& cell : flipped.cells) {
    int has = 0;
    for (const VertexId v : cell) has += v.index() >= 2 ? 1 : 0;
    EXPECT_EQ(has, 2);  // both triangles have the short diagonal
  }
  EXPECT_EQ(flipped.points, mesh.points);
  // A square has two diagonals that are as good: nothing changes.
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 0}};
  EXPECT_EQ(flip_to_delaunay(mesh).cells.size(), 2u);
}

TEST(Delaunay, LeavesNothingToFlip) {
  for (TriMesh mesh : {make_ico(5), make_torus(90, 60), make_height_field(60, 40), make_shuffled(make_ico(4)),
                       make_heap(300, 400, 5)}) {
    ASSERT_EQ(mesh.cells.empty(), false);
    const DynamicSurface surface(mesh);
    const EditReport report = flip_to_delaunay(surface, {.seed = 3});
    EXPECT_TRUE(report.is_done);
    EXPECT_EQ(surface.validate(), "");
    const TriMesh flipped = surface.to_mesh();
    EXPECT_EQ(count_flippable(flipped, 45), 0u);
    EXPECT_EQ(flipped.points, mesh.points);
    EXPECT_EQ(flipped.cells.size(), mesh.cells.size());
  }
}

TEST(Delaunay, TheSameForAnyNumberOfThreads) {
  const TriMesh mesh = make_torus(120, 80);
  const TriMesh one = flip_to_delaunay(mesh, {.exec = Exec::host(1), .seed = 5});
  EXPECT_NE(one, mesh);
  for (const int threads : {2, 3, 16})
    EXPECT_EQ(flip_to_delaunay(mesh, {.exec = Exec::host(threads), .seed = 5}), one);
}

// Part by part, twice: the second time the first part has nothing left. Nothing is flipped far from the part.
TEST(Delaunay, FlipsAPart) {
  const TriMesh mesh = make_torus(60, 30);
  const DynamicSurface surface(mesh);
  const std::uint32_t edges = surface.id_end(Kind::edge);
  Array<std::uint32_t> part(edges / 10);
  std::iota(part.begin(), part.end(), 0u);
  const EditReport first = flip_to_delaunay(surface, {.active = std::span<const std::uint32_t>(part)});
  EXPECT_GT(first.won, 0u);
  EXPECT_TRUE(first.is_done);
  EXPECT_EQ(surface.validate(), "");
  const std::size_t left = count_flippable(surface.to_mesh(), 45);
  EXPECT_GT(left, count_flippable(mesh, 45) / 2);
  EXPECT_EQ(flip_to_delaunay(surface, {.active = std::span<const std::uint32_t>(part)}).won, 0u);
  EXPECT_GT(flip_to_delaunay(surface).won, 0u);
  EXPECT_EQ(count_flippable(surface.to_mesh(), 45), 0u);
  EXPECT_THROW((void)flip_to_delaunay(mesh, {.active = std::span<const std::uint32_t>(part)}), Error);
}

TEST(Delaunay, KeepsSharpEdges) {
  // Two triangles that meet at a right angle along a diagonal which should be flipped if they were flat.
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{-2, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}, {VertexId(1), VertexId(0), VertexId(3)}};
  EXPECT_EQ(flip_to_delaunay(mesh), mesh);
  EXPECT_NE(flip_to_delaunay(mesh, {.feature_angle = 180}).cells, mesh.cells);
  EXPECT_THROW((void)flip_to_delaunay(mesh, {.feature_angle = -1}), Error);
  EXPECT_THROW((void)flip_to_delaunay(mesh, {.feature_angle = std::nan("")}), Error);
}

}  // namespace
}  // namespace tessera::test
