// Disjoint sets that many threads join at once. The name of a set is its smallest member, so the outcome does
// not depend on who came first. 1 number an element, no locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include <tessera/core/array.h>

namespace tessera::detail::doctor {

template <class Index>
class DisjointSets {
 public:
  DisjointSets() = default;
  /// Every element of [0, size) alone in its set.
  explicit DisjointSets(std::size_t size) : parent_(size) {
    for (std::size_t i = 0; i < size; ++i) parent_[i] = static_cast<Index>(i);
  }

  [[nodiscard]] std::size_t size() const { return parent_.size(); }

  /// The smallest member of x's set; while others join sets, a member that was it a moment ago.
  [[nodiscard]] Index find(Index x) {
    Index up = load(x);
    while (up != x) {
      const Index above = load(up);
      // Halving the path may race with others doing the same; each value written is an ancestor of x.
      if (above != up) std::atomic_ref(parent_[x]).store(above, std::memory_order_relaxed);
      x = up;
      up = above;
    }
    return x;
  }

  void unite(Index a, Index b) {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      // Only a root is given a parent, and always a smaller one.
      Index expected = a;
      if (std::atomic_ref(parent_[a]).compare_exchange_strong(expected, b, std::memory_order_relaxed)) return;
    }
  }

 private:
  [[nodiscard]] Index load(Index x) { return std::atomic_ref(parent_[x]).load(std::memory_order_relaxed); }

  Array<Index> parent_;
};

}  // namespace tessera::detail::doctor
