// Account: the books of one connection.
//
// All workers compute at once if the budget allows it. If it does not, fewer of them do, down to one, before
// anything is refused: the smallest budget that works does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <tessera/connect/detail/costs.h>
#include <tessera/connect/plan.h>

namespace tessera::detail {

/// The books of one connection: what it has taken of its budget, and how further relations are stored.
class Account {
 public:
  /// `tiles` bytes are taken from the start, by tiles that belong to the connection.
  Account(StorageMode mode, Bytes memory, Bytes tiles = 0) : mode_(mode), memory_(memory), tiles_(tiles) {}

  void set_costs(const ConnectCosts& costs) { costs_ = costs; }
  [[nodiscard]] const ConnectCosts& costs() const { return costs_; }
  [[nodiscard]] Bytes memory() const { return memory_; }
  /// Everything that was booked, in order.
  [[nodiscard]] const std::vector<RelationKey>& booked() const { return booked_; }

  /// How to store these relations too, besides what is booked; nothing if they do not fit.
  [[nodiscard]] std::optional<ModeChoice> find_choice(std::span<const RelationKey> wanted) const;
  /// The same, or Error(out_of_memory).
  [[nodiscard]] ModeChoice choose(std::span<const RelationKey> wanted) const;
  /// The smallest budget for all that is booked and wanted, if it is requested at once.
  [[nodiscard]] Bytes least(std::span<const RelationKey> wanted) const;

  void book(std::span<const RelationKey> wanted, const ModeChoice& choice);
  /// Books the enumeration that is wanted most, made by all threads; false if that does not fit.
  [[nodiscard]] bool try_book_enumeration();
  /// Books an enumeration, or throws Error(out_of_memory).
  void book_enumeration();
  [[nodiscard]] Numbering numbering() const { return state_.numbering; }
  /// How many workers may compute tiles at once.
  [[nodiscard]] int workers() const { return std::min(state_.workers, costs_.workers()); }
  /// How many threads may enumerate and materialize for what was booked last.
  [[nodiscard]] int threads() const { return state_.threads; }
  /// How many threads may count while the store is empty.
  [[nodiscard]] int counting_threads() const;
  [[nodiscard]] bool is_materialized(RelationKey key) const { return whole_[key.index()]; }
  /// How all that is booked is stored.
  [[nodiscard]] ModeChoice summary() const { return describe(state_, booked_, whole_); }
  /// Replaces what was expected of the enumeration or of a materialized relation by what it takes.
  void settle_enumeration(Bytes taken) { state_.enumeration = taken; }
  void settle_rows(RelationKey key, Bytes taken);

  /// What tiles' rows may take while `transient` bytes are in use besides what is booked.
  [[nodiscard]] Bytes store_budget(Bytes transient = 0) const;

 private:
  struct State {
    Numbering numbering = Numbering::none;
    Bytes enumeration = 0;
    Bytes maps = 0;                                 // from the input's ids
    Bytes rows = 0;                                 // materialized
    RelationSet tiles;                              // the relations that are served from tiles
    int workers = std::numeric_limits<int>::max();  // that compute tiles at once; never more than there are
    int threads = 1;                                // that enumerate and materialize
    Bytes peak = 0;                                 // the most that is needed on the way to it
  };
  /// A way to store relations: those in `whole` materialized, the others as tiles.
  struct Way {
    Numbering numbering = Numbering::none;
    RelationSet whole;
    int workers = 1;
    int threads = 1;
  };

  [[nodiscard]] State advance(const State& from, std::span<const RelationKey> wanted, const Way& way) const;
  [[nodiscard]] bool fits(std::span<const RelationKey> wanted, const Way& way) const;
  /// The fastest way with so many workers.
  [[nodiscard]] std::optional<Way> find_way(std::span<const RelationKey> wanted,
                                            std::span<const Numbering> numberings, int workers) const;
  /// The same with as many workers and threads as fit.
  [[nodiscard]] std::optional<Way> find_way(std::span<const RelationKey> wanted,
                                            std::span<const Numbering> numberings) const;
  [[nodiscard]] Bytes held(const State& state) const;
  [[nodiscard]] Bytes needed(const State& state) const;
  [[nodiscard]] std::vector<Numbering> possible_numberings() const;  ///< of edges and faces, best first
  [[nodiscard]] std::vector<Numbering> numberings(const State& from,
                                                  std::span<const RelationKey> wanted) const;
  [[nodiscard]] ModeChoice describe(const State& state, std::span<const RelationKey> wanted,
                                    RelationSet whole) const;

  StorageMode mode_;
  Bytes memory_;
  Bytes tiles_;
  ConnectCosts costs_;
  State state_;
  std::vector<RelationKey> booked_;
  RelationSet whole_;                                // of those, the materialized ones
  std::array<Bytes, RelationKey::count> rows_of_{};  // materialized, by relation
};

}  // namespace tessera::detail
