// The minima of a field, asked for in TTK's words.
#include <tessera/connect/ttk_triangulation.h>
#include <tessera/mesh/make.h>

#include <iostream>

namespace ts = tessera;

int main() {
  const ts::TetMesh mesh = ts::make_kuhn(32);
  const ts::Field field = ts::make_wave_field(mesh.points, ts::WaveField::rough);
  const std::span<const float> values = field.as<float>();

  const ts::TiledMesh<3> tiles = ts::tile(mesh);
  ts::TtkTriangulation<3> triangulation(mesh, tiles, {.memory = ts::mib(64)});
  triangulation.preconditionVertexNeighbors();
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
  std::cout << minima << " minima\n";
}
