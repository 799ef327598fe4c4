// The minima of a field, asked for in TTK's words, on tetrahedra and on a grid.
#include <tessera/connect/ttk_grid.h>
#include <tessera/connect/ttk_triangulation.h>
#include <tessera/mesh/make.h>

#include <iostream>

namespace ts = tessera;

template <class Names>
int count_minima(const Names& triangulation, std::span<const float> values) {
  int minima = 0;
  for (int v = 0; v < triangulation.getNumberOfVertices(); ++v) {
    bool is_lowest = true;
    for (int i = 0; i < triangulation.getVertexNeighborNumber(v); ++i) {
      int u = -1;
      triangulation.getVertexNeighbor(v, i, u);
      is_lowest &= values[v] < values[u] || (values[v] == values[u] && v < u);
    }
    minima += is_lowest ? 1 : 0;
  }
  return minima;
}

int count_in_tets() {
  const ts::TetMesh mesh = ts::make_kuhn(32);
  const ts::Field field = ts::make_wave_field(mesh.points, ts::WaveField::rough);

  const ts::TiledMesh<3> tiles = ts::tile(mesh);
  ts::TtkTriangulation<3> triangulation(mesh, tiles, {.memory = ts::mib(64)});
  triangulation.preconditionVertexNeighbors();
  return count_minima(triangulation, field.as<float>());
}

int count_in_grid() {
  const ts::Grid grid = ts::make_lattice(32, 32, 32);
  const ts::TtkGrid<3> triangulation(grid);
  return count_minima(triangulation, ts::make_mri_field(grid).as<float>());
}

int main() {
  std::cout << count_in_tets() << " minima in tetrahedra, " << count_in_grid() << " in a grid\n";
}
