// The queue in front of a device, with a device that is a function: what consumers get, who waits for what,
// and what happens when it fails.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tessera/connect/detail/device_queue.h>

namespace tessera {

using namespace detail;
namespace {

constexpr std::size_t relation = 2;

/// A row of four numbers that tell the tile.
StoredRows rows_of(std::uint32_t tile) {
  TileRows rows;
  rows.offsets = {0, 4};
  rows.values = {tile, tile + 1, tile + 2, tile + 3};
  return rows;
}

/// Makes tiles, and counts how.
struct FakeDevice {
  std::vector<StoredRows> operator()(std::span<const std::uint32_t> tiles) {
    ++batches;
    most = std::max(most.load(), tiles.size());
    if (batches_left.fetch_sub(1) <= 0) throw std::runtime_error("the device is gone");
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    std::vector<StoredRows> rows;
    for (const std::uint32_t tile : tiles) {
      ++made;
      rows.push_back(rows_of(tile));
    }
    return rows;
  }
  std::atomic<std::size_t> batches{0}, most{0}, made{0};
  std::atomic<int> batches_left{1 << 30};
};

class Queue : public testing::Test {
 protected:
  Queue(std::size_t tiles = 400, Bytes budget = mib(1))
      : count(tiles),
        store(tiles, budget),
        queue(store, relation, 16, std::ref(device), [](StoredRows& rows) {
          for (int i = 0; i < 4; ++i) rows.values()[i] += 1000;  // other names
        }) {
    store.open(relation);
  }

  /// As a connection does it; what the queue throws is thrown.
  std::uint32_t read(std::uint32_t tile) {
    bool first = false;
    const TileStore::Pin pin = store.acquire(
        {relation, tile}, [&] { return queue.fetch(tile); }, first, [&](double s) { queue.count_wait(s); });
    if (first && tile % 4 == 0) {
      std::vector<std::uint32_t> ahead;
      for (std::uint32_t t = tile + 1; t < count && t <= tile + 8; ++t) ahead.push_back(t);
      queue.look_ahead(ahead);
    }
    return pin.rows()[0][3];
  }

  std::size_t count;
  FakeDevice device;
  TileStore store;
  detail::DeviceQueue queue;
};

TEST_F(Queue, EveryConsumerGetsItsTiles) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> consumers;
  for (std::uint32_t c = 0; c < 8; ++c) {
    consumers.emplace_back([&, c] {
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t tile = c % 2 == 0 ? (i + 50 * c) % 400 : (i * 7919 + c) % 400;
        if (read(tile) != tile + 1003) ++wrong;
      }
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(device.made, count);  // each once, because all fit
  EXPECT_LE(device.most, 16u);
  EXPECT_LT(device.batches, count);
  const DeviceReport report = queue.report();
  EXPECT_EQ(report.tiles, count);
  EXPECT_EQ(report.batches, device.batches);
  EXPECT_LE(report.consumers.size(), 8u);
  const DeviceStatistics& all = report.all;
  EXPECT_NEAR(
      all.waiting,
      all.pushing + all.queued + all.preparing + all.computing + all.integrating + all.sharing + all.leading,
      1e-9);
  EXPECT_GT(all.requests, 0u);
}

class SmallQueue : public Queue {
 protected:
  SmallQueue() : Queue(400, 3 * rows_of(0).bytes()) {}
};

TEST_F(SmallQueue, AStoreOfThreeTilesIsEnough) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> consumers;
  for (std::uint32_t c = 0; c < 6; ++c) {
    consumers.emplace_back([&, c] {
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t tile = (i + 60 * c) % 400;
        if (read(tile) != tile + 1003) ++wrong;
      }
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Queue, AFailureReachesThoseWhoAskedAndNobodyElse) {
  device.batches_left = 5;
  std::atomic<int> failed{0}, wrong{0};
  std::vector<std::thread> consumers;
  for (std::uint32_t c = 0; c < 4; ++c) {
    consumers.emplace_back([&, c] {
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t tile = (i + 100 * c) % 400;
        try {
          if (read(tile) != tile + 1003) ++wrong;
        } catch (const std::runtime_error& error) {
          EXPECT_EQ(std::string(error.what()), "the device is gone");
          ++failed;
        }
      }
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(failed, 0);
  device.batches_left = 1 << 30;  // it is back: no slot was left behind
  for (std::uint32_t tile = 0; tile < count; ++tile) EXPECT_EQ(read(tile), tile + 1003);
}

TEST_F(Queue, TilesAheadAreThereWhenTheyAreWanted) {
  EXPECT_EQ(read(0), 1003u);
  for (std::uint32_t tile = 1; tile <= 8; ++tile) EXPECT_FALSE(store.is_empty({relation, tile})) << tile;
  EXPECT_EQ(queue.report().all.requests, 1u);
  EXPECT_EQ(store.statistics(relation).ahead, 8u);
  EXPECT_EQ(read(5), 1008u);
  EXPECT_EQ(device.batches, 2u);
}

}  // namespace
}  // namespace tessera
