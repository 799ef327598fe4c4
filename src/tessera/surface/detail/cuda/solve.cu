#include <tessera/surface/detail/cuda/solve.h>

#include <tessera/exec/detail/side.cuh>

namespace tessera::detail::cuda {

CgResult conjugate_gradients(const Exec& exec, const CgProblem& problem, const StageProgress& progress,
                             const double* b, double* x) {
  const DeviceSide side{exec};
  return ConjugateGradients<DeviceSide>(side, problem, progress).solve(b, x);
}

}  // namespace tessera::detail::cuda
