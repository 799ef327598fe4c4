// What results must not depend on: threads, tiles, numberings, providers of stars, and how the mesh is
// written down.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "topology/meshes.h"
#include "topology/morse_oracle.h"

namespace tessera {
namespace {

using namespace testing;

/// Cells around an edge have no first one: their order is compared up to that.
Results with_sorted_rings(Results results) {
  for (NamedWall& wall : results.ascending_walls) {
    for (auto& ring : wall.rings) std::sort(ring.begin(), ring.end());
  }
  return results;
}

template <int Dim>
void expect_equal(const SimplexMesh<Dim>& mesh, const Field& field, const Results& expected,
                  const Setting& setting) {
  EXPECT_EQ(difference(with_sorted_rings(compute_results(mesh, field, setting)), expected), "")
      << setting.description();
}

constexpr std::array providers = {
    std::pair{Provider::pushed, 0},         std::pair{Provider::materialized, 0},
    std::pair{Provider::explicit_tiles, 0}, std::pair{Provider::implicit_tiles, 0},
    std::pair{Provider::explicit_tiles, 2}, std::pair{Provider::implicit_tiles, 2}};

/// Every thread count, tile size and numbering; providers take turns over them, so that each meets each.
template <int Dim>
void check_settings(const SimplexMesh<Dim>& mesh, const Field& field) {
  const Results expected =
      with_sorted_rings(compute_results(mesh, field, {.tiles = {.order = VertexOrder::input}}));
  EXPECT_EQ(difference(in_canonical_order(expected), expected_results(mesh, field)), "");
  std::size_t turn = 0;
  for (const std::uint32_t size : {1u, 17u, 512u, 1000000u}) {
    for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
      for (const int threads : {1, 2, 7}) {
        const auto [provider, producers] = providers[(turn + turn / providers.size()) % providers.size()];
        expect_equal(mesh, field, expected,
                     {threads, {.max_vertices = size, .order = order}, provider, producers});
        ++turn;
      }
    }
  }
}

TEST(TopologyInvariance, SettingsOnSolids) {
  const TetMesh kuhn = make_shuffled(make_kuhn(8));
  check_settings(kuhn, make_wave_field(kuhn.points, WaveField::rough));
  check_settings(kuhn, make_tied_field(kuhn.vertex_count(), 10, 1));
}

TEST(TopologyInvariance, SettingsOnSurfaces) {
  const TriMesh torus = make_shuffled(make_torus(20, 12));
  check_settings(torus, make_wave_field(torus.points, WaveField::rough));
  check_settings(torus, make_tied_field(torus.vertex_count(), 10, 1));
}

// Where several cells share a facet, paths have a choice.
TEST(TopologyInvariance, SettingsOnNonManifoldMeshes) {
  const TetMesh solid = oracle::random_mesh<3>(40, 300, 5);
  check_settings(solid, make_random_field(40, 5));
  const TriMesh surface = oracle::random_mesh<2>(40, 200, 5);
  check_settings(surface, make_random_field(40, 5));
}

TEST(TopologyInvariance, ProvidersOnLargeStars) {
  const TetMesh ball = make_ball(40, 8);
  const Field field = make_peak_field(ball.vertex_count(), 0, 8);
  const Results expected = with_sorted_rings(compute_results(ball, field));
  for (const auto& [provider, producers] : providers) {
    expect_equal(ball, field, expected, {2, {.max_vertices = 33}, provider, producers});
  }
}

TEST(TopologyInvariance, GivenPartitions) {
  const TetMesh solid = make_kuhn(7);
  const TriMesh surface = make_torus(15, 10);
  const auto check = [](const auto& mesh) {
    const Field field = make_random_field(mesh.vertex_count(), 6);
    const Results expected = with_sorted_rings(compute_results(mesh, field));
    for (const std::uint32_t parts : {1u, 3u, 50u}) {
      std::vector<std::uint32_t> tile_of(mesh.vertex_count());
      for (std::uint32_t v = 0; v < tile_of.size(); ++v)
        tile_of[v] = static_cast<std::uint32_t>(splitmix64(v) % parts);
      const Partition partition = partition_given(tile_of, mesh.vertex_count());
      for (const auto& [provider, producers] : providers) {
        expect_equal(mesh, field, expected, {2, {.partition = &partition}, provider, producers});
      }
    }
  };
  check(solid);
  check(surface);
}

std::vector<std::uint32_t> make_permutation(std::size_t size, std::uint64_t seed) {
  std::vector<std::uint32_t> permutation(size);
  std::iota(permutation.begin(), permutation.end(), 0u);
  SplitMix64 random(seed);
  for (std::size_t i = size; i > 1; --i) std::swap(permutation[i - 1], permutation[random.below(i)]);
  return permutation;
}

/// Results without numbers of critical cells, which follow the ids: everything is named by its vertices,
/// after a renumbering of them.
struct Names {
  std::map<std::uint32_t, std::array<std::uint32_t, 4>> points;
  std::set<Simplex> critical;
  std::map<Simplex, Simplex> pairs;
  std::multiset<NamedPath> paths;
  std::map<Simplex, std::set<Simplex>> walls;
  std::map<std::uint32_t, Simplex> minimum;  ///< by vertex
  std::map<std::uint32_t, Simplex> maximum;
  friend bool operator==(const Names&, const Names&) = default;
};

Names name(const Results& results, const std::vector<std::uint32_t>& number) {
  const auto rename = [&](const Simplex& simplex) {
    Simplex renamed;
    for (const std::uint32_t v : simplex) renamed.push_back(number[v]);
    std::sort(renamed.begin(), renamed.end());
    return renamed;
  };
  Names names;
  for (const CriticalPoint& point : results.points) {
    names.points[number[point.vertex.index()]] = {
        static_cast<std::uint32_t>(point.type), point.is_on_boundary, point.lower_pieces, point.upper_pieces};
  }
  for (const auto& level : results.critical) {
    for (const Simplex& cell : level) names.critical.insert(rename(cell));
  }
  for (const auto& [low, high] : results.pairs) names.pairs[rename(low)] = rename(high);
  for (NamedPath path : results.paths) {
    for (Simplex& cell : path.cells) cell = rename(cell);
    names.paths.insert(path);
  }
  for (const auto* walls : {&results.descending_walls, &results.ascending_walls}) {
    for (const NamedWall& wall : *walls) {
      auto& members = names.walls[rename(wall.cells[0])];
      for (const Simplex& cell : wall.cells) members.insert(rename(cell));
    }
  }
  for (std::uint32_t v = 0; v < number.size(); ++v) {
    names.minimum[number[v]] =
        rename(results.critical.front()[static_cast<std::size_t>(results.descending[v])]);
    if (results.ascending[v] < 0) continue;
    names.maximum[number[v]] =
        rename(results.critical.back()[static_cast<std::size_t>(results.ascending[v])]);
  }
  return names;
}

/// Vertex v of the mesh becomes number[v].
template <int Dim>
SimplexMesh<Dim> renumber_vertices(const SimplexMesh<Dim>& mesh, const std::vector<std::uint32_t>& number) {
  std::vector<std::uint32_t> order(number.size());
  for (std::uint32_t v = 0; v < number.size(); ++v) order[number[v]] = v;
  SimplexMesh<Dim> renumbered;
  renumbered.points = mesh.points.gather(order);
  for (const auto& cell : mesh.cells) {
    auto& corners = renumbered.cells.emplace_back(cell);
    for (VertexId& corner : corners) corner = VertexId(number[corner.index()]);
    std::swap(corners[0], corners[cell[0].index() % (Dim + 1)]);
  }
  return renumbered;
}

/// All values differ, so that input ids do not matter.
template <int Dim>
void check_vertices(const SimplexMesh<Dim>& mesh) {
  const std::vector<std::uint32_t> number = make_permutation(mesh.vertex_count(), 77);
  std::vector<std::uint32_t> same(number.size());
  std::iota(same.begin(), same.end(), 0u);
  const Field field = make_random_field(mesh.vertex_count(), 9);
  std::vector<std::uint32_t> order(number.size());
  for (std::uint32_t v = 0; v < number.size(); ++v) order[number[v]] = v;
  const Results before = compute_results(mesh, field);
  const Results after = compute_results(renumber_vertices(mesh, number), field.gather(order));
  EXPECT_TRUE(name(before, number) == name(after, same));
}

TEST(TopologyInvariance, NumbersOfVertices) {
  check_vertices(make_kuhn(7));
  check_vertices(make_torus(14, 11));
  check_vertices(make_torus3(3));
  check_vertices(make_ball(30, 4));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    check_vertices(oracle::random_mesh<3>(20, 60, seed));
    check_vertices(oracle::random_mesh<2>(20, 40, seed));
  }
}

