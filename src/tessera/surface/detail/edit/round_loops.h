// The loops of a round of edits that do not depend on the operator, in their order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/random.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/detail/edit/cavity_shape.h>
#include <tessera/surface/detail/edit/edit_scratch.h>
#include <tessera/surface/edit_mesh.h>

namespace tessera::detail {

inline TS_HD std::uint32_t load_relaxed(std::uint32_t* from) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<volatile std::uint32_t*>(from);
#else
  return std::atomic_ref<std::uint32_t>(*from).load(std::memory_order_relaxed);
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

/// Sees which cavities hold all their claims, and lets the others try again.
struct FindWinners {
  RoundView round;
  std::uint8_t* is_winner;     ///< of each candidate
  std::uint32_t* face_counts;  ///< of winners

  TS_HD void operator()(std::size_t i) const {
    is_winner[i] = 0;
    if (round.is_declared[i] == RoundView::out_of_order) round.be_short_of(not_ascending);
    if (round.is_declared[i] != 1) return;
    const CavityRequest request = round.requests[i];
    const std::uint64_t claim = round.claim(request.seed, request.priority);
    std::uint32_t faces = 0;
    bool has_all = true;
    round.named(request).for_each_face([&](std::uint32_t face) {
      ++faces;
      has_all = has_all && (round.are_disjoint || round.claims[face] == claim);
    });
    if (has_all) {
      is_winner[i] = 1;
      face_counts[i] = faces;
    } else {
      add_to(round.counters + loser_counter, 1);
      raise(round.next + request.seed);
      round.report(request.seed, CavityOutcome::lost);
    }
  }
};
/// The faces that each winner removes.
struct CountFaces {
  RoundView round;
  const std::uint32_t* face_counts;  ///< of candidates
  std::uint32_t* counts;             ///< of winners
  TS_HD void operator()(std::size_t i) const {
    counts[i] = round.is_winner(i) ? face_counts[round.winners[i]] : 0;
  }
};

/// n places of a counter that others take places of, too, in no fixed order. The threads of a warp take
/// theirs at once: each bit of n is a vote, and the votes of lower lanes are the places before one's own.
inline TS_HD std::uint32_t take_places(std::uint32_t* counter, std::uint32_t n) {
#if defined(__CUDA_ARCH__)
  const unsigned warp = __activemask();
  const unsigned lane = threadIdx.x & 31u;
  std::uint32_t before = 0;
  std::uint32_t total = 0;
  for (unsigned bit = 0; bit < 32 && __any_sync(warp, (n >> bit) != 0); ++bit) {
    const unsigned votes = __ballot_sync(warp, (n >> bit & 1u) != 0);
    before += static_cast<std::uint32_t>(__popc(votes & ((1u << lane) - 1u))) << bit;
    total += static_cast<std::uint32_t>(__popc(votes)) << bit;
  }
  const int first = __ffs(static_cast<int>(warp)) - 1;
  std::uint32_t begin = 0;
  if (static_cast<int>(lane) == first) begin = atomicAdd(counter, total);
  return __shfl_sync(warp, begin, first) + before;
#else
  return add_to(counter, n);
#endif
}

/// Finds the shapes of the winners and the room they need.
struct ShapeCavities {
  RoundView round;
  const std::uint32_t* face_begins;  ///< of winners; null: as they come
  const std::uint32_t* face_counts;  ///< of candidates
  Sums<5>* rooms;

  TS_HD void operator()(std::size_t i) const {
    if (!round.is_winner(i) || round.counters[winner_counter] > round.memory.winners) {
      if (i == 0 && round.counters[winner_counter] > round.memory.winners) has_no_room();
      if (!round.is_lean) rooms[i] = {};
      return;
    }
    CavityWork work = {};
    work.cavity = round.winners[i];
    work.face_count = face_counts[work.cavity];
    work.face_begin =
        face_begins != nullptr ? face_begins[i] : take_places(round.counters + face_counter, work.face_count);
    const std::uint64_t end = std::uint64_t{work.face_begin} + work.face_count;
    if (end > round.memory.faces || (round.is_lean && end > round.memory.staged())) {
      has_no_room();
      if (!round.is_lean) rooms[i] = {};
      return;
    }
    const CavityRequest request = round.requests[work.cavity];
    work.claim = round.claim(request.seed, request.priority);
    work.outcome = CavityOutcome::won;
    work.staged[0] = work.staged[1] = work.face_begin;
    CavityShape(round, request, work).find();
    if (!work.is_lean()) {
      store_relaxed(round.counters + fresh_counter, 1);
      if (round.is_lean) has_no_room();
    }
    if (!round.is_lean)
      rooms[i] = {{work.room[0], work.room[1], work.room[2], work.fresh_count(1), work.fresh_count(2)}};
    round.works[i] = work;
  }

