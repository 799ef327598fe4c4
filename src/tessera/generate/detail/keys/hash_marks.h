// Marks: which of many items cannot have an equal one, at a few bits an item.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/exec/exec.h>

namespace tessera::detail {

/// A bit for each hash that some item has, another for each that several have. Equal items have equal hashes;
/// now and then different ones do too. Items may be marked by several threads at once, and the marks do not
/// depend on the order.
class HashMarks {
 public:
  HashMarks(std::size_t items, const Exec& exec)
      : is_alone_(exec.threads() == 1),
        mask_(std::max<std::size_t>(64, std::bit_ceil(8 * items)) - 1),
        some_((mask_ + 1) / 64, 0),
        several_((mask_ + 1) / 64, 0) {}

  void mark(std::uint64_t hash) {
    if ((set(some_, hash) & bit(hash)) != 0) set(several_, hash);
  }
  [[nodiscard]] bool has_some(std::uint64_t hash) const { return (some_[word(hash)] & bit(hash)) != 0; }
  [[nodiscard]] bool has_several(std::uint64_t hash) const { return (several_[word(hash)] & bit(hash)) != 0; }

 private:
  [[nodiscard]] std::size_t word(std::uint64_t hash) const { return (hash & mask_) / 64; }
  static std::uint64_t bit(std::uint64_t hash) { return std::uint64_t{1} << hash % 64; }
  std::uint64_t set(Array<std::uint64_t>& bits, std::uint64_t hash) const {
    std::uint64_t& all = bits[word(hash)];
    return is_alone_ ? std::exchange(all, all | bit(hash))
                     : std::atomic_ref(all).fetch_or(bit(hash), std::memory_order_relaxed);
  }

  bool is_alone_;
  std::uint64_t mask_;
  Array<std::uint64_t> some_;
  Array<std::uint64_t> several_;
};

/// Mixes a word into a hash whose low bits are as good as any.
[[nodiscard]] constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 32);
}

}  // namespace tessera::detail
