// The loops of a round of edits that do not depend on the operator, in their order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/random.h>
#include <tessera/generate/detail/common/small_sort.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/edit_mesh.h>

namespace tessera::detail {

/// Places of the counters of a round: cavities that won their faces and still failed, by outcome.
inline constexpr std::size_t round_counters = 16;
/// Cavities whose vertices need a closer look after the commit.
inline constexpr std::size_t irregular_counter = 15;

inline TS_HD void count_one(std::uint32_t* counter) {
#if defined(__CUDA_ARCH__)
  atomicAdd(counter, 1u);
#else
  std::atomic_ref<std::uint32_t>(*counter).fetch_add(1, std::memory_order_relaxed);
#endif
}
inline TS_HD std::uint32_t load_relaxed(std::uint32_t* from) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<volatile std::uint32_t*>(from);
#else
  return std::atomic_ref<std::uint32_t>(*from).load(std::memory_order_relaxed);
#endif
}
inline TS_HD void store_relaxed(std::uint32_t* to, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<volatile std::uint32_t*>(to) = value;
#else
  std::atomic_ref<std::uint32_t>(*to).store(value, std::memory_order_relaxed);
#endif
}
/// Sets a flag that others may set, too.
inline TS_HD void raise(std::uint8_t* flag) {
#if defined(__CUDA_ARCH__)
  *flag = 1;
#else
  std::atomic_ref<std::uint8_t>(*flag).store(1, std::memory_order_relaxed);
#endif
}

struct FlagWinners {
  const CavityWork* works;
  std::uint8_t* flags;
  TS_HD void operator()(std::size_t i) const { flags[i] = works[i].outcome == CavityOutcome::won ? 1 : 0; }
};

struct CountFaces {
  const CavityWork* works;
  const std::uint32_t* winners;
  std::uint32_t* counts;
  TS_HD void operator()(std::size_t i) const { counts[i] = works[winners[i]].face_count; }
};

/// The shape of one cavity: which edges go with its faces, and the boundary of those that stay.
class CavityShape {
 public:
  TS_HD CavityShape(const RoundView& round, CavityWork& work) : round_(&round), work_(&work) {}

  TS_HD void find() {
    const RoundScratch& scratch = round_->scratch;
    std::uint32_t* faces = scratch.faces + work_->face_begin;
    std::uint32_t count = 0;
    for_each_removed_face(round_->mesh, work_->request, [&](std::uint32_t face) { faces[count++] = face; });
    sort_out_edges();
    if (removes_list_ && !work_->request.may_be_any) return fail(CavityOutcome::not_a_surface);
    order_boundary();
    if (work_->outcome != CavityOutcome::won) return;
    if (work_->is_open && !work_->request.may_be_open) return fail(CavityOutcome::open);
    work_->is_simple = work_->loop_count == 1 && meets_no_vertex_twice();
    // A cavity without faces is that of an isolated vertex.
    if (!work_->is_simple && !work_->request.may_be_any && work_->face_count != 0)
      return fail(CavityOutcome::several_holes);
    find_room();
  }

 private:
  struct Entry {
    std::uint32_t half_edge;
    bool is_reversed;
  };

  [[nodiscard]] TS_HD const EditArrays& mesh() const { return round_->mesh.arrays(); }
  [[nodiscard]] TS_HD std::size_t segment() const { return 3 * std::size_t{work_->face_begin}; }
  [[nodiscard]] TS_HD bool is_mine(std::uint32_t h) const { return round_->claims[h / 3] == work_->claim; }
  TS_HD void fail(CavityOutcome outcome) { work_->outcome = outcome; }

  [[nodiscard]] TS_HD bool is_named(std::uint32_t element) const {
    for (std::uint32_t i = 0; i < work_->request.count; ++i) {
      if (work_->request.elements[i] == element) return true;
    }
    return false;
  }
  /// Does the edge of a half-edge of a removed face go?
  [[nodiscard]] TS_HD bool is_removed(std::uint32_t h) const {
    const std::uint32_t e = mesh().edges[h];
    if (work_->request.kind == Kind::edge && is_named(e)) return true;
    if (work_->request.kind == Kind::vertex &&
        (is_named(mesh().corners[h]) || is_named(mesh().corners[EditArrays::next(h)])))
      return true;
    if (!mesh().is_listed(e)) {
      const std::uint32_t across = mesh().across(h);
      return across != EditArrays::none && is_mine(across);
    }
    for (SideIterator side(mesh(), e); side != RangeEnd{}; ++side) {
      if (!is_mine((*side).index())) return false;
    }
    return true;
  }

