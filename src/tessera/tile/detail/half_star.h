// Half stars: the higher neighbours of a vertex, and the triangles that it is the lowest vertex of.
//
// An edge or a face belongs to its lowest vertex. A tet gives its lowest corner three edges and three faces,
// the second two edges and one face, the third one edge and the highest nothing. The cells of a lowest corner
// are a run, because cells are sorted by their corners; the others are found by counting. The lower half of
// a star is never looked at.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

/// The cells above each vertex of some consecutive tiles.
///
///   run      the cells with the vertex as their lowest corner: an interval
///   middle   those with it as neither their lowest nor their highest, ascending; all before the run
template <int Dim>
class HalfStars {
 public:
  using Range = typename TiledMesh<Dim>::Range;

  /// Counts, scans and fills; memory is reused from load to load.
  void load(const TiledMesh<Dim>& tiles, TileId begin, TileId end) {
    const TileId last(end.index() - 1);
    vertices_ = {tiles.vertices(begin).begin, tiles.vertices(last).end};
    cells_ = {tiles.internal_cells(begin).begin, tiles.internal_cells(last).end};
    const std::uint32_t n = vertices_.size();
    find_runs(tiles);
    offsets_.assign(n + 2, 0);
    std::uint32_t* next = offsets_.data() + 1;  // filling leaves each row's end here, as it should be
    std::uint64_t seconds = 0;
    for_each_middle(tiles, begin, end, [&](std::uint32_t v, std::uint32_t, std::size_t k) {
      ++next[v];
      seconds += k == 1 && v < n ? 1 : 0;
    });
    seconds_ = seconds;
    std::uint32_t sum = 0;
    for (std::uint32_t v = 0; v <= n; ++v) sum += std::exchange(next[v], sum);
    middle_.resize(sum);
    std::uint32_t* middle = middle_.data();
    for_each_middle(tiles, begin, end,
                    [&](std::uint32_t v, std::uint32_t c, std::size_t) { middle[next[v]++] = c; });
  }

  [[nodiscard]] Range vertices() const { return vertices_; }
  [[nodiscard]] Range run(std::uint32_t v) const {
    return {runs_[v - vertices_.begin], runs_[v - vertices_.begin + 1]};
  }
  [[nodiscard]] std::span<const std::uint32_t> middle(std::uint32_t v) const {
    const std::uint32_t* row = offsets_.data() + (v - vertices_.begin);
    return {middle_.data() + row[0], row[1] - row[0]};
  }
  /// How often the cells name the vertices' edges, and their faces.
  [[nodiscard]] std::uint64_t edge_hits() const {
    const std::uint64_t middle = offsets_[vertices_.size()];
    return std::uint64_t{Dim} * cells_.size() + (Dim == 3 ? middle + seconds_ : middle);
  }
  [[nodiscard]] std::uint64_t face_hits() const { return std::uint64_t{3} * cells_.size() + seconds_; }

 private:
  /// Calls f(v, cell, corner) for the middle corners; v counts from the first vertex, and those of other
  /// tiles go to the place after the last. Cells of earlier tiles come from the ribbons, each for its own
  /// tile's vertices, so that none comes twice.
  template <class F>
  void for_each_middle(const TiledMesh<Dim>& tiles, TileId begin, TileId end, F&& f) const {
    const auto cells = tiles.cells();
    const Range all = vertices_;  // copies, which what f writes cannot change
    const Range internal = cells_;
    const auto visit = [=, &f](std::uint32_t c, Range owned) {
      for (std::size_t k = 1; k < Dim; ++k) {
        const std::uint32_t v = cells[c][k].index();
        f(v - owned.begin < owned.size() ? v - all.begin : all.size(), c, k);
      }
    };
    for (TileId t = begin; t < end; ++t) {
      const Range owned = tiles.vertices(t);
      for (const std::uint32_t c : tiles.external_cells(t)) {
        if (c >= internal.begin) break;
        visit(c, owned);
      }
    }
    for (std::uint32_t c = internal.begin; c < internal.end; ++c) visit(c, all);
  }

  void find_runs(const TiledMesh<Dim>& tiles) {
    const auto cells = tiles.cells();
    const Range internal = cells_;
    runs_.assign(vertices_.size() + 1, internal.begin);
    std::uint32_t* end = runs_.data() + 1;
    const std::uint32_t first = vertices_.begin;
    for (std::uint32_t c = internal.begin; c < internal.end; ++c) end[cells[c][0].index() - first] = c + 1;
    for (std::size_t v = 1; v < runs_.size(); ++v) runs_[v] = std::max(runs_[v - 1], runs_[v]);
  }

