// Lower stars and their gradient (Robins, Wood, Sheppard 2011: ProcessLowerStars).
//
// The lower star of v: the cells in which v is highest. With the lower neighbours of v ranked by their order,
// an edge is one rank, a triangle two, a tet three, and the algorithm's order of cells is that of their
// descending ranks, a prefix first:
//
//   0 | 1 | 1 0 | 2 | 2 0 | 2 1 | 2 1 0 | ...
//
// Cells are numbered in this order, so the two priority queues are sets of numbers and their heads the lowest
// bits. Up to 64, 128 or 256 cells sets are machine words; larger lower stars take a general path with
// ordered sets. The pairing is unique, hence the same for all of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <tessera/topology/bit_set.h>

namespace tessera {

/// The gradient on the lower star of one vertex. Cells are named by ranks of lower neighbours.
template <int Dim>
class LowerStar {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  /// A cell of top dimension in the lower star.
  struct Top {
    std::array<std::uint32_t, Dim> ranks;  ///< of its vertices but the center, descending
    std::uint32_t cell;                    ///< its local number
    std::uint32_t opposite =
        none;  ///< rank of its vertex opposite to the facet it is paired with; none: critical
    std::uint32_t next = none;  ///< local number of the other cell with that facet; none on the boundary
  };
  struct Face {
    std::uint32_t high, low;  ///< ranks
  };

  /// Finds the lower star of the source's center and pairs its cells.
  template <class Source>
  void process(const Source& source) {
    rank_lower(source);
    tops_.clear();
    critical_faces_.clear();
    star_cells_.clear();
    if (count_ == 0) return;
    collect_star_cells(source);
    partner_.resize(std::max<std::size_t>(partner_.size(), count_));
    if (count_ <= 64 && number_cells()) {
      if (cell_count_ <= 64) return pair_cells<BitSet<1>>();
      if (cell_count_ <= 128) return pair_cells<BitSet<2>>();
      return pair_cells<BitSet<4>>();
    }
    number_many();
    pair_cells<ManyNumbers>();
  }

  /// Local numbers of the lower neighbours, lowest first. The vertex is paired with the edge to the first
  /// one; without any it is critical.
  [[nodiscard]] std::span<const std::uint32_t> lower() const { return {lower_.data(), count_}; }
  /// For rank > 0: the rank of the third vertex of the triangle that the edge is paired with; none: critical.
  [[nodiscard]] std::uint32_t edge_partner(std::uint32_t rank) const { return partner_[rank]; }
  /// The cells of top dimension of the lower star.
  [[nodiscard]] std::span<const Top> tops() const { return tops_; }
  /// Critical triangles of tetrahedra.
  [[nodiscard]] std::span<const Face> critical_faces() const { return critical_faces_; }

  /// Calls f(local cell) for the cells around the center that have the lower neighbours of these ranks.
  template <class F>
  void for_each_cell_with(std::initializer_list<std::uint32_t> ranks, F&& f) const {
    for (const StarCell& cell : star_cells_) {
      const auto end = cell.ranks.begin() + cell.count;
      const auto has = [&](std::uint32_t rank) { return std::find(cell.ranks.begin(), end, rank) != end; };
      if (std::all_of(ranks.begin(), ranks.end(), has)) f(cell.cell);
    }
  }

 private:
  using Ranks = std::array<std::uint32_t, Dim>;  ///< descending

  /// A cell around the center with a facet in the lower star.
  struct StarCell {
    Ranks ranks;
    std::uint32_t count;  ///< how many there are
    std::uint32_t cell;
  };
  /// A cell of the lower star.
  struct Cell {
    std::uint32_t dimension;
    std::uint32_t facet_count;        ///< those in the lower star: an edge has none
    std::uint32_t high = 0, low = 0;  ///< ranks of an edge (high) or a triangle
    std::array<std::uint32_t, 3> facets;
    std::uint32_t cells_xor = 0;  ///< all cells around the center that have it
    std::uint32_t cells_count = 0;
    std::uint32_t top = none;  ///< its place in tops_, if it is one
  };
  /// An ordered set without a limit, and cofaces as lists.
  struct ManyNumbers {
    static constexpr std::uint32_t capacity = none;
    void insert(std::uint32_t i) { numbers.insert(i); }
    void erase(std::uint32_t i) { numbers.erase(i); }
    [[nodiscard]] bool has(std::uint32_t i) const { return numbers.contains(i); }
    [[nodiscard]] bool empty() const { return numbers.empty(); }
    [[nodiscard]] std::uint32_t first() const { return *numbers.begin(); }
    template <class F>
    void for_each(F&& f) const {
      for (const std::uint32_t i : numbers) f(i);
    }
    std::set<std::uint32_t> numbers;
  };
  static constexpr std::uint32_t most_cells = BitSet<4>::capacity;

