// What a round of edits is made of: the outcome of a cavity, and the records that cavity.h, edit.h and the
// library share. Operators need only the first.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/core/random.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/edit_mesh.h>
#include <tessera/tile/relation.h>

namespace tessera {

/// What became of a cavity.
enum class CavityOutcome : std::uint8_t {
  none,           ///< nothing was declared
  won,            ///< its hole was filled
  lost,           ///< another one got one of its faces
  several_holes,  ///< its boundary is not one loop, or one chain between two borders
  open,           ///< it removes edges of the border, which was not allowed
  not_a_surface,  ///< it removes an edge of more than two faces, which was not allowed
  refused,        ///< by fill()
  repeats_edge,   ///< it would join two vertices that have an edge
  repeats_face,   ///< it would make a face between three vertices that have one
  overfull,       ///< fill() added more than was announced
  unclear,        ///< declare() named more than three elements, or of different kinds
};

/// The number of a set (cavity_sets.h).
using SetId = Id<struct CavitySetTag>;

namespace detail {

/// What declare() asked for. Records are aligned so that a device moves them in few pieces.
struct alignas(16) CavityRequest {
  static constexpr std::uint8_t listed = 255;  ///< as count: elements[0] to elements[1] of a list

  std::uint32_t elements[3] = {EditArrays::none, EditArrays::none, EditArrays::none};
  std::uint32_t seed = EditArrays::none;
  std::uint32_t new_vertices = 0;
  std::uint32_t more_faces = 0;
  float priority = 0;
  std::uint8_t kind = static_cast<std::uint8_t>(Kind::face);
  std::uint8_t count = 0;
  bool has_neighbours : 1 = false;  ///< those of the one element go, too
  bool may_be_open : 1 = false;
  bool may_be_any : 1 = false;
  bool is_unclear : 1 = false;

  [[nodiscard]] TS_HD bool removes(Kind of) const { return kind == static_cast<std::uint8_t>(of); }
};

/// A cavity that may win: what it removes, where its part of the round's scratch memory is, what was added.
struct alignas(16) CavityWork {
  std::uint64_t claim;
  std::uint32_t cavity;  ///< among the requests
  CavityOutcome outcome : 8;
  bool is_open : 1;
  bool is_simple : 1;   ///< one loop or chain that meets no vertex twice
  bool has_inner : 1;   ///< a vertex that stays lies inside
  bool is_regular : 1;  ///< the fans of all vertices are what they were, and there are no lists
  bool has_extra : 1;   ///< an edge has more faces than it has places
  bool is_fan : 1;      ///< it was filled by one fan and nothing else
  std::uint32_t face_begin;
  std::uint32_t face_count;
  std::uint32_t boundary_count;
  std::uint32_t edge_count;  ///< that are removed
  std::uint32_t loop_count;
  std::uint32_t room[3];  ///< for new vertices, edges, faces
  std::uint32_t used[3];
  std::uint32_t fresh[3];   ///< where its fresh ids begin among those of the round
  std::uint32_t staged[2];  ///< where its new edges and faces begin among those of the round

  /// How many fresh ids it may need: new edges and faces take the places of removed ones first.
  [[nodiscard]] TS_HD std::uint32_t fresh_count(std::uint32_t kind) const {
    const std::uint32_t own = kind == 0 ? 0 : kind == 1 ? edge_count : face_count;
    return room[kind] > own ? room[kind] - own : 0;
  }
  /// Do its new elements fit into the places of its removed faces, and have their ids?
  [[nodiscard]] TS_HD bool is_lean() const {
    return room[0] == 0 && room[1] <= edge_count && room[1] <= face_count && room[2] <= face_count;
  }
  TS_HD void take(const Sums<5>& places);
};

/// An edge of a boundary. The records of a cavity also list the edges it removes, from the end on.
struct alignas(16) BoundaryEdge {
  std::uint32_t half_edge;  ///< of a removed face, with reversed_bit; or a removed edge
  std::uint32_t slot;       ///< its place among the sides, with bits
  std::uint32_t made;       ///< the new half-edge there, counted within the cavity
  std::uint32_t tail;       ///< the vertex where it begins
};
struct alignas(8) NewFace {
  std::uint32_t corners[3];
  std::uint32_t edges[3];  ///< new ones of the cavity, or edges of its boundary
};
struct alignas(16) NewEdge {
  std::uint32_t ends[2];
  std::uint32_t sides[2];  ///< new half-edges, counted within the cavity
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
  std::byte* staged = nullptr;   ///< values of new edges or faces, until the commit
  std::uint32_t width = 0;       ///< bytes of a value
  std::uint32_t components = 0;  ///< floating-point numbers that are blended; 0: values are copied
  Kind kind = Kind::vertex;
  bool is_double = false;

