#include <tessera/surface/smooth.h>

#include <cmath>

#include <tessera/core/config.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/detail/cuda/smooth.h>
#include <tessera/surface/detail/smooth_loops.h>

namespace tessera {

using namespace detail;

void smooth(VertexAttribute<Vec3d>& positions, const SmoothOptions& options) {
  if (!std::isfinite(options.step) || !std::isfinite(options.back_step) || options.iterations < 0)
    throw Error(ErrorCode::bad_option, "smoothing needs steps that are finite and at least 0 iterations");
  const Exec& exec = positions.surface().exec();
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::smooth_points(positions, options);
  }
  smooth_points(HostSide{exec}, positions, options);
}

Points smooth(const TriMesh& mesh, const SmoothOptions& options) {
  return move_points(mesh, options.exec, options.monitor,
                     [&](VertexAttribute<Vec3d>& positions) { smooth(positions, options); });
}

}  // namespace tessera
