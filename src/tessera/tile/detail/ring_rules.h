// The ring around a vertex of a surface, on either side.
//
// Every triangle around the vertex is an arc from one neighbour to the next. Neighbours are named by their
// rank among all of the vertex's, and next[rank] is where the arc from a neighbour leads.
#pragma once

#include <array>
#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail {

inline constexpr std::uint32_t ring_end = 0xFFFFFFFFu;

/// The arc of a triangle, given as the input winds it, around one of its corners.
template <class Corner>
[[nodiscard]] TS_HD constexpr std::array<Corner, 2> arc_around(const std::array<Corner, 3>& triangle,
                                                               Corner v) {
  if (triangle[0] == v) return {triangle[1], triangle[2]};
  if (triangle[1] == v) return {triangle[2], triangle[0]};
  return {triangle[0], triangle[1]};
}

/// Adds an arc; `arcs` counts them and is spoilt where two begin at one neighbour.
TS_HD constexpr void add_to_ring(std::uint32_t* next, std::uint32_t from, std::uint32_t to,
                                 std::uint32_t& arcs) {
  if (next[from] != ring_end || arcs == ring_end) {
    arcs = ring_end;
    return;
  }
  next[from] = to;
  ++arcs;
}

/// The neighbour that the ring begins with, or ring_end if the arcs are not one path or circle through all
/// `size` neighbours: a circle begins at the lowest, a path at the one that no arc leads to.
[[nodiscard]] TS_HD constexpr std::uint32_t find_ring(const std::uint32_t* next, std::uint32_t size,
                                                      std::uint32_t arcs) {
  if (size == 0 || (arcs != size && arcs + 1 != size)) return ring_end;
  std::uint32_t first = 0;
  if (arcs + 1 == size) {  // all ranks less those that arcs lead to
    for (std::uint32_t i = 0; i < size; ++i) first += i - (next[i] != ring_end ? next[i] : 0);
    if (first >= size) return ring_end;
  }
  // A path that reaches its end after `size` neighbours, or a circle that closes there, has met all of them.
  std::uint32_t at = next[first];
  for (std::uint32_t met = 1; met < size; ++met, at = next[at]) {
    if (at == ring_end || at == first) return ring_end;
  }
  return at == (arcs == size ? first : ring_end) ? first : ring_end;
}

}  // namespace tessera::detail
