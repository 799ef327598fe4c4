// EditMesh: a triangle mesh between two edits, as functions on host threads and in kernels see it.
//
// A half-edge is one side of a triangle: half-edge 3f + k runs from corner k of face f to corner k + 1.
//
//                 c                corners[3f..]  a b c      where each half-edge begins
//               /   \              edges[3f..]    the edge that each half-edge lies on
//        3f+2  /  f  \  3f+1       sides[2e..]    the half-edges on edge e, at most two here; each has its
//        own
//             /       \                           place, so that faces on both sides change independently
//            a ------- b           handles[v]     a half-edge that begins at v; the rest of its star is found
//                3f                               by walking across edges
//
// Two cases do not fit, and have lists: an edge with more than two faces, and a vertex whose faces are not
// one fan. 38 bytes a face of a closed manifold surface.
//
// Invariants (DynamicSurface::validate() checks them):
//   1. A face has three different corners, which are vertices, or it is removed.
//   2. edges[h] is an edge, h is among its sides, and all its sides join the same two vertices.
//   3. Every side of an edge is a half-edge of a face; an edge without sides is removed.
//   4. Two edges do not join the same two vertices, and two faces do not have the same corners, unless edits
//      were allowed to repeat them.
//   5. The star of a vertex has each half-edge that begins there once.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/id.h>
#include <tessera/core/macros.h>

namespace tessera {

namespace tiled {
/// One side of a triangle.
using HalfEdgeId = Id<struct HalfEdgeTag>;
}  // namespace tiled

namespace detail {

/// Lists of a few elements, by ascending key.
struct ListsView {
  const std::uint32_t* keys = nullptr;
  const std::uint32_t* offsets = nullptr;
  const std::uint32_t* values = nullptr;
  std::uint32_t count = 0;

  /// The place of a key that is there.
  [[nodiscard]] TS_HD std::uint32_t find(std::uint32_t key) const {
    std::uint32_t low = 0;
    std::uint32_t high = count;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (keys[middle] <= key ? low : high) = middle;
    }
    return low;
  }
};

/// The arrays of the picture above, at the surface's place.
struct EditArrays {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  static constexpr std::uint32_t removed = 0xFFFFFFFEu;  ///< a handle of a vertex that is gone
  static constexpr std::uint32_t listed = 0x80000000u;   ///< in the place of the second side, or of a handle

  std::uint32_t* corners = nullptr;
  std::uint32_t* edges = nullptr;
  std::uint32_t* sides = nullptr;
  std::uint32_t* handles = nullptr;
  ListsView edge_lists;
  ListsView vertex_lists;
  std::uint32_t vertex_end = 0;
  std::uint32_t edge_end = 0;
  std::uint32_t face_end = 0;

  [[nodiscard]] static TS_HD std::uint32_t next(std::uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
  [[nodiscard]] static TS_HD std::uint32_t previous(std::uint32_t h) { return h % 3 == 0 ? h + 2 : h - 1; }
  [[nodiscard]] TS_HD bool is_listed(std::uint32_t e) const {
    return sides[2 * std::size_t{e} + 1] == listed;
  }
  [[nodiscard]] TS_HD std::uint32_t first_side(std::uint32_t e) const {
    const std::uint32_t first = sides[2 * std::size_t{e}];
    return first != none ? first : sides[2 * std::size_t{e} + 1];
  }
  /// The one other side of h's edge; none if there is no other, or more than one.
  [[nodiscard]] TS_HD std::uint32_t across(std::uint32_t h) const {
    const std::uint32_t* both = sides + 2 * std::size_t{edges[h]};
    const std::uint32_t second = both[1];
    if (second == listed) return none;
    const std::uint32_t first = both[0];
    if (first == h) return second;
    return second == h ? first : none;
  }
};

/// Goes around a vertex from face to face.
struct FanStep {
  std::uint32_t at;      ///< the half-edge of the face that begins at the vertex
  bool leaves_backward;  ///< across the face's edge that ends at the vertex, not the one that begins there

