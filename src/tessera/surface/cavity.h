// The cavity operator: every local edit removes a region and fills the hole.
//
// An operator is a small struct with two functions, which run on host threads or in a kernel, concurrently for
// all elements of one kind:
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
//       hole.fan(hole.add_vertex(a, b, 0.5));                         // every attribute halfway between a and b
//     }
//   };
//   const ts::EditReport report = ts::edit(surface, SplitLongEdges{position.view(), 0.1}, {.seed = 1});
//
// Cavities that want the same face are in conflict. The one with the higher priority wins, a seeded hash of
// the seed decides between equals, and the others can be tried in the next round. Cavities that only share
// edges or vertices of their boundaries are filled in the same round.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/surface/edit_mesh.h>
#include <tessera/tile/relation.h>

namespace tessera {

/// What became of a cavity.
enum class CavityOutcome : std::uint8_t {
  none,          ///< nothing was declared
  won,           ///< its hole was filled
  lost,          ///< another one got one of its faces
  several_holes, ///< its boundary is not one loop, or one chain between two borders
  open,          ///< it removes edges of the border, which was not allowed
  not_a_surface, ///< it removes an edge of more than two faces, which was not allowed
  refused,       ///< by fill()
  repeats_edge,  ///< it would join two vertices that have an edge
  overfull,      ///< fill() added more than was announced
};

namespace detail {

/// What declare() asked for.
struct CavityRequest {
  std::uint32_t elements[3] = {EditArrays::none, EditArrays::none, EditArrays::none};
  Kind kind = Kind::face;
  std::uint32_t count = 0;
  std::uint32_t new_vertices = 0;
  std::uint32_t more_faces = 0;
  float priority = 0;
  bool may_be_open = false;
  bool may_be_any = false;
};

/// A cavity that may win: what it removes, where its part of the round's scratch memory is, what was added.
struct CavityWork {
  CavityRequest request;
  std::uint64_t claim;
  std::uint32_t seed;
  CavityOutcome outcome;
  bool is_open;
  bool is_simple;   ///< one loop or chain that meets no vertex twice
  bool is_regular;  ///< the fans of all vertices but listed ones are what they were
  bool has_extra;   ///< an edge has more faces than it has places
  std::uint32_t face_begin;
  std::uint32_t face_count;
  std::uint32_t boundary_count;
  std::uint32_t edge_count;  ///< that are removed
  std::uint32_t loop_count;
  std::uint32_t room[3];     ///< for new vertices, edges, faces
  std::uint32_t first[3];    ///< of those of the round
  std::uint32_t used[3];
};

/// Ids for new elements: those that were freed first, then those at the end.
struct FreshIds {
  const std::uint32_t* freed = nullptr;
  std::uint32_t freed_count = 0;  ///< to be used
  std::uint32_t end = 0;
  [[nodiscard]] TS_HD std::uint32_t operator[](std::uint32_t rank) const {
    return rank < freed_count ? freed[rank] : end + (rank - freed_count);
  }
};

/// A column of values that follows the edits.
struct Column {
  std::byte* data = nullptr;
  std::uint32_t width = 0;       ///< bytes of a value
  std::uint32_t components = 0;  ///< floating-point numbers that are blended; 0: values are copied
  Kind kind = Kind::vertex;
  bool is_double = false;

  TS_HD void clear(std::size_t id) const {
    for (std::size_t i = 0; i < width; ++i) data[id * width + i] = std::byte{0};
  }
  TS_HD void copy(std::size_t from, std::size_t to) const {
    for (std::size_t i = 0; i < width; ++i) data[to * width + i] = data[from * width + i];
  }
};

/// The value a + s (b - a) + t (c - a).
struct Blend {
  std::uint32_t of[3];
  double s;
  double t;

  TS_HD void write(const Column& column, std::size_t to) const {
    if (column.components == 0) {
      const double first = 1 - s - t;
      column.copy(first >= s && first >= t ? of[0] : s >= t ? of[1] : of[2], to);
    } else if (column.is_double) {
      write_numbers(reinterpret_cast<double*>(column.data), column.components, to);
    } else {
      write_numbers(reinterpret_cast<float*>(column.data), column.components, to);
    }
  }

