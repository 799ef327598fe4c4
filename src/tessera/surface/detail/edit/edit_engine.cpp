#include <array>
#include <bit>
#include <chrono>
#include <optional>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/random.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/detail/edit/build_loops.h>
#include <tessera/surface/detail/edit/dynamic_store.h>
#include <tessera/surface/detail/edit/repair.h>
#include <tessera/surface/detail/edit/round_loops.h>
#include <tessera/surface/detail/run_loop.h>
#include <tessera/surface/edit.h>

namespace tessera::detail {

namespace {

/// A buffer that is kept from round to round and made anew only when it is too small.
template <class T>
[[nodiscard]] std::span<T> at_least(Buffer<T>& buffer, const Exec& exec, std::size_t size) {
  if (buffer.size() < size) {
    buffer = Buffer<T>();  // what was there is not needed
    buffer = Buffer<T>(exec, size + size / 8);
  }
  return buffer.span().first(size);
}

template <class T>
[[nodiscard]] T read(const Exec& exec, const T* from) {
  if (!exec.is_cuda()) return *from;
  T value;
  copy(exec, &value, from, sizeof(T), CopyKind::to_host);
  return value;
}

}  // namespace

struct EditEngine::State {
  DynamicStore& store;
  Exec exec;
  Kind seeds;
  EditOptions options;
  EditReport report = {};
  RoundView view = {};
  EditRound round = {};
  std::chrono::steady_clock::time_point begun = {};

  std::size_t candidates = 0;
  std::size_t cavities = 0;
  std::size_t winners = 0;
  std::array<std::uint32_t, 3> added = {0, 0, 0};
  std::size_t new_edge_count = 0;

  Buffer<std::uint32_t> candidate_list = {};
  Buffer<std::uint8_t> is_declared = {};
  Buffer<std::uint32_t> chosen = {};
  Buffer<CavityWork> works = {};
  Buffer<std::uint8_t> is_winner = {};
  Buffer<std::uint32_t> winner_list = {};
  Buffer<std::uint32_t> counts = {};
  Buffer<std::uint32_t> offsets = {};
  Buffer<std::uint32_t> faces = {};
  Buffer<std::uint32_t> boundary = {};
  Buffer<std::uint32_t> boundary_slot = {};
  Buffer<std::uint32_t> boundary_new = {};
  Buffer<std::uint32_t> new_corners = {};
  Buffer<std::uint32_t> new_edges = {};
  Buffer<std::uint32_t> new_ends = {};
  Buffer<std::uint32_t> new_sides = {};
  Buffer<std::uint32_t> vertex_room = {};
  Buffer<std::uint64_t> staged_room = {};
  Buffer<std::uint64_t> fresh_room = {};
  Buffer<std::uint64_t> chord_keys = {};
  Buffer<std::uint64_t> chord_claims = {};
  Buffer<std::uint32_t> counters = {};
  std::array<Buffer<std::uint32_t>, 3> freed = {};
  Buffer<std::uint32_t> freed_ids = {};
  Buffer<std::uint8_t> next = {};  ///< flags of the candidates of the next round, all of the kind

