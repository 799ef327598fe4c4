// Pairs equal those of the reduced boundary matrix, whatever the tiles, threads, providers and vertex orders.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tessera/topology/persistence.h>

#include "persistence/meshes.h"
#include "persistence/oracle.h"
#include "persistence/stop_everywhere.h"

namespace tessera {
namespace {

using test::Oracle;
using test::Sample;

template <int Dim>
std::vector<std::uint32_t> ids_of(const typename Gradient<Dim>::Simplex& simplex) {
  std::vector<std::uint32_t> ids;
  for (std::size_t k = 0; k < simplex.size; ++k) ids.push_back(simplex.vertices[k].index());
  return ids;
}

/// Our pairs as the oracle writes them.
template <int Dim>
std::vector<Oracle::Pair> translate(const Gradient<Dim>& gradient, const Persistence& found,
                                    const Oracle& oracle) {
  const auto cell = [&](std::uint32_t d, std::uint32_t number) {
    const CriticalCell& critical = gradient.critical_cells(static_cast<int>(d))[number];
    return oracle.cell_of(ids_of<Dim>(gradient.simplex(critical.name)));
  };
  std::vector<Oracle::Pair> pairs;
  for (const PersistencePair& pair : found.pairs) {
    pairs.push_back({cell(pair.dimension, pair.birth),
                     pair.is_finite() ? cell(pair.dimension + 1, pair.death) : test::Cell{}});
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Dimension, vertex of birth, vertex of death (none: never) of those that live for a while.
using Bars = std::vector<std::array<std::uint32_t, 3>>;
Bars list_bars(const std::vector<Oracle::Pair>& pairs) {
  Bars bars;
  for (const Oracle::Pair& pair : pairs) {
    const std::uint32_t death = pair.death.empty() ? PersistencePair::none : pair.death[0];
    if (death != pair.birth[0])
      bars.push_back({static_cast<std::uint32_t>(pair.birth.size()) - 1, pair.birth[0], death});
  }
  std::sort(bars.begin(), bars.end());
  return bars;
}

template <int Dim>
void check_against_oracle(const SimplexMesh<Dim>& mesh, const Field& field) {
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 16});
  const Gradient<Dim> gradient = compute_gradient(tiles, field, {.keep_paths = true});
  const Persistence found = compute_persistence(gradient, field);
  const Oracle oracle(mesh, field);
  const auto pairs = translate(gradient, found, oracle);
  EXPECT_EQ(list_bars(pairs), list_bars(oracle.pairs()));
  const auto expected = oracle.pairs_of_critical([&](const test::Cell& cell) -> std::optional<test::Cell> {
    std::vector<VertexId> ids;
    for (const std::uint32_t v : oracle.input_of(cell)) ids.push_back(VertexId(v));
    const auto other = gradient.partner(ids);
    if (!other.has_value()) return std::nullopt;
    return oracle.cell_of(ids_of<Dim>(*other));
  });
  ASSERT_TRUE(expected.has_value());
  EXPECT_EQ(pairs, *expected);
}

TEST(Persistence, EqualsTheReducedBoundaryMatrixOfSurfaces) {
  for (const Sample<2>& sample : test::make_surfaces()) {
    for (const Field& field : test::make_fields(sample.mesh, 7)) {
      SCOPED_TRACE(sample.name);
      check_against_oracle(sample.mesh, field);
    }
  }
}

TEST(Persistence, EqualsTheReducedBoundaryMatrixOfSolids) {
  for (const Sample<3>& sample : test::make_solids()) {
    for (const Field& field : test::make_fields(sample.mesh, 8)) {
      SCOPED_TRACE(sample.name);
      check_against_oracle(sample.mesh, field);
    }
  }
}

TEST(Persistence, EqualsTheReducedBoundaryMatrixOfManyRandomComplexes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto surface = test::make_random_cells<2>(10, 10 + seed % 40, seed);
    check_against_oracle(surface, test::make_levels(10, 2 + seed % 9, seed));
    const auto solid = test::make_random_cells<3>(9, 5 + seed % 30, seed);
    check_against_oracle(solid, test::make_levels(9, 2 + seed % 9, seed));
  }
}

template <int Dim>
void check_independence(const SimplexMesh<Dim>& mesh, const Field& field) {
  const TiledMesh<Dim> reference_tiles = tile(mesh);
  const auto reference_gradient = compute_gradient(reference_tiles, field, {.keep_paths = true});
  const Persistence expected = compute_persistence(reference_gradient, field);
  for (const std::uint32_t size : {1u, 7u, 100u}) {
    for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
      const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = size, .order = order});
      const StarStore<Dim> stars(tiles);
      for (const int threads : {1, 3}) {
        for (const auto* pulled : {static_cast<const StarStore<Dim>*>(nullptr), &stars}) {
          const Exec exec = Exec::host(threads);
          const auto gradient =
              compute_gradient(tiles, field, {.exec = exec, .stars = pulled, .keep_paths = true});
          EXPECT_EQ(compute_persistence(gradient, field, {.exec = exec}), expected)
              << size << " vertices a tile, " << threads << " threads";
        }
      }
    }
  }
}

