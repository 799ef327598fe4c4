// What the operators of remeshing and of tracking share.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/surface/cavity.h>

namespace tessera::detail {

/// The half-edge of an edge whose face is_removed(half-edge) knows; invalid if there is none.
template <class IsRemoved>
[[nodiscard]] TS_HD tiled::HalfEdgeId removed_side(const EditMesh& mesh, tiled::EdgeId e,
                                                   const IsRemoved& is_removed) {
  for (const tiled::HalfEdgeId h : mesh.half_edges(e)) {
    if (is_removed(h)) return h;
  }
  return tiled::HalfEdgeId();
}

/// Lengths of edges, 0 for ids of nothing.
struct MeasureEdges {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  double* lengths;

  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    lengths[i] = 0;
    if (!mesh.contains(e)) return;
    const EdgeEnds ends = mesh.ends(e);
    lengths[i] = length(position[ends.to] - position[ends.from]);
  }
};

}  // namespace tessera::detail
