// Rows in the input's ids, from an oracle's rows in the tiled mesh's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

#include "tile/oracle.h"

namespace tessera::oracle {

using IndexRows = std::vector<std::vector<std::uint32_t>>;

template <int Dim>
Complex complex_of(const SimplexMesh<Dim>& mesh, const TiledMesh<Dim>& tiles) {
  std::vector<std::uint32_t> number(mesh.vertex_count());
  for (std::uint32_t v = 0; v < number.size(); ++v) number[v] = tiles.tiled(VertexId(v)).index();
  return Complex(mesh, number);
}

/// What an element is called in the input; edges, and faces of tets, keep their names.
template <int Dim>
std::uint32_t input_name(const TiledMesh<Dim>& tiles, Kind kind, std::uint32_t id) {
  if (kind == Kind::vertex) return tiles.input(tiled::VertexId(id)).index();
  if (static_cast<int>(kind) == Dim) return tiles.input(typename TiledMesh<Dim>::CellId(id)).index();
  return id;
}

template <int Dim>
IndexRows in_input_ids(const TiledMesh<Dim>& tiles, Kind from, Kind to, const IndexRows& rows) {
  IndexRows result(rows.size());
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    auto& row = result[input_name(tiles, from, r)];
    for (const std::uint32_t entry : rows[r]) row.push_back(input_name(tiles, to, entry));
    std::sort(row.begin(), row.end());
  }
  return result;
}

}  // namespace tessera::oracle
