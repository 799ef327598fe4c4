// The lower star of a grid's vertex is known from which neighbours are lower and from their order: neighbours
// that are joined in pairs make a triangle with the vertex, and three that are make a tetrahedron. So nothing
// is collected: lower neighbours are ranked, their joins are masks, and the rest is star_pairing.h.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/topology/detail/grid_cells.h>
#include <tessera/topology/detail/grid_order.h>
#include <tessera/topology/detail/star_pairing.h>

namespace tessera::detail {

/// The lower star of one vertex after the other, paired.
template <int Dim>
class GridLowerStar {
 public:
  /// A cell by the ranks of its lower vertices, descending.
  struct Cell {
    std::uint8_t dimension;
    std::array<std::uint8_t, 3> ranks;
  };

  /// Reports pairs and critical cells to `sink`, by neighbours of the vertex.
  template <class Sink>
  void process(const GridOrder& order, const GridCells<Dim>& cells, std::uint32_t v, std::uint32_t present,
               Sink& sink) {
    rank_lower(order, cells, v, present);
    if (count_ == 0) return sink.minimum();
    sink.lowest(lower_[0]);
    join();
    cell_count() <= 64 ? pair(small_, sink) : pair(large_, sink);
  }

 private:
  static constexpr std::size_t most = 16;  // neighbours, in whole registers

  /// Lower neighbours by ascending order: counting the smaller ones needs no branches.
  void rank_lower(const GridOrder& order, const GridCells<Dim>& cells, std::uint32_t v,
                  std::uint32_t present) {
    const std::uint32_t own = order.value(v);
    std::array<std::uint64_t, most> keys;
    std::uint32_t n = 0;
    for (std::uint32_t left = present; left != 0; left &= left - 1) {
      const auto k = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint32_t value = order.value(cells.neighbour(v, k));
      keys[n] = std::uint64_t{value} << 4 | k;
      n += (k < first_higher_neighbour ? value <= own : value < own) ? 1 : 0;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t below = 0;
      for (std::uint32_t j = 0; j < n; ++j) below += keys[j] < keys[i] ? 1 : 0;
      lower_[below] = static_cast<std::uint8_t>(keys[i] & 15);
    }
    count_ = n;
  }

  /// For each rank the lower ranks that it is joined with.
  void join() {
    for (std::uint32_t r = 0; r < count_; ++r) {
      const std::uint32_t link = grid_link[lower_[r]];
      std::uint32_t joined = 0;
      for (std::uint32_t s = 0; s < r; ++s) joined |= (link >> lower_[s] & 1) << s;
      joined_[r] = joined;
    }
  }
  [[nodiscard]] std::uint32_t cell_count() const {
    std::uint32_t count = count_;
    for (std::uint32_t r = 0; r < count_; ++r) {
      count += static_cast<std::uint32_t>(std::popcount(joined_[r]));
      if constexpr (Dim == 3) {
        for (std::uint32_t left = joined_[r]; left != 0; left &= left - 1)
          count += static_cast<std::uint32_t>(std::popcount(joined_[r] & joined_[lowest(left)]));
      }
    }
    return count;
  }
  static std::uint32_t lowest(std::uint32_t bits) {
    return static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  template <std::size_t Words>
  struct Numbered : StarPairing<Words> {
    std::array<Cell, StarPairing<Words>::capacity> cells;

    template <class... Facets>
    std::uint8_t add_cell(const Cell& cell, Facets... facets) {
      const std::uint32_t number = this->add(std::uint32_t{facets}...);
      cells[number] = cell;
      return static_cast<std::uint8_t>(number);
    }
  };

  template <std::size_t Words, class Sink>
  void pair(Numbered<Words>& star, Sink& sink) {
    star.clear();
    BitSet<Words> edges{};
    std::array<std::uint8_t, most> edge;
    std::array<std::array<std::uint8_t, most>, most> face;
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      const auto r = static_cast<std::uint8_t>(rank);
      edge[r] = star.add_cell({1, {r}});
      edges.insert(edge[r]);
      for (std::uint32_t seconds = joined_[r]; seconds != 0; seconds &= seconds - 1) {
        const auto s = static_cast<std::uint8_t>(lowest(seconds));
        face[r][s] = star.add_cell({2, {r, s}}, edge[r], edge[s]);
        if constexpr (Dim == 3) {
          for (std::uint32_t thirds = joined_[r] & joined_[s]; thirds != 0; thirds &= thirds - 1) {
            const auto t = static_cast<std::uint8_t>(lowest(thirds));
            star.add_cell({3, {r, s, t}}, face[r][s], face[r][t], face[s][t]);
          }
        }
      }
    }
    edges.erase(0);
    star.pair_all(edges);
    for (const auto& [facet, cell] : star.pairs()) report_pair(star.cells[facet], star.cells[cell], sink);
    star.critical().for_each([&](std::uint32_t i) {
      const Cell& cell = star.cells[i];
      sink.critical(cell.dimension, neighbours(cell));
    });
  }

  /// The neighbours that a cell has, highest first.
  [[nodiscard]] std::array<std::uint32_t, 3> neighbours(const Cell& cell) const {
    std::array<std::uint32_t, 3> of = {};
    for (std::size_t i = 0; i < cell.dimension; ++i) of[i] = lower_[cell.ranks[i]];
    return of;
  }
  template <class Sink>
  void report_pair(const Cell& facet, const Cell& cell, Sink& sink) const {
    // The rank that the facet does not have. Those of a cell that it does not have either are 0 in both.
    std::uint8_t left = cell.ranks[0] ^ cell.ranks[1] ^ cell.ranks[2];
    left ^= facet.ranks[0] ^ facet.ranks[1];
    if (facet.dimension == 1) sink.edge_with_triangle(lower_[facet.ranks[0]], lower_[left]);
    if (cell.dimension == Dim) sink.top_with_facet(neighbours(cell), lower_[left]);
  }

  std::uint32_t count_ = 0;
  std::array<std::uint8_t, most> lower_;    ///< neighbours by rank
  std::array<std::uint32_t, most> joined_;  ///< by rank
  Numbered<1> small_;
  Numbered<2> large_;
};

}  // namespace tessera::detail
