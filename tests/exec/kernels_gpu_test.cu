// What only nvcc can compile: loops, reductions and teams given as lambdas, on host and device from one
// source.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include <tessera/exec/detail/reduce.cuh>
#include <tessera/exec/detail/team.cuh>
#include <tessera/exec/for_each.cuh>

#include "exec/fail_after.h"
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

class Kernels : public ::testing::Test {
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

TEST_F(Kernels, BuffersLeaveTheDevicesOwnPoolAlone) {
  cudaMemPool_t shared = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&shared, 0), cudaSuccess);
  const auto read = [&](cudaMemPoolAttr which) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(shared, which, &value), cudaSuccess);
    return value;
  };
  const std::uint64_t threshold = read(cudaMemPoolAttrReleaseThreshold);
  const std::uint64_t used = read(cudaMemPoolAttrUsedMemHigh);
  const Exec exec = Exec::cuda();
  const Buffer<char> large(exec, std::size_t{256} << 20);
  EXPECT_EQ(read(cudaMemPoolAttrUsedMemHigh), used);
  EXPECT_EQ(read(cudaMemPoolAttrReleaseThreshold), threshold);
}

TEST_F(Kernels, FreedMemoryCanBeGivenBack) {
  const Exec exec = Exec::cuda();
  std::size_t before = 0;
  std::size_t total = 0;
  release_unused_device_memory(exec);
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  const std::size_t large = before / 4;
  { const Buffer<char> buffer(exec, large); }
  release_unused_device_memory(exec);
  std::size_t after = 0;
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_GT(after + large / 2, before);  // others may use the device, too
}

/// Keeps a stream busy until it is let go, or for about a second.
__global__ void wait_for(const volatile int* flag) {
  const long long start = clock64();
  while (*flag == 0 && clock64() - start < 2'000'000'000) {
  }
}

struct SetValue {
  int* to;
  int value;
  __host__ __device__ void operator()(std::size_t) const { *to = value; }
};

TEST_F(Kernels, WorkIsQueuedOnTheCallersStream) {
  cudaStream_t own = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), cudaSuccess);
  int* flag = nullptr;
  ASSERT_EQ(cudaMallocHost(&flag, sizeof(int)), cudaSuccess);
  {
    const Exec exec = Exec::cuda_on(own);
    const Exec other = Exec::cuda();
    EXPECT_EQ(exec.stream(), own);
    EXPECT_NE(other.stream(), own);
    Buffer<int> value(exec, std::array<int, 1>{1});
    Buffer<int> elsewhere(other, std::array<int, 1>{1});
    const auto queue = [&] {
      for_each(exec, 1, SetValue{value.data(), 2});
      for_each(other, 1, SetValue{elsewhere.data(), 3});
    };
    *flag = 1;
    wait_for<<<1, 1, 0, own>>>(flag);
    queue();  // loads the kernels, which may wait for the device
    synchronize(exec);
    *flag = 0;
    wait_for<<<1, 1, 0, own>>>(flag);
    queue();
    EXPECT_EQ(elsewhere.to_host()[0], 3);                // another Exec waits for nobody
    EXPECT_EQ(cudaStreamQuery(own), cudaErrorNotReady);  // this one's loop is behind what the caller queued
    (void)cudaGetLastError();
    *flag = 1;
    EXPECT_EQ(value.to_host()[0], 2);
  }
  EXPECT_EQ(cudaStreamDestroy(own), cudaSuccess);  // the Exec has left it to us
  EXPECT_EQ(cudaFreeHost(flag), cudaSuccess);
}

TEST_F(Kernels, CopiesShareAStreamAndOthersHaveTheirOwn) {
  const Exec exec = Exec::cuda();
  EXPECT_NE(exec.stream(), nullptr);
  EXPECT_EQ(exec.with_memory_limit(mib(1)).stream(), exec.stream());
  EXPECT_NE(exec.with_own_stream().stream(), exec.stream());
  EXPECT_EQ(Exec::host().with_own_stream().stream(), nullptr);
}

TEST_F(Kernels, AMemoryLimitIsOfOneExec) {
  const Exec exec = Exec::cuda();
  const Exec limited = exec.with_memory_limit(mib(1));
  EXPECT_LE(device_available_bytes(limited), mib(1));
  try {
    const Buffer<char> large(limited, mib(2));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_device_memory) << error.what();
  }
  const Buffer<char> large(exec, mib(2));
}

TEST_F(Kernels, AWatchSeesCallsAndCanRefuseThem) {
  const auto watch = std::make_shared<testing::FailAfter>(1000);
  const Exec exec = Exec::cuda().with_watch(watch);
  (void)Buffer<int>(exec, std::array<int, 1>{1}).to_host();
  EXPECT_FALSE(watch->has_failed());
  const Exec failing = exec.with_watch(std::make_shared<testing::FailAfter>(0));
  EXPECT_THROW((void)Buffer<int>(failing, 1), Error);
  (void)Buffer<int>(exec.with_watch(nullptr), 1);
}

TEST_F(Kernels, PeakMemoryIsCounted) {
  const Exec exec = Exec::cuda();
  const Buffer<char> large(exec, std::size_t{256} << 20);
  EXPECT_GE(device_peak_bytes(exec), mib(256));
  EXPECT_EQ(device_peak_bytes(Exec::host()), 0u);
}

}  // namespace tessera
