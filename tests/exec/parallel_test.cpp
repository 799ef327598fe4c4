#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <tessera/exec/detail/host/parallel.h>
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

TEST(Parallel, NestedCallsDoAllTheirWork) {
  std::atomic<int> calls{0};
  host::run_workers(2, [&](int) { host::run_workers(3, [&](int) { ++calls; }); });
  EXPECT_EQ(calls, 6);
}

}  // namespace
}  // namespace tessera
