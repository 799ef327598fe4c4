// What tetrahedralization makes of one solid, one quadrilateral and one point, on either side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::solid {

using Quad = std::array<VertexId, 4>;

[[nodiscard]] TS_HD constexpr std::size_t quads_of(CellType type) {
  return type == CellType::hexahedron ? 6 : type == CellType::wedge ? 3 : type == CellType::pyramid ? 1 : 0;
}

[[nodiscard]] TS_HD constexpr std::size_t parts_of(CellType type, TetMethod method) {
  if (dimension_of(type) < 3) return 0;
  if (type == CellType::tetrahedron) return 1;
  if (method == TetMethod::face_centred) return 4 * quads_of(type) + (face_count(type) - quads_of(type));
  if (method == TetMethod::five) return 5;
  return type == CellType::hexahedron ? 6 : type == CellType::wedge ? 3 : 2;
}

/// Part p of five: with the corners 0, 2, 5, 7 in the middle, or with the others.
[[nodiscard]] TS_HD constexpr std::array<std::uint8_t, 4> part_of_five(bool others, std::size_t p) {
  constexpr std::array<std::array<std::uint8_t, 4>, 5> some = {
      {{0, 5, 2, 7}, {1, 0, 5, 2}, {3, 2, 7, 0}, {4, 5, 0, 7}, {6, 7, 2, 5}}};
  constexpr std::array<std::array<std::uint8_t, 4>, 5> other = {
      {{1, 3, 4, 6}, {0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}}};
  return others ? other[p] : some[p];
}

/// The cells of a CellMesh.
struct View {
  const CellType* types;
  const std::uint64_t* offsets;
  const VertexId* corners;

  [[nodiscard]] TS_HD std::span<const VertexId> operator[](std::size_t c) const {
    return {corners + offsets[c], static_cast<std::size_t>(offsets[c + 1] - offsets[c])};
  }
};

/// What is known before cells are cut, in the order of the cells.
struct Plan {
  TetMethod method;
  Array<std::uint64_t> first_part;  ///< of each cell, and their end
  Array<std::uint8_t> colours;      ///< of each point, for five
  Array<std::uint64_t> first_quad;  ///< of each cell, and their end; the rest is for face_centred
  Array<std::uint32_t> centre;      ///< of each cell: how many cells before it have a vertex in their middle
  Array<std::uint32_t> centred;     ///< the cells that have one: all but tetrahedra
};

TS_HD inline void sort(Quad& q) {
  const auto order = [&q](std::size_t a, std::size_t b) {
    const VertexId low = q[b] < q[a] ? q[b] : q[a];
    const VertexId high = q[b] < q[a] ? q[a] : q[b];
    q[a] = low;
    q[b] = high;
  };
  order(0, 1);
  order(2, 3);
  order(0, 2);
  order(1, 3);
  order(1, 2);
}

/// Writes the quadrilaterals of cell c, each with its corners ascending.
struct ListQuads {
  View solids;
  const std::uint64_t* first_quad;
  Quad* quads;

  TS_HD void operator()(std::size_t c) const {
    Quad* to = quads + first_quad[c];
    const std::span<const VertexId> v = solids[c];
    for (std::size_t f = 0; f < face_count(solids.types[c]); ++f) {
      const SolidFace face = face_of(solids.types[c], f);
      if (face[3] < 0) continue;
      Quad quad;
      for (std::size_t i = 0; i < 4; ++i) quad[i] = v[static_cast<std::size_t>(face[i])];
      sort(quad);
      *to++ = quad;
    }
  }
};

/// The rule of points: means of the corners of a face, then of a cell.
struct MiddleRule {
  std::size_t points;
  std::size_t first_centre;
  View solids;
  const Quad* faces;
  const std::uint32_t* centred;

  template <class Take>
  TS_HD void operator()(std::size_t v, const Take& take) const {
    if (v < points) return take(v, 1.0);
    const std::span<const VertexId> from =
        v < first_centre ? std::span<const VertexId>(faces[v - points]) : solids[centred[v - first_centre]];
    for (const VertexId corner : from) take(corner.index(), 1.0 / static_cast<double>(from.size()));
  }
};

/// Cuts cell c into its parts.
struct CutSolid {
  View solids;
  TetMethod method;
  const std::uint64_t* first_part;
  const std::uint8_t* colours;
  const std::uint64_t* first_quad;
  const VertexId* faces;  ///< of each quadrilateral of each cell
  const std::uint32_t* centre;
  std::uint32_t points;
  std::uint32_t first_centre;
  TetMesh::Cell* parts;

  TS_HD void operator()(std::size_t c) const {
    const CellType type = solids.types[c];
    if (dimension_of(type) < 3) return;
    const std::span<const VertexId> v = solids[c];
    TetMesh::Cell* to = parts + first_part[c];
    if (type == CellType::tetrahedron) {
      *to = {v[0], v[1], v[2], v[3]};
    } else if (method == TetMethod::five) {
      for (std::size_t p = 0; p < 5; ++p) {
        const std::array<std::uint8_t, 4> tet = part_of_five(colours[v[0].index()] != 0, p);
        *to++ = {v[tet[0]], v[tet[1]], v[tet[2]], v[tet[3]]};
      }
    } else if (method == TetMethod::six) {
      for (std::size_t p = 0; p < parts_of(type, method); ++p) to[p] = {v[0], v[0], v[0], v[0]};
      cut_from_smallest(type, v, [&](const TetMesh::Cell& tet) { *to++ = tet; });  // fewer if v repeats
    } else {
      cut_centred(c, v, to);
    }
  }

 private:
  TS_HD void cut_centred(std::size_t c, std::span<const VertexId> v, TetMesh::Cell* to) const {
    const VertexId middle_of_cell(first_centre + centre[c]);
    const VertexId* face = faces + first_quad[c];
    for (std::size_t f = 0; f < face_count(solids.types[c]); ++f) {
      const SolidFace around = face_of(solids.types[c], f);
      const auto corner = [&](std::size_t i) { return v[static_cast<std::size_t>(around[i])]; };
      if (around[3] < 0) {
        *to++ = {corner(0), corner(2), corner(1), middle_of_cell};
        continue;
      }
      const VertexId middle(points + (face++)->index());
      for (std::size_t e = 0; e < 4; ++e) *to++ = {corner((e + 1) % 4), corner(e), middle, middle_of_cell};
    }
  }
};

}  // namespace tessera::detail::solid
