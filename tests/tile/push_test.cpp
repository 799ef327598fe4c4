#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <initializer_list>
#include <map>
#include <set>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/links.h>
#include <tessera/tile/materialize.h>
#include <tessera/tile/push.h>

#include "tile/oracle.h"

namespace tessera {
namespace {

class Push : public testing::Test {
 protected:
  TetMesh mesh = make_shuffled(make_kuhn(9));
  TiledMesh<3> tiles = tile(mesh, {.max_vertices = 40});
  Enumeration<3> enumeration = Enumeration<3>::make_explicit(tiles);
};

const auto index_of = [](auto id) { return id.index(); };

/// Every element is visited once, with the rows that materialize gives.
template <class R, int Dim>
void check(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration, int threads) {
  const auto expected = materialize<R>(tiles, enumeration);
  std::vector<std::atomic<int>> visits(expected.size());
  std::atomic<int> wrong{0};
  for_each<R>(tiles, PushOptions<Dim>{.exec = Exec::host(threads), .enumeration = &enumeration},
              [&](typename R::TiledRow id, IdSpan<typename R::TiledEntry> row) {
                ++visits[id.index()];
                wrong += std::ranges::equal(row.indices(), expected[id], {}, {}, index_of) ? 0 : 1;
              });
  EXPECT_EQ(wrong, 0);
  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

template <class L, int Dim>
void check_links(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration) {
  const auto expected = materialize_links<L>(tiles, enumeration);
  for_each<L>(tiles, PushOptions<Dim>{.exec = Exec::host(2)},
              [&](typename L::TiledRow id, IdSpan<typename L::TiledEntry> row) {
                EXPECT_TRUE(std::ranges::equal(row.indices(), expected[id], {}, {}, index_of));
              });
}

TEST_F(Push, EveryRelationEqualsTheMaterializedOne) {
  for_each_relation<3>([&]<class R>(R, std::string_view) {
    check<R>(tiles, enumeration, 1);
    check<R>(tiles, enumeration, 3);
  });
  const TriMesh surface = make_shuffled(make_torus(20, 11));
  const TiledMesh<2> patches = tile(surface, {.max_vertices = 30});
  const auto implicit = Enumeration<2>::make_implicit(patches);
  for_each_relation<2>([&]<class R>(R, std::string_view) { check<R>(patches, implicit, 2); });
}

// Large stars, facets with many cells, and more neighbour tiles than a worker keeps.
TEST_F(Push, HardMeshesEqualTheMaterializedOnes) {
  const TetMesh cone = make_small_solid("cone");
  const TetMesh crowded = oracle::random_mesh<3>(70, 600, 4);
  for (const TetMesh* hard : {&cone, &crowded}) {
    const TiledMesh<3> small = tile(*hard, {.max_vertices = 1});
    const auto implicit = Enumeration<3>::make_implicit(small);
    const auto whole = Enumeration<3>::make_explicit(small);
    for_each_relation<3>([&]<class R>(R, std::string_view) {
      check<R>(small, implicit, 2);
      check<R>(small, whole, 2);
    });
  }
}

TEST_F(Push, SeveralRelationsComeTogether) {
  const auto vv = materialize<VV>(tiles, enumeration);
  const auto vt = materialize<VT>(tiles, enumeration);
  std::atomic<std::size_t> entries{0};
  for_each<VV, VT>(tiles, PushOptions<3>{.exec = Exec::host(2)},
                   [&](tiled::VertexId v, auto neighbours, auto star) {
                     EXPECT_EQ(neighbours.size(), vv[v].size());
                     EXPECT_EQ(star.size(), vt[v].size());
                     for (const tiled::VertexId u : neighbours) EXPECT_NE(u, v);
                     entries += star.size();
                   });
  EXPECT_EQ(entries, 4 * mesh.cell_count());
}

TEST_F(Push, OnlyTheActiveOnesAreVisited) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t e = 3; e < enumeration.edge_count(); e += 17) chosen.push_back(e);
  const std::span<const std::uint32_t> active(chosen);
  std::vector<std::atomic<int>> visits(enumeration.edge_count());
  for_each<EV>(tiles, PushOptions<3>{.exec = Exec::host(2), .enumeration = &enumeration, .active = active},
               [&](tiled::EdgeId e, auto ends) {
                 ++visits[e.index()];
                 EXPECT_LT(ends[0], ends[1]);
               });
  for (std::uint32_t e = 0; e < visits.size(); ++e) EXPECT_EQ(visits[e], e % 17 == 3 ? 1 : 0);
  const std::span<const std::uint32_t> none;
  for_each<VV>(tiles, PushOptions<3>{.active = none}, [](tiled::VertexId, auto) { FAIL(); });
}

TEST_F(Push, WithoutAnEnumerationOneIsMade) {
  const auto expected = materialize<VE>(tiles, enumeration);
  for_each<VE>(tiles, PushOptions<3>{}, [&](tiled::VertexId v, auto edges) {
    EXPECT_TRUE(std::ranges::equal(edges.indices(), expected[v], {}, {}, index_of));
  });
}

TEST_F(Push, IdsAreConvertedBothWays) {
  std::vector<std::atomic<int>> visits(mesh.vertex_count());
  for_each<VT>(tiles, PushOptions<3>{}, [&](tiled::VertexId v, IdSpan<tiled::TetId> star) {
    const VertexId input = tiles.input(v);
    ++visits[input.index()];
    EXPECT_EQ(tiles.tiled(input), v);
    for (const tiled::TetId t : star) {
      const TetMesh::Cell& cell = mesh[tiles.input(t)];
      EXPECT_NE(std::find(cell.begin(), cell.end(), input), cell.end());
    }
  });
  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

/// Is b a with an even number of exchanges?
template <std::size_t N>
bool is_even_permutation(std::array<VertexId, N> a, const std::array<VertexId, N>& b) {
  bool is_even = true;
  for (std::size_t k = 0; k < N; ++k) {
    const auto at = std::find(a.begin() + k, a.end(), b[k]);
    if (at == a.end()) return false;
    if (at != a.begin() + k) {
      std::swap(*at, a[k]);
      is_even = !is_even;
    }
  }
  return is_even;
}

template <class R, int Dim>
void expect_winding_kept(const SimplexMesh<Dim>& mesh) {
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 30});
  EXPECT_EQ(tiles.validate(mesh), 0);
  std::atomic<std::size_t> cells{0};
  for_each<R>(tiles, PushOptions<Dim>{.exec = Exec::host(2)},
              [&](typename R::TiledRow c, IdSpan<typename R::TiledEntry> corners) {
                std::array<VertexId, Dim + 1> found;
                for (std::size_t k = 0; k <= Dim; ++k) {
                  found[k] = tiles.input(corners[k]);
                  EXPECT_LE(corners[0], corners[k]);
                }
                EXPECT_TRUE(is_even_permutation(mesh[tiles.input(c)], found));
                ++cells;
              });
  EXPECT_EQ(cells, mesh.cell_count());
}

