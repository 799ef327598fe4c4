// Sets of small numbers, a machine word for every 64 of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera::detail {

/// A set of numbers below 64 * Words; empty if it is made as BitSet{}, unset without braces.
template <std::size_t Words>
class BitSet {
 public:
  /// All numbers below n.
  [[nodiscard]] static BitSet below(std::uint32_t n) {
    BitSet set{};
    for (std::size_t w = 0; w < Words && n > 64 * w; ++w) {
      const std::uint32_t left = n - static_cast<std::uint32_t>(64 * w);
      set.words_[w] = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    }
    return set;
  }
  [[nodiscard]] friend BitSet operator&(const BitSet& a, const BitSet& b) {
    BitSet both;
    for (std::size_t w = 0; w < Words; ++w) both.words_[w] = a.words_[w] & b.words_[w];
    return both;
  }
  [[nodiscard]] friend BitSet operator|(const BitSet& a, const BitSet& b) {
    BitSet either;
    for (std::size_t w = 0; w < Words; ++w) either.words_[w] = a.words_[w] | b.words_[w];
    return either;
  }

  void insert(std::uint32_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  /// Without a branch.
  void insert_if(std::uint32_t i, bool is_in) { words_[i / 64] |= std::uint64_t{is_in} << (i % 64); }
  void erase(std::uint32_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool has(std::uint32_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  [[nodiscard]] bool empty() const {
    std::uint64_t any = 0;
    for (const std::uint64_t word : words_) any |= word;
    return any == 0;
  }
  /// Exactly one number?
  [[nodiscard]] bool has_one() const {
    if constexpr (Words == 1) return std::has_single_bit(words_[0]);
    int count = 0;
    for (const std::uint64_t word : words_) count += std::popcount(word);
    return count == 1;
  }
  /// The lowest number; the set must not be empty.
  [[nodiscard]] std::uint32_t first() const {
    std::size_t w = 0;
    while (w + 1 < Words && words_[w] == 0) ++w;
    return static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(words_[w]));
  }
  /// Calls f(i) for every number, ascending.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t w = 0; w < Words; ++w) {
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        f(static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  std::array<std::uint64_t, Words> words_;
};

}  // namespace tessera::detail