  TS_HD void clear(std::byte* to) const {
    for (std::size_t i = 0; i < width; ++i) to[i] = std::byte{0};
  }
  TS_HD void copy(const std::byte* from, std::byte* to) const {
    for (std::size_t i = 0; i < width; ++i) to[i] = from[i];
  }
  [[nodiscard]] TS_HD std::byte* at(std::size_t id) const { return data + id * width; }
  [[nodiscard]] TS_HD std::byte* staged_at(std::size_t place) const { return staged + place * width; }
};

/// The value a + s (b - a) + t (c - a).
struct Blend {
  std::uint32_t of[3];
  double s;
  double t;

  TS_HD void write(const Column& column, std::size_t to) const {
    if (t == 0 && (s == 0 || s == 1)) {  // exactly, also where numbers are infinite
      column.copy(column.at(of[s == 0 ? 0 : 1]), column.at(to));
    } else if (column.components == 0) {
      const double first = 1 - s - t;
      column.copy(column.at(first >= s && first >= t ? of[0] : s >= t ? of[1] : of[2]), column.at(to));
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

/// Scratch memory of a round. The segments of a cavity begin at face_begin, at 3 * face_begin, and at
/// staged. New half-edges are counted within a cavity until it is committed.
struct RoundScratch {
  std::uint32_t* faces = nullptr;  ///< that are removed
  BoundaryEdge* boundary = nullptr;
  NewFace* new_faces = nullptr;
  NewEdge* new_edges = nullptr;
  FreshIds fresh[3];
  const Column* columns = nullptr;
  std::uint32_t column_count = 0;
};

/// Sets of elements that cavities remove (cavity_sets.h): those of set i, ascending, from offsets[i] on.
struct SetLists {
  Kind kind = Kind::face;
  const std::uint32_t* offsets = nullptr;
  const std::uint32_t* elements = nullptr;
};

/// Sets that are the candidates of an edit.
struct EditSets {
  SetLists lists;
  std::uint32_t count = 0;
};

/// The elements that a cavity names, each once: one to three, one with its neighbours, or a set.
class NamedElements {
 public:
  TS_HD NamedElements(const EditMesh& mesh, const SetLists& sets, const CavityRequest& request)
      : mesh_(&mesh), sets_(&sets), request_(&request) {}

  template <class F>
  TS_HD void for_each(const F& f) const {
    if (request_->count == CavityRequest::listed) {
      for (std::uint32_t i = request_->elements[0]; i < request_->elements[1]; ++i) f(sets_->elements[i]);
      return;
    }
    if (request_->has_neighbours) for_each_neighbour(f);
    for (std::uint32_t k = 0; k < request_->count; ++k) {
      if (!is_met_before(k)) f(request_->elements[k]);
    }
  }
  [[nodiscard]] TS_HD bool contains(std::uint32_t element) const {
    if (request_->count == CavityRequest::listed) return is_listed(element);
    for (std::uint32_t k = 0; k < request_->count; ++k) {
      if (request_->elements[k] == element) return true;
    }
    return request_->has_neighbours && is_neighbour(element);
  }
  [[nodiscard]] TS_HD bool are_there() const {
    if (request_->count != CavityRequest::listed) {  // neighbours of what is there are there
      for (std::uint32_t k = 0; k < request_->count; ++k) {
        if (!is_there(request_->elements[k])) return false;
      }
      return true;
    }
    bool all = true;
    for_each([&](std::uint32_t id) { all = all && is_there(id); });
    return all;
  }
  /// Calls f(face) for each face that contains one of them, once.
  template <class F>
  TS_HD void for_each_face(const F& f) const {
    const EditArrays& arrays = mesh_->arrays();
    const bool are_few = request_->count != CavityRequest::listed && !request_->has_neighbours;
    if (are_few && request_->count == 1) return for_each_face_of(request_->elements[0], f);
    for_each([&](std::uint32_t element) {
      for_each_face_of(element, [&](std::uint32_t face) {
        const bool is_vertex = request_->removes(Kind::vertex);
        if (is_vertex || request_->removes(Kind::edge)) {
          const std::uint32_t* three = (is_vertex ? arrays.corners : arrays.edges) + 3 * std::size_t{face};
          for (std::uint32_t k = 0; k < 3 && three[k] != element; ++k) {
            if (contains(three[k])) return;  // met from there
          }
        }
        f(face);
      });
    });
  }

 private:
  [[nodiscard]] TS_HD bool is_there(std::uint32_t id) const {
    return request_->removes(Kind::vertex) ? mesh_->contains(tiled::VertexId(id))
           : request_->removes(Kind::edge) ? mesh_->contains(tiled::EdgeId(id))
                                           : mesh_->contains(tiled::FaceId(id));
  }
  [[nodiscard]] TS_HD bool is_met_before(std::uint32_t k) const {
    for (std::uint32_t i = 0; i < k; ++i) {
      if (request_->elements[i] == request_->elements[k]) return true;
    }
    return false;
  }
  template <class F>
  TS_HD void for_each_face_of(std::uint32_t element, const F& f) const {
    if (request_->removes(Kind::vertex)) {
      for (const tiled::FaceId face : mesh_->faces(tiled::VertexId(element))) f(face.index());
    } else if (request_->removes(Kind::edge)) {
      for (const tiled::FaceId face : mesh_->faces(tiled::EdgeId(element))) f(face.index());
    } else {
      f(element);
    }
  }
  /// Those of the first element, each once.
  template <class F>
  TS_HD void for_each_neighbour(const F& f) const {
    const std::uint32_t of = request_->elements[0];
    if (request_->removes(Kind::vertex)) {
      std::uint32_t place = 0;
      for (const tiled::VertexId v : mesh_->neighbours(tiled::VertexId(of))) {
        if (is_first_at(of, place++)) f(v.index());
      }
    } else if (request_->removes(Kind::edge)) {
      const EdgeEnds ends = mesh_->ends(tiled::EdgeId(of));
      for (const tiled::EdgeId e : mesh_->edges(ends.from)) {
        if (e.index() != of) f(e.index());
      }
      for (const tiled::EdgeId e : mesh_->edges(ends.to)) {
        const EdgeEnds its = mesh_->ends(e);
        if (e.index() != of && its.from != ends.from && its.to != ends.from) f(e.index());
      }
    } else {
      for (std::uint32_t k = 0; k < 3; ++k) {
        for (const tiled::FaceId face : mesh_->faces(mesh_->edges(tiled::FaceId(of))[k])) {
          if (face.index() != of && first_shared_edge(of, face.index()) == k) f(face.index());
        }
      }
    }
  }
  /// Is the neighbour of a vertex at this place of the row not at an earlier one, too? (Double edges.)
  [[nodiscard]] TS_HD bool is_first_at(std::uint32_t of, std::uint32_t place) const {
    std::uint32_t at = 0;
    std::uint32_t it = EditArrays::none;
    for (const tiled::VertexId v : mesh_->neighbours(tiled::VertexId(of))) {
      if (at++ == place) it = v.index();
    }
    at = 0;
    for (const tiled::VertexId v : mesh_->neighbours(tiled::VertexId(of))) {
      if (at++ == place) return true;
      if (v.index() == it) return false;
    }
    return true;
  }
  /// Which edge of a face is the first that another one has, too? 3: none.
  [[nodiscard]] TS_HD std::uint32_t first_shared_edge(std::uint32_t of, std::uint32_t other) const {
    const auto mine = mesh_->edges(tiled::FaceId(of));
    const auto its = mesh_->edges(tiled::FaceId(other));
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (mine[k] == its[0] || mine[k] == its[1] || mine[k] == its[2]) return k;
    }
    return 3;
  }
  [[nodiscard]] TS_HD bool is_neighbour(std::uint32_t element) const {
    const std::uint32_t of = request_->elements[0];
    if (request_->removes(Kind::vertex))
      return mesh_->find_edge(tiled::VertexId(of), tiled::VertexId(element)).is_valid();
    if (request_->removes(Kind::face)) return first_shared_edge(of, element) != 3;
    const EdgeEnds mine = mesh_->ends(tiled::EdgeId(of));
    const EdgeEnds its = mesh_->ends(tiled::EdgeId(element));
    return mine.from == its.from || mine.from == its.to || mine.to == its.from || mine.to == its.to;
  }
  [[nodiscard]] TS_HD bool is_listed(std::uint32_t element) const {
    std::uint32_t low = request_->elements[0];
    std::uint32_t high = request_->elements[1];
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (sets_->elements[middle] == element) return true;
      if (sets_->elements[middle] < element)
        low = middle + 1;
      else
        high = middle;
    }
    return false;
  }

  const EditMesh* mesh_;
  const SetLists* sets_;
  const CavityRequest* request_;
};

/// Places of the counters of a round. The first are of cavities that won their faces and still failed, by
/// outcome.
enum RoundCounter : std::uint32_t {
  chord_loser_counter = 11,  ///< cavities that lost a pair of vertices to another one
  irregular_counter = 12,    ///< cavities whose vertices need a closer look after the commit
  loser_counter = 13,        ///< cavities that did not get their faces
  winner_counter = 14,       ///< cavities that did
  face_counter = 15,         ///< that they remove
  room_counter = 16,         ///< for new vertices, edges and faces, edges and faces with fresh ids (Room)
  fresh_counter = 21,        ///< not 0: a cavity may need ids besides those that it removes
  freed_counter = 22,        ///< ids that are given back: vertices, edges, faces
  next_counter = 25,         ///< candidates of the next pass
  short_counter = 26,        ///< Shortage
  given_counter = 27,        ///< not 0: a cavity gives ids back
  round_counters = 28,
};
/// Why nothing was changed: for what there was too little memory, or that candidates are not in order.
enum Shortage : std::uint32_t {
  short_of_room = 1,
  short_of_chords = 2,
  short_of_freed = 4,
  not_ascending = 8,
};
/// What the sums of room are of.
enum Room : std::uint32_t { new_vertices, staged_edges, staged_faces, fresh_edges, fresh_faces };

inline TS_HD void CavityWork::take(const Sums<5>& places) {
  fresh[0] = places.at[new_vertices];
  fresh[1] = places.at[fresh_edges];
  fresh[2] = places.at[fresh_faces];
  staged[0] = places.at[staged_edges];
  staged[1] = places.at[staged_faces];
}

/// *from while others may write.
[[nodiscard]] inline TS_HD std::uint64_t load_relaxed(std::uint64_t* from) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<volatile std::uint64_t*>(from);
#else
  return std::atomic_ref<std::uint64_t>(*from).load(std::memory_order_relaxed);
#endif
}
/// *to = value while others may write, too.
inline TS_HD void store_relaxed(std::uint64_t* to, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<volatile std::uint64_t*>(to) = value;
#else
  std::atomic_ref<std::uint64_t>(*to).store(value, std::memory_order_relaxed);
#endif
}

inline TS_HD void store_relaxed(std::uint32_t* to, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<volatile std::uint32_t*>(to) = value;
#else
  std::atomic_ref<std::uint32_t>(*to).store(value, std::memory_order_relaxed);
#endif
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

/// *counter += n while others may do so, too. Returns what it was.
inline TS_HD std::uint32_t add_to(std::uint32_t* counter, std::uint32_t n) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(counter, n);
#else
  return std::atomic_ref<std::uint32_t>(*counter).fetch_add(n, std::memory_order_relaxed);
#endif
}

/// A new edge between two vertices, and the highest claim on it.
struct ChordEntry {
  std::uint64_t key;  ///< 0: free
  std::uint64_t claim;
};
/// A hash table from pairs of vertices to the highest claim on them. Its size is a power of two.
struct ChordTable {
  static constexpr std::uint32_t most_probes = 256;  ///< a table that is not too small needs few

