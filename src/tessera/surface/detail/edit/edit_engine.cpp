#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
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

/// More candidates are taken part by part, which bounds the scratch memory and lets an element that an
/// earlier part has touched be looked at once. Fixed, so that results are the same everywhere.
constexpr std::size_t round_size = std::size_t{1} << 20;

constexpr std::array<Kind, 3> kinds = {Kind::vertex, Kind::edge, Kind::face};
/// Of the ids that new elements of each kind take.
constexpr std::array<std::uint32_t, 3> fresh_counters = {std::uint32_t{room_counter} + new_vertices,
                                                         std::uint32_t{room_counter} + fresh_edges,
                                                         std::uint32_t{room_counter} + fresh_faces};

[[nodiscard]] constexpr std::size_t with_reserve(std::size_t size) {
  return size + size / 8 + 64;
}

}  // namespace

// A round is queued on a device as a whole: each of its loops runs up to a bound and looks for the true
// number in the counters, and the host waits once, at the end. Should there be too little memory for a part
// of it, the loops after it do nothing, and the round is resolved again, carefully: the host then waits for
// each number and takes as much memory as is needed. On the host itself rounds are always careful.
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
  std::optional<EditSets> sets;
  EditReport report = {};
  RoundView view = {};
  EditRound round = {};
  std::chrono::steady_clock::time_point begun = {};

  // A pass goes over a list of candidates, part by part; what it touches is the list of the next one.
  const std::uint32_t* list = nullptr;  ///< null: all
  std::size_t list_size = 0;
  std::size_t list_done = 0;

  bool is_careful = true;
  // What the round before was like, the next will be: flips neither need ids nor give them back.
  bool was_lean = false;
  bool gave_nothing_back = false;
  std::size_t pairs_a_winner = 1;  ///< that only one cavity may make
  std::size_t candidates = 0;
  std::size_t bound = 0;      ///< of the winners
  Array<std::uint32_t> seen;  ///< the counters at the end of a round

  /// The beginning of a buffer, which is made anew if it is too small; what was there is not needed.
  template <class T>
  [[nodiscard]] std::span<T> at_least(Buffer<T>& buffer, std::size_t size) {
    if (buffer.size() < size) {
      buffer = Buffer<T>();
      store.check_room(bytes() + with_reserve(size) * sizeof(T));
      buffer = Buffer<T>(exec, with_reserve(size));
    }
    return buffer.span().first(size);
  }
  /// Without room for a winner nobody would notice that there are some.
  [[nodiscard]] bool must_be_careful() const { return !store.queues_rounds || view.memory.winners == 0; }
  [[nodiscard]] std::size_t id_end() const { return sets ? sets->count : store.end(seeds); }
  [[nodiscard]] std::size_t id_capacity() const { return sets ? sets->count : store.capacity(seeds); }

  void look_at_memory();
  void make_flags();
  void find_winners();
  void shape_cavities();
  void make_room();
  void stage(std::size_t edges, std::size_t made_faces);
  void prepare_chords();
  void claim_chords();
  void resolve_chords();
  [[nodiscard]] bool gives_back() const;
  void list_freed();
  void queue_commit(bool waits);
  void queue_next_pass();
  void end_round();
  void end_carefully();
  void commit_irregular();
  void take_ids();
  void report_outcomes();
};

