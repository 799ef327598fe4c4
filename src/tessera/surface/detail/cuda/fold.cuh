// fold() (fold.h) on a device, with the same bytes as result.
#pragma once

#include <cstddef>

#include <tessera/surface/detail/fold.h>
#include <tessera/exec/cuda.cuh>
#include <tessera/exec/detail/side.cuh>

namespace tessera::detail {

namespace cuda {

template <class T>
__device__ void fold_halves(T* lanes) {
  __syncthreads();
  for (unsigned half = fold_group / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) lanes[threadIdx.x] = lanes[threadIdx.x] + lanes[threadIdx.x + half];
    __syncthreads();
  }
}

template <class T, class Value>
__global__ void __launch_bounds__(fold_group) fold_groups(std::size_t n, Value value, T* partial) {
  __shared__ T lanes[fold_group];
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * fold_group + threadIdx.x;
  lanes[threadIdx.x] = i < n ? value(i) : T{};
  fold_halves(lanes);
  if (threadIdx.x == 0) partial[blockIdx.x] = lanes[0];
}

template <class T, class Finish>
__global__ void __launch_bounds__(fold_group)
    fold_partial(std::size_t groups, const T* partial, Finish finish) {
  __shared__ T lanes[fold_group];
  T mine = T{};
  for (std::size_t g = threadIdx.x; g < groups; g += fold_group) mine = mine + partial[g];
  lanes[threadIdx.x] = mine;
  fold_halves(lanes);
  if (threadIdx.x == 0) finish(lanes[0]);
}

}  // namespace cuda

template <class T, class Value, class Finish>
void fold(const DeviceSide& side, std::size_t n, T* partial, const Value& value, const Finish& finish) {
  const CurrentDevice current(side.exec);
  const std::size_t groups = fold_group_count(n);
  if (groups > 0) {
    cuda::fold_groups<<<static_cast<unsigned>(groups), fold_group, 0, cuda_stream(side.exec)>>>(n, value,
                                                                                                partial);
  }
  cuda::fold_partial<<<1, fold_group, 0, cuda_stream(side.exec)>>>(groups, partial, finish);
  check_launch(side.exec, "starting a sum");
}

}  // namespace tessera::detail
