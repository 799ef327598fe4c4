// Denoising on a device: denoise_loops.h, compiled by nvcc.
#pragma once

#include <tessera/surface/denoise.h>

namespace tessera::detail::cuda {

[[nodiscard]] double denoise_points(VertexAttribute<Vec3d>& positions, const DenoiseOptions& options);

}  // namespace tessera::detail::cuda
