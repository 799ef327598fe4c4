// The link of a vertex: in how many pieces lie the neighbours below it, and those above it?
//
// Neighbours are numbered as they are met, the center is number 0, and each cell adds the set of its corners
// to the row of each corner, as 64-bit masks: once with OR (who is joined with whom), once with XOR (how
// often, modulo two: facets of an odd number of cells are suspected to be on the boundary). Stars of more
// than 63 neighbours take a general path.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

struct LinkPieces {
  std::uint32_t lower = 0;
  std::uint32_t upper = 0;
  bool is_on_boundary = false;  ///< some facet with the vertex has one cell
};

template <int Dim>
class LinkComponents {
 public:
  template <class Source>
  [[nodiscard]] LinkPieces find(const Source& source) {
    if (!number_and_join(source)) return find_general(source);
    const std::uint64_t center = source.order(source.own());
    std::uint64_t low = 0;
    for (std::uint32_t i = 1; i < count_; ++i) {
      low |= static_cast<std::uint64_t>(source.order(locals_[i]) < center) << i;
    }
    const std::uint64_t all =
        (count_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count_) - 1) & ~std::uint64_t{1};
    return {count_pieces(low), count_pieces(all & ~low), has_odd_facet() && has_single_facet_masks(source)};
  }

  /// Local numbers of the neighbours of the vertex that was last asked for.
  [[nodiscard]] std::span<const std::uint32_t> neighbours() const {
    return std::span(locals_).subspan(1, count_ - 1);
  }

 private:
  static constexpr std::uint32_t most = 64;  // with the center

  /// False if there are too many neighbours for masks.
  template <class Source>
  bool number_and_join(const Source& source) {
    begin(source);
    for (const std::uint32_t c : source.star()) {
      std::array<std::uint32_t, Dim + 1> rank;
      std::uint64_t bits = 0;
      for (std::size_t k = 0; k <= Dim; ++k) {
        rank[k] = number(source.corners(c)[k]);
        bits |= std::uint64_t{1} << (rank[k] & 63);
      }
      if (count_ > most) return false;
      for (const std::uint32_t r : rank) {
        joined_[r] |= bits;
        odd_[r] ^= bits;
      }
    }
    return true;
  }

  template <class Source>
  void begin(const Source& source) {
    if (numbers_.size() < source.vertex_count()) numbers_.resize(source.vertex_count(), 0);
    const std::size_t room = source.star().size() * Dim + Dim + 2;
    if (locals_.size() < room) locals_.resize(room);
    first_ += count_;
    if (first_ > 0xF0000000u) {
      std::fill(numbers_.begin(), numbers_.end(), 0);
      first_ = 1;
    }
    count_ = 1;
    locals_[0] = source.own();
    numbers_[source.own()] = first_;
    joined_[0] = odd_[0] = 0;
  }

  /// The neighbour's number, given now if it is new. Numbers from stars before are below `first_`.
  std::uint32_t number(std::uint32_t local) {
    const std::uint32_t known = numbers_[local];
    const bool is_new = known < first_;
    const std::uint32_t rank = is_new ? count_ : known - first_;
    locals_[count_] = local;
    joined_[std::min(count_, most)] = 0;
    odd_[std::min(count_, most)] = 0;
    numbers_[local] = first_ + rank;
    count_ += is_new ? 1 : 0;
    return rank;
  }

  [[nodiscard]] std::uint32_t count_pieces(std::uint64_t left) const {
    std::uint32_t pieces = 0;
    while (left != 0) {
      ++pieces;
      std::uint64_t front = left & (~left + 1);
      left ^= front;
      while (front != 0) {
        const std::uint64_t found = joined_[static_cast<std::size_t>(std::countr_zero(front))] & left;
        front &= front - 1;
        left ^= found;
        front |= found;
      }
    }
    return pieces;
  }

  [[nodiscard]] bool has_odd_facet() const {
    if constexpr (Dim == 2) return (odd_[0] & ~std::uint64_t{1}) != 0;
    std::uint64_t any = 0;
    for (std::uint32_t i = 1; i < count_; ++i) any |= odd_[i] & ~(std::uint64_t{1} << i | 1);
    return any != 0;
  }

  /// Is there a facet with one cell, not three or more?
  template <class Source>
  [[nodiscard]] bool has_single_facet_masks(const Source& source) {
    std::array<std::uint64_t, most> once = {};
    std::array<std::uint64_t, most> twice = {};
    for (const std::uint32_t c : source.star()) {
      std::uint64_t bits = 0;
      for (const std::uint32_t local : source.corners(c))
        bits |= std::uint64_t{1} << (numbers_[local] - first_);
      for (const std::uint32_t local : source.corners(c)) {
        const std::uint32_t r = numbers_[local] - first_;
        twice[r] |= once[r] & bits;
        once[r] |= bits;
      }
    }
    if constexpr (Dim == 2) return (once[0] & ~twice[0] & ~std::uint64_t{1}) != 0;
    std::uint64_t any = 0;
    for (std::uint32_t i = 1; i < count_; ++i) any |= once[i] & ~twice[i] & ~(std::uint64_t{1} << i | 1);
    return any != 0;
  }

  /// The same for any number of neighbours.
  template <class Source>
  [[nodiscard]] bool has_single_facet(const Source& source) {
    facets_.clear();
    for (const std::uint32_t c : source.star()) {
      std::array<std::uint32_t, Dim> others;
      std::size_t k = 0;
      for (const std::uint32_t local : source.corners(c)) {
        if (local != source.own()) others[k++] = numbers_[local];
      }
      std::sort(others.begin(), others.end());
      for (std::size_t i = 0; i < Dim; ++i) {
        if constexpr (Dim == 2) {
          facets_.emplace_back(others[i], 0);
        } else {
          facets_.emplace_back(others[i == 0 ? 1 : 0], others[i == 2 ? 1 : 2]);
        }
      }
    }
    std::sort(facets_.begin(), facets_.end());
    for (std::size_t i = 0; i < facets_.size(); ++i) {
      const bool as_before = i > 0 && facets_[i] == facets_[i - 1];
      const bool as_after = i + 1 < facets_.size() && facets_[i] == facets_[i + 1];
      if (!as_before && !as_after) return true;
    }
    return false;
  }

  template <class Source>
  LinkPieces find_general(const Source& source) {
    begin(source);
    for (const std::uint32_t c : source.star()) {
      for (const std::uint32_t local : source.corners(c)) (void)number(local);
    }
    const auto is_low = [&](std::uint32_t local) { return source.order(local) < source.order(source.own()); };
    parents_.resize(count_);
    for (std::uint32_t i = 0; i < count_; ++i) parents_[i] = i;
    for (const std::uint32_t c : source.star()) {
      for (const std::uint32_t p : source.corners(c)) {
        for (const std::uint32_t q : source.corners(c)) {
          if (p == source.own() || q == source.own() || is_low(p) != is_low(q)) continue;
          parents_[root(numbers_[p] - first_)] = root(numbers_[q] - first_);
        }
      }
    }
    LinkPieces pieces;
    for (std::uint32_t i = 1; i < count_; ++i) {
      if (root(i) == i) ++(is_low(locals_[i]) ? pieces.lower : pieces.upper);
    }
    pieces.is_on_boundary = has_single_facet(source);
    return pieces;
  }

  std::uint32_t root(std::uint32_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  std::uint32_t first_ = 1;             ///< the center's entry in numbers_
  std::uint32_t count_ = 0;             ///< numbers given, the center's too
  std::vector<std::uint32_t> numbers_;  ///< by local number: first_ + rank, or what an earlier star left
  std::vector<std::uint32_t> locals_ = std::vector<std::uint32_t>(1);
  std::array<std::uint64_t, most + 1> joined_;
  std::array<std::uint64_t, most + 1> odd_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> facets_;
  std::vector<std::uint32_t> parents_;
};

}  // namespace tessera