/// Cells in another order and with turned corners. Labels of maxima are not compared: they are those of the
/// first cell around a vertex.
template <int Dim>
void check_cells(const SimplexMesh<Dim>& mesh, const Field& field) {
  SimplexMesh<Dim> shuffled = mesh;
  const auto order = make_permutation(mesh.cell_count(), 78);
  for (std::size_t c = 0; c < order.size(); ++c) {
    shuffled.cells[c] = mesh.cells[order[c]];
    std::rotate(shuffled.cells[c].begin(), shuffled.cells[c].begin() + static_cast<std::ptrdiff_t>(c % 3),
                shuffled.cells[c].end());
  }
  std::vector<std::uint32_t> same(mesh.vertex_count());
  std::iota(same.begin(), same.end(), 0u);
  Names before = name(compute_results(mesh, field), same);
  Names after = name(compute_results(shuffled, field), same);
  before.maximum.clear();
  after.maximum.clear();
  EXPECT_TRUE(before == after);
}

TEST(TopologyInvariance, OrderOfCells) {
  const TetMesh kuhn = make_kuhn(7);
  check_cells(kuhn, make_random_field(kuhn.vertex_count(), 3));
  check_cells(kuhn, make_tied_field(kuhn.vertex_count(), 4, 3));
  const TriMesh torus = make_torus(14, 11);
  check_cells(torus, make_random_field(torus.vertex_count(), 3));
  check_cells(torus, Field("constant", Array<float>(torus.vertex_count(), 0.0f)));
}

}  // namespace
}  // namespace tessera