  /// Counts edges of the boundary, and lists those that are removed from the end of the segment on.
  TS_HD void sort_out_edges() {
    const std::uint32_t* faces = round_->scratch.faces + work_->face_begin;
    std::uint32_t* last = round_->scratch.boundary + segment() + 3 * std::size_t{work_->face_count};
    for (std::uint32_t i = 0; i < work_->face_count; ++i) {
      for (std::uint32_t h = 3 * faces[i]; h < 3 * faces[i] + 3; ++h) {
        if (!is_removed(h)) {
          if (work_->boundary_count++ == 0) start_ = h;
          continue;
        }
        const std::uint32_t e = mesh().edges[h];
        if (mesh().first_side(e) != h) continue;
        if (mesh().is_listed(e)) removes_list_ = true;
        *--last = e;
        ++work_->edge_count;
      }
    }
    if (work_->request.kind == Kind::edge && work_->boundary_count != 0) {
      const std::uint32_t h = EditArrays::next(mesh().first_side(work_->request.elements[0]));
      if (!is_removed(h)) start_ = h;
    }
  }

  /// Turns around a vertex inside the cavity to the next edge that stays; false at a border.
  [[nodiscard]] TS_HD bool turn(FanStep step, std::uint32_t vertex, std::uint32_t& half_edge,
                                bool& left_backward) const {
    for (std::uint32_t i = 0; i <= work_->face_count; ++i) {
      half_edge = step.leaves_by();
      left_backward = step.leaves_backward;
      if (!is_removed(half_edge)) return true;
      const std::uint32_t across = mesh().across(half_edge);
      if (across == EditArrays::none) return false;
      step = step.enter(mesh(), across, vertex);
    }
    return false;
  }
  [[nodiscard]] TS_HD bool go_forward(Entry& entry) const {
    const std::uint32_t h = entry.half_edge;
    const std::uint32_t corner = entry.is_reversed ? h : EditArrays::next(h);
    bool left_backward = false;
    const FanStep step = {corner, entry.is_reversed};
    if (!turn(step, mesh().corners[corner], entry.half_edge, left_backward)) return false;
    entry.is_reversed = left_backward;
    return true;
  }
  [[nodiscard]] TS_HD bool go_back(Entry& entry) const {
    const std::uint32_t h = entry.half_edge;
    const std::uint32_t corner = entry.is_reversed ? EditArrays::next(h) : h;
    bool left_backward = false;
    const FanStep step = {corner, !entry.is_reversed};
    if (!turn(step, mesh().corners[corner], entry.half_edge, left_backward)) return false;
    entry.is_reversed = !left_backward;
    return true;
  }

  TS_HD void write(std::uint32_t place, Entry entry) const {
    const std::uint32_t h = entry.half_edge;
    const std::uint32_t e = mesh().edges[h];
    const RoundScratch& scratch = round_->scratch;
    scratch.boundary[segment() + place] = h | (entry.is_reversed ? reversed_bit : 0);
    scratch.boundary_slot[segment() + place] =
        mesh().is_listed(e) ? listed_slot : 2 * e + (mesh().sides[2 * std::size_t{e}] == h ? 0 : 1);
    scratch.boundary_new[segment() + place] = EditArrays::none;
  }

