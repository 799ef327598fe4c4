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
  /// Only these at first, as tiled ids at the surface's place, ascending and each once; others are passed
  /// over.
  std::optional<std::span<const std::uint32_t>> active = std::nullopt;
  /// Refuses cavities that would join two vertices by a second edge, or three by a second face.
  bool keeps_edges_unique = true;
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
  EditEngine(const DynamicSurface& surface, Kind seeds, const EditOptions& options);
  EditEngine(const EditEngine&) = delete;
  EditEngine& operator=(const EditEngine&) = delete;
  ~EditEngine();

  [[nodiscard]] const Exec& exec() const;
  /// Chooses the candidates of the next round and returns their number; 0: the edit is over.
  [[nodiscard]] std::size_t begin_round();
  /// After cavities were declared: finds the winners, their boundaries and room for what they add. Returns
  /// their number.
  [[nodiscard]] std::size_t resolve();
  /// After holes were filled.
  void commit();
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
    const std::uint32_t seed = round.candidate(i);
    round.is_declared[i] = 0;
    if (seed >= round.id_end) return;
    if (round.candidates != nullptr && i > 0 && round.candidates[i - 1] >= seed) return;  // not ascending
    round.next[seed] = 0;
    if (!round.mesh.contains(Seed(seed))) return;
    Cavity cavity(round.mesh);
    op.declare(cavity, Seed(seed));
    const CavityRequest& request = cavity.request();
    if (request.count == 0 || !names_elements(request)) return;
    round.is_declared[i] = 1;
    round.requests[i] = request;
    round.requests[i].seed = seed;
    const std::uint64_t claim = round.claim(seed, request.priority);
    for_each_removed_face(round.mesh, request,
                          [&](std::uint32_t face) { atomic_max(round.claims + face, claim); });
  }

 private:
  [[nodiscard]] TS_HD bool names_elements(const CavityRequest& request) const {
    for (std::uint32_t k = 0; k < request.count; ++k) {
      const std::uint32_t id = request.elements[k];
      const bool is_there = request.removes(Kind::vertex) ? round.mesh.contains(tiled::VertexId(id))
                            : request.removes(Kind::edge) ? round.mesh.contains(tiled::EdgeId(id))
                                                          : round.mesh.contains(tiled::FaceId(id));
      if (!is_there) return false;
    }
    return true;
  }
};

template <class Operator>
struct FillLoop {
  Operator op;
  RoundView round;

  TS_HD void operator()(std::size_t i) const {
    CavityWork& work = round.works[i];
    work.fresh[0] = round.vertex_places[i];
    work.fresh[1] = static_cast<std::uint32_t>(round.fresh_places[i] >> 32);
    work.fresh[2] = static_cast<std::uint32_t>(round.fresh_places[i]);
    work.staged[0] = static_cast<std::uint32_t>(round.staged_places[i] >> 32);
    work.staged[1] = static_cast<std::uint32_t>(round.staged_places[i]);
    round.chord_counts[i] = 0;
    if (work.outcome != CavityOutcome::won) return;
    Hole hole(round, work);
    op.fill(hole);
    round.chord_counts[i] = hole.close();
  }
};

/// Runs the rounds; loops through `run(exec, n, loop)`.
template <class Operator, class Run>
EditReport run_edit(const DynamicSurface& surface, const Operator& op, const EditOptions& options,
                    const Run& run) {
  using Seed = typename Operator::Seed;
  constexpr Kind kind = std::is_same_v<Seed, tiled::VertexId> ? Kind::vertex
                        : std::is_same_v<Seed, tiled::EdgeId> ? Kind::edge
                                                              : Kind::face;
  EditEngine engine(surface, kind, options);
  while (const std::size_t candidates = engine.begin_round()) {
    run(engine.exec(), candidates, DeclareLoop<Operator>{op, engine.view()});
    const std::size_t winners = engine.resolve();
    run(engine.exec(), winners, FillLoop<Operator>{op, engine.view()});
    engine.commit();
  }
  return engine.report();
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

#endif

}  // namespace tessera
