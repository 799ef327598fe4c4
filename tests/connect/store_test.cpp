#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include <tessera/connect/detail/store.h>

namespace tessera {

using namespace detail;
namespace {

/// Rows of one tile: a single row of `values` numbers, all equal to the tile.
TileRows rows_of(std::uint32_t tile, std::uint32_t values = 1) {
  TileRows rows;
  rows.offsets = {0, values};
  rows.values.assign(values, tile);
  return rows;
}

class Store : public testing::Test {
 protected:
  Store() : one(rows_of(0).bytes()) {}

  TileStore::Pin get(TileStore& store, std::uint32_t tile) {
    bool first = false;
    return store.acquire(
        {3, tile}, [&] { return rows_of(tile); }, first);
  }
  Bytes one;  // what a tile of one value costs
};

TEST_F(Store, ComputesOnceAndThenHits) {
  TileStore store(4, 10 * one);
  store.open(3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get(store, 2).rows()[0][0], 2u);
  const StoreStatistics s = store.statistics(3);
  EXPECT_EQ(s.produced, 1u);
  EXPECT_EQ(s.misses, 1u);
  EXPECT_EQ(s.hits, 2u);
  EXPECT_EQ(s.bytes, one);
}

TEST_F(Store, EvictsTheLeastRecentlyUsed) {
  TileStore store(4, 2 * one);
  store.open(3);
  (void)get(store, 0);
  (void)get(store, 1);
  (void)get(store, 0);  // 1 is now the oldest
  (void)get(store, 2);
  EXPECT_FALSE(store.is_empty({3, 0}));
  EXPECT_TRUE(store.is_empty({3, 1}));
  EXPECT_FALSE(store.is_empty({3, 2}));
  EXPECT_EQ(store.statistics(3).evicted, 1u);
  EXPECT_EQ(store.statistics(3).wasted, 0u);
}

TEST_F(Store, WhatIsHeldStays) {
  TileStore store(8, one);  // room for one tile
  store.open(3);
  const TileStore::Pin held = get(store, 0);
  const std::uint32_t* place = held.rows().values();
  for (std::uint32_t t = 1; t < 8; ++t) (void)get(store, t);
  EXPECT_EQ(held.rows().values(), place);
  EXPECT_EQ(held.rows()[0][0], 0u);
  EXPECT_FALSE(store.is_empty({3, 0}));
}

TEST_F(Store, RelationsShareTheBudget) {
  TileStore store(4, 2 * one);
  store.open(1);
  store.open(2);
  bool first = false;
  for (std::uint32_t t = 0; t < 4; ++t) {
    (void)store.acquire(
        {1, t}, [&] { return rows_of(t); }, first);
    (void)store.acquire(
        {2, t}, [&] { return rows_of(t); }, first);
  }
  EXPECT_LE(store.statistics(1).bytes + store.statistics(2).bytes, 2 * one);
  EXPECT_LE(store.peak_bytes(), 3 * one);  // a tile is published before an older one goes
}

TEST_F(Store, UnreadTilesCountAsWasted) {
  TileStore store(4, one);
  store.open(3);
  EXPECT_TRUE(store.produce({3, 0}, [] { return rows_of(0); }));
  EXPECT_FALSE(store.produce({3, 0}, [] { return rows_of(0); }));  // already there
  (void)get(store, 1);
  EXPECT_EQ(store.statistics(3).wasted, 1u);
}

TEST_F(Store, AFailedComputationLeavesTheSlotEmpty) {
  TileStore store(4, 10 * one);
  store.open(3);
  bool first = false;
  EXPECT_THROW((void)store.acquire(
                   {3, 1}, []() -> TileRows { throw std::runtime_error("no"); }, first),
               std::runtime_error);
  EXPECT_TRUE(store.is_empty({3, 1}));
  EXPECT_EQ(get(store, 1).rows()[0][0], 1u);
}

// Many consumers and producers on a store of one tile: everybody always reads its own tile's rows.
TEST_F(Store, ManyThreadsOnOneTileOfRoom) {
  constexpr std::uint32_t tiles = 16;
  TileStore store(tiles, one);
  store.open(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < 6; ++w) {
    threads.emplace_back([&, w] {
      for (std::uint32_t i = 0; i < 3000; ++i) {
        const std::uint32_t tile = (i * (w + 1)) % tiles;
        if (w >= 4) {
          store.produce({3, tile}, [&] { return rows_of(tile, 5); });
          continue;
        }
        bool first = false;
        const TileStore::Pin pin = store.acquire(
            {3, tile}, [&] { return rows_of(tile, 5); }, first);
        for (const std::uint32_t value : pin.rows()[0]) wrong += value != tile ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const StoreStatistics before = store.statistics(3);
  EXPECT_EQ(before.hits + before.misses, 4u * 3000);
  for (std::uint32_t t = 0; t < tiles; ++t)
    (void)get(store, t);  // nothing is held any more: back within the budget
  const StoreStatistics s = store.statistics(3);
  EXPECT_LE(s.bytes, std::max(one, rows_of(0, 5).bytes()));
}

}  // namespace
}  // namespace tessera
