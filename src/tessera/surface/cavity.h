// The cavity operator: every local edit removes a region and fills the hole.
//
// An operator is a small struct with two functions, which run on host threads or in a kernel, concurrently
// for all elements of one kind:
//
//   struct SplitLongEdges {
//     using Seed = ts::tiled::EdgeId;
//     ts::EditView<ts::tiled::VertexId, ts::Vec3d> position;
//     double longest;
//     TS_HD void declare(ts::Cavity& cavity, Seed e) const {          // what should go?
//       const auto [a, b] = cavity.mesh().ends(e);
//       if (length(position[b] - position[a]) <= longest) return;     // nothing
//       cavity.remove(e);                                             // the edge, and with it its faces
//       cavity.add_vertices(1);                                       // what fill() will add at most
//     }
//     TS_HD void fill(ts::Hole& hole) const {                         // what comes instead?
//       const auto [a, b] = hole.mesh().ends(hole.seed<Seed>());
//       hole.fan(hole.add_vertex(a, b, 0.5));                         // every attribute halfway between a
//       and b
//     }
//   };
//   const ts::EditReport report = ts::edit(surface, SplitLongEdges{position.view(), 0.1}, {.seed = 1});
//
// Cavities that want the same face are in conflict. The one with the higher priority wins, a seeded hash of
// the seed decides between equals, and the others can be tried in the next round. Cavities that only share
// edges or vertices of their boundaries are filled in the same round.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit_mesh.h>
#include <tessera/surface/edit_round.h>
#include <tessera/tile/relation.h>

namespace tessera {

/// What declare() is given: it says what should go, or nothing.
class Cavity {
 public:
  TS_HD explicit Cavity(const EditMesh& mesh) : mesh_(&mesh) {}
  /// Of a set (cavity_sets.h).
  TS_HD Cavity(const EditMesh& mesh, Kind kind, std::uint32_t begin, std::uint32_t end) : mesh_(&mesh) {
    request_.kind = static_cast<std::uint8_t>(kind);
    request_.count = begin < end ? detail::CavityRequest::listed : 0;
    request_.elements[0] = begin;
    request_.elements[1] = end;
  }
  [[nodiscard]] TS_HD const EditMesh& mesh() const { return *mesh_; }

  // What goes: up to three elements of one kind, and whatever contains one of them. An edge goes, too, when
  // all its faces do and there are two or more; a border edge stays. A vertex goes only if it is named.
  TS_HD void remove(tiled::VertexId v) { remove(Kind::vertex, v.index()); }
  TS_HD void remove(tiled::EdgeId e) { remove(Kind::edge, e.index()); }
  TS_HD void remove(tiled::FaceId f) { remove(Kind::face, f.index()); }
  /// One element and its neighbours: the vertices it is joined to, the edges it shares an end with, the faces
  /// it shares an edge with. Nothing else may be named.
  template <class TiledId>
  TS_HD void remove_with_neighbours(TiledId id) {
    if (request_.count != 0) request_.is_unclear = true;
    remove(id);
    request_.has_neighbours = true;
  }

  /// fill() will add at most so many vertices; 256 count at most, so that those of a round can be counted.
  TS_HD void add_vertices(std::uint32_t count) { request_.new_vertices = count < 256 ? count : 256; }
  /// fill() will add so many faces more than a disc of triangles needs; 256 count at most.
  TS_HD void add_faces(std::uint32_t count) { request_.more_faces = count < 256 ? count : 256; }
  /// Higher ones win. Of a finite number the 11 leading bits of its mantissa count.
  TS_HD void set_priority(float priority) { request_.priority = priority; }
  /// It may remove edges of the border: its boundary is then a chain.
  TS_HD void allow_open() { request_.may_be_open = true; }
  /// Its boundary may be of any number of loops and chains, and it may remove edges of many faces.
  TS_HD void allow_any_shape() { request_.may_be_any = request_.may_be_open = true; }

  [[nodiscard]] TS_HD const detail::CavityRequest& request() const { return request_; }

