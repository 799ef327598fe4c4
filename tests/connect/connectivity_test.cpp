// Pulled rows equal materialized ones for every relation, storage mode, budget, number of consumers and
// producers.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/materialize.h>

namespace tessera {
namespace {

struct Setting {
  StorageMode mode;
  Bytes memory;  // 0: the least that works
  int producers;
};

const std::vector<Setting> settings = {
    {StorageMode::materialized, 0, 0},   {StorageMode::explicit_tiles, gib(1), 0},
    {StorageMode::explicit_tiles, 0, 0}, {StorageMode::implicit_tiles, gib(1), 0},
    {StorageMode::explicit_tiles, 0, 2}, {StorageMode::implicit_tiles, 0, 3},
    {StorageMode::automatic, gib(1), 0}, {StorageMode::automatic, 0, 1},
};

void prepare_all(Connectivity<3>& conn) {
  (void)conn.request<EV, FV, FE, TV, TE, TF, VE, VF, VT, EF, ET, FT, VV, EE, FF, TT>();
}
void prepare_all(Connectivity<2>& conn) {
  (void)conn.request<EV, FV, FE, VE, VF, EF, VV, EE, FF>();
}

/// Goes through all rows forwards, backwards or in a scattered order.
template <class R, int Dim>
std::size_t count_wrong(const Rows<R, Dim>& rows, const Csr<typename R::Row, typename R::Entry>& expected,
                        int order) {
  std::size_t wrong = 0;
  const std::uint32_t n = static_cast<std::uint32_t>(expected.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t id = order == 0   ? i
                             : order == 1 ? n - 1 - i
                                          : static_cast<std::uint32_t>(i * 7919ull % n);
    const Row<R> row = rows[typename R::Row(id)];
    const auto right = expected[typename R::Row(id)];
    wrong += std::equal(row.begin(), row.end(), right.begin(), right.end()) ? 0 : 1;
  }
  return wrong;
}

template <int Dim>
void check_all(const SimplexMesh<Dim>& mesh, std::uint32_t size) {
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = size});
  const auto enumeration = Enumeration<Dim>::make_explicit(tiles);
  for (const Setting& setting : settings) {
    const ConnectPlan costs = plan(tiles, list_relations(Dim), {.producers = setting.producers});
    const Bytes memory = setting.memory > 0 ? setting.memory : least_memory(costs, setting.mode);
    Connectivity<Dim> conn(tiles, {.mode = setting.mode, .memory = memory, .producers = setting.producers});
    prepare_all(conn);
    for_each_relation<Dim>([&]<class R>(R, std::string_view name) {
      const auto expected = materialize<R>(tiles, enumeration);
      const auto [rows] = conn.template request<R>();
      ASSERT_EQ(rows.size(), expected.size()) << name;
      std::vector<std::thread> consumers;
      std::atomic<std::size_t> wrong{0};
      for (int order = 0; order < 3; ++order) {
        consumers.emplace_back(
            [&, order, rows = rows] { wrong += count_wrong<R, Dim>(rows, expected, order); });
      }
      for (std::thread& consumer : consumers) consumer.join();
      EXPECT_EQ(wrong, 0u) << name << " mode " << static_cast<int>(setting.mode) << " memory "
                           << setting.memory;
    });
  }
}

TEST(Connectivity, PulledRowsEqualMaterializedOnes3D) {
  check_all(make_shuffled(make_kuhn(7)), 30);
}
TEST(Connectivity, PulledRowsEqualMaterializedOnes2D) {
  check_all(make_shuffled(make_torus(14, 9)), 20);
}

/// Tiles within the smallest budget that works.
template <class... R, int Dim>
ConnectOptions least_of(const TiledMesh<Dim>& tiles) {
  constexpr std::array keys = {key_of<R>...};
  return {.mode = StorageMode::explicit_tiles,
          .memory = least_memory(plan(tiles, keys), StorageMode::explicit_tiles)};
}

TEST(Connectivity, ReadersKeepTheirTile) {
  const TetMesh mesh = make_kuhn(10);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64});
  Connectivity<3> conn = connect(tiles, least_of<VT, VV>(tiles));
  const auto [vt, vv] = conn.request<VT, VV>();
  auto reader = vt.reader();
  std::size_t entries = 0;
  for (std::uint32_t v = 0; v < vt.size(); ++v) entries += reader[VertexId(v)].size();
  EXPECT_EQ(entries, 4 * mesh.cell_count());
  EXPECT_EQ(vt.statistics().misses, tiles.tile_count());  // in order, each tile is loaded once
  EXPECT_EQ(vt.statistics().produced, tiles.tile_count());
  EXPECT_EQ(vv.statistics().produced, 0u);  // not used, not computed
}

TEST(Connectivity, RowsOutliveEviction) {
  const TetMesh mesh = make_kuhn(8);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 10});
  Connectivity<3> conn = connect(tiles, least_of<VV>(tiles));
  const auto [vv] = conn.request<VV>();
  const Row<VV> first = vv[VertexId(0)];
  const std::vector<VertexId> before(first.begin(), first.end());
  for (std::uint32_t v = 0; v < vv.size(); ++v) (void)vv[VertexId(v)];
  EXPECT_GT(vv.statistics().evicted, 0u);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), before.begin(), before.end()));
}

TEST(Connectivity, ProducersWorkAhead) {
  const TetMesh mesh = make_kuhn(16);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64});
  Connectivity<3> conn =
      connect(tiles, {.mode = StorageMode::explicit_tiles, .producers = 2, .look_ahead = 8});
  const auto [vv] = conn.request<VV>();
  auto reader = vv.reader();
  std::size_t entries = reader[VertexId(0)].size();
  while (vv.statistics().ahead < 8)
    std::this_thread::yield();  // the next eight tiles, before they are asked for
  for (std::uint32_t v = 1; v < vv.size(); ++v) entries += reader[VertexId(v)].size();
  EXPECT_EQ(entries, 2 * conn.enumeration().edge_count());
  EXPECT_EQ(vv.statistics().produced, tiles.tile_count());  // once each, by whom ever
  EXPECT_EQ(vv.statistics().hits + vv.statistics().misses, tiles.tile_count());
}

// Scratch that was made for VT, before there was an enumeration, serves VE too.
TEST(Connectivity, LaterRequestsMayNeedMore) {
  const TetMesh mesh = make_kuhn(8);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 30});
  Connectivity<3> conn = connect(tiles, {.mode = StorageMode::explicit_tiles});
  const auto [vt] = conn.request<VT>();
  EXPECT_GT(vt[VertexId(0)].size(), 0u);
  const auto [ve] = conn.request<VE>();
  std::size_t entries = 0;
  for (std::uint32_t v = 0; v < ve.size(); ++v) entries += ve[VertexId(v)].size();
  EXPECT_EQ(entries, 2 * conn.enumeration().edge_count());
}

TEST(Connectivity, HandlesKeepItAlive) {
  const TetMesh mesh = make_kuhn(6);
  const TiledMesh<3> tiles = tile(mesh);
  auto vt = [&] {
    return std::get<0>(connect(tiles, {.mode = StorageMode::explicit_tiles, .producers = 1}).request<VT>());
  }();
  EXPECT_GT(vt[VertexId(0)].size(), 0u);
}

}  // namespace
}  // namespace tessera
