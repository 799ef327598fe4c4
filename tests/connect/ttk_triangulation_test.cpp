// Every one of TTK's names against the oracle, in every storage mode, on sound and pathological meshes.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tessera/connect/ttk_triangulation.h>
#include <tessera/mesh/make.h>

#include "connect/ttk_expected.h"

namespace tessera {
namespace {

struct Setting {
  StorageMode mode;
  Bytes memory;  // 0: the least that works
  int producers;
};

const std::vector<Setting> settings = {
    {StorageMode::materialized, mib(64), 0},
    {StorageMode::explicit_tiles, mib(64), 0},
    {StorageMode::implicit_tiles, mib(64), 0},
    {StorageMode::implicit_tiles, 0, 2},
    {StorageMode::explicit_tiles, 0, 2},
    {StorageMode::automatic, gib(1), 0},
    {StorageMode::automatic, 0, 0},
};

/// What all relations and links need.
template <int Dim>
ConnectOptions options_for(const Setting& setting, const TiledMesh<Dim>& tiles) {
  ConnectOptions options = {.mode = setting.mode, .memory = setting.memory, .producers = setting.producers};
  options.exec = Exec::host(2);
  if (setting.memory > 0) return options;
  std::vector<RelationKey> keys = list_relations(Dim);
  for (const RelationKey& link : list_links(Dim)) keys.push_back(link);
  const ConnectPlan costs = plan(tiles, keys, {.exec = options.exec, .producers = setting.producers});
  const bool is_explicit = setting.mode == StorageMode::explicit_tiles;
  options.memory = is_explicit ? costs.explicit_tiles.least : costs.implicit_tiles.least;
  return options;
}

template <int Dim>
void check_all(const SimplexMesh<Dim>& mesh, const TileOptions& options) {
  const TiledMesh<Dim> tiles = tile(mesh, options);
  const Expected<Dim> is(mesh, tiles);
  const std::vector<Query<TtkTriangulation<Dim>>> queries = make_queries<TtkTriangulation<Dim>>(is);
  for (const Setting& setting : settings) {
    SCOPED_TRACE("mode " + std::to_string(static_cast<int>(setting.mode)) + " memory " +
                 std::to_string(setting.memory));
    TtkTriangulation<Dim> t(mesh, tiles, options_for(setting, tiles));
    precondition_all(t);
    for (const Query<TtkTriangulation<Dim>>& query : queries) {
      EXPECT_EQ(count_wrong(t, query, false), 0u) << query.name;
      EXPECT_EQ(count_wrong(t, query, true), 0u) << query.name << ", partly remembered";
    }
    std::atomic<std::size_t> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        for (const Query<TtkTriangulation<Dim>>& query : queries) wrong += count_wrong(t, query, i != 0);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0u);
    check_boundary(t, is);
    check_numbers(t, mesh, is);
  }
}

TEST(TtkTriangulation, SmallMeshesMatchTheOracle) {
  for (const char* name : {"one_tet", "two_tets", "bow_tie_edge", "bow_tie_vertex", "three_tet_fan",
                           "isolated_vertices", "two_components"}) {
    SCOPED_TRACE(name);
    check_all(make_small_solid(name), {.max_vertices = 2});
  }
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"}) {
    SCOPED_TRACE(name);
    check_all(make_small_surface(name), {.max_vertices = 3});
  }
}

TEST(TtkTriangulation, StructuredMeshesMatchTheOracle) {
  check_all(make_shuffled(make_kuhn(7)), {.max_vertices = 30});
  check_all(make_kuhn_full(5), {.max_vertices = 30, .order = VertexOrder::input});
  check_all(make_shuffled(make_torus(12, 7)), {.max_vertices = 10});
  check_all(make_height_field(9, 6), {.max_vertices = 7});
}

TEST(TtkTriangulation, RandomComplexesMatchTheOracle) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    check_all(oracle::random_mesh<3>(15 + seed, 20 + 10 * seed, seed), {.max_vertices = 5});
    check_all(oracle::random_mesh<2>(15 + seed, 20 + 10 * seed, seed), {.max_vertices = 5});
  }
}

