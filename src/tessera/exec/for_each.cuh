// for_each on host or device from one lambda. For translation units compiled by nvcc.
#pragma once

#include <cstddef>

#include <tessera/exec/for_each.h>
#include <tessera/exec/cuda.cuh>

namespace tessera {

namespace detail::cuda {

inline constexpr int block_threads = 256;

// A parameter of the grid: loops hand out pointers to what they hold, for which each thread would otherwise
// need a copy of it.
template <class F>
__global__ void for_each_kernel(std::size_t n, const __grid_constant__ F f) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    f(i);
}

/// As many blocks as the work has, up to what a grid can hold.
[[nodiscard]] inline unsigned grid_blocks(std::size_t work) {
  constexpr std::size_t most = 0x7FFFFFFFu;
  return static_cast<unsigned>(work < most ? work : most);
}

/// Calls f(i) for i in [0, n) as one kernel, queued. exec is a device, f may be for devices only.
template <class F>
void for_each(const Exec& exec, std::size_t n, const F& f) {
  if (n == 0) return;
  const CurrentDevice current(exec);
  const std::size_t blocks = (n + block_threads - 1) / block_threads;
  for_each_kernel<<<grid_blocks(blocks), block_threads, 0, cuda_stream(exec)>>>(n, f);
  check_launch(exec, "starting a loop");
}

}  // namespace detail::cuda

/// Calls f(i) for i in [0, n): on a device as one kernel, queued; on the host as host_for_each.
/// f is a TS_LAMBDA and captures pointers or spans to memory at exec's place.
template <class F>
void for_each(const Exec& exec, std::size_t n, const F& f) {
  if (!exec.is_cuda()) return host_for_each(exec, n, f);
  detail::cuda::for_each(exec, n, f);
}

}  // namespace tessera
