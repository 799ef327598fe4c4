// Lower stars and their gradient (Robins, Wood, Sheppard 2011: ProcessLowerStars).
//
// The lower star of v: the cells in which v is highest. With the lower neighbours of v ranked by their order,
// an edge is one rank, a triangle two, a tet three, and the algorithm's order of cells is that of their
// descending ranks, a prefix first:
//
//   0 | 1 | 1 0 | 2 | 2 0 | 2 1 | 2 1 0 | ...
//
// Cells are numbered in this order and paired in words of bits (star_pairing.h): one word for up to 64 cells,
// two for 128, four for 256. Larger lower stars take a general path (large_lower_star.h). The pairing is
// unique, hence the same for all of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/macros.h>
#include <tessera/topology/detail/bit_set.h>
#include <tessera/topology/detail/large_lower_star.h>
#include <tessera/topology/detail/star_numbers.h>
#include <tessera/topology/detail/star_pairing.h>

namespace tessera::detail {

/// The gradient on the lower star of one vertex after the other. Cells are named by ranks of lower
/// neighbours.
template <int Dim>
class LowerStar {
 public:
  static constexpr std::uint32_t none = LowerStarResult<Dim>::none;
  using Top = typename LowerStarResult<Dim>::Top;
  using Face = typename LowerStarResult<Dim>::Face;

  /// Finds the lower star of the source's center and pairs its cells. Without `with_next`, Top::next need not
  /// be set.
  template <class Source>
  void process(const Source& source, bool with_next) {
    with_next_ = with_next;
    result_.clear();
    masks_.resize(source.star().size());
    Mask* out = masks_.data();
    const bool has_numbers =
        numbers_.number(source, [&](const auto&, std::uint64_t bits, std::uint32_t cell) {
          *out++ = {bits, cell};
        });
    if (!has_numbers) return large_.process(source, result_);
    rank_lower(source);
    if (result_.lower.empty()) return;
    collect_cells();
    const std::uint32_t count = count_cells();
    if (count <= 64) {
      pair_cells<1>();
    } else if (count <= 128) {
      pair_cells<2>();
    } else if (count <= 256) {
      pair_cells<4>();
    } else {
      result_.clear();
      large_.process(source, result_);
    }
  }

  [[nodiscard]] const LowerStarResult<Dim>& result() const { return result_; }

 private:
  static constexpr std::uint32_t most_cells = 256;

  /// A cell around the center with a facet in the lower star: the ranks of its lower vertices.
  struct StarCell {
    std::uint64_t bits;
    std::uint32_t cell;
  };
  /// One in the lower star.
  struct TopCell {
    std::array<std::uint8_t, Dim> ranks;  ///< descending
    std::uint32_t cell;
  };

  /// A cell around the center: the numbers of its other vertices.
  struct Mask {
    std::uint64_t bits;
    std::uint32_t cell;
  };

  static std::uint64_t bit(std::uint32_t i) { return std::uint64_t{1} << i; }
  static std::uint32_t lowest(std::uint64_t bits) {
    return static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  static std::uint32_t size_of(std::uint64_t bits) { return static_cast<std::uint32_t>(std::popcount(bits)); }

  /// Lower neighbours by ascending order: counting the smaller ones needs no branches.
  template <class Source>
  void rank_lower(const Source& source) {
    const auto locals = numbers_.locals();
    const std::uint64_t center = source.order(source.own());
    std::array<std::uint64_t, StarNumbers<Dim>::most + 1> orders;  // g++ 13 cannot see that one less does
    std::array<std::uint8_t, StarNumbers<Dim>::most + 1> number;
    std::uint32_t n = 0;
    low_ = 0;
    for (std::uint32_t i = 1; i < locals.size(); ++i) {
      const std::uint64_t order = source.order(locals[i]);
      const bool is_low = order < center;
      orders[n] = order;
      number[n] = static_cast<std::uint8_t>(i);
      n += is_low ? 1 : 0;
      low_ |= static_cast<std::uint64_t>(is_low) << i;
    }
    result_.lower.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t below = 0;
      for (std::uint32_t j = 0; j < n; ++j) below += orders[j] < orders[i] ? 1 : 0;
      rank_of_[number[i]] = static_cast<std::uint8_t>(below);
      result_.lower[below] = locals[number[i]];
    }
  }

