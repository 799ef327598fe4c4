// Flow on a device: flow_loops.h, compiled by nvcc.
#pragma once

#include <tessera/surface/flow.h>

namespace tessera::detail::cuda {

[[nodiscard]] FlowReport flow_points(VertexAttribute<Vec3d>& positions, const FlowOptions& options);

}  // namespace tessera::detail::cuda
