// Measures a torus from one vertex, and traces the way back from another.
#include <tessera/tessera.h>

#include <array>
#include <iostream>

namespace ts = tessera;

int main(int argc, char** argv) {
  ts::TriMesh mesh = argc > 1 ? ts::read_triangles(argv[1]) : ts::make_torus(160, 96);

  const std::array<ts::GeodesicSource, 1> sources = {ts::VertexId(0)};
  const ts::Surface surface(mesh);  // {.exec = ts::Exec::cuda()} for a GPU
  const auto geodesics = ts::compute_geodesics<float>(surface, sources);
  mesh.point_data.add(ts::to_field(geodesics.distance, "GeodesicDistance"));
  const ts::GeodesicPath path = ts::GeodesicPaths(geodesics).trace(ts::VertexId(17));

  ts::write_mesh("distances.vtp", mesh);
  std::cout << path.points.size() << " points lead over " << path.length << " to vertex 0\n";
}
