// Stars: a tile brought into fast memory, and all that can be read off the cells around one of its vertices.
//
// Every relation is emitted vertex by vertex from its star: an edge (a, b) or a face (a, b, c) with a < b < c
// belongs to its lowest vertex a, and going through a, then b, then c in ascending order is the canonical
// order of ids (enumeration.h).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/exec/detail/team.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

/// One tile with small local numbers.
///
///   vertices   owned 0, 1, ... in the order of their ids, then ghosts in the order they are met
///   cells      external ones, then internal ones: their ids ascend
///   star       for each owned vertex the local cells around it, ascending
///
/// Corners are converted once here and not in each of the stars a cell is part of.
template <int Dim>
class TileView {
 public:
  using LocalCell = std::array<std::uint32_t, Dim + 1>;

  /// Memory is reused from tile to tile.
  void load(const TiledMesh<Dim>& tiles, TileId tile) {
    load_cells(tiles, tile);
    fill_stars(star_, [](std::uint32_t c, const LocalCell&, auto) { return c; });
  }

  /// Vertices and cells alone, for those who fill stars of their own.
  void load_cells(const TiledMesh<Dim>& tiles, TileId tile) {
    tiles_ = &tiles;
    owned_ = tiles.vertices(tile);
    internal_ = tiles.internal_cells(tile);
    external_ = tiles.external_cells(tile);
    const std::uint32_t externals = static_cast<std::uint32_t>(external_.size());
    const std::uint32_t count = externals + internal_.size();
    clear_ghosts();
    cells_.resize(count);
    offsets_.assign(owned_.size() + 2, 0);
    const auto cells = tiles.cells();
    for (std::uint32_t c = 0; c < externals; ++c) convert(cells[external_[c]], cells_[c]);
    convert_internal(cells.data() + internal_.begin, cells_.data() + externals);
    HostTeam{}.exclusive_scan(offsets_.data(), static_cast<std::uint32_t>(offsets_.size()) - 1);
  }

  /// After load_cells(): for each owned vertex and cell around it make(c, corners, k), k the place of the
  /// vertex among the corners, a constant. All ghosts are one more vertex without room, which is cheaper than
  /// asking for each corner who owns it.
  template <class Entry, class Make>
  void fill_stars(Array<Entry>& stars, const Make& make) {
    const std::uint32_t owned = owned_.size();
    stars.resize(offsets_[owned] + 1);
    const LocalCell* const cells = cells_.data();
    std::uint32_t* const offsets = offsets_.data();
    Entry* const out = stars.data();
    const std::uint32_t count = static_cast<std::uint32_t>(cells_.size());
    for (std::uint32_t c = 0; c < count; ++c) {
      const LocalCell cell = cells[c];
      const auto put = [&](auto k) {
        const std::uint32_t row = std::min(cell[k], owned);
        out[offsets[row]] = make(c, cell, k);
        offsets[row] += row < owned ? 1 : 0;
      };
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        (put(std::integral_constant<std::size_t, K>{}), ...);
      }
      (std::make_index_sequence<Dim + 1>{});
    }
    // Filling moved every offset to its row's end, which is where the next row begins.
    std::copy_backward(offsets_.begin(), offsets_.end() - 2, offsets_.end() - 1);
    offsets_[0] = 0;
  }

  [[nodiscard]] const TiledMesh<Dim>& tiles() const { return *tiles_; }
  [[nodiscard]] auto owned() const { return owned_; }
  [[nodiscard]] std::size_t vertex_count() const { return owned_.size() + ghosts_.size(); }
  /// The id of a local vertex or cell.
  [[nodiscard]] std::uint32_t vertex_id(std::uint32_t local) const {
    return local < owned_.size() ? owned_.begin + local : ghosts_[local - owned_.size()];
  }
  [[nodiscard]] std::uint32_t cell_id(std::uint32_t local) const {
    const std::uint32_t externals = static_cast<std::uint32_t>(external_.size());
    return local < externals ? external_[local] : internal_.begin + (local - externals);
  }
  [[nodiscard]] const LocalCell& cell(std::uint32_t local) const { return cells_[local]; }
  [[nodiscard]] std::span<const LocalCell> cells() const { return cells_; }
  /// The local cells around an owned vertex, ascending.
  [[nodiscard]] std::span<const std::uint32_t> star(tiled::VertexId v) const { return star(v, star_); }
  /// The same of what fill_stars() made.
  template <class Entry>
  [[nodiscard]] std::span<const Entry> star(tiled::VertexId v, const Array<Entry>& stars) const {
    const std::uint32_t local = v.index() - owned_.begin;
    return {stars.data() + offsets_[local], offsets_[local + 1] - offsets_[local]};
  }

 private:
  struct Slot {
    std::uint32_t id = 0xFFFFFFFFu;
    std::uint32_t local = 0;
  };

  void convert(const typename TiledMesh<Dim>::Cell& corners, LocalCell& cell) {
    for (std::size_t k = 0; k <= Dim; ++k) {
      const std::uint32_t local = corners[k].index() - owned_.begin;
      if (local < owned_.size()) {
        cell[k] = local;
        ++offsets_[local];
      } else {
        cell[k] = ghost_number(corners[k].index());
      }
    }
  }

  /// Most internal cells have no ghosts: corners ascend, so the highest one tells.
  void convert_internal(const typename TiledMesh<Dim>::Cell* cells, LocalCell* out) {
    const std::uint32_t begin = owned_.begin;
    const std::uint32_t owned = owned_.size();
    std::uint32_t* const offsets = offsets_.data();
    for (std::uint32_t c = 0; c < internal_.size(); ++c) {
      const auto& corners = cells[c];
      if (corners[Dim].index() - begin >= owned) {
        convert(corners, out[c]);
        continue;
      }
      for (std::size_t k = 0; k <= Dim; ++k) {
        out[c][k] = corners[k].index() - begin;
        ++offsets[corners[k].index() - begin];
      }
    }
  }

  [[nodiscard]] std::size_t slot_of(std::uint32_t id) const { return (id * 2654435761u) >> shift_; }

  std::uint32_t ghost_number(std::uint32_t id) {
    std::size_t at = slot_of(id);
    while (slots_[at].id != id) {
      if (slots_[at].id == 0xFFFFFFFFu) return add_ghost(id, at);
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at].local;
  }

  std::uint32_t add_ghost(std::uint32_t id, std::size_t at) {
    const std::uint32_t local = owned_.size() + static_cast<std::uint32_t>(ghosts_.size());
    slots_[at] = {id, local};
    ghosts_.push_back(id);
    if (2 * ghosts_.size() > slots_.size()) grow();
    return local;
  }

  void clear_ghosts() {
    for (const std::uint32_t id : ghosts_) {  // also empties slots that others were pushed into
      for (std::size_t at = slot_of(id); slots_[at].id != 0xFFFFFFFFu; at = (at + 1) & (slots_.size() - 1)) {
        slots_[at].id = 0xFFFFFFFFu;
      }
    }
    ghosts_.clear();
  }

  void grow() {
    slots_.assign(2 * slots_.size(), Slot{});
    --shift_;
    for (std::size_t g = 0; g < ghosts_.size(); ++g) {
      std::size_t at = slot_of(ghosts_[g]);
      while (slots_[at].id != 0xFFFFFFFFu) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {ghosts_[g], owned_.size() + static_cast<std::uint32_t>(g)};
    }
  }

  const TiledMesh<Dim>* tiles_ = nullptr;
  typename TiledMesh<Dim>::Range owned_;
  typename TiledMesh<Dim>::Range internal_;
  std::span<const std::uint32_t> external_;
  Array<LocalCell> cells_;
  Array<std::uint32_t> offsets_;
  Array<std::uint32_t> star_;
  Array<std::uint32_t> ghosts_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  int shift_ = 22;  // 32 - log2 of the number of slots
};