  Range vertices_;
  Range cells_;
  Array<std::uint32_t> runs_;
  Array<std::uint32_t> offsets_;
  Array<std::uint32_t> middle_;
  std::uint64_t seconds_ = 0;  ///< middle corners that are the second
};

/// A byte for every vertex, but no more than this many: vertices that agree in their low bits share a place.
/// Neighbours hardly ever do; if they do, the general way is taken.
inline constexpr std::uint32_t vertex_table_size = 1u << 20;

/// A power of two that is enough for so many vertices, but at most `most`.
[[nodiscard]] constexpr std::size_t vertex_table_for(std::size_t vertices, std::size_t most) {
  return std::min(std::bit_ceil(std::max<std::size_t>(1, vertices)), most);
}

/// The edges and faces that belong to one vertex. Up to 64 higher neighbours faces are bit masks; beyond, a
/// sorted list of pairs.
template <int Dim>
class UpperStar {
 public:
  explicit UpperStar(const TiledMesh<Dim>& tiles, std::size_t table_size = vertex_table_size)
      : cells_(tiles.cells()),
        table_(vertex_table_for(tiles.vertex_count(), table_size), 0),
        may_clash_(tiles.vertex_count() > table_.size()) {
    rank_of_[center_place] = most_in_masks;
  }

  void build(const HalfStars<Dim>& stars, std::uint32_t center) {
    const auto run = stars.run(center);
    const auto middle = stars.middle(center);
    most_faces_ = Dim * run.size() + static_cast<std::uint32_t>(middle.size());
    is_large_ = Dim * run.size() + (Dim - 1) * middle.size() > most_met;
    if (!is_large_) {
      const bool is_met = may_clash_ ? meet<true>(center, run, middle) : meet<false>(center, run, middle);
      is_large_ = !is_met || count_ > most_in_masks;
    }
    if (is_large_) return build_large(center, run, middle);
    sort();
    if constexpr (Dim == 3) connect(run.size(), middle.size());
  }

  /// How many edges and faces there are.
  [[nodiscard]] std::uint32_t edge_count() const { return count_; }
  [[nodiscard]] std::uint32_t face_count() const {
    if (is_large_) return static_cast<std::uint32_t>(large_pairs_.size());
    std::uint32_t count = 0;
    for (std::uint32_t p = 0; p < count_; ++p) count += static_cast<std::uint32_t>(std::popcount(links_[p]));
    return count;
  }

  /// Not less than face_count(), and at no cost.
  [[nodiscard]] std::uint32_t most_faces() const { return most_faces_; }

  /// Calls edge(b) for the edges (center, b), ascending, each followed by face(c) for the faces (center, b,
  /// c).
  template <class OnEdge, class OnFace>
  void for_each(OnEdge&& edge, OnFace&& face) const {
    if (is_large_) return for_each_large(edge, face);
    for (std::uint32_t p = 0; p < count_; ++p) {
      edge(neighbours_[p]);
      if constexpr (Dim == 3) {
        for (std::uint64_t bits = links_[p]; bits != 0; bits &= bits - 1)
          face(neighbours_[static_cast<std::size_t>(std::countr_zero(bits))]);
      }
    }
  }

 private:
  static constexpr std::uint32_t most_met = 252;  ///< corners that a byte can number
  static constexpr std::uint32_t most_in_masks = 64;
  static constexpr std::uint32_t few = 16;  ///< neighbours that are sorted together, without a branch
  static constexpr std::uint8_t center_place = 255;

  using Range = typename TiledMesh<Dim>::Range;
  using Places = std::array<std::uint8_t, Dim>;

  /// Numbers the corners above the center in the order they are met, from 1 on. False if two of them share a
  /// place in the table.
  template <bool MayClash>
  bool meet(std::uint32_t center, Range run, std::span<const std::uint32_t> middle) {
    const auto cells = cells_;
    std::uint8_t* table = table_.data();
    const std::uint32_t mask = static_cast<std::uint32_t>(table_.size() - 1);
    std::uint32_t n = 0;
    std::uint32_t clash = 0;
    table[center & mask] = center_place;
    met_[center_place] = center;
    const auto place = [&](tiled::VertexId vertex) {
      const std::uint32_t v = vertex.index();
      const std::uint8_t known = table[v & mask];
      if constexpr (MayClash) clash |= known == 0 ? 0 : met_[known] ^ v;
      met_[n + 1] = v;  // kept only if it is new
      n += known == 0 ? 1 : 0;
      return table[v & mask] = known == 0 ? static_cast<std::uint8_t>(n) : known;
    };
    Places* places = places_.data();
    for (std::uint32_t c = run.begin; c < run.end; ++c, ++places) {
      for (std::size_t k = 0; k < Dim; ++k) (*places)[k] = place(cells[c][k + 1]);
    }
    for (const std::uint32_t c : middle) {  // a third corner meets itself where a second meets the third
      for (std::size_t k = 1; k < Dim; ++k) (*places)[k] = place(cells[c][k + 1]);
      ++places;
    }
    for (std::uint32_t i = 1; i <= n; ++i) table[met_[i] & mask] = 0;
    table[center & mask] = 0;
    count_ = n;
    return clash == 0;
  }

