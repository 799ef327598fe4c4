// Rows whose tiles a device makes: those that consumers make themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/mesh/make.h>

#include "tile/oracle.h"

namespace tessera {
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
void expect_same(const SimplexMesh<Dim>& mesh, const TileOptions& tiling, const std::string& name) {
  const TiledMesh<Dim> tiles = tile(mesh, tiling);
  for (const Ids ids : {Ids::input, Ids::tiled}) {
    for (const Bytes memory : {mib(1), gib(1)}) {
      Connectivity<Dim> host(tiles, {.mode = StorageMode::materialized, .ids = ids, .memory = gib(8)});
      Connectivity<Dim> device(tiles, {.mode = StorageMode::explicit_tiles,
                                       .ids = ids,
                                       .memory = memory + mib(64),
                                       .exec = Exec::cuda(0, 3),
                                       .device_producers = true,
                                       .device_look_ahead = 3,
                                       .device_batch = 8});
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
        if (R::is_boundary || !device.no_device_producers().empty()) return;
        const DeviceStatistics statistics = rows.device_statistics();
        EXPECT_GT(statistics.batches, 0u) << name << " " << relation_name;
        EXPECT_GE(statistics.tiles, statistics.requests);
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

TEST_F(DeviceProducers, WhatIsTooLargeStaysWithConsumers) {
  std::vector<std::array<std::uint32_t, 3>> fan;
  TriMesh mesh;
  Array<Vec3f> points(40002, Vec3f{0, 0, 0});
  mesh.points = std::move(points);
  for (std::uint32_t i = 0; i < 40000; ++i) {
    mesh.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(2 + i)});
  }
  const TiledMesh<2> tiles = tile(mesh);
  auto conn = connect(
      tiles, {.mode = StorageMode::explicit_tiles, .exec = Exec::cuda(0, 2), .device_producers = true});
  const auto [vf] = conn.request<VF>();
  EXPECT_NE(conn.no_device_producers(), "");
  EXPECT_EQ(vf[VertexId(0)].size(), 40000u);
  EXPECT_EQ(vf.device_statistics().batches, 0u);
}

}  // namespace
}  // namespace tessera
