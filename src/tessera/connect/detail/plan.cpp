#include <tessera/connect/detail/account.h>
#include <tessera/connect/plan.h>

#include <algorithm>
#include <limits>
#include <string>

#include <tessera/core/error.h>

namespace tessera {

using namespace detail;

namespace {

std::string list_names(std::span<const RelationKey> keys) {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) text += i + 1 == keys.size() ? " and " : ", ";
    text += keys[i].name();
  }
  return text;
}

std::string_view mode_text(StorageMode mode) {
  switch (mode) {
    case StorageMode::automatic: return "";
    case StorageMode::materialized: return ", materialized,";
    case StorageMode::explicit_tiles: return ", from tiles with an explicit enumeration,";
    case StorageMode::implicit_tiles: return ", from tiles with an implicit enumeration,";
  }
  return "";
}

/// One mode's account, from nothing.
ModeCost cost_of(const ConnectCosts& costs, std::span<const RelationKey> relations, StorageMode mode) {
  Account account(mode, MemoryBudget::unlimited);
  account.set_costs(costs);
  const ModeChoice choice = account.choose(relations);
  const RelationSet set = set_of(relations);
  ModeCost cost;
  cost.enumeration = costs.enumeration(choice.numbering);
  cost.maps = costs.maps(set);
  cost.least = account.least(relations);
  cost.full = choice.total;
  if (mode == StorageMode::materialized) {
    for (const RelationKey& key : relations) cost.rows += costs.rows(key);
    return cost;
  }
  cost.slots = costs.slots(set);
  cost.scratch = costs.scratch(set, choice.numbering, choice.workers);
  return cost;
}

ConnectPlan make_plan(const ConnectCosts& costs, std::span<const RelationKey> relations) {
  ConnectPlan result;
  result.costs = std::make_shared<const ConnectCosts>(costs);
  for (const RelationKey& key : relations) {
    const Numbering numbering = costs.needs_enumeration(key) ? Numbering::explicit_whole : Numbering::none;
    result.relations.push_back({key, costs.counts().rows(key), costs.counts().entries[key.index()],
                                costs.rows(key), costs.rows_peak(key, numbering, 1),
                                costs.largest_tile(key)});
  }
  result.mesh = costs.mesh();
  result.tiled_mesh = costs.tiled_mesh();
  result.materialized = cost_of(costs, relations, StorageMode::materialized);
  result.explicit_tiles = cost_of(costs, relations, StorageMode::explicit_tiles);
  result.implicit_tiles = cost_of(costs, relations, StorageMode::implicit_tiles);
  return result;
}

std::vector<RelationKey> keys_of(const ConnectPlan& plan) {
  std::vector<RelationKey> keys;
  for (const RelationCost& cost : plan.relations) keys.push_back(cost.relation);
  return keys;
}

}  // namespace

