// Numbers for the neighbours of a vertex, so that a cell of its star is a mask of 64 bits.
//
// Neighbours are numbered from 1 on as they are met. The loop keeps its state in local variables: what it
// writes could otherwise be the members it reads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::detail {

template <int Dim>
class StarNumbers {
 public:
  static constexpr std::uint32_t most = 64;  ///< above all numbers

  /// Calls f(numbers of the vertices but the center, their bits, cell) for the cells of the star. False if
  /// there are too many neighbours; f has then been called for some cells.
  template <class Source, class F>
  bool number(const Source& source, const F& f) {
    forget();
    if (numbers_.size() < source.vertex_count()) numbers_.resize(source.vertex_count(), 0);
    std::uint8_t* const numbers = numbers_.data();
    std::uint32_t* const locals = locals_.data();
    std::uint32_t count = 1;
    for (const auto& cell : source.star()) {
      std::array<std::uint32_t, Dim> ranks;
      std::uint64_t bits = 0;
      for (std::size_t k = 0; k < Dim; ++k) {
        const std::uint32_t local = cell.others[k];
        const std::uint32_t known = numbers[local];
        const bool is_new = known == 0;
        ranks[k] = is_new ? count : known;
        locals[count] = local;  // kept only if it is new
        numbers[local] = static_cast<std::uint8_t>(ranks[k]);
        count += is_new ? 1 : 0;
        bits |= std::uint64_t{1} << (ranks[k] & 63);
      }
      if (count > most) break;
      f(ranks, bits, cell.cell);
    }
    count_ = count;
    return count <= most;
  }

  /// Above the numbers that were given.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t operator[](std::uint32_t local) const { return numbers_[local]; }
  /// Local numbers of the neighbours by number; the first is none of them.
  [[nodiscard]] std::span<const std::uint32_t> locals() const { return {locals_.data(), count_}; }

 private:
  void forget() {
    for (std::uint32_t i = 1; i < count_; ++i) numbers_[locals_[i]] = 0;
  }

  std::uint32_t count_ = 1;
  std::vector<std::uint8_t> numbers_;                 ///< by local number; 0: none
  std::array<std::uint32_t, most + Dim + 1> locals_;  ///< by number
};

}  // namespace tessera::detail
