#include <algorithm>
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

namespace {}  // namespace

struct EditEngine::State : EditScratch {
  State(DynamicStore& of, Kind kind, const EditOptions& given)
      : EditScratch(std::exchange(of.scratch, {})), store(of), exec(of.exec()), seeds(kind), options(given) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { store.scratch = std::move(static_cast<EditScratch&>(*this)); }

  DynamicStore& store;
  Exec exec;
  Kind seeds;
  EditOptions options;
  EditReport report = {};
  RoundView view = {};
  EditRound round = {};
  std::chrono::steady_clock::time_point begun = {};

  // A pass goes over a list of candidates, part by part; what it touches is the list of the next one.
  const std::uint32_t* list = nullptr;  ///< null: all
  std::size_t list_size = 0;
  std::size_t list_done = 0;

  std::size_t candidates = 0;
  std::size_t winners = 0;
  std::size_t removed_faces = 0;
  std::array<std::uint32_t, 3> added = {0, 0, 0};

  /// The beginning of a buffer, which is made anew if it is too small; what was there is not needed.
  template <class T>
  [[nodiscard]] std::span<T> at_least(Buffer<T>& buffer, std::size_t size) {
    if (buffer.size() < size) {
      const std::size_t generous = size + size / 8;
      buffer = Buffer<T>();
      store.check_room(bytes() + generous * sizeof(T));
      buffer = Buffer<T>(exec, generous);
    }
    return buffer.span().first(size);
  }
  void refresh() {
    view.mesh = EditMesh(store.arrays());
    view.claims = store.claims();
  }
  /// Room for a flag for each id of the seeds' kind; new ones are lowered.
  void make_flags(std::size_t ids);
  void begin_pass();
  void find_winners();
  void shape_cavities();
  [[nodiscard]] RoomTotals sum_up_room();
  void make_room();
  [[nodiscard]] Array<std::uint32_t> count_outcomes();
  void resolve_chords(std::size_t count);
  void reserve_freed();
  [[nodiscard]] std::array<std::uint32_t, 3> list_freed();
  void report_outcomes(const Array<std::uint32_t>& counted);
  void commit_winners();
};

namespace {

/// More candidates are taken part by part, which bounds the scratch memory and lets an element that an
/// earlier part has touched be looked at once. Fixed, so that results are the same everywhere.
constexpr std::size_t round_size = std::size_t{1} << 20;

}  // namespace

EditEngine::EditEngine(const DynamicSurface& surface, Kind seeds, const EditOptions& options)
    : state_(std::make_unique<State>(*surface.store(), seeds, options)) {
  State& s = *state_;
  s.refresh();
  s.make_flags(s.store.end(seeds));
  run_loop(s.exec, s.next.size(), FillBytes{s.next.data()});
  s.list_size = options.active ? options.active->size() : s.store.end(seeds);
  s.list = options.active ? options.active->data() : nullptr;
  (void)s.at_least(s.counters, round_counters);
  s.view.keeps_edges_unique = options.keeps_edges_unique;
  s.view.seeds_are_vertices = seeds == Kind::vertex;
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

void EditEngine::State::make_flags(std::size_t ids) {
  if (next.size() < ids) {
    store.check_room(bytes() + ids + ids / 4);
    Buffer<std::uint8_t> larger(exec, ids + ids / 4);
    run_loop(exec, larger.size(), FillBytes{larger.data()});
    if (!next.empty()) run_loop(exec, next.size(), CopyBytes{next.data(), larger.data()});
    next = std::move(larger);
  }
  view.next = next.data();
}

void EditEngine::State::begin_pass() {
  const std::size_t ids = store.end(seeds);
  list_size = compact_indices(exec, next.span().first(ids), at_least(candidate_list, ids));
  list = candidate_list.data();
  list_done = 0;
}

std::size_t EditEngine::begin_round() {
  State& s = *state_;
  if (s.list_done == s.list_size && s.report.rounds != 0) s.begin_pass();
  if (s.list_done == s.list_size) {
    s.report.is_done = true;
    return 0;
  }
  if (s.options.max_rounds != 0 && s.report.rounds == s.options.max_rounds) return 0;
  monitor_of(s.options.monitor).update("editing", 0);
  s.begun = std::chrono::steady_clock::now();
  s.candidates = std::min(s.list_size - s.list_done, round_size);
  s.view.candidates = s.list == nullptr ? nullptr : s.list + s.list_done;
  s.view.first = static_cast<std::uint32_t>(s.list_done);
  s.list_done += s.candidates;
  s.round = {};
  s.round.candidates = s.candidates;
  s.view.id_end = s.store.end(s.seeds);
  s.view.number = s.store.next_round();
  s.view.salt = static_cast<std::uint32_t>(splitmix64(s.options.seed ^ splitmix64(s.report.rounds)));
  s.view.is_declared = s.at_least(s.is_declared, s.candidates).data();
  s.view.requests = s.at_least(s.requests, s.candidates).data();
  return s.candidates;
}

// The host waits for a device a few times a round and once more a pass: for the number of winners, for the
// faces they remove, for the room they need, for their outcomes, and for the ids they give back.

void EditEngine::State::find_winners() {
  const std::span<std::uint8_t> flags = at_least(is_winner, candidates);
  const std::span<std::uint32_t> sizes = at_least(face_counts, candidates);
  run_loop(exec, round_counters, FillWords{counters.data(), 0});
  run_loop(exec, candidates, FindWinners{view, flags.data(), sizes.data(), counters.data()});
  const std::span<std::uint32_t> list_of_winners = at_least(winner_list, candidates);
  winners = compact_indices(exec, flags, list_of_winners);
  view.winners = list_of_winners.data();
  run_loop(exec, winners,
           GatherWords{sizes.data(), list_of_winners.data(), at_least(counts, winners).data()});
}

void EditEngine::State::shape_cavities() {
  const std::span<std::uint32_t> begins = at_least(offsets, winners + 1);
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, counts.span().first(winners), begins);
  const std::size_t total = read_word(exec, begins.data() + winners);
  removed_faces = total;
  RoundScratch& scratch = view.scratch;
  scratch.faces = at_least(faces, total).data();
  scratch.boundary = at_least(boundary[0], 3 * total).data();
  scratch.boundary_slot = at_least(boundary[1], 3 * total).data();
  scratch.boundary_new = at_least(boundary[2], 3 * total).data();
  view.works = at_least(works, winners).data();
  run_loop(exec, winners,
           ShapeCavities{view, begins.data(), at_least(vertex_room, winners + 1).data(),
                         at_least(other_room[0], winners + 1).data(),
                         at_least(other_room[1], winners + 1).data()});
}