  ChordEntry* entries = nullptr;
  std::uint32_t size = 0;

  [[nodiscard]] static TS_HD std::uint32_t size_for(std::size_t pairs) {
    std::uint32_t size = 2;
    while (size < 2 * pairs && size < 0x80000000u) size *= 2;
    return size;
  }
  /// The entry of a pair, b > 0, which is put there if it is new; null: the table is too small.
  [[nodiscard]] TS_HD ChordEntry* at(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    std::uint64_t place = splitmix64(key);
    for (std::uint32_t i = 0; i < most_probes; ++i, ++place) {
      ChordEntry* entry = entries + (place & (size - 1));
      const std::uint64_t there = put(&entry->key, key);
      if (there == 0 || there == key) return entry;
    }
    return nullptr;
  }

 private:
  static TS_HD std::uint64_t put(std::uint64_t* to, std::uint64_t key) {
#if defined(__CUDA_ARCH__)
    return atomicCAS(reinterpret_cast<unsigned long long*>(to), 0ull, static_cast<unsigned long long>(key));
#else
    std::uint64_t seen = std::atomic_ref<std::uint64_t>(*to).load(std::memory_order_relaxed);
    if (seen == 0)
      std::atomic_ref<std::uint64_t>(*to).compare_exchange_strong(seen, key, std::memory_order_relaxed);
    return seen;
#endif
  }
};

/// *to |= bits while others may do so, too.
inline TS_HD void raise_bits(std::uint32_t* to, std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(to, bits);
#else
  std::atomic_ref<std::uint32_t>(*to).fetch_or(bits, std::memory_order_relaxed);
#endif
}

/// How much memory a round has, in the units of the counters.
struct RoundMemory {
  std::uint32_t winners = 0;
  std::uint32_t faces = 0;
  Sums<5> room;
  Sums<3> freed;

