// Sets of elements that workers share, a bit each, and lists that they make part by part.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/csr.h>
#include <tessera/exec/detail/host/parallel.h>

namespace tessera::detail {

/// Elements that some worker has taken.
class TakenSet {
 public:
  explicit TakenSet(std::size_t elements) : words_((elements + 63) / 64, 0) {}

  /// True for the first who asks.
  bool take(std::uint32_t element) {
    const std::uint64_t bit = std::uint64_t{1} << (element % 64);
    std::atomic_ref word(words_[element / 64]);
    if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  /// Others may be taking it.
  [[nodiscard]] bool has(std::uint32_t element) const {
    const std::atomic_ref word(const_cast<std::uint64_t&>(words_[element / 64]));  // which it does not change
    return (word.load(std::memory_order_relaxed) >> (element % 64) & 1) != 0;
  }
  [[nodiscard]] const Array<std::uint64_t>& words() const { return words_; }

 private:
  Array<std::uint64_t> words_;
};

/// Numbers the elements that were taken, ascending, from `first` on. The set must outlive it.
class TakenNumbers {
 public:
  explicit TakenNumbers(const TakenSet& taken, std::uint32_t first = 0)
      : words_(taken.words()), before_(words_.size()), first_(first), end_(first) {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      before_[w] = end_;
      end_ += static_cast<std::uint32_t>(std::popcount(words_[w]));
    }
  }
  [[nodiscard]] std::uint32_t operator[](std::uint32_t element) const {
    const std::uint64_t below = (std::uint64_t{1} << (element % 64)) - 1;
    return before_[element / 64] + static_cast<std::uint32_t>(std::popcount(words_[element / 64] & below));
  }
  [[nodiscard]] std::size_t size() const { return end_ - first_; }
  /// The number after the last one.
  [[nodiscard]] std::uint32_t end() const { return end_; }

  /// Calls f(element, number) for all of them, on so many threads.
  template <class F>
  void for_each(int threads, const F& f) const {
    host::for_each_share(threads, words_.size(), [&](host::Range share) {
      for (std::size_t w = share.begin; w < share.end; ++w) {
        std::uint32_t number = before_[w];
        for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1)
          f(static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(bits)),
            number++);
      }
    });
  }

 private:
  const Array<std::uint64_t>& words_;
  Array<std::uint32_t> before_;
  std::uint32_t first_;
  std::uint32_t end_;
};

/// The lists of a few elements, in their order.
template <class T>
struct ListPart {
  std::vector<std::uint32_t> sizes;
  std::vector<T> items;
};

/// Appends the lists to `items`, with the end of each in `offsets`; parts are given back on the way.
template <class T>
void join_lists(std::vector<ListPart<T>>& parts, Array<std::uint32_t>& offsets, Array<T>& items) {
  std::size_t count = 0;
  std::size_t lists = 0;
  for (const ListPart<T>& part : parts) {
    count += part.items.size();
    lists += part.sizes.size();
  }
  items.reserve(count);
  offsets.reserve(offsets.size() + lists);
  for (ListPart<T>& part : parts) {
    for (const std::uint32_t size : part.sizes)
      offsets.push_back(checked_offset(std::uint64_t{offsets.back()} + size));
    items.insert(items.end(), part.items.begin(), part.items.end());
    part = {};
  }
}

}  // namespace tessera::detail
