// Counts: how many rows and entries every relation has and how large a tile can be, before any of it is made.
//
// Row totals follow from a few numbers. With k(f) cells at a facet, d(v) edges at a vertex, t(e) faces at an
// edge:
//
//   VV VE EV  2 E          VF FV FE EF  3 F        VT TV FT TF  4 T        ET TE  6 T        (tetrahedra)
//   VV VE EV  2 E          VF FV FE EF  3 F                                                  (triangles)
//   EE  sum over v of d (d - 1)      neighbours of cells  sum over facets f of k (k - 1)
//   FF of tetrahedra  sum over e of t (t - 1)
//   links of vertices, edges, faces  as many as cells at them
//
// The last three are exact for any mesh without repeated cells, manifold or not: two faces with two common
// edges, or two cells with two common facets, would be the same one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/connect/plan.h>
#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/links.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

/// The most that any tile has of each; not all of one tile.
struct LargestTile {
  std::uint64_t vertices = 0;  ///< owned
  std::uint64_t ghosts = 0;    ///< seen but owned by others
  std::uint64_t cells = 0;     ///< internal and external
  std::uint64_t internal_cells = 0;
  std::uint64_t star_entries = 0;  ///< (owned vertex, cell) pairs
  std::uint64_t edges = 0;         ///< internal
  std::uint64_t faces = 0;         ///< internal
  std::uint64_t star = 0;          ///< cells around one vertex
  std::uint64_t degree = 0;        ///< neighbours of one vertex
};

struct ConnectCounts {
  enum class Source {
    exact,    ///< counted
    bound,    ///< never less than what is there
    typical,  ///< an estimate
  };
  Source source = Source::typical;
  int dimension = 3;
  std::uint64_t vertices = 0, edges = 0, faces = 0, cells = 0;
  std::uint64_t tiles = 0;
  std::uint64_t external_cells = 0;
  Bytes tiled_mesh = 0;        ///< besides cells that it borrows
  bool borrows_cells = false;  ///< of the mesh, which must stay then
  bool renames_cells = true;   ///< those who ask name cells by other ids than the tiled mesh
  LargestTile largest;
  std::array<std::uint64_t, RelationKey::count> entries{};          ///< by RelationKey::index()
  std::array<std::uint64_t, RelationKey::count> largest_entries{};  ///< the most in any tile

  [[nodiscard]] std::uint64_t rows(RelationKey key) const { return count(key.from); }
  [[nodiscard]] std::uint64_t count(Kind kind) const;
  /// The most rows that a tile has.
  [[nodiscard]] std::uint64_t largest_rows(RelationKey key) const;
};

/// Counts what the relations need, in one parallel pass over the tiles: no pass for those of cells, stars
/// without triangles for VV, VE, EV and EE in the plane, stars with triangles otherwise. Exact, but for the
/// largest tile of EE, FF and the neighbours of cells, which is a bound from the largest degrees.
template <int Dim>
[[nodiscard]] ConnectCounts count_relations(const TiledMesh<Dim>& tiles,
                                            std::span<const RelationKey> relations,
                                            const Exec& exec = Exec::host());

/// What count_relations() counts on the way: all relations and links that a count for these is as good for.
[[nodiscard]] std::vector<RelationKey> list_counted(std::span<const RelationKey> relations, int dimension);

/// Bounds that cost O(tiles): no element is shared by two cells. There is no such bound for EE, FF and TT;
/// their entries are the largest number there is.
template <int Dim>
[[nodiscard]] ConnectCounts bound_relations(const TiledMesh<Dim>& tiles);
/// Closer bounds for the cells around vertices (VT, or VF in the plane) in a pass over the cells of tiles,
/// without their stars: its entries and those of the largest tile are exact, scratch is bounded.
template <int Dim>
[[nodiscard]] ConnectCounts bound_stars(const TiledMesh<Dim>& tiles, const Exec& exec);

/// What a mesh of this size typically has: a solid (or a surface) in few pieces whose boundary is not much
/// larger than that of a cube (or a square) of as many vertices. Meant to be a little too high.
[[nodiscard]] ConnectCounts estimate_relations(const MeshSize& size);

}  // namespace tessera::detail