 private:
  template <class Real>
  TS_HD void write_numbers(Real* values, std::size_t n, std::size_t to) const {
    for (std::size_t i = 0; i < n; ++i) {
      const double a = values[of[0] * n + i];
      const double b = values[of[1] * n + i];
      const double c = values[of[2] * n + i];
      values[to * n + i] = static_cast<Real>(a + s * (b - a) + t * (c - a));
    }
  }
};

/// Scratch memory of a round. The segments of a cavity begin at face_begin, and at 3 * face_begin.
struct RoundScratch {
  std::uint32_t* faces = nullptr;          ///< that are removed
  std::uint32_t* boundary = nullptr;       ///< half-edges of removed faces; removed edges from the end on
  std::uint32_t* boundary_slot = nullptr;  ///< their places among the sides
  std::uint32_t* boundary_new = nullptr;   ///< the new half-edges there
  std::uint32_t* new_ends = nullptr;       ///< two vertices for each new edge
  std::uint32_t* origins[2] = {nullptr, nullptr};  ///< the input's ids of vertices and faces
  FreshIds fresh[3];
  const Column* columns = nullptr;
  std::uint32_t column_count = 0;
};

/// Calls f(face) for each face that contains one of the elements.
template <class F>
TS_HD void for_each_removed_face(const EditMesh& mesh, const CavityRequest& request, const F& f) {
  const EditArrays& arrays = mesh.arrays();
  const auto is_met_before = [&](const std::uint32_t* three, std::uint32_t k) {
    for (std::uint32_t i = 0; i < k; ++i) {
      const std::uint32_t before = request.elements[i];
      if (three[0] == before || three[1] == before || three[2] == before) return true;
    }
    return false;
  };
  for (std::uint32_t k = 0; k < request.count; ++k) {
    const std::uint32_t element = request.elements[k];
    if (request.kind == Kind::vertex) {
      for (const tiled::FaceId face : mesh.faces(tiled::VertexId(element))) {
        if (!is_met_before(arrays.corners + 3 * std::size_t{face.index()}, k)) f(face.index());
      }
    } else if (request.kind == Kind::edge) {
      for (const tiled::FaceId face : mesh.faces(tiled::EdgeId(element))) {
        if (!is_met_before(arrays.edges + 3 * std::size_t{face.index()}, k)) f(face.index());
      }
    } else {
      bool is_repeated = false;
      for (std::uint32_t i = 0; i < k; ++i) is_repeated = is_repeated || request.elements[i] == element;
      if (!is_repeated) f(element);
    }
  }
}

/// *to = max(*to, value) while others may do so, too.
inline TS_HD void atomic_max(std::uint64_t* to, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
#else
  std::atomic_ref<std::uint64_t> there(*to);
  std::uint64_t seen = there.load(std::memory_order_relaxed);
  while (seen < value && !there.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
#endif
}

/// What a round is made of, for the loops of edit.h and of the library.
struct RoundView {
  EditMesh mesh;
  std::uint64_t* claims = nullptr;            ///< of each face: the highest that wants it, in the newest round
  const std::uint32_t* candidates = nullptr;  ///< null: all
  std::uint8_t* is_declared = nullptr;        ///< of each candidate
  std::uint32_t salt = 0;
  std::uint32_t number = 0;  ///< 1 to 4095
  CavityWork* works = nullptr;
  const std::uint32_t* chosen = nullptr;   ///< the candidates that declared cavities
  const std::uint32_t* winners = nullptr;  ///< among the works
  RoundScratch scratch;

  [[nodiscard]] TS_HD std::uint32_t candidate(std::size_t i) const {
    return candidates != nullptr ? candidates[i] : static_cast<std::uint32_t>(i);
  }
  /// Higher than those of earlier rounds; then by priority; then by a hash, which no two seeds share.
  [[nodiscard]] TS_HD std::uint64_t claim(std::uint32_t seed, float priority) const {
    std::uint32_t hash = seed ^ salt;
    hash = (hash ^ (hash >> 16)) * 0x7FEB352Du;
    hash = (hash ^ (hash >> 15)) * 0x846CA68Bu;
    hash ^= hash >> 16;
    auto bits = std::bit_cast<std::uint32_t>(priority);
    bits = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    return std::uint64_t{number} << 52 | std::uint64_t{bits >> 12} << 32 | hash;
  }
};

inline constexpr std::uint32_t reversed_bit = 0x80000000u;     ///< of a half-edge that is passed backward
inline constexpr std::uint32_t last_of_loop_bit = 0x80000000u; ///< of a slot
inline constexpr std::uint32_t listed_slot = 0x7FFFFFFFu;      ///< the edge has a list of sides

}  // namespace detail

/// What declare() is given: it says what should go, or nothing.
class Cavity {
 public:
  TS_HD explicit Cavity(const EditMesh& mesh) : mesh_(&mesh) {}
  [[nodiscard]] TS_HD const EditMesh& mesh() const { return *mesh_; }

