// The critical points and the Morse-Smale complex of a field on a tetrahedral mesh.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

int main() {
  ts::TetMesh mesh = ts::make_kuhn_full(24);  // or ts::read_tets("engine.vtu")
  mesh.point_data.add(ts::make_wave_field(mesh.points, ts::WaveField::smooth));
  const ts::Field& field = mesh.field("smooth");

  const ts::TiledMesh<3> tiles = ts::tile(mesh);
  const ts::CriticalPoints points = ts::critical_points<3>(tiles, field);
  std::cout << points.count[0] << " minima, " << points.count[3] << " maxima\n";

  const ts::MorseSmaleComplex<3> complex = ts::morse_smale<3>(tiles, field);
  const ts::Gradient<3>& gradient = complex.gradient;
  for (const ts::CriticalCell& cell : gradient.critical_cells(3)) {
    const auto tet = gradient.simplex(cell.name);  // its vertices, as the mesh numbers them
    std::cout << "maximum at vertex " << gradient.tiles().to_input(cell.highest).index() << " of tetrahedron";
    for (const ts::VertexId v : tet.vertices) std::cout << ' ' << v.index();
    std::cout << '\n';
  }
  mesh.point_data.add(ts::Field("DescendingManifold", complex.segmentation.descending));
  ts::write_mesh("regions.vtu", mesh);
  std::cout << complex.separatrices.ends.size() << " separatrices, " << complex.segmentation.count[2]
            << " regions\n";
}
