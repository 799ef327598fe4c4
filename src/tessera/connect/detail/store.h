// TileStore: rows of recently used tiles, of several relations, within one byte budget.
//
// A slot's state is one atomic word: how many readers hold it (pins), and its status.
//
//   empty ──claim──► computing ──publish──► ready ──evict (only without pins)──► empty
//
// A reader adds its pin first and then looks at the status. Ready is a hit: one atomic addition, no lock.
// Computing is waited for. Empty is claimed by exactly one thread, which computes. Because the pin is there
// from the start, what a reader waits for or holds is never evicted, even if the budget is a single tile.
//
// Eviction is least recently used: a use that follows the use of another slot stamps the slot with a clock,
// and the oldest stamp goes first.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/connect/statistics.h>
#include <tessera/core/memory.h>
#include <tessera/tile/detail/rows.h>

namespace tessera::detail {

/// A tile's rows as the store keeps them: in arrays of their own, or in a block that several tiles share.
class StoredRows {
 public:
  StoredRows() = default;
  StoredRows(TileRows rows) noexcept  // NOLINT(google-explicit-constructor): rows are what they are
      : own_(std::move(rows)),
        offsets_(own_.offsets.data()),
        values_(own_.values.data()),
        size_(own_.size()),
        bytes_(own_.bytes()) {}
  /// A part of a block: row i is values[offsets[i] .. offsets[i + 1]).
  StoredRows(std::shared_ptr<void> block, const std::uint32_t* offsets, std::uint32_t* values,
             std::size_t size)
      : block_(std::move(block)),
        offsets_(offsets),
        values_(values),
        size_(size),
        bytes_(4 * (size + offsets[size] - offsets[0])) {}
  StoredRows(StoredRows&&) noexcept = default;  // arrays keep their place
  StoredRows& operator=(StoredRows&&) noexcept = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t row) const {
    return {values_ + offsets_[row], offsets_[row + 1] - offsets_[row]};
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::span<const std::uint32_t> offsets() const { return {offsets_, size_ + 1}; }
  /// Of whoever makes them.
  [[nodiscard]] std::uint32_t* values() { return values_; }
  [[nodiscard]] const std::uint32_t* values() const { return values_; }

 private:
  TileRows own_;
  std::shared_ptr<void> block_;
  const std::uint32_t* offsets_ = nullptr;
  std::uint32_t* values_ = nullptr;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

class TileStore {
  struct Slot;

 public:
  /// Of a tile's rows in one relation.
  struct Key {
    std::size_t relation;
    std::size_t tile;
  };

  [[nodiscard]] static constexpr Bytes slot_bytes() { return sizeof(Slot); }

  TileStore(std::size_t tiles, Bytes budget) : tiles_(tiles), budget_(budget) {}

  /// Makes room for a relation's slots: slot_bytes() a tile. Call before the relation is used, not
  /// concurrently with its use.
  void open(std::size_t relation) { slots_[relation] = std::make_unique<Slot[]>(tiles_); }

  /// Changes the budget; lets go what no longer fits and nobody holds.
  void set_budget(Bytes budget);
  [[nodiscard]] Bytes budget() const;

  using Pin = TilePin;

  /// The slot's rows; if they are not there, `compute()` makes them or another thread's are waited for.
  /// `first_read` tells whether nobody had read them before. `on_wait(seconds)` is told what was waited for
  /// another thread.
  template <class Compute, class OnWait>
  [[nodiscard]] Pin acquire(Key key, const Compute& compute, bool& first_read, const OnWait& on_wait);
  template <class Compute>
  [[nodiscard]] Pin acquire(Key key, const Compute& compute, bool& first_read) {
    return acquire(key, compute, first_read, [](double) {});
  }

  /// Computes a slot ahead of need if it is empty; returns whether it did.
  template <class Compute>
  bool produce(Key key, const Compute& compute);

  /// For those who compute many slots at once: claims an empty slot, which must then be filled or given up.
  [[nodiscard]] bool claim(Key key) { return try_claim(slot(key)); }
  void fill(Key key, StoredRows rows) {
    try {
      reserve_candidate();
    } catch (...) {
      abandon(slot(key));
      throw;
    }
    publish(key, std::move(rows));
    counts_[key.relation].ahead.fetch_add(1, std::memory_order_relaxed);
  }
  void give_up(Key key) { abandon(slot(key)); }

  [[nodiscard]] bool is_empty(Key key) const {
    return (slot(key).state.load(std::memory_order_relaxed) & status_mask) == empty;
  }
  [[nodiscard]] StoreStatistics statistics(std::size_t relation) const;
  /// The most bytes of rows that were held at once.
  [[nodiscard]] Bytes peak_bytes() const;

 private:
  static constexpr std::uint32_t empty = 0, computing = 1, ready = 2;
  static constexpr std::uint32_t status_mask = 3;
  static constexpr std::uint32_t one_pin = TilePin::one;

  struct Slot {
    std::atomic<std::uint32_t> state{empty};
    std::atomic<std::uint32_t> reads{0};  // since they were computed
    std::atomic<std::uint64_t> hits{0};
    std::atomic<std::uint64_t> stamp{0};
    StoredRows rows;
  };
  struct Candidate {
    std::uint64_t stamp;
    Key key;
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return a.stamp > b.stamp;
    }  // the oldest on top
  };

  struct Counts {
    std::atomic<std::uint64_t> misses{0};
    std::atomic<std::uint64_t> waits{0};
    std::atomic<std::uint64_t> ahead{0};
    StoreStatistics others;  // guarded by the mutex
  };

  [[nodiscard]] Slot& slot(Key key) const { return slots_[key.relation][key.tile]; }
  [[nodiscard]] static bool try_claim(Slot& slot);
  void touch(Slot& slot);
  template <class Compute>
  void compute_and_publish(Key key, const Compute& compute);
  /// Takes the memory that publish() will need, so that nothing can fail once a slot changes its status.
  void reserve_candidate();
  void publish(Key key, StoredRows rows) noexcept;
  static void abandon(Slot& slot);
  void evict_to_budget() noexcept;

  std::size_t tiles_;
  std::array<std::unique_ptr<Slot[]>, RelationKey::count> slots_;
  std::array<Counts, RelationKey::count> counts_;
  std::atomic<std::uint64_t> clock_{1};  // above the stamp of a slot that was never used

  mutable std::mutex mutex_;           // of the rest, which only computed tiles change
  std::vector<Candidate> candidates_;  // a heap
  std::size_t promised_ = 0;           // candidates there must be room for
  Bytes budget_ = 0;
  Bytes bytes_ = 0;
  Bytes peak_bytes_ = 0;
};

template <class Compute>
void TileStore::compute_and_publish(Key key, const Compute& compute) {
  try {
    auto rows = compute();  // what this holds besides rows, it holds until they are in the store
    reserve_candidate();
    publish(key, std::move(rows));  // nothing fails from here on
  } catch (...) {
    abandon(slot(key));
    throw;
  }
}

template <class Compute, class OnWait>
TileStore::Pin TileStore::acquire(Key key, const Compute& compute, bool& first_read, const OnWait& on_wait) {
  Slot& slot = this->slot(key);
  Pin pin;
  pin.state_ = &slot.state;
  pin.rows_ = &slot.rows;
  std::uint32_t state = slot.state.fetch_add(one_pin, std::memory_order_acquire) + one_pin;
  if ((state & status_mask) == ready) {
    slot.hits.fetch_add(1, std::memory_order_relaxed);
  } else {
    counts_[key.relation].misses.fetch_add(1, std::memory_order_relaxed);
    bool waited = false;
    while ((state & status_mask) != ready) {
      if ((state & status_mask) == computing) {
        if (!std::exchange(waited, true)) counts_[key.relation].waits.fetch_add(1, std::memory_order_relaxed);
        const auto begun = std::chrono::steady_clock::now();
        slot.state.wait(state, std::memory_order_acquire);
        on_wait(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
      } else if (try_claim(slot)) {
        compute_and_publish(key, compute);
      }
      state = slot.state.load(std::memory_order_acquire);
    }
  }
  touch(slot);
  first_read = slot.reads.fetch_add(1, std::memory_order_relaxed) == 0;
  return pin;
}

template <class Compute>
bool TileStore::produce(Key key, const Compute& compute) {
  if (!try_claim(slot(key))) return false;
  compute_and_publish(key, compute);
  counts_[key.relation].ahead.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace tessera::detail
