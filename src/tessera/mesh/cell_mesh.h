// CellMesh: cells of several types as a file has them, before they are cut.
//
// Most of Tessera works on simplices. This is what files are converted through, and the input of what makes
// simplices: cut_into_simplices() and tetrahedralize().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera {

/// With VTK's numbers and VTK's order of corners. Voxels are hexahedra and pixels quads with their corners in
/// that order.
enum class CellType : std::uint8_t {
  vertex = 1,
  poly_vertex = 2,
  line = 3,
  poly_line = 4,
  triangle = 5,
  polygon = 7,
  quad = 9,
  tetrahedron = 10,
  hexahedron = 12,
  wedge = 13,
  pyramid = 14,
};

[[nodiscard]] TS_HD constexpr int dimension_of(CellType type) {
  return type >= CellType::tetrahedron ? 3 : type >= CellType::triangle ? 2 : type >= CellType::line ? 1 : 0;
}
/// "hexahedron", "poly-line", ...
[[nodiscard]] std::string_view to_string(CellType type);
/// 0: any number.
[[nodiscard]] constexpr std::size_t corner_count(CellType type) {
  constexpr std::array<std::uint8_t, 15> counts = {0, 1, 0, 2, 0, 3, 0, 0, 0, 4, 4, 0, 8, 6, 5};
  return counts[static_cast<std::size_t>(type)];
}

/// Four corners or, with the fourth -1, three.
using SolidFace = std::array<std::int8_t, 4>;

/// Of a solid; 0 for other types.
[[nodiscard]] TS_HD constexpr std::size_t face_count(CellType type) {
  return type == CellType::hexahedron    ? 6
         : type == CellType::tetrahedron ? 4
         : dimension_of(type) == 3       ? 5
                                         : 0;
}
/// Face f of a solid, counter-clockwise seen from outside.
[[nodiscard]] TS_HD constexpr SolidFace face_of(CellType type, std::size_t f) {
  constexpr std::array<SolidFace, 4> tetrahedron = {
      {{0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}, {0, 2, 1, -1}}};
  constexpr std::array<SolidFace, 6> hexahedron = {
      {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}};
  constexpr std::array<SolidFace, 5> wedge = {
      {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
  constexpr std::array<SolidFace, 5> pyramid = {
      {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}};
  switch (type) {
    case CellType::hexahedron: return hexahedron[f];
    case CellType::wedge: return wedge[f];
    case CellType::pyramid: return pyramid[f];
    default: return tetrahedron[f];
  }
}

/// Invariants: a type for each cell; each cell has its type's number of corners, which name points.
struct CellMesh {
  Points points;
  Array<CellType> types;
  PolyCells cells;
  FieldSet point_data;
  FieldSet cell_data;
  FieldSet field_data;  ///< of the mesh as a whole: any length

  [[nodiscard]] std::size_t vertex_count() const { return points.size(); }
  [[nodiscard]] std::size_t cell_count() const { return types.size(); }
  /// The highest of its cells; 0 if there are none.
  [[nodiscard]] int dimension() const {
    int highest = 0;
    for (const CellType type : types) highest = std::max(highest, dimension_of(type));
    return highest;
  }
  [[nodiscard]] std::size_t bytes() const {
    return points.bytes() + types.size() + cells.bytes() + point_data.bytes() + cell_data.bytes() +
           field_data.bytes();
  }

  friend bool operator==(const CellMesh&, const CellMesh&) = default;
};

/// "1 triangle", "12 hexahedra".
[[nodiscard]] std::string count_cells(std::uint64_t count, std::string_view type);
/// "3 triangles, 12 hexahedra": the cells of these dimensions, counted by type.
[[nodiscard]] std::string list_types(std::span<const CellType> types, int lowest, int highest);

/// Tetrahedra or triangles that other cells were cut into.
struct SimplexCut {
  AnyMesh mesh;
  Array<std::uint32_t> cells;      ///< the cell that each of its cells is a part of; ascending
  Array<std::uint32_t> repeated;   ///< cells that name a point twice and were cut
  Array<std::uint32_t> vanished;   ///< cells of the mesh's dimension that have no part in it
  std::vector<std::string> notes;  ///< what was cut and left out, a sentence each
};

/// Cuts the solids into tetrahedra or, if there are none, the polygons into triangles; cells of a lower
/// dimension are left out, and so are parts that name a point twice and polygons of fewer than three corners.
/// Cuts of neighbours match. Point data stays, cell data is repeated for the parts. A quad is cut at its
/// smallest vertex id, unless it is folded over there; a polygon of more corners is fanned from its smallest
/// id if it is convex, else its ears are clipped, in n log n time, at worst n^1.5. Error(unsupported) for a
/// concave polygon of more than 1000000 corners.
[[nodiscard]] SimplexCut cut_into_simplices(CellMesh mesh);

/// Cuts a solid into tetrahedra so that cells which share a face cut it alike, without looking at each other.
///
/// J. Dompierre et al., "How to subdivide pyramids, prisms and hexahedra into tetrahedra" (1999): a
/// quadrilateral face is cut by the diagonal at its smallest vertex id, which both of its cells see alike.
/// The cell is then the cone from its own smallest vertex to the triangles of the faces that do not touch it;
/// the faces that do touch it are cut from that same vertex, so the cone agrees with them. Calls emit(tet) 6
/// times for a hexahedron, 3 times for a wedge, 2 for a pyramid; all of positive volume if the solid is.
template <class Emit>
TS_HD void cut_from_smallest(CellType type, std::span<const VertexId> v, const Emit& emit) {
  VertexId apex = v[0];
  for (const VertexId corner : v) apex = corner < apex ? corner : apex;
  for (std::size_t f = 0; f < face_count(type); ++f) {
    const SolidFace face = face_of(type, f);
    const std::size_t size = face[3] < 0 ? 3 : 4;
    const auto at = [&](std::size_t i) { return v[static_cast<std::size_t>(face[i % size])]; };
    std::size_t first = 0;  // the face's smallest vertex
    bool touches = false;
    for (std::size_t i = 0; i < size; ++i) {
      touches = touches || at(i) == apex;
      if (at(i) < at(first)) first = i;
    }
    if (touches) continue;
    // Seen from outside counter-clockwise, so the apex, inside, makes a tetrahedron of positive volume.
    emit(TetMesh::Cell{at(first), at(first + 2), at(first + 1), apex});
    if (size == 4) emit(TetMesh::Cell{at(first), at(first + 3), at(first + 2), apex});
  }
}

}  // namespace tessera
