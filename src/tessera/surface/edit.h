// edit(): applies an operator (cavity.h) to a surface, round by round.
//
// A round declares cavities, resolves their conflicts, fills the holes of the winners and commits them. A
// round with candidates commits, or drops, at least one of them. The result depends on the mesh, the operator
// and the seed, and on nothing else: not on the number of threads, and not on the side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <tessera/core/progress.h>
#include <tessera/exec/for_each.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/cavity_sets.h>
#include <tessera/surface/dynamic_surface.h>

namespace tessera {

/// What happened in a round. Cavities are those that were declared. A round has at most 2^20 candidates: more
/// are taken part by part.
struct EditRound {
  std::size_t candidates = 0;
  std::size_t cavities = 0;
  std::size_t won = 0;
  std::size_t lost = 0;
  std::size_t several_holes = 0;
  std::size_t open = 0;
  std::size_t not_a_surface = 0;
  std::size_t refused = 0;
  std::size_t repeats_edge = 0;
  std::size_t repeats_face = 0;
  std::size_t overfull = 0;
  std::size_t unclear = 0;
  std::size_t irregular = 0;  ///< of those that won: vertices or edges around them needed a closer look
  double seconds = 0;
};

/// Which elements are candidates after the first round.
enum class Again : std::uint8_t {
  losers,   ///< those whose cavities lost, or would have repeated an edge that may be gone now
  touched,  ///< also those that are new or bound a filled hole: until nothing is left to do
};

struct EditOptions {
  std::uint64_t seed = 0;  ///< of the hash that decides between equal priorities
  Again again = Again::losers;
  std::size_t max_rounds = 0;  ///< 0: until there are no candidates
  /// Only these at first, as tiled ids at the surface's place. They ascend, or it is Error(bad_option); those
  /// that are there twice, and ids of nothing, are passed over.
  std::optional<std::span<const std::uint32_t>> active = std::nullopt;
  /// Refuses cavities that would join two vertices by a second edge, or three by a second face.
  bool keeps_edges_unique = true;
  /// No two cavities want the same face: conflicts need not be resolved. Where that is not so, at most one of
  /// them wins, and nobody can say which; a round without a winner is followed by rounds that resolve.
  bool are_disjoint = false;
  /// What became of the cavity of each seed, at the surface's place: as many as there are ids when the edit
  /// begins. `none` where nothing was declared; the last word where a seed was tried several times.
  std::optional<std::span<CavityOutcome>> outcomes = std::nullopt;
  std::function<void(const EditRound&)> watch;  ///< called after each round
  const Monitor* monitor = nullptr;             ///< asked between rounds; a stop leaves the last valid mesh
};

struct EditReport {
  std::size_t rounds = 0;
  std::size_t won = 0;
  EditRound last;
  bool is_done = false;  ///< no candidates were left
};

namespace detail {

/// The part of a round that does not depend on the operator. In the library, for both sides.
class EditEngine {
 public:
  EditEngine(const DynamicSurface& surface, Kind seeds, const EditOptions& options,
             const EditSets* sets = nullptr);
  EditEngine(const EditEngine&) = delete;
  EditEngine& operator=(const EditEngine&) = delete;
  ~EditEngine();

  [[nodiscard]] const Exec& exec() const;
  /// Chooses the candidates of the next round and returns their number; 0: the edit is over.
  [[nodiscard]] std::size_t begin_round();
  /// After cavities were declared: finds the winners, their boundaries and room for what they add. Returns
  /// a bound of their number: on a device nobody waits for it.
  [[nodiscard]] std::size_t resolve();
  /// After holes were filled. False if there was no room to fill them in: the round must be resolved again.
  [[nodiscard]] bool commit();
  /// Of the current phase.
  [[nodiscard]] const RoundView& view() const;
  [[nodiscard]] const EditReport& report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Asks the operator what should go, and claims the faces.
template <class Operator>
struct DeclareLoop {
  Operator op;
  RoundView round;

  TS_HD void operator()(std::size_t i) const {
    using Seed = typename Operator::Seed;
    if (i == 0) {
      for (std::uint32_t k = 0; k < round_counters; ++k) round.counters[k] = 0;
    }
    const std::uint32_t seed = round.candidate(i);
    round.is_declared[i] = 0;
    if (seed >= round.id_end) return;
    if (round.candidates != nullptr && i > 0 && round.candidates[i - 1] >= seed) {
      if (round.candidates[i - 1] > seed) round.is_declared[i] = RoundView::out_of_order;
      return;
    }
    round.next[seed] = 0;
    if (!contains(Seed(seed))) return;
    Cavity cavity = begin(Seed(seed));
    op.declare(cavity, Seed(seed));
    CavityRequest request = cavity.request();
    request.seed = seed;
    const NamedElements named = round.named(request);
    if (request.count == 0 || !named.are_there()) return;
    round.is_declared[i] = 1;
    round.requests[i] = request;
    const std::uint64_t claim = round.claim(seed, request.priority);
    if (round.are_disjoint) {
      named.for_each_face([&](std::uint32_t face) { store_relaxed(round.claims + face, claim); });
    } else {
      named.for_each_face([&](std::uint32_t face) { atomic_max(round.claims + face, claim); });
    }
  }

