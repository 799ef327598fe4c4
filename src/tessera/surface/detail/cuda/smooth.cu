#include <tessera/surface/detail/cuda/smooth.h>

#include <tessera/surface/detail/smooth_loops.h>
#include <tessera/exec/detail/side.cuh>

namespace tessera::detail::cuda {

void smooth_points(VertexAttribute<Vec3d>& positions, const SmoothOptions& options) {
  detail::smooth_points(DeviceSide{positions.surface().exec()}, positions, options);
}

}  // namespace tessera::detail::cuda