namespace detail {

Bytes Account::held(const State& state) const {
  return tiles_ + state.enumeration + state.maps + state.rows + costs_.slots(state.tiles) +
         costs_.scratch(state.tiles, state.numbering, state.workers);
}

Bytes Account::needed(const State& state) const {
  return std::max(state.peak, held(state) + costs_.in_flight(state.tiles, state.workers) +
                                  costs_.least_rows(state.tiles, state.workers));
}

Account::State Account::advance(const State& from, std::span<const RelationKey> wanted,
                                const Way& way) const {
  State state = from;
  state.peak = 0;
  state.tiles |= set_of(wanted) & ~way.whole;
  state.maps = std::max(state.maps, costs_.maps(set_of(wanted)));
  state.workers = way.workers;
  state.threads = way.threads;
  const Bytes others = tiles_ + state.maps + costs_.slots(state.tiles) +
                       costs_.scratch(from.tiles, from.numbering, way.workers);
  if (state.numbering == Numbering::none && way.numbering != Numbering::none) {
    state.peak = state.rows + others + costs_.enumeration_peak(way.numbering, way.threads);
    state.numbering = way.numbering;
    state.enumeration = costs_.enumeration(way.numbering);
  }
  for (const RelationKey& key : wanted) {
    if (!way.whole[key.index()]) continue;
    const Bytes now =
        state.enumeration + state.rows + others + costs_.rows_peak(key, state.numbering, way.threads);
    state.peak = std::max(state.peak, now);
    state.rows += costs_.rows(key);
  }
  return state;
}

std::vector<Numbering> Account::numberings(const State& from, std::span<const RelationKey> wanted) const {
  if (from.numbering != Numbering::none || !costs_.needs_enumeration(set_of(wanted))) return {from.numbering};
  if (mode_ == StorageMode::automatic) return {Numbering::explicit_whole, Numbering::implicit};
  return {mode_ == StorageMode::implicit_tiles ? Numbering::implicit : Numbering::explicit_whole};
}

std::vector<Numbering> Account::possible_numberings() const {
  return numberings(state_, std::array{key_of<EV>});
}

bool Account::fits(std::span<const RelationKey> wanted, const Way& way) const {
  return needed(advance(state_, wanted, way)) <= memory_;
}

std::optional<Account::Way> Account::find_way(std::span<const RelationKey> wanted,
                                              std::span<const Numbering> numberings, int workers) const {
  const bool may_materialize = mode_ == StorageMode::automatic || mode_ == StorageMode::materialized;
  for (const Numbering numbering : numberings) {
    Way way{numbering, set_of(wanted), workers};
    if (may_materialize && fits(wanted, way)) return way;
    way.whole.reset();
    if (mode_ == StorageMode::materialized || !fits(wanted, way)) continue;
    for (std::size_t i = 0; mode_ == StorageMode::automatic && i < wanted.size(); ++i) {
      Way more = way;
      more.whole.set(wanted[i].index());
      if (fits(wanted, more)) way = more;
    }
    return way;
  }
  return std::nullopt;
}

std::optional<Account::Way> Account::find_way(std::span<const RelationKey> wanted,
                                              std::span<const Numbering> numberings) const {
  const auto raise = [&](Way& way, int Way::*number, int most) {
    for (Way more = way; way.*number < most; way = more) {
      ++(more.*number);
      if (!fits(wanted, more)) return;
    }
  };
  for (int workers = this->workers(); workers > 0; workers /= 2) {
    auto way = find_way(wanted, numberings, workers);
    if (!way) continue;
    raise(*way, &Way::workers, this->workers());
    raise(*way, &Way::threads, costs_.threads());
    return way;
  }
  return std::nullopt;
}

std::optional<ModeChoice> Account::find_choice(std::span<const RelationKey> wanted) const {
  const auto way = find_way(wanted, numberings(state_, wanted));
  if (!way) return std::nullopt;
  return describe(advance(state_, wanted, *way), wanted, way->whole);
}

ModeChoice Account::describe(const State& state, std::span<const RelationKey> wanted,
                             RelationSet whole) const {
  ModeChoice choice;
  choice.numbering = state.numbering;
  choice.mode = mode_;
  choice.workers = state.workers;
  choice.threads = state.threads;
  if (mode_ == StorageMode::automatic) {
    choice.mode = whole == set_of(wanted)                  ? StorageMode::materialized
                  : state.numbering == Numbering::implicit ? StorageMode::implicit_tiles
                                                           : StorageMode::explicit_tiles;
  }
  for (const RelationKey& key : wanted) {
    if (whole[key.index()]) choice.materialized.push_back(key);
  }
  choice.total = needed(state);
  if (state.tiles.none()) return choice;
  const Bytes fixed = held(state) + costs_.in_flight(state.tiles, state.workers);
  choice.store = std::min(memory_ > fixed ? memory_ - fixed : 0, costs_.all_rows(state.tiles));
  choice.total = std::max(choice.total, fixed + choice.store);
  return choice;
}

Bytes Account::least(std::span<const RelationKey> wanted) const {
  std::vector<RelationKey> all = booked_;
  all.insert(all.end(), wanted.begin(), wanted.end());
  Bytes least = std::numeric_limits<Bytes>::max();
  for (const Numbering numbering : numberings({}, all)) {
    if (mode_ == StorageMode::automatic || mode_ == StorageMode::materialized)
      least = std::min(least, needed(advance({}, all, {numbering, set_of(all)})));
    if (mode_ != StorageMode::materialized) least = std::min(least, needed(advance({}, all, {numbering})));
  }
  return least;
}

ModeChoice Account::choose(std::span<const RelationKey> wanted) const {
  if (auto choice = find_choice(wanted)) return *std::move(choice);
  std::vector<RelationKey> all = booked_;
  all.insert(all.end(), wanted.begin(), wanted.end());
  const Bytes enough = least(wanted);
  const bool is_later = enough <= memory_;
  throw Error(ErrorCode::out_of_memory,
              list_names(is_later ? wanted : all) + std::string(mode_text(mode_)) +
                  (is_later ? " do not fit what earlier requests left of " : " do not fit ") +
                  format_bytes(memory_) + "; the smallest memory that works" +
                  (booked_.empty() ? "" : ", with " + list_names(all) + " in one request,") + " is " +
                  std::to_string(enough) + " bytes (" + format_bytes(enough) + ")",
              Remedy::more_memory);
}

void Account::book(std::span<const RelationKey> wanted, const ModeChoice& choice) {
  const RelationSet whole = set_of(choice.materialized);
  state_ = advance(state_, wanted, {choice.numbering, whole, choice.workers, choice.threads});
  booked_.insert(booked_.end(), wanted.begin(), wanted.end());
  whole_ |= whole;
  for (const RelationKey& key : choice.materialized) rows_of_[key.index()] = costs_.rows(key);
}

bool Account::try_book_enumeration() {
  const auto way = find_way({}, std::array{possible_numberings().front()});
  if (!way || way->threads < costs_.threads() || way->workers < costs_.workers()) return false;
  state_ = advance(state_, {}, *way);
  return true;
}

void Account::book_enumeration() {
  const std::vector<Numbering> possible = possible_numberings();
  if (const auto way = find_way({}, possible)) {
    state_ = advance(state_, {}, *way);
    return;
  }
  Bytes least = std::numeric_limits<Bytes>::max();
  for (const Numbering numbering : possible)
    least = std::min(least, needed(advance(state_, {}, {numbering})));
  throw Error(ErrorCode::out_of_memory,
              "the enumeration of edges and faces does not fit " + format_bytes(memory_) +
                  "; the smallest memory that works is " + std::to_string(least) + " bytes (" +
                  format_bytes(least) + ")",
              Remedy::more_memory);
}

void Account::settle_rows(RelationKey key, Bytes taken) {
  state_.rows = state_.rows - rows_of_[key.index()] + taken;
  rows_of_[key.index()] = taken;
}

Bytes Account::store_budget(Bytes transient) const {
  const Bytes others = held(state_) + costs_.in_flight(state_.tiles, state_.workers) + transient;
  return memory_ > others ? memory_ - others : 0;
}

int Account::counting_threads() const {
  const Bytes fitting = store_budget() / costs_.counter();
  return static_cast<int>(std::clamp<Bytes>(fitting, 1, static_cast<Bytes>(costs_.threads())));
}

}  // namespace detail

template <int Dim>
ConnectPlan plan(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                 const PlanOptions& options) {
  return make_plan(
      {count_relations(tiles, relations, options.exec), options.exec.threads(), options.producers},
      relations);
}

ConnectPlan plan(const MeshSize& size, std::span<const RelationKey> relations, const PlanOptions& options) {
  return make_plan({estimate_relations(size), options.exec.threads(), options.producers}, relations);
}

ModeChoice choose_mode(const ConnectPlan& plan, Bytes memory, StorageMode mode) {
  Account account(mode, memory);
  account.set_costs(*plan.costs);
  return account.choose(keys_of(plan));
}

Bytes least_memory(const ConnectPlan& plan, StorageMode mode) {
  Account account(mode, 0);
  account.set_costs(*plan.costs);
  return account.least(keys_of(plan));
}

template ConnectPlan plan(const TiledMesh<2>&, std::span<const RelationKey>, const PlanOptions&);
template ConnectPlan plan(const TiledMesh<3>&, std::span<const RelationKey>, const PlanOptions&);

}  // namespace tessera
