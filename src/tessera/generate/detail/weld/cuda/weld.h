// CUDA backend of weld() for equal coordinates.
#pragma once

#include <tessera/exec/exec.h>
#include <tessera/generate/weld.h>

namespace tessera::detail::cuda {

/// The soup is usable. Joins points with equal coordinates as group_equal_points() does. At most 2^31 points
/// (Error(unsupported)). For a moment 20 to 28 bytes a point.
template <int Dim>
[[nodiscard]] Welded<Dim> weld(const SimplexMesh<Dim>& soup, MergedData data, const Exec& exec);

}  // namespace tessera::detail::cuda
