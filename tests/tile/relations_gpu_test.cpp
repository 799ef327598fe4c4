// Relations that a device works out: those of the host, bit for bit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/tile/detail/cuda/device_relations.h>
#include <tessera/tile/detail/rows.h>
#include <tessera/tile/materialize.h>

#include "tile/oracle.h"

namespace tessera {

using namespace detail;
namespace {

class RelationsOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

/// `is_huge`: edges, faces and cells have too many neighbours of their kind to look at.
template <int Dim>
void expect_same(const SimplexMesh<Dim>& mesh, const std::string& name, bool is_huge = false) {
  for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
    for (const std::uint32_t size : {1u, 50u, 256u}) {
      const TiledMesh<Dim> tiles =
          tile(mesh, {.max_vertices = size, .order = order, .exec = Exec::cuda(0, 2)});
      const Enumeration<Dim> enumeration = Enumeration<Dim>::make_explicit(tiles, Exec::host(2));
      cuda::DeviceRelations<Dim> device(tiles, *tiles.on_device(), tiles.on_device()->exec());
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
        if (is_huge && R::is_adjacency) return;
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
  cuda::DeviceRelations<3> device(tiles, *tiles.on_device(), tiles.on_device()->exec());
  device.enumerate();
  ASSERT_GT(tiles.tile_count(), 9u);
  const std::vector<std::uint32_t> batch = {7, 2, 3, 9, 0};
  const auto check = [&]<class R>(R, const char* name) {
    const cuda::DeviceTileRows found = device.some<R>(device.exec(), batch, 256);
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

/// `spokes` tetrahedra around an edge, and a hub that all of them have.
TetMesh make_wheel(std::uint32_t spokes) {
  TetMesh mesh;
  mesh.points = Array<Vec3f>(spokes + 2, Vec3f{0, 0, 0});
  for (std::uint32_t i = 0; i < spokes; ++i) {
    const VertexId rim(2 + i);
    const VertexId next(2 + (i + 1) % spokes);
    mesh.cells.push_back({VertexId(0), VertexId(1), rim, next});
  }
  return mesh;
}

// Stars that are too large for a warp, and tiles that are too large for a block, are made by the host.
TEST_F(RelationsOnDevice, LargeStars) {
  expect_same(make_small_solid("cone"), "cone");
  expect_same(make_wheel(62), "wheel of 62");
  expect_same(make_wheel(63), "wheel of 63");
  expect_same(make_wheel(64), "wheel of 64");
  expect_same(make_wheel(129), "wheel of 129");
  expect_same(make_wheel(70000), "wheel of 70000", true);
  TriMesh fan;
  fan.points = Array<Vec3f>(40002, Vec3f{0, 0, 0});
  for (std::uint32_t i = 0; i < 40000; ++i) {
    fan.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(2 + i)});
  }
  expect_same(fan, "fan of 40000", true);
}

// Rows of a part of the mesh that lies on the device alone.
template <int Dim>
void expect_same_parts(const SimplexMesh<Dim>& mesh, std::uint32_t size) {
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = size, .exec = Exec::host(2)});
  const std::uint32_t count = static_cast<std::uint32_t>(tiles.tile_count());
  const Enumeration<Dim> enumeration = Enumeration<Dim>::make_explicit(tiles, Exec::host(2));
  const Exec exec = Exec::cuda(0, 2);
  const auto copy = device_tiles(tiles, exec);
  cuda::DeviceRelations<Dim> whole(tiles, *copy, exec);
  whole.enumerate();
  RowWorker<Dim> worker(tiles, &enumeration);
  for (const TileRange range : {TileRange{0, count}, TileRange{0, count / 3},
                                TileRange{count / 3, 2 * count / 3}, TileRange{2 * count / 3, count}}) {
    const DeviceTiles<Dim> part(tiles, exec, range);
    const cuda::DeviceRelations<Dim> device(tiles, part, exec, whole.enumeration());
    std::vector<std::uint32_t> all(part.tile_count());
    for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
    const auto check = [&]<class R>(R, const char* name) {
      const cuda::DeviceTileRows found = device.template some<R>(exec, all, 256);
      const Array<std::uint32_t> offsets = found.rows.offsets.to_host();
      const Array<std::uint32_t> values = found.rows.values.to_host();
      std::size_t row = 0;
      for (std::uint32_t t = range.begin; t < range.end; ++t) {
        worker.maker.template fill<R>(TileId(t), worker.rows);
        for (std::size_t r = 0; r < worker.rows.size(); ++r, ++row) {
          const std::span<const std::uint32_t> entries(values.data() + offsets[row],
                                                       offsets[row + 1] - offsets[row]);
          ASSERT_TRUE(std::ranges::equal(entries, worker.rows[r])) << name << ", tile " << t;
        }
      }
      EXPECT_EQ(row + 1, offsets.size()) << name;
    };
    check(VV{}, "VV"), check(VE{}, "VE"), check(VF{}, "VF"), check(EF{}, "EF");
    if constexpr (Dim == 3) check(VT{}, "VT"), check(ET{}, "ET"), check(FT{}, "FT");
  }
}

TEST_F(RelationsOnDevice, PartsOfTheMesh) {
  expect_same_parts(make_shuffled(make_kuhn(14)), 60);
  expect_same_parts(make_kuhn(14), 600);
  expect_same_parts(make_shuffled(make_torus(60, 40)), 50);
  expect_same_parts(oracle::random_mesh<3>(200, 400, 3), 20);
}

}  // namespace
}  // namespace tessera
