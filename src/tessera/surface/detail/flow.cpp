#include <tessera/surface/flow.h>

#include <cmath>

#include <tessera/core/config.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/detail/cuda/flow.h>
#include <tessera/surface/detail/flow_loops.h>

namespace tessera {

using namespace detail;

FlowReport flow(VertexAttribute<Vec3d>& positions, const FlowOptions& options) {
  const bool has_time = options.time >= 0 && std::isfinite(options.time);
  if (!has_time || !(options.tolerance > 0 && options.tolerance < 1) || options.steps < 0 ||
      options.max_iterations < 1) {
    throw Error(ErrorCode::bad_option,
                "flow needs a time that is finite and not negative, a tolerance between 0 and 1, at least 0 "
                "steps and 1 iteration");
  }
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
