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

/// to[i] = from[list[i]].
struct GatherWords {
  const std::uint32_t* from;
  const std::uint32_t* list;
  std::uint32_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = from[list[i]]; }
};

/// Of each edge: do its ends lie in tiles far from each other, and do its faces?
struct CountFar {
  EditArrays mesh;
  std::uint32_t* counts;
  static constexpr std::uint32_t tiles = 16;
  static constexpr std::uint32_t tile_vertices = 256;

  TS_HD void operator()(std::size_t e) const {
    counts[e] = 0;
    const std::uint32_t h = mesh.first_side(static_cast<std::uint32_t>(e));
    if (h == EditArrays::none || mesh.is_listed(static_cast<std::uint32_t>(e))) return;
    const std::uint32_t t = mesh.across(h);
    counts[e] = are_far(mesh.corners[h], mesh.corners[EditArrays::next(h)], tiles * tile_vertices) +
                (t == EditArrays::none ? 0 : are_far(h / 3, t / 3, 2 * tiles * tile_vertices));
  }

 private:
  [[nodiscard]] static TS_HD std::uint32_t are_far(std::uint32_t a, std::uint32_t b, std::uint32_t far) {
    return (a < b ? b - a : a - b) > far ? 1 : 0;
  }
};

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
