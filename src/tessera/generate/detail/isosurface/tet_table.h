// The marching-tetrahedra table, made from its rule at compile time.
//
// The tetrahedron (0, 1, 2, 3) is positive: seen from 3, the corners 0, 1, 2 are counter-clockwise. As in
// cube_table.h, on every face the high corners are cut off by a segment; no face of a tetrahedron is
// ambiguous. A loop of three or four segments becomes one or two triangles, counter-clockwise seen from the
// low side. For a negative tetrahedron two corners of each triangle are swapped.
#pragma once

#include <array>
#include <cstdint>

namespace tessera::detail::tet {

inline constexpr int edge_count = 6;
inline constexpr std::array<std::array<std::uint8_t, 2>, edge_count> edge_corners = {
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
/// Counter-clockwise seen from outside.
inline constexpr std::array<std::array<std::uint8_t, 3>, 4> face_corners = {
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

/// The crossed edges of a case in the order of the loop, and the triangles between them: (0, 1, 2), then (0,
/// 2, 3).
struct Case {
  std::array<std::uint8_t, 4> edges{};
  std::uint8_t crossed = 0;  ///< 0, 3 or 4
  [[nodiscard]] constexpr std::uint32_t triangles() const { return crossed == 0 ? 0u : crossed - 2u; }
};

[[nodiscard]] constexpr int edge_between(int a, int b) {
  for (int e = 0; e < edge_count; ++e) {
    if (edge_corners[e][0] + edge_corners[e][1] == a + b &&
        (edge_corners[e][0] == a || edge_corners[e][1] == a)) {
      return e;
    }
  }
  return -1;
}

[[nodiscard]] constexpr Case make_case(int high) {
  std::array<int, edge_count> next{};
  next.fill(-1);
  for (const auto& face : face_corners) {
    const auto is_high = [&](int i) { return (high >> face[i % 3] & 1) != 0; };
    for (int i = 0; i < 3; ++i) {
      if (!is_high(i + 1) || is_high(i)) continue;  // the walk around the face enters the high corners
      int end = i + 1;
      while (is_high(end + 1)) ++end;
      next[edge_between(face[i], face[(i + 1) % 3])] = edge_between(face[end % 3], face[(end + 1) % 3]);
    }
  }
  Case entry;
  for (int e = 0; e < edge_count; ++e) {
    if (next[e] < 0) continue;
    for (int at = e; entry.crossed == 0 || at != e; at = next[at]) {
      entry.edges[entry.crossed++] = static_cast<std::uint8_t>(at);
    }
    break;
  }
  return entry;
}

[[nodiscard]] constexpr std::array<Case, 16> make_cases() {
  std::array<Case, 16> cases{};
  for (int high = 0; high < 16; ++high) cases[high] = make_case(high);
  return cases;
}

inline constexpr std::array<Case, 16> cases = make_cases();

}  // namespace tessera::detail::tet
