// Loops over elements at either place, for translation units that a host compiler compiles.
#pragma once

#include <cstddef>

#include <tessera/core/config.h>
#include <tessera/exec/for_each.h>
#include <tessera/surface/detail/cuda/run_loop.h>

namespace tessera::detail {

/// Calls loop(i) for i in [0, n) at exec's place. On a device one of the loops that a .cu instantiates.
template <class Loop>
void run_loop(const Exec& exec, std::size_t n, const Loop& loop) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::run_loop(exec, n, loop);
  }
  host_for_each(exec, n, loop);
}

}  // namespace tessera::detail
