// Rows whose tiles a device makes: those that consumers make themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/connect/detail/connect_tiled.h>
#include <tessera/exec/buffer.h>
#include <tessera/mesh/make.h>

#include "exec/fail_after.h"
#include "tile/oracle.h"

namespace tessera {

using namespace detail;
namespace {

class DeviceProducers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

template <class R, int Dim>
std::size_t count_different(const Rows<R, Dim>& expected, const Rows<R, Dim>& rows, int order) {
  std::size_t wrong = 0;
  auto reader = rows.reader();
  const std::uint32_t n = static_cast<std::uint32_t>(expected.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t id = order == 0   ? i
                             : order == 1 ? n - 1 - i
                                          : static_cast<std::uint32_t>(i * 7919ull % n);
    const auto want = expected[typename R::Row(id)];
    const auto got = reader[typename R::Row(id)];
    wrong += std::equal(want.begin(), want.end(), got.begin(), got.end()) ? 0 : 1;
  }
  return wrong;
}

template <int Dim>
void expect_same(const SimplexMesh<Dim>& mesh, const TileOptions& tiling, const std::string& name,
                 Bytes device_memory = 0, Bytes pinned_memory = mib(64)) {
  const TiledMesh<Dim> tiles = tile(mesh, tiling);
  for (const bool is_tiled : {false, true}) {
    const auto open = [&](const ConnectOptions& options) {
      return is_tiled ? detail::connect_tiled(tiles, options) : connect(tiles, options);
    };
    for (const Bytes memory : {mib(1), gib(1)}) {
      Connectivity<Dim> host = open({.mode = StorageMode::materialized, .memory = gib(8)});
      Connectivity<Dim> device = open({.mode = StorageMode::explicit_tiles,
                                       .memory = memory + mib(64),
                                       .exec = Exec::cuda(0, 3),
                                       .device_look_ahead = 3,
                                       .device_batch = 8,
                                       .device_memory = device_memory,
                                       .pinned_memory = pinned_memory});
      for_each_relation<Dim>([&](auto relation, std::string_view relation_name) {
        using R = decltype(relation);
        const auto [expected] = host.template request<R>();
        const auto [rows] = device.template request<R>();
        ASSERT_EQ(rows.size(), expected.size());
        std::atomic<std::size_t> wrong{0};
        std::vector<std::thread> consumers;
        for (int order = 0; order < 3; ++order) {
          consumers.emplace_back([&, order, rows = rows, expected = expected] {
            wrong += count_different<R, Dim>(expected, rows, order);
          });
        }
        for (std::thread& consumer : consumers) consumer.join();
        EXPECT_EQ(wrong, 0u) << name << " " << relation_name;
        EXPECT_EQ(device.no_device_producers(), "") << name;
        EXPECT_EQ(device.has_device_windows(), device_memory != 0) << name;
        constexpr bool is_side_by_side = R::is_adjacency && R::from != Kind::vertex;
        if (R::is_boundary || (is_side_by_side && device_memory != 0)) return;  // made by consumers
        const DeviceReport report = rows.device_report();
        EXPECT_GT(report.batches, 0u) << name << " " << relation_name;
        EXPECT_GE(report.tiles, report.all.requests);
      });
    }
  }
}

TEST_F(DeviceProducers, RowsAreTheHosts) {
  expect_same(make_shuffled(make_kuhn(10)), {.max_vertices = 64}, "kuhn 10");
  expect_same(make_kuhn(10), {.max_vertices = 600}, "kuhn 10, large tiles");
  expect_same(make_kuhn(10), {.max_vertices = 64, .exec = Exec::cuda(0, 2)}, "kuhn 10, cut by the device");
  expect_same(make_shuffled(make_torus(40, 20)), {.max_vertices = 64}, "torus");
  expect_same(oracle::random_mesh<3>(60, 200, 1), {.max_vertices = 9}, "random");
}

TEST_F(DeviceProducers, DeviceWithoutRoomForTheMesh) {
  expect_same(make_shuffled(make_kuhn(12)), {.max_vertices = 64}, "kuhn 12", 100'000);
  expect_same(make_kuhn(12), {.max_vertices = 64}, "kuhn 12, a tile at a time", 1);
  expect_same(make_shuffled(make_torus(60, 30)), {.max_vertices = 64}, "torus", 100'000);
}

// The enumeration may come when windows are there already.
TEST_F(DeviceProducers, WindowsBeforeTheEnumeration) {
  const TetMesh mesh = make_kuhn(12);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64, .exec = Exec::host(2)});
  Connectivity<3> host(tiles, {.mode = StorageMode::materialized});
  Connectivity<3> device(
      tiles, {.mode = StorageMode::explicit_tiles, .exec = Exec::cuda(0, 2), .device_memory = 100'000});
  const auto [expected_vt, expected_vf] = host.request<VT, VF>();
  const auto [vt] = device.request<VT>();
  EXPECT_EQ((count_different<VT, 3>(expected_vt, vt, 0)), 0u);
  const auto [vf] = device.request<VF>();
  EXPECT_EQ((count_different<VF, 3>(expected_vf, vf, 0)), 0u);
  EXPECT_TRUE(device.has_device_windows());
  EXPECT_EQ(device.no_device_producers(), "");
  EXPECT_GT(vf.device_report().tiles, 0u);
}

TEST_F(DeviceProducers, LittlePinnedMemory) {
  expect_same(make_kuhn(12), {.max_vertices = 64}, "kuhn 12", 0, 1);
}

TEST_F(DeviceProducers, TilesThatAreTooLargeAreMadeToo) {
  TriMesh mesh;
  mesh.points = Array<Vec3f>(40002, Vec3f{0, 0, 0});
  for (std::uint32_t i = 0; i < 40000; ++i) {
    mesh.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(2 + i)});
  }
  const TiledMesh<2> tiles = tile(mesh);
  const auto open = [&](bool by_device) {
    return connect(
        tiles, {.mode = StorageMode::explicit_tiles, .exec = by_device ? Exec::cuda(0, 2) : Exec::host(2)});
  };
  auto host = open(false);
  auto device = open(true);
  const auto [expected_vf, expected_ef] = host.request<VF, EF>();
  const auto [vf, ef] = device.request<VF, EF>();
  EXPECT_EQ((count_different<VF, 2>(expected_vf, vf, 0)), 0u);
  EXPECT_EQ((count_different<EF, 2>(expected_ef, ef, 2)), 0u);
  EXPECT_EQ(device.no_device_producers(), "");
  EXPECT_GT(vf.device_report().tiles, 0u);
}

// Wherever the device fails, consumers get their rows, and the connection says why.
TEST_F(DeviceProducers, FailureAnywhere) {
  const TetMesh mesh = make_kuhn(10);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64, .exec = Exec::host(2)});
  Connectivity<3> host(tiles, {.mode = StorageMode::materialized});
  const auto [expected_vt, expected_ef] = host.request<VT, EF>();
  const Exec exec = Exec::cuda(0, 2);
  int failures = 0;
  for (std::int64_t calls = 0;; calls = calls + 1 + calls / 8) {
    const auto failing = std::make_shared<testing::FailAfter>(calls);
    Connectivity<3> device(tiles, {.mode = StorageMode::explicit_tiles,
                                   .memory = mib(64),
                                   .exec = exec.with_watch(failing),
                                   .device_look_ahead = 2,
                                   .device_batch = 4});
    const auto [vt, ef] = device.request<VT, EF>();
    EXPECT_EQ((count_different<VT, 3>(expected_vt, vt, 2)), 0u) << calls;
    EXPECT_EQ((count_different<EF, 3>(expected_ef, ef, 1)), 0u) << calls;
    if (!failing->has_failed()) {
      EXPECT_EQ(device.no_device_producers(), "");
      break;
    }
    ++failures;
    EXPECT_NE(device.no_device_producers(), "") << calls;
  }
  EXPECT_GT(failures, 20);
}

// A device without room for the enumeration, say, leaves the work to consumers.
TEST_F(DeviceProducers, OutOfMemory) {
  const TetMesh mesh = make_kuhn(16);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64, .exec = Exec::host(2)});
  Connectivity<3> host(tiles, {.mode = StorageMode::materialized});
  const auto [expected] = host.request<EF>();
  for (const Bytes limit : {Bytes{1}, Bytes{1} << 16, Bytes{1} << 19, Bytes{1} << 20, Bytes{1} << 21}) {
    Connectivity<3> device(tiles, {.mode = StorageMode::explicit_tiles,
                                   .memory = mib(64),
                                   .exec = Exec::cuda(0, 2).with_memory_limit(limit)});
    const auto [rows] = device.request<EF>();
    EXPECT_EQ((count_different<EF, 3>(expected, rows, 2)), 0u) << limit;
    if (limit == 1) {
      EXPECT_NE(device.no_device_producers().find("free"), std::string::npos) << device.no_device_producers();
    }
  }
}

}  // namespace
}  // namespace tessera
