// Pulled rows equal the oracle's for every relation, storage mode, kind of ids, budget, tile size, number of
// consumers and producers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/connect/detail/connect_tiled.h>
#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/links.h>
#include <tessera/tile/materialize.h>

#include "connect/input_rows.h"

namespace tessera {
namespace {

using oracle::IndexRows;

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

/// Goes through all rows forwards, backwards or in a scattered order.
template <class R, int Dim>
std::size_t count_wrong(const Rows<R, Dim>& rows, const IndexRows& expected, int order) {
  std::size_t wrong = 0;
  auto reader = rows.reader();
  const std::uint32_t n = static_cast<std::uint32_t>(expected.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t id = order == 0   ? i
                             : order == 1 ? n - 1 - i
                                          : static_cast<std::uint32_t>(i * 7919ull % n);
    const auto same = [&](const auto& row) {
      return std::equal(row.begin(), row.end(), expected[id].begin(), expected[id].end(),
                        [](auto entry, std::uint32_t index) { return entry.index() == index; });
    };
    wrong += same(rows[typename R::Row(id)]) ? 0 : 1;
    wrong += same(reader[typename R::Row(id)]) ? 0 : 1;
  }
  return wrong;
}

template <class R, int Dim>
void check_relation(Connectivity<Dim>& conn, const IndexRows& expected) {
  const auto [rows] = conn.template request<R>();
  ASSERT_EQ(rows.size(), expected.size());
  std::vector<std::thread> consumers;
  std::atomic<std::size_t> wrong{0};
  for (int order = 0; order < 3; ++order) {
    consumers.emplace_back([&, order, rows = rows] { wrong += count_wrong<R, Dim>(rows, expected, order); });
  }
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(wrong, 0u);
}

template <class R, int Dim>
void check_settings(const TiledMesh<Dim>& tiles, const IndexRows& input, const IndexRows& tiled) {
  const Exec exec = Exec::host(3);
  for (const Setting& setting : settings) {
    SCOPED_TRACE(key_of<R>.name() + " mode " + std::to_string(static_cast<int>(setting.mode)) + " memory " +
                 std::to_string(setting.memory));
    const RelationKey keys[] = {key_of<R>};
    const ConnectPlan costs = plan(tiles, keys, {.exec = exec, .producers = setting.producers});
    const Bytes memory = setting.memory > 0 ? setting.memory : least_memory(costs, setting.mode);
    const ConnectOptions options = {
        .mode = setting.mode, .memory = memory, .producers = setting.producers, .exec = exec};
    Connectivity<Dim> conn = connect(tiles, options);
    check_relation<R>(conn, input);
    EXPECT_LE(conn.choice().total, memory);
    Connectivity<Dim> inner = detail::connect_tiled(tiles, options);
    check_relation<R>(inner, tiled);
  }
}

template <int Dim>
void check_all(const SimplexMesh<Dim>& mesh, const TileOptions& options) {
  SCOPED_TRACE("tiles of " + std::to_string(options.max_vertices));
  const TiledMesh<Dim> tiles = tile(mesh, options);
  const oracle::Complex complex = oracle::complex_of(mesh, tiles);
  const auto check = [&]<class R>(R, const IndexRows& tiled) {
    check_settings<R>(tiles, oracle::in_input_ids(tiles, R::from, R::to, tiled), tiled);
  };
  for_each_relation<Dim>([&]<class R>(R relation, std::string_view) {
    check(relation, complex.relation(static_cast<int>(R::from), static_cast<int>(R::to)));
  });
  check(VertexLink<Dim>{}, complex.links(0));
  check(EdgeLink<Dim>{}, complex.links(1));
  if constexpr (Dim == 3) check(FaceLink<3>{}, complex.links(2));
}

TEST(Connectivity, PulledRowsEqualTheOracles3D) {
  for (const std::uint32_t size : {1u, 30u, 1000u})
    check_all(make_shuffled(make_kuhn(6)), {.max_vertices = size});
}
TEST(Connectivity, PulledRowsEqualTheOracles2D) {
  for (const std::uint32_t size : {1u, 20u, 1000u})
    check_all(make_shuffled(make_torus(14, 9)), {.max_vertices = size});
}
TEST(Connectivity, PulledRowsOfPathologicalMeshesEqualTheOracles) {
  check_all(oracle::random_mesh<3>(20, 60, 5), {.max_vertices = 4});
  check_all(oracle::random_mesh<2>(20, 60, 5), {.max_vertices = 4});
  check_all(make_small_solid("isolated_vertices"), {.max_vertices = 2});
  check_all(make_small_surface("three_face_fan"), {.max_vertices = 2});
}

// Kuhn meshes come in a good order, and keep it.
TEST(Connectivity, EqualNumberingsNeedNoMaps) {
  const TetMesh mesh = make_kuhn(7);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 30, .order = VertexOrder::input});
  ASSERT_TRUE(tiles.keeps_vertex_order() && tiles.keeps_cell_order());
  check_all(mesh, {.max_vertices = 30, .order = VertexOrder::input});
  check_all(mesh, {.max_vertices = 30, .order = VertexOrder::morton});
}

