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

/// Places of the counters of a round. The first are of cavities that won their faces and still failed, by
/// outcome.
enum RoundCounter : std::uint32_t {
  irregular_counter = 12,  ///< cavities whose vertices need a closer look after the commit
  loser_counter = 13,      ///< cavities that did not get their faces
  chord_counter = 14,      ///< pairs that only one cavity may make
  round_counters = 16,
};

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

/// Sees which cavities hold all their claims, and lets the others try again.
struct FindWinners {
  RoundView round;
  std::uint8_t* is_winner;     ///< of each candidate
  std::uint32_t* face_counts;  ///< of winners
  std::uint32_t* counters;

  TS_HD void operator()(std::size_t i) const {
    is_winner[i] = 0;
    if (round.is_declared[i] == 0) return;
    const CavityRequest& request = round.requests[i];
    const std::uint64_t claim = round.claim(request.seed, request.priority);
    std::uint32_t faces = 0;
    bool has_all = true;
    for_each_removed_face(round.mesh, request, [&](std::uint32_t face) {
      ++faces;
      has_all = has_all && round.claims[face] == claim;
    });
    if (has_all) {
      is_winner[i] = 1;
      face_counts[i] = faces;
    } else {
      count_one(counters + loser_counter);
      raise(round.next + request.seed);
    }
  }
};
/// to[i] = from[list[i]].
struct GatherWords {
  const std::uint32_t* from;
  const std::uint32_t* list;
  std::uint32_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = from[list[i]]; }
};

/// Finds the shapes of the winners and what they need: of edges in the high half, of faces in the low.
struct ShapeCavities {
  RoundView round;
  const std::uint32_t* face_begins;
  std::uint32_t* vertices;
  std::uint64_t* staged;
  std::uint64_t* fresh;

  TS_HD void operator()(std::size_t i) const {
    CavityWork work = {};
    work.cavity = round.winners[i];
    const CavityRequest& request = round.requests[work.cavity];
    work.claim = round.claim(request.seed, request.priority);
    work.outcome = CavityOutcome::won;
    work.face_begin = face_begins[i];
    work.face_count = face_begins[i + 1] - face_begins[i];
    CavityShape(round, work).find();
    vertices[i] = work.room[0];
    staged[i] = std::uint64_t{work.room[1]} << 32 | work.room[2];
    fresh[i] = std::uint64_t{work.fresh_count(1)} << 32 | work.fresh_count(2);
    round.works[i] = work;
  }
};

/// Puts sums in one place, to be read at once.
struct CollectWords {
  const std::uint32_t* from[3];
  std::uint32_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = *from[i]; }
};
struct CollectTotals {
  const std::uint32_t* vertices;
  const std::uint64_t* staged;
  const std::uint64_t* fresh;
  RoomTotals* totals;
  TS_HD void operator()(std::size_t) const { *totals = {*vertices, *staged, *fresh}; }
};

/// A hash table from pairs of vertices to the highest claim on them.
struct ChordTable {
  ChordEntry* entries;
  std::uint64_t mask;

