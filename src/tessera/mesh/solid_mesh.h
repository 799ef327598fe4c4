// SolidMesh: tetrahedra, pyramids, wedges and hexahedra as a file has them, before they are cut.
//
// Everything else in Tessera works on simplices; this is only the input of what makes them (tetrahedralize).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera {

/// With VTK's numbers and VTK's order of corners. Voxels are hexahedra with their corners in that order.
enum class SolidType : std::uint8_t { tetrahedron = 10, hexahedron = 12, wedge = 13, pyramid = 14 };

/// Four corners or, with the fourth -1, three.
using SolidFace = std::array<std::int8_t, 4>;

[[nodiscard]] TS_HD constexpr std::size_t face_count(SolidType type) {
  return type == SolidType::hexahedron ? 6 : type == SolidType::tetrahedron ? 4 : 5;
}
/// Face f of a type, counter-clockwise seen from outside.
[[nodiscard]] TS_HD constexpr SolidFace face_of(SolidType type, std::size_t f) {
  constexpr std::array<SolidFace, 4> tetrahedron = {
      {{0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}, {0, 2, 1, -1}}};
  constexpr std::array<SolidFace, 6> hexahedron = {
      {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}};
  constexpr std::array<SolidFace, 5> wedge = {
      {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
  constexpr std::array<SolidFace, 5> pyramid = {
      {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}};
  switch (type) {
    case SolidType::hexahedron: return hexahedron[f];
    case SolidType::wedge: return wedge[f];
    case SolidType::pyramid: return pyramid[f];
    default: return tetrahedron[f];
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
TS_HD void cut_from_smallest(SolidType type, std::span<const VertexId> v, const Emit& emit) {
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