  /// Writes a loop or a chain from place on; returns the place after it.
  [[nodiscard]] TS_HD std::uint32_t follow(std::uint32_t start, std::uint32_t place) {
    const std::uint32_t most = work_->boundary_count;
    Entry entry = {start, false};
    bool is_open = true;
    std::uint32_t end = place;
    while (end < most) {
      write(end++, entry);
      if (!go_forward(entry)) break;
      is_open = entry.half_edge != start;
      if (!is_open) break;
    }
    if (is_open) {  // from its beginning
      entry = {start, false};
      Entry first = entry;
      for (std::uint32_t i = 0; i < most && go_back(entry); ++i) first = entry;
      entry = first;
      end = place;
      while (end < most) {
        write(end++, entry);
        if (!go_forward(entry)) break;
      }
      work_->is_open = true;
    }
    round_->scratch.boundary_slot[segment() + end - 1] |= last_of_loop_bit;
    ++work_->loop_count;
    return end;
  }

  TS_HD void order_boundary() {
    if (work_->boundary_count == 0) return;
    std::uint32_t done = follow(start_, 0);
    if (done == work_->boundary_count) return;
    if (!work_->request.may_be_any) return fail(CavityOutcome::several_holes);
    const std::uint32_t* faces = round_->scratch.faces + work_->face_begin;
    for (std::uint32_t i = 0; i < 3 * work_->face_count && done < work_->boundary_count; ++i) {
      const std::uint32_t h = 3 * faces[i / 3] + i % 3;
      if (!is_removed(h) && !is_written(h, done)) done = follow(h, done);
    }
  }
  [[nodiscard]] TS_HD bool is_written(std::uint32_t h, std::uint32_t done) const {
    for (std::uint32_t i = 0; i < done; ++i) {
      if ((round_->scratch.boundary[segment() + i] & ~reversed_bit) == h) return true;
    }
    return false;
  }

  [[nodiscard]] TS_HD bool meets_no_vertex_twice() const {
    std::uint32_t* vertices = round_->scratch.boundary_new + segment();
    const std::uint32_t n = work_->boundary_count;
    const Hole hole(round_->mesh, *work_, round_->scratch);
    for (std::uint32_t i = 0; i < n; ++i) vertices[i] = hole.tail(i).index();
    sort_few(vertices, vertices + n);
    bool is_simple = true;
    const std::uint32_t last = work_->is_open ? hole.head(n - 1).index() : EditArrays::none;
    for (std::uint32_t i = 0; i < n; ++i) {
      if ((i > 0 && vertices[i] == vertices[i - 1]) || vertices[i] == last) is_simple = false;
    }
    for (std::uint32_t i = 0; i < n; ++i) vertices[i] = EditArrays::none;
    return is_simple;
  }

  /// As many faces and edges as triangulations of a disc with more holes have (Euler).
  TS_HD void find_room() const {
    const CavityRequest& request = work_->request;
    const std::uint32_t vertices = request.new_vertices;
    const std::uint32_t bound = work_->boundary_count + (work_->is_open ? 1 : 0);
    const std::uint32_t loops = work_->loop_count;
    const std::uint32_t faces = 2 * vertices + bound + 2 * loops;
    const std::uint32_t edges = 3 * vertices + bound + 3 * loops + (work_->is_open ? 1 : 0);
    work_->room[0] = vertices;
    work_->room[1] = (edges > 6 ? edges - 6 : 0) + 3 * request.more_faces;
    work_->room[2] = (faces > 4 ? faces - 4 : 0) + request.more_faces;
  }

  const RoundView* round_;
  CavityWork* work_;
  std::uint32_t start_ = 0;
  bool removes_list_ = false;
};

struct ShapeCavities {
  RoundView round;
  const std::uint32_t* face_begins;
  std::uint32_t* vertex_room;
  std::uint64_t* other_room;  ///< edges in the high half, faces in the low

  TS_HD void operator()(std::size_t i) const {
    CavityWork& work = round.works[round.winners[i]];
    work.face_begin = face_begins[i];
    CavityShape(round, work).find();
    vertex_room[i] = work.room[0];
    other_room[i] = std::uint64_t{work.room[1]} << 32 | work.room[2];
  }
};

/// Tells each winner where its new elements begin.
struct PlaceRoom {
  RoundView round;
  const std::uint32_t* vertex_first;
  const std::uint64_t* other_first;

