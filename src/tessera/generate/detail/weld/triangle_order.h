// Triangles that are compared by their vertices, on either side.
#pragma once

#include <cstddef>

#include <tessera/core/macros.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// Puts a triangle's vertices in ascending order. Says whether they ascended already, but for where it began.
[[nodiscard]] TS_HD inline bool sort_vertices(TriMesh::Cell& triangle) {
  const TriMesh::Cell t = triangle;
  const std::size_t least = t[1] < t[0] ? (t[2] < t[1] ? 2 : 1) : (t[2] < t[0] ? 2 : 0);
  const VertexId next = t[(least + 1) % 3];
  const VertexId last = t[(least + 2) % 3];
  const bool turns_up = next < last;
  triangle = {t[least], turns_up ? next : last, turns_up ? last : next};
  return turns_up;
}

}  // namespace tessera::detail
