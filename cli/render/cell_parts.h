// Cells of any type as the vertices, lines and polygons that are drawn of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera::cli {

/// Cells and, for each, the number of the one that it was taken from.
struct CellPart {
  PolyCells cells;
  Array<std::uint32_t> origins;
};

/// The vertices, the lines and the polygons.
[[nodiscard]] std::array<CellPart, 3> split_cells(const CellMesh& mesh);

/// The faces that belong to exactly one of the chosen solids, in their order. `chosen` is empty for all of
/// them, else one flag for each cell. O(n log n) time and 24 bytes a face.
[[nodiscard]] CellPart take_boundary(const CellMesh& mesh, std::span<const std::uint8_t> chosen = {});

/// Points with vertices, lines and polygons, in that order.
[[nodiscard]] PolyData make_poly(CellMesh mesh);

}  // namespace tessera::cli
