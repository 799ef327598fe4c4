// Critical points that can be found by hand, and what negation does to them.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "topology/meshes.h"
#include "topology/oracle.h"

namespace tessera {
namespace {

using namespace testing;

using Counts = std::array<std::size_t, 5>;  // minimum, saddle1, saddle2, maximum, degenerate

template <int Dim>
CriticalPoints find(const SimplexMesh<Dim>& mesh, Array<float> values) {
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 3});
  return critical_points(tiles, Field("f", std::move(values)));
}

// Vertices of the octahedron: +x, -x, +y, -y, +z, -z.
TEST(CriticalPoints, OctahedronByHand) {
  const TriMesh mesh = make_small_surface("octahedron");
  EXPECT_EQ(find(mesh, {2, 3, 4, 5, 6, 1}).counts, (Counts{1, 0, 0, 1, 0}));  // a height along z
  // Both poles above the equator and the equator going up and down twice: +x and -x are minima, the poles
  // maxima, +y and -y saddles with two lower and two upper arcs.
  const CriticalPoints saddles = find(mesh, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(saddles.counts, (Counts{2, 2, 0, 2, 0}));
  EXPECT_EQ(saddles.minima(), 2u);
  EXPECT_EQ(saddles.saddles1(), 2u);
  EXPECT_EQ(saddles.saddles2(), 0u);
  EXPECT_EQ(saddles.maxima(), 2u);
  EXPECT_EQ(saddles.degenerate(), 0u);
  EXPECT_EQ(saddles.points[2], (CriticalPoint{VertexId(2), CriticalType::saddle1, false, 2, 2}));
}

// A disc around vertex 0 whose rim alternates: three lower and three upper arcs are a monkey saddle.
TEST(CriticalPoints, MonkeySaddleIsDegenerate) {
  const CriticalPoints found = find(make_fan(6, true), {0, 1, -1, 2, -2, 3, -3});
  EXPECT_EQ(found.counts, (Counts{3, 0, 0, 3, 1}));
  EXPECT_EQ(found.points[0], (CriticalPoint{VertexId(0), CriticalType::degenerate, false, 3, 3}));
  EXPECT_TRUE(found.points[1].is_on_boundary);
}

// Two lower and two upper arcs are a saddle of a surface.
TEST(CriticalPoints, SaddleOfASurface) {
  const CriticalPoints found = find(make_fan(4, true), {0, 1, -1, 2, -2});
  EXPECT_EQ(found.points[0], (CriticalPoint{VertexId(0), CriticalType::saddle1, false, 2, 2}));
}

// Inside a ball the same is degenerate: (2,2) is not in the table of solids.
TEST(CriticalPoints, LinksInPiecesInsideABall) {
  // The sphere around the center: poles 1 and 2, equator 3 4 5 6.
  const TetMesh ball = make_ball(4, 1);
  const auto center = [&](Array<float> values) { return find(ball, std::move(values)).points[0]; };
  EXPECT_EQ(center({0, 1, 1, 2, 3, 4, 5}), (CriticalPoint{VertexId(0), CriticalType::minimum, false, 0, 1}));
  EXPECT_EQ(center({9, 1, 1, 2, 3, 4, 5}), (CriticalPoint{VertexId(0), CriticalType::maximum, false, 1, 0}));
  // Poles below, equator above: two lower pieces and a ring.
  EXPECT_EQ(center({0, -1, -1, 2, 3, 4, 5}),
            (CriticalPoint{VertexId(0), CriticalType::saddle1, false, 2, 1}));
  EXPECT_EQ(center({0, 1, 1, -2, -3, -4, -5}),
            (CriticalPoint{VertexId(0), CriticalType::saddle2, false, 1, 2}));
}

// The center of the grid is the only vertex inside. Its neighbours on the boundary are all above it, so what
// the boundary rule finds is on the boundary: (1,1) vertices that see it only below or only above.
TEST(CriticalPoints, BoundaryRule) {
  const TetMesh ball = make_ball(4, 1);
  // All but the center lie on the boundary, and each sees some lower and some upper of them but the extremes.
  const CriticalPoints low_center = find(ball, {-1, 1, 2, 3, 4, 5, 6});
  // Vertex 1, lowest of the boundary: above the center, (1,1), no lower neighbour on the boundary: saddle1.
  std::map<std::uint32_t, CriticalPoint> by_vertex;
  for (const CriticalPoint& point : low_center.points) by_vertex[point.vertex.index()] = point;
  EXPECT_EQ(by_vertex[1], (CriticalPoint{VertexId(1), CriticalType::saddle1, true, 1, 1}));
  const CriticalPoints high_center = find(ball, {9, 1, 2, 3, 4, 5, 6});
  by_vertex.clear();
  for (const CriticalPoint& point : high_center.points) by_vertex[point.vertex.index()] = point;
  // Vertex 6, highest of the boundary, below the center only: saddle2.
  EXPECT_EQ(by_vertex[6], (CriticalPoint{VertexId(6), CriticalType::saddle2, true, 1, 1}));
}

TEST(CriticalPoints, IsolatedVerticesAreDegenerate) {
  const CriticalPoints found = find(make_small_solid("isolated_vertices"), {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(found.counts, (Counts{1, 0, 0, 1, 2}));
  EXPECT_EQ(found.points[0], (CriticalPoint{VertexId(0), CriticalType::degenerate, false, 0, 0}));
}

TEST(CriticalPoints, EmptyMesh) {
  EXPECT_TRUE(find(TetMesh{}, {}).points.empty());
  EXPECT_EQ(find(TriMesh{}, {}).counts, Counts{});
}

// Three tets on one triangle: facets with three cells are no boundary, those with one are.
TEST(CriticalPoints, NonManifoldFacetsAreNoBoundary) {
  const TetMesh sphere = make_sphere3(3, 4);
  for (const CriticalPoint& point : find(sphere, {0, 1, 2, 3, 4, 5, 6}).points) {
    EXPECT_FALSE(point.is_on_boundary);
  }
  for (const CriticalPoint& point : find(make_complete<3>(6), {0, 1, 2, 3, 4, 5}).points) {
    EXPECT_FALSE(point.is_on_boundary);  // every facet has three cells
  }
}

/// Euler's formula of Banchoff: the sum over all vertices of 1 - euler(lower link) is that of the mesh.
/// Checks the oracle's links.
TEST(CriticalPoints, LowerLinksSumUpToTheEulerCharacteristic) {
  const auto check = [](const auto& mesh) {
    const oracle::Cells cells(mesh);
    const auto ranks = oracle::ranks_of(make_random_field(mesh.vertex_count(), 3));
    int sum = 0;
    for (std::uint32_t v = 0; v < ranks.size(); ++v) {
      const auto link = oracle::half_link(cells, ranks, v, true);
      int euler = 0;
      for (std::size_t d = 0; d < link.size(); ++d)
        euler += (d % 2 == 0 ? 1 : -1) * static_cast<int>(link[d].size());
      sum += 1 - euler;
    }
    EXPECT_EQ(sum, cells.euler());
  };
  check(make_kuhn(6));
  check(make_torus(9, 7));
  check(make_small_surface("moebius"));
  check(oracle::random_mesh<3>(20, 60, 1));
}

/// Minima of f are maxima of -f and so on, where no two values are equal.
template <int Dim>
void check_negation(const SimplexMesh<Dim>& mesh, std::uint64_t seed) {
  const Field field = make_random_field(mesh.vertex_count(), seed);
  Array<float> negative;
  for (const float value : field.as<float>()) negative.push_back(-value);
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 40});
  CriticalPoints upright = critical_points(tiles, field);
  const CriticalPoints turned = critical_points(tiles, Field("negative", negative));
  const std::map<CriticalType, CriticalType> turn = {
      {CriticalType::minimum, CriticalType::maximum},
      {CriticalType::maximum, CriticalType::minimum},
      {CriticalType::saddle1, Dim == 3 ? CriticalType::saddle2 : CriticalType::saddle1},
      {CriticalType::saddle2, CriticalType::saddle1},
      {CriticalType::degenerate, CriticalType::degenerate}};
  for (CriticalPoint& point : upright.points) {
    point.type = turn.at(point.type);
    std::swap(point.lower_pieces, point.upper_pieces);
  }
  EXPECT_EQ(upright.points, turned.points);
}

TEST(CriticalPoints, NegationTurnsThemRound) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    check_negation(make_kuhn(9), seed);
    check_negation(make_torus3(4), seed);
    check_negation(make_ball(40, 5), seed);
    check_negation(oracle::random_mesh<3>(40, 200, seed), seed);
    check_negation(make_torus(30, 20), seed);
    check_negation(make_height_field(20, 30), seed);
    check_negation(oracle::random_mesh<2>(40, 100, seed), seed);
  }
}

}  // namespace
}  // namespace tessera
