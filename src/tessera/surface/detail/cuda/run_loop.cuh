// The definition of run_loop(), to be instantiated for each loop.
#pragma once

#include <tessera/surface/detail/cuda/run_loop.h>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail::cuda {

template <class Loop>
void run_loop(const Exec& exec, std::size_t n, const Loop& loop) {
  cuda::for_each(exec, n, loop);
}

}  // namespace tessera::detail::cuda