  [[nodiscard]] TS_HD std::uint32_t leaves_by() const {
    return leaves_backward ? EditArrays::previous(at) : at;
  }
  /// Into the face that has `across` as the other side of leaves_by().
  [[nodiscard]] TS_HD FanStep enter(const EditArrays& mesh, std::uint32_t across,
                                    std::uint32_t vertex) const {
    const bool winds_alike = mesh.corners[across] == vertex;
    return {winds_alike ? across : EditArrays::next(across), winds_alike};
  }
};

struct RangeEnd {};

/// The half-edges that begin at a vertex.
class StarIterator {
 public:
  using value_type = tiled::HalfEdgeId;
  TS_HD StarIterator(const EditArrays& mesh, std::uint32_t vertex) : mesh_(&mesh), vertex_(vertex) {
    const std::uint32_t handle = mesh.handles[vertex];
    if (handle >= EditArrays::removed) {
      step_.at = EditArrays::none;
    } else if ((handle & EditArrays::listed) != 0) {
      const std::uint32_t place = mesh.vertex_lists.find(vertex);
      list_ = mesh.vertex_lists.offsets[place];
      end_ = mesh.vertex_lists.offsets[place + 1];
      step_.at = mesh.vertex_lists.values[list_];
    } else {
      start_ = handle;
      step_ = {handle, true};
    }
  }
  [[nodiscard]] TS_HD tiled::HalfEdgeId operator*() const { return tiled::HalfEdgeId(step_.at); }
  TS_HD StarIterator& operator++() {
    if (list_ != end_) {
      ++list_;
      step_.at = list_ != end_ ? mesh_->vertex_lists.values[list_] : EditArrays::none;
      return *this;
    }
    std::uint32_t across = mesh_->across(step_.leaves_by());
    if (across == EditArrays::none && !goes_back_) {  // an open fan: the other part, from the start again
      goes_back_ = true;
      step_ = {start_, false};
      across = mesh_->across(step_.leaves_by());
    }
    if (across == EditArrays::none) {
      step_.at = EditArrays::none;
      return *this;
    }
    step_ = step_.enter(*mesh_, across, vertex_);
    if (step_.at == start_) step_.at = EditArrays::none;
    return *this;
  }
  [[nodiscard]] TS_HD bool operator==(RangeEnd) const { return step_.at == EditArrays::none; }
  [[nodiscard]] TS_HD bool operator!=(RangeEnd end) const { return !(*this == end); }

 private:
  const EditArrays* mesh_;
  std::uint32_t vertex_;
  std::uint32_t start_ = EditArrays::none;
  std::uint32_t list_ = 0;
  std::uint32_t end_ = 0;
  FanStep step_ = {EditArrays::none, true};
  bool goes_back_ = false;
};

/// An edge at a vertex, by the half-edge of a face that lies on it.
struct Spoke {
  std::uint32_t half_edge;
  bool ends_here;  ///< at the vertex; else it begins there
};

/// The edges at a vertex, each once. In a fan they are those that a walk around the vertex crosses, and the
/// two of the border where it is open; in a list, where the face is the first that has the edge.
class SpokeIterator {
 public:
  using value_type = Spoke;
  TS_HD SpokeIterator(const EditArrays& mesh, std::uint32_t vertex)
      : mesh_(&mesh), vertex_(vertex), start_(mesh.handles[vertex]) {
    if (start_ >= EditArrays::removed) return;
    if ((start_ & EditArrays::listed) != 0) {
      const std::uint32_t place = mesh.vertex_lists.find(vertex);
      list_ = mesh.vertex_lists.offsets[place];
      end_ = mesh.vertex_lists.offsets[place + 1];
      step_ = {mesh.vertex_lists.values[list_], false};
      skip();
    } else {
      step_ = {start_, true};
    }
  }
  [[nodiscard]] TS_HD Spoke operator*() const { return {step_.leaves_by(), step_.leaves_backward}; }
  TS_HD SpokeIterator& operator++() {
    if (list_ != end_) {
      advance();
      skip();
    } else {
      cross();
    }
    return *this;
  }
  [[nodiscard]] TS_HD bool operator!=(RangeEnd) const { return step_.at != EditArrays::none; }