  /// The cells around the center that have a facet in the lower star, those that are in it, and which ranks
  /// form triangles. Cells are told apart by tables: branches could not be predicted.
  void collect_cells() {
    static constexpr std::array<std::uint8_t, 4> is_inside = {0, 0, Dim == 2, Dim == 3};  // by lower vertices
    static constexpr std::array<std::uint8_t, 4> is_beside = {0, Dim == 2, Dim == 3, 0};
    std::fill_n(below_.begin(), result_.lower.size(), 0);
    inside_.resize(masks_.size());
    beside_.resize(masks_.size());
    Mask* inside = inside_.data();
    Mask* beside = beside_.data();
    for (const Mask& mask : masks_) {
      const std::uint64_t lows = mask.bits & low_;
      const std::uint32_t count = size_of(lows);
      inside->bits = beside->bits = lows;
      inside->cell = beside->cell = mask.cell;
      inside += is_inside[count];
      beside += is_beside[count];
    }
    const std::size_t tops = static_cast<std::size_t>(inside - inside_.data());
    const std::size_t others = static_cast<std::size_t>(beside - beside_.data());
    star_cells_.resize(tops + others);
    tops_.resize(tops);
    for (std::size_t i = 0; i < tops; ++i) {
      const auto ranks = join_ranks<Dim>(inside_[i], star_cells_[i]);
      for (std::size_t k = 0; k < Dim; ++k) tops_[i].ranks[k] = static_cast<std::uint8_t>(ranks[k]);
      tops_[i].cell = inside_[i].cell;
    }
    for (std::size_t i = 0; i < others; ++i) join_ranks<Dim - 1>(beside_[i], star_cells_[tops + i]);
  }

  /// The ranks of a cell's lower vertices, descending; notes that they form triangles.
  template <std::size_t Count>
  std::array<std::uint32_t, Count> join_ranks(Mask lows, StarCell& star_cell) {
    std::array<std::uint32_t, Count> r;
    star_cell = {0, lows.cell};
    for (std::uint32_t& rank : r) {
      rank = rank_of_[lowest(lows.bits)];
      lows.bits &= lows.bits - 1;
      star_cell.bits |= bit(rank);
    }
    const auto order = [&](std::size_t i, std::size_t j) {
      const std::uint32_t high = std::max(r[i], r[j]);
      r[j] = std::min(r[i], r[j]);
      r[i] = high;
    };
    if constexpr (Count > 1) order(0, 1);
    if constexpr (Count > 2) {
      order(1, 2);
      order(0, 1);
      below_[r[1]] |= bit(r[2]);
    }
    if constexpr (Count > 1) below_[r[0]] |= star_cell.bits & ~bit(r[0]);
    return r;
  }

  /// How many cells the lower star has; sets where the triangles of each rank begin.
  [[nodiscard]] std::uint32_t count_cells() {
    const std::uint32_t edges = static_cast<std::uint32_t>(result_.lower.size());
    std::uint32_t faces = 0;
    for (std::uint32_t r = 0; r < edges; ++r) {
      first_face_[r] = faces;
      faces += size_of(below_[r]);
    }
    face_count_ = faces;
    return edges + faces + (Dim == 3 ? static_cast<std::uint32_t>(tops_.size()) : 0);
  }

  /// The place of a triangle among triangles.
  [[nodiscard]] std::uint32_t face(std::uint32_t high, std::uint32_t low) const {
    return first_face_[high] + size_of(below_[high] & (bit(low) - 1));
  }

  /// The cells of the lower star by number.
  template <std::size_t Words>
  struct Cells : StarPairing<Words> {
    static constexpr std::uint32_t capacity = StarPairing<Words>::capacity;
    std::array<std::uint8_t, capacity> high;   ///< the rank of an edge, the higher one of a triangle
    std::array<std::uint8_t, capacity> low;    ///< the lower rank of a triangle
    std::array<std::uint8_t, capacity> kind;   ///< its dimension
    std::array<std::uint16_t, capacity> top;   ///< place in result_.tops
    std::array<std::uint16_t, 64> edge;        ///< number by rank
    std::array<std::uint16_t, capacity> face;  ///< number by place

    template <class... Facets>
    std::uint32_t add_cell(std::uint8_t dimension, std::uint32_t high_rank, std::uint32_t low_rank,
                           Facets... facets) {
      const std::uint32_t number = this->add(facets...);
      kind[number] = dimension;
      high[number] = static_cast<std::uint8_t>(high_rank);
      low[number] = static_cast<std::uint8_t>(low_rank);
      return number;
    }
  };

