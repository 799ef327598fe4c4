// A lattice cut into tetrahedra, point for point.
#pragma once

#include <array>
#include <cstdint>

#include <tessera/mesh/mesh.h>

namespace tessera::test {

/// Every cube of a grid split into six tets around its diagonal; points as the grid has them. Half of the
/// tets are negative.
inline TetMesh make_kuhn_lattice(const Grid& grid) {
  constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const auto [nx, ny, nz] = grid.dims;
  const std::uint32_t strides[] = {1, nx, nx * ny};
  Array<Vec3f> points;
  TetMesh mesh;
  for (std::uint32_t k = 0; k < nz; ++k) {
    for (std::uint32_t j = 0; j < ny; ++j) {
      for (std::uint32_t i = 0; i < nx; ++i) {
        points.push_back(vec_cast<float>(grid.point(i, j, k)));
        if (i + 1 == nx || j + 1 == ny || k + 1 == nz) continue;
        for (const auto& order : orders) {
          std::uint32_t at = i + nx * (j + ny * k);
          TetMesh::Cell tet = {VertexId(at)};
          for (int c = 0; c < 3; ++c) tet[c + 1] = VertexId(at += strides[order[c]]);
          mesh.cells.push_back(tet);
        }
      }
    }
  }
  mesh.points = Points(std::move(points));
  return mesh;
}

}  // namespace tessera::test
