// Everything the module finds against the oracle: structured, random and pathological meshes in two and three
// dimensions.
#include <gtest/gtest.h>

#include <string>

#include "topology/meshes.h"
#include "topology/morse_oracle.h"
#include "topology/results.h"

namespace tessera {
namespace {

using namespace testing;

template <int Dim>
void check(const SimplexMesh<Dim>& mesh, const Field& field, const Setting& setting = {}) {
  const Results found = compute_results(mesh, field, setting);
  EXPECT_EQ(difference(in_canonical_order(found), expected_results(mesh, field)), "");
}

/// Random values, many ties, all equal.
template <int Dim>
void check_fields(const SimplexMesh<Dim>& mesh, const Setting& setting = {}) {
  const std::size_t n = mesh.vertex_count();
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(mesh, make_random_field(n, seed), setting);
    check(mesh, make_tied_field(n, 3, seed), setting);
  }
  check(mesh, Field("constant", Array<double>(n, 1.5)), setting);
}

TEST(TopologyOracle, SmallSolids) {
  for (const char* name : small_solids) {
    SCOPED_TRACE(name);
    check_fields(make_small_solid(name), {.tiles = {.max_vertices = 3}});
  }
}

TEST(TopologyOracle, SmallSurfaces) {
  for (const char* name : small_surfaces) {
    SCOPED_TRACE(name);
    check_fields(make_small_surface(name), {.tiles = {.max_vertices = 3}});
  }
}

TEST(TopologyOracle, StructuredMeshes) {
  const TetMesh kuhn = make_kuhn(7);
  check_fields(kuhn);
  check(kuhn, make_wave_field(kuhn.points, WaveField::rough));
  check(kuhn, make_wave_field(kuhn.points, WaveField::smooth));
  check_fields(make_shuffled(make_kuhn_full(4)), {.tiles = {.max_vertices = 9}});
  const TriMesh torus = make_shuffled(make_torus(14, 9));
  check_fields(torus, {.tiles = {.max_vertices = 20}});
  check(torus, make_wave_field(torus.points, WaveField::smooth));
  check_fields(make_height_field(9, 6), {.tiles = {.max_vertices = 7}});
  check_fields(make_ico(2), {.tiles = {.max_vertices = 30}});
}

TEST(TopologyOracle, ClosedSolids) {
  check_fields(make_sphere3(5, 7), {.tiles = {.max_vertices = 4}});
  check_fields(make_torus3(3), {.tiles = {.max_vertices = 10}});
}

// Non-manifold, disconnected, with isolated vertices; sparse to dense.
TEST(TopologyOracle, RandomComplexes) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t vertices = 8 + seed % 9;
    const std::uint32_t size = 1 + static_cast<std::uint32_t>(seed % 7);
    const TetMesh solid = oracle::random_mesh<3>(vertices, 4 + 6 * (seed % 11), seed);
    check(solid, make_random_field(vertices, seed), {.tiles = {.max_vertices = size}});
    check(solid, make_tied_field(vertices, 4, seed), {.tiles = {.max_vertices = size}});
    const TriMesh surface = oracle::random_mesh<2>(vertices, 4 + 2 * (seed % 11), seed);
    check(surface, make_random_field(vertices, seed), {.tiles = {.max_vertices = size}});
    check(surface, make_tied_field(vertices, 4, seed), {.tiles = {.max_vertices = size}});
  }
}

TEST(TopologyOracle, CompleteComplexes) {
  check_fields(make_complete<3>(5));  // two facets a cell too many for a sphere: still a 3-sphere's boundary
  check_fields(make_complete<3>(9));
  check_fields(make_complete<2>(10));
}

// The center's lower star has 6 n - 10 cells for n vertices on the sphere: sets of one, two and four words,
// and beyond 256 cells, or 64 neighbours, the general path. TTK counts its triangles in eight bits.
TEST(TopologyOracle, LowerStarsOfAllSizes) {
  for (const auto& [longitudes, rings, cells] :
       {std::array{3u, 1u, 20u}, std::array{10u, 1u, 62u}, std::array{11u, 1u, 68u}, std::array{7u, 3u, 128u},
        std::array{11u, 2u, 134u}, std::array{6u, 7u, 254u}, std::array{43u, 1u, 260u},
        std::array{62u, 1u, 374u}, std::array{9u, 7u, 380u}, std::array{300u, 1u, 1802u},
        std::array{40u, 7u, 1682u}}) {
    SCOPED_TRACE(cells);
    const TetMesh mesh = make_ball(longitudes, rings);
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      const Field field = make_peak_field(mesh.vertex_count(), 0, seed);
      const oracle::Cells complex(mesh);
      const auto ranks = oracle::ranks_of(field);
      ASSERT_EQ(oracle::LowerStars(complex, ranks).lower_star(0).size(), cells);
      check(mesh, field, {.tiles = {.max_vertices = 64}});
    }
  }
}

// 63 neighbours and the center are what masks of 64 bits hold.
TEST(TopologyOracle, StarsAroundTheLimitOfMasks) {
  for (const std::uint32_t neighbours : {31u, 32u, 33u, 61u, 62u, 63u, 64u, 65u, 66u, 130u}) {
    SCOPED_TRACE(neighbours);
    for (const std::uint64_t seed : {0u, 1u}) {
      const TetMesh ball = make_ball(neighbours - 2, 1);
      check(ball, make_random_field(ball.vertex_count(), seed));
      check(ball, make_peak_field(ball.vertex_count(), 0, seed));
      for (const bool is_closed : {true, false}) {
        const TriMesh fan = make_fan(is_closed ? neighbours : neighbours - 1, is_closed);
        check(fan, make_random_field(fan.vertex_count(), seed));
        check(fan, make_peak_field(fan.vertex_count(), 0, seed));
      }
      const TetMesh sphere = make_sphere3(3, neighbours - 2);
      check(sphere, make_random_field(sphere.vertex_count(), seed));
    }
  }
}

// The first lower star that a worker meets has many cells over few neighbours, a later one few cells over
// more neighbours.
TEST(TopologyOracle, DenseStarBeforeAWideOne) {
  TetMesh mesh = make_complete<3>(13);  // vertex 0 over the 12 others: 12 + 66 + 220 cells
  constexpr std::uint32_t rim = 50;     // around the edge (12, 13): 51 neighbours of 13 in 150 cells
  std::vector<std::array<std::uint32_t, 4>> cells;
  for (const auto& cell : mesh.cells)
    cells.push_back({cell[0].index(), cell[1].index(), cell[2].index(), cell[3].index()});
  for (std::uint32_t i = 0; i + 1 < rim; i += 1) cells.push_back({12, 13, 14 + i, 15 + i});
  mesh = make_mesh<3>(14 + rim, cells);
  Array<float> values(mesh.vertex_count());
  for (std::uint32_t v = 0; v < values.size(); ++v) values[v] = static_cast<float>(v);
  values[0] = 1000;
  values[13] = 2000;
  check(mesh, Field("f", values), {.threads = 1, .tiles = {.order = VertexOrder::input}});
}

TEST(TopologyOracle, EmptyAndSingleVertex) {
  check(TetMesh{}, Field("f", Array<float>{}));
  check(TriMesh{}, Field("f", Array<float>{}));
  check(make_mesh<3>(1, {}), Field("f", Array<float>{1}));
  check(make_mesh<2>(1, {}), Field("f", Array<float>{1}));
  check(make_mesh<3>(3, {}), Field("f", Array<float>{1, 0, 1}));
}

}  // namespace
}  // namespace tessera