RoomTotals EditEngine::State::sum_up_room() {
  const std::span<std::uint32_t> vertices = vertex_room.span().first(winners + 1);
  const std::span<std::uint64_t> staged = other_room[0].span().first(winners + 1);
  const std::span<std::uint64_t> fresh = other_room[1].span().first(winners + 1);
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, vertices.first(winners), vertices);
  exclusive_scan<std::uint64_t, std::uint64_t>(exec, staged.first(winners), staged);
  exclusive_scan<std::uint64_t, std::uint64_t>(exec, fresh.first(winners), fresh);
  view.vertex_places = vertices.data();
  view.staged_places = staged.data();
  view.fresh_places = fresh.data();
  run_loop(exec, 1,
           CollectTotals{vertices.data() + winners, staged.data() + winners, fresh.data() + winners,
                         at_least(totals, 1).data()});
  return totals.to_host(1)[0];
}

void EditEngine::State::make_room() {
  const RoomTotals room = sum_up_room();
  added = {static_cast<std::uint32_t>(room.vertices), static_cast<std::uint32_t>(room.fresh >> 32),
           static_cast<std::uint32_t>(room.fresh)};
  const auto made_edges = static_cast<std::uint32_t>(room.staged >> 32);
  const auto made_faces = static_cast<std::uint32_t>(room.staged);
  store.reserve(added);
  reserve_freed();
  store.stage(made_edges, made_faces);
  make_flags(std::size_t{store.end(seeds)} + added[static_cast<std::size_t>(seeds)]);
  refresh();
  RoundScratch& scratch = view.scratch;
  for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
    const auto k = static_cast<std::size_t>(kind);
    scratch.fresh[k] = store.fresh(kind, added[k]);
  }
  scratch.new_corners = at_least(new_faces[0], 3 * std::size_t{made_faces}).data();
  scratch.new_edges = at_least(new_faces[1], 3 * std::size_t{made_faces}).data();
  scratch.new_ends = at_least(new_edges[0], 2 * std::size_t{made_edges}).data();
  scratch.new_sides = at_least(new_edges[1], 2 * std::size_t{made_edges}).data();
  scratch.columns = store.column_table();
  scratch.column_count = store.column_count();
  view.chord_counts = at_least(chord_counts, winners + 1).data();
}

std::size_t EditEngine::resolve() {
  State& s = *state_;
  s.added = {0, 0, 0};
  s.find_winners();
  if (s.winners == 0) return 0;
  s.shape_cavities();
  s.make_room();
  return s.winners;
}

