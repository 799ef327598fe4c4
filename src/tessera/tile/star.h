// Stars: the cells around the vertices of a tile, and all that can be read off the cells around one vertex.
//
// Every relation is emitted vertex by vertex from its star: an edge (a, b) or a face (a, b, c) with a < b < c belongs to its lowest
// vertex a, and going through a, then b, then c in ascending order is the canonical order of ids (enumeration.h).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/exec/team.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

/// The cells around each owned vertex of a tile: VT (or VF in the plane), ascending, as rows of cell ids.
template <int Dim>
class TileStars {
 public:
  /// Counts, scans and fills; memory is reused from tile to tile.
  void build(const TiledMesh<Dim>& tiles, TileId tile) {
    const auto owned = tiles.vertices(tile);
    const auto internal = tiles.internal_cells(tile);
    const auto external = tiles.external_cells(tile);
    const auto* cells = tiles.cells().data();
    first_ = owned.begin;
    offsets_.assign(owned.size() + 1, 0);
    const auto for_each_corner = [&](auto&& f) {  // external ids are lower, so this order is ascending
      for (const std::uint32_t c : external) {
        for (const VertexId v : cells[c]) {
          const std::uint32_t local = v.index() - owned.begin;
          if (local < owned.size()) f(local, c);
        }
      }
      for (std::uint32_t c = internal.begin; c < internal.end; ++c) {
        for (const VertexId v : cells[c]) {
          const std::uint32_t local = v.index() - owned.begin;
          if (local < owned.size()) f(local, c);
        }
      }
    };
    for_each_corner([&](std::uint32_t local, std::uint32_t) { ++offsets_[local]; });
    values_.resize(HostTeam{}.exclusive_scan(offsets_.data(), static_cast<std::uint32_t>(offsets_.size())));
    for_each_corner([&](std::uint32_t local, std::uint32_t c) { values_[offsets_[local]++] = c; });
    // Filling moved every offset to its row's end, which is where the next row begins.
    for (std::size_t i = offsets_.size() - 1; i > 0; --i) offsets_[i] = offsets_[i - 1];
    offsets_[0] = 0;
  }

  /// Cell ids, ascending. v must be owned by the tile.
  [[nodiscard]] std::span<const std::uint32_t> operator[](VertexId v) const {
    const std::uint32_t local = v.index() - first_;
    return {values_.data() + offsets_[local], offsets_[local + 1] - offsets_[local]};
  }
  [[nodiscard]] std::size_t bytes() const { return 4 * (offsets_.capacity() + values_.capacity()); }

 private:
  std::uint32_t first_ = 0;
  Array<std::uint32_t> offsets_;
  Array<std::uint32_t> values_;
};

/// The neighbours of one vertex, ascending, and who forms triangles with whom. Up to 64 neighbours the triangles are bit masks; larger
/// stars keep a sorted list of pairs.
template <int Dim>
class VertexStar {
 public:
  using Cell = typename TiledMesh<Dim>::Cell;

  void build(VertexId center, std::span<const std::uint32_t> star, std::span<const Cell> cells) {
    center_ = center.index();
    star_ = star;
    cells_ = cells;
    collect_neighbours();
    if constexpr (Dim == 3) connect_neighbours();
  }

  [[nodiscard]] VertexId center() const { return VertexId(center_); }
  [[nodiscard]] std::span<const std::uint32_t> star() const { return star_; }
  /// Ids of the vertices joined to the center, ascending.
  [[nodiscard]] std::span<const std::uint32_t> neighbours() const { return {neighbours_.data(), count_}; }
  /// How many of them are below the center: ranks from here on are the upper ones.
  [[nodiscard]] std::uint32_t lower() const { return lower_; }
  [[nodiscard]] std::uint32_t upper() const { return count_ - lower_; }

  /// The position of a neighbour in neighbours().
  [[nodiscard]] std::uint32_t rank(std::uint32_t id) const {
    if (count_ > 64) {
      return static_cast<std::uint32_t>(std::lower_bound(neighbours_.begin(), neighbours_.begin() + count_, id) -
                                        neighbours_.begin());
    }
    std::uint32_t below = 0;
    for (std::uint32_t i = 0; i < count_; ++i) below += neighbours_[i] < id ? 1 : 0;
    return below;
  }

  /// Calls f(q, is_boundary) for the ranks q, ascending, with a triangle (center, p, q); it is on the boundary if one tet has it.
  template <class F>
  void for_each_link(std::uint32_t p, F&& f) const {
    if (count_ <= 64) {
      for (std::uint64_t bits = once_[p]; bits != 0; bits &= bits - 1) {
        const std::uint32_t q = static_cast<std::uint32_t>(std::countr_zero(bits));
        f(q, (twice_[p] >> q & 1) == 0);
      }
      return;
    }
    for (std::uint32_t i = pair_offsets_[p]; i < pair_offsets_[p + 1]; ++i) f(pairs_[i].second, pairs_[i].single);
  }
  /// The same for q > p.
  template <class F>
  void for_each_upper_link(std::uint32_t p, F&& f) const {
    if (count_ <= 64) {
      for (std::uint64_t bits = above(once_[p], p); bits != 0; bits &= bits - 1) {
        const std::uint32_t q = static_cast<std::uint32_t>(std::countr_zero(bits));
        f(q, (twice_[p] >> q & 1) == 0);
      }
      return;
    }
    for_each_link(p, [&](std::uint32_t q, bool single) {
      if (q > p) f(q, single);
    });
  }
  /// How many q > p there are.
  [[nodiscard]] std::uint32_t upper_link_count(std::uint32_t p) const {
    if (count_ <= 64) return static_cast<std::uint32_t>(std::popcount(above(once_[p], p)));
    std::uint32_t count = 0;
    for_each_upper_link(p, [&](std::uint32_t, bool) { ++count; });
    return count;
  }
  /// How many r with p < r < q there are: the place of q among the q' > p.
  [[nodiscard]] std::uint32_t upper_link_place(std::uint32_t p, std::uint32_t q) const {
    if (count_ <= 64) {
      return static_cast<std::uint32_t>(std::popcount(above(once_[p], p) & ((std::uint64_t{1} << q) - 1)));
    }
    const auto begin = pairs_.begin() + pair_offsets_[p];
    const auto end = pairs_.begin() + pair_offsets_[p + 1];
    const auto at = [&](std::uint32_t rank) {
      return std::partition_point(begin, end, [&](const Pair& pair) { return pair.second < rank; });
    };
    return static_cast<std::uint32_t>(at(q) - at(p + 1));
  }