 private:
  TS_HD void remove(Kind kind, std::uint32_t element) {
    if (request_.count == 0) request_.kind = static_cast<std::uint8_t>(kind);
    if (!request_.removes(kind) || request_.count >= 3 || request_.has_neighbours) {
      request_.is_unclear = true;
    } else {
      request_.elements[request_.count++] = element;
    }
  }

  const EditMesh* mesh_;
  detail::CavityRequest request_;
};

/// What fill() is given: a hole with its boundary, the mesh as it was before, and a way to add elements.
///
/// The boundary is one loop of edges, in the direction in which the removed faces wound, or one chain between
/// two borders (is_open()). The loop of an edge's cavity begins at its second end: its vertices are the
/// second end, the vertex opposite on the left, the first end, the vertex opposite on the right.
class Hole {
 public:
  TS_HD Hole(const detail::RoundView& round, detail::CavityWork& work)
      : mesh_(&round.mesh),
        arrays_(round.mesh.arrays()),
        round_(&round),
        work_(&work),
        scratch_(&round.scratch) {}

  /// The mesh before the edit: the removed faces are still there, the new ones are not.
  [[nodiscard]] TS_HD const EditMesh& mesh() const { return *mesh_; }
  template <class Seed>
  [[nodiscard]] TS_HD Seed seed() const {
    return Seed(round_->requests[work_->cavity].seed);
  }

  /// Edges of the boundary.
  [[nodiscard]] TS_HD std::uint32_t size() const { return work_->boundary_count; }
  [[nodiscard]] TS_HD bool is_open() const { return work_->is_open; }
  /// Vertices of the boundary: one more than edges if it is open.
  [[nodiscard]] TS_HD std::uint32_t vertex_count() const { return size() + (is_open() ? 1 : 0); }
  [[nodiscard]] TS_HD tiled::VertexId vertex(std::uint32_t i) const {
    if (i == size()) return is_open() && i > 0 ? head(i - 1) : tail(0);
    return tail(i);
  }
  [[nodiscard]] TS_HD tiled::EdgeId edge(std::uint32_t i) const {
    return tiled::EdgeId((slot(i) & detail::slot_mask) / 2);
  }
  /// Is edge i the last of its loop or chain? The next one, if any, begins another.
  [[nodiscard]] TS_HD bool ends_loop(std::uint32_t i) const {
    return (slot(i) & detail::last_of_loop_bit) != 0;
  }
  /// The vertices at both ends of boundary edge i.
  [[nodiscard]] TS_HD tiled::VertexId tail(std::uint32_t i) const { return tiled::VertexId(bound(i).tail); }
  [[nodiscard]] TS_HD tiled::VertexId head(std::uint32_t i) const {
    if (i + 1 < size() && !ends_loop(i)) return tail(i + 1);
    const std::uint32_t h = bound(i).half_edge & ~detail::reversed_bit;
    const bool is_reversed = (bound(i).half_edge & detail::reversed_bit) != 0;
    return tiled::VertexId(arrays_.corners[is_reversed ? h : detail::EditArrays::next(h)]);
  }

  // What was removed.
  [[nodiscard]] TS_HD std::uint32_t removed_face_count() const { return work_->face_count; }
  [[nodiscard]] TS_HD tiled::FaceId removed_face(std::uint32_t i) const {
    return tiled::FaceId(scratch_->faces[work_->face_begin + i]);
  }

  /// A new vertex, whose attributes are all 0.
  TS_HD tiled::VertexId add_vertex() {
    if (!has_room(Kind::vertex)) return tiled::VertexId();
    const std::uint32_t id = ids().vertex(work_->used[0]++);
    for_columns(Kind::vertex, [id](const detail::Column& column) { column.clear(column.at(id)); });
    return tiled::VertexId(id);
  }
  /// A new vertex, whose attributes lie between those of two others: those of a if t is 0, of b if it is 1.
  /// Floating-point numbers are interpolated, other values are those of the nearer one.
  TS_HD tiled::VertexId add_vertex(tiled::VertexId a, tiled::VertexId b, double t) {
    return add_vertex({{a, b, b}}, t, 0);
  }
  /// The same between three: the attributes are a + s (b - a) + t (c - a).
  TS_HD tiled::VertexId add_vertex(const ThreeOf<tiled::VertexId>& between, double s, double t) {
    const tiled::VertexId v = add_vertex();
    if (!v.is_valid()) return v;
    const detail::Blend blend = {{between[0].index(), between[1].index(), between[2].index()}, s, t};
    for_columns(Kind::vertex, [=](const detail::Column& column) { blend.write(column, v.index()); });
    return v;
  }
  /// A new vertex with the attributes of another.
  TS_HD tiled::VertexId add_vertex_like(tiled::VertexId a) { return add_vertex(a, a, 0); }

