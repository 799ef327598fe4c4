// CUDA backend of subdivision.
#pragma once

#include <tessera/exec/exec.h>
#include <tessera/generate/detail/keys/pair_groups.h>
#include <tessera/generate/subdivide.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::cuda {

/// One level: points, cells and point data. The ends of the edges, ascending, go to `ends` if it is not null.
/// Fields travel one by one. Errors as subdivide(), and those of the device.
template <int Dim>
[[nodiscard]] SimplexMesh<Dim> refine(const SimplexMesh<Dim>& mesh, SubdivisionScheme scheme,
                                      Array<PairKey>* ends, const Exec& exec);

}  // namespace tessera::detail::cuda
