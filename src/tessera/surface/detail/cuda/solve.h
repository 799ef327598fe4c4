// Conjugate gradients on a device.
#pragma once

#include <tessera/surface/detail/solve_loops.h>

namespace tessera::detail::cuda {

[[nodiscard]] CgResult conjugate_gradients(const Exec& exec, const CgProblem& problem,
                                           const StageProgress& progress, const double* b, double* x);

}  // namespace tessera::detail::cuda
