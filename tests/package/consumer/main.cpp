// The smallest user of Tessera: makes two tetrahedra, takes them through a file if io is there, counts them.
#include <iostream>

#include <tessera/mesh/make.h>
#ifdef CONSUMER_IO
#include <tessera/io/io.h>
#endif

int main() {
  tessera::TetMesh mesh = tessera::make_small_solid("two_tets");
#ifdef CONSUMER_IO
  tessera::write_mesh("two_tets.vtu", mesh);
  mesh = tessera::read_tets("two_tets.vtu");
#endif
  std::cout << mesh.vertex_count() << " vertices, " << mesh.cell_count() << " tetrahedra\n";
}
