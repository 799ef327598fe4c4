// A connection stays within its budget as the operating system counts it: the growth of the most physical
// memory that the process held (VmHWM), from before the connection to after a relation was pulled.
//
// Slack: 4 MiB for threads' stacks and what the allocator keeps, and a twentieth of the budget for the holes
// between tiles of different sizes.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/links.h>

namespace tessera {
namespace {

Bytes resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

/// Makes the present the peak, so that cases do not see each other's.
bool forget_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;
  return static_cast<bool>(clear);
}

class ConnectPeak : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps memory of its own";
#endif
    mallopt(M_ARENA_MAX, 1);  // what an arena for each thread would keep of freed memory is not counted
    if (resident_bytes() == 0 || !forget_peak()) GTEST_SKIP() << "this system does not tell";
    mesh = make_kuhn_full(58);  // 1.1 million tets
    tiles = tile(mesh, {.order = VertexOrder::morton});
    ASSERT_GT(tiles.cell_count(), 1000000u);
  }

  /// Pulls every row of R, with the threads of the connection or eight of them, and expects the peak within
  /// the budget.
  template <class R>
  void expect_obeyed(const ConnectOptions& options) {
    malloc_trim(0);  // else what was freed before would be taken again and not counted
    ASSERT_TRUE(forget_peak());
    const Bytes before = resident_bytes();
    std::uint64_t entries = 0;
    {
      Connectivity<3> conn = connect(tiles, options);
      const auto [rows] = conn.request<R>();
      std::vector<std::uint64_t> sums(std::min(8, options.exec.threads()));
      std::vector<std::thread> consumers;
      for (std::size_t w = 0; w < sums.size(); ++w) {
        consumers.emplace_back([&, w, rows = rows] {
          auto reader = rows.reader();
          const std::size_t begin = rows.size() * w / sums.size();
          const std::size_t end = rows.size() * (w + 1) / sums.size();
          for (std::size_t i = begin; i < end; ++i)
            sums[w] += reader[typename R::Row(static_cast<std::uint32_t>(i))].size();
        });
      }
      for (std::thread& consumer : consumers) consumer.join();
      entries = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
    }
    const Bytes grown = peak_resident_bytes() - std::min(before, peak_resident_bytes());
    EXPECT_GT(entries, 0u);
    EXPECT_LE(grown, options.memory + options.memory / 20 + mib(4))
        << key_of<R>.name() << " grown by " << format_bytes(grown) << " of " << format_bytes(options.memory);
    RecordProperty("grown", std::to_string(grown));
    RecordProperty("allowed", std::to_string(options.memory));
  }

  template <class R>
  [[nodiscard]] Bytes least(StorageMode mode, const Exec& exec) const {
    const RelationKey keys[] = {key_of<R>};
    return least_memory(plan(tiles, keys, {.exec = exec}), mode);
  }

  TetMesh mesh;
  TiledMesh<3> tiles;
};

TEST_F(ConnectPeak, LeastAutomaticBudget) {
  const Exec two = Exec::host(2);
  expect_obeyed<VT>({.memory = least<VT>(StorageMode::automatic, two), .exec = two});
  expect_obeyed<VE>({.memory = least<VE>(StorageMode::automatic, two), .exec = two});
  expect_obeyed<FF>({.memory = least<FF>(StorageMode::automatic, two), .exec = two});
}

// Sixty-four threads share the budget of one.
TEST_F(ConnectPeak, LeastBudgetOfManyThreads) {
  const Exec many = Exec::host(64);
  expect_obeyed<VT>({.memory = least<VT>(StorageMode::automatic, many), .exec = many});
  expect_obeyed<FF>({.memory = least<FF>(StorageMode::automatic, many), .exec = many});
  expect_obeyed<VE>({.memory = least<VE>(StorageMode::materialized, many), .exec = many});
}

TEST_F(ConnectPeak, SmallBudgets) {
  const Exec two = Exec::host(2);
  for (const Bytes memory : {mib(32), mib(64), mib(128)}) {
    expect_obeyed<VV>({.memory = memory, .exec = two});
    expect_obeyed<VF>({.memory = memory, .exec = two});
    expect_obeyed<TT>({.memory = memory, .exec = two});
  }
}

TEST_F(ConnectPeak, EveryModeWithItsLeast) {
  const Exec two = Exec::host(2);
  for (const StorageMode mode :
       {StorageMode::materialized, StorageMode::explicit_tiles, StorageMode::implicit_tiles}) {
    expect_obeyed<VF>({.mode = mode, .memory = least<VF>(mode, two), .exec = two});
    expect_obeyed<TT>({.mode = mode, .memory = least<TT>(mode, two), .exec = two});
    expect_obeyed<EV>({.mode = mode, .memory = least<EV>(mode, two), .exec = two});
    expect_obeyed<TE>({.mode = mode, .memory = least<TE>(mode, two), .exec = two});
    expect_obeyed<VertexLink<3>>({.mode = mode, .memory = least<VertexLink<3>>(mode, two), .exec = two});
    expect_obeyed<EdgeLink<3>>({.mode = mode, .memory = least<EdgeLink<3>>(mode, two), .exec = two});
  }
}

}  // namespace
}  // namespace tessera
