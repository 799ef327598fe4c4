// Reduction of computed values on host or device, in the fixed order of reduce_order.h.
#pragma once

#include <cstddef>

#include <tessera/exec/buffer.h>
#include <tessera/exec/detail/host/reduce.h>
#include <tessera/exec/cuda.cuh>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail {

namespace cuda {

/// One warp folds one chunk; see reduce_order.h.
template <class T, class Value, class Op>
__global__ void reduce_kernel(std::size_t n, T identity, Value value, Op op, T* partial) {
  using namespace reduce_order;
  const std::size_t warp = (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;
  const std::size_t lane = threadIdx.x % lanes;
  const std::size_t begin = warp * chunk;
  if (begin >= n) return;
  T mine = identity;
  if (begin + chunk <= n) {
    for (std::size_t half = 0; half < chunk; half += chunk / 2) {
      T loaded[chunk / lanes / 2];  // many loads in flight before the first use
#pragma unroll
      for (std::size_t i = 0; i < chunk / lanes / 2; ++i) loaded[i] = value(begin + half + i * lanes + lane);
#pragma unroll
      for (std::size_t i = 0; i < chunk / lanes / 2; ++i) mine = op(mine, loaded[i]);
    }
  } else {
    for (std::size_t i = begin + lane; i < n; i += lanes) mine = op(mine, value(i));
  }
  __shared__ T shared[block_threads];
  shared[threadIdx.x] = mine;
  __syncwarp();
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    if (lane < half) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncwarp();
  }
  if (lane == 0) partial[warp] = shared[threadIdx.x];
}

}  // namespace cuda

/// Queues op over value(i) for i in [0, n), n > 0, into device memory. exec is a device.
template <class T, class Value, class Op>
void reduce_into(const Exec& exec, T* result, std::size_t n, const T& identity, const Value& value,
                 const Op& op) {
  const CurrentDevice current(exec);
  const std::size_t chunks = reduce_order::chunk_count(n);
  Buffer<T> partial(exec, chunks == 1 ? 0 : chunks);
  T* to = chunks == 1 ? result : partial.data();
  constexpr std::size_t chunks_per_block = cuda::block_threads / reduce_order::lanes;
  const unsigned blocks = static_cast<unsigned>((chunks + chunks_per_block - 1) / chunks_per_block);
  cuda::reduce_kernel<<<blocks, cuda::block_threads, 0, cuda_stream(exec)>>>(n, identity, value, op, to);
  check_launch(exec, "starting a reduction");
  if (chunks > 1) reduce_into(exec, result, chunks, identity, reduce_order::Loaded<T>{to}, op);
}

/// op over value(i) for i in [0, n). On a device value and op are TS_LAMBDAs; waits for the result.
template <class T, class Value, class Op>
[[nodiscard]] T reduce(const Exec& exec, std::size_t n, const T& identity, const Value& value, const Op& op) {
  if (!exec.is_cuda()) return host::reduce(exec.threads(), n, identity, value, op);
  if (n == 0) return identity;
  Buffer<T> result(exec, 1);
  reduce_into(exec, result.data(), n, identity, value, op);
  return result.to_host()[0];
}

}  // namespace tessera::detail
