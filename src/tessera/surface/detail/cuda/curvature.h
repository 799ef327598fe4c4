// CUDA backend of compute_curvature().
#pragma once

#include <tessera/exec/exec.h>
#include <tessera/surface/curvature.h>

namespace tessera::detail::cuda {

/// The mesh is usable. For a moment 28 bytes a corner.
[[nodiscard]] Curvature compute_curvature(const TriMesh& mesh, const Exec& exec);

}  // namespace tessera::detail::cuda