  static std::uint64_t bit(std::uint32_t i) { return std::uint64_t{1} << i; }
  static std::uint32_t highest(std::uint64_t bits) {
    return 63 - static_cast<std::uint32_t>(std::countl_zero(bits));
  }

  /// Lower neighbours, each once, by ascending order; numbers_ then gives the rank of a local vertex.
  template <class Source>
  void rank_lower(const Source& source) {
    if (numbers_.size() < source.vertex_count()) numbers_.resize(source.vertex_count(), 0);
    const std::size_t room = source.star().size() * Dim + 1;
    if (lower_.size() < room) lower_.resize(room), met_.resize(room);
    first_ += count_ + 1;
    if (first_ > 0xF0000000u) {
      std::fill(numbers_.begin(), numbers_.end(), 0);
      first_ = 1;
    }
    const std::uint64_t center = source.order(source.own());
    std::uint32_t n = 0;
    for (const std::uint32_t c : source.star()) {
      for (const std::uint32_t local : source.corners(c)) {
        const std::uint64_t order = source.order(local);
        const bool is_new = order < center && numbers_[local] < first_;
        met_[n] = {order, local};
        numbers_[local] = is_new ? first_ : numbers_[local];
        n += is_new ? 1 : 0;
      }
    }
    count_ = n;
    sort_lower();
  }

  void sort_lower() {
    if (count_ > 32) {
      std::sort(met_.begin(), met_.begin() + count_,
                [](const Met& a, const Met& b) { return a.order < b.order; });
      for (std::uint32_t i = 0; i < count_; ++i) set_rank(met_[i].local, i);
      return;
    }
    std::array<std::uint64_t, 32> orders;
    for (std::uint32_t i = 0; i < count_; ++i) orders[i] = met_[i].order;
    for (std::uint32_t i = 0; i < count_; ++i) {  // counting the smaller ones needs no branches
      std::uint32_t below = 0;
      for (std::uint32_t j = 0; j < count_; ++j) below += orders[j] < orders[i] ? 1 : 0;
      set_rank(met_[i].local, below);
    }
  }
  void set_rank(std::uint32_t local, std::uint32_t rank) {
    lower_[rank] = local;
    numbers_[local] = first_ + rank;
  }

  template <class Source>
  void collect_star_cells(const Source& source) {
    for (const std::uint32_t c : source.star()) {
      StarCell cell;
      cell.cell = c;
      cell.count = 0;
      for (const std::uint32_t local : source.corners(c)) {
        const std::uint32_t rank = numbers_[local] - first_;
        if (rank < count_) cell.ranks[cell.count++] = rank;
      }
      if (cell.count + 1 < Dim) continue;
      sort_descending(cell);
      star_cells_.push_back(cell);
    }
  }
  static void sort_descending(StarCell& cell) {
    const auto order = [&](std::size_t i, std::size_t j) {
      if (cell.ranks[i] < cell.ranks[j]) std::swap(cell.ranks[i], cell.ranks[j]);
    };
    if (cell.count < 2) return;
    order(0, 1);
    if constexpr (Dim == 3) {
      if (cell.count == 3) order(1, 2), order(0, 1);
    }
  }

  /// Numbers the cells in their order; false if masks can not hold them.
  bool number_cells() {
    std::fill_n(below_.begin(), count_, 0);
    for (const StarCell& cell : star_cells_) {
      if (cell.count < 2) continue;
      below_[cell.ranks[0]] |= bit(cell.ranks[1]);
      if constexpr (Dim == 3) {
        if (cell.count < 3) continue;
        below_[cell.ranks[0]] |= bit(cell.ranks[2]);
        below_[cell.ranks[1]] |= bit(cell.ranks[2]);
      }
    }
    std::uint32_t faces = 0;
    for (std::uint32_t r = 0; r < count_; ++r) {
      first_face_[r] = faces;
      faces += static_cast<std::uint32_t>(std::popcount(below_[r]));
    }
    if (faces + count_ > most_cells) return false;
    if constexpr (Dim == 3) {
      std::fill_n(tets_.begin(), faces, 0);
      std::uint32_t tets = 0;
      for (const StarCell& cell : star_cells_) {
        if (cell.count < 3) continue;
        tets_[face(cell.ranks[0], cell.ranks[1])] |= bit(cell.ranks[2]);
        ++tets;
      }
      if (faces + count_ + tets > most_cells) return false;
    }
    write_cells();
    place_star_cells([&](std::uint32_t high, std::uint32_t low) { return face_number_[face(high, low)]; },
                     [&](const Ranks& ranks) { return tet_number(ranks); });
    return true;
  }

