// Lower stars of any size: ProcessLowerStars with sorted cells and ordered sets. What lower_star.h does in
// words, for stars that do not fit them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace tessera::detail {

/// The gradient on a lower star. Cells are named by ranks of lower neighbours.
template <int Dim>
struct LowerStarResult {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  /// A cell of top dimension.
  struct Top {
    std::array<std::uint32_t, Dim> ranks;  ///< of its vertices but the center, descending
    std::uint32_t cell;                    ///< its local number
    std::uint32_t opposite =
        none;  ///< rank of its vertex opposite to the facet it is paired with; none: critical
    std::uint32_t next = none;  ///< local number of the other cell with that facet; none: boundary
    bool has_choice = false;    ///< there are several others, the facet is not manifold: next says nothing
  };
  /// A triangle of tetrahedra.
  struct Face {
    std::uint32_t high, low;  ///< ranks
  };

  /// Local numbers of the lower neighbours, lowest first. The vertex is paired with the edge to the first
  /// one; without any it is critical.
  std::vector<std::uint32_t> lower;
  /// For rank > 0: the rank of the third vertex of the triangle that the edge is paired with; none: critical.
  std::vector<std::uint32_t> partners;
  std::vector<Top> tops;
  std::vector<Face> critical_faces;

  using Facet = std::array<std::uint32_t, Dim - 1>;  ///< ranks, descending; the center is its other vertex
  /// Of large stars: every cell around the center with every facet of lower vertices it has, sorted by facet
  /// and then as the star has them. Empty for stars so small that one looks at all of their cells.
  std::vector<std::pair<Facet, std::uint32_t>> around;

  /// Calls f(cell) for the cells of the star that have the facet.
  template <class Source, class F>
  void for_each_around(const Source& source, const Facet& facet, const F& f) const {
    if (!around.empty()) {
      const auto by_facet = [](const auto& entry, const Facet& other) { return entry.first < other; };
      for (auto at = std::lower_bound(around.begin(), around.end(), facet, by_facet);
           at != around.end() && at->first == facet; ++at)
        f(at->second);
      return;
    }
    for (const auto& cell : source.star()) {
      const auto has = [&](std::uint32_t rank) {
        return std::find(cell.others.begin(), cell.others.end(), lower[rank]) != cell.others.end();
      };
      if (std::all_of(facet.begin(), facet.end(), has)) f(cell.cell);
    }
  }

  void clear() {
    around.clear();
    lower.clear();
    partners.clear();
    tops.clear();
    critical_faces.clear();
  }
};

template <int Dim>
class LargeLowerStar {
 public:
  template <class Source>
  void process(const Source& source, LowerStarResult<Dim>& result) {
    rank_lower(source, result);
    if (result.lower.empty()) return;
    number_cells(source, result);
    result.partners.assign(result.lower.size(), result.none);
    pair_cells(source, result);
  }

 private:
  static constexpr std::uint32_t none = LowerStarResult<Dim>::none;
  using Key =
      std::array<std::uint32_t, 3>;  ///< ranks + 1, descending, 0 for none: their order is that of cells

  struct Cell {
    Key key;
    std::uint32_t top = none;  ///< place in result.tops
    std::vector<std::uint32_t> facets;
    std::vector<std::uint32_t> cofaces;
    bool is_paired = false;
  };

  template <class Source>
  void rank_lower(const Source& source, LowerStarResult<Dim>& result) {
    const std::uint64_t center = source.order(source.own());
    for (const auto& cell : source.star()) {
      for (const std::uint32_t local : cell.others) {
        if (source.order(local) < center) result.lower.push_back(local);
      }
    }
    std::sort(result.lower.begin(), result.lower.end(),
              [&](std::uint32_t a, std::uint32_t b) { return source.order(a) < source.order(b); });
    result.lower.erase(std::unique(result.lower.begin(), result.lower.end()), result.lower.end());
  }

  /// All faces of the star's cells that consist of lower vertices, sorted.
  template <class Source>
  void number_cells(const Source& source, LowerStarResult<Dim>& result) {
    const auto rank = [&](std::uint32_t local) {
      const auto less = [&](std::uint32_t a, std::uint32_t b) { return source.order(a) < source.order(b); };
      return static_cast<std::uint32_t>(
          std::lower_bound(result.lower.begin(), result.lower.end(), local, less) - result.lower.begin());
    };
    const std::uint64_t center = source.order(source.own());
    cells_.clear();
    std::vector<Key> keys;
    for (const auto& cell : source.star()) {
      const std::uint32_t c = cell.cell;
      Key key = {};
      std::size_t count = 0;
      for (const std::uint32_t local : cell.others) {
        if (source.order(local) < center) key[count++] = rank(local) + 1;
      }
      std::sort(key.begin(), key.end(), std::greater<>());
      for (const Key& face : faces_of(key)) {
        keys.push_back(face);
        if (size_of(face) == Dim - 1) result.around.push_back({facet_of(face), c});
      }
      if (count == Dim) result.tops.push_back({ranks_of(key), c});
    }
    std::ranges::stable_sort(result.around, {}, [](const auto& entry) { return entry.first; });
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (const Key& key : keys) cells_.push_back({key});
    for (std::uint32_t i = 0; i < cells_.size(); ++i) {
      for (const Key& facet : faces_of(cells_[i].key)) {
        if (size_of(facet) + 1 != size_of(cells_[i].key)) continue;
        cells_[i].facets.push_back(number(facet));
        cells_[number(facet)].cofaces.push_back(i);
      }
    }
    for (std::uint32_t t = 0; t < result.tops.size(); ++t)
      cells_[number(key_of(result.tops[t].ranks))].top = t;
  }