  // What goes: up to three elements of one kind, and whatever contains one of them. An edge goes, too, when
  // all its faces do and there are two or more; a border edge stays. A vertex goes only if it is named.
  TS_HD void remove(tiled::VertexId v) { remove(Kind::vertex, v.index()); }
  TS_HD void remove(tiled::EdgeId e) { remove(Kind::edge, e.index()); }
  TS_HD void remove(tiled::FaceId f) { remove(Kind::face, f.index()); }

  /// fill() will add at most so many vertices.
  TS_HD void add_vertices(std::uint32_t count) { request_.new_vertices = count; }
  /// fill() will add so many faces more than a disc of triangles needs.
  TS_HD void add_faces(std::uint32_t count) { request_.more_faces = count; }
  /// Higher ones win. Of a finite number the 11 leading bits of its mantissa count.
  TS_HD void set_priority(float priority) { request_.priority = priority; }
  /// It may remove edges of the border: its boundary is then a chain.
  TS_HD void allow_open() { request_.may_be_open = true; }
  /// Its boundary may be of any number of loops and chains, and it may remove edges of many faces.
  TS_HD void allow_any_shape() { request_.may_be_any = request_.may_be_open = true; }

  [[nodiscard]] TS_HD const detail::CavityRequest& request() const { return request_; }

