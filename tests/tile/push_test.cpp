#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
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

/// Every element is visited once, with the rows that materialize gives.
template <class R, int Dim>
void check(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration, int threads) {
  const auto expected = materialize<R>(tiles, enumeration);
  std::vector<std::atomic<int>> visits(expected.size());
  std::atomic<int> wrong{0};
  for_each<R>(tiles, PushOptions<Dim>{.exec = Exec::host(threads), .enumeration = &enumeration},
              [&](typename R::Row id, auto row) {
                ++visits[id.index()];
                const auto right = expected[id];
                wrong += std::equal(row.begin(), row.end(), right.begin(), right.end()) ? 0 : 1;
              });
  EXPECT_EQ(wrong, 0);
  for (const auto& count : visits) ASSERT_EQ(count, 1);
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
  for_each<VV, VT>(tiles, PushOptions<3>{.exec = Exec::host(2)}, [&](VertexId v, auto neighbours, auto star) {
    EXPECT_EQ(neighbours.size(), vv[v].size());
    EXPECT_EQ(star.size(), vt[v].size());
    for (const VertexId u : neighbours) EXPECT_NE(u, v);
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
               [&](EdgeId e, auto ends) {
                 ++visits[e.index()];
                 EXPECT_LT(ends[0], ends[1]);
               });
  for (std::uint32_t e = 0; e < visits.size(); ++e) EXPECT_EQ(visits[e], e % 17 == 3 ? 1 : 0);
  const std::span<const std::uint32_t> none;
  for_each<VV>(tiles, PushOptions<3>{.active = none}, [](VertexId, auto) { FAIL(); });
}

TEST_F(Push, ForgettingTheEnumerationIsABrokenContract) {
  EXPECT_DEATH(for_each<VE>(tiles, PushOptions<3>{}, [](VertexId, auto) {}), "broken contract");
}

TEST_F(Push, StopsOnRequest) {
  std::stop_source source;
  const Monitor monitor{{}, source.get_token()};
  std::size_t visits = 0;
  try {
    for_each<VV>(tiles, PushOptions<3>{.exec = Exec::host(1), .monitor = &monitor}, [&](VertexId, auto) {
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
