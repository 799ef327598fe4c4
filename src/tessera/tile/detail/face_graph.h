// The dual graph of a tiled surface: faces and their neighbours across edges. For partitions alone; relations
// come from tile/materialize.h.
#pragma once

#include <array>
#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

/// A face's neighbour across the side opposite each corner, in the tiled numbering. An edge of many faces
/// joins them in a ring of ascending ids, each to the next: all of them to all would take quadratic space,
/// and one patch could swallow a whole fan in a single step. A boundary side leads back to the face.
using FaceNeighbours = std::array<std::uint32_t, 3>;

/// The neighbours of every face. O(n), each edge once, tile by tile.
[[nodiscard]] Array<FaceNeighbours> link_faces(const TiledMesh<2>& tiles, const Exec& exec);

}  // namespace tessera::detail
