// Distances along a surface from two sources by the heat method, and the Laplacian behind it as a file for
// Python.
#include <tessera/io/io.h>
#include <tessera/io/matrix.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/heat_method.h>
#include <tessera/surface/sparse.h>

#include <algorithm>
#include <iostream>
#include <vector>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::TriMesh mesh = argc > 1 ? ts::read_triangles(argv[1]) : ts::make_ico(5);

  const ts::Surface surface(mesh);  // {.exec = ts::Exec::cuda()} on a GPU
  ts::HeatMethod heat(surface);     // prepared once
  const std::vector<ts::GeodesicSource> sources = {ts::VertexId(0),
                                                   ts::FacePoint{ts::FaceId(7), {0.5, 0.25, 0.25}}};
  const ts::Array<double> distance = heat.distances(sources);  // for each vertex of the input

  const ts::SparseMatrix laplacian = ts::make_laplacian(surface);
  ts::write_matrix("laplacian.npz", ts::in_input_order(surface, laplacian));

  std::cout << "the farthest of " << distance.size() << " vertices is " << *std::ranges::max_element(distance)
            << " away\n";
}