// The lowest vertex has 600 triangles around it, too many to be searched: its neighbours' rows come from
// tiles.
TEST(TtkTriangulation, LongStarsComeFromTiles) {
  constexpr std::uint32_t rim = 601;
  TriMesh fan;
  Array<Vec3f> points(rim + 1, Vec3f{0, 0, 0});
  for (std::uint32_t i = 1; i <= rim; ++i) points[i] = {static_cast<float>(i), static_cast<float>(i * i), 0};
  fan.points = std::move(points);
  for (std::uint32_t i = 1; i < rim; ++i) fan.cells.push_back({VertexId(0), VertexId(i), VertexId(i + 1)});
  check_all(fan, {.max_vertices = 100, .order = VertexOrder::input});
  check_all(make_small_solid("cone"), {.max_vertices = 64, .order = VertexOrder::input});
}

TEST(TtkTriangulation, PointsMayBeDoubles) {
  TetMesh mesh = make_small_solid("two_tets");
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) points.push_back(mesh.points[VertexId(v)]);
  mesh.points = std::move(points);
  const TiledMesh<3> tiles = tile(mesh);
  TtkTriangulation<3> t(mesh, tiles);
  precondition_all(t);
  check_numbers(t, mesh, Expected<3>(mesh, tiles));
}

// The right corner with legs 3 and 4: the hypotenuse is 5, the inscribed circle has radius 1.
TEST(TtkTriangulation, IncentersOfARightTriangle) {
  TriMesh mesh;
  mesh.points = Array<Vec3f>{{0, 0, 0}, {3, 0, 0}, {0, 4, 0}};
  mesh.cells.push_back({VertexId(0), VertexId(1), VertexId(2)});
  const TiledMesh<2> tiles = tile(mesh);
  TtkTriangulation<2> t(mesh, tiles);
  t.preconditionEdges();
  std::array<float, 3> p{};
  EXPECT_EQ(t.getTriangleIncenter(0, p.data()), 0);
  EXPECT_NEAR(p[0], 1, 1e-6);
  EXPECT_NEAR(p[1], 1, 1e-6);
  EXPECT_EQ(t.getCellIncenter(0, 2, p.data()), 0);
  EXPECT_NEAR(p[1], 1, 1e-6);
  EXPECT_EQ(t.getCellIncenter(1, 0, p.data()), 0);  // a vertex: its point
  EXPECT_EQ(p, (std::array<float, 3>{3, 0, 0}));
  std::array<float, 3> sum{};
  for (int e = 0; e < 3; ++e) {
    EXPECT_EQ(t.getEdgeIncenter(e, p.data()), 0);
    std::array<float, 3> same{};
    EXPECT_EQ(t.getCellIncenter(e, 1, same.data()), 0);
    EXPECT_EQ(p, same);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += p[k];
  }
  EXPECT_EQ(sum, (std::array<float, 3>{3, 4, 0}));  // each vertex lies in two edges
  EXPECT_EQ(t.getTetraIncenter(0, p.data()), -1);
  EXPECT_EQ(t.getTriangleIncenter(7, p.data()), -1);
  EXPECT_EQ(t.getEdgeIncenter(7, p.data()), -1);
  EXPECT_EQ(t.getCellIncenter(0, 4, p.data()), -1);
}

