// Smoothing on a device: smooth_loops.h, compiled by nvcc.
#pragma once

#include <tessera/surface/smooth.h>

namespace tessera::detail::cuda {

void smooth_points(VertexAttribute<Vec3d>& positions, const SmoothOptions& options);

}  // namespace tessera::detail::cuda
