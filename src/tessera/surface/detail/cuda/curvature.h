// CUDA backend of compute_curvature().
#pragma once

#include <tessera/exec/exec.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/detail/curvature_rules.h>

namespace tessera::detail::cuda {

/// The mesh is usable. For a moment 28 bytes a corner. Runs on host threads, too, if exec has only those.
[[nodiscard]] Curvature compute_curvature(const TriMesh& mesh, const Exec& exec);

template <class Real>
void fill_curvature(const VertexAttribute<Vec3<Real>>& positions, const CurvatureViews& out);

}  // namespace tessera::detail::cuda