  TS_HD void operator()(std::size_t i) const {
    CavityWork& work = round.works[round.winners[i]];
    work.first[0] = vertex_first[i];
    work.first[1] = static_cast<std::uint32_t>(other_first[i] >> 32);
    work.first[2] = static_cast<std::uint32_t>(other_first[i]);
  }
};

/// The new edges of a cavity between two vertices that were there before.
class Chords {
 public:
  TS_HD Chords(const RoundView& round, const CavityWork& work) : round_(&round), work_(&work) {}

  /// Calls f(a, b), a < b.
  template <class F>
  TS_HD void for_each(const F& f) const {
    const std::uint32_t* ends = round_->scratch.new_ends + 2 * std::size_t{work_->first[1]};
    for (std::uint32_t i = 0; i < work_->used[1]; ++i) {
      const std::uint32_t a = ends[2 * std::size_t{i}];
      const std::uint32_t b = ends[2 * std::size_t{i} + 1];
      if (is_new(a) || is_new(b)) continue;
      f(a < b ? a : b, a < b ? b : a);
    }
  }
  /// Are they joined already, by an edge that stays?
  [[nodiscard]] TS_HD bool is_joined(std::uint32_t a, std::uint32_t b) const {
    const tiled::EdgeId e = round_->mesh.find_edge(tiled::VertexId(a), tiled::VertexId(b));
    if (!e.is_valid()) return false;
    const std::uint32_t* removed =
        round_->scratch.boundary + 3 * (std::size_t{work_->face_begin} + work_->face_count) - work_->edge_count;
    for (std::uint32_t i = 0; i < work_->edge_count; ++i) {
      if (removed[i] == e.index()) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] TS_HD bool is_new(std::uint32_t v) const {
    for (std::uint32_t i = 0; i < work_->used[0]; ++i) {
      if (round_->scratch.fresh[0][work_->first[0] + i] == v) return true;
    }
    return false;
  }

  const RoundView* round_;
  const CavityWork* work_;
};

/// Refuses cavities that would repeat an edge of the mesh, and counts the chords of the others.
struct CheckChords {
  RoundView round;
  std::uint32_t* counts;

  TS_HD void operator()(std::size_t i) const {
    CavityWork& work = round.works[round.winners[i]];
    counts[i] = 0;
    if (work.outcome != CavityOutcome::won) return;
    const Chords chords(round, work);
    bool is_repeated = false;
    std::uint32_t count = 0;
    chords.for_each([&](std::uint32_t a, std::uint32_t b) {
      ++count;
      is_repeated = is_repeated || chords.is_joined(a, b);
    });
    if (is_repeated) work.outcome = CavityOutcome::repeats_edge;
    else counts[i] = count;
  }
};

/// A hash table from pairs of vertices to the highest claim on them.
struct ChordTable {
  std::uint64_t* keys;
  std::uint64_t* claims;
  std::uint64_t mask;

  [[nodiscard]] static TS_HD std::uint64_t key(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{a} << 32 | b;  // b > a: never 0
  }
  /// The place of a key, which is put there if it is new.
  [[nodiscard]] TS_HD std::uint64_t place(std::uint64_t key) const {
    for (std::uint64_t at = splitmix64(key) & mask;; at = (at + 1) & mask) {
      const std::uint64_t there = put(keys + at, key);
      if (there == 0 || there == key) return at;
    }
  }

 private:
  static TS_HD std::uint64_t put(std::uint64_t* to, std::uint64_t key) {
#if defined(__CUDA_ARCH__)
    return atomicCAS(reinterpret_cast<unsigned long long*>(to), 0ull, static_cast<unsigned long long>(key));
#else
    std::uint64_t seen = 0;
    std::atomic_ref<std::uint64_t>(*to).compare_exchange_strong(seen, key, std::memory_order_relaxed);
    return seen;
#endif
  }
};

struct ClaimChords {
  RoundView round;
  ChordTable table;
  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[round.winners[i]];
    if (work.outcome != CavityOutcome::won) return;
    Chords(round, work).for_each([&](std::uint32_t a, std::uint32_t b) {
      atomic_max(table.claims + table.place(ChordTable::key(a, b)), work.claim);
    });
  }
};