 private:
  TS_HD void remove(Kind kind, std::uint32_t element) {
    if (request_.count == 0) request_.kind = kind;
    if (request_.kind != kind || request_.count == 3) return;
    request_.elements[request_.count++] = element;
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
  TS_HD Hole(const EditMesh& mesh, detail::CavityWork& work, const detail::RoundScratch& scratch)
      : mesh_(&mesh), arrays_(mesh.arrays()), work_(&work), scratch_(&scratch) {}

  /// The mesh before the edit: the removed faces are still there, the new ones are not.
  [[nodiscard]] TS_HD const EditMesh& mesh() const { return *mesh_; }
  template <class Seed>
  [[nodiscard]] TS_HD Seed seed() const {
    return Seed(work_->seed);
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
    return tiled::EdgeId(arrays_.edges[half_edge(i)]);
  }
  /// Is edge i the last of its loop or chain? The next one, if any, begins another.
  [[nodiscard]] TS_HD bool ends_loop(std::uint32_t i) const {
    return (slot(i) & detail::last_of_loop_bit) != 0;
  }
  /// The vertices at both ends of boundary edge i.
  [[nodiscard]] TS_HD tiled::VertexId tail(std::uint32_t i) const {
    const std::uint32_t h = half_edge(i);
    return tiled::VertexId(arrays_.corners[is_reversed(i) ? detail::EditArrays::next(h) : h]);
  }
  [[nodiscard]] TS_HD tiled::VertexId head(std::uint32_t i) const {
    const std::uint32_t h = half_edge(i);
    return tiled::VertexId(arrays_.corners[is_reversed(i) ? h : detail::EditArrays::next(h)]);
  }

  // What was removed.
  [[nodiscard]] TS_HD std::uint32_t removed_face_count() const { return work_->face_count; }
  [[nodiscard]] TS_HD tiled::FaceId removed_face(std::uint32_t i) const {
    return tiled::FaceId(scratch_->faces[work_->face_begin + i]);
  }

  /// A new vertex, whose attributes are all 0.
  TS_HD tiled::VertexId add_vertex() {
    const std::uint32_t id = take(Kind::vertex);
    if (id == detail::EditArrays::none) return tiled::VertexId();
    arrays_.handles[id] = detail::EditArrays::none;
    scratch_->origins[0][id] = detail::EditArrays::none;
    for_columns(Kind::vertex, [id](const detail::Column& column) { column.clear(id); });
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
    return tiled::EdgeId(join(a.index(), b.index()).edge);
  }
  /// A new face, and those of its edges that are not there. Its attributes are those of the first face that
  /// was removed.
  TS_HD tiled::FaceId add_face(tiled::VertexId a, tiled::VertexId b, tiled::VertexId c) {
    if (a == b || b == c || c == a) {
      refuse();
      return tiled::FaceId();
    }
    const Side sides[3] = {join(a.index(), b.index()), join(b.index(), c.index()), join(c.index(), a.index())};
    return add_face_between({{a, b, c}}, sides);
  }
  /// Joins a new vertex to the whole boundary.
  TS_HD void fan(tiled::VertexId centre) {
    if (!centre.is_valid() || size() == 0) return;
    if (!work_->is_simple) return refuse();
    const Side opening = make_edge(tail(0).index(), centre.index());
    Side before = opening;
    for (std::uint32_t i = 0; i < size(); ++i) {
      const bool is_closing = i + 1 == size() && !is_open();
      const Side after = is_closing ? opening : make_edge(head(i).index(), centre.index());
      const Side sides[3] = {{edge(i).index(), i}, after, before};
      add_face_between({{tail(i), head(i), centre}}, sides);
      before = after;
    }
  }
  /// Joins vertex i of the boundary, which is one loop, to the others.
  TS_HD void fan_from(std::uint32_t i) {
    if (!work_->is_simple || is_open()) return refuse();
    const std::uint32_t n = size();
    Side before = {edge(i).index(), i};
    for (std::uint32_t k = 1; k + 1 < n; ++k) {
      const std::uint32_t at = (i + k) % n;
      const std::uint32_t last = (i + n - 1) % n;
      const Side after =
          k + 2 < n ? make_edge(head(at).index(), vertex(i).index()) : Side{edge(last).index(), last};
      const Side sides[3] = {before, {edge(at).index(), at}, after};
      add_face_between({{vertex(i), tail(at), head(at)}}, sides);
      before = after;
    }
  }

  /// Gives a new element the attributes of an old one of its kind.
  TS_HD void inherit(tiled::FaceId to, tiled::FaceId from) { copy(Kind::face, from.index(), to.index()); }
  TS_HD void inherit(tiled::EdgeId to, tiled::EdgeId from) { copy(Kind::edge, from.index(), to.index()); }

  /// Leaves everything as it is.
  TS_HD void refuse() {
    if (work_->outcome == CavityOutcome::won) work_->outcome = CavityOutcome::refused;
  }

  // New faces, for operators that look at what they made.
  [[nodiscard]] TS_HD std::uint32_t new_face_count() const { return work_->used[2]; }
  [[nodiscard]] TS_HD tiled::FaceId new_face(std::uint32_t i) const { return tiled::FaceId(fresh_face(i)); }
  [[nodiscard]] TS_HD ThreeOf<tiled::VertexId> vertices(tiled::FaceId f) const { return mesh_->vertices(f); }

  /// Ends the filling: are the fans around all vertices what they were?
  TS_HD void close() {
    if (work_->outcome != CavityOutcome::won) return;
    work_->is_regular = !work_->has_extra && work_->loop_count == 1 && !meets_lists() && fans_are_kept();
  }

 private:
  using Arrays = detail::EditArrays;
  /// A side of a new face: on which edge, and which one of the boundary that is.
  struct Side {
    std::uint32_t edge;
    std::uint32_t boundary;  ///< none: a new edge
  };

  [[nodiscard]] TS_HD std::size_t segment() const { return 3 * std::size_t{work_->face_begin}; }
  [[nodiscard]] TS_HD std::uint32_t half_edge(std::uint32_t i) const {
    return scratch_->boundary[segment() + i] & ~detail::reversed_bit;
  }
  [[nodiscard]] TS_HD bool is_reversed(std::uint32_t i) const {
    return (scratch_->boundary[segment() + i] & detail::reversed_bit) != 0;
  }
  [[nodiscard]] TS_HD std::uint32_t slot(std::uint32_t i) const {
    return scratch_->boundary_slot[segment() + i];
  }
  [[nodiscard]] TS_HD std::uint32_t fresh_face(std::uint32_t i) const {
    return scratch_->fresh[2][work_->first[2] + i];
  }
  [[nodiscard]] TS_HD std::uint32_t fresh_edge(std::uint32_t i) const {
    return scratch_->fresh[1][work_->first[1] + i];
  }

  TS_HD std::uint32_t take(Kind kind) {
    const auto k = static_cast<std::size_t>(kind);
    if (work_->used[k] == work_->room[k]) {
      if (work_->outcome == CavityOutcome::won) work_->outcome = CavityOutcome::overfull;
      return Arrays::none;
    }
    return scratch_->fresh[k][work_->first[k] + work_->used[k]++];
  }

  [[nodiscard]] TS_HD Side join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t* ends = scratch_->new_ends + 2 * std::size_t{work_->first[1]};
    for (std::uint32_t i = work_->used[1]; i-- > 0;) {
      const std::uint32_t p = ends[2 * std::size_t{i}];
      const std::uint32_t q = ends[2 * std::size_t{i} + 1];
      if ((p == a && q == b) || (p == b && q == a)) return {fresh_edge(i), Arrays::none};
    }
    for (std::uint32_t i = 0; i < size(); ++i) {
      const std::uint32_t at = next_hint_ + i < size() ? next_hint_ + i : next_hint_ + i - size();
      const std::uint32_t p = tail(at).index();
      const std::uint32_t q = head(at).index();
      if ((p != a || q != b) && (p != b || q != a)) continue;
      next_hint_ = at + 1 < size() ? at + 1 : 0;
      return {arrays_.edges[half_edge(at)], at};
    }
    return make_edge(a, b);
  }
  [[nodiscard]] TS_HD Side make_edge(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t place = work_->used[1];
    const std::uint32_t e = take(Kind::edge);
    if (e == Arrays::none) return {e, Arrays::none};
    std::uint32_t* ends = scratch_->new_ends + 2 * (std::size_t{work_->first[1]} + place);
    ends[0] = a;
    ends[1] = b;
    arrays_.sides[2 * std::size_t{e}] = arrays_.sides[2 * std::size_t{e} + 1] = Arrays::none;
    for_columns(Kind::edge, [e](const detail::Column& column) { column.clear(e); });
    return {e, Arrays::none};
  }