 private:
  TS_HD void cross() {
    const std::uint32_t across = mesh_->across(step_.leaves_by());
    if (across != EditArrays::none) {
      step_ = step_.enter(*mesh_, across, vertex_);
      if (step_.at == start_) step_.at = EditArrays::none;
    } else if (!goes_back_) {  // an open fan: the other part, from the start again
      goes_back_ = true;
      step_ = {start_, false};
    } else {
      step_.at = EditArrays::none;
    }
  }
  /// Both edges of each face of a list.
  TS_HD void advance() {
    if (step_.leaves_backward) {
      ++list_;
      step_.at = list_ != end_ ? mesh_->vertex_lists.values[list_] : EditArrays::none;
    }
    step_.leaves_backward = !step_.leaves_backward;
  }
  TS_HD void skip() {
    while (list_ != end_ && mesh_->first_side(mesh_->edges[step_.leaves_by()]) != step_.leaves_by())
      advance();
  }

  const EditArrays* mesh_;
  std::uint32_t vertex_;
  std::uint32_t start_;
  std::uint32_t list_ = 0;
  std::uint32_t end_ = 0;
  FanStep step_ = {EditArrays::none, true};
  bool goes_back_ = false;
};

/// The half-edges on an edge.
class SideIterator {
 public:
  using value_type = tiled::HalfEdgeId;
  TS_HD SideIterator(const EditArrays& mesh, std::uint32_t edge) {
    const std::uint32_t* both = mesh.sides + 2 * std::size_t{edge};
    if (both[1] == EditArrays::listed) {
      const std::uint32_t place = mesh.edge_lists.find(edge);
      at_ = mesh.edge_lists.values + mesh.edge_lists.offsets[place];
      end_ = mesh.edge_lists.values + mesh.edge_lists.offsets[place + 1];
    } else {
      at_ = both + (both[0] == EditArrays::none ? 1 : 0);
      end_ = both + (both[1] == EditArrays::none ? 1 : 2);
      if (at_ > end_) at_ = end_;
    }
  }
  [[nodiscard]] TS_HD tiled::HalfEdgeId operator*() const { return tiled::HalfEdgeId(*at_); }
  TS_HD SideIterator& operator++() {
    ++at_;
    return *this;
  }
  [[nodiscard]] TS_HD bool operator!=(RangeEnd) const { return at_ != end_; }
  [[nodiscard]] TS_HD std::size_t size() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  const std::uint32_t* at_;
  const std::uint32_t* end_;
};

/// What the function objects below make of an iterator's values.
template <class Iterator, class Map>
class MappedRange {
 public:
  class Place {
   public:
    TS_HD Place(const Iterator& at, const Map& map) : at_(at), map_(map) {}
    [[nodiscard]] TS_HD auto operator*() const { return map_(*at_); }
    TS_HD Place& operator++() {
      ++at_;
      return *this;
    }
    [[nodiscard]] TS_HD bool operator!=(RangeEnd end) const { return at_ != end; }

   private:
    Iterator at_;
    Map map_;
  };
  TS_HD MappedRange(const Iterator& first, const Map& map) : first_(first), map_(map) {}
  [[nodiscard]] TS_HD Place begin() const { return Place(first_, map_); }
  [[nodiscard]] TS_HD RangeEnd end() const { return {}; }

