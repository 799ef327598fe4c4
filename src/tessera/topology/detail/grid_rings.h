// The tetrahedra around the edges of a grid in cyclic order. They are the same around all edges in one of the
// seven directions, but at the border and at a seam, so they are known before any edge is looked at.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/topology/detail/grid_cells.h>
#include <tessera/topology/detail/wall_rings.h>

namespace tessera::detail {

class GridRings {
 public:
  explicit GridRings(const GridCells<3>& cells) : cells_(cells) {
    for (std::uint32_t i = 0; i < edges_of_vertex; ++i) {
      const std::uint32_t k = first_higher_neighbour + i;
      inner_[i] = make_ring(k, grid_link[k], number_in_star);
    }
  }

  /// Appends the ring around an edge, as sort_ring() has it; gives its size.
  std::uint32_t append(std::uint32_t edge, Array<TetId>& rings) {
    const std::uint32_t v = edge / edges_of_vertex;
    const std::uint32_t k = first_higher_neighbour + edge % edges_of_vertex;
    const std::uint32_t present = cells_.around(v).present & grid_link[k];
    if (cells_.is_at_seam(v)) {
      other_ = make_ring(k, present, [&](const Place& place) { return rank(v, place); });
      return append(v, other_, rings);
    }
    if (present != grid_link[k]) {
      other_ = make_ring(k, present, number_in_star);
      return append(v, other_, rings);
    }
    return append(v, inner_[edge % edges_of_vertex], rings);
  }

 private:
  using Place = GridTops<3>::Place;
  using Ring = std::vector<Place>;

  /// Cells ascend by their lowest vertex, which is a lower neighbour or the vertex itself.
  static std::uint32_t number_in_star(const Place& place) {
    return GridCells<3>::kinds * std::min<std::uint32_t>(place.lowest, first_higher_neighbour) + place.kind;
  }
  [[nodiscard]] std::uint32_t rank(std::uint32_t v, const Place& place) const {
    const std::uint32_t lowest = place.lowest == no_neighbour ? v : cells_.neighbour(v, place.lowest);
    return static_cast<std::uint32_t>(cells_.rank_of_top(GridCells<3>::kinds * lowest + place.kind));
  }

  /// Of the edge to neighbour k, whose ends have these neighbours in common. number_of(place) ascends with
  /// the ids of the cells.
  template <class NumberOf>
  static Ring make_ring(std::uint32_t k, std::uint32_t common, const NumberOf& number_of) {
    Ring places;
    std::vector<RingCell> ring;
    for (std::uint32_t as = common; as != 0; as &= as - 1) {
      const auto a = static_cast<std::uint32_t>(std::countr_zero(as));
      for (std::uint32_t bs = common & grid_link[a] & ~((2u << a) - 1); bs != 0; bs &= bs - 1) {
        const auto b = static_cast<std::uint32_t>(std::countr_zero(bs));
        std::array<std::uint32_t, 3> ascending = {k, a, b};
        std::sort(ascending.begin(), ascending.end());
        const auto& place = GridCells<3>::place_of(ascending);
        ring.push_back({number_of(place), static_cast<std::uint32_t>(places.size()), {a, b}});
        places.push_back(place);
      }
    }
    sort_ring(ring);
    Ring sorted;
    for (const RingCell& cell : ring) sorted.push_back(places[cell.cell]);
    return sorted;
  }

  std::uint32_t append(std::uint32_t v, const Ring& ring, Array<TetId>& rings) const {
    for (const Place& place : ring) rings.push_back(TetId(rank(v, place)));
    return static_cast<std::uint32_t>(ring.size());
  }

  const GridCells<3>& cells_;
  std::array<Ring, edges_of_vertex> inner_;
  Ring other_;
};

}  // namespace tessera::detail
