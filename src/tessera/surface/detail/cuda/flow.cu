#include <tessera/surface/detail/cuda/flow.h>

#include <tessera/surface/detail/flow_loops.h>
#include <tessera/exec/detail/side.cuh>
#include <tessera/surface/detail/cuda/fold.cuh>

namespace tessera::detail::cuda {

FlowReport flow_points(VertexAttribute<Vec3d>& positions, const FlowOptions& options) {
  return detail::flow_points(DeviceSide{positions.surface().exec()}, positions, options);
}

}  // namespace tessera::detail::cuda
