// CUDA backend of coarsen().
#pragma once

#include <tessera/exec/exec.h>
#include <tessera/generate/coarsen.h>

namespace tessera::detail::cuda {

/// The surface is usable, and the provenance its own. Point data travels field by field; the cell data of
/// triangles that are left is gathered by the host.
[[nodiscard]] Coarsened coarsen(const TriMesh& surface, const Provenance& provenance, const Exec& exec);

}  // namespace tessera::detail::cuda
