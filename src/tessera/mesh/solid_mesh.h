// SolidMesh: tetrahedra, pyramids, wedges and hexahedra as a file has them, before they are cut.
//
// Everything else in Tessera works on simplices; this is only the input of what makes them (tetrahedralize).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera {

/// With VTK's numbers and VTK's order of corners. Voxels are hexahedra with their corners in that order.
enum class SolidType : std::uint8_t { tetrahedron = 10, hexahedron = 12, wedge = 13, pyramid = 14 };

/// Four corners or, with the fourth -1, three.
using SolidFace = std::array<std::int8_t, 4>;

/// The faces of a type, counter-clockwise seen from outside.
[[nodiscard]] inline std::span<const SolidFace> faces_of(SolidType type) {
  static constexpr std::array<SolidFace, 4> tetrahedron = {
      {{0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}, {0, 2, 1, -1}}};
  static constexpr std::array<SolidFace, 6> hexahedron = {
      {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}};
  static constexpr std::array<SolidFace, 5> wedge = {
      {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
  static constexpr std::array<SolidFace, 5> pyramid = {
      {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}};
  switch (type) {
    case SolidType::hexahedron: return hexahedron;
    case SolidType::wedge: return wedge;
    case SolidType::pyramid: return pyramid;
    default: return tetrahedron;
  }
}
[[nodiscard]] constexpr std::size_t corner_count(SolidType type) {
  switch (type) {
    case SolidType::hexahedron: return 8;
    case SolidType::wedge: return 6;
    case SolidType::pyramid: return 5;
    default: return 4;
  }
}

/// Invariants: a type for each cell; each cell has its type's number of corners, which name points.
struct SolidMesh {
  Points points;
  Array<SolidType> types;
  PolyCells cells;
  FieldSet point_data;
  FieldSet cell_data;
  FieldSet field_data;  ///< of the mesh as a whole: any length

  [[nodiscard]] std::size_t vertex_count() const { return points.size(); }
  [[nodiscard]] std::size_t cell_count() const { return types.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return points.bytes() + types.size() + cells.bytes() + point_data.bytes() + cell_data.bytes() +
           field_data.bytes();
  }
};

/// Cuts a solid into tetrahedra so that cells which share a face cut it alike, without looking at each other.
///
/// J. Dompierre et al., "How to subdivide pyramids, prisms and hexahedra into tetrahedra" (1999): a
/// quadrilateral face is cut by the diagonal at its smallest vertex id, which both of its cells see alike.
/// The cell is then the cone from its own smallest vertex to the triangles of the faces that do not touch it;
/// the faces that do touch it are cut from that same vertex, so the cone agrees with them. Calls emit(tet) 6
/// times for a hexahedron, 3 times for a wedge, 2 for a pyramid; all of positive volume if the solid is.
template <class Emit>
void cut_from_smallest(SolidType type, std::span<const VertexId> v, const Emit& emit) {
  const VertexId apex = *std::min_element(v.begin(), v.end());
  for (const SolidFace& face : faces_of(type)) {
    std::array<VertexId, 4> around = {};
    const int size = face[3] < 0 ? 3 : 4;
    for (int i = 0; i < size; ++i) around[i] = v[static_cast<std::size_t>(face[i])];
    const auto end = around.begin() + size;
    if (std::find(around.begin(), end, apex) != end) continue;
    std::rotate(around.begin(), std::min_element(around.begin(), end), end);
    // Seen from outside counter-clockwise, so the apex, inside, makes a tetrahedron of positive volume.
    emit(TetMesh::Cell{around[0], around[2], around[1], apex});
    if (size == 4) emit(TetMesh::Cell{around[0], around[3], around[2], apex});
  }
}

}  // namespace tessera