 private:
  TS_HD void has_no_room() const { round.be_short_of(short_of_room); }
};

struct ClearChords {
  ChordTable table;
  TS_HD void operator()(std::size_t i) const { table.entries[i] = {0, 0}; }
};

struct ClaimChords {
  RoundView round;
  TS_HD void operator()(std::size_t i) const {
    if (!round.is_winner(i) || round.chord_counts[i] == 0) return;
    CavityWork work = round.works[i];
    Hole(round, work).claim_pairs();
  }
};

/// Those whose chord another cavity makes, too, lose.
struct ResolveChords {
  RoundView round;
  TS_HD void operator()(std::size_t i) const {
    if (!round.is_winner(i) || round.chord_counts[i] == 0) return;
    if ((round.shortage() & short_of_chords) != 0) return;
    CavityWork work = round.works[i];
    if (!Hole(round, work).has_lost_pair()) return;
    work.outcome = CavityOutcome::lost;
    round.works[i].outcome = CavityOutcome::lost;
    add_to(round.counters + chord_loser_counter, 1);
    if (!work.is_regular) add_to(round.counters + irregular_counter, static_cast<std::uint32_t>(-1));
    if (round.gives_back(work)) {
      store_relaxed(round.counters + given_counter, 1);
      if (round.skips_freed) round.be_short_of(short_of_freed);
    }
  }
};

/// How many ids each cavity will give back.
struct CountFreed {
  RoundView round;
  Sums<3>* counts;

  TS_HD void operator()(std::size_t i) const {
    counts[i] = {};
    if (round.is_winner(i)) counts[i] = round.freed_by(round.works[i]);
  }
};

/// Lists the ids that the cavities give back.
struct ListFreed {
  RoundView round;
  const Sums<3>* begins;
  std::uint32_t* ids[3];

  TS_HD void operator()(std::size_t i) const {
    const Sums<3>& total = begins[round.bound];
    const bool fits = total.at[0] <= round.memory.freed.at[0] && total.at[1] <= round.memory.freed.at[1] &&
                      total.at[2] <= round.memory.freed.at[2];
    for (std::uint32_t k = 0; i == 0 && k < 3; ++k) round.counters[freed_counter + k] = total.at[k];
    if (i == 0 && !fits) round.be_short_of(short_of_freed);
    if (!fits || !round.is_winner(i)) return;
    const CavityWork work = round.works[i];
    const bool won = work.outcome == CavityOutcome::won;
    const NewIds all = {work, round.scratch};
    const CavityRequest& request = round.requests[work.cavity];
    std::uint32_t* to = ids[0] + begins[i].at[0];
    if (won && request.removes(Kind::vertex))
      round.named(request).for_each([&](std::uint32_t v) { *to++ = v; });
    for (std::uint32_t k = won ? work.used[0] : 0; k < work.room[0]; ++k) *to++ = all.vertex(k);
    to = ids[1] + begins[i].at[1];
    for (std::uint32_t k = won ? work.used[1] : work.edge_count; k < work.edge_count + work.fresh_count(1);
         ++k)
      *to++ = all.edge(k);
    to = ids[2] + begins[i].at[2];
    for (std::uint32_t k = won ? work.used[2] : work.face_count; k < work.face_count + work.fresh_count(2);
         ++k)
      *to++ = all.face(k);
  }
};

/// Which seeds a commit makes candidates of later rounds.
enum class Marks : std::uint8_t {
  losers,   ///< and what takes the id of a loser is not one
  touched,  ///< and what is new or bounds a filled hole
  nothing,  ///< seeds are no elements
};

/// Makes what was filled a part of the mesh. No two cavities write the same word.
struct CommitCavities {
  RoundView round;
  EditArrays mesh;
  std::uint32_t* vertex_origins;
  std::uint32_t* face_origins;
  Kind seeds;
  Marks marks;
  bool waits;  ///< if there are irregular cavities, which the host has to prepare for