  /// The entry of a pair, b > 0, which is put there if it is new.
  [[nodiscard]] TS_HD ChordEntry& at(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    for (std::uint64_t place = splitmix64(key) & mask;; place = (place + 1) & mask) {
      const std::uint64_t there = put(&entries[place].key, key);
      if (there == 0 || there == key) return entries[place];
    }
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
struct ClearChords {
  ChordTable table;
  TS_HD void operator()(std::size_t i) const { table.entries[i] = {0, 0}; }
};

struct ClaimChords {
  RoundView round;
  ChordTable table;
  TS_HD void operator()(std::size_t i) const {
    if (round.chord_counts[i] == 0) return;
    CavityWork& work = round.works[i];
    Hole(round, work).for_each_pair([&](std::uint32_t a, std::uint32_t b) {
      atomic_max(&table.at(a, b).claim, work.claim);
    });
  }
};

/// Those whose chord another cavity makes, too, lose.
struct ResolveChords {
  RoundView round;
  ChordTable table;
  std::uint32_t* counters;
  TS_HD void operator()(std::size_t i) const {
    if (round.chord_counts[i] == 0) return;
    CavityWork& work = round.works[i];
    Hole(round, work).for_each_pair([&](std::uint32_t a, std::uint32_t b) {
      if (table.at(a, b).claim != work.claim) work.outcome = CavityOutcome::lost;
    });
    if (work.outcome == CavityOutcome::lost) count_one(counters + static_cast<std::size_t>(work.outcome));
  }
};

/// Counts what failed after it had won its faces, and what needs a closer look.
struct CountOutcomes {
  RoundView round;
  std::uint32_t* counters;
  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[i];
    if (work.outcome != CavityOutcome::won)
      count_one(counters + static_cast<std::size_t>(work.outcome));
    else if (!work.is_regular)
      count_one(counters + irregular_counter);
  }
};

/// Makes what was filled a part of the mesh. No two cavities write the same word.
struct CommitCavities {
  RoundView round;
  EditArrays mesh;
  std::uint32_t* vertex_origins;
  std::uint32_t* face_origins;
  Kind seeds;
  bool marks_touched;
  bool retries_repeating;  ///< cavities that would repeat an edge: it may be gone now

  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[i];
    const CavityRequest& request = round.requests[work.cavity];
    const bool won = work.outcome == CavityOutcome::won;
    if (won) {
      commit_faces(work);
      commit_edges(work);
      commit_boundary(work);
      commit_vertices(work, request);
      commit_columns(work);
      if (marks_touched)
        mark(work);
      else
        unmark(work);
    }
    if (work.outcome == CavityOutcome::lost ||
        (retries_repeating && work.outcome == CavityOutcome::repeats_edge))
      raise(round.next + request.seed);
    clear_unused(work, won);
  }

  [[nodiscard]] static TS_HD bool is_first(const CavityRequest& request, std::uint32_t k) {
    for (std::uint32_t i = 0; i < k; ++i) {
      if (request.elements[i] == request.elements[k]) return false;
    }
    return true;
  }
  [[nodiscard]] static TS_HD std::uint32_t count_removed_vertices(const CavityRequest& request) {
    if (!request.removes(Kind::vertex)) return 0;
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < request.count; ++k) count += is_first(request, k) ? 1 : 0;
    return count;
  }

 private:
  [[nodiscard]] TS_HD NewIds ids(const CavityWork& work) const { return {work, round.scratch}; }
  [[nodiscard]] TS_HD std::size_t segment(const CavityWork& work) const {
    return 3 * std::size_t{work.face_begin};
  }
  /// The id of an edge of the boundary, from its place among the sides, which no commit changes.
  [[nodiscard]] TS_HD std::uint32_t boundary_edge(const CavityWork& work, std::uint32_t i) const {
    return (round.scratch.boundary_slot[segment(work) + i] & slot_mask) / 2;
  }

  TS_HD void commit_faces(const CavityWork& work) const {
    const std::uint32_t* corners = round.scratch.new_corners + 3 * std::size_t{work.staged[1]};
    const std::uint32_t* edges = round.scratch.new_edges + 3 * std::size_t{work.staged[1]};
    for (std::uint32_t i = 0; i < work.used[2]; ++i) {
      const std::uint32_t f = ids(work).face(i);
      face_origins[f] = EditArrays::none;
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t side = edges[3 * std::size_t{i} + k];
        mesh.corners[3 * std::size_t{f} + k] = corners[3 * std::size_t{i} + k];
        mesh.edges[3 * std::size_t{f} + k] = (side & of_boundary_bit) != 0
                                                 ? boundary_edge(work, side & ~of_boundary_bit)
                                                 : ids(work).edge(side);
      }
    }
  }
  TS_HD void commit_edges(const CavityWork& work) const {
    const std::uint32_t* sides = round.scratch.new_sides + 2 * std::size_t{work.staged[0]};
    for (std::uint32_t i = 0; i < work.used[1]; ++i) {
      std::uint32_t* both = mesh.sides + 2 * std::size_t{ids(work).edge(i)};
      for (std::uint32_t k = 0; k < 2; ++k) {
        const std::uint32_t h = sides[2 * std::size_t{i} + k];
        both[k] = h == EditArrays::none ? h : ids(work).half_edge(h);
      }
    }
  }
  TS_HD void commit_boundary(const CavityWork& work) const {
    const std::uint32_t* corners = round.scratch.new_corners + 3 * std::size_t{work.staged[1]};
    for (std::uint32_t i = 0; i < work.boundary_count; ++i) {
      const std::uint32_t slot = round.scratch.boundary_slot[segment(work) + i];
      const std::uint32_t h = round.scratch.boundary_new[segment(work) + i];
      if ((slot & listed_bit) == 0)
        mesh.sides[slot & slot_mask] = h == EditArrays::none ? h : ids(work).half_edge(h);
      if (h == EditArrays::none) continue;
      move_handle(work, corners[h], ids(work).half_edge(h));
      move_handle(work, corners[EditArrays::next(h)], ids(work).half_edge(EditArrays::next(h)));
    }
  }
  /// A handle in a face that goes moves to a new one. Only the cavity that has the face does so; where it has
  /// moved already, it is in a face of the cavity, too.
  TS_HD void move_handle(const CavityWork& work, std::uint32_t v, std::uint32_t h) const {
    const std::uint32_t handle = load_relaxed(mesh.handles + v);
    if (handle >= EditArrays::removed || (handle & EditArrays::listed) != 0) return;
    if (round.claims[handle / 3] == work.claim) store_relaxed(mesh.handles + v, h);
  }
  TS_HD void commit_vertices(const CavityWork& work, const CavityRequest& request) const {
    if (request.removes(Kind::vertex)) {
      for (std::uint32_t k = 0; k < request.count; ++k)
        store_relaxed(mesh.handles + request.elements[k], EditArrays::removed);
    }
    for (std::uint32_t i = 0; i < work.used[0]; ++i) {
      const std::uint32_t v = ids(work).vertex(i);
      vertex_origins[v] = EditArrays::none;
      mesh.handles[v] = EditArrays::none;
      const std::uint32_t* corners = round.scratch.new_corners + 3 * std::size_t{work.staged[1]};
      for (std::uint32_t h = 0; h < 3 * work.used[2]; ++h) {
        if (corners[h] != v) continue;
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

  /// What takes the id of a loser is not one.
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
      const std::uint32_t* corners = round.scratch.new_corners + 3 * std::size_t{work.staged[1]};
      for (std::uint32_t h = 0; h < 3 * work.used[2]; ++h) raise(round.next + corners[h]);
    }
  }
};

