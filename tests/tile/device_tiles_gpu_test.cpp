// Tiles that a device cuts: those of the host, and their numbers on the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/tile/detail/cuda/device_tiles.h>
#include <tessera/tile/tiled_mesh.h>

#include "tile/oracle.h"

namespace tessera {

using namespace detail;
namespace {

class TilesOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

template <class A, class B>
bool equal(const A& a, const B& b) {
  return std::ranges::equal(a, b);
}

/// Local numbers stand for what they should, on the device, for every tile that kernels may use.
template <int Dim>
void expect_numbers(const TiledMesh<Dim>& tiles, const DeviceTiles<Dim>& device) {
  const Array<std::uint32_t> first_ghost = device.first_ghost.to_host();
  const Array<std::uint32_t> ghosts = device.ghosts.to_host();
  const Array<std::uint32_t> lower = device.lower_ghosts.to_host();
  const Array<LocalCell> local_cells = device.local_cells.to_host();
  const auto& left = device.host_tiles();
  std::size_t at = 0;
  const Array<std::uint32_t>& cut = device.cut();
  for (const std::uint32_t begin : tiles.first_vertices())
    ASSERT_TRUE(std::ranges::binary_search(cut, begin));
  for (std::uint32_t t = 0; t < device.tile_count(); ++t) {
    const struct { std::uint32_t begin, end; } owned = {cut[t], cut[t + 1]};
    ASSERT_LE(owned.end - owned.begin, most_device_vertices);
    std::vector<std::uint32_t> ids(ghosts.begin() + first_ghost[t],
                                   ghosts.begin() + first_ghost[t] + lower[t]);
    for (std::uint32_t v = owned.begin; v < owned.end; ++v) ids.push_back(v);
    ids.insert(ids.end(), ghosts.begin() + first_ghost[t] + lower[t], ghosts.begin() + first_ghost[t + 1]);
    std::vector<std::uint32_t> cells;
    for (std::uint32_t c = 0; c < tiles.cell_count(); ++c) {
      const auto is_owned = [&](tiled::VertexId v) {
        return v.index() >= owned.begin && v.index() < owned.end;
      };
      if (std::ranges::any_of(tiles.cells()[c], is_owned)) cells.push_back(c);
    }
    if (std::ranges::binary_search(left, t)) {
      at += cells.size();
      continue;
    }
    ASSERT_TRUE(std::ranges::is_sorted(ids)) << "tile " << t;
    ASSERT_TRUE(std::ranges::adjacent_find(ids) == ids.end()) << "tile " << t;
    for (const std::uint32_t c : cells) {
      for (std::size_t k = 0; k <= Dim; ++k) {
        ASSERT_EQ(ids.at(local_cells[at].corner[k]), tiles.cells()[c][k].index()) << "tile " << t;
      }
      ++at;
    }
  }
}

template <int Dim>
void expect_same(const SimplexMesh<Dim>& mesh, TileOptions options) {
  const std::uint32_t asked = options.max_vertices;
  options.max_vertices = std::min(asked, most_device_vertices);
  options.exec = Exec::host(2);
  const TiledMesh<Dim> host = tile(mesh, options);
  options.max_vertices = asked;
  const TiledMesh<Dim> large = tile(mesh, options);
  options.exec = Exec::cuda(0, 2);
  const TiledMesh<Dim> device = tile(mesh, options);
  EXPECT_EQ(device.validate(mesh), 0);
  EXPECT_TRUE(equal(host.first_vertices(), device.first_vertices()));
  EXPECT_TRUE(equal(host.first_cells(), device.first_cells()));
  EXPECT_TRUE(equal(host.vertices_to_input(), device.vertices_to_input()));
  EXPECT_TRUE(equal(host.cells_to_input(), device.cells_to_input()));
  EXPECT_TRUE(equal(host.cells(), device.cells()));
  EXPECT_EQ(host.all_external(), device.all_external());
  ASSERT_NE(device.on_device(), nullptr);
  expect_numbers(device, *device.on_device());
  expect_numbers(large, DeviceTiles<Dim>(large, options.exec));  // and if the host cuts
}

template <int Dim>
void expect_same(const SimplexMesh<Dim>& mesh) {
  for (const std::uint32_t size : {1u, 7u, 512u, 1u << 20}) {
    for (const VertexOrder order : {VertexOrder::automatic, VertexOrder::input, VertexOrder::morton}) {
      expect_same(mesh, {.max_vertices = size, .order = order});
    }
  }
}

TEST_F(TilesOnDevice, AreTheHosts) {
  expect_same(make_kuhn(12));
  expect_same(make_shuffled(make_kuhn(12)));
  expect_same(make_kuhn_full(5));
  expect_same(make_torus(40, 30));
  expect_same(make_shuffled(make_torus(40, 30)));
  expect_same(oracle::random_mesh<3>(60, 200, 1));
  expect_same(oracle::random_mesh<2>(60, 200, 1));
  for (const char* name : {"one_tet", "bow_tie_vertex", "isolated_vertices"})
    expect_same(make_small_solid(name));
  TetMesh at_one_place = make_kuhn(8);  // leaves of points that no level tells apart
  at_one_place.points = Points(Array<Vec3f>(at_one_place.vertex_count(), Vec3f{1, 2, 3}));
  expect_same(at_one_place);
  expect_same(TetMesh{});
}

TEST_F(TilesOnDevice, GivenPartitions) {
  const TetMesh mesh = make_kuhn(8);
  std::vector<std::uint32_t> tile_of(mesh.vertex_count());
  for (std::uint32_t v = 0; v < tile_of.size(); ++v) tile_of[v] = v * 2654435761u % 13;
  const Partition partition = partition_given(tile_of, mesh.vertex_count());
  expect_same(mesh, {.partition = &partition});
}

// Tiles of vertices from everywhere have thousands of ghosts, some more than kernels have room for.
TEST_F(TilesOnDevice, ManyGhosts) {
  const TetMesh mesh = make_kuhn_full(24);
  for (const std::uint32_t tiles : {60u, 90u, 200u, 400u}) {
    std::vector<std::uint32_t> tile_of(mesh.vertex_count());
    for (std::uint32_t v = 0; v < tile_of.size(); ++v) tile_of[v] = v * 2654435761u % tiles;
    const Partition partition = partition_given(tile_of, mesh.vertex_count());
    expect_same(mesh, {.partition = &partition});
  }
}

TEST_F(TilesOnDevice, ErrorsAreTheHosts) {
  const auto message = [](const TetMesh& mesh, const Exec& exec) -> std::string {
    try {
      (void)tile(mesh, {.exec = exec});
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  const TetMesh good = make_kuhn(6);
  std::vector<TetMesh> bad(4, good);
  bad[0].cells[17][2] = VertexId(static_cast<std::uint32_t>(good.vertex_count()));
  bad[1].cells[99][1] = bad[1].cells[99][3];
  bad[2].cells.push_back(bad[2].cells[5]);
  Array<Vec3f> points(good.vertex_count(), Vec3f{0, 0, 0});
  points[3].x = std::numeric_limits<float>::infinity();
  bad[3].points = std::move(points);
  for (const TetMesh& mesh : bad) {
    EXPECT_NE(message(mesh, Exec::host(2)), "none");
    EXPECT_EQ(message(mesh, Exec::cuda(0, 2)), message(mesh, Exec::host(2)));
  }
}

}  // namespace
}  // namespace tessera
