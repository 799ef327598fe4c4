// BlockTeam: a team that is a block of CUDA threads, and the launch of one block for each tile.
#pragma once

#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/team.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/cuda.cuh>

namespace tessera::detail {

namespace cuda {

/// The sum of the values of a warp's lanes up to and with this one.
__device__ inline std::uint32_t warp_inclusive(std::uint32_t value, std::uint32_t lane) {
  for (std::uint32_t step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(0xFFFFFFFFu, value, step);
    if (lane >= step) value += other;
  }
  return value;
}

}  // namespace cuda

/// All threads of a block. Every call but rank, size and add must be reached by all of them.
class BlockTeam {
 public:
  static constexpr bool is_device = true;
  static constexpr std::uint32_t max_warps = 32;

  /// `scan_space` holds max_warps words of shared memory that only the team uses.
  __device__ explicit BlockTeam(std::uint32_t* scan_space) : scan_space_(scan_space) {}

  [[nodiscard]] __device__ std::uint32_t rank() const { return threadIdx.x; }
  [[nodiscard]] __device__ std::uint32_t size() const { return blockDim.x; }
  __device__ void sync() const { __syncthreads(); }

  template <class F>
  __device__ void for_each(std::uint32_t n, F&& f) const {
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) f(i);
  }

  template <class T>
  __device__ T exclusive_scan(T* values, std::uint32_t n) const {
    static_assert(sizeof(T) <= sizeof(std::uint32_t), "a block scans in 32 bits");
    std::uint32_t carry = 0;
    for (std::uint32_t base = 0; base < n; base += blockDim.x) {
      const std::uint32_t i = base + threadIdx.x;
      const std::uint32_t value = i < n ? static_cast<std::uint32_t>(values[i]) : 0;
      std::uint32_t total = 0;
      const std::uint32_t before = scan_once(value, total);
      if (i < n) values[i] = static_cast<T>(carry + before);
      carry += total;
    }
    __syncthreads();
    return static_cast<T>(carry);
  }

  template <class T>
  __device__ T add(T& counter, T amount) const {
    return atomicAdd(&counter, amount);
  }

 private:
  /// The sum of the values of the threads before this one, and of all threads.
  __device__ std::uint32_t scan_once(std::uint32_t value, std::uint32_t& total) const {
    constexpr std::uint32_t all = 0xFFFFFFFFu;
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t warps = (blockDim.x + 31) / 32;
    const std::uint32_t inclusive = cuda::warp_inclusive(value, lane);
    __syncthreads();  // the space may still be read by the round before
    if (lane == 31 || threadIdx.x + 1 == blockDim.x) scan_space_[warp] = inclusive;
    __syncthreads();
    const std::uint32_t of_warp = cuda::warp_inclusive(lane < warps ? scan_space_[lane] : 0, lane);
    total = __shfl_sync(all, of_warp, static_cast<int>(warps) - 1);
    const std::uint32_t before_warp = warp == 0 ? 0 : __shfl_sync(all, of_warp, static_cast<int>(warp) - 1);
    return before_warp + inclusive - value;
  }

  std::uint32_t* scan_space_;
};

namespace cuda {

template <class F>
__global__ void for_each_team_kernel(F f) {
  __shared__ std::uint32_t scan_space[BlockTeam::max_warps];
  extern __shared__ __align__(16) char scratch[];
  f(BlockTeam(scan_space), static_cast<std::uint32_t>(blockIdx.x), scratch);
}

}  // namespace cuda

struct TeamOptions {
  int threads = 128;              ///< a team on a device: a multiple of 32, at most 1024
  std::size_t scratch_bytes = 0;  ///< of fast memory that each team gets
};

/// Calls f(team, tile, scratch) for tile in [0, tiles): one block each on a device (queued), one thread each
/// on the host.
template <class F>
void for_each_team(const Exec& exec, std::uint32_t tiles, const TeamOptions& options, const F& f) {
  TS_EXPECTS(options.threads > 0 && options.threads <= 1024 && options.threads % 32 == 0);
  if (tiles == 0) return;
  if (!exec.is_cuda()) {
    host::for_each_chunk(exec.threads(), tiles, 1, [&](host::Range range, int) {
      Array<char> scratch(options.scratch_bytes);
      f(HostTeam{}, static_cast<std::uint32_t>(range.begin), scratch.data());
    });
    return;
  }
  const CurrentDevice current(exec);
  check_cuda(exec,
             cudaFuncSetAttribute(cuda::for_each_team_kernel<F>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(options.scratch_bytes)),
             "asking for shared memory");
  cuda::for_each_team_kernel<<<tiles, options.threads, options.scratch_bytes, cuda_stream(exec)>>>(f);
  check_launch(exec, "starting a kernel of teams");
}

}  // namespace tessera::detail