  /// The new edge, or the one of the boundary, that joins two vertices; makes it if there is none. Attributes
  /// of a new one are 0.
  TS_HD tiled::EdgeId add_edge(tiled::VertexId a, tiled::VertexId b) {
    const std::uint32_t side = join(a.index(), b.index());
    if (side == Arrays::none) return tiled::EdgeId();
    if ((side & detail::of_boundary_bit) != 0) return edge(side & ~detail::of_boundary_bit);
    return tiled::EdgeId(ids().edge(side));
  }
  /// A new face, and those of its edges that are not there. Its attributes are those of the first face that
  /// was removed.
  TS_HD tiled::FaceId add_face(tiled::VertexId a, tiled::VertexId b, tiled::VertexId c) {
    if (a == b || b == c || c == a || !may_be_corner(a) || !may_be_corner(b) || !may_be_corner(c)) {
      refuse();
      return tiled::FaceId();
    }
    work_->is_fan = false;
    const std::uint32_t edges_before = work_->used[1];
    const std::uint32_t ab = join(a.index(), b.index());
    const std::uint32_t bc = join(b.index(), c.index());
    const std::uint32_t ca = join(c.index(), a.index());
    if (round_->keeps_edges_unique && work_->used[1] == edges_before && is_made(a, b, c)) {
      if (work_->outcome == CavityOutcome::won) work_->outcome = CavityOutcome::repeats_face;
      return tiled::FaceId();
    }
    return add_face_between({{a, b, c}}, {ab, bc, ca});
  }
  /// Joins a new vertex to the whole boundary. Nothing may have been added but vertices.
  TS_HD void fan(tiled::VertexId centre) {
    if (!centre.is_valid() || size() == 0) return;
    if (!work_->is_simple || !is_new(centre.index()) || has_any()) return refuse();
    work_->is_fan = true;
    const std::uint32_t opening = make_edge(tail(0).index(), centre.index());
    std::uint32_t before = opening;
    for (std::uint32_t i = 0; i < size(); ++i) {
      const bool is_closing = i + 1 == size() && !is_open();
      const std::uint32_t after = is_closing ? opening : make_edge(head(i).index(), centre.index());
      add_face_between({{tail(i), head(i), centre}}, {of_boundary(i), after, before});
      before = after;
    }
  }
  /// Joins vertex i of the boundary, which is one loop, to the others. Nothing may have been added.
  TS_HD void fan_from(std::uint32_t i) {
    const std::uint32_t n = size();
    if (!work_->is_simple || is_open() || n < 3 || i >= n || has_any()) return refuse();
    work_->is_fan = true;
    std::uint32_t before = of_boundary(i);
    for (std::uint32_t k = 1; k + 1 < n; ++k) {
      const std::uint32_t at = (i + k) % n;
      const bool is_last = k + 2 == n;
      const std::uint32_t after =
          is_last ? of_boundary((i + n - 1) % n) : make_edge(head(at).index(), vertex(i).index());
      add_face_between({{vertex(i), tail(at), head(at)}}, {before, of_boundary(at), after});
      before = after;
    }
  }

  // Attributes of new elements. Those of edges and faces are set through the hole: until the commit every
  // element of the mesh has its own.

