// The critical points and the Morse-Smale complex of a field on a tetrahedral mesh.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

int main() {
  ts::TetMesh mesh = ts::make_kuhn_full(24);  // or ts::read_tets("engine.vtu")
  mesh.point_data.add(ts::make_wave_field(mesh.points, ts::WaveField::smooth));

  const ts::CriticalPoints points = ts::critical_points(mesh, "smooth");
  std::cout << points.minima() << " minima, " << points.maxima() << " maxima\n";

  const auto complex = ts::morse_smale(mesh, "smooth");
  const auto& gradient = complex.gradient;
  for (const ts::CriticalCell& cell : gradient.critical_cells(3)) {
    std::cout << "maximum at vertex " << cell.highest.index() << " of tetrahedron";
    for (const ts::VertexId v : gradient.simplex(cell.name).vertices) std::cout << ' ' << v.index();
    std::cout << '\n';
  }
  std::cout << complex.separatrices.size() << " separatrices, " << complex.segmentation.count.morse_smale
            << " regions\n";

  ts::TopologyExporter exporter(gradient, mesh, mesh.field("smooth"));
  ts::write_poly("separatrices.vtp", exporter.separatrices(complex.separatrices));
  ts::add_manifolds(mesh.point_data, complex.segmentation);
  ts::write_mesh("regions.vtu", mesh);
}
