// The order of vertices by a field: what every topological question compares.
//
// Vertices are ordered by (value, input id), so no two are equal. Each gets one 64-bit number with the same
// order: the value's bits, made to sort like the value, above the input id where the value has at most 32 of
// them, and otherwise its place in the sorted sequence. Comparing two vertices is comparing two words.
#pragma once

#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/field.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

using VertexOrderKey = std::uint64_t;
using OrderArray = IdArray<tiled::VertexId, VertexOrderKey>;

/// 8 bytes per vertex. -0 and +0 are equal. Error(unsupported) if the field does not have one component per
/// vertex of the mesh, or is NaN somewhere; the message names the first such vertex.
template <int Dim>
[[nodiscard]] OrderArray compute_order(const TiledMesh<Dim>& tiles, const Field& field,
                                       const Exec& exec = Exec::host());

}  // namespace tessera