  /// For new edges and new faces alike.
  [[nodiscard]] TS_HD std::uint32_t staged() const {
    return room.at[staged_edges] < room.at[staged_faces] ? room.at[staged_edges] : room.at[staged_faces];
  }
};

/// What a round is made of, for the loops of edit.h and of the library. Loops over winners run up to a bound,
/// so that nobody has to wait for their number.
struct RoundView {
  static constexpr std::uint8_t out_of_order = 2;

  EditMesh mesh;
  SetLists sets;
  std::uint64_t* claims = nullptr;  ///< of each face: the highest that wants it, in the newest round
  const std::uint32_t* candidates = nullptr;  ///< null: all from `first` on
  std::uint32_t first = 0;
  std::uint32_t id_end = 0;             ///< of the seeds' kind
  std::uint8_t* is_declared = nullptr;  ///< of each candidate; or out_of_order
  std::uint8_t* next = nullptr;         ///< of each element of the kind: is it a candidate of a later round?
  std::uint8_t* outcomes = nullptr;     ///< of the seeds below outcome_end
  std::uint32_t outcome_end = 0;
  std::uint32_t salt = 0;
  std::uint32_t number = 0;  ///< 1 to 4095
  bool keeps_edges_unique = true;
  bool are_disjoint = false;
  bool skips_freed = false;  ///< nobody is expected to give ids back; who does is short of memory for them
  /// Nobody is expected to need fresh ids, so that new edges and faces are staged where the removed faces are
  /// listed; who does need them is short of room.
  bool is_lean = false;
  bool claims_chords = false;    ///< the filling does
  bool resolves_chords = false;  ///< the commit does
  bool seeds_are_vertices = false;
  CavityRequest* requests = nullptr;       ///< of the candidates that declared cavities
  const std::uint32_t* winners = nullptr;  ///< among them
  CavityWork* works = nullptr;             ///< of the winners
  const Sums<5>* places = nullptr;         ///< where the room of each winner begins
  std::uint32_t* chord_counts = nullptr;   ///< of the winners
  ChordTable chords;
  std::uint32_t bound = 0;            ///< of the number of winners
  std::uint32_t* counters = nullptr;  ///< RoundCounter
  RoundMemory memory;
  RoundScratch scratch;