/// Tiles within the smallest budget that works.
template <class... R, int Dim>
ConnectOptions least_of(const TiledMesh<Dim>& tiles) {
  constexpr std::array keys = {key_of<R>...};
  return {.mode = StorageMode::explicit_tiles,
          .memory = least_memory(plan(tiles, keys), StorageMode::explicit_tiles)};
}

/// Eight consumers at once pull every row.
template <class R>
std::uint64_t count_entries(const Rows<R, 3>& rows) {
  std::atomic<std::uint64_t> entries{0};
  std::vector<std::thread> consumers;
  for (std::uint32_t first = 0; first < 8; ++first) {
    consumers.emplace_back([&, first] {
      auto reader = rows.reader();
      std::uint64_t own = 0;
      for (std::size_t i = 0; i < rows.size(); ++i)
        own +=
            reader[typename R::Row(static_cast<std::uint32_t>((i + first * rows.size() / 8) % rows.size()))]
                .size();
      entries += own;
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  return entries;
}

// One worker at a time computes; the others wait for it.
TEST(Connectivity, TheLeastBudgetServesManyConsumers) {
  const TetMesh mesh = make_kuhn(10);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64});
  const RelationKey keys[] = {key_of<VT>, key_of<EE>};
  for (const StorageMode mode : {StorageMode::explicit_tiles, StorageMode::implicit_tiles}) {
    for (const int producers : {0, 3}) {
      const ConnectPlan costs = plan(tiles, keys, {.exec = Exec::host(64), .producers = producers});
      const Bytes memory = least_memory(costs, mode);
      Connectivity<3> conn =
          connect(tiles, {.mode = mode, .memory = memory, .producers = producers, .exec = Exec::host(64)});
      const auto [vt, ee] = conn.request<VT, EE>();
      EXPECT_EQ(conn.choice().workers, 1);
      EXPECT_EQ(count_entries<VT>(vt), 8 * costs.relations[0].entries);
      EXPECT_EQ(count_entries<EE>(ee), 8 * costs.relations[1].entries);
      const ModeChoice choice = conn.choice();
      EXPECT_LE(choice.total, memory);
      EXPECT_LE(vt.statistics().bytes + ee.statistics().bytes, choice.store);  // nobody holds any
      EXPECT_GT(ee.statistics().evicted, 0u);
    }
  }
}

// A request that leaves room for fewer workers waits for those who compute.
TEST(Connectivity, LaterRequestsTakeWorkersAway) {
  const TetMesh mesh = make_kuhn(12);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64});
  const RelationKey keys[] = {key_of<VT>, key_of<FF>};
  const Exec exec = Exec::host(16);
  const ConnectPlan costs = plan(tiles, keys, {.exec = exec});
  const StorageMode mode = StorageMode::implicit_tiles;
  Connectivity<3> conn = connect(tiles, {.mode = mode, .memory = least_memory(costs, mode), .exec = exec});
  const auto [vt] = conn.request<VT>();
  EXPECT_GT(conn.choice().workers, 1);
  std::thread reading([&, vt = vt] { EXPECT_EQ(count_entries<VT>(vt), 8 * costs.relations[0].entries); });
  const auto [ff] = conn.request<FF>();
  EXPECT_EQ(conn.choice().workers, 1);
  EXPECT_EQ(count_entries<FF>(ff), 8 * costs.relations[1].entries);
  reading.join();
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

// The tiles that connect(mesh) makes live as long as anything that needs them.
TEST(Connectivity, DirectlyFromAMesh) {
  const TetMesh mesh = make_shuffled(make_kuhn(6));
  const TiledMesh<3> tiles = tile(mesh);
  auto [vv, tv] = connect(mesh, {.mode = StorageMode::explicit_tiles, .tile_vertices = 20}).request<VV, TV>();
  Connectivity<3> other = connect(tiles);
  const auto [expected_vv, expected_tv] = other.request<VV, TV>();
  for (const VertexId v : mesh.vertices()) {
    const Row<VV> row = vv[v], expected = expected_vv[v];
    EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.begin(), expected.end()));
  }
  for (const TetId t : tv.ids()) {
    const Row<TV> corners = tv[t];
    TetMesh::Cell expected = mesh[t];
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(std::equal(corners.begin(), corners.end(), expected.begin(), expected.end()));
  }
  const TriMesh surface = make_torus(9, 7);
  EXPECT_EQ(std::get<0>(connect(surface).request<VF>()).size(), surface.vertex_count());
}