// A regular tetrahedron: the mean of its faces' centers is its own.
TEST(TtkTriangulation, IncenterOfARegularTetrahedron) {
  TetMesh mesh;
  mesh.points = Array<Vec3f>{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  mesh.cells.push_back({VertexId(0), VertexId(1), VertexId(2), VertexId(3)});
  const TiledMesh<3> tiles = tile(mesh);
  TtkTriangulation<3> t(mesh, tiles);
  t.preconditionCellTriangles();
  std::array<float, 3> p{};
  EXPECT_EQ(t.getTetraIncenter(0, p.data()), 0);
  for (const float x : p) EXPECT_NEAR(x, 0, 1e-6);
  EXPECT_EQ(t.getCellIncenter(0, 3, p.data()), 0);
  EXPECT_EQ(t.getTetraIncenter(1, p.data()), -1);
}

TEST(TtkTriangulation, EmptyMeshes) {
  const TriMesh mesh;
  const TiledMesh<2> tiles = tile(mesh);
  TtkTriangulation<2> t(mesh, tiles);
  precondition_all(t);
  EXPECT_TRUE(t.isEmpty());
  EXPECT_TRUE(t.isManifold());
  EXPECT_EQ(t.getNumberOfEdges(), 0);
  EXPECT_EQ(t.getVertexStarNumber(0), -1);
}

TEST(TtkTriangulation, AThreadHasItsRowsOnce) {
  const TetMesh mesh = make_kuhn(5);
  const TiledMesh<3> tiles = tile(mesh);
  TtkTriangulation<3> t(mesh, tiles, {.mode = StorageMode::explicit_tiles});
  precondition_all(t);
  (void)t.getVertexNeighborNumber(0);
  const std::size_t bytes = t.footprint();
  (void)t.getVertexStarNumber(0);
  (void)t.getEdgeTriangleNumber(0);
  EXPECT_EQ(t.footprint(), bytes);
}

// What is asked for without its precondition ends the program and names the precondition.
TEST(TtkTriangulationDeathTest, QueriesNeedTheirPrecondition) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const TetMesh mesh = make_small_solid("two_tets");
  const TiledMesh<3> tiles = tile(mesh);
  const TtkTriangulation<3> t(mesh, tiles);
  int out = 0;
  EXPECT_DEATH((void)t.getVertexNeighborNumber(0), "preconditionVertexNeighbors");
  EXPECT_DEATH((void)t.getVertexEdge(0, 0, out), "preconditionVertexEdges");
  EXPECT_DEATH((void)t.getEdgeVertex(0, 0, out), "preconditionEdges");
  EXPECT_DEATH((void)t.getNumberOfEdges(), "preconditionEdges");
  EXPECT_DEATH((void)t.getNumberOfTriangles(), "preconditionTriangles");
  EXPECT_DEATH((void)t.getTriangleStar(0, 0, out), "preconditionTriangleStars");
  EXPECT_DEATH((void)t.getCellNeighborNumber(0), "preconditionCellNeighbors");
  EXPECT_DEATH((void)t.getEdgeLinkNumber(0), "preconditionEdgeLinks");
  EXPECT_DEATH((void)t.isVertexOnBoundary(0), "preconditionBoundaryVertices");
  EXPECT_DEATH((void)t.isManifold(), "preconditionManifold");
  const TetMesh other = make_small_solid("one_tet");
  EXPECT_DEATH(TtkTriangulation<3>(other, tiles), "broken contract");
}

TEST(TtkGradientCache, KeepsTheLastOnesUsed) {
  TtkGradientCache cache(2);
  const std::array<int, 3> fields{};
  const auto key = [&](std::size_t i) { return TtkGradientCache::Key(&fields[i], 0); };
  EXPECT_TRUE(cache.empty());
  EXPECT_EQ(cache.get(key(0)), nullptr);
  cache.insert(key(0), {});
  cache.insert(key(1), {});
  TtkGradientCache::Gradient* first = cache.get(key(0));
  ASSERT_NE(first, nullptr);
  (*first)[0] = {1, 2, 3};
  cache.insert(key(0), {});  // is there: nothing happens
  cache.insert(key(2), {});  // 1 is the oldest
  EXPECT_EQ(cache.size(), cache.capacity());
  EXPECT_FALSE(cache.contains(key(1)));
  EXPECT_EQ(cache.get(key(0)), first);
  EXPECT_EQ((*first)[0], (std::vector<int>{1, 2, 3}));
  cache.clear();
  EXPECT_TRUE(cache.empty());
}

}  // namespace
}  // namespace tessera