 private:
  template <class Seed>
  [[nodiscard]] TS_HD bool contains(Seed seed) const {
    if constexpr (std::is_same_v<Seed, SetId>)
      return true;
    else
      return round.mesh.contains(seed);
  }
  template <class Seed>
  [[nodiscard]] TS_HD Cavity begin(Seed seed) const {
    if constexpr (std::is_same_v<Seed, SetId>)
      return {round.mesh, round.sets.kind, round.sets.offsets[seed.index()],
              round.sets.offsets[seed.index() + 1]};
    else
      return Cavity(round.mesh);
  }
};

template <class Operator>
struct FillLoop {
  Operator op;
  RoundView round;

  TS_HD void operator()(std::size_t i) const {
    round.chord_counts[i] = 0;
    const bool has_room = round.has_room();
    for (std::uint32_t k = 0; i == 0 && !round.is_lean && k < 5; ++k)
      round.counters[room_counter + k] = round.places[round.bound].at[k];
    if (i == 0 && !has_room) round.be_short_of(short_of_room);
    if (!has_room || !round.is_winner(i)) return;
    CavityWork work = round.works[i];
    if (!round.is_lean) work.take(round.places[i]);
    if (work.outcome == CavityOutcome::won) {
      Hole hole(round, work);
      op.fill(hole);
      const std::uint32_t pairs = hole.close();
      round.chord_counts[i] = pairs;
      if (pairs != 0 && round.claims_chords) hole.claim_pairs();
    }
    if (work.outcome != CavityOutcome::won)
      add_to(round.counters + static_cast<std::uint32_t>(work.outcome), 1);
    else if (!work.is_regular)
      add_to(round.counters + irregular_counter, 1);
    round.works[i] = work;
    if (round.gives_back(work)) {
      store_relaxed(round.counters + given_counter, 1);
      if (round.skips_freed) round.be_short_of(short_of_freed);
    }
  }
};

/// Runs the rounds; loops through `run(exec, n, loop)`.
template <class Operator, class Run>
EditReport run_rounds(EditEngine& engine, const Operator& op, const Run& run) {
  while (const std::size_t candidates = engine.begin_round()) {
    run(engine.exec(), candidates, DeclareLoop<Operator>{op, engine.view()});
    do {
      const std::size_t winners = engine.resolve();
      run(engine.exec(), winners, FillLoop<Operator>{op, engine.view()});
    } while (!engine.commit());
  }
  return engine.report();
}
template <class Operator, class Run>
EditReport run_edit(const DynamicSurface& surface, const Operator& op, const EditOptions& options,
                    const Run& run) {
  using Seed = typename Operator::Seed;
  static_assert(!std::is_same_v<Seed, SetId>, "an operator of sets takes a CavitySets");
  constexpr Kind kind = std::is_same_v<Seed, tiled::VertexId> ? Kind::vertex
                        : std::is_same_v<Seed, tiled::EdgeId> ? Kind::edge
                                                              : Kind::face;
  EditEngine engine(surface, kind, options);
  return run_rounds(engine, op, run);
}
/// The same for sets.
template <class Operator, class Run>
EditReport run_edit(const DynamicSurface& surface, CavitySets& sets, const Operator& op,
                    const EditOptions& options, const Run& run) {
  static_assert(std::is_same_v<typename Operator::Seed, SetId>,
                "an operator of sets has a SetId as its seed");
  const EditSets gathered = sets.gather();
  EditEngine engine(surface, sets.kind(), options, &gathered);
  return run_rounds(engine, op, run);
}

}  // namespace detail

#if !defined(__CUDACC__)

/// Edits the surface with an operator: a struct with `using Seed`, `void declare(Cavity&, Seed) const` and
/// `void fill(Hole&) const`. Error(unsupported) for a surface on a device: a host compiler cannot make
/// kernels; edit.cuh can. Error(out_of_memory | out_of_device_memory) leaves the mesh of the last round.
template <class Operator>
EditReport edit(const DynamicSurface& surface, const Operator& op, const EditOptions& options = {}) {
  detail::RunOnHost::check(surface.exec());
  return detail::run_edit(surface, op, options, detail::RunOnHost{});
}
/// The same for sets of elements, in one round: what was lost can be put into sets again. The operator's Seed
/// is SetId; declare() finds what the set removes already named. A set with an element that is not there is
/// passed over.
template <class Operator>
EditReport edit(const DynamicSurface& surface, CavitySets& sets, const Operator& op,
                const EditOptions& options = {}) {
  detail::RunOnHost::check(surface.exec());
  return detail::run_edit(surface, sets, op, options, detail::RunOnHost{});
}

#endif

}  // namespace tessera
