// The loops of sparse_loops.h on a device.
#pragma once

#include <cstddef>

#include <tessera/exec/exec.h>
#include <tessera/surface/detail/sparse_loops.h>

namespace tessera::detail::cuda {

template <class Loop>
void run_loop(const Exec& exec, std::size_t n, const Loop& loop);

}  // namespace tessera::detail::cuda
