// Pulls two relations of a large mesh within a gigabyte, whatever the size of the mesh.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::TetMesh mesh = argc > 1 ? ts::read_tets(argv[1]) : ts::make_kuhn(32);
  const ts::TiledMesh<3> tiles = ts::tile(mesh);

  auto conn = ts::connect(tiles, {.memory = ts::gib(1)});  // tells if that is too little
  const auto [vv, vt] = conn.request<ts::VV, ts::VT>();    // only these are ever prepared

  std::size_t most = 0;
  ts::VertexId busiest;
  for (std::uint32_t i = 0; i < vt.size(); ++i) {
    const ts::Row<ts::VT> tets = vt[ts::VertexId(i)];  // valid as long as it lives
    if (tets.size() <= most) continue;
    most = tets.size();
    busiest = ts::VertexId(i);
  }
  std::cout << "vertex " << busiest.index() << " has " << most << " tets and the neighbours";
  for (const ts::VertexId u : vv[busiest]) std::cout << ' ' << u.index();
  std::cout << '\n';
}