  /// Gives a new element the attributes of an old one of its kind.
  TS_HD void inherit(tiled::FaceId to, tiled::FaceId from) {
    const std::uint32_t place = place_of(Kind::face, to.index());
    if (place == Arrays::none) return;
    for_columns(Kind::face, [&](const detail::Column& column) {
      column.copy(column.at(from.index()), column.staged_at(place));
    });
  }
  TS_HD void inherit(tiled::EdgeId to, tiled::EdgeId from) {
    const std::uint32_t place = place_of(Kind::edge, to.index());
    if (place == Arrays::none) return;
    for_columns(Kind::edge, [&](const detail::Column& column) {
      column.copy(column.at(from.index()), column.staged_at(place));
    });
  }
  /// Of a new vertex, edge or face.
  template <class T>
  TS_HD void set(const EditView<tiled::VertexId, T>& view, tiled::VertexId v, const T& value) const {
    view[v] = value;
  }
  template <class T>
  TS_HD void set(const EditView<tiled::EdgeId, T>& view, tiled::EdgeId e, const T& value) const {
    const std::uint32_t place = place_of(Kind::edge, e.index());
    if (place != Arrays::none) view.staged()[place] = value;
  }
  template <class T>
  TS_HD void set(const EditView<tiled::FaceId, T>& view, tiled::FaceId f, const T& value) const {
    const std::uint32_t place = place_of(Kind::face, f.index());
    if (place != Arrays::none) view.staged()[place] = value;
  }

  /// Leaves everything as it is.
  TS_HD void refuse() {
    if (work_->outcome == CavityOutcome::won) work_->outcome = CavityOutcome::refused;
  }

  // New faces, for operators that look at what they made.
  [[nodiscard]] TS_HD std::uint32_t new_face_count() const { return work_->used[2]; }
  [[nodiscard]] TS_HD tiled::FaceId new_face(std::uint32_t i) const { return tiled::FaceId(ids().face(i)); }
  [[nodiscard]] TS_HD ThreeOf<tiled::VertexId> new_face_vertices(std::uint32_t i) const {
    const std::uint32_t* c = made_face(i).corners;
    return {{tiled::VertexId(c[0]), tiled::VertexId(c[1]), tiled::VertexId(c[2])}};
  }

  /// Ends the filling: would an edge be repeated, and are the fans around all vertices what they were?
  /// Returns the number of pairs of for_each_pair().
  TS_HD std::uint32_t close() {
    std::uint32_t pairs = 0;
    if (work_->outcome != CavityOutcome::won) return pairs;
    if (round_->keeps_edges_unique) {
      for_each_chord([&](std::uint32_t a, std::uint32_t b) {
        ++pairs;
        if (is_joined(a, b)) work_->outcome = CavityOutcome::repeats_edge;
      });
      for_each_spanned([&](std::uint32_t f) {
        ++pairs;
        if (is_spanned(f)) work_->outcome = CavityOutcome::repeats_face;
      });
    }
    work_->is_regular = !work_->has_extra && !work_->has_inner && work_->loop_count == 1 && !meets_lists() &&
                        (work_->is_fan || fans_are_kept());
    return work_->outcome == CavityOutcome::won ? pairs : 0;
  }
  /// Calls f(a, b) with what only one cavity of a round may make: new edges between vertices that were there
  /// before, a < b, and two corners of new faces between edges that were there before, marked by a bit.
  template <class F>
  TS_HD void for_each_pair(const F& f) const {
    for_each_chord(f);
    for_each_spanned([&](std::uint32_t face) {
      std::uint32_t a = made_face(face).corners[0];
      std::uint32_t b = made_face(face).corners[1];
      const std::uint32_t c = made_face(face).corners[2];
      if (b < a) a ^= b, b ^= a, a ^= b;
      if (c < b) b = c < a ? a : c, a = c < a ? c : a;  // the two lowest
      f(a | spanned_bit, b);
    });
  }
  /// Claims the pairs in the table of the round.
  TS_HD void claim_pairs() const {
    for_each_pair([&](std::uint32_t a, std::uint32_t b) {
      detail::ChordEntry* entry = round_->chords.at(a, b);
      if (entry != nullptr)
        detail::atomic_max(&entry->claim, work_->claim);
      else
        round_->be_short_of(detail::short_of_chords);
    });
  }
  /// Does another cavity make one of the pairs, too, and has the higher claim?
  [[nodiscard]] TS_HD bool has_lost_pair() const {
    bool has_lost = false;
    for_each_pair([&](std::uint32_t a, std::uint32_t b) {
      has_lost = has_lost || round_->chords.at(a, b)->claim != work_->claim;
    });
    return has_lost;
  }

