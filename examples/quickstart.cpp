// Makes a tetrahedral mesh with a field, examines it, writes it for ParaView and reads it back.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

int main() {
  ts::TetMesh mesh = ts::make_kuhn(32);  // a ball with a cavity, a tunnel and a bite
  mesh.point_data.add(ts::make_wave_field(mesh.points, ts::WaveField::rough));

  const ts::DoctorReport report = ts::diagnose(mesh);
  std::cout << mesh.cell_count() << " tets, " << report.edges << " edges, " << report.faces
            << " faces, Euler " << report.euler_characteristic
            << (report.has_errors() ? ", broken\n" : ", sound\n");

  ts::write_mesh("kuhn32.vtu", mesh);  // whole or not at all
  const ts::TetMesh again = ts::read_tets("kuhn32.vtu");
  return again == mesh ? 0 : 1;
}
