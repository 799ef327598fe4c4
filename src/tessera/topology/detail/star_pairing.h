// The pairing of a lower star (Robins, Wood, Sheppard 2011: ProcessLowerStars) in sets of bits.
//
// Cells are numbered in the order of the algorithm (lower_star.h). The two priority queues are then sets of
// numbers and their heads the lowest bits, and the facets and cofaces of a cell are sets, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/macros.h>
#include <tessera/topology/detail/bit_set.h>

namespace tessera::detail {

/// The cells of a lower star but the vertex, the edge to its lowest neighbour first. To be used again and
/// again: it is large.
template <std::size_t Words>
class StarPairing {
 public:
  static constexpr std::uint32_t capacity = 64 * Words;
  struct Pair {
    std::uint8_t facet;
    std::uint8_t cell;
  };

  void clear() { count_ = 0; }
  /// Adds the next cell, with its facets among those before it; its number.
  template <class... Facets>
  std::uint32_t add(Facets... facets) {
    TS_EXPECTS(count_ < capacity);
    const std::uint32_t number = count_++;
    facets_[number] = {};
    cofaces_[number] = {};
    (facets_[number].insert(facets), ...);
    (cofaces_[facets].insert(number), ...);
    return number;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// Pairs all cells but the first, which is the vertex's own. `edges` are all other edges.
  void pair_all(const BitSet<Words>& edges) {
    pair_count_ = 0;
    critical_ = {};
    BitSet<Words> unpaired = BitSet<Words>::below(count_);
    unpaired.erase(0);
    BitSet<Words> zero = edges;  // cells without an unpaired facet
    BitSet<Words> one = {};      // unpaired cells with one, or without if that was paired since
    const auto add_cofaces = [&](const BitSet<Words>& cofaces) {
      (cofaces & unpaired).for_each([&](std::uint32_t coface) {
        one.insert_if(coface, (facets_[coface] & unpaired).has_one());
      });
    };
    add_cofaces(cofaces_[0]);
    while (true) {
      while (!one.empty()) {
        const std::uint32_t i = one.first();
        one.erase(i);
        const BitSet<Words> left = facets_[i] & unpaired;
        if (left.empty()) {
          zero.insert(i);
          continue;
        }
        const std::uint32_t facet = left.first();
        pairs_[pair_count_++] = {static_cast<std::uint8_t>(facet), static_cast<std::uint8_t>(i)};
        unpaired.erase(i);
        unpaired.erase(facet);
        zero.erase(facet);
        one.erase(facet);
        add_cofaces(cofaces_[facet] | cofaces_[i]);
      }
      if (zero.empty()) return;
      const std::uint32_t i = zero.first();
      zero.erase(i);
      unpaired.erase(i);
      critical_.insert(i);
      add_cofaces(cofaces_[i]);
    }
  }
  /// What pair_all() has found.
  [[nodiscard]] std::span<const Pair> pairs() const { return {pairs_.data(), pair_count_}; }
  [[nodiscard]] const BitSet<Words>& critical() const { return critical_; }

 private:
  std::array<BitSet<Words>, capacity> facets_;
  std::array<BitSet<Words>, capacity> cofaces_;
  std::array<Pair, capacity / 2> pairs_;
  std::size_t pair_count_ = 0;
  BitSet<Words> critical_;
  std::uint32_t count_ = 0;
};

}  // namespace tessera::detail