EditEngine::EditEngine(const DynamicSurface& surface, Kind seeds, const EditOptions& options,
                       const EditSets* sets)
    : state_(std::make_unique<State>(*surface.store(), seeds, options)) {
  State& s = *state_;
  if (sets != nullptr) {
    if (options.active || options.again != Again::losers)
      throw Error(ErrorCode::bad_option,
                  "sets are all tried, and once: an edit of sets takes no `active` and no `again`");
    if (sets->count > round_size) {
      throw Error(ErrorCode::bad_option, "an edit takes up to " + std::to_string(round_size) + " sets, not " +
                                             std::to_string(sets->count));
    }
    s.sets = *sets;
  }
  s.make_flags();
  run_loop(s.exec, s.next.size(), FillBytes{s.next.data()});
  s.list_size = options.active ? options.active->size() : s.id_end();
  s.list = options.active ? options.active->data() : nullptr;
  s.view.counters = s.at_least(s.counters, round_counters).data();
  s.view.keeps_edges_unique = options.keeps_edges_unique;
  s.view.are_disjoint = options.are_disjoint;
  s.view.seeds_are_vertices = seeds == Kind::vertex && sets == nullptr;
  if (sets != nullptr) s.view.sets = sets->lists;
  if (options.outcomes) {
    TS_EXPECTS(options.outcomes->size() >= s.id_end());
    s.view.outcomes = reinterpret_cast<std::uint8_t*>(options.outcomes->data());
    s.view.outcome_end = static_cast<std::uint32_t>(options.outcomes->size());
    run_loop(s.exec, options.outcomes->size(), FillBytes{s.view.outcomes});
  }
  s.look_at_memory();
  s.is_careful = s.must_be_careful();
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

/// Sees how much memory there is, and where.
void EditEngine::State::look_at_memory() {
  const auto count = [](const auto& buffer) { return static_cast<std::uint32_t>(buffer.size()); };
  view.mesh = EditMesh(store.arrays());
  view.claims = store.claims();
  view.works = works.data();
  view.chord_counts = counts.data();
  view.places = rooms.data();
  RoundScratch& scratch = view.scratch;
  RoundMemory& memory = view.memory;
  scratch.faces = faces.data();
  scratch.boundary = boundary.data();
  scratch.new_faces = new_faces.data();
  scratch.new_edges = new_edges.data();
  scratch.columns = store.column_table();
  scratch.column_count = store.column_count();
  memory.winners = std::min({count(works), count(counts), std::max(count(offsets), 1u) - 1,
                             std::max(count(rooms), 1u) - 1, std::max(count(freed), 1u) - 1});
  memory.faces = std::min(count(faces), count(boundary) / 3);
  memory.room = {{store.spare(Kind::vertex), count(new_edges), count(new_faces), store.spare(Kind::edge),
                  store.spare(Kind::face)}};
  memory.room.at[staged_edges] = std::min(memory.room.at[staged_edges], store.staged_room(Kind::edge));
  memory.room.at[staged_faces] = std::min(memory.room.at[staged_faces], store.staged_room(Kind::face));
  for (const Kind kind : kinds) {
    const auto k = static_cast<std::size_t>(kind);
    scratch.fresh[k] = store.fresh(kind);
    memory.freed.at[k] = store.freed_room(kind);
  }
}

/// A flag for each id that there is room for; new ones are lowered.
void EditEngine::State::make_flags() {
  const std::size_t ids = id_capacity();
  if (next.size() < ids) {
    store.check_room(bytes() + ids);
    Buffer<std::uint8_t> larger(exec, ids);
    run_loop(exec, larger.size(), FillBytes{larger.data()});
    if (!next.empty()) run_loop(exec, next.size(), CopyBytes{next.data(), larger.data()});
    next = std::move(larger);
  }
  view.next = next.data();
}

std::size_t EditEngine::begin_round() {
  State& s = *state_;
  if (s.list_done == s.list_size && s.report.rounds != 0 && !s.sets) {
    s.list_size = s.seen[next_counter];
    s.list = s.candidate_list.data();
    s.list_done = 0;
  }
  if (s.list_done == s.list_size) {
    s.report.is_done = !s.sets || s.report.last.lost == 0;
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
  s.view.id_end = static_cast<std::uint32_t>(s.id_end());
  s.view.number = s.store.next_round();
  s.view.salt = static_cast<std::uint32_t>(splitmix64(s.options.seed ^ splitmix64(s.report.rounds)));
  s.view.is_declared = s.at_least(s.is_declared, s.candidates).data();
  s.view.requests = s.at_least(s.requests, s.candidates).data();
  return s.candidates;
}

std::size_t EditEngine::resolve() {
  State& s = *state_;
  s.find_winners();
  if (s.bound == 0) return 0;
  s.shape_cavities();
  s.make_room();
  s.prepare_chords();
  return s.bound;
}

void EditEngine::State::find_winners() {
  const std::span<std::uint8_t> flags = at_least(is_winner, candidates);
  const std::span<std::uint32_t> sizes = at_least(face_counts, candidates);
  const std::span<std::uint32_t> list_of_winners = at_least(winner_list, candidates);
  view.winners = list_of_winners.data();
  if (is_careful) run_loop(exec, round_counters, FillWords{counters.data(), 0});
  view.is_lean = !is_careful && was_lean;
  view.skips_freed = !is_careful && gave_nothing_back;
  run_loop(exec, candidates, FindWinners{view, flags.data(), sizes.data()});
  compact_indices(exec, flags, list_of_winners, counters.data() + winner_counter);
  bound = std::min<std::size_t>(candidates, view.memory.winners);
  if (is_careful) {
    bound = read_word(exec, counters.data() + winner_counter);
    (void)at_least(works, bound);
    (void)at_least(counts, bound);
    (void)at_least(offsets, bound + 1);
    (void)at_least(rooms, bound + 1);
    (void)at_least(freed, bound + 1);
    look_at_memory();
  }
  view.bound = static_cast<std::uint32_t>(bound);
}

void EditEngine::State::shape_cavities() {
  const std::uint32_t* begins = nullptr;
  if (is_careful) {
    const std::span<std::uint32_t> sizes = counts.span().first(bound);
    const std::span<std::uint32_t> scanned = offsets.span().first(bound + 1);
    run_loop(exec, bound, CountFaces{view, face_counts.data(), sizes.data()});
    exclusive_scan<std::uint32_t, std::uint32_t>(exec, sizes, scanned);
    const std::size_t total = read_word(exec, scanned.data() + bound);
    (void)at_least(faces, total);
    (void)at_least(boundary, 3 * total);
    look_at_memory();
    begins = scanned.data();
  }
  run_loop(exec, bound, ShapeCavities{view, begins, face_counts.data(), rooms.data()});
}

void EditEngine::State::make_room() {
  if (view.is_lean) return;
  if (is_careful && read_word(exec, counters.data() + fresh_counter) == 0) {
    view.is_lean = true;
    const std::uint32_t total = read_word(exec, offsets.data() + bound);
    stage(total, total);
    return;
  }
  const std::span<Sums<5>> places = rooms.span().first(bound + 1);
  exclusive_scan<Sums<5>, Sums<5>>(exec, places.first(bound), places);
  if (is_careful) {
    Sums<5> total;
    for (std::uint32_t k = 0; k < 5; ++k) total.at[k] = read_word(exec, places.data()[bound].at + k);
    store.reserve({total.at[new_vertices], total.at[fresh_edges], total.at[fresh_faces]});
    stage(total.at[staged_edges], total.at[staged_faces]);
  }
}

void EditEngine::State::stage(std::size_t edges, std::size_t made_faces) {
  (void)at_least(new_edges, edges);
  (void)at_least(new_faces, made_faces);
  store.stage(static_cast<std::uint32_t>(new_edges.size()), static_cast<std::uint32_t>(new_faces.size()));
  make_flags();
  look_at_memory();
}

/// Makes the table of pairs before holes are filled, if their number can be guessed: the filling then claims
/// them.
void EditEngine::State::prepare_chords() {
  view.resolves_chords = false;
  view.claims_chords = !is_careful && options.keeps_edges_unique && !chords.empty();
  if (!view.claims_chords) return;
  const std::uint32_t most = std::bit_floor(static_cast<std::uint32_t>(chords.size()));
  view.chords = {chords.data(), std::min(most, ChordTable::size_for(pairs_a_winner * bound))};
  view.resolves_chords = view.is_lean && view.skips_freed;
  run_loop(exec, view.chords.size, ClearChords{view.chords});
}

/// After holes were filled without it.
void EditEngine::State::claim_chords() {
  const std::span<std::uint32_t> begins = offsets.span().first(bound + 1);
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, counts.span().first(bound), begins);
  const std::uint32_t pairs = read_word(exec, begins.data() + bound);
  const std::size_t winners = read_word(exec, counters.data() + winner_counter);
  pairs_a_winner = winners == 0 ? 1 : (pairs + winners - 1) / winners;
  view.chords = {nullptr, ChordTable::size_for(pairs)};
  view.chords.entries = at_least(chords, view.chords.size).data();
  run_loop(exec, view.chords.size, ClearChords{view.chords});
  run_loop(exec, bound, ClaimChords{view});
}

void EditEngine::State::resolve_chords() {
  if (view.resolves_chords) return;
  if (!view.claims_chords) claim_chords();
  run_loop(exec, bound, ResolveChords{view});
}

/// May ids be given back, or will the round have to be looked at closely?
bool EditEngine::State::gives_back() const {
  if (!is_careful) return !view.skips_freed;
  return read_word(exec, counters.data() + given_counter) != 0 ||
         read_word(exec, counters.data() + irregular_counter) != 0;
}

/// Lists the ids that will be given back, so that nothing can fail once the commit has begun.
void EditEngine::State::list_freed() {
  const std::span<Sums<3>> begins = freed.span().first(bound + 1);
  run_loop(exec, bound, CountFreed{view, begins.data()});
  exclusive_scan<Sums<3>, Sums<3>>(exec, begins.first(bound), begins);
  if (is_careful) {
    for (const Kind kind : kinds) {
      const auto k = static_cast<std::size_t>(kind);
      store.reserve_freed(kind, read_word(exec, begins.data()[bound].at + k));
    }
    look_at_memory();
  }
  run_loop(
      exec, bound,
      ListFreed{view,
                begins.data(),
                {store.freed_end(Kind::vertex), store.freed_end(Kind::edge), store.freed_end(Kind::face)}});
}

void EditEngine::State::queue_commit(bool waits) {
  const Marks marks = sets                              ? Marks::nothing
                      : options.again == Again::touched ? Marks::touched
                                                        : Marks::losers;
  run_loop(exec, bound,
           CommitCavities{view, store.arrays(), store.origins(Kind::vertex), store.origins(Kind::face), seeds,
                          marks, waits});
}

void EditEngine::State::queue_next_pass() {
  if (list_done != list_size || sets) return;
  const std::span<std::uint32_t> ids = at_least(candidate_list, next.size());
  compact_indices(exec, next.span(), ids, counters.data() + next_counter);
}

/// Vertices and edges that need a closer look have stopped the commit.
void EditEngine::State::commit_irregular() {
  std::array<std::uint32_t, 3> ends = {};
  for (const Kind kind : kinds) {
    const auto k = static_cast<std::size_t>(kind);
    const std::uint32_t added = seen[fresh_counters[k]];
    const std::uint32_t reused = std::min(added, store.fresh(kind).freed_count);
    ends[k] = store.end(kind) + (added - reused);
  }
  bound = seen[winner_counter];
  view.bound = seen[winner_counter];
  Repair repair(store, view, bound, ends);
  store.reserve_freed(Kind::edge, seen[freed_counter + 1] + repair.edge_count());
  look_at_memory();
  const std::array<std::uint32_t*, 3> lists = {store.freed_end(Kind::vertex), store.freed_end(Kind::edge),
                                               store.freed_end(Kind::face)};
  run_loop(exec, bound, ListFreed{view, freed.data(), {lists[0], lists[1], lists[2]}});
  queue_commit(false);
  take_ids();
  repair.finish();
  queue_next_pass();
  seen[next_counter] = read_word(exec, counters.data() + next_counter);
}

void EditEngine::State::take_ids() {
  for (const Kind kind : kinds) {
    const auto k = static_cast<std::size_t>(kind);
    store.take(kind, seen[fresh_counters[k]]);
    store.add_freed(kind, seen[freed_counter + k]);
  }
}

void EditEngine::State::report_outcomes() {
  const auto of = [&](CavityOutcome outcome) { return seen[static_cast<std::size_t>(outcome)]; };
  const std::uint32_t winners = seen[winner_counter];
  round.cavities = winners + seen[loser_counter];
  round.won = winners;
  for (std::size_t i = 0; i < irregular_counter; ++i) round.won -= seen[i];
  round.lost = seen[loser_counter] + seen[chord_loser_counter] + of(CavityOutcome::lost);
  round.several_holes = of(CavityOutcome::several_holes);
  round.open = of(CavityOutcome::open);
  round.not_a_surface = of(CavityOutcome::not_a_surface);
  round.refused = of(CavityOutcome::refused);
  round.repeats_edge = of(CavityOutcome::repeats_edge);
  round.repeats_face = of(CavityOutcome::repeats_face);
  round.overfull = of(CavityOutcome::overfull);
  round.unclear = of(CavityOutcome::unclear);
  round.irregular = seen[irregular_counter];
}

/// Queues a commit and waits for the counters.
void EditEngine::State::end_round() {
  queue_commit(true);
  std::exception_ptr failure;  // which must not keep what is committed from being counted
  try {
    queue_next_pass();
  } catch (...) {
    failure = std::current_exception();
  }
  seen = counters.to_host(round_counters);
  if (failure && seen[short_counter] == 0 && seen[irregular_counter] == 0) take_ids();
  if (failure) std::rethrow_exception(failure);
}

/// Ends a round for which there was too little memory after its holes were filled. They are filled once: a
/// filling may have written what it will read.
void EditEngine::State::end_carefully() {
  is_careful = true;
  const bool are_chords_claimed = view.claims_chords && (seen[short_counter] & short_of_chords) == 0;
  const bool are_chords_resolved = are_chords_claimed && !view.resolves_chords;
  run_loop(exec, 1, FillWords{counters.data() + short_counter, 0});
  view.resolves_chords = false;
  view.claims_chords = are_chords_claimed;
  view.skips_freed = false;
  if (options.keeps_edges_unique && !are_chords_resolved) resolve_chords();
  list_freed();
  end_round();
}

bool EditEngine::commit() {
  State& s = *state_;
  if (s.bound != 0 && s.options.keeps_edges_unique) s.resolve_chords();
  if (s.bound != 0 && s.gives_back()) s.list_freed();
  s.end_round();
  if ((s.seen[short_counter] & not_ascending) != 0)
    throw Error(ErrorCode::bad_option, "the ids of the active elements do not ascend");
  if ((s.seen[short_counter] & short_of_room) != 0) {
    s.is_careful = true;
    return false;
  }
  if (s.seen[short_counter] != 0 || (s.seen[irregular_counter] != 0 && s.view.skips_freed)) s.end_carefully();
  s.report_outcomes();
  s.was_lean = s.view.is_lean;
  s.gave_nothing_back =
      s.seen[freed_counter] == 0 && s.seen[freed_counter + 1] == 0 && s.seen[freed_counter + 2] == 0;
  if (s.round.irregular != 0)
    s.commit_irregular();
  else
    s.take_ids();
  s.look_at_memory();
  s.is_careful = s.must_be_careful();
  if (s.round.won == 0 && s.round.lost != 0) s.view.are_disjoint = false;  // they were not
  ++s.report.rounds;
  s.report.won += s.round.won;
  s.round.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - s.begun).count();
  s.report.last = s.round;
  if (s.options.watch) s.options.watch(s.round);
  return true;
}

}  // namespace tessera::detail
