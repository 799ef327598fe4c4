// The link of a vertex: in how many pieces lie the neighbours below it, and those above it?
//
// Each cell of the star adds the mask of its corners but the center to the row of each of them: once with OR
// (who is joined with whom), once with XOR (how often, modulo two: facets of an odd number of cells are
// suspected to be on the boundary). Stars of more than 63 neighbours take a general path.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/topology/detail/star_numbers.h>

namespace tessera::detail {

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
    std::fill_n(joined_.begin(), numbers_.count(), 0);  // what the star before has left
    std::fill_n(odd_.begin(), numbers_.count(), 0);
    const bool has_numbers =
        numbers_.number(source, [&](const auto& ranks, std::uint64_t bits, std::uint32_t) {
          for (const std::uint32_t r : ranks) {
            joined_[r] |= bits;
            odd_[r] ^= bits;
          }
        });
    if (!has_numbers) return find_general(source);
    many_.clear();
    const auto locals = numbers_.locals();
    const std::uint32_t count = numbers_.count();
    const std::uint64_t center = source.order(source.own());
    std::uint64_t low = 0;
    for (std::uint32_t i = 1; i < count; ++i) {
      low |= static_cast<std::uint64_t>(source.order(locals[i]) < center) << i;
    }
    const std::uint64_t all = (~std::uint64_t{0} >> (64 - count)) & ~std::uint64_t{1};
    return {count_pieces(low), count_pieces(all & ~low), has_facet(odd_) && has_single_facet(source)};
  }

  /// Local numbers of the neighbours of the vertex that was last asked for.
  [[nodiscard]] std::span<const std::uint32_t> neighbours() const {
    return many_.empty() ? numbers_.locals().subspan(1) : std::span<const std::uint32_t>(many_);
  }

 private:
  using Rows = std::array<std::uint64_t, StarNumbers<Dim>::most + Dim>;

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

  /// Facets with the center as bits: of triangles an edge, bit i of row i; of tetrahedra a triangle, bits of
  /// two rows.
  [[nodiscard]] bool has_facet(const Rows& rows) const {
    std::uint64_t any = 0;
    for (std::uint32_t i = 1; i < numbers_.count(); ++i) {
      const std::uint64_t own = std::uint64_t{1} << i;
      any |= rows[i] & (Dim == 2 ? own : ~own);
    }
    return any != 0;
  }

  /// Is there a facet with one cell, not three or more?
  template <class Source>
  [[nodiscard]] bool has_single_facet(const Source& source) const {
    Rows once = {};
    Rows twice = {};
    for (const auto& cell : source.star()) {
      std::uint64_t bits = 0;
      for (const std::uint32_t local : cell.others) bits |= std::uint64_t{1} << numbers_[local];
      for (const std::uint32_t local : cell.others) {
        const std::uint32_t r = numbers_[local];
        twice[r] |= once[r] & bits;
        once[r] |= bits;
      }
    }
    for (std::uint32_t i = 1; i < numbers_.count(); ++i) once[i] &= ~twice[i];
    return has_facet(once);
  }

  /// Any number of neighbours, by sorting and union-find.
  template <class Source>
  LinkPieces find_general(const Source& source) {
    const std::uint64_t center = source.order(source.own());
    many_.clear();
    for (const auto& cell : source.star()) many_.insert(many_.end(), cell.others.begin(), cell.others.end());
    std::sort(many_.begin(), many_.end());
    many_.erase(std::unique(many_.begin(), many_.end()), many_.end());
    parents_.resize(many_.size());
    for (std::uint32_t i = 0; i < parents_.size(); ++i) parents_[i] = i;
    const auto rank = [&](std::uint32_t local) {
      return static_cast<std::uint32_t>(std::lower_bound(many_.begin(), many_.end(), local) - many_.begin());
    };
    const auto is_low = [&](std::uint32_t local) { return source.order(local) < center; };
    facets_.clear();
    for (const auto& cell : source.star()) {
      for (const std::uint32_t p : cell.others) {
        if constexpr (Dim == 2) facets_.emplace_back(p, p);
        for (const std::uint32_t q : cell.others) {
          if (p >= q) continue;
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
  Rows joined_ = {};
  Rows odd_ = {};
  std::vector<std::uint32_t> many_;  ///< neighbours beyond what masks hold; else empty
  std::vector<std::pair<std::uint32_t, std::uint32_t>> facets_;
  std::vector<std::uint32_t> parents_;
};

}  // namespace tessera::detail
