// CUDA backend of make_dual().
#pragma once

#include <tessera/core/array.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera::detail::cuda {

/// Gives `dual` its points, vertices, lines and polygons; returns the vertex of each cell. The mesh is
/// usable. For a moment some 50 bytes a corner.
[[nodiscard]] Array<std::uint32_t> make_cells(PolyData& dual, const TriMesh& mesh, const Exec& exec);

}  // namespace tessera::detail::cuda
