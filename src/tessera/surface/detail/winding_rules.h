// Triangles as the input winds them, and what lies left and right of an edge, on either side.
#pragma once

#include <array>
#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail {

/// The corners of a triangle, given in ascending order, from the lowest on.
[[nodiscard]] TS_HD constexpr std::array<std::uint32_t, 3> wind(const std::array<std::uint32_t, 3>& ascending,
                                                                bool is_turned) {
  if (!is_turned) return ascending;
  return {ascending[0], ascending[2], ascending[1]};
}

/// The edges of a triangle, given as ab ac bc of its ascending corners: edge k leads from corner k to k + 1.
[[nodiscard]] TS_HD constexpr std::array<std::uint32_t, 3> wind_edges(
    const std::array<std::uint32_t, 3>& ascending, bool is_turned) {
  if (!is_turned) return {ascending[0], ascending[2], ascending[1]};
  return {ascending[1], ascending[2], ascending[0]};
}

inline constexpr std::uint32_t no_vertex = 0xFFFFFFFFu;

/// The ends of an edge and the vertices on its left and right, by its faces; `corners(face)` is wound.
template <class Faces, class CornersOf>
[[nodiscard]] TS_HD std::array<std::uint32_t, 4> find_diamond(const std::array<std::uint32_t, 2>& edge,
                                                              const Faces& faces, const CornersOf& corners) {
  std::array<std::uint32_t, 4> diamond = {edge[0], edge[1], no_vertex, no_vertex};
  bool has_sides = faces.size() <= 2;
  for (std::size_t i = 0; has_sides && i < faces.size(); ++i) {
    const std::array<std::uint32_t, 3> c = corners(faces[i]);
    const std::uint32_t opposite = c[0] ^ c[1] ^ c[2] ^ edge[0] ^ edge[1];
    const bool is_left = (c[0] == edge[0] && c[1] == edge[1]) || (c[1] == edge[0] && c[2] == edge[1]) ||
                         (c[2] == edge[0] && c[0] == edge[1]);
    std::uint32_t& side = diamond[is_left ? 2 : 3];
    has_sides = side == no_vertex;
    side = opposite;
  }
  if (!has_sides) diamond[2] = diamond[3] = no_vertex;
  return diamond;
}

}  // namespace tessera::detail