  TS_HD void operator()(std::size_t i) const {
    if (!round.is_winner(i) || round.shortage() != 0) return;
    if (waits && round.counters[irregular_counter] != 0) return;
    CavityWork work = round.works[i];
    const CavityRequest request = round.requests[work.cavity];
    if (round.resolves_chords && round.chord_counts[i] != 0 && Hole(round, work).has_lost_pair()) {
      work.outcome = CavityOutcome::lost;
      add_to(round.counters + chord_loser_counter, 1);
    }
    const bool won = work.outcome == CavityOutcome::won;
    round.report(request.seed, work.outcome);
    if (won) {
      remove_vertices(request);
      commit_faces(work);
      commit_edges(work);
      commit_boundary(work);
      commit_vertices(work);
      commit_columns(work);
      if (marks == Marks::touched) mark(work);
      if (marks == Marks::losers) unmark(work);
    }
    if (work.outcome == CavityOutcome::lost ||
        (work.outcome == CavityOutcome::repeats_edge && any_won()))  // the edge may be gone now
      raise(round.next + request.seed);
    clear_unused(work, won);
  }

 private:
  /// Of those that want the same chord one wins, so that the others need not be counted, which may be under
  /// way.
  [[nodiscard]] TS_HD bool any_won() const {
    std::uint32_t failed = 0;
    for (std::uint32_t k = 0; k < chord_loser_counter; ++k) failed += round.counters[k];
    return failed < round.counters[winner_counter];
  }
  [[nodiscard]] TS_HD NewIds ids(const CavityWork& work) const { return {work, round.scratch}; }
  [[nodiscard]] TS_HD const NewFace& made_face(const CavityWork& work, std::uint32_t i) const {
    return round.scratch.new_faces[work.staged[1] + i];
  }
  [[nodiscard]] TS_HD const BoundaryEdge& bound(const CavityWork& work, std::uint32_t i) const {
    return round.scratch.boundary[3 * std::size_t{work.face_begin} + i];
  }
  /// The id of an edge of the boundary, from its place among the sides, which no commit changes.
  [[nodiscard]] TS_HD std::uint32_t boundary_edge(const CavityWork& work, std::uint32_t i) const {
    return (bound(work, i).slot & slot_mask) / 2;
  }