 private:
  Iterator first_;
  Map map_;
};

struct Itself {
  TS_HD tiled::HalfEdgeId operator()(tiled::HalfEdgeId h) const { return h; }
};
struct FaceOf {
  TS_HD tiled::FaceId operator()(tiled::HalfEdgeId h) const { return tiled::FaceId(h.index() / 3); }
};
struct EdgeOf {
  const EditArrays* mesh;
  TS_HD tiled::EdgeId operator()(Spoke s) const { return tiled::EdgeId(mesh->edges[s.half_edge]); }
};
struct FarEndOf {
  const EditArrays* mesh;
  TS_HD tiled::VertexId operator()(Spoke s) const {
    return tiled::VertexId(mesh->corners[s.ends_here ? s.half_edge : EditArrays::next(s.half_edge)]);
  }
};

}  // namespace detail

/// Three elements of a face.
template <class IdType>
struct ThreeOf {
  IdType at[3];
  [[nodiscard]] TS_HD IdType operator[](std::size_t k) const { return at[k]; }
  [[nodiscard]] TS_HD const IdType* begin() const { return at; }
  [[nodiscard]] TS_HD const IdType* end() const { return at + 3; }
};

struct EdgeEnds {
  tiled::VertexId from;
  tiled::VertexId to;
};

/// The ends of an edge of two faces and the vertices opposite it.
struct EdgeDiamond {
  tiled::VertexId from;
  tiled::VertexId to;
  tiled::VertexId left;   ///< in the face whose first half-edge is on the edge
  tiled::VertexId right;  ///< in the other face; invalid if there is none, or more than one
};

/// A handful of pointers, valid until the next edit. Elements that were removed may not be asked for anything
/// but contains(). Rows come in a deterministic order, but not in an ascending one. Asking for a row costs as
/// many steps as it has entries.
class EditMesh {
 public:
  using VertexId = tiled::VertexId;
  using EdgeId = tiled::EdgeId;
  using FaceId = tiled::FaceId;
  using HalfEdgeId = tiled::HalfEdgeId;

  EditMesh() = default;
  explicit EditMesh(const detail::EditArrays& arrays) : arrays_(arrays) {}

  [[nodiscard]] TS_HD bool contains(VertexId v) const {
    return v.index() < arrays_.vertex_end && arrays_.handles[v.index()] != detail::EditArrays::removed;
  }
  [[nodiscard]] TS_HD bool contains(EdgeId e) const {
    return e.index() < arrays_.edge_end && arrays_.first_side(e.index()) != detail::EditArrays::none;
  }
  [[nodiscard]] TS_HD bool contains(FaceId f) const {
    return f.index() < arrays_.face_end &&
           arrays_.corners[3 * std::size_t{f.index()}] != detail::EditArrays::none;
  }

  // Half-edges.
  [[nodiscard]] TS_HD VertexId from(HalfEdgeId h) const { return VertexId(arrays_.corners[h.index()]); }
  [[nodiscard]] TS_HD VertexId to(HalfEdgeId h) const { return from(next(h)); }
  [[nodiscard]] TS_HD VertexId opposite(HalfEdgeId h) const { return from(previous(h)); }
  [[nodiscard]] TS_HD EdgeId edge(HalfEdgeId h) const { return EdgeId(arrays_.edges[h.index()]); }
  [[nodiscard]] TS_HD FaceId face(HalfEdgeId h) const { return FaceId(h.index() / 3); }
  [[nodiscard]] TS_HD HalfEdgeId next(HalfEdgeId h) const {
    return HalfEdgeId(detail::EditArrays::next(h.index()));
  }
  [[nodiscard]] TS_HD HalfEdgeId previous(HalfEdgeId h) const {
    return HalfEdgeId(detail::EditArrays::previous(h.index()));
  }
  /// The half-edge on the other side; invalid at a border and where an edge has more than two faces.
  [[nodiscard]] TS_HD HalfEdgeId across(HalfEdgeId h) const { return HalfEdgeId(arrays_.across(h.index())); }

  // Faces: OrientedFV and OrientedFE.
  [[nodiscard]] TS_HD ThreeOf<VertexId> vertices(FaceId f) const {
    const std::uint32_t* c = arrays_.corners + 3 * std::size_t{f.index()};
    return {{VertexId(c[0]), VertexId(c[1]), VertexId(c[2])}};
  }
  [[nodiscard]] TS_HD ThreeOf<EdgeId> edges(FaceId f) const& {
    const std::uint32_t* e = arrays_.edges + 3 * std::size_t{f.index()};
    return {{EdgeId(e[0]), EdgeId(e[1]), EdgeId(e[2])}};
  }
  [[nodiscard]] TS_HD HalfEdgeId half_edge(FaceId f, std::uint32_t k) const {
    return HalfEdgeId(3 * f.index() + k);
  }