TEST_F(Push, CornersKeepTheWindingOfTheInput) {
  expect_winding_kept<OrientedTV>(mesh);
  expect_winding_kept<OrientedTV>(make_kuhn_full(4));
  expect_winding_kept<OrientedTV>(oracle::random_mesh<3>(40, 150, 3));
  expect_winding_kept<OrientedFV>(make_shuffled(make_torus(20, 11)));
  expect_winding_kept<OrientedFV>(oracle::random_mesh<2>(40, 150, 3));
}

/// Rings of a surface by walking from triangle to triangle, in input ids; empty where there is none.
std::vector<std::vector<std::uint32_t>> walk_rings(const TriMesh& mesh, const TiledMesh<2>& tiles) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> arcs(mesh.vertex_count());
  std::vector<std::set<std::uint32_t>> ends(mesh.vertex_count());
  std::vector<bool> is_broken(mesh.vertex_count(), false);
  for (const TriMesh::Cell& cell : mesh.cells) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = cell[k].index();
      if (!arcs[v].emplace(cell[(k + 1) % 3].index(), cell[(k + 2) % 3].index()).second) is_broken[v] = true;
      if (!ends[v].insert(cell[(k + 2) % 3].index()).second) is_broken[v] = true;
    }
  }
  std::vector<std::vector<std::uint32_t>> rings(mesh.vertex_count());
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    if (is_broken[v] || arcs[v].empty()) continue;
    std::set<std::uint32_t> neighbours = ends[v];
    std::vector<std::uint32_t> starts;
    for (const auto& [from, to] : arcs[v]) {
      neighbours.insert(from);
      if (!ends[v].contains(from)) starts.push_back(from);
    }
    if (starts.size() > 1) continue;
    std::uint32_t at = *neighbours.begin();
    for (const std::uint32_t u : neighbours) {  // the lowest as tiles number them
      if (tiles.tiled(VertexId(u)) < tiles.tiled(VertexId(at))) at = u;
    }
    if (!starts.empty()) at = starts[0];
    std::vector<std::uint32_t> ring;
    while (neighbours.erase(at) == 1) {
      ring.push_back(at);
      const auto next = arcs[v].find(at);
      if (next == arcs[v].end()) break;
      at = next->second;
    }
    if (neighbours.empty()) rings[v] = ring;
  }
  return rings;
}