  template <std::size_t Words>
  void number_cells(Cells<Words>& cells) {
    std::array<std::uint64_t, Cells<Words>::capacity> thirds;  // by triangle: the ranks that make it a tet
    if constexpr (Dim == 3) {
      std::fill_n(thirds.begin(), face_count_, 0);
      for (const TopCell& cell : tops_) thirds[face(cell.ranks[0], cell.ranks[1])] |= bit(cell.ranks[2]);
    }
    std::uint32_t f = 0;
    for (std::uint32_t high = 0; high < result_.lower.size(); ++high) {
      cells.edge[high] = static_cast<std::uint16_t>(cells.add_cell(1, high, 0));
      for (std::uint64_t lows = below_[high]; lows != 0; lows &= lows - 1, ++f) {
        const std::uint32_t low = lowest(lows);
        cells.face[f] = static_cast<std::uint16_t>(
            cells.add_cell(2, high, low, std::uint32_t{cells.edge[high]}, std::uint32_t{cells.edge[low]}));
        if constexpr (Dim == 3) {
          for (std::uint64_t rest = thirds[f]; rest != 0; rest &= rest - 1) {
            const std::uint32_t third = lowest(rest);
            cells.add_cell(3, 0, 0, std::uint32_t{cells.face[f]},
                           std::uint32_t{cells.face[face(high, third)]},
                           std::uint32_t{cells.face[face(low, third)]});
          }
        }
      }
    }
    result_.tops.resize(tops_.size());
    for (std::size_t t = 0; t < tops_.size(); ++t) {
      const TopCell& cell = tops_[t];
      const std::uint32_t place = face(cell.ranks[0], cell.ranks[1]);
      std::uint32_t number = cells.face[place];
      if constexpr (Dim == 3) number += 1 + size_of(thirds[place] & (bit(cell.ranks[2]) - 1));
      cells.top[number] = static_cast<std::uint16_t>(t);
      result_.tops[t].cell = cell.cell;
      for (std::size_t k = 0; k < Dim; ++k) result_.tops[t].ranks[k] = cell.ranks[k];
    }
  }

  template <std::size_t Words>
  void pair_cells() {
    Cells<Words> cells;
    number_cells(cells);
    result_.partners.resize(result_.lower.size());
    BitSet<Words> edges{};
    for (std::uint32_t r = 1; r < result_.lower.size(); ++r) edges.insert(cells.edge[r]);
    cells.pair_all(edges);
    for (const auto& [facet, i] : cells.pairs()) pair(cells, facet, i);
    cells.critical().for_each([&](std::uint32_t i) {
      if (cells.kind[i] == 1) result_.partners[cells.high[i]] = none;
      if (Dim == 3 && cells.kind[i] == 2) result_.critical_faces.push_back({cells.high[i], cells.low[i]});
    });
  }

  template <std::size_t Words>
  void pair(const Cells<Words>& cells, std::uint32_t facet, std::uint32_t i) {
    if (cells.kind[facet] == 1) {
      result_.partners[cells.high[facet]] = cells.high[i] == cells.high[facet] ? cells.low[i] : cells.high[i];
    }
    if (cells.kind[i] < Dim) return;
    Top& top = result_.tops[cells.top[i]];
    std::uint64_t facet_bits = bit(cells.high[facet]);
    if (Dim == 3) facet_bits |= bit(cells.low[facet]);
    for (const std::uint32_t rank : top.ranks) {
      if ((facet_bits & bit(rank)) == 0) top.opposite = rank;
    }
    if (!with_next_) return;
    std::uint32_t count = 0;  // of cells with the facet, this one too
    std::uint32_t all = 0;    // their numbers, by XOR: without branches
    for (const StarCell& cell : star_cells_) {
      const bool has_facet = (cell.bits & facet_bits) == facet_bits;
      count += has_facet ? 1 : 0;
      all ^= has_facet ? cell.cell : 0;
    }
    if (count == 2) top.next = all ^ top.cell;
    top.has_choice = count > 2;
  }

  bool with_next_ = false;
  StarNumbers<Dim> numbers_;
  LargeLowerStar<Dim> large_;
  LowerStarResult<Dim> result_;
  std::uint64_t low_ = 0;                                     ///< numbers of lower neighbours
  std::array<std::uint8_t, StarNumbers<Dim>::most> rank_of_;  ///< by number
  std::vector<Mask> masks_;
  std::vector<Mask> inside_;  ///< the lower star's
  std::vector<Mask> beside_;  ///< with a facet in it
  std::vector<StarCell> star_cells_;
  std::vector<TopCell> tops_;
  std::array<std::uint64_t, 64> below_;  ///< by rank: the lower ranks that form a triangle with it
  std::array<std::uint32_t, 64> first_face_;
  std::uint32_t face_count_ = 0;
};

}  // namespace tessera::detail
