// LinkMaker: the links (links.h) of the elements internal to one tile.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/tile/detail/lookup.h>
#include <tessera/tile/detail/rows.h>
#include <tessera/tile/links.h>

namespace tessera::detail {

/// Makes the links of tiles, one after the other, for one worker.
template <int Dim>
class LinkMaker {
 public:
  explicit LinkMaker(Lookup<Dim>& lookup) : lookup_(&lookup) {}

  /// The links of the elements internal to a tile.
  template <class L>
  void fill(TileId tile, TileRows& rows) {
    view_.load(lookup_->tiles(), tile);
    rows.offsets.assign(1, 0);
    rows.values.clear();
    const auto owned = view_.owned();
    for (std::uint32_t v = owned.begin; v < owned.end; ++v) {
      if constexpr (L::from == Kind::vertex) {
        emit_vertex(v, rows);
      } else {
        star_.build(view_, tiled::VertexId(v),
                    L::from == Kind::edge ? StarDepth::neighbours : StarDepth::upper_links);
        emit_elements<L>(rows);
      }
    }
  }

 private:
  using Corners = std::array<std::uint32_t, Dim>;

  void emit_vertex(std::uint32_t v, TileRows& rows) {
    for (const std::uint32_t local : view_.star(tiled::VertexId(v))) {
      Corners others;
      std::size_t k = 0;
      for (const tiled::VertexId corner : lookup_->tiles().cells()[view_.cell_id(local)]) {
        if (corner.index() != v) others[k++] = corner.index();
      }
      if constexpr (Dim == 3) {
        rows.values.push_back(lookup_->face(others[0], others[1], others[2]));
      } else {
        rows.values.push_back(lookup_->edge(others[0], others[1]));
      }
    }
    rows.offsets.push_back(static_cast<std::uint32_t>(rows.values.size()));
  }

  /// Rows for all edges or faces of the star's center at once: count, scan, fill.
  template <class L>
  void emit_elements(TileRows& rows) {
    first_.assign(
        1, 0);  // the first element with each upper neighbour: edges themselves, or the faces they begin
    for (std::uint32_t p = star_.lower(); p < star_.neighbours().size(); ++p) {
      std::uint32_t elements = 1;
      if constexpr (L::from == Kind::face) elements = star_.upper_link_count(p);
      first_.push_back(first_.back() + elements);
    }
    const std::size_t base = rows.offsets.size();
    rows.offsets.resize(base + first_.back());
    std::uint32_t* count = rows.offsets.data() + base;
    std::fill_n(count, first_.back(), 0);
    for_each_incidence<L>(
        [&](std::uint32_t element, const Corners&, std::size_t, std::size_t) { ++count[element]; });
    std::uint32_t next = static_cast<std::uint32_t>(rows.values.size());
    for (std::uint32_t i = 0; i < first_.back(); ++i) next += std::exchange(count[i], next);
    rows.values.resize(next);
    // Filling leaves each entry at its row's end, which is what offsets hold.
    for_each_incidence<L>([&](std::uint32_t element, const Corners& ranks, std::size_t i, std::size_t j) {
      rows.values[count[element]++] = opposite(ranks, i, j);
    });
  }

  /// Calls f(element, ranks, i, j) for the edges (center, ranks[i]), with j = i, or the faces (center,
  /// ranks[i], ranks[j]) of the cells of the star that begin with the center, cells ascending.
  template <class L, class F>
  void for_each_incidence(F&& f) {
    star_.for_each_cell([&](std::uint32_t, const Corners& ranks) {
      for (std::size_t i = 0; i < Dim; ++i) {
        if (ranks[i] < star_.lower()) continue;
        const std::uint32_t first = first_[ranks[i] - star_.lower()];
        if constexpr (L::from == Kind::edge) {
          f(first, ranks, i, i);
        } else {
          for (std::size_t j = i + 1; j < Dim; ++j)
            f(first + star_.upper_link_place(ranks[i], ranks[j]), ranks, i, j);
        }
      }
    });
  }

  /// What is left of a cell without its center and the ranks i and j: a vertex or an edge.
  [[nodiscard]] std::uint32_t opposite(const Corners& ranks, std::size_t i, std::size_t j) {
    std::array<std::uint32_t, 2> left{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < Dim; ++k) {
      if (k != i && k != j) left[count++] = star_.neighbours()[ranks[k]];
    }
    return count == 1 ? left[0] : lookup_->edge(left[0], left[1]);
  }

  Lookup<Dim>* lookup_;
  TileView<Dim> view_;
  VertexStar<Dim> star_;
  std::vector<std::uint32_t> first_;
};

}  // namespace tessera::detail
