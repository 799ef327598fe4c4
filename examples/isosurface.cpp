// Cuts a volume at two values into one connected surface with normals, and says where a vertex came from.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

int main() {
  ts::Grid grid = ts::make_lattice(64, 64, 64);
  grid.point_data.add(ts::make_mri_field(grid));
  const std::vector<double> values = {0.15, 0.3};

  const ts::Isosurface surface = ts::isosurface(
      grid, grid.field("mri"), values, {.normals = ts::SurfaceNormals::gradient, .keep_provenance = true});

  const auto around = ts::vertex_incidence<ts::FaceId, 3>(surface.mesh.cells, surface.mesh.vertex_count());
  const auto [a, b] = surface.provenance.edges[0];
  std::cout << surface.mesh.vertex_count() << " vertices, " << surface.mesh.cell_count()
            << " triangles; vertex 0 has " << around[ts::VertexId(0)].size()
            << " triangles and lies between the points " << a << " and " << b << '\n';
}
