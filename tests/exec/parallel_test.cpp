#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host/scan.h>
#include <tessera/exec/for_each.h>

namespace tessera {

using namespace detail;
namespace {

TEST(Parallel, SharesCoverEverythingOnce) {
  for (const std::size_t n : {0, 1, 5, 16, 17, 1000}) {
    for (const std::size_t parts : {1, 2, 3, 7, 16}) {
      std::size_t next = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const host::Range range = host::share_of(n, p, parts);
        EXPECT_EQ(range.begin, next);
        EXPECT_LE(range.size(), n / parts + 1);
        next = range.end;
      }
      EXPECT_EQ(next, n);
    }
  }
}

TEST(Parallel, EveryIndexIsVisitedOnce) {
  for (const int threads : {1, 2, 5}) {
    for (const std::size_t n : {0, 1, 4095, 4096, 100000}) {
      std::vector<int> visits(n, 0);
      host_for_each(Exec::host(threads), n, [&](std::size_t i) { ++visits[i]; });
      EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), std::size_t{0}), n);
      EXPECT_TRUE(n == 0 || *std::max_element(visits.begin(), visits.end()) == 1);
    }
  }
}

TEST(Parallel, ChunksAreHandedOutInOrder) {
  std::atomic<std::size_t> sum{0};
  std::vector<std::size_t> last(3, 0);
  host::for_each_chunk(3, 1000, 7, [&](host::Range range, int worker) {
    EXPECT_LE(last[static_cast<std::size_t>(worker)], range.begin);
    last[static_cast<std::size_t>(worker)] = range.begin;
    sum += range.size();
  });
  EXPECT_EQ(sum, 1000u);
}

TEST(Parallel, TheLowestWorkersExceptionComesOut) {
  for (const int threads : {1, 2, 4}) {
    try {
      host::run_workers(threads, [&](int worker) { throw std::runtime_error(std::to_string(worker)); });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "0");
    }
  }
}

TEST(Parallel, AnotherWorkersExceptionComesOutAfterAllHaveRun) {
  std::atomic<int> calls{0};
  const auto fail_from = [&](int first) {
    host::run_workers(8, [&](int worker) {
      ++calls;
      if (worker >= first) throw std::runtime_error(std::to_string(worker));
    });
  };
  try {
    fail_from(5);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "5");
  }
  EXPECT_EQ(calls, 8);
}

TEST(Parallel, NestedCallsDoAllTheirWork) {
  std::atomic<int> calls{0};
  host::run_workers(2, [&](int) { host::run_workers(3, [&](int) { ++calls; }); });
  EXPECT_EQ(calls, 6);
  calls = 0;
  host::run_workers(
      4, [&](int) { host::run_workers(4, [&](int) { host::run_workers(4, [&](int) { ++calls; }); }); });
  EXPECT_EQ(calls, 64);
}

TEST(Parallel, EveryWorkerRunsOnce) {
  for (int workers = 1; workers <= 64; ++workers) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(workers));
    host::run_workers(workers, [&](int worker) { ++visits[static_cast<std::size_t>(worker)]; });
    EXPECT_TRUE(std::ranges::all_of(visits, [](const auto& count) { return count == 1; })) << workers;
  }
}

TEST(Parallel, ManySmallJobsOneAfterTheOther) {
  std::size_t sum = 0;
  for (std::size_t round = 0; round < 2000; ++round) {
    std::vector<std::size_t> values(5, 0);
    host::run_workers(5, [&](int worker) { values[static_cast<std::size_t>(worker)] = round; });
    sum += std::accumulate(values.begin(), values.end(), std::size_t{0});
  }
  EXPECT_EQ(sum, 5u * (2000 * 1999 / 2));
}

TEST(Parallel, SeveralThreadsMayCallAtOnce) {
  std::vector<std::size_t> sums(6, 0);
  {
    std::vector<std::jthread> callers;
    for (std::size_t caller = 0; caller < sums.size(); ++caller) {
      callers.emplace_back([&, caller] {
        for (int round = 0; round < 50; ++round) {
          std::atomic<std::size_t> sum{0};
          host::for_each_chunk(static_cast<int>(caller) + 2, 1000, 10,
                               [&](host::Range range, int) { sum += range.size(); });
          sums[caller] += sum;
        }
      });
    }
  }
  for (const std::size_t sum : sums) EXPECT_EQ(sum, 50u * 1000);
}

/// A chunk that waits for the one before it must be given to somebody after that one.
TEST(Parallel, ChunksMayWaitForEarlierOnes) {
  for (const int threads : {2, 3, 16, 64}) {
    for (int round = 0; round < 20; ++round) {
      host::ChunkTotals<std::size_t> totals(100);
      host::for_each_chunk(threads, 1000, 10, [&](host::Range range, int) {
        EXPECT_EQ(totals.exchange(range.begin / 10, range.size()), range.begin);
      });
      EXPECT_EQ(totals.total(100), 1000u);
    }
  }
}

TEST(Parallel, LoopsOfAnySizeAndWeightVisitEveryIndexOnce) {
  for (const std::size_t n : {255, 256, 257, 3000, (1 << 20) - 1, 1 << 20}) {
    for (const int weight : {0, 40}) {
      if (weight > 0 && n > 3000) continue;
      std::vector<int> visits(n, 0);
      host_for_each(Exec::host(7), n, [&](std::size_t i) {
        std::atomic<int> effort{0};
        while (effort < weight * weight) ++effort;
        ++visits[i];
      });
      EXPECT_EQ(std::ranges::count(visits, 1), static_cast<std::ptrdiff_t>(n)) << n;
    }
  }
}

TEST(Parallel, AForkedProcessHasThreadsOfItsOwn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer allows no threads in a forked process";
#endif
  std::atomic<int> calls{0};
  host::run_workers(4, [&](int) { ++calls; });
  const pid_t child = fork();
  if (child == 0) {
    for (int round = 0; round < 10; ++round) host::run_workers(4, [&](int) { ++calls; });
    _exit(calls == 44 ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace tessera