  void refresh() {
    view.mesh = EditMesh(store.arrays());
    view.claims = store.claims();
  }
  void find_winners();
  void shape_cavities();
  void make_room();
  void check_chords();
  void free_ids();
  void choose_next();
};

EditEngine::EditEngine(const DynamicSurface& surface, Kind seeds, const EditOptions& options)
    : state_(std::make_unique<State>(State{*surface.store(), surface.exec(), seeds, options})) {
  State& s = *state_;
  s.refresh();
  s.candidates = options.active ? options.active->size() : s.store.end(seeds);
  s.view.candidates = options.active ? options.active->data() : nullptr;
  s.counters = Buffer<std::uint32_t>(s.exec, round_counters);
}

EditEngine::~EditEngine() = default;

const Exec& EditEngine::exec() const {
  return state_->exec;
}
const RoundView& EditEngine::view() const {
  return state_->view;
}
const EditReport& EditEngine::report() const {
  return state_->report;
}

std::size_t EditEngine::begin_round() {
  State& s = *state_;
  if (s.candidates == 0) {
    s.report.is_done = true;
    return 0;
  }
  if (s.options.max_rounds != 0 && s.report.rounds == s.options.max_rounds) return 0;
  monitor_of(s.options.monitor).update("editing", 0);
  s.begun = std::chrono::steady_clock::now();
  s.round = {};
  s.round.candidates = s.candidates;
  s.view.number = s.store.next_round();
  s.view.salt = static_cast<std::uint32_t>(splitmix64(s.options.seed ^ splitmix64(s.report.rounds)));
  s.view.is_declared = at_least(s.is_declared, s.exec, s.candidates).data();
  return s.candidates;
}

std::size_t EditEngine::collect() {
  State& s = *state_;
  const std::span<std::uint32_t> chosen = at_least(s.chosen, s.exec, s.candidates);
  s.cavities = compact_indices(s.exec, s.is_declared.span().first(s.candidates), chosen);
  s.round.cavities = s.cavities;
  s.view.chosen = s.chosen.data();
  s.view.works = at_least(s.works, s.exec, s.cavities).data();
  return s.cavities;
}

void EditEngine::State::find_winners() {
  const std::span<std::uint8_t> flags = at_least(is_winner, exec, cavities);
  run_loop(exec, cavities, FlagWinners{works.data(), flags.data()});
  winners = compact_indices(exec, flags, at_least(winner_list, exec, cavities));
  view.winners = winner_list.data();
}

void EditEngine::State::shape_cavities() {
  const std::span<std::uint32_t> sizes = at_least(counts, exec, winners);
  const std::span<std::uint32_t> begins = at_least(offsets, exec, winners + 1);
  run_loop(exec, winners, CountFaces{works.data(), winner_list.data(), sizes.data()});
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, sizes, begins);
  const std::size_t total = read(exec, begins.data() + winners);
  RoundScratch& scratch = view.scratch;
  scratch.faces = at_least(faces, exec, total).data();
  scratch.boundary = at_least(boundary, exec, 3 * total).data();
  scratch.boundary_slot = at_least(boundary_slot, exec, 3 * total).data();
  scratch.boundary_new = at_least(boundary_new, exec, 3 * total).data();
  run_loop(exec, winners,
           ShapeCavities{view, begins.data(), at_least(vertex_room, exec, winners + 1).data(),
                         at_least(staged_room, exec, winners + 1).data(),
                         at_least(fresh_room, exec, winners + 1).data()});
}

void EditEngine::State::make_room() {
  const std::span<std::uint32_t> vertices = vertex_room.span().first(winners + 1);
  const std::span<std::uint64_t> staged = staged_room.span().first(winners + 1);
  const std::span<std::uint64_t> others = fresh_room.span().first(winners + 1);
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, vertices.first(winners), vertices);
  exclusive_scan<std::uint64_t, std::uint64_t>(exec, staged.first(winners), staged);
  exclusive_scan<std::uint64_t, std::uint64_t>(exec, others.first(winners), others);
  const std::uint64_t both = read(exec, others.data() + winners);
  added = {read(exec, vertices.data() + winners), static_cast<std::uint32_t>(both >> 32),
           static_cast<std::uint32_t>(both)};
  const std::uint64_t made = read(exec, staged.data() + winners);
  const auto edges = static_cast<std::uint32_t>(made >> 32);
  const auto new_faces = static_cast<std::uint32_t>(made);
  new_edge_count = edges;
  store.reserve(added);
  store.stage(edges, new_faces);
  refresh();
  RoundScratch& scratch = view.scratch;
  for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
    const auto k = static_cast<std::size_t>(kind);
    scratch.fresh[k] = store.fresh(kind, added[k]);
  }
  scratch.new_corners = at_least(new_corners, exec, 3 * std::size_t{new_faces}).data();
  scratch.new_edges = at_least(new_edges, exec, 3 * std::size_t{new_faces}).data();
  scratch.new_ends = at_least(new_ends, exec, 2 * std::size_t{edges}).data();
  scratch.new_sides = at_least(new_sides, exec, 2 * std::size_t{edges}).data();
  scratch.columns = store.column_table();
  scratch.column_count = store.column_count();
  run_loop(exec, winners, PlaceRoom{view, vertices.data(), staged.data(), others.data()});
}

std::size_t EditEngine::resolve() {
  State& s = *state_;
  s.winners = 0;
  s.added = {0, 0, 0};
  if (s.cavities == 0) return 0;
  s.find_winners();
  s.round.lost = s.cavities - s.winners;
  if (s.winners == 0) return 0;
  s.shape_cavities();
  s.make_room();
  return s.winners;
}