 private:
  using Arrays = detail::EditArrays;
  static constexpr std::uint32_t spanned_bit = 0x80000000u;

  /// New edges between vertices that were there before.
  template <class F>
  TS_HD void for_each_chord(const F& f) const {
    for (std::uint32_t i = 0; i < work_->used[1]; ++i) {
      const std::uint32_t a = made_edge(i).ends[0];
      const std::uint32_t b = made_edge(i).ends[1];
      if (is_new(a) || is_new(b)) continue;
      f(a < b ? a : b, a < b ? b : a);
    }
  }
  /// New faces between three edges of the boundary.
  template <class F>
  TS_HD void for_each_spanned(const F& f) const {
    if (size() < 3) return;
    for (std::uint32_t i = 0; i < work_->used[2]; ++i) {
      const std::uint32_t* sides = made_face(i).edges;
      if ((sides[0] & sides[1] & sides[2] & detail::of_boundary_bit) != 0) f(i);
    }
  }
  /// Is there a face between its corners that stays?
  [[nodiscard]] TS_HD bool is_spanned(std::uint32_t f) const {
    const std::uint32_t side = made_face(f).edges[0] & ~detail::of_boundary_bit;
    const std::uint32_t third = made_face(f).corners[2];
    for (const tiled::HalfEdgeId h : mesh_->half_edges(edge(side))) {
      const bool stays = round_->claims[h.index() / 3] != work_->claim;
      if (stays && mesh_->opposite(h).index() == third) return true;
    }
    return false;
  }

  [[nodiscard]] TS_HD std::size_t segment() const { return 3 * std::size_t{work_->face_begin}; }
  [[nodiscard]] TS_HD detail::BoundaryEdge& bound(std::uint32_t i) const {
    return scratch_->boundary[segment() + i];
  }
  [[nodiscard]] TS_HD std::uint32_t slot(std::uint32_t i) const { return bound(i).slot; }
  [[nodiscard]] TS_HD detail::NewIds ids() const { return {*work_, *scratch_}; }
  [[nodiscard]] TS_HD detail::NewFace& made_face(std::uint32_t i) const {
    return scratch_->new_faces[work_->staged[1] + i];
  }
  [[nodiscard]] TS_HD detail::NewEdge& made_edge(std::uint32_t i) const {
    return scratch_->new_edges[work_->staged[0] + i];
  }
  /// Of a half-edge that is counted within the cavity: the vertex where it begins, and its edge.
  [[nodiscard]] TS_HD std::uint32_t made_corner(std::uint32_t h) const {
    return made_face(h / 3).corners[h % 3];
  }
  [[nodiscard]] TS_HD std::uint32_t made_side(std::uint32_t h) const { return made_face(h / 3).edges[h % 3]; }
  [[nodiscard]] static TS_HD std::uint32_t of_boundary(std::uint32_t i) {
    return i | detail::of_boundary_bit;
  }

  [[nodiscard]] TS_HD bool has_room(Kind kind) {
    const auto k = static_cast<std::size_t>(kind);
    if (work_->used[k] < work_->room[k]) return true;
    if (work_->outcome == CavityOutcome::won) work_->outcome = CavityOutcome::overfull;
    return false;
  }
  /// The place of a new element among the staged ones of the round; the last ones are looked at first.
  [[nodiscard]] TS_HD std::uint32_t place_of(Kind kind, std::uint32_t id) const {
    const auto k = static_cast<std::size_t>(kind);
    for (std::uint32_t i = work_->used[k]; i-- > 0;) {
      if ((kind == Kind::edge ? ids().edge(i) : ids().face(i)) == id) return work_->staged[k - 1] + i;
    }
    return Arrays::none;
  }