  // Edges: EV, EF and the half-edges on an edge.
  [[nodiscard]] TS_HD EdgeEnds ends(EdgeId e) const {
    const HalfEdgeId h(arrays_.first_side(e.index()));
    return {from(h), to(h)};
  }
  [[nodiscard]] TS_HD EdgeDiamond diamond(EdgeId e) const {
    const std::uint32_t* sides = arrays_.sides + 2 * std::size_t{e.index()};
    const HalfEdgeId h(sides[0]);
    const HalfEdgeId other(sides[1]);
    if (!h.is_valid() || !other.is_valid() || other.index() == detail::EditArrays::listed) {
      const HalfEdgeId one = first_half_edge(e);
      return {from(one), to(one), opposite(one), VertexId()};
    }
    const std::uint32_t k = h.index() % 3;
    const std::uint32_t* corners = arrays_.corners + (h.index() - k);
    return {VertexId(corners[k]), VertexId(corners[k == 2 ? 0 : k + 1]),
            VertexId(corners[k == 0 ? 2 : k - 1]), opposite(other)};
  }
  [[nodiscard]] TS_HD HalfEdgeId first_half_edge(EdgeId e) const {
    return HalfEdgeId(arrays_.first_side(e.index()));
  }
  [[nodiscard]] TS_HD auto half_edges(EdgeId e) const& {
    return detail::MappedRange(detail::SideIterator(arrays_, e.index()), detail::Itself{});
  }
  [[nodiscard]] TS_HD auto faces(EdgeId e) const& {
    return detail::MappedRange(detail::SideIterator(arrays_, e.index()), detail::FaceOf{});
  }
  [[nodiscard]] TS_HD std::size_t face_count(EdgeId e) const {
    return detail::SideIterator(arrays_, e.index()).size();
  }
  [[nodiscard]] TS_HD bool is_border(EdgeId e) const { return face_count(e) == 1; }

  // Vertices: VF, VE, VV and the half-edges that begin at a vertex.
  [[nodiscard]] TS_HD auto half_edges(VertexId v) const& {
    return detail::MappedRange(detail::StarIterator(arrays_, v.index()), detail::Itself{});
  }
  [[nodiscard]] TS_HD auto faces(VertexId v) const& {
    return detail::MappedRange(detail::StarIterator(arrays_, v.index()), detail::FaceOf{});
  }
  [[nodiscard]] TS_HD auto edges(VertexId v) const& {
    return detail::MappedRange(detail::SpokeIterator(arrays_, v.index()), detail::EdgeOf{&arrays_});
  }
  [[nodiscard]] TS_HD auto neighbours(VertexId v) const& {
    return detail::MappedRange(detail::SpokeIterator(arrays_, v.index()), detail::FarEndOf{&arrays_});
  }
  // Ranges walk over the object that made them.
  auto half_edges(EdgeId e) const&& = delete;
  auto faces(EdgeId e) const&& = delete;
  auto half_edges(VertexId v) const&& = delete;
  auto faces(VertexId v) const&& = delete;
  auto edges(VertexId v) const&& = delete;
  auto neighbours(VertexId v) const&& = delete;

  [[nodiscard]] TS_HD std::uint32_t valence(VertexId v) const {
    std::uint32_t count = 0;
    for (const EdgeId e : edges(v)) count += e.is_valid() ? 1 : 0;
    return count;
  }
  [[nodiscard]] TS_HD bool is_border(VertexId v) const {
    for (const EdgeId e : edges(v)) {
      if (is_border(e)) return true;
    }
    return false;
  }
  /// The edge that joins them, or an invalid one.
  [[nodiscard]] TS_HD EdgeId find_edge(VertexId a, VertexId b) const {
    for (const HalfEdgeId h : half_edges(a)) {
      if (to(h) == b) return edge(h);
      if (opposite(h) == b) return edge(previous(h));
    }
    return EdgeId();
  }

  [[nodiscard]] TS_HD const detail::EditArrays& arrays() const { return arrays_; }

 private:
  detail::EditArrays arrays_;
};

}  // namespace tessera
