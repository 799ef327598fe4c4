// Sets of elements that workers share, a bit each, and lists that they make part by part.
#pragma once

#include <algorithm>
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
  /// Was it taken? Nobody may be taking elements any more.
  [[nodiscard]] bool has(std::uint32_t element) const {
    return (words_[element / 64] >> (element % 64) & 1) != 0;
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

/// Lists that workers make, each worker in an array of its own: few large blocks, which go back to the system
/// when they are released, as many small ones would not.
template <class T>
class WorkerLists {
 public:
  WorkerLists(int workers, std::size_t lists) : items_(static_cast<std::size_t>(workers)), places_(lists) {}

  /// Calls append(items) for the list of that number, which not every number need have.
  template <class F>
  void make(std::size_t number, int worker, const F& append) {
    Array<T>& items = items_[static_cast<std::size_t>(worker)];
    const std::size_t begin = items.size();
    append(items);
    places_[number] = {static_cast<std::size_t>(worker), begin, items.size() - begin};
  }

  /// Puts the lists into `items`, in the order of their numbers, and gives their offsets.
  [[nodiscard]] Array<std::uint32_t> join(Array<T>& items) {
    Array<std::uint32_t> offsets(places_.size() + 1, 0);
    for (std::size_t i = 0; i < places_.size(); ++i)
      offsets[i + 1] = checked_offset(std::uint64_t{offsets[i]} + places_[i].size);
    items.resize(offsets.back());
    host::for_each_chunk(static_cast<int>(items_.size()), places_.size(), 64, [&](host::Range range, int) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const auto& [worker, begin, size] = places_[i];
        std::copy_n(items_[worker].begin() + static_cast<std::ptrdiff_t>(begin), size,
                    items.begin() + offsets[i]);
      }
    });
    items_.clear();
    return offsets;
  }

 private:
  struct Place {
    std::size_t worker = 0;
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  std::vector<Array<T>> items_;  ///< by worker
  std::vector<Place> places_;
};

}  // namespace tessera::detail