TEST(Persistence, IsIndependentOfTilesThreadsAndProviders) {
  const TetMesh solid = make_shuffled(make_kuhn(10));
  check_independence(solid, make_wave_field(solid.points, WaveField::rough));
  const TriMesh surface = make_shuffled(make_torus(20, 15));
  check_independence(surface, make_wave_field(surface.points, WaveField::rough));
  const auto crowded = test::make_random_cells<3>(30, 200, 5);
  check_independence(crowded, test::make_levels(30, 12, 5));
  const auto fans = test::make_random_cells<2>(20, 120, 6);
  check_independence(fans, test::make_levels(20, 9, 6));
}

/// The same values at the same points, vertices and cells renumbered: bars are the same, since no two values
/// are.
TEST(Persistence, IsIndependentOfTheOrderOfVertices) {
  TetMesh mesh = make_kuhn(12);
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  const std::string name = mesh.point_data.names()[0];
  const auto list = [&](const TetMesh& m) {
    const TiledMesh<3> tiles = tile(m);
    const Persistence found =
        compute_persistence(compute_gradient(tiles, m.field(name), {.keep_paths = true}), m.field(name));
    std::vector<std::array<double, 3>> bars;
    for (const PersistencePair& p : found.pairs)
      bars.push_back({static_cast<double>(p.dimension), p.birth_value, p.death_value});
    std::sort(bars.begin(), bars.end());
    return bars;
  };
  EXPECT_EQ(list(mesh), list(make_shuffled(mesh)));
}

/// Ball with a cavity and a tunnel: one piece, one loop, one cavity. (The bite is a dent.)
TEST(Persistence, EssentialClassesAreTheBettiNumbers) {
  const auto betti = []<int Dim>(const SimplexMesh<Dim>& mesh) {
    const Field field = make_wave_field(mesh.points, WaveField::rough);
    const TiledMesh<Dim> tiles = tile(mesh);
    return compute_persistence(compute_gradient(tiles, field, {.keep_paths = true}), field).essential;
  };
  using Betti = std::array<std::size_t, 4>;
  EXPECT_EQ(betti(make_kuhn_full(8)), (Betti{1, 0, 0, 0}));
  EXPECT_EQ(betti(make_kuhn(20)), (Betti{1, 1, 1, 0}));
  EXPECT_EQ(betti(make_torus(16, 12)), (Betti{1, 2, 1, 0}));
  EXPECT_EQ(betti(make_ico(3)), (Betti{1, 0, 1, 0}));
  EXPECT_EQ(betti(make_small_surface("moebius")), (Betti{1, 1, 0, 0}));
  EXPECT_EQ(betti(test::make_random_cells<3>(5, 5, 1)), (Betti{1, 0, 0, 1}));  // boundary of a 4-simplex
}