  static std::size_t size_of(const Key& key) {
    return static_cast<std::size_t>(
        std::count_if(key.begin(), key.end(), [](std::uint32_t r) { return r != 0; }));
  }
  static auto ranks_of(const Key& key) {
    std::array<std::uint32_t, Dim> ranks;
    for (std::size_t k = 0; k < Dim; ++k) ranks[k] = key[k] - 1;
    return ranks;
  }
  static typename LowerStarResult<Dim>::Facet facet_of(const Key& key) {
    typename LowerStarResult<Dim>::Facet facet;
    for (std::size_t k = 0; k < Dim - 1; ++k) facet[k] = key[k] - 1;
    return facet;
  }
  static Key key_of(const std::array<std::uint32_t, Dim>& ranks) {
    Key key = {};
    for (std::size_t k = 0; k < Dim; ++k) key[k] = ranks[k] + 1;
    return key;
  }
  /// The cell itself and all its faces with one rank or more.
  static std::vector<Key> faces_of(const Key& key) {
    std::vector<Key> faces;
    const std::size_t size = size_of(key);
    for (std::size_t subset = 1; subset < std::size_t{1} << size; ++subset) {
      Key& face = faces.emplace_back(Key{});
      std::size_t at = 0;
      for (std::size_t k = 0; k < size; ++k) {
        if ((subset >> k & 1) != 0) face[at++] = key[k];
      }
    }
    return faces;
  }
  [[nodiscard]] std::uint32_t number(const Key& key) const {
    const auto at = std::lower_bound(cells_.begin(), cells_.end(), key,
                                     [](const Cell& cell, const Key& other) { return cell.key < other; });
    return static_cast<std::uint32_t>(at - cells_.begin());
  }

  [[nodiscard]] std::size_t unpaired_facets(const Cell& cell) const {
    return static_cast<std::size_t>(std::count_if(cell.facets.begin(), cell.facets.end(),
                                                  [&](std::uint32_t f) { return !cells_[f].is_paired; }));
  }

  template <class Source>
  void pair_cells(const Source& source, LowerStarResult<Dim>& result) {
    std::set<std::uint32_t> zero;  // cells without an unpaired facet
    std::set<std::uint32_t> one;   // cells with exactly one
    const auto add_cofaces = [&](std::uint32_t i) {
      for (const std::uint32_t coface : cells_[i].cofaces) {
        if (!cells_[coface].is_paired && unpaired_facets(cells_[coface]) == 1) one.insert(coface);
      }
    };
    for (std::uint32_t i = 1; i < cells_.size(); ++i) {
      if (cells_[i].facets.empty()) zero.insert(i);
    }
    cells_[0].is_paired = true;  // the vertex's own edge
    add_cofaces(0);
    while (!one.empty() || !zero.empty()) {
      if (one.empty()) {
        const std::uint32_t i = *zero.begin();
        zero.erase(i);
        cells_[i].is_paired = true;
        if (Dim == 3 && size_of(cells_[i].key) == 2) {
          result.critical_faces.push_back({cells_[i].key[0] - 1, cells_[i].key[1] - 1});
        }
        add_cofaces(i);
        continue;
      }
      const std::uint32_t i = *one.begin();
      one.erase(i);
      if (cells_[i].is_paired) continue;
      if (unpaired_facets(cells_[i]) == 0) {
        zero.insert(i);
        continue;
      }
      const std::uint32_t facet = *std::find_if(cells_[i].facets.begin(), cells_[i].facets.end(),
                                                [&](std::uint32_t f) { return !cells_[f].is_paired; });
      pair(source, facet, i, result);
      zero.erase(facet);
      add_cofaces(facet);
      add_cofaces(i);
    }
  }

  template <class Source>
  void pair(const Source& source, std::uint32_t facet, std::uint32_t i, LowerStarResult<Dim>& result) {
    cells_[facet].is_paired = true;
    cells_[i].is_paired = true;
    const Key& small = cells_[facet].key;
    const Key& large = cells_[i].key;
    if (size_of(small) == 1) result.partners[small[0] - 1] = (large[0] == small[0] ? large[1] : large[0]) - 1;
    if (cells_[i].top == none) return;
    auto& top = result.tops[cells_[i].top];
    for (const std::uint32_t rank : top.ranks) {
      if (std::find(small.begin(), small.end(), rank + 1) == small.end()) top.opposite = rank;
    }
    result.for_each_around(source, facet_of(small), [&](std::uint32_t cell) {
      if (cell == top.cell) return;
      top.has_choice = top.next != none;
      top.next = cell;
    });
  }

  std::vector<Cell> cells_;
};

}  // namespace tessera::detail
