// Marching tetrahedra on an unstructured mesh, host side.
//
// An output vertex is a crossed edge; its key is the pair of its ends, grouped as pair_groups.h does it:
//
//   1. tets are classified by a byte for each corner; crossed ones are marked and their edges counted by
//      lower end,
//   2. edges enter the rows of their lower ends, and triangles are written with the places of their edges,
//   3. rows are sorted, which numbers the vertices by ascending key, and triangles change from places to
//      vertices.
//
// Tets that are not crossed are read once, in step 1.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// What a point's value is to an isovalue, as a number that a tet's corners add up.
inline constexpr std::uint8_t low_mark = 0;
inline constexpr std::uint8_t high_mark = 1;
inline constexpr std::uint8_t nan_mark = 8;

/// The isosurface of one isovalue, before it has coordinates.
struct TetLevel {
  Array<std::array<std::uint32_t, 2>>
      edges;  ///< the lower and the higher end of each output vertex; ascending
  Array<TriMesh::Cell> cells;
  Array<std::uint32_t> tets;  ///< of each triangle, if asked for
};

/// `marks` are of the mesh's points. Error(bad_mesh) names a tet whose corner does not exist.
[[nodiscard]] TetLevel make_tet_level(const TetMesh& mesh, std::span<const std::uint8_t> marks,
                                      bool with_tets, const Exec& exec);

}  // namespace tessera::detail
