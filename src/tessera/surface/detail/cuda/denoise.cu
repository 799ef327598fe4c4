#include <tessera/surface/detail/cuda/denoise.h>

#include <tessera/surface/detail/denoise_loops.h>
#include <tessera/exec/detail/side.cuh>

namespace tessera::detail::cuda {

double denoise_points(VertexAttribute<Vec3d>& positions, const DenoiseOptions& options) {
  return detail::denoise_points(DeviceSide{positions.surface().exec()}, positions, options);
}

}  // namespace tessera::detail::cuda
