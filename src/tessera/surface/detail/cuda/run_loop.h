// Loops that nvcc has compiled, for translation units that it does not compile.
#pragma once

#include <cstddef>

#include <tessera/exec/exec.h>

namespace tessera::detail::cuda {

/// Queues loop(i) for i in [0, n). run_loop.cuh has the definition; sparse.cu and others instantiate it.
template <class Loop>
void run_loop(const Exec& exec, std::size_t n, const Loop& loop);

}  // namespace tessera::detail::cuda