void EditEngine::State::check_chords() {
  if (!options.keeps_edges_unique || new_edge_count == 0) return;
  const std::span<std::uint32_t> chords = at_least(counts, exec, winners);
  run_loop(exec, winners, CheckChords{view, chords.data()});
  const std::uint32_t total = reduce_sum<std::uint32_t>(exec, chords);
  if (total < 2) return;
  const std::size_t size = std::bit_ceil(2 * std::size_t{total});
  const ChordTable table = {at_least(chord_keys, exec, size).data(), at_least(chord_claims, exec, size).data(),
                            size - 1};
  run_loop(exec, size, FillLongs{table.keys});
  run_loop(exec, size, FillLongs{table.claims});
  run_loop(exec, winners, ClaimChords{view, table});
  run_loop(exec, winners, ResolveChords{view, table});
}

void EditEngine::State::free_ids() {
  for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
    const auto k = static_cast<std::size_t>(kind);
    const std::span<std::uint32_t> begins = at_least(offsets, exec, winners + 1);
    exclusive_scan<std::uint32_t, std::uint32_t>(exec, freed[k].span().first(winners), begins);
    const std::uint32_t total = read(exec, begins.data() + winners);
    if (total != 0) {
      const std::span<std::uint32_t> ids = at_least(freed_ids, exec, total);
      run_loop(exec, winners,
               ListFreed{view, static_cast<std::uint32_t>(k), begins.data(), ids.data()});
    }
    store.take(kind, added[k]);
    if (total != 0) store.free(kind, freed_ids, total);
  }
}

void EditEngine::State::choose_next() {
  run_loop(exec, cavities, MarkAgain{works.data(), next.data(), round.won != 0});
  const std::size_t ids = store.end(seeds);
  if (candidate_list.size() < ids) candidate_list = Buffer<std::uint32_t>(exec, next.size());
  candidates = compact_indices(exec, next.span().first(ids), candidate_list.span());
  view.candidates = candidate_list.data();
  run_loop(exec, candidates, LowerFlags{candidate_list.data(), next.data()});
}

void EditEngine::commit() {
  State& s = *state_;
  const auto kind = static_cast<std::size_t>(s.seeds);
  const std::size_t ids = std::size_t{s.store.end(s.seeds)} + s.added[kind];
  if (s.next.size() < ids) {
    s.next = Buffer<std::uint8_t>();
    s.next = Buffer<std::uint8_t>(s.exec, ids + ids / 4);
    run_loop(s.exec, s.next.size(), FillBytes{s.next.data()});
  }
  if (s.winners != 0) {
    s.check_chords();
    run_loop(s.exec, round_counters, FillWords{s.counters.data(), 0});
    run_loop(s.exec, s.winners, CountOutcomes{s.view, s.counters.data()});
    const Array<std::uint32_t> failed = s.counters.to_host();
    const auto of = [&](CavityOutcome outcome) { return failed[static_cast<std::size_t>(outcome)]; };
    s.round.won = s.winners;
    for (std::size_t i = 0; i < irregular_counter; ++i) s.round.won -= failed[i];
    s.round.lost += of(CavityOutcome::lost);
    s.round.several_holes = of(CavityOutcome::several_holes);
    s.round.open = of(CavityOutcome::open);
    s.round.not_a_surface = of(CavityOutcome::not_a_surface);
    s.round.refused = of(CavityOutcome::refused);
    s.round.repeats_edge = of(CavityOutcome::repeats_edge);
    s.round.overfull = of(CavityOutcome::overfull);

    std::array<std::uint32_t, 3> ends = {};
    for (std::size_t k = 0; k < 3; ++k) {
      const FreshIds& fresh = s.view.scratch.fresh[k];
      ends[k] = fresh.end + (s.added[k] - fresh.freed_count);
    }
    std::optional<Repair> repair;
    if (failed[irregular_counter] != 0) repair.emplace(s.store, s.view, s.winners, ends);
    for (auto& freed : s.freed) (void)at_least(freed, s.exec, s.winners);
    run_loop(s.exec, s.winners,
             CommitCavities{s.view, s.store.arrays(), s.store.origins(Kind::vertex), s.store.origins(Kind::face),
                            s.seeds, s.next.data(), s.options.again == Again::touched,
                            {s.freed[0].data(), s.freed[1].data(), s.freed[2].data()}});
    s.free_ids();
    if (repair) repair->finish();
    s.refresh();
  }
  s.choose_next();
  ++s.report.rounds;
  s.report.won += s.round.won;
  s.round.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - s.begun).count();
  s.report.last = s.round;
  if (s.options.watch) s.options.watch(s.round);
}

}  // namespace tessera::detail