  /// First of all: neighbours are found by walking in faces that are still what they were.
  TS_HD void remove_vertices(const CavityRequest& request) const {
    if (!request.removes(Kind::vertex)) return;
    round.named(request).for_each(
        [&](std::uint32_t v) { store_relaxed(mesh.handles + v, EditArrays::removed); });
  }
  TS_HD void commit_faces(const CavityWork& work) const {
    for (std::uint32_t i = 0; i < work.used[2]; ++i) {
      const std::size_t f = ids(work).face(i);
      const NewFace made = made_face(work, i);
      face_origins[f] = EditArrays::none;
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t side = made.edges[k];
        mesh.corners[3 * f + k] = made.corners[k];
        mesh.edges[3 * f + k] = (side & of_boundary_bit) != 0 ? boundary_edge(work, side & ~of_boundary_bit)
                                                              : ids(work).edge(side);
      }
    }
  }
  TS_HD void commit_edges(const CavityWork& work) const {
    for (std::uint32_t i = 0; i < work.used[1]; ++i) {
      const NewEdge made = round.scratch.new_edges[work.staged[0] + i];
      std::uint32_t* both = mesh.sides + 2 * std::size_t{ids(work).edge(i)};
      for (std::uint32_t k = 0; k < 2; ++k) {
        const std::uint32_t h = made.sides[k];
        both[k] = h == EditArrays::none ? h : ids(work).half_edge(h);
      }
    }
  }
  TS_HD void commit_boundary(const CavityWork& work) const {
    for (std::uint32_t i = 0; i < work.boundary_count; ++i) {
      const BoundaryEdge edge = bound(work, i);
      if ((edge.slot & listed_bit) == 0)
        mesh.sides[edge.slot & slot_mask] =
            edge.made == EditArrays::none ? EditArrays::none : ids(work).half_edge(edge.made);
      if (edge.made == EditArrays::none) continue;
      const std::uint32_t next = EditArrays::next(edge.made);
      const NewFace& made = made_face(work, edge.made / 3);
      const bool begins_at_tail = made.corners[edge.made % 3] == edge.tail;
      move_handle(work, edge.tail, begins_at_tail ? edge.made : next);
      if ((edge.slot & last_of_loop_bit) != 0 && work.is_open)
        move_handle(work, made.corners[(begins_at_tail ? next : edge.made) % 3],
                    begins_at_tail ? next : edge.made);
    }
  }
  /// A handle in a face that goes moves to a new one. Only the cavity that has the face does so; where it has
  /// moved already, it is in a face of the cavity, too.
  TS_HD void move_handle(const CavityWork& work, std::uint32_t v, std::uint32_t h) const {
    const std::uint32_t handle = load_relaxed(mesh.handles + v);
    if (handle >= EditArrays::removed || (handle & EditArrays::listed) != 0) return;
    if (round.claims[handle / 3] == work.claim) store_relaxed(mesh.handles + v, ids(work).half_edge(h));
  }
  TS_HD void commit_vertices(const CavityWork& work) const {
    for (std::uint32_t i = 0; i < work.used[0]; ++i) {
      const std::uint32_t v = ids(work).vertex(i);
      vertex_origins[v] = EditArrays::none;
      mesh.handles[v] = EditArrays::none;
      for (std::uint32_t h = 0; h < 3 * work.used[2]; ++h) {
        if (made_face(work, h / 3).corners[h % 3] != v) continue;
        mesh.handles[v] = ids(work).half_edge(h);
        break;
      }
    }
  }
  TS_HD void commit_columns(const CavityWork& work) const {
    for (std::uint32_t c = 0; c < round.scratch.column_count; ++c) {
      const Column& column = round.scratch.columns[c];
      if (column.kind == Kind::vertex) continue;
      const auto k = static_cast<std::uint32_t>(column.kind);
      for (std::uint32_t i = 0; i < work.used[k]; ++i) {
        const std::uint32_t id = column.kind == Kind::edge ? ids(work).edge(i) : ids(work).face(i);
        column.copy(column.staged_at(work.staged[k - 1] + i), column.at(id));
      }
    }
  }

  /// Ids that are not used any more, or were not, are those of nothing.
  TS_HD void clear_unused(const CavityWork& work, bool won) const {
    const NewIds all = ids(work);
    for (std::uint32_t i = won ? work.used[0] : 0; i < work.room[0]; ++i)
      mesh.handles[all.vertex(i)] = EditArrays::removed;
    for (std::uint32_t i = won ? work.used[1] : work.edge_count; i < work.edge_count + work.fresh_count(1);
         ++i) {
      const std::size_t e = all.edge(i);
      mesh.sides[2 * e] = mesh.sides[2 * e + 1] = EditArrays::none;
    }
    for (std::uint32_t i = won ? work.used[2] : work.face_count; i < work.face_count + work.fresh_count(2);
         ++i) {
      const std::size_t f = all.face(i);
      mesh.corners[3 * f] = mesh.corners[3 * f + 1] = mesh.corners[3 * f + 2] = EditArrays::none;
    }
  }

  TS_HD void unmark(const CavityWork& work) const {
    const auto kind = static_cast<std::size_t>(seeds);
    for (std::uint32_t i = 0; i < work.used[kind]; ++i) {
      const std::uint32_t id = seeds == Kind::vertex ? ids(work).vertex(i)
                               : seeds == Kind::edge ? ids(work).edge(i)
                                                     : ids(work).face(i);
      round.next[id] = 0;
    }
  }
  TS_HD void mark(const CavityWork& work) const {
    if (seeds == Kind::face) {
      for (std::uint32_t i = 0; i < work.used[2]; ++i) raise(round.next + ids(work).face(i));
    } else if (seeds == Kind::edge) {
      for (std::uint32_t i = 0; i < work.used[1]; ++i) raise(round.next + ids(work).edge(i));
      for (std::uint32_t i = 0; i < work.boundary_count; ++i) raise(round.next + boundary_edge(work, i));
    } else {
      for (std::uint32_t h = 0; h < 3 * work.used[2]; ++h)
        raise(round.next + made_face(work, h / 3).corners[h % 3]);
    }
  }
};

}  // namespace tessera::detail
