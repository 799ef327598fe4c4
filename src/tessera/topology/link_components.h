// The link of a vertex: in how many pieces lie the neighbours below it, and those above it?
//
// Each cell of the star adds the mask of its corners to the row of each corner: once with OR (who is joined
// with whom), once with XOR (how often, modulo two: facets of an odd number of cells are suspected to be on
// the boundary). Stars of more than 63 neighbours take a general path.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/topology/star_numbers.h>

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
    if (!numbers_.number(source)) return find_general(source);
    many_.clear();
    const auto locals = numbers_.locals();
    const std::uint32_t count = numbers_.count();
    const std::uint64_t center = source.order(source.own());
    std::uint64_t low = 0;
    for (std::uint32_t i = 1; i < count; ++i) {
      low |= static_cast<std::uint64_t>(source.order(locals[i]) < center) << i;
    }
    std::array<std::uint64_t, most> joined;
    std::array<std::uint64_t, most> odd;
    for (std::uint32_t i = 0; i < count; ++i) joined[i] = odd[i] = 0;
    for (const auto& cell : numbers_.cells(source.star().size())) {
      for (const std::uint8_t r : cell.ranks) {
        joined[r] |= cell.bits;
        odd[r] ^= cell.bits;
      }
    }
    const std::uint64_t all = (~std::uint64_t{0} >> (64 - count)) & ~std::uint64_t{1};
    return {count_pieces(joined, low), count_pieces(joined, all & ~low),
            has_odd_facet(odd) && has_single_facet(source.star().size())};
  }

  /// Local numbers of the neighbours of the vertex that was last asked for.
  [[nodiscard]] std::span<const std::uint32_t> neighbours() const {
    return many_.empty() ? numbers_.locals().subspan(1) : std::span<const std::uint32_t>(many_);
  }

 private:
  static constexpr std::uint32_t most = StarNumbers<Dim>::most;
  using Rows = std::array<std::uint64_t, most>;

  [[nodiscard]] static std::uint32_t count_pieces(const Rows& joined, std::uint64_t left) {
    std::uint32_t pieces = 0;
    while (left != 0) {
      ++pieces;
      std::uint64_t front = left & (~left + 1);
      left ^= front;
      while (front != 0) {
        const std::uint64_t found = joined[static_cast<std::size_t>(std::countr_zero(front))] & left;
        front &= front - 1;
        left ^= found;
        front |= found;
      }
    }
    return pieces;
  }

  [[nodiscard]] bool has_odd_facet(const Rows& odd) const {
    if constexpr (Dim == 2) return (odd[0] & ~std::uint64_t{1}) != 0;
    std::uint64_t any = 0;
    for (std::uint32_t i = 1; i < numbers_.count(); ++i) any |= odd[i] & ~(std::uint64_t{1} << i | 1);
    return any != 0;
  }

  /// Is there a facet with one cell, not three or more?
  [[nodiscard]] bool has_single_facet(std::size_t star_size) const {
    Rows once = {};
    Rows twice = {};
    for (const auto& cell : numbers_.cells(star_size)) {
      for (const std::uint8_t r : cell.ranks) {
        twice[r] |= once[r] & cell.bits;
        once[r] |= cell.bits;
      }
    }
    if constexpr (Dim == 2) return (once[0] & ~twice[0] & ~std::uint64_t{1}) != 0;
    std::uint64_t any = 0;
    for (std::uint32_t i = 1; i < numbers_.count(); ++i)
      any |= once[i] & ~twice[i] & ~(std::uint64_t{1} << i | 1);
    return any != 0;
  }

  /// Any number of neighbours, by sorting and union-find.
  template <class Source>
  LinkPieces find_general(const Source& source) {
    const std::uint32_t own = source.own();
    const std::uint64_t center = source.order(own);
    many_.clear();
    for (const std::uint32_t c : source.star()) {
      for (const std::uint32_t local : source.corners(c)) {
        if (local != own) many_.push_back(local);
      }
    }
    std::sort(many_.begin(), many_.end());
    many_.erase(std::unique(many_.begin(), many_.end()), many_.end());
    parents_.resize(many_.size());
    for (std::uint32_t i = 0; i < parents_.size(); ++i) parents_[i] = i;
    const auto rank = [&](std::uint32_t local) {
      return static_cast<std::uint32_t>(std::lower_bound(many_.begin(), many_.end(), local) - many_.begin());
    };
    const auto is_low = [&](std::uint32_t local) { return source.order(local) < center; };
    facets_.clear();
    for (const std::uint32_t c : source.star()) {
      for (const std::uint32_t p : source.corners(c)) {
        if (p == own) continue;
        if constexpr (Dim == 2) facets_.emplace_back(p, p);
        for (const std::uint32_t q : source.corners(c)) {
          if (q == own || p >= q) continue;
          if constexpr (Dim == 3) facets_.emplace_back(p, q);
          if (is_low(p) == is_low(q)) parents_[root(rank(p))] = root(rank(q));
        }
      }
    }
    LinkPieces pieces;
    for (std::uint32_t i = 0; i < many_.size(); ++i) {
      if (root(i) == i) ++(is_low(many_[i]) ? pieces.lower : pieces.upper);
    }
    pieces.is_on_boundary = has_single(facets_);
    return pieces;
  }

  static bool has_single(std::vector<std::pair<std::uint32_t, std::uint32_t>>& facets) {
    std::sort(facets.begin(), facets.end());
    for (std::size_t i = 0; i < facets.size(); ++i) {
      const bool as_before = i > 0 && facets[i] == facets[i - 1];
      const bool as_after = i + 1 < facets.size() && facets[i] == facets[i + 1];
      if (!as_before && !as_after) return true;
    }
    return false;
  }

  std::uint32_t root(std::uint32_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  StarNumbers<Dim> numbers_;
  std::vector<std::uint32_t> many_;  ///< neighbours beyond what masks hold; else empty
  std::vector<std::pair<std::uint32_t, std::uint32_t>> facets_;
  std::vector<std::uint32_t> parents_;
};

}  // namespace tessera
