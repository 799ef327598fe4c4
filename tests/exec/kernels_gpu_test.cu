// What only nvcc can compile: loops, reductions and teams given as lambdas, on host and device from one
// source.
#include <gtest/gtest.h>

#include <vector>

#include <tessera/exec/detail/reduce.cuh>
#include <tessera/exec/detail/team.cuh>
#include <tessera/exec/for_each.cuh>

#include "exec/kernels.h"

namespace tessera {

using namespace detail;

struct WeightedIndex {
  __host__ __device__ double operator()(std::size_t i) const { return 1.0 / static_cast<double>(i + 1); }
};
struct Add {
  __host__ __device__ double operator()(double a, double b) const { return a + b; }
};

void fill_squares(const Exec& exec, std::uint64_t* out, std::size_t n) {
  for_each(
      exec, n, TS_LAMBDA(std::size_t i) { out[i] = i * i; });
}

struct TeamWork {
  std::uint32_t items;
  std::uint32_t filled_size;
  std::uint32_t* filled;
  std::uint32_t* totals;

  template <class Team>
  TS_HD void operator()(const Team& team, std::uint32_t tile, char* scratch) const {
    count_scan_fill(team, items, reinterpret_cast<std::uint32_t*>(scratch),
                    filled + std::size_t{tile} * filled_size, totals + tile);
  }
};

void check_teams(const Exec& exec, std::uint32_t items, int threads) {
  constexpr std::uint32_t tiles = 37;
  const std::vector<std::uint32_t> expected = expected_fill(items);
  const std::uint32_t size = static_cast<std::uint32_t>(expected.size());
  Buffer<std::uint32_t> filled(exec, std::size_t{size} * tiles);
  Buffer<std::uint32_t> totals(exec, tiles);
  for_each_team(exec, tiles, {.threads = threads, .scratch_bytes = items * sizeof(std::uint32_t)},
                TeamWork{items, size, filled.data(), totals.data()});
  const Array<std::uint32_t> result = filled.to_host();
  const Array<std::uint32_t> total = totals.to_host();
  for (std::uint32_t t = 0; t < tiles; ++t) {
    EXPECT_EQ(total[t], size);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), result.begin() + std::size_t{t} * size));
  }
}

class Kernels : public testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << "no GPU here: " << no_device_reason();
  }
};

TEST_F(Kernels, ForEachVisitsEveryIndexOnBothSides) {
  for (const std::size_t n : {0, 1, 255, 256, 257, 100000}) {
    for (const Exec& exec : {Exec::host(2), Exec::cuda()}) {
      Buffer<std::uint64_t> squares(exec, n);
      fill_squares(exec, squares.data(), n);
      const Array<std::uint64_t> result = squares.to_host();
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], i * i);
    }
  }
}

TEST_F(Kernels, ReductionsOfComputedValuesAreBitwiseEqual) {
  for (const std::size_t n : {0, 1, 31, 1024, 1025, 1234567}) {
    const double on_host = reduce(Exec::host(3), n, 0.0, WeightedIndex{}, Add{});
    for (int run = 0; run < 3; ++run)
      EXPECT_EQ(reduce(Exec::cuda(), n, 0.0, WeightedIndex{}, Add{}), on_host) << n;
  }
}

TEST_F(Kernels, TeamsCountScanAndFillOnBothSides) {
  for (const std::uint32_t items : {0u, 1u, 31u, 32u, 33u, 127u, 128u, 129u, 1000u, 20000u}) {
    for (const int threads : {32, 64, 128, 1024}) {
      check_teams(Exec::host(2), items, threads);
      check_teams(Exec::cuda(), items, threads);
    }
  }
}

TEST_F(Kernels, TooMuchSharedMemoryIsAnErrorNotACrash) {
  const Exec exec = Exec::cuda();
  Buffer<std::uint32_t> some(exec, 1);
  EXPECT_THROW(for_each_team(exec, 1, {.threads = 32, .scratch_bytes = 1 << 30},
                             TeamWork{0, 0, some.data(), some.data()}),
               Error);
  check_teams(exec, 100, 32);  // and the device still works
}

TEST_F(Kernels, PeakMemoryIsCounted) {
  const Exec exec = Exec::cuda();
  const Buffer<char> large(exec, std::size_t{256} << 20);
  EXPECT_GE(device_peak_bytes(exec), mib(256));
  EXPECT_EQ(device_peak_bytes(Exec::host()), 0u);
}

}  // namespace tessera