  /// The edge between two vertices, as edges of new faces are written; makes it if there is none.
  [[nodiscard]] TS_HD std::uint32_t join(std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t i = work_->used[1]; i-- > 0;) {
      const std::uint32_t p = made_edge(i).ends[0];
      const std::uint32_t q = made_edge(i).ends[1];
      if ((p == a && q == b) || (p == b && q == a)) return i;
    }
    for (std::uint32_t i = 0; i < size(); ++i) {
      const std::uint32_t at = next_hint_ + i < size() ? next_hint_ + i : next_hint_ + i - size();
      const std::uint32_t p = tail(at).index();
      const std::uint32_t q = head(at).index();
      if ((p != a || q != b) && (p != b || q != a)) continue;
      next_hint_ = at + 1 < size() ? at + 1 : 0;
      return of_boundary(at);
    }
    return make_edge(a, b);
  }
  [[nodiscard]] TS_HD std::uint32_t make_edge(std::uint32_t a, std::uint32_t b) {
    if (!has_room(Kind::edge)) return Arrays::none;
    const std::uint32_t e = work_->used[1]++;
    made_edge(e) = {{a, b}, {Arrays::none, Arrays::none}};
    for_columns(Kind::edge,
                [&](const detail::Column& column) { column.clear(column.staged_at(work_->staged[0] + e)); });
    return e;
  }

  [[nodiscard]] TS_HD bool is_new(std::uint32_t v) const {
    for (std::uint32_t i = 0; i < work_->used[0]; ++i) {
      if (ids().vertex(i) == v) return true;
    }
    return false;
  }
  /// Are they joined by an edge that stays?
  [[nodiscard]] TS_HD bool is_joined(std::uint32_t a, std::uint32_t b) const {
    const tiled::EdgeId e = mesh_->find_edge(tiled::VertexId(a), tiled::VertexId(b));
    if (!e.is_valid()) return false;
    for (std::uint32_t i = 0; i < work_->edge_count; ++i) {
      if (ids().edge(i) == e.index()) return false;
    }
    return true;
  }

  [[nodiscard]] TS_HD bool has_any() const { return work_->used[1] != 0 || work_->used[2] != 0; }
  /// Faces are between new vertices and those of the boundary.
  [[nodiscard]] TS_HD bool may_be_corner(tiled::VertexId v) const {
    if (is_new(v.index())) return true;
    for (std::uint32_t i = 0; i < vertex_count(); ++i) {
      if (vertex(i) == v || (i < size() && head(i) == v)) return true;
    }
    return false;
  }
  /// Has the cavity a new face with these corners?
  [[nodiscard]] TS_HD bool is_made(tiled::VertexId a, tiled::VertexId b, tiled::VertexId c) const {
    for (std::uint32_t i = 0; i < work_->used[2]; ++i) {
      const auto v = new_face_vertices(i);
      const auto has = [&](tiled::VertexId x) { return v[0] == x || v[1] == x || v[2] == x; };
      if (has(a) && has(b) && has(c)) return true;
    }
    return false;
  }

  struct Sides {
    std::uint32_t at[3];
  };
  TS_HD tiled::FaceId add_face_between(const ThreeOf<tiled::VertexId>& corners, const Sides& sides) {
    if (!has_room(Kind::face) || work_->outcome != CavityOutcome::won) return tiled::FaceId();
    const std::uint32_t f = work_->used[2]++;
    made_face(f) = {{corners[0].index(), corners[1].index(), corners[2].index()},
                    {sides.at[0], sides.at[1], sides.at[2]}};
    for (std::uint32_t k = 0; k < 3; ++k) attach(sides.at[k], 3 * f + k);
    for_columns(Kind::face, [&](const detail::Column& column) {
      std::byte* to = column.staged_at(work_->staged[1] + f);
      if (work_->face_count == 0)
        column.clear(to);
      else
        column.copy(column.at(scratch_->faces[work_->face_begin]), to);
    });
    return tiled::FaceId(ids().face(f));
  }
  /// Puts a new half-edge into a free place of its edge.
  TS_HD void attach(std::uint32_t side, std::uint32_t h) {
    if ((side & detail::of_boundary_bit) != 0) {
      std::uint32_t& there = bound(side & ~detail::of_boundary_bit).made;
      if (there == Arrays::none)
        there = h;
      else
        work_->has_extra = true;
      return;
    }
    std::uint32_t* both = made_edge(side).sides;
    if (both[0] == Arrays::none)
      both[0] = h;
    else if (both[1] == Arrays::none)
      both[1] = h;
    else
      work_->has_extra = true;
  }