  /// The place of a triangle among triangles.
  [[nodiscard]] std::uint32_t face(std::uint32_t high, std::uint32_t low) const {
    return first_face_[high] + static_cast<std::uint32_t>(std::popcount(below_[high] & (bit(low) - 1)));
  }
  [[nodiscard]] std::uint32_t tet_number(const Ranks& ranks) const {
    if constexpr (Dim == 2) {
      return none;
    } else {
      const std::uint32_t f = face(ranks[0], ranks[1]);
      return face_number_[f] + 1 + static_cast<std::uint32_t>(std::popcount(tets_[f] & (bit(ranks[2]) - 1)));
    }
  }

  void write_cells() {
    if (cells_.size() < most_cells) cells_.resize(most_cells), edge_number_.resize(most_cells);
    std::uint32_t number = 0;
    std::uint32_t f = 0;
    for (std::uint32_t high = 0; high < count_; ++high) {
      edge_number_[high] = number;
      cells_[number++] = {1, 0, high};
      for (std::uint64_t lows = below_[high]; lows != 0; lows &= lows - 1, ++f) {
        const std::uint32_t low = static_cast<std::uint32_t>(std::countr_zero(lows));
        face_number_[f] = number;
        cells_[number++] = {2, 2, high, low, {edge_number_[high], edge_number_[low], none}};
        if constexpr (Dim == 3) {
          for (std::uint64_t thirds = tets_[f]; thirds != 0; thirds &= thirds - 1) {
            const std::uint32_t third = static_cast<std::uint32_t>(std::countr_zero(thirds));
            const std::uint32_t second = face_number_[face(high, third)];
            cells_[number++] = {3, 3, 0, 0, {face_number_[f], second, face_number_[face(low, third)]}};
          }
        }
      }
    }
    cell_count_ = number;
  }

  /// Names the top cells, and counts for every facet the cells around the center that have it.
  template <class FaceNumber, class TetNumber>
  void place_star_cells(const FaceNumber& face_number, const TetNumber& tet_number) {
    const auto note = [&](std::uint32_t facet, std::uint32_t cell) {
      cells_[facet].cells_xor ^= cell;
      ++cells_[facet].cells_count;
    };
    for (const StarCell& star : star_cells_) {
      const auto& r = star.ranks;
      if (star.count < Dim) {
        note(Dim == 3 ? face_number(r[0], r[1]) : edge_number_[r[0]], star.cell);
        continue;
      }
      const std::uint32_t number = Dim == 3 ? tet_number(r) : face_number(r[0], r[1]);
      for (std::size_t k = 0; k < Dim; ++k) note(cells_[number].facets[k], star.cell);
      cells_[number].top = static_cast<std::uint32_t>(tops_.size());
      tops_.push_back({r, star.cell});
    }
  }

  /// The same for lower stars of any size: cells are sorted and searched for.
  void number_many() {
    keys_.clear();
    for (std::uint32_t r = 0; r < count_; ++r) keys_.push_back({r + 1, 0, 0});
    for (const StarCell& cell : star_cells_) {
      const auto& r = cell.ranks;
      if (cell.count < 2) continue;
      keys_.push_back({r[0] + 1, r[1] + 1, 0});
      if constexpr (Dim == 3) {
        if (cell.count < 3) continue;
        keys_.push_back({r[0] + 1, r[2] + 1, 0});
        keys_.push_back({r[1] + 1, r[2] + 1, 0});
        keys_.push_back({r[0] + 1, r[1] + 1, r[2] + 1});
      }
    }
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    cell_count_ = static_cast<std::uint32_t>(keys_.size());
    cells_.resize(std::max(cells_.size(), keys_.size()));
    edge_number_.resize(std::max<std::size_t>(edge_number_.size(), count_));
    const auto number = [&](const Key& key) {
      return static_cast<std::uint32_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
    };
    for (std::uint32_t i = 0; i < cell_count_; ++i) {
      const auto [a, b, c] = keys_[i];
      if (b == 0) {
        edge_number_[a - 1] = i;
        cells_[i] = {1, 0, a - 1};
      } else if (c == 0) {
        cells_[i] = {2, 2, a - 1, b - 1, {number({a, 0, 0}), number({b, 0, 0}), none}};
      } else {
        cells_[i] = {3, 3, 0, 0, {number({a, b, 0}), number({a, c, 0}), number({b, c, 0})}};
      }
    }
    place_star_cells(
        [&](std::uint32_t high, std::uint32_t low) {
          return number({high + 1, low + 1, 0});
        },
        [&](const Ranks& r) {
          return number({r[0] + 1, r[1] + 1, r[Dim - 1] + 1});
        });
  }

