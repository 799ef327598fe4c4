// A grid under TTK's names: every answer is the oracle's of the cut, on borders of every kind.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <tessera/connect/ttk_grid.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>

#include "connect/ttk_expected.h"

namespace tessera {
namespace {

Grid make_grid(std::array<std::uint32_t, 3> dims) {
  Grid grid;
  grid.dims = dims;
  grid.origin = {1, -2, 0.5};
  grid.spacing = {0.5, 0.25, 2};
  return grid;
}

template <int Dim>
void check_grid(const Grid& grid) {
  SCOPED_TRACE(std::to_string(grid.dims[0]) + " x " + std::to_string(grid.dims[1]) + " x " +
               std::to_string(grid.dims[2]));
  const auto mesh = std::get<SimplexMesh<Dim>>(triangulate(grid));
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 40, .order = VertexOrder::input});
  const Expected<Dim> is(mesh, tiles);
  TtkGrid<Dim> t(grid);
  precondition_all(t);
  const auto queries = make_queries<TtkGrid<Dim>>(is);
  for (const auto& query : queries) EXPECT_EQ(count_wrong(t, query, true), 0u) << query.name;
  check_boundary(t, is);
  check_numbers(t, mesh, is);
}

TEST(TtkGrid, VolumesMatchTheOracle) {
  for (const std::uint32_t nx : {2u, 3u, 5u}) {
    for (const std::uint32_t ny : {2u, 3u, 4u}) {
      for (const std::uint32_t nz : {2u, 3u, 4u}) check_grid<3>(make_grid({nx, ny, nz}));
    }
  }
  check_grid<3>(make_grid({13, 2, 7}));
}

TEST(TtkGrid, ImagesInEveryPlaneMatchTheOracle) {
  for (const std::uint32_t a : {2u, 3u, 6u}) {
    for (const std::uint32_t b : {2u, 3u, 5u}) {
      check_grid<2>(make_grid({a, b, 1}));
      check_grid<2>(make_grid({a, 1, b}));
      check_grid<2>(make_grid({1, a, b}));
    }
  }
}

TEST(TtkGrid, ThreadsAskAtTheSameTime) {
  const Grid grid = make_grid({9, 8, 7});
  const auto mesh = std::get<TetMesh>(triangulate(grid));
  const TiledMesh<3> tiles = tile(mesh);
  const Expected<3> is(mesh, tiles);
  const TtkGrid<3> t(grid);
  const auto queries = make_queries<TtkGrid<3>>(is);
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (const auto& query : queries) wrong += count_wrong(t, query, i != 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
}

// Far from the origin every number is used: the last cells of a grid near the limit of ids.
TEST(TtkGrid, LargeGridsAreNumberedToTheEnd) {
  Grid grid;
  grid.dims = {701, 702, 703};
  TtkGrid<3> t(grid);
  EXPECT_EQ(t.getNumberOfCells(), 6 * 700 * 701 * 702);
  for (const int c : {0, 1, t.getNumberOfCells() / 3, t.getNumberOfCells() - 1}) {
    std::array<int, 4> corners{};
    for (int i = 0; i < 4; ++i) ASSERT_EQ(t.getCellVertex(c, i, corners[static_cast<std::size_t>(i)]), 0);
    bool is_in_star = false;  // of its last vertex
    for (int i = 0; i < t.getVertexStarNumber(corners[3]); ++i) {
      int cell = -1;
      ASSERT_EQ(t.getVertexStar(corners[3], i, cell), 0);
      is_in_star = is_in_star || cell == c;
    }
    EXPECT_TRUE(is_in_star) << c;
  }
  EXPECT_LT(t.footprint(), std::size_t{1} << 14);
}

TEST(TtkGrid, AThreadHasItsRowsOnce) {
  const Grid grid = make_grid({5, 5, 5});
  const TtkGrid<3> t(grid);
  (void)t.getVertexNeighborNumber(0);
  const std::size_t bytes = t.footprint();
  (void)t.getVertexStarNumber(0);
  (void)t.getEdgeTriangleNumber(0);
  EXPECT_EQ(t.footprint(), bytes);
}

TEST(TtkGrid, WhatHasMoreThanIdsIsRefused) {
  Grid grid;
  grid.dims = {701, 701, 701};  // 4.1 billion triangles
  TtkGrid<3> t(grid);
  EXPECT_EQ(t.getNumberOfTriangles(), -1);
  EXPECT_EQ(t.preconditionVertexNeighbors(), 0);
  EXPECT_THROW(t.preconditionTriangles(), Error);
  EXPECT_THROW(t.preconditionVertexLinks(), Error);
  grid.dims = {1300, 1300, 1300};
  EXPECT_THROW(TtkGrid<3>{grid}, Error);
  grid.dims = {4, 4, 1};
  EXPECT_THROW(TtkGrid<3>{grid}, Error);
  grid.dims = {4, 4, 4};
  EXPECT_THROW(TtkGrid<2>{grid}, Error);
}

TEST(TtkGrid, IncentersAreThoseOfTheCut) {
  const Grid grid = make_grid({4, 3, 3});
  const auto mesh = std::get<TetMesh>(triangulate(grid));
  const TiledMesh<3> tiles = tile(mesh, {.order = VertexOrder::input});
  TtkTriangulation<3> cut(mesh, tiles);
  precondition_all(cut);
  const TtkGrid<3> t(grid);
  const std::array<int, 4> counts = {t.getNumberOfVertices(), t.getNumberOfEdges(), t.getNumberOfTriangles(),
                                     t.getNumberOfCells()};
  for (int d = 0; d <= 3; ++d) {
    for (int c = 0; c < counts[static_cast<std::size_t>(d)]; ++c) {
      std::array<float, 3> ours{}, theirs{};
      ASSERT_EQ(t.getCellIncenter(c, d, ours.data()), 0);
      ASSERT_EQ(cut.getCellIncenter(c, d, theirs.data()), 0);
      ASSERT_EQ(ours, theirs);
    }
    std::array<float, 3> p{};
    EXPECT_EQ(t.getCellIncenter(counts[static_cast<std::size_t>(d)], d, p.data()), -1);
  }
}

}  // namespace
}  // namespace tessera