/// A strip of triangles over the values 0 2 1 3 (lower row) and the same plus 10: minima at the vertices 0
/// and 2, joined at the edge (1, 2) whose highest vertex has the value 2.
TEST(Persistence, GivesValuesAndVertices) {
  TriMesh mesh;
  Array<Vec3f> points;
  for (int i = 0; i < 8; ++i) points.push_back({static_cast<float>(i % 4), static_cast<float>(i / 4), 0});
  mesh.points = points;
  for (std::uint32_t i = 0; i < 3; ++i) {
    mesh.cells.push_back({VertexId(i), VertexId(i + 1), VertexId(i + 4)});
    mesh.cells.push_back({VertexId(i + 1), VertexId(i + 5), VertexId(i + 4)});
  }
  const Field field("height", Array<double>{0, 2, 1, 3, 10, 12, 11, 13});
  const TiledMesh<2> tiles = tile(mesh);
  const Persistence found = compute_persistence(compute_gradient(tiles, field, {.keep_paths = true}), field);
  ASSERT_EQ(found.finite, (std::array<std::size_t, 4>{1, 0, 0, 0}));
  ASSERT_EQ(found.essential, (std::array<std::size_t, 4>{1, 0, 0, 0}));
  const PersistencePair& whole = found.pairs[0];
  EXPECT_FALSE(whole.is_finite());
  EXPECT_EQ(whole.birth_vertex, VertexId(0));
  EXPECT_EQ(whole.death_vertex, VertexId(7));
  EXPECT_EQ(whole.persistence(), 13);
  const PersistencePair& pair = found.pairs[1];
  EXPECT_EQ(pair.birth_vertex, VertexId(2));
  EXPECT_EQ(pair.death_vertex, VertexId(1));
  EXPECT_EQ(pair.birth_value, 1);
  EXPECT_EQ(pair.persistence(), 1);
  EXPECT_EQ(found.part_of_range(0.5), 6.5);
}

TEST(Persistence, InfiniteValuesAreValues) {
  const TriMesh mesh = make_small_surface("two_components");
  Array<float> values(mesh.vertex_count(), std::numeric_limits<float>::infinity());
  values[0] = -values[1];
  const Field field("infinite", std::move(values));
  const TiledMesh<2> tiles = tile(mesh);
  const Persistence found = compute_persistence(compute_gradient(tiles, field, {.keep_paths = true}), field);
  for (const PersistencePair& pair : found.pairs) {
    EXPECT_EQ(pair.persistence(), pair.birth_vertex == VertexId(0) ? HUGE_VAL : 0);
  }
}

TEST(Persistence, EmptyMeshHasNoPairs) {
  const TetMesh mesh;
  const Field field("none", Array<float>{});
  const TiledMesh<3> tiles = tile(mesh);
  const Persistence found = compute_persistence(compute_gradient(tiles, field, {.keep_paths = true}), field);
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_EQ(found.part_of_range(0.1), 0);
}

TEST(Persistence, StopsWhereverItIsAskedTo) {
  const TetMesh solid = make_kuhn(16);
  const Field field = make_wave_field(solid.points, WaveField::rough);
  const TiledMesh<3> tiles = tile(solid);
  const auto gradient = compute_gradient(tiles, field, {.keep_paths = true});
  for (const int threads : {1, 2}) {
    const auto work = [&](const Monitor* monitor) {
      (void)compute_persistence(gradient, field, {.exec = Exec::host(threads), .monitor = monitor});
    };
    test::stop_everywhere(work, 8);
    test::stop_at_some_time(work);
  }
}

TEST(Persistence, OfAMesh) {
  TetMesh mesh = make_shuffled(make_kuhn(8));
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  const Field& field = mesh.field("rough");
  const TiledMesh<3> tiles = tile(mesh);
  const Persistence expected =
      compute_persistence(compute_gradient(tiles, field, {.keep_paths = true}), field);
  EXPECT_EQ(compute_persistence(mesh, field), expected);
  EXPECT_EQ(compute_persistence(mesh, "rough", {.exec = Exec::host(2)}), expected);
}

TEST(Persistence, RefusesAGradientWithoutPathsAndAForeignField) {
  const TetMesh mesh = make_small_solid("two_tets");
  const Field field = test::make_levels(mesh.vertex_count(), 5, 1);
  const auto code_of = [](const Gradient<3>& gradient, const Field& values) {
    try {
      (void)compute_persistence(gradient, values);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::cancelled;
  };
  EXPECT_EQ(code_of(compute_gradient(mesh, field), field), ErrorCode::bad_option);
  const auto gradient = compute_gradient(mesh, field, {.keep_paths = true});
  EXPECT_EQ(code_of(gradient, test::make_levels(3, 5, 1)), ErrorCode::unsupported);
  EXPECT_EQ(code_of(gradient, Field("pairs", Array<float>(10, 0.0f), 2)), ErrorCode::unsupported);
}

}  // namespace
}  // namespace tessera