  /// ProcessLowerStars. The first edge is the vertex's own.
  template <class Set>
  void pair_cells() {
    auto& cofaces = std::get<std::vector<Set>>(cofaces_);
    cofaces.assign(cell_count_, Set{});
    Set unpaired;
    for (std::uint32_t i = 0; i < cell_count_; ++i) {
      if (i > 0) unpaired.insert(i);
      for (std::uint32_t k = 0; k < cells_[i].facet_count; ++k) cofaces[cells_[i].facets[k]].insert(i);
    }
    Set zero;  // no unpaired facet
    Set one;   // exactly one
    for (std::uint32_t r = 1; r < count_; ++r) zero.insert(edge_number_[r]);
    const auto add_cofaces = [&](std::uint32_t i) {
      cofaces[i].for_each([&](std::uint32_t coface) {
        if (unpaired.has(coface) && unpaired_facets(cells_[coface], unpaired) == 1) one.insert(coface);
      });
    };
    add_cofaces(0);
    while (true) {
      while (!one.empty()) {
        const std::uint32_t i = one.first();
        one.erase(i);
        if (!unpaired.has(i)) continue;
        if (unpaired_facets(cells_[i], unpaired) == 0) {
          zero.insert(i);
          continue;
        }
        std::uint32_t k = 0;
        while (!unpaired.has(cells_[i].facets[k])) ++k;
        const std::uint32_t facet = cells_[i].facets[k];
        pair(facet, i, k);
        unpaired.erase(i);
        unpaired.erase(facet);
        zero.erase(facet);
        add_cofaces(facet);
        add_cofaces(i);
      }
      if (zero.empty()) return;
      const std::uint32_t i = zero.first();
      zero.erase(i);
      unpaired.erase(i);
      make_critical(cells_[i]);
      add_cofaces(i);
    }
  }

  template <class Set>
  [[nodiscard]] static std::uint32_t unpaired_facets(const Cell& cell, const Set& unpaired) {
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < cell.facet_count; ++k) count += unpaired.has(cell.facets[k]) ? 1 : 0;
    return count;
  }

  /// Facet number k of cell i is paired with it.
  void pair(std::uint32_t facet_number, std::uint32_t i, std::uint32_t k) {
    const Cell& facet = cells_[facet_number];
    const Cell& cell = cells_[i];
    if (facet.dimension == 1) partner_[facet.high] = k == 0 ? cell.low : cell.high;
    if (cell.top == none) return;
    Top& top = tops_[cell.top];
    top.opposite = top.ranks[Dim - 1 - k];  // facets leave out the lowest rank first
    if (facet.cells_count == 2) top.next = facet.cells_xor ^ top.cell;
    if (facet.cells_count > 2) top.next = first_other_cell(facet, top.cell);
  }

  [[nodiscard]] std::uint32_t first_other_cell(const Cell& facet, std::uint32_t cell) const {
    std::uint32_t found = none;
    const auto look = [&](std::uint32_t other) {
      if (other != cell) found = std::min(found, other);
    };
    if constexpr (Dim == 3) {
      for_each_cell_with({facet.high, facet.low}, look);
    } else {
      for_each_cell_with({facet.high}, look);
    }
    return found;
  }

  void make_critical(const Cell& cell) {
    if (cell.dimension == 1) partner_[cell.high] = none;
    if (cell.dimension == 2 && Dim == 3) critical_faces_.push_back({cell.high, cell.low});
  }

  using Key = std::array<std::uint32_t, 3>;  ///< ranks + 1, 0 for none
  struct Met {
    std::uint64_t order;
    std::uint32_t local;
  };

  std::uint32_t first_ = 1;  ///< rank 0 in numbers_; entries below are from stars before
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> numbers_;  ///< by local number
  std::vector<Met> met_;
  std::vector<std::uint32_t> lower_;
  std::vector<StarCell> star_cells_;

  std::uint32_t cell_count_ = 0;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> edge_number_;  ///< by rank
  std::array<std::uint64_t, 64> below_;     ///< by rank: the lower ranks that form a triangle with it
  std::array<std::uint32_t, 64> first_face_;
  std::array<std::uint32_t, most_cells> face_number_;
  std::array<std::uint64_t, most_cells> tets_;  ///< by triangle: the third ranks of its tets
  std::vector<Key> keys_;
  std::tuple<std::vector<BitSet<1>>, std::vector<BitSet<2>>, std::vector<BitSet<4>>, std::vector<ManyNumbers>>
      cofaces_;

  std::vector<std::uint32_t> partner_;
  std::vector<Top> tops_;
  std::vector<Face> critical_faces_;
};

}  // namespace tessera