  static constexpr std::uint32_t border = Arrays::none;
  static constexpr std::uint32_t full_turn = Arrays::removed;

  /// Walks the new faces around a vertex from one of them on and adds their number to `count`. Returns the
  /// edge of the boundary that it meets, with its bit, or `border`, or `full_turn`.
  [[nodiscard]] TS_HD std::uint32_t walk(detail::FanStep step, std::uint32_t vertex,
                                         std::uint32_t& count) const {
    const std::uint32_t start = step.at;
    for (;;) {
      ++count;
      const std::uint32_t leaves = step.leaves_by();
      const std::uint32_t side = made_side(leaves);
      if ((side & detail::of_boundary_bit) != 0) return side;
      const std::uint32_t* both = made_edge(side).sides;
      const std::uint32_t across = both[0] == leaves ? both[1] : both[0];
      if (across == Arrays::none) return border;
      const bool winds_alike = made_corner(across) == vertex;
      step = {winds_alike ? across : Arrays::next(across), winds_alike};
      if (step.at == start) return full_turn;
    }
  }
  /// Around the vertex at one end of a boundary edge, beginning at its new face.
  [[nodiscard]] TS_HD std::uint32_t walk_from(std::uint32_t i, tiled::VertexId v,
                                              std::uint32_t& count) const {
    const std::uint32_t h = bound(i).made;
    const bool begins_here = made_corner(h) == v.index();
    return walk({begins_here ? h : Arrays::next(h), begins_here}, v.index(), count);
  }

  /// Is there a new edge without faces, or does a removed face have an edge or a vertex with a list?
  [[nodiscard]] TS_HD bool meets_lists() const {
    for (std::uint32_t i = 0; i < work_->used[1]; ++i) {
      if (made_edge(i).sides[0] == Arrays::none) return true;
    }
    if (arrays_.vertex_lists.count == 0) return false;  // an edge with a list has ends with lists
    for (std::uint32_t i = 0; i < work_->face_count; ++i) {
      for (const tiled::VertexId v : mesh_->vertices(removed_face(i))) {
        const std::uint32_t handle = arrays_.handles[v.index()];
        if (handle < Arrays::removed && (handle & Arrays::listed) != 0) return true;
      }
    }
    return false;
  }

  /// Each piece of the boundary between two of its edges must be spanned by one fan, and each new vertex must
  /// have one. They are if walking along them meets all corners.
  [[nodiscard]] TS_HD bool fans_are_kept() const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (bound(i).made == Arrays::none) return false;
      const bool is_end = is_open() && i + 1 == size();
      const std::uint32_t expected = is_end ? border : of_boundary(i + 1 < size() ? i + 1 : 0);
      if (walk_from(i, head(i), count) != expected) return false;
    }
    if (is_open() && size() > 0 && walk_from(0, tail(0), count) != border) return false;
    for (std::uint32_t i = 0; i < work_->used[0]; ++i) {
      const std::uint32_t v = ids().vertex(i);
      const std::uint32_t h = find_corner(v);
      if (h == Arrays::none) continue;
      const std::uint32_t met = walk({h, true}, v, count);
      if (met == full_turn) continue;
      --count;  // the first one is met again
      if (met != border || walk({h, false}, v, count) != border) return false;
    }
    return count == 3 * work_->used[2];
  }
  [[nodiscard]] TS_HD std::uint32_t find_corner(std::uint32_t v) const {
    for (std::uint32_t h = 0; h < 3 * work_->used[2]; ++h) {
      if (made_corner(h) == v) return h;
    }
    return Arrays::none;
  }

  template <class F>
  TS_HD void for_columns(Kind kind, const F& f) const {
    for (std::uint32_t i = 0; i < scratch_->column_count; ++i) {
      if (scratch_->columns[i].kind == kind) f(scratch_->columns[i]);
    }
  }
  const EditMesh* mesh_;
  detail::EditArrays arrays_;
  const detail::RoundView* round_;
  detail::CavityWork* work_;
  const detail::RoundScratch* scratch_;
  std::uint32_t next_hint_ = 0;
};

}  // namespace tessera
