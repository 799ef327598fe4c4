// Reads a mesh, asks for the neighbours of its vertices and finds the critical points of a field on it.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

int main() {
  ts::TetMesh mesh = ts::make_kuhn(32);  // or ts::read_tets("engine.vtu")
  mesh.point_data.add(ts::make_wave_field(mesh.points, ts::WaveField::rough));

  auto connectivity = ts::connect(mesh, {.memory = ts::mib(256)});
  const auto [vv] = connectivity.request<ts::VV>();  // only what is asked for is ever prepared
  std::size_t edges = 0;
  for (const ts::VertexId v : mesh.vertices()) {
    for (const ts::VertexId u : vv[v]) edges += v < u ? 1 : 0;
  }

  const ts::CriticalPoints points = ts::critical_points(mesh, "rough");
  std::cout << edges << " edges, " << points.minima() << " minima, " << points.maxima() << " maxima\n";
}