  TS_HD tiled::FaceId add_face_between(const ThreeOf<tiled::VertexId>& corners, const Side (&sides)[3]) {
    const std::uint32_t f = take(Kind::face);
    if (f == Arrays::none || work_->outcome != CavityOutcome::won) return tiled::FaceId();
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t h = 3 * f + k;
      const std::uint32_t v = corners[k].index();
      arrays_.corners[h] = v;
      arrays_.edges[h] = sides[k].edge;
      if (sides[k].boundary != Arrays::none) {
        std::uint32_t& there = scratch_->boundary_new[segment() + sides[k].boundary];
        if (there == Arrays::none) there = h;
        else work_->has_extra = true;
      } else {
        attach(sides[k].edge, h);
      }
      if (arrays_.handles[v] == Arrays::none && is_new(v)) arrays_.handles[v] = h;
    }
    scratch_->origins[1][f] = Arrays::none;
    if (work_->face_count != 0) copy(Kind::face, scratch_->faces[work_->face_begin], f);
    return tiled::FaceId(f);
  }
  TS_HD void attach(std::uint32_t e, std::uint32_t h) {
    std::uint32_t* both = arrays_.sides + 2 * std::size_t{e};
    if (both[0] == Arrays::none) both[0] = h;
    else if (both[1] == Arrays::none) both[1] = h;
    else work_->has_extra = true;
  }
  [[nodiscard]] TS_HD bool is_new(std::uint32_t v) const {
    for (std::uint32_t i = 0; i < work_->used[0]; ++i) {
      if (scratch_->fresh[0][work_->first[0] + i] == v) return true;
    }
    return false;
  }

