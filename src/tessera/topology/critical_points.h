// Critical points of a piecewise-linear field: vertices whose lower or upper link is not one piece.
//
// TTK's rule (after Banchoff and Edelsbrunner), so that results can be compared point by point. With l and u
// the pieces of the lower and the upper link:
//
//              triangles                       tetrahedra
//   minimum    (0,1)                           (0,1)
//   maximum    (1,0)                           (1,0)
//   saddle1    (2,1), (1,2) or (2,2)           (2,1)
//   saddle2                                    (1,2)
//   regular    (1,1)                           (1,1), but for the boundary rule
//   degenerate all others                      all others
//
// Boundary rule (tetrahedra): a (1,1) vertex on the boundary is a saddle1 if some upper and no lower
// neighbour is on the boundary, a saddle2 if some lower and no upper one is.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include <tessera/connect/connectivity.h>
#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/field.h>
#include <tessera/tile/tiled_mesh.h>
#include <tessera/topology/critical_type.h>

namespace tessera {

struct CriticalPoint {
  VertexId vertex;  ///< the input's
  CriticalType type = CriticalType::regular;
  bool is_on_boundary = false;
  std::uint32_t lower_pieces = 0;  ///< of the lower link
  std::uint32_t upper_pieces = 0;

  friend bool operator==(const CriticalPoint&, const CriticalPoint&) = default;
};

struct CriticalPoints {
  Array<CriticalPoint> points;            ///< ascending by vertex
  std::array<std::size_t, 5> count = {};  ///< by type, minimum to degenerate
};

/// Vertices a tile that suit pushing: fewer cells lie in several tiles than in smaller ones, and a tile still
/// fits a core's second-level cache.
inline constexpr std::uint32_t pushed_tile_vertices = 2048;

/// The relation that analyses pull stars through: VT of tetrahedra, VF of triangles.
template <int Dim>
using StarRelation = std::conditional_t<Dim == 3, VT, VF>;

template <int Dim>
struct TopologyOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
  /// Stars are pulled through these rows instead of being worked out tile by tile: they must be of the same
  /// tiles and in their ids (connect/detail/connect_tiled.h).
  const Rows<StarRelation<Dim>, Dim>* rows = nullptr;
};

/// O(cells). Takes 9 bytes a vertex, 32 a critical point besides the result and what workers need for a tile.
/// Equal results for any threads, tiles and providers. Errors as compute_order().
template <int Dim>
[[nodiscard]] CriticalPoints critical_points(const TiledMesh<Dim>& tiles, const Field& field,
                                             const TopologyOptions<Dim>& options = {});

}  // namespace tessera