TEST(ConnectMemory, TilesOfItsOwnAreCounted) {
  const TetMesh mesh = make_shuffled(make_kuhn(16));
  const TiledMesh<3> tiles = tile(mesh);
  const RelationKey keys[] = {key_of<VT>};
  const Bytes least = least_memory(plan(tiles, keys));
  const Bytes both = least + tiles.bytes();
  Connectivity<3> works = connect(mesh, {.memory = both});
  EXPECT_NO_THROW((void)works.request<VT>());
  EXPECT_LE(works.choice().total, both);
  Connectivity<3> fails = connect(mesh, {.memory = both - 1});
  try {
    (void)fails.request<VT>();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(both) + " bytes"), std::string::npos)
        << error.what();
  }
}

template <int Dim>
void expect_same_by_name(const SimplexMesh<Dim>& mesh) {
  Connectivity<Dim> conn = connect(mesh, {.mode = StorageMode::explicit_tiles, .tile_vertices = 20});
  const auto check = [&]<class R>(R) {
    const auto [rows] = conn.template request<R>();
    const AnyRows any = conn.rows(key_of<R>);
    EXPECT_EQ(any.relation(), key_of<R>);
    ASSERT_EQ(any.size(), rows.size());
    AnyRows::Reader reader = any.reader();
    std::vector<int> is_met(any.size(), 0);
    for (std::uint32_t i = 0; i < any.size(); ++i) {
      const std::uint32_t id = any.in_tile_order(i);
      is_met[id] = 1;
      const Row<R> expected = rows[typename R::Row(id)];
      const auto row = reader[id];
      EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.begin(), expected.end(),
                             [](std::uint32_t a, auto b) { return a == b.index(); }));
    }
    EXPECT_EQ(std::ranges::count(is_met, 1), static_cast<std::ptrdiff_t>(any.size()));
  };
  for_each_relation<Dim>([&](auto relation, std::string_view) { check(relation); });
  check(VertexLink<Dim>{});
  check(EdgeLink<Dim>{});
}

TEST(Connectivity, RelationsByName) {
  expect_same_by_name(make_shuffled(make_kuhn(5)));
  expect_same_by_name(make_shuffled(make_torus(9, 7)));
  const TriMesh surface = make_torus(9, 7);
  EXPECT_THROW((void)connect(surface).rows(key_of<VT>), Error);
}

// In the order of tiles, each is computed once, however small the store is.
TEST(Connectivity, TileOrderComputesEachTileOnce) {
  const TetMesh mesh = make_shuffled(make_kuhn(10));
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 30});
  Connectivity<3> conn = connect(tiles, least_of<TV>(tiles));
  const AnyRows rows = conn.rows(key_of<TV>);
  AnyRows::Reader reader = rows.reader();
  for (std::uint32_t i = 0; i < rows.size(); ++i) EXPECT_EQ(reader[rows.in_tile_order(i)].size(), 4u);
  EXPECT_EQ(rows.statistics().produced, rows.statistics().misses);
  EXPECT_LE(rows.statistics().produced, tiles.tile_count());
}

TEST(Connectivity, HandlesKeepItAlive) {
  const TetMesh mesh = make_kuhn(6);
  const TiledMesh<3> tiles = tile(mesh);
  auto vt = [&] {
    return std::get<0>(connect(tiles, {.mode = StorageMode::explicit_tiles, .producers = 1}).request<VT>());
  }();
  EXPECT_GT(vt[VertexId(0)].size(), 0u);
}

TEST(Connectivity, OptionsThatMeanNothingAreRefused) {
  const TetMesh mesh = make_kuhn(6);
  const auto expect_refused = [&](const ConnectOptions& options) {
    try {
      (void)connect(mesh, options);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option) << error.what();
    }
  };
  expect_refused({.producers = -1});
  expect_refused({.look_ahead = 0});
  expect_refused({.device_look_ahead = -1});
  expect_refused({.device_batch = 0});
  expect_refused({.device_threads = 33});
}

// What was there before a request that is cancelled stays.
TEST(Connectivity, ARequestCanBeCancelled) {
  const TetMesh mesh = make_kuhn(12);
  std::stop_source stop;
  std::vector<std::string> stages;
  const Monitor monitor = {.report = [&](std::string_view stage, double) { stages.emplace_back(stage); },
                           .stop = stop.get_token()};
  auto connection = connect(mesh, {.memory = mib(64), .monitor = &monitor});
  const auto [vv] = connection.request<VV>();
  EXPECT_FALSE(stages.empty());
  stop.request_stop();
  try {
    (void)connection.request<EF>();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  auto quiet = connect(mesh);
  const auto [expected] = quiet.request<VV>();
  for (const VertexId v : mesh.vertices())
    ASSERT_TRUE(std::ranges::equal(vv.reader()[v].indices(), expected.reader()[v].indices())) << v.index();
  EXPECT_THROW((void)connect(mesh, {.monitor = &monitor}), Error);
}

}  // namespace
}  // namespace tessera
