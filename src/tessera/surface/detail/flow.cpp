#include <tessera/surface/flow.h>

#include <tessera/core/config.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/detail/cuda/flow.h>
#include <tessera/surface/detail/flow_loops.h>

namespace tessera {

using namespace detail;

FlowReport flow(VertexAttribute<Vec3d>& positions, const FlowOptions& options) {
  const Exec& exec = positions.surface().exec();
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::flow_points(positions, options);
  }
  return flow_points(HostSide{exec}, positions, options);
}

Flow flow(const TriMesh& mesh, const FlowOptions& options) {
  Flow result;
  result.points = move_points(mesh, options.exec, options.monitor, [&](VertexAttribute<Vec3d>& positions) {
    result.report = flow(positions, options);
  });
  return result;
}

}  // namespace tessera