Array<std::uint32_t> EditEngine::State::count_outcomes() {
  const std::span<std::uint32_t> all = chord_counts.span().first(winners + 1);
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, all.first(winners), at_least(offsets, winners + 1));
  run_loop(exec, 1, CopyWords{offsets.data() + winners, counters.data() + chord_counter});
  run_loop(exec, winners, CountOutcomes{view, counters.data()});
  return counters.to_host(round_counters);
}

void EditEngine::State::resolve_chords(std::size_t count) {
  const std::size_t size = std::bit_ceil(2 * count);
  const ChordTable table = {at_least(chords, size).data(), size - 1};
  run_loop(exec, size, ClearChords{table});
  run_loop(exec, winners, ClaimChords{view, table});
  run_loop(exec, winners, ResolveChords{view, table, counters.data()});
}

/// Takes room for the ids that may be given back, before pointers to those that were are handed out.
void EditEngine::State::reserve_freed() {
  const std::array<std::size_t, 3> most = {added[0] + 3 * winners, added[1] + 3 * removed_faces,
                                           added[2] + removed_faces};
  for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
    const auto k = static_cast<std::size_t>(kind);
    store.reserve_freed(kind, most[k]);
    (void)at_least(freed[k], winners);
    (void)at_least(freed_begins[k], winners + 1);
  }
}

/// Lists the ids that will be given back, so that nothing can fail once the commit has begun.
std::array<std::uint32_t, 3> EditEngine::State::list_freed() {
  run_loop(exec, winners, CountFreed{view, {freed[0].data(), freed[1].data(), freed[2].data()}});
  CollectWords sums = {{}, counters.data()};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::span<std::uint32_t> begins = freed_begins[k].span().first(winners + 1);
    exclusive_scan<std::uint32_t, std::uint32_t>(exec, freed[k].span().first(winners), begins);
    sums.from[k] = begins.data() + winners;
  }
  run_loop(exec, 3, sums);
  const Array<std::uint32_t> counted = counters.to_host(3);
  for (std::size_t k = 0; k < 3; ++k) {
    run_loop(exec, counted[k] == 0 ? 0 : winners,
             ListFreed{view, static_cast<std::uint32_t>(k), freed_begins[k].data(),
                       at_least(freed_ids[k], counted[k]).data()});
  }
  return {counted[0], counted[1], counted[2]};
}

void EditEngine::State::report_outcomes(const Array<std::uint32_t>& counted) {
  const auto of = [&](CavityOutcome outcome) { return counted[static_cast<std::size_t>(outcome)]; };
  round.cavities = winners + counted[loser_counter];
  round.won = winners;
  for (std::size_t i = 0; i < irregular_counter; ++i) round.won -= counted[i];
  round.lost = counted[loser_counter] + of(CavityOutcome::lost);
  round.several_holes = of(CavityOutcome::several_holes);
  round.open = of(CavityOutcome::open);
  round.not_a_surface = of(CavityOutcome::not_a_surface);
  round.refused = of(CavityOutcome::refused);
  round.repeats_edge = of(CavityOutcome::repeats_edge);
  round.repeats_face = of(CavityOutcome::repeats_face);
  round.overfull = of(CavityOutcome::overfull);
  round.unclear = of(CavityOutcome::unclear);
  round.irregular = counted[irregular_counter];
}

void EditEngine::State::commit_winners() {
  const Array<std::uint32_t> filled = count_outcomes();
  report_outcomes(filled);
  if (filled[chord_counter] > 1) {
    resolve_chords(filled[chord_counter]);
    report_outcomes(counters.to_host(round_counters));
  }
  const std::array<std::uint32_t, 3> given_back = list_freed();
  std::optional<Repair> repair;
  if (round.irregular != 0) {
    std::array<std::uint32_t, 3> ends = {};
    for (std::size_t k = 0; k < 3; ++k) {
      const FreshIds& fresh = view.scratch.fresh[k];
      ends[k] = fresh.end + (added[k] - fresh.freed_count);
    }
    repair.emplace(store, view, winners, ends);
  }
  run_loop(exec, winners,
           CommitCavities{view, store.arrays(), store.origins(Kind::vertex), store.origins(Kind::face), seeds,
                          options.again == Again::touched, round.won != 0});
  for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
    const auto k = static_cast<std::size_t>(kind);
    store.take(kind, added[k]);
    store.free(kind, freed_ids[k], given_back[k]);
  }
  if (repair) repair->finish();
  refresh();
}

void EditEngine::commit() {
  State& s = *state_;
  if (s.winners != 0) {
    s.commit_winners();
  } else {
    s.report_outcomes(s.counters.to_host(round_counters));
  }
  ++s.report.rounds;
  s.report.won += s.round.won;
  s.round.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - s.begun).count();
  s.report.last = s.round;
  if (s.options.watch) s.options.watch(s.round);
}

}  // namespace tessera::detail
