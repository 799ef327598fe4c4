// Solids for the tests of tetrahedralization.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>

namespace tessera::test {

/// One solid for each voxel, with the grid's points.
inline CellMesh make_hexahedra(const Grid& grid) {
  CellMesh solids;
  Array<Vec3d> points;
  const auto [nx, ny, nz] = grid.dims;
  const std::uint32_t row = nx;
  const std::uint32_t layer = nx * ny;
  for (std::uint32_t k = 0; k < nz; ++k) {
    for (std::uint32_t j = 0; j < ny; ++j) {
      for (std::uint32_t i = 0; i < nx; ++i) {
        points.push_back(grid.point(i, j, k));
        if (i + 1 == nx || j + 1 == ny || k + 1 == nz) continue;
        const std::uint32_t p = i + row * j + layer * k;
        std::vector<VertexId> corners;
        for (const std::uint32_t base : {p, p + layer}) {
          for (const std::uint32_t c : {base, base + 1, base + 1 + row, base + row})
            corners.push_back(VertexId(c));
        }
        solids.types.push_back(CellType::hexahedron);
        solids.cells.add(corners);
      }
    }
  }
  solids.points = std::move(points);
  return solids;
}

/// Hexahedra of which some columns become wedges, and some cells six pyramids around a new point or five
/// tets.
inline CellMesh make_mixed(const Grid& grid) {
  const CellMesh hexahedra = make_hexahedra(grid);
  const std::size_t layer = std::size_t{grid.dims[0] - 1} * (grid.dims[1] - 1);
  CellMesh mixed;
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < hexahedra.vertex_count(); ++v)
    points.push_back(hexahedra.points[VertexId(v)]);
  const auto add = [&](CellType type, const std::vector<VertexId>& corners) {
    mixed.types.push_back(type);
    mixed.cells.add(corners);
  };
  for (std::size_t c = 0; c < hexahedra.cell_count(); ++c) {
    const auto v = hexahedra.cells[c];
    const std::uint64_t column = splitmix64(c % layer) % 3;
    if (column == 0) {
      add(CellType::wedge, {v[0], v[2], v[1], v[4], v[6], v[5]});
      add(CellType::wedge, {v[0], v[3], v[2], v[4], v[7], v[6]});
    } else if (splitmix64(c) % 2 == 0) {
      const VertexId top(static_cast<std::uint32_t>(points.size()));
      Vec3d sum = {0, 0, 0};
      for (const VertexId corner : v) sum = sum + 0.125 * hexahedra.points[corner];
      points.push_back(sum);
      for (std::size_t face = 0; face < 6; ++face) {  // outward there, inward for a base
        const SolidFace f = face_of(CellType::hexahedron, face);
        const auto at = [&](int i) { return v[static_cast<std::size_t>(f[i])]; };
        add(CellType::pyramid, {at(3), at(2), at(1), at(0), top});
      }
    } else {
      add(CellType::hexahedron, {v.begin(), v.end()});
    }
  }
  mixed.points = std::move(points);
  return mixed;
}

/// A quad before the cells and a line behind them.
inline CellMesh with_lower_cells(const CellMesh& solids) {
  CellMesh mesh;
  mesh.points = solids.points;
  mesh.types.push_back(CellType::quad);
  mesh.cells.add(std::array{VertexId(0), VertexId(1), VertexId(3), VertexId(2)});
  for (std::size_t c = 0; c < solids.cell_count(); ++c) {
    mesh.types.push_back(solids.types[c]);
    mesh.cells.add(solids.cells[c]);
  }
  mesh.types.push_back(CellType::line);
  mesh.cells.add(std::array{VertexId(0), VertexId(1)});
  return mesh;
}

}  // namespace tessera::test