/// How much of a star is worked out.
enum class StarDepth {
  neighbours,   ///< who is joined to the center
  upper_links,  ///< and which pairs above the center form triangles with it
  links,        ///< and all pairs, with whether one or more tets have the triangle
};

/// The neighbours of one vertex, ascending, and who forms triangles with whom. Up to 64 neighbours the
/// triangles are bit masks; larger stars keep a sorted list of pairs.
template <int Dim>
class VertexStar {
 public:
  void build(const TileView<Dim>& view, tiled::VertexId center, StarDepth depth) {
    forget();
    view_ = &view;
    center_ = center.index();
    cells_ = view.star(center);
    if (rank_of_.size() < view.vertex_count()) rank_of_.resize(view.vertex_count(), unseen);
    collect_neighbours();
    if (Dim == 2 || depth == StarDepth::neighbours) return;
    if (count_ > 64) return connect_many();
    depth == StarDepth::links ? connect<true>() : connect<false>();
  }

  [[nodiscard]] tiled::VertexId center() const { return tiled::VertexId(center_); }
  /// Ids of the vertices joined to the center, ascending.
  [[nodiscard]] std::span<const std::uint32_t> neighbours() const { return {neighbours_.data(), count_}; }
  /// How many of them are below the center: ranks from here on are the upper ones.
  [[nodiscard]] std::uint32_t lower() const { return lower_; }
  [[nodiscard]] std::uint32_t upper() const { return count_ - lower_; }

