// Meshes taken apart: every cell with points of its own.
#pragma once

#include <cstdint>
#include <utility>

#include <tessera/mesh/mesh.h>

namespace tessera::test {

template <int Dim>
SimplexMesh<Dim> make_soup(const SimplexMesh<Dim>& mesh) {
  SimplexMesh<Dim> soup;
  Array<std::uint32_t> order;
  for (const auto& cell : mesh.cells) {
    typename SimplexMesh<Dim>::Cell own;
    for (std::size_t c = 0; c < cell.size(); ++c) {
      own[c] = VertexId(static_cast<std::uint32_t>(order.size()));
      order.push_back(cell[c].index());
    }
    soup.cells.push_back(own);
  }
  soup.points = mesh.points.gather(order);
  soup.point_data = mesh.point_data.gather(order);
  soup.cell_data = mesh.cell_data;
  return soup;
}

}  // namespace tessera::test
