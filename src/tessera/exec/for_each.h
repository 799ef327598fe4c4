// for_each on host threads. Kernels for both sides use for_each.cuh.
#pragma once

#include <cstddef>

#include <tessera/exec/exec.h>
#include <tessera/exec/host/parallel.h>

namespace tessera {

/// Calls f(i) for i in [0, n) on exec's host threads; in which order is not promised. The calls must not
/// write what others read.
template <class F>
void host_for_each(const Exec& exec, std::size_t n, F&& f) {
  host::for_each_share(exec.threads(), n, [&](host::Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) f(i);
  });
}

}  // namespace tessera