/// How many ids each cavity will give back.
struct CountFreed {
  RoundView round;
  std::uint32_t* counts[3];

  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[i];
    const CavityRequest& request = round.requests[work.cavity];
    const bool won = work.outcome == CavityOutcome::won;
    counts[0][i] = work.room[0] + (won ? CommitCavities::count_removed_vertices(request) - work.used[0] : 0);
    counts[1][i] = work.fresh_count(1) + (won ? work.edge_count - work.used[1] : 0);
    counts[2][i] = work.fresh_count(2) + (won ? work.face_count - work.used[2] : 0);
  }
};

/// Lists the ids that the cavities give back, of one kind.
struct ListFreed {
  RoundView round;
  std::uint32_t kind;
  const std::uint32_t* offsets;
  std::uint32_t* ids;

  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[i];
    const CavityRequest& request = round.requests[work.cavity];
    const bool won = work.outcome == CavityOutcome::won;
    std::uint32_t* to = ids + offsets[i];
    const NewIds all = {work, round.scratch};
    if (kind == 0) {
      for (std::uint32_t k = 0; won && request.removes(Kind::vertex) && k < request.count; ++k) {
        if (CommitCavities::is_first(request, k)) *to++ = request.elements[k];
      }
      for (std::uint32_t k = won ? work.used[0] : 0; k < work.room[0]; ++k) *to++ = all.vertex(k);
      return;
    }
    const std::uint32_t own = kind == 1 ? work.edge_count : work.face_count;
    for (std::uint32_t k = won ? work.used[kind] : own; k < own + work.fresh_count(kind); ++k)
      *to++ = kind == 1 ? all.edge(k) : all.face(k);
  }
};

}  // namespace tessera::detail
