// How a lattice is cut into tetrahedra: one point and one part at a time, on either side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::lattice {

/// Four corners of a voxel; corner c lies at (c & 1, c >> 1 & 1, c >> 2).
using CornerTet = std::array<std::uint8_t, 4>;

[[nodiscard]] TS_HD constexpr std::size_t parts_of(TetMethod method) {
  return method == TetMethod::five ? 5 : method == TetMethod::six ? 6 : 24;
}

/// Part p of five, of voxels with an even or an odd sum of indices.
[[nodiscard]] TS_HD constexpr CornerTet part_of_five(bool is_even, std::size_t p) {
  constexpr std::array<CornerTet, 5> even = {
      {{0, 5, 3, 6}, {1, 0, 5, 3}, {2, 3, 6, 0}, {4, 5, 0, 6}, {7, 6, 3, 5}}};
  constexpr std::array<CornerTet, 5> odd = {
      {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}}};
  return is_even ? even[p] : odd[p];
}
[[nodiscard]] TS_HD constexpr CornerTet part_of_six(std::size_t p) {
  constexpr std::array<CornerTet, 6> parts = {
      {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}}};
  return parts[p];
}
/// Each face of a voxel counter-clockwise seen from outside: low x, high x, low y, ...
[[nodiscard]] TS_HD constexpr CornerTet face_corners(std::size_t f) {
  constexpr std::array<CornerTet, 6> faces = {
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  return faces[f];
}

/// How a lattice and what lies between its points are numbered.
struct Numbering {
  using Index3 = std::array<std::size_t, 3>;

  Index3 points;
  Index3 cells;
  std::array<std::size_t, 5> first = {};  ///< ids of x faces, y faces, z faces, cells, and their end

  Numbering(const Grid& grid, TetMethod method) {
    for (std::size_t a = 0; a < 3; ++a) {
      points[a] = grid.dims[a];
      cells[a] = grid.dims[a] - 1;
    }
    first.fill(points[0] * points[1] * points[2]);
    if (method != TetMethod::face_centred) return;
    for (std::size_t a = 0; a < 4; ++a) {
      const Index3 size = shape(a);
      first[a + 1] = first[a] + size[0] * size[1] * size[2];
    }
  }
  /// How many x, y or z faces (kinds 0, 1, 2) or cells (3) there are along each axis.
  [[nodiscard]] TS_HD Index3 shape(std::size_t kind) const {
    Index3 size = cells;
    if (kind < 3) size[kind] = points[kind];
    return size;
  }
  [[nodiscard]] TS_HD std::size_t vertices() const { return first[4]; }
  [[nodiscard]] TS_HD std::uint32_t point(std::size_t i, std::size_t j, std::size_t k) const {
    return static_cast<std::uint32_t>(i + points[0] * (j + points[1] * k));
  }
  [[nodiscard]] TS_HD std::uint32_t between(std::size_t kind, const Index3& at) const {
    const Index3 size = shape(kind);
    return static_cast<std::uint32_t>(first[kind] + at[0] + size[0] * (at[1] + size[1] * at[2]));
  }

  /// Where a vertex lies in steps of the lattice, and over how many steps along each axis its corners spread.
  struct Place {
    Index3 low;
    Index3 spread;

    [[nodiscard]] TS_HD double middle(std::size_t axis) const {
      return static_cast<double>(low[axis]) + 0.5 * static_cast<double>(spread[axis]);
    }
  };
  [[nodiscard]] TS_HD Place place_of(std::size_t vertex) const {
    std::size_t kind = 4;  // a point
    while (kind > 0 && vertex < first[kind - 1]) --kind;
    const bool is_point = kind == 0;
    const Index3 size = is_point ? points : shape(kind - 1);
    const std::size_t index = is_point ? vertex : vertex - first[kind - 1];
    Place place = {{index % size[0], index / size[0] % size[1], index / size[0] / size[1]}, {1, 1, 1}};
    if (is_point) place.spread = {0, 0, 0};
    if (kind >= 1 && kind <= 3) place.spread[kind - 1] = 0;
    return place;
  }
};

/// How a grid is cut.
struct TetPlan {
  Numbering numbers;
  TetMethod method;
  bool in_float;     ///< its points
  bool is_mirrored;  ///< its tetrahedra have to be turned
};

/// The point at lattice coordinates (x, y, z), turned even if that changes nothing.
[[nodiscard]] TS_HD inline Vec3d turned_at(const LatticeFrame& frame, double x, double y, double z) {
  return frame.origin + frame.turned({frame.spacing.x * x, frame.spacing.y * y, frame.spacing.z * z});
}

/// The rule of blends: a vertex takes as much of each of its corners.
struct CornerRule {
  Numbering lattice;

  template <class Take>
  TS_HD void operator()(std::size_t vertex, const Take& take) const {
    const Numbering::Place p = lattice.place_of(vertex);
    const double weight =
        1.0 / static_cast<double>((1 + p.spread[0]) * (1 + p.spread[1]) * (1 + p.spread[2]));
    for (std::size_t k = 0; k <= p.spread[2]; ++k) {
      for (std::size_t j = 0; j <= p.spread[1]; ++j) {
        for (std::size_t i = 0; i <= p.spread[0]; ++i)
          take(lattice.point(p.low[0] + i, p.low[1] + j, p.low[2] + k), weight);
      }
    }
  }
};

/// Part p of five or six of the voxel at a place. `corner(c)` is the point of a corner.
template <class Corner>
[[nodiscard]] TS_HD TetMesh::Cell part_of(TetMethod method, bool is_mirrored, const Numbering::Index3& at,
                                          std::size_t p, const Corner& corner) {
  const CornerTet tet =
      method == TetMethod::six ? part_of_six(p) : part_of_five((at[0] + at[1] + at[2]) % 2 == 0, p);
  return {VertexId(corner(tet[0])), VertexId(corner(tet[1])), VertexId(corner(tet[is_mirrored ? 3 : 2])),
          VertexId(corner(tet[is_mirrored ? 2 : 3]))};
}

/// The vertex in the middle of face f of the voxel at a place.
[[nodiscard]] TS_HD inline VertexId middle_of(const Numbering& numbers, Numbering::Index3 at, std::size_t f) {
  at[f / 2] += f % 2;
  return VertexId(numbers.between(f / 2, at));
}
/// The part at edge e of face f.
template <class Corner>
[[nodiscard]] TS_HD TetMesh::Cell centred_part(bool is_mirrored, std::size_t f, std::size_t e,
                                               VertexId middle, VertexId centre, const Corner& corner) {
  const VertexId a(corner(face_corners(f)[e]));
  const VertexId b(corner(face_corners(f)[(e + 1) % 4]));
  return {is_mirrored ? a : b, is_mirrored ? b : a, middle, centre};
}

}  // namespace tessera::detail::lattice
