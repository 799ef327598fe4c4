// Numbers for the neighbours of a vertex, so that a cell of its star is a mask of 64 bits.
//
// Number 0 is the center, others follow as they are met. The loop keeps its state in local variables: what it
// writes could otherwise be the members it reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

template <int Dim>
class StarNumbers {
 public:
  static constexpr std::uint32_t most = 64;  ///< with the center

  struct Cell {
    std::uint64_t bits;                       ///< numbers of all corners
    std::array<std::uint8_t, Dim + 1> ranks;  ///< the same one by one
    std::uint32_t cell;                       ///< local number
  };

  /// False if there are too many neighbours.
  template <class Source>
  bool number(const Source& source) {
    make_room(source.vertex_count(), source.star().size());
    const std::uint32_t first = first_;
    std::uint32_t* const numbers = numbers_.data();
    std::uint32_t* const locals = locals_.data();
    const auto* const all_corners = source.all_corners();
    Cell* cell = cells_.data();
    std::uint32_t count = 1;
    locals[0] = source.own();
    numbers[source.own()] = first;
    for (const std::uint32_t c : source.star()) {
      const auto corners = all_corners[c];
      std::uint64_t bits = 0;
      for (std::size_t k = 0; k <= Dim; ++k) {
        const std::uint32_t local = corners[k];
        const std::uint32_t known = numbers[local];
        const bool is_new = known < first;  // given by a star before
        const std::uint32_t rank = is_new ? count : known - first;
        locals[count] = local;  // kept only if it is new
        numbers[local] = first + rank;
        count += is_new ? 1 : 0;
        cell->ranks[k] = static_cast<std::uint8_t>(rank);
        bits |= std::uint64_t{1} << (rank & 63);
      }
      cell->bits = bits;
      cell->cell = c;
      ++cell;
      if (count > most) break;
    }
    count_ = count;
    return count <= most;
  }

  /// Cells of the star in its order.
  [[nodiscard]] std::span<const Cell> cells(std::size_t star_size) const {
    return {cells_.data(), star_size};
  }
  /// Numbers given, the center's too.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Local numbers of the center and its neighbours, by number.
  [[nodiscard]] std::span<const std::uint32_t> locals() const { return {locals_.data(), count_}; }

 private:
  void make_room(std::size_t vertices, std::size_t cells) {
    if (numbers_.size() < vertices) numbers_.resize(vertices, 0);
    if (cells_.size() < cells) cells_.resize(cells);
    if (locals_.size() < most + Dim + 2) locals_.resize(most + Dim + 2);
    first_ += count_;
    if (first_ > 0xF0000000u) {
      std::fill(numbers_.begin(), numbers_.end(), 0);
      first_ = 1;
    }
  }

  std::uint32_t first_ = 1;  ///< the center's entry in numbers_
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> numbers_;  ///< by local number: first_ + number, or what an earlier star left
  std::vector<std::uint32_t> locals_;
  std::vector<Cell> cells_;
};

}  // namespace tessera
