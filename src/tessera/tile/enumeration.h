// Canonical enumeration of edges and faces: ids in the lexicographic order of their ascending vertices.
//
//   edges of vertex a:  edge_hi[edge_offsets[a] .. edge_offsets[a + 1])   the higher ends, ascending
//   faces of edge e:    face_hi[face_offsets[e] .. face_offsets[e + 1])   the third vertices, ascending
//
// An id is a position in edge_hi or face_hi; finding one is a search in a short row. Because a tile's
// vertices are an interval, its edges and faces (those with their lowest vertex in it) are intervals too. The
// numbering depends on the vertex numbering alone. In the plane faces are the cells themselves and only edges
// are enumerated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

namespace detail {
struct EnumerationPart;  // tile/detail/enumeration_part.h
}  // namespace detail

/// How many edges and faces there are, as far as it is known.
struct EnumerationSize {
  std::uint64_t edges = 0;
  std::uint64_t faces = 0;
};

/// Where each tile's edges and faces begin and, if it is explicit, the whole enumeration.
template <int Dim>
class Enumeration {
 public:
  /// The explicit one: 4 bytes an edge and a face, and offsets by vertex and edge. Arrays that begin as large
  /// as expected need not grow, which takes twice their size.
  [[nodiscard]] static Enumeration make_explicit(const TiledMesh<Dim>& tiles, const Exec& exec = Exec::host(),
                                                 EnumerationSize expected = {});
  /// The explicit one from its arrays, which somebody else has made.
  [[nodiscard]] static Enumeration from_whole(const TiledMesh<Dim>& tiles, detail::EnumerationPart whole);
  /// The implicit one: intervals only, 8 bytes a tile. The same ids.
  [[nodiscard]] static Enumeration make_implicit(const TiledMesh<Dim>& tiles,
                                                 const Exec& exec = Exec::host());

  [[nodiscard]] bool is_explicit() const { return whole_ != nullptr; }
  [[nodiscard]] std::size_t edge_count() const { return first_edge_.back(); }
  [[nodiscard]] std::size_t face_count() const { return first_face_.back(); }
  [[nodiscard]] std::uint32_t first_edge(TileId t) const { return first_edge_[t.index()]; }
  [[nodiscard]] std::uint32_t first_face(TileId t) const { return first_face_[t.index()]; }
  /// The tile that an edge or a face is internal to.
  [[nodiscard]] TileId tile_of(tiled::EdgeId e) const { return find(first_edge_, e.index()); }
  [[nodiscard]] TileId tile_of(tiled::FaceId f) const { return find(first_face_, f.index()); }
  /// Of an explicit one: its arrays.
  [[nodiscard]] const detail::EnumerationPart& whole() const {
    TS_EXPECTS(is_explicit());
    return *whole_;
  }
  [[nodiscard]] std::size_t bytes() const;

 private:
  static TileId find(const Array<std::uint32_t>& first, std::uint32_t id) {
    return TileId(
        static_cast<std::uint32_t>(std::upper_bound(first.begin(), first.end(), id) - first.begin()) - 1);
  }
  void number_tiles(const TiledMesh<Dim>& tiles);  ///< the tiles' first edges and faces from the whole
  void number_cells(const TiledMesh<Dim>& tiles);  ///< the tiles' first faces in the plane

  Array<std::uint32_t> first_edge_ = {0};
  Array<std::uint32_t> first_face_ = {0};
  std::shared_ptr<const detail::EnumerationPart> whole_;  // null: implicit
};

}  // namespace tessera
