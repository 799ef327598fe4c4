#include <tessera/surface/denoise.h>

#include <cmath>

#include <tessera/core/config.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/detail/cuda/denoise.h>
#include <tessera/surface/detail/denoise_loops.h>

namespace tessera {

using namespace detail;

double denoise(VertexAttribute<Vec3d>& positions, const DenoiseOptions& options) {
  const auto is_size = [](double sigma) { return sigma >= 0 && std::isfinite(sigma); };
  if (!is_size(options.sigma_c) || !is_size(options.sigma_s) || options.iterations < 0) {
    throw Error(ErrorCode::bad_option,
                "denoising needs sigmas that are finite and not negative, and at least 0 iterations");
  }
  const Exec& exec = positions.surface().exec();
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::denoise_points(positions, options);
  }
  return denoise_points(HostSide{exec}, positions, options);
}

Points denoise(const TriMesh& mesh, const DenoiseOptions& options) {
  return move_points(mesh, options.exec, options.monitor,
                     [&](VertexAttribute<Vec3d>& positions) { (void)denoise(positions, options); });
}

}  // namespace tessera
