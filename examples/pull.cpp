// Pulls two relations of a large mesh within a gigabyte, whatever the size of the mesh; then lets an analysis
// pull.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::TetMesh mesh = argc > 1 ? ts::read_tets(argv[1]) : ts::make_kuhn(32);

  auto conn = ts::connect(mesh, {.memory = ts::gib(1)});  // an error says how much is needed at least
  const auto [vv, vt] = conn.request<ts::VV, ts::VT>();   // only these are ever prepared

  std::size_t most = 0;
  ts::VertexId busiest;
  for (const ts::VertexId v : mesh.vertices()) {
    const ts::Row<ts::VT> tets = vt[v];  // valid as long as it lives
    if (tets.size() <= most) continue;
    most = tets.size();
    busiest = v;
  }
  std::cout << "vertex " << busiest.index() << " has " << most << " tets and the neighbours";
  for (const ts::VertexId u : vv[busiest]) std::cout << ' ' << u.index();
  std::cout << '\n';

  const ts::Field field = ts::make_wave_field(mesh.points, ts::WaveField::rough);
  const ts::TiledMesh<3> tiles = ts::tile(mesh);
  const ts::StarStore<3> stars(tiles, {.memory = ts::mib(64), .producers = 2});
  const auto points = ts::critical_points(tiles, field, {.stars = &stars});
  std::cout << points.minima() << " minima and " << points.maxima() << " maxima\n";
}