 private:
  struct Pair {
    std::uint32_t first, second;
    bool single;
  };

  static std::uint64_t above(std::uint64_t bits, std::uint32_t p) { return p >= 63 ? 0 : bits >> (p + 1) << (p + 1); }

  void collect_neighbours() {
    count_ = 0;
    neighbours_.resize(std::max<std::size_t>(64, star_.size() * Dim));
    if (star_.size() * Dim > 512) return collect_many();
    std::uint32_t* found = neighbours_.data();
    std::uint32_t n = 0;
    for (const std::uint32_t c : star_) {
      for (const VertexId v : cells_[c]) {
        const std::uint32_t id = v.index();
        if (id == center_) continue;
        std::uint32_t same = 0;
        for (std::uint32_t i = 0; i < n; ++i) same |= found[i] == id ? 1 : 0;
        if (same == 0) found[n++] = id;
      }
    }
    std::sort(found, found + n);
    finish_neighbours(n);
  }

  void collect_many() {
    std::size_t n = 0;
    for (const std::uint32_t c : star_) {
      for (const VertexId v : cells_[c]) {
        if (v.index() != center_) neighbours_[n++] = v.index();
      }
    }
    std::sort(neighbours_.begin(), neighbours_.begin() + static_cast<std::ptrdiff_t>(n));
    const auto end = std::unique(neighbours_.begin(), neighbours_.begin() + static_cast<std::ptrdiff_t>(n));
    finish_neighbours(static_cast<std::uint32_t>(end - neighbours_.begin()));
  }

  void finish_neighbours(std::uint32_t n) {
    count_ = n;
    lower_ = 0;
    for (std::uint32_t i = 0; i < n; ++i) lower_ += neighbours_[i] < center_ ? 1 : 0;
  }

  /// The ranks of a cell's corners other than the center; corners ascend, so ranks do.
  std::array<std::uint32_t, Dim> ranks_of(const Cell& cell) const {
    std::array<std::uint32_t, Dim> ranks;
    std::size_t k = 0;
    for (const VertexId v : cell) {
      if (v.index() != center_) ranks[k++] = rank(v.index());
    }
    return ranks;
  }

  void connect_neighbours() {
    if (count_ > 64) return connect_many();
    std::fill_n(once_.begin(), count_, 0);
    std::fill_n(twice_.begin(), count_, 0);
    for (const std::uint32_t c : star_) {
      const auto r = ranks_of(cells_[c]);
      join(r[0], r[1]);
      join(r[0], r[2]);
      join(r[1], r[2]);
    }
  }

  void join(std::uint32_t p, std::uint32_t q) {
    const std::uint64_t bit_p = std::uint64_t{1} << p;
    const std::uint64_t bit_q = std::uint64_t{1} << q;
    twice_[p] |= once_[p] & bit_q;
    twice_[q] |= once_[q] & bit_p;
    once_[p] |= bit_q;
    once_[q] |= bit_p;
  }

  void connect_many() {
    pairs_.clear();
    for (const std::uint32_t c : star_) {
      const auto r = ranks_of(cells_[c]);
      for (std::size_t i = 0; i < Dim; ++i) {
        for (std::size_t j = 0; j < Dim; ++j) {
          if (i != j) pairs_.push_back({r[i], r[j], true});
        }
      }
    }
    const auto key = [](const Pair& p) { return std::uint64_t{p.first} << 32 | p.second; };
    std::sort(pairs_.begin(), pairs_.end(), [&](const Pair& a, const Pair& b) { return key(a) < key(b); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (kept > 0 && key(pairs_[i]) == key(pairs_[kept - 1])) {
        pairs_[kept - 1].single = false;
      } else {
        pairs_[kept++] = pairs_[i];
      }
    }
    pairs_.resize(kept);
    pair_offsets_.assign(count_ + 1, 0);
    for (const Pair& pair : pairs_) ++pair_offsets_[pair.first + 1];
    for (std::uint32_t p = 0; p < count_; ++p) pair_offsets_[p + 1] += pair_offsets_[p];
  }

  std::uint32_t center_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t lower_ = 0;
  std::span<const std::uint32_t> star_;
  std::span<const Cell> cells_;
  std::vector<std::uint32_t> neighbours_;
  std::array<std::uint64_t, 64> once_;   ///< bit q of word p: some tet has (center, p, q)
  std::array<std::uint64_t, 64> twice_;  ///< more than one has
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> pair_offsets_;
};

}  // namespace tessera
