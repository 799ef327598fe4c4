// Relations that a device works out: those of the host, bit for bit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/tile/cuda/device_relations.h>
#include <tessera/tile/materialize.h>
#include <tessera/tile/rows.h>

#include "tile/oracle.h"

namespace tessera {
namespace {

class RelationsOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

template <int Dim>
void expect_same(const SimplexMesh<Dim>& mesh, const std::string& name) {
  for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
    for (const std::uint32_t size : {1u, 50u, 256u}) {
      const TiledMesh<Dim> tiles =
          tile(mesh, {.max_vertices = size, .order = order, .exec = Exec::cuda(0, 2)});
      const Enumeration<Dim> enumeration = Enumeration<Dim>::make_explicit(tiles, Exec::host(2));
      cuda::DeviceRelations<Dim> device(*tiles.on_device());
      device.enumerate();
      EXPECT_EQ(device.edge_count(), enumeration.edge_count()) << name;
      EXPECT_EQ(device.face_count(), enumeration.face_count()) << name;
      EXPECT_EQ(device.edges.values.to_host(), enumeration.whole().edge_hi) << name;
      EXPECT_EQ(device.edges.offsets.to_host(), enumeration.whole().edge_offsets) << name;
      if constexpr (Dim == 3) {
        EXPECT_EQ(device.faces.values.to_host(), enumeration.whole().face_hi) << name;
        EXPECT_EQ(device.faces.offsets.to_host(), enumeration.whole().face_offsets) << name;
      }
      for_each_relation<Dim>([&](auto relation, std::string_view relation_name) {
        using R = decltype(relation);
        const auto expected = materialize<R>(tiles, enumeration, {.exec = Exec::host(2)});
        EXPECT_TRUE((cuda::materialize<R, Dim>(device) == expected))
            << name << ", " << relation_name << ", tiles of " << size;
      });
    }
  }
}

TEST_F(RelationsOnDevice, Solids) {
  expect_same(make_shuffled(make_kuhn(9)), "kuhn 9");
  expect_same(make_kuhn_full(4), "kuhn-full 4");
  expect_same(oracle::random_mesh<3>(40, 150, 1), "random");
  for (const char* name : {"one_tet", "two_tets", "bow_tie_edge", "three_tet_fan", "isolated_vertices"}) {
    expect_same(make_small_solid(name), name);
  }
}

TEST_F(RelationsOnDevice, Surfaces) {
  expect_same(make_shuffled(make_torus(30, 20)), "torus");
  expect_same(oracle::random_mesh<2>(40, 150, 1), "random");
  for (const char* name : {"triangle", "moebius", "three_face_fan", "isolated_vertices", "octahedron"}) {
    expect_same(make_small_surface(name), name);
  }
}

// Rows of some tiles in any order, as producers make them.
TEST_F(RelationsOnDevice, SomeTiles) {
  const TetMesh mesh = make_kuhn(14);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 60, .exec = Exec::cuda(0, 2)});
  const Enumeration<3> enumeration = Enumeration<3>::make_explicit(tiles, Exec::host(2));
  cuda::DeviceRelations<3> device(*tiles.on_device());
  device.enumerate();
  ASSERT_GT(tiles.tile_count(), 9u);
  const std::vector<std::uint32_t> batch = {7, 2, 3, 9, 0};
  const auto check = [&]<class R>(R, const char* name) {
    const cuda::DeviceTileRows found = device.some<R>(batch, 256);
    const Array<std::uint32_t> offsets = found.rows.offsets.to_host();
    const Array<std::uint32_t> values = found.rows.values.to_host();
    RowWorker<3> worker(tiles, &enumeration);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      worker.maker.fill<R>(TileId(batch[i]), worker.rows);
      ASSERT_EQ(found.tile_rows[i + 1] - found.tile_rows[i], worker.rows.size()) << name;
      for (std::size_t r = 0; r < worker.rows.size(); ++r) {
        const std::size_t row = found.tile_rows[i] + r;
        const std::span<const std::uint32_t> entries(values.data() + offsets[row],
                                                     offsets[row + 1] - offsets[row]);
        ASSERT_TRUE(std::ranges::equal(entries, worker.rows[r])) << name << ", tile " << batch[i];
      }
    }
  };
  check(VV{}, "VV"), check(VE{}, "VE"), check(VF{}, "VF"), check(VT{}, "VT"), check(EF{}, "EF");
  check(ET{}, "ET"), check(FT{}, "FT");
}

TEST_F(RelationsOnDevice, StarsThatAreTooLargeAreRefused) {
  const TetMesh cone = make_small_solid("cone");
  const TiledMesh<3> tiles = tile(cone, {.exec = Exec::cuda(0, 2)});
  if (tiles.on_device()->host_tiles().empty()) {
    cuda::DeviceRelations<3> device(*tiles.on_device());
    EXPECT_EQ((cuda::materialize<VT, 3>(device)),
              materialize<VT>(tiles, Enumeration<3>::make_explicit(tiles, Exec::host(2))));
  } else {
    EXPECT_THROW(cuda::DeviceRelations<3>(*tiles.on_device()), Error);
  }
}

}  // namespace
}  // namespace tessera