  [[nodiscard]] TS_HD bool is_winner(std::size_t i) const {
    return i < counters[winner_counter] && (shortage() & (short_of_room | not_ascending)) == 0;
  }
  /// Others may be adding to it, bits that the reader does not look at.
  [[nodiscard]] TS_HD std::uint32_t shortage() const {
#if defined(__CUDA_ARCH__)
    return counters[short_counter];
#else
    return std::atomic_ref<std::uint32_t>(counters[short_counter]).load(std::memory_order_relaxed);
#endif
  }
  TS_HD void be_short_of(Shortage of) const {
    raise_bits(counters + short_counter, of);
  }
  /// Is there room for what all winners add?
  [[nodiscard]] TS_HD bool has_room() const {
    if (is_lean) return true;  // or who has none is no winner
    bool fits = true;
    for (std::uint32_t k = 0; k < 5; ++k) fits = fits && places[bound].at[k] <= memory.room.at[k];
    return fits;
  }
  /// The ids that a cavity gives back: what it removes and does not use, and room that it does not use.
  [[nodiscard]] TS_HD Sums<3> freed_by(const CavityWork& work) const {
    const bool won = work.outcome == CavityOutcome::won;
    const CavityRequest& request = requests[work.cavity];
    std::uint32_t vertices = 0;
    if (won && request.removes(Kind::vertex)) named(request).for_each([&](std::uint32_t) { ++vertices; });
    return {{work.room[0] + (won ? vertices - work.used[0] : 0),
             work.fresh_count(1) + (won ? work.edge_count - work.used[1] : 0),
             work.fresh_count(2) + (won ? work.face_count - work.used[2] : 0)}};
  }
  [[nodiscard]] TS_HD bool gives_back(const CavityWork& work) const {
    const Sums<3> freed = freed_by(work);
    return (freed.at[0] | freed.at[1] | freed.at[2]) != 0;
  }
  [[nodiscard]] TS_HD NamedElements named(const CavityRequest& request) const {
    return {mesh, sets, request};
  }
  TS_HD void report(std::uint32_t seed, CavityOutcome outcome) const {
    if (seed < outcome_end) outcomes[seed] = static_cast<std::uint8_t>(outcome);
  }
  [[nodiscard]] TS_HD std::uint32_t candidate(std::size_t i) const {
    return candidates != nullptr ? candidates[i] : first + static_cast<std::uint32_t>(i);
  }
  /// Higher than those of earlier rounds; then by priority; then by a hash, which no two seeds share.
  [[nodiscard]] TS_HD std::uint64_t claim(std::uint32_t seed, float priority) const {
    std::uint32_t hash = seed ^ salt;
    hash = (hash ^ (hash >> 16)) * 0x7FEB352Du;
    hash = (hash ^ (hash >> 15)) * 0x846CA68Bu;
    hash ^= hash >> 16;
    auto bits = priority == priority ? std::bit_cast<std::uint32_t>(priority) : 0;  // NaN: as 0
    bits = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    return std::uint64_t{number} << 52 | std::uint64_t{bits >> 12} << 32 | hash;
  }
};

inline constexpr std::uint32_t reversed_bit = 0x80000000u;      ///< of a half-edge that is passed backward
inline constexpr std::uint32_t last_of_loop_bit = 0x80000000u;  ///< of a slot
inline constexpr std::uint32_t listed_bit = 0x40000000u;        ///< of a slot: the edge has a list of sides
inline constexpr std::uint32_t slot_mask = 0x3FFFFFFFu;
inline constexpr std::uint32_t of_boundary_bit = 0x80000000u;  ///< of an edge of a new face

/// Where new elements of a cavity will be.
struct NewIds {
  const CavityWork& work;
  const RoundScratch& scratch;

  [[nodiscard]] TS_HD std::uint32_t vertex(std::uint32_t i) const {
    return scratch.fresh[0][work.fresh[0] + i];
  }
  [[nodiscard]] TS_HD std::uint32_t edge(std::uint32_t i) const {
    if (i >= work.edge_count) return scratch.fresh[1][work.fresh[1] + i - work.edge_count];
    return scratch.boundary[3 * (std::size_t{work.face_begin} + work.face_count) - 1 - i].half_edge;
  }
  [[nodiscard]] TS_HD std::uint32_t face(std::uint32_t i) const {
    if (i >= work.face_count) return scratch.fresh[2][work.fresh[2] + i - work.face_count];
    return scratch.faces[work.face_begin + i];
  }
  [[nodiscard]] TS_HD std::uint32_t half_edge(std::uint32_t h) const { return 3 * face(h / 3) + h % 3; }
};

}  // namespace detail

}  // namespace tessera
