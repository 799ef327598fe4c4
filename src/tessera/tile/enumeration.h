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
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/half_star.h>
#include <tessera/tile/search.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

/// The enumeration of the edges and faces whose lowest vertex lies in an interval: one tile's, or the whole
/// mesh's.
struct EnumerationPart {
  std::uint32_t first_vertex = 0;
  std::uint32_t first_edge = 0;
  std::uint32_t first_face = 0;
  Array<std::uint32_t> edge_offsets = {0};  ///< by vertex, counted from the part's first
  Array<std::uint32_t> edge_hi;
  Array<std::uint32_t> face_offsets = {0};  ///< by edge, counted from the part's first
  Array<std::uint32_t> face_hi;

  /// a < b must be an edge whose lower end lies in the part.
  [[nodiscard]] std::uint32_t edge_id(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t* row = edge_offsets.data() + (a - first_vertex);
    return first_edge + find_in_row(edge_hi, row, b);
  }
  /// a < b < c must be a face whose lowest vertex lies in the part.
  [[nodiscard]] std::uint32_t face_id(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return face_above(edge_id(a, b), c);
  }
  /// The face of the edge e = (a, b) and c > b; the edge lies in the part.
  [[nodiscard]] std::uint32_t face_above(std::uint32_t e, std::uint32_t c) const {
    const std::uint32_t* row = face_offsets.data() + (e - first_edge);
    return first_face + find_in_row(face_hi, row, c);
  }
  [[nodiscard]] std::size_t bytes() const {
    return 4 * (edge_offsets.size() + edge_hi.size() + face_offsets.size() + face_hi.size());
  }
};

/// Works out the part of the stars' vertices. Its first_edge and first_face are left 0. Scratch memory is the
/// caller's.
template <int Dim>
void fill_part(const HalfStars<Dim>& stars, UpperStar<Dim>& star, EnumerationPart& part);

/// Where each tile's edges and faces begin and, if it is explicit, the whole enumeration.
template <int Dim>
class Enumeration {
 public:
  /// The explicit one: 4 bytes an edge and a face, and offsets by vertex and edge.
  [[nodiscard]] static Enumeration make_explicit(const TiledMesh<Dim>& tiles,
                                                 const Exec& exec = Exec::host());
  /// The explicit one from its arrays, which somebody else has made.
  [[nodiscard]] static Enumeration from_whole(const TiledMesh<Dim>& tiles, EnumerationPart whole);
  /// The implicit one: intervals only, 8 bytes a tile. The same ids.
  [[nodiscard]] static Enumeration make_implicit(const TiledMesh<Dim>& tiles,
                                                 const Exec& exec = Exec::host());

  [[nodiscard]] bool is_explicit() const { return explicit_; }
  [[nodiscard]] std::size_t edge_count() const { return first_edge_.back(); }
  [[nodiscard]] std::size_t face_count() const { return first_face_.back(); }
  [[nodiscard]] std::uint32_t first_edge(TileId t) const { return first_edge_[t.index()]; }
  [[nodiscard]] std::uint32_t first_face(TileId t) const { return first_face_[t.index()]; }
  /// The tile that an edge or a face is internal to.
  [[nodiscard]] TileId tile_of(EdgeId e) const { return find(first_edge_, e.index()); }
  [[nodiscard]] TileId tile_of(FaceId f) const { return find(first_face_, f.index()); }
  [[nodiscard]] const EnumerationPart& whole() const {
    TS_EXPECTS(explicit_);
    return whole_;
  }
  [[nodiscard]] std::size_t bytes() const {
    return 4 * (first_edge_.size() + first_face_.size()) + (explicit_ ? whole_.bytes() : 0);
  }

 private:
  static TileId find(const Array<std::uint32_t>& first, std::uint32_t id) {
    return TileId(
        static_cast<std::uint32_t>(std::upper_bound(first.begin(), first.end(), id) - first.begin()) - 1);
  }
  void number_tiles(const TiledMesh<Dim>& tiles);  ///< the tiles' first edges and faces from the whole
  void number_cells(const TiledMesh<Dim>& tiles);  ///< the tiles' first faces in the plane

  bool explicit_ = false;
  Array<std::uint32_t> first_edge_ = {0};
  Array<std::uint32_t> first_face_ = {0};
  EnumerationPart whole_;
};

}  // namespace tessera
