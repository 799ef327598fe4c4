#include <tessera/distribute/slabs.h>

#include <gtest/gtest.h>

#include "topology/grids.h"

namespace tessera::testing {
namespace {

TEST(Slabs, LayersLieAlongTheLastAxisOfSeveralPoints) {
  const auto layers = [](const Dims& dims) {
    const GridLayers found = layers_of(grid_of(dims));
    return std::pair(found.count, found.points);
  };
  EXPECT_EQ(layers({4, 5, 6}), std::pair(6u, std::size_t{20}));
  EXPECT_EQ(layers({4, 5, 1}), std::pair(5u, std::size_t{4}));
  EXPECT_EQ(layers({4, 1, 6}), std::pair(6u, std::size_t{4}));
  EXPECT_EQ(layers({1, 5, 6}), std::pair(6u, std::size_t{5}));
  EXPECT_EQ(layers({4, 1, 1}), std::pair(4u, std::size_t{1}));
  EXPECT_EQ(layers({1, 1, 1}), std::pair(1u, std::size_t{1}));
}

TEST(Slabs, OwnEveryLayerOnceAndSeeGhostsWhereThereAreSome) {
  EXPECT_EQ(cut_into_slabs(10, 4, {1, 2}), (std::vector<Slab>{{0, 4, 0, 6}, {4, 8, 3, 10}, {8, 10, 7, 10}}));
  EXPECT_EQ(cut_into_slabs(3, 5, {2, 2}), (std::vector<Slab>{{0, 3, 0, 3}}));
  EXPECT_EQ(cut_into_slabs(4294967295u, 4294967295u, {1, 1}).size(), 1u);
}

TEST(Slabs, HeightsSuitTheBudget) {
  const SlabCost cost = {.fixed = mib(100),
                         .of_owned = mib(10),
                         .of_seen = mib(5),
                         .of_border = mib(40),
                         .arrays = 0,
                         .ghosts = {1, 1}};
  // One layer: 100 + 10 + 5 * 3 + 40 * 19; four: 100 + 40 + 5 * 6 + 40 * 4.
  EXPECT_EQ(cost.bytes(20, 1), mib(885));
  EXPECT_EQ(cost.bytes(20, 4), mib(330));
  EXPECT_EQ(cost.bytes(20, 8), mib(310));
  EXPECT_EQ(cost.bytes(20, 20), mib(400));
  EXPECT_EQ(choose_height(20, cost, MemoryBudget::unlimited), 20u);
  EXPECT_EQ(choose_height(20, cost, mib(800)), 20u);
  EXPECT_EQ(choose_height(20, cost, mib(400)), 8u);  // half of 300 is too little, all of it is enough
  EXPECT_EQ(choose_height(20, cost, mib(300)), 7u);  // 100 + 70 + 5 * 9 + 40 * 2
  // Too little for any: what takes least.
  EXPECT_EQ(cost.bytes(20, choose_height(20, cost, mib(10))), mib(295));
}

TEST(Slabs, OfSmallLayersAreAMebibyteAtLeast) {
  const SlabCost cost = {.fixed = mib(8), .of_seen = 16, .arrays = 0, .ghosts = {1, 1}};
  EXPECT_EQ(choose_height(10'000'000, cost, mib(12)), (std::uint32_t{2} << 16) - 2);  // and two ghosts
  EXPECT_EQ(choose_height(10'000'000, cost, mib(10)), std::uint32_t{1} << 16);        // more than half
  EXPECT_EQ(choose_height(100, cost, mib(9)), 100u);
}

TEST(Slabs, AreOf64MebibytesIfThereIsRoom) {
  const SlabCost cost = {.of_seen = mib(1), .arrays = 0, .ghosts = {1, 1}};
  EXPECT_EQ(choose_height(1024, cost, gib(8)), 64u);
  EXPECT_EQ(choose_height(1024, {.of_seen = mib(10), .arrays = 0}, gib(8)), 32u);
  EXPECT_EQ(choose_height(1024, cost, mib(40)), 18u);
  EXPECT_EQ(choose_height(1024, cost, mib(6)), 4u);
}

TEST(Slabs, PagesCount) {
  EXPECT_EQ(page_bytes(mib(100), 3), mib(3));
  EXPECT_EQ(page_bytes(mib(1), 3), mib(0.5));
  const SlabCost cost = {.of_seen = mib(1), .arrays = 4};
  EXPECT_EQ(cost.bytes(100, 20), mib(24));
}

}  // namespace
}  // namespace tessera::testing