  static constexpr std::uint32_t border = Arrays::none;
  static constexpr std::uint32_t full_turn = Arrays::removed;

  /// Walks the new faces around a vertex from one of them on and adds their number to `count`. Returns the edge
  /// of the boundary that it meets, `border`, or `full_turn`.
  [[nodiscard]] TS_HD std::uint32_t walk(detail::FanStep step, std::uint32_t vertex,
                                         std::uint32_t& count) const {
    const std::uint32_t start = step.at;
    for (;;) {
      ++count;
      const std::uint32_t leaves = step.leaves_by();
      const std::uint32_t* both = arrays_.sides + 2 * std::size_t{arrays_.edges[leaves]};
      if (both[0] != leaves && both[1] != leaves) return arrays_.edges[leaves];  // not linked yet: the boundary
      const std::uint32_t across = both[0] == leaves ? both[1] : both[0];
      if (across == Arrays::none) return border;
      step = step.enter(arrays_, across, vertex);
      if (step.at == start) return full_turn;
    }
  }
  /// Around the vertex at one end of a boundary edge, beginning at its new face.
  [[nodiscard]] TS_HD std::uint32_t walk_from(std::uint32_t i, tiled::VertexId v, std::uint32_t& count) const {
    const std::uint32_t h = scratch_->boundary_new[segment() + i];
    const bool begins_here = arrays_.corners[h] == v.index();
    const detail::FanStep step = {begins_here ? h : Arrays::next(h), begins_here};
    return walk(step, v.index(), count);
  }

  /// Is there an edge without faces, or an edge or a vertex of the boundary that has a list?
  [[nodiscard]] TS_HD bool meets_lists() const {
    for (std::uint32_t i = 0; i < work_->used[1]; ++i) {
      if (arrays_.sides[2 * std::size_t{fresh_edge(i)}] == Arrays::none) return true;
    }
    for (std::uint32_t i = 0; i < size(); ++i) {
      if ((slot(i) & ~detail::last_of_loop_bit) == detail::listed_slot) return true;
      if (has_list(tail(i).index()) || (is_open() && has_list(head(i).index()))) return true;
    }
    return false;
  }
  [[nodiscard]] TS_HD bool has_list(std::uint32_t v) const {
    const std::uint32_t handle = arrays_.handles[v];
    return handle < Arrays::removed && (handle & Arrays::listed) != 0;
  }

  /// Each piece of the boundary between two of its edges must be spanned by one fan, and each new vertex must
  /// have one. They are if walking along them meets all corners.
  [[nodiscard]] TS_HD bool fans_are_kept() const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (scratch_->boundary_new[segment() + i] == Arrays::none) return false;
      const bool is_end = is_open() && i + 1 == size();
      const std::uint32_t expected = is_end ? border : edge(i + 1 < size() ? i + 1 : 0).index();
      if (walk_from(i, head(i), count) != expected) return false;
    }
    if (is_open() && size() > 0 && walk_from(0, tail(0), count) != border) return false;
    for (std::uint32_t i = 0; i < work_->used[0]; ++i) {
      const std::uint32_t v = scratch_->fresh[0][work_->first[0] + i];
      const std::uint32_t h = arrays_.handles[v];
      if (h == Arrays::none) continue;
      const std::uint32_t met = walk({h, true}, v, count);
      if (met == full_turn) continue;
      --count;  // the first one is met again
      if (met != border || walk({h, false}, v, count) != border) return false;
    }
    return count == 3 * work_->used[2];
  }

  template <class F>
  TS_HD void for_columns(Kind kind, const F& f) const {
    for (std::uint32_t i = 0; i < scratch_->column_count; ++i) {
      if (scratch_->columns[i].kind == kind) f(scratch_->columns[i]);
    }
  }
  TS_HD void copy(Kind kind, std::uint32_t from, std::uint32_t to) const {
    for_columns(kind, [=](const detail::Column& column) { column.copy(from, to); });
  }
  const EditMesh* mesh_;
  detail::EditArrays arrays_;
  detail::CavityWork* work_;
  const detail::RoundScratch* scratch_;
  std::uint32_t next_hint_ = 0;
};

}  // namespace tessera