  /// The position of a neighbour in neighbours().
  [[nodiscard]] std::uint32_t rank(std::uint32_t id) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(neighbours(), id) - neighbours().begin());
  }

  /// Calls f(cell id, ranks) for the cells of the star, ascending; the ranks are those of the other corners,
  /// ascending.
  template <class F>
  void for_each_cell(F&& f) const {
    for (const std::uint32_t c : cells_) f(view_->cell_id(c), ranks_of(c));
  }

  /// Calls f(q, is_boundary) for the ranks q, ascending, with a triangle (center, p, q); it is on the
  /// boundary if one tet has it.
  template <class F>
  void for_each_link(std::uint32_t p, F&& f) const {
    if (count_ <= 64) {
      for (std::uint64_t bits = once_[p]; bits != 0; bits &= bits - 1) {
        const std::uint32_t q = static_cast<std::uint32_t>(std::countr_zero(bits));
        f(q, (twice_[p] >> q & 1) == 0);
      }
      return;
    }
    for (std::uint32_t i = pair_offsets_[p]; i < pair_offsets_[p + 1]; ++i)
      f(pairs_[i].second, pairs_[i].single);
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
  static constexpr std::uint32_t unseen = 0xFFFFFFFFu;
  static constexpr std::uint32_t seen = 0xFFFFFFFEu;

  struct Pair {
    std::uint32_t first, second;
    bool single;
  };

  static std::uint64_t above(std::uint64_t bits, std::uint32_t p) {
    return p >= 63 ? 0 : bits >> (p + 1) << (p + 1);
  }

  /// Each neighbour once, by a mark on its local number; then in the order of their ids.
  void collect_neighbours() {
    const std::size_t most = cells_.size() * Dim + 1;
    if (locals_.size() < most) {
      locals_.resize(most);
      neighbours_.resize(most);
    }
    own_ = center_ - view_->owned().begin;
    std::uint32_t n = 0;
    rank_of_[own_] = seen;
    for (const std::uint32_t c : cells_) {
      for (const std::uint32_t local : view_->cell(c)) {
        locals_[n] = local;  // kept only if it is new
        n += rank_of_[local] == unseen ? 1 : 0;
        rank_of_[local] = seen;
      }
    }
    count_ = n;
    sort_neighbours();
  }

  void forget() {
    for (std::uint32_t i = 0; i < count_; ++i) rank_of_[locals_[i]] = unseen;
    if (own_ < rank_of_.size()) rank_of_[own_] = unseen;
  }

  void sort_neighbours() {
    if (count_ <= 32) {  // counting the smaller ones needs no branches
      std::array<std::uint32_t, 32> ids;
      for (std::uint32_t i = 0; i < count_; ++i) ids[i] = view_->vertex_id(locals_[i]);
      lower_ = 0;
      for (std::uint32_t i = 0; i < count_; ++i) {
        std::uint32_t below = 0;
        for (std::uint32_t j = 0; j < count_; ++j) below += ids[j] < ids[i] ? 1 : 0;
        neighbours_[below] = ids[i];
        rank_of_[locals_[i]] = below;
        lower_ += ids[i] < center_ ? 1 : 0;
      }
      return;
    }
    for (std::uint32_t i = 0; i < count_; ++i) neighbours_[i] = view_->vertex_id(locals_[i]);
    std::sort(neighbours_.begin(), neighbours_.begin() + count_);
    for (std::uint32_t i = 0; i < count_; ++i) rank_of_[locals_[i]] = rank(view_->vertex_id(locals_[i]));
    lower_ = rank(center_);
  }

  /// The ranks of a cell's corners other than the center; corners ascend, so ranks do.
  [[nodiscard]] std::array<std::uint32_t, Dim> ranks_of(std::uint32_t cell) const {
    std::array<std::uint32_t, Dim> ranks;
    std::size_t k = 0;
    for (const std::uint32_t local : view_->cell(cell)) {
      if (local != own_) ranks[k++] = rank_of_[local];
    }
    return ranks;
  }

  /// Fills the masks: both ways and with counts, or only from lower to higher ranks.
  template <bool Both>
  void connect() {
    std::fill_n(once_.begin(), count_, 0);
    std::fill_n(twice_.begin(), count_, 0);
    const auto join = [&](std::uint32_t p, std::uint32_t q) {
      const std::uint64_t bit = std::uint64_t{1} << q;
      twice_[p] |= once_[p] & bit;
      once_[p] |= bit;
    };
    for (const std::uint32_t c : cells_) {
      const auto r = ranks_of(c);
      for (std::size_t i = 0; i + 1 < Dim; ++i) {
        for (std::size_t j = i + 1; j < Dim; ++j) {
          join(r[i], r[j]);
          if constexpr (Both) join(r[j], r[i]);
        }
      }
    }
  }

  void connect_many() {
    pairs_.clear();
    for (const std::uint32_t c : cells_) {
      const auto r = ranks_of(c);
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

  const TileView<Dim>* view_ = nullptr;
  std::uint32_t center_ = 0;
  std::uint32_t own_ = 0;  ///< the center's local number
  std::uint32_t count_ = 0;
  std::uint32_t lower_ = 0;
  std::span<const std::uint32_t> cells_;
  Array<std::uint32_t> locals_;  ///< the neighbours' local numbers, in the order they were met
  Array<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> rank_of_;     ///< by local number; `unseen` but for the current star
  std::array<std::uint64_t, 64> once_{};   ///< bit q of word p: some tet has (center, p, q)
  std::array<std::uint64_t, 64> twice_{};  ///< more than one has
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> pair_offsets_;
};

}  // namespace tessera::detail