/// Those whose chord another cavity makes, too, lose.
struct ResolveChords {
  RoundView round;
  ChordTable table;
  TS_HD void operator()(std::size_t i) const {
    CavityWork& work = round.works[round.winners[i]];
    if (work.outcome != CavityOutcome::won) return;
    Chords(round, work).for_each([&](std::uint32_t a, std::uint32_t b) {
      if (table.claims[table.place(ChordTable::key(a, b))] != work.claim) work.outcome = CavityOutcome::lost;
    });
  }
};

/// Counts what failed after it had won its faces, and what needs a closer look.
struct CountOutcomes {
  RoundView round;
  std::uint32_t* counters;
  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[round.winners[i]];
    if (work.outcome != CavityOutcome::won) count_one(counters + static_cast<std::size_t>(work.outcome));
    else if (!work.is_regular) count_one(counters + irregular_counter);
  }
};

/// Makes what was filled a part of the mesh. No two cavities write the same word.
struct CommitCavities {
  RoundView round;
  EditArrays mesh;
  Kind seeds;
  std::uint8_t* next;  ///< candidates of the next round; null: of no interest
  bool marks_touched;
  std::uint32_t* freed[3];  ///< how many ids each cavity gives back

  TS_HD void operator()(std::size_t i) const {
    CavityWork& work = round.works[round.winners[i]];
    const bool won = work.outcome == CavityOutcome::won;
    if (won) commit(work);
    for (std::uint32_t k = 0; k < 3; ++k) clear_from(k, work, won ? work.used[k] : 0);
    if (won && marks_touched) mark(work);
    const std::uint32_t removed_vertices = won ? count_removed_vertices(work) : 0;
    freed[0][i] = removed_vertices + work.room[0] - (won ? work.used[0] : 0);
    freed[1][i] = (won ? work.edge_count : 0) + work.room[1] - (won ? work.used[1] : 0);
    freed[2][i] = (won ? work.face_count : 0) + work.room[2] - (won ? work.used[2] : 0);
  }

  [[nodiscard]] static TS_HD std::uint32_t count_removed_vertices(const CavityWork& work) {
    if (work.request.kind != Kind::vertex) return 0;
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < work.request.count; ++k) count += is_first(work.request, k) ? 1 : 0;
    return count;
  }
  [[nodiscard]] static TS_HD bool is_first(const CavityRequest& request, std::uint32_t k) {
    for (std::uint32_t i = 0; i < k; ++i) {
      if (request.elements[i] == request.elements[k]) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] TS_HD std::size_t segment(const CavityWork& work) const {
    return 3 * std::size_t{work.face_begin};
  }

  TS_HD void commit(const CavityWork& work) const {
    const RoundScratch& scratch = round.scratch;
    for (std::uint32_t i = 0; i < work.boundary_count; ++i) {
      const std::uint32_t slot = scratch.boundary_slot[segment(work) + i] & ~last_of_loop_bit;
      const std::uint32_t h = scratch.boundary_new[segment(work) + i];
      if (slot != listed_slot) mesh.sides[slot] = h;
      if (h == EditArrays::none) continue;
      move_handle(work, mesh.corners[h], h);
      move_handle(work, mesh.corners[EditArrays::next(h)], EditArrays::next(h));
    }
    const std::uint32_t* edges = scratch.boundary + segment(work) + 3 * std::size_t{work.face_count};
    for (std::uint32_t i = 1; i <= work.edge_count; ++i) {
      const std::size_t e = *(edges - i);
      mesh.sides[2 * e] = mesh.sides[2 * e + 1] = EditArrays::none;
    }
    if (work.request.kind == Kind::vertex) {
      for (std::uint32_t k = 0; k < work.request.count; ++k)
        store_relaxed(mesh.handles + work.request.elements[k], EditArrays::removed);
    }
    for (std::uint32_t i = 0; i < work.face_count; ++i) {
      const std::size_t f = scratch.faces[work.face_begin + i];
      for (std::size_t h = 3 * f; h < 3 * f + 3; ++h) {
        // A vertex that was left without a handle: it is isolated, or looked at closely later.
        std::uint32_t* handle = mesh.handles + mesh.corners[h];
        if (load_relaxed(handle) == h) store_relaxed(handle, EditArrays::none);
      }
      mesh.corners[3 * f] = mesh.corners[3 * f + 1] = mesh.corners[3 * f + 2] = EditArrays::none;
    }
  }
  /// If the handle of a vertex is in a face that goes, it moves to a new one. Only the cavity with that face
  /// does so.
  TS_HD void move_handle(const CavityWork& work, std::uint32_t v, std::uint32_t h) const {
    const std::uint32_t handle = load_relaxed(mesh.handles + v);
    if (handle >= EditArrays::removed || (handle & EditArrays::listed) != 0) return;
    if (round.claims[handle / 3] == work.claim) store_relaxed(mesh.handles + v, h);
  }

  /// Ids that are not used are those of nothing.
  TS_HD void clear_from(std::uint32_t kind, const CavityWork& work, std::uint32_t begin) const {
    for (std::uint32_t i = begin; i < work.room[kind]; ++i) {
      const std::size_t id = round.scratch.fresh[kind][work.first[kind] + i];
      if (kind == 0) {
        mesh.handles[id] = EditArrays::removed;
      } else if (kind == 1) {
        mesh.sides[2 * id] = mesh.sides[2 * id + 1] = EditArrays::none;
      } else {
        mesh.corners[3 * id] = mesh.corners[3 * id + 1] = mesh.corners[3 * id + 2] = EditArrays::none;
      }
    }
  }

  TS_HD void mark(const CavityWork& work) const {
    const auto kind = static_cast<std::size_t>(seeds);
    for (std::uint32_t i = 0; i < work.used[kind]; ++i)
      raise(next + round.scratch.fresh[kind][work.first[kind] + i]);
    if (seeds == Kind::face) return;
    for (std::uint32_t i = 0; i < work.boundary_count; ++i) {
      const std::uint32_t h = round.scratch.boundary_new[segment(work) + i];
      if (h == EditArrays::none) continue;
      if (seeds == Kind::edge) {
        raise(next + mesh.edges[h]);
      } else {
        raise(next + mesh.corners[h]);
        raise(next + mesh.corners[EditArrays::next(h)]);
      }
    }
  }
};

