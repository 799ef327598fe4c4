// The tetrahedra around the edges of a grid in cyclic order. They are the same around all edges in one of the
// seven directions, but at the border, so they are known before any edge is looked at.
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
      inner_[i] = make_ring(k, grid_link[k]);
    }
  }

  /// Appends the ring around an edge, as sort_ring() has it; gives its size.
  std::uint32_t append(std::uint32_t edge, Array<TetId>& rings) {
    const std::uint32_t v = edge / edges_of_vertex;
    const std::uint32_t k = first_higher_neighbour + edge % edges_of_vertex;
    const std::uint32_t present = cells_.around(v).present & grid_link[k];
    if (present != grid_link[k]) {
      border_ = make_ring(k, present);
      return append(v, border_, rings);
    }
    return append(v, inner_[edge % edges_of_vertex], rings);
  }

 private:
  using Ring = std::vector<GridTops<3>::Place>;

  /// Of the edge to neighbour k, whose ends have these neighbours in common.
  static Ring make_ring(std::uint32_t k, std::uint32_t common) {
    Ring places;
    std::vector<RingCell> ring;
    for (std::uint32_t as = common; as != 0; as &= as - 1) {
      const auto a = static_cast<std::uint32_t>(std::countr_zero(as));
      for (std::uint32_t bs = common & grid_link[a] & ~((2u << a) - 1); bs != 0; bs &= bs - 1) {
        const auto b = static_cast<std::uint32_t>(std::countr_zero(bs));
        std::array<std::uint32_t, 3> ascending = {k, a, b};
        std::sort(ascending.begin(), ascending.end());
        const auto& place = GridCells<3>::place_of(ascending);
        // Cells ascend by their lowest vertex, which is a lower neighbour or the vertex itself.
        const std::uint32_t lowest = std::min<std::uint32_t>(place.lowest, first_higher_neighbour);
        ring.push_back(
            {GridCells<3>::kinds * lowest + place.kind, static_cast<std::uint32_t>(places.size()), {a, b}});
        places.push_back(place);
      }
    }
    sort_ring(ring);
    Ring sorted;
    for (const RingCell& cell : ring) sorted.push_back(places[cell.cell]);
    return sorted;
  }

  std::uint32_t append(std::uint32_t v, const Ring& ring, Array<TetId>& rings) const {
    for (const auto& place : ring) {
      const std::uint32_t lowest = place.lowest == no_neighbour ? v : cells_.neighbour(v, place.lowest);
      const std::size_t rank = cells_.rank_of_top(GridCells<3>::kinds * lowest + place.kind);
      rings.push_back(TetId(static_cast<std::uint32_t>(rank)));
    }
    return static_cast<std::uint32_t>(ring.size());
  }

  const GridCells<3>& cells_;
  std::array<Ring, edges_of_vertex> inner_;
  Ring border_;
};

}  // namespace tessera::detail
