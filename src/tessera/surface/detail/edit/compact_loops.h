// Loops that drop what was removed from a surface and carry everything else over to the new ids.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/detail/edit/round_loops.h>
#include <tessera/surface/edit_mesh.h>

namespace tessera::detail {

struct FlagLive {
  EditArrays mesh;
  bool is_vertex;  ///< else a face
  std::uint8_t* flags;
  TS_HD void operator()(std::size_t i) const {
    const bool is_live =
        is_vertex ? mesh.handles[i] != EditArrays::removed : mesh.corners[3 * i] != EditArrays::none;
    flags[i] = is_live ? 1 : 0;
  }
};
/// The place of each element of a list.
struct InvertList {
  const std::uint32_t* list;
  std::uint32_t* place;
  TS_HD void operator()(std::size_t i) const { place[list[i]] = static_cast<std::uint32_t>(i); }
};
struct GatherCells {
  EditArrays mesh;
  const std::uint32_t* faces;
  const std::uint32_t* vertex_place;
  TriMesh::Cell* cells;
  TS_HD void operator()(std::size_t i) const {
    const std::uint32_t* c = mesh.corners + 3 * std::size_t{faces[i]};
    cells[i] = {VertexId(vertex_place[c[0]]), VertexId(vertex_place[c[1]]), VertexId(vertex_place[c[2]])};
  }
};
/// The old id of each new edge and the new one of each old edge. Both faces of an edge write the same.
struct MatchEdges {
  EditArrays old_mesh;
  EditArrays new_mesh;
  const std::uint32_t* old_faces;  ///< by new face
  std::uint32_t* old_edges;
  std::uint32_t* new_edges;
  TS_HD void operator()(std::size_t f) const {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t before = old_mesh.edges[3 * std::size_t{old_faces[f]} + k];
      const std::uint32_t after = new_mesh.edges[3 * f + k];
      store_relaxed(old_edges + after, before);
      store_relaxed(new_edges + before, after);
    }
  }
};

}  // namespace tessera::detail