/// Puts cavities that should be tried again among the next candidates.
struct MarkAgain {
  const CavityWork* works;
  std::uint8_t* next;
  bool also_repeating;  ///< those that would repeat an edge: it may be gone now
  TS_HD void operator()(std::size_t i) const {
    const CavityOutcome outcome = works[i].outcome;
    if (outcome == CavityOutcome::lost || (also_repeating && outcome == CavityOutcome::repeats_edge))
      next[works[i].seed] = 1;
  }
};

/// Lists the ids that the cavities give back, of one kind.
struct ListFreed {
  RoundView round;
  std::uint32_t kind;
  const std::uint32_t* offsets;
  std::uint32_t* ids;

  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[round.winners[i]];
    const bool won = work.outcome == CavityOutcome::won;
    std::uint32_t* to = ids + offsets[i];
    if (won && kind == 0 && work.request.kind == Kind::vertex) {
      for (std::uint32_t k = 0; k < work.request.count; ++k) {
        if (CommitCavities::is_first(work.request, k)) *to++ = work.request.elements[k];
      }
    }
    if (won && kind == 1) {
      const std::uint32_t* end =
          round.scratch.boundary + 3 * (std::size_t{work.face_begin} + work.face_count);
      for (std::uint32_t k = 1; k <= work.edge_count; ++k) *to++ = *(end - k);
    }
    if (won && kind == 2) {
      for (std::uint32_t k = 0; k < work.face_count; ++k) *to++ = round.scratch.faces[work.face_begin + k];
    }
    for (std::uint32_t k = won ? work.used[kind] : 0; k < work.room[kind]; ++k)
      *to++ = round.scratch.fresh[kind][work.first[kind] + k];
  }
};

/// Lowers the flags of candidates.
struct LowerFlags {
  const std::uint32_t* list;
  std::uint8_t* flags;
  TS_HD void operator()(std::size_t i) const { flags[list[i]] = 0; }
};

}  // namespace tessera::detail