  /// The rank of a neighbour is how many are smaller.
  void sort() {
    const std::uint32_t* met = met_.data() + 1;
    const auto place = [&](std::uint32_t i, std::uint32_t rank) {
      neighbours_[rank] = met[i];
      rank_of_[i + 1] = static_cast<std::uint8_t>(rank);
    };
    if (count_ <= few) {
      std::array<std::uint32_t, few> below = {};
      for (std::uint32_t j = 0; j < count_; ++j) {
        for (std::uint32_t i = 0; i < few; ++i) below[i] += met[j] < met[i] ? 1 : 0;
      }
      for (std::uint32_t i = 0; i < count_; ++i) place(i, below[i]);
      return;
    }
    for (std::uint32_t i = 0; i < count_; ++i) {
      std::uint32_t below = 0;
      for (std::uint32_t j = 0; j < count_; ++j) below += met[j] < met[i] ? 1 : 0;
      place(i, below);
    }
  }

  /// Bit q of word p: the center, p and q are a face. The center's own rank is that of a word nobody reads.
  void connect(std::uint32_t run, std::size_t middle) {
    std::fill_n(links_.begin(), count_, 0);
    const auto join = [&](std::uint8_t p, std::uint8_t q) {
      links_[rank_of_[p]] |= std::uint64_t{1} << rank_of_[q];
    };
    const Places* places = places_.data();
    for (const Places* end = places + run; places < end; ++places) {
      join((*places)[0], (*places)[1]);
      join((*places)[0], (*places)[2]);
      join((*places)[1], (*places)[2]);
    }
    for (const Places* end = places + middle; places < end; ++places) join((*places)[1], (*places)[2]);
  }

  void build_large(std::uint32_t center, Range run, std::span<const std::uint32_t> middle) {
    large_.clear();
    large_pairs_.clear();
    const auto add = [&](std::uint32_t c) {
      const auto& cell = cells_[c];
      for (std::size_t i = 0; i <= Dim; ++i) {
        if (cell[i].index() <= center) continue;
        large_.push_back(cell[i].index());
        for (std::size_t j = i + 1; j <= Dim && Dim == 3; ++j)
          large_pairs_.push_back(std::uint64_t{cell[i].index()} << 32 | cell[j].index());
      }
    };
    for (std::uint32_t c = run.begin; c < run.end; ++c) add(c);
    for (const std::uint32_t c : middle) add(c);
    const auto sort_unique = [](auto& values) {
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
    };
    sort_unique(large_);
    sort_unique(large_pairs_);
    count_ = static_cast<std::uint32_t>(large_.size());
  }

  template <class OnEdge, class OnFace>
  void for_each_large(OnEdge&& edge, OnFace&& face) const {
    auto pair = large_pairs_.begin();
    for (const std::uint32_t b : large_) {
      edge(b);
      for (; pair != large_pairs_.end() && *pair >> 32 == b; ++pair) face(static_cast<std::uint32_t>(*pair));
    }
  }

  std::span<const typename TiledMesh<Dim>::Cell> cells_;
  bool is_large_ = false;
  std::uint32_t count_ = 0;
  std::uint32_t most_faces_ = 0;
  std::vector<std::uint8_t> table_;  ///< places by the low bits of vertices; 0 but while corners are met
  bool may_clash_ = false;
  std::array<std::uint32_t, 256> met_ = {};     ///< by place
  std::array<Places, most_met + 4> places_;     ///< of the corners of each cell
  std::array<std::uint8_t, 256> rank_of_ = {};  ///< by place
  std::array<std::uint32_t, most_in_masks> neighbours_;
  std::array<std::uint64_t, most_in_masks + 1> links_;
  std::vector<std::uint32_t> large_;
  std::vector<std::uint64_t> large_pairs_;
};

}  // namespace tessera::detail