void expect_rings(const TriMesh& mesh, std::size_t expected_rings) {
  for (const std::uint32_t size : {1u, 30u}) {
    const TiledMesh<2> tiles = tile(mesh, {.max_vertices = size});
    const auto expected = walk_rings(mesh, tiles);
    std::atomic<std::size_t> rings{0};
    for_each<CyclicVV>(tiles, PushOptions<2>{.exec = Exec::host(2)},
                       [&](tiled::VertexId v, IdSpan<tiled::VertexId> ring) {
                         std::vector<std::uint32_t> found;
                         for (const tiled::VertexId u : ring) found.push_back(tiles.input(u).index());
                         EXPECT_EQ(found, expected[tiles.input(v).index()]);
                         rings += ring.empty() ? 0 : 1;
                       });
    EXPECT_EQ(rings, expected_rings);
  }
}

TEST_F(Push, RingsGoAroundVertices) {
  const TriMesh torus = make_shuffled(make_torus(20, 11));
  expect_rings(torus, torus.vertex_count());  // closed
  TriMesh open = torus;
  open.cells.resize(open.cells.size() /
                    2);  // fans that begin at the boundary, and vertices in several of them
  const TiledMesh<2> cut = tile(open, {.max_vertices = 30});
  std::size_t rings = 0;
  for (const auto& ring : walk_rings(open, cut)) rings += ring.empty() ? 0 : 1;
  EXPECT_GT(rings, 0u);
  EXPECT_LT(rings, open.vertex_count());
  expect_rings(open, rings);
}

// Two triangles that meet at a point, two that wind against each other, three at an edge, and nothing at all.
TEST_F(Push, WhereThereIsNoRingTheRowIsEmpty) {
  const auto triangles = [](std::initializer_list<std::array<std::uint32_t, 3>> cells, std::size_t vertices) {
    TriMesh surface;
    surface.points = Array<Vec3f>(vertices, Vec3f{0, 0, 0});
    for (const auto& cell : cells)
      surface.cells.push_back({VertexId(cell[0]), VertexId(cell[1]), VertexId(cell[2])});
    return surface;
  };
  expect_rings(triangles({{0, 1, 2}, {0, 3, 4}}, 6), 4);             // all but vertex 0, and 5 is alone
  expect_rings(triangles({{0, 1, 2}, {0, 1, 3}}, 4), 2);             // the shared edge winds twice one way
  expect_rings(triangles({{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}, 5), 3);  // an edge of three triangles
}

TEST_F(Push, LinksAreHandedOutToo) {
  const TriMesh surface = make_shuffled(make_torus(20, 11));
  const TiledMesh<2> patches = tile(surface, {.max_vertices = 30});
  const auto numbers = Enumeration<2>::make_explicit(patches);
  check_links<EdgeLink<2>>(patches, numbers);
  check_links<VertexLink<2>>(patches, numbers);
  check_links<VertexLink<3>>(tiles, enumeration);
  check_links<EdgeLink<3>>(tiles, enumeration);
  check_links<FaceLink<3>>(tiles, enumeration);
}

// What cannot be done is an error: a host compiler makes no kernels.
TEST_F(Push, ADeviceNeedsKernels) {
  if (devices().empty()) GTEST_SKIP() << no_device_reason();
  EXPECT_THROW(for_each<VV>(tiles, PushOptions<3>{.exec = Exec::cuda()}, [](tiled::VertexId, auto) {}),
               Error);
}

TEST_F(Push, StopsOnRequest) {
  std::stop_source source;
  const Monitor monitor{{}, source.get_token()};
  std::size_t visits = 0;
  try {
    for_each<VV>(tiles, PushOptions<3>{.exec = Exec::host(1), .monitor = &monitor},
                 [&](tiled::VertexId, auto) {
                   ++visits;
                   source.request_stop();
                 });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  EXPECT_LE(visits, 40u);  // the rest of the first tile
}

TEST_F(Push, MaterializeStopsOnRequest) {
  std::stop_source source;
  source.request_stop();
  const Monitor monitor{{}, source.get_token()};
  EXPECT_THROW((void)materialize<VV>(tiles, enumeration, {.monitor = &monitor}), Error);
  EXPECT_THROW((void)materialize_boundary<Kind::vertex>(tiles, enumeration, {.monitor = &monitor}), Error);
}

}  // namespace
}  // namespace tessera
