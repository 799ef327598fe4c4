#include <tessera/connect/detail/store.h>

#include <algorithm>

namespace tessera::detail {

bool TileStore::try_claim(Slot& slot) {
  std::uint32_t state = slot.state.load(std::memory_order_relaxed);
  while ((state & status_mask) == empty) {
    if (slot.state.compare_exchange_weak(state, state + computing, std::memory_order_acquire)) return true;
  }
  return false;
}

void TileStore::touch(Slot& slot) {
  const std::uint64_t now = clock_.load(std::memory_order_relaxed);
  if (slot.stamp.load(std::memory_order_relaxed) == now) return;  // still the last one used
  slot.stamp.store(clock_.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void TileStore::reserve_candidate() {
  const std::scoped_lock lock(mutex_);
  const std::size_t wanted = candidates_.size() + promised_ + 1;
  // reserve() alone would take exactly that much, and move everything for each tile.
  if (wanted > candidates_.capacity()) candidates_.reserve(std::max(wanted, 2 * candidates_.capacity()));
  ++promised_;
}

void TileStore::publish(Key key, StoredRows rows) noexcept {
  Slot& slot = this->slot(key);
  const std::scoped_lock lock(mutex_);
  slot.rows = std::move(rows);
  slot.reads.store(0, std::memory_order_relaxed);
  touch(slot);
  bytes_ += slot.rows.bytes();
  counts_[key.relation].others.bytes += slot.rows.bytes();
  ++counts_[key.relation].others.produced;
  --promised_;
  candidates_.push_back({slot.stamp.load(std::memory_order_relaxed), key});
  std::push_heap(candidates_.begin(), candidates_.end());
  slot.state.fetch_add(ready - computing, std::memory_order_release);
  slot.state.notify_all();
  peak_bytes_ = std::max(peak_bytes_, bytes_);
  evict_to_budget();
}

void TileStore::set_budget(Bytes budget) {
  const std::scoped_lock lock(mutex_);
  budget_ = budget;
  evict_to_budget();
}

Bytes TileStore::budget() const {
  const std::scoped_lock lock(mutex_);
  return budget_;
}

void TileStore::abandon(Slot& slot) {
  slot.state.fetch_sub(computing, std::memory_order_release);
  slot.state.notify_all();
}

void TileStore::evict_to_budget() noexcept {
  // Each candidate is looked at twice at most: with an old stamp, and with its new one.
  for (std::size_t looks = 2 * candidates_.size(); bytes_ > budget_ && looks > 0; --looks) {
    std::pop_heap(candidates_.begin(), candidates_.end());
    Candidate& oldest = candidates_.back();
    Slot& slot = this->slot(oldest.key);
    const std::uint64_t stamp = slot.stamp.load(std::memory_order_relaxed);
    std::uint32_t unpinned = ready;
    if (stamp != oldest.stamp) {  // used since it was put here
      oldest.stamp = stamp;
    } else if (!slot.state.compare_exchange_strong(unpinned, computing, std::memory_order_acquire)) {
      touch(slot);  // held, so in use now
      oldest.stamp = slot.stamp.load(std::memory_order_relaxed);
    } else {
      StoreStatistics& counts = counts_[oldest.key.relation].others;
      bytes_ -= slot.rows.bytes();
      counts.bytes -= slot.rows.bytes();
      counts.wasted += slot.reads.load(std::memory_order_relaxed) == 0 ? 1 : 0;
      ++counts.evicted;
      slot.rows = {};
      abandon(slot);
      candidates_.pop_back();
      continue;
    }
    std::push_heap(candidates_.begin(), candidates_.end());
  }
}

StoreStatistics TileStore::statistics(std::size_t relation) const {
  const std::scoped_lock lock(mutex_);
  StoreStatistics result = counts_[relation].others;
  result.misses = counts_[relation].misses.load(std::memory_order_relaxed);
  result.ahead = counts_[relation].ahead.load(std::memory_order_relaxed);
  result.waits = counts_[relation].waits.load(std::memory_order_relaxed);
  for (std::size_t t = 0; slots_[relation] != nullptr && t < tiles_; ++t) {
    result.hits += slots_[relation][t].hits.load(std::memory_order_relaxed);
  }
  return result;
}

Bytes TileStore::peak_bytes() const {
  const std::scoped_lock lock(mutex_);
  return peak_bytes_;
}

}  // namespace tessera::detail
