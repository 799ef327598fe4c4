#include <gtest/gtest.h>

#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {
namespace {

std::string refusal(const TetMesh& mesh) {
  try {
    (void)tile(mesh);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    return error.what();
  }
}

TEST(Tile, CutsWithoutTouchingTheInput) {
  const TetMesh mesh = make_shuffled(make_kuhn(16));
  const TetMesh before = mesh;
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 100});
  EXPECT_EQ(mesh, before);
  EXPECT_EQ(tiles.validate(mesh), 0);
  EXPECT_EQ(tiles.vertex_count(), mesh.vertex_count());
  EXPECT_GT(tiles.tile_count(), mesh.vertex_count() / 100);
  for (std::uint32_t t = 0; t < tiles.tile_count(); ++t) EXPECT_LE(tiles.vertices(TileId(t)).size(), 100u);
  const RibbonStatistics ribbon = tiles.ribbon();
  EXPECT_GT(ribbon.share, 0.1);
  EXPECT_EQ(static_cast<double>(ribbon.external_cells) / static_cast<double>(mesh.cell_count()),
            ribbon.share);
}

TEST(Tile, KeepsAnOrderThatIsLocal) {
  const TetMesh mesh = make_kuhn(24);  // leaf by leaf, cells sorted
  const TiledMesh<3> tiles = tile(mesh);
  EXPECT_TRUE(tiles.keeps_vertex_order());
  EXPECT_TRUE(tiles.borrows_cells());
  EXPECT_EQ(static_cast<const void*>(tiles.cells().data()), mesh.cells.data());
  EXPECT_EQ(tiles.validate(mesh), 0);
}

TEST(Tile, SortsCellsOfALocalOrder) {
  TetMesh mesh = make_kuhn(24);
  std::swap(mesh.cells.front(), mesh.cells.back());
  const TiledMesh<3> tiles = tile(mesh);
  EXPECT_TRUE(tiles.keeps_vertex_order());
  EXPECT_FALSE(tiles.borrows_cells());
  EXPECT_EQ(tiles.validate(mesh), 0);
  mesh = make_kuhn(24);
  std::swap(mesh.cells[7][1], mesh.cells[7][2]);
  const TiledMesh<3> turned = tile(mesh);  // cells stay where they are
  EXPECT_FALSE(turned.borrows_cells());
  EXPECT_TRUE(turned.keeps_cell_order());
  EXPECT_TRUE(turned.is_turned(tiled::TetId(7)));
  EXPECT_EQ(turned.validate(mesh), 0);
  mesh = make_kuhn(24);
  std::swap(mesh.cells[7][0], mesh.cells[7][3]);  // out of order by its first corner, in order by its lowest
  EXPECT_TRUE(tile(mesh).keeps_cell_order());
  EXPECT_EQ(tile(mesh).validate(mesh), 0);
}

TEST(Tile, RenumbersAnOrderThatIsNot) {
  const TetMesh mesh = make_shuffled(make_kuhn(24));
  EXPECT_FALSE(tile(mesh).keeps_vertex_order());
  const TiledMesh<3> tiles = tile(mesh, {.order = VertexOrder::input});
  EXPECT_TRUE(tiles.keeps_vertex_order());
  EXPECT_EQ(tiles.validate(mesh), 0);
}

// The decision looks at runs of 512 vertices whatever the size of tiles, or ids would depend on it.
TEST(Tile, TheOrderDoesNotDependOnTheSizeOfTiles) {
  for (const TetMesh& mesh : {make_kuhn(20), make_shuffled(make_kuhn(20))}) {
    const bool keeps = tile(mesh).keeps_vertex_order();
    for (const std::uint32_t size : {1u, 64u, 5000u, 1000000u}) {
      EXPECT_EQ(tile(mesh, {.max_vertices = size}).keeps_vertex_order(), keeps) << size;
    }
  }
}

TEST(Tile, OctreeTilesAreFilled) {
  const TetMesh mesh = make_shuffled(make_kuhn(32));
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 512, .order = VertexOrder::morton});
  EXPECT_LE(tiles.tile_count(), 2 * (mesh.vertex_count() + 511) / 512 + 1);  // two neighbours exceed one tile
}

TEST(Tile, OfNothingIsNothing) {
  const TetMesh mesh;
  const TiledMesh<3> tiles = tile(mesh);
  EXPECT_EQ(tiles.tile_count(), 0u);
  EXPECT_EQ(tiles.cell_count(), 0u);
  EXPECT_EQ(tiles.validate(mesh), 0);
}

TEST(Tile, IsolatedVerticesHaveTilesToo) {
  TetMesh mesh;
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 1, 1}};
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 1});
  EXPECT_EQ(tiles.tile_count(), 2u);
  EXPECT_EQ(tiles.validate(mesh), 0);
}

TEST(Tile, RefusesWhatIsNoMesh) {
  TetMesh mesh = make_small_solid("two_tets");
  mesh.cells.push_back({VertexId(3), VertexId(2), VertexId(1), VertexId(4)});
  EXPECT_EQ(refusal(mesh), "cells 1 and 2 have the same corners; the doctor can drop repeated cells");
  mesh = make_small_solid("two_tets");
  mesh.cells[1][2] = VertexId(77);
  EXPECT_NE(refusal(mesh).find("77"), std::string::npos);
  mesh.cells[1][2] = mesh.cells[1][0];
  EXPECT_NE(refusal(mesh), "");
}

TEST(Tile, GivenPartitionsMustFit) {
  EXPECT_THROW((void)partition_given(std::vector<std::uint32_t>{0, 0, 1}, 4), Error);
  const Partition partition = partition_given(std::vector<std::uint32_t>{5, 0, 5, 3}, 4);
  EXPECT_EQ(partition.order, (Array<std::uint32_t>{1, 3, 0, 2}));
  EXPECT_EQ(partition.offsets, (Array<std::uint32_t>{0, 1, 2, 4}));
}

TEST(Tile, RefusesPartitionsThatAreNone) {
  const TetMesh mesh = make_small_solid("one_tet");
  const auto refusal_of = [&](const Partition& partition) {
    try {
      (void)tile(mesh, {.partition = &partition});
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal_of({{3, 2, 1, 0}, {0, 2, 4}}), "");
  EXPECT_EQ(refusal_of({{0, 1, 2}, {0, 3}}), "the given partition has 3 vertices, not 4");
  EXPECT_EQ(refusal_of({{0, 1, 2, 3}, {0, 3}}), "the given partition does not cut all vertices into tiles");
  EXPECT_EQ(refusal_of({{0, 1, 2, 3}, {0, 2, 2, 4}}), "the given partition has no vertices in tile 1");
  EXPECT_EQ(refusal_of({{0, 1, 1, 3}, {0, 4}}), "the given partition names vertex 1 twice");
  EXPECT_EQ(refusal_of({{0, 1, 9, 3}, {0, 4}}), "the given partition names vertex 9, which is not there");
}

TEST(Tile, CanBeCancelled) {
  std::stop_source source;
  source.request_stop();
  const Monitor monitor{{}, source.get_token()};
  const TetMesh mesh = make_small_solid("cone");
  EXPECT_THROW((void)tile(mesh, {.monitor = &monitor}), Error);
}

// Tile 0 owns input vertices 0 and 1, tile 1 the rest. Both tets of two_tets have a vertex in tile 0.
}  // namespace
}  // namespace tessera
