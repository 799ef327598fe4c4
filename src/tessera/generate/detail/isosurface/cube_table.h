// The marching-cubes table, made from its rule at compile time.
//
// Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2); case bit c says that its value is at or above the
// isovalue
// ("high"). On every face, every run of high corners is cut off by one segment of its own: on an ambiguous
// face (high corners across a diagonal) the high ones are separated. A face's segments depend on its own
// corners alone, so the two cubes that share it agree and there are no cracks. Segments close to loops; a
// loop of n edges becomes n - 2 triangles. No diagonal joins two edges of one face: the cube behind the face
// could choose the same one, and four triangles would meet there. Triangles are counter-clockwise seen from
// the low side.
//
//        6---3---7        edges 0..3 along x, 4..7 along y and z from corners with x = 0,
//       /|      /|        8..11 the same from corners with x = 1
//      5 7     9 11
//     /  |    /  |        z  y
//    4---2---5   |        | /
//    |   2-1-|---3        |/
//    6  4   10  8         +--- x
//    | /     | /
//    0---0---1
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/core/macros.h>

namespace tessera::detail::cube {

inline constexpr int edge_count = 12;
inline constexpr std::array<std::array<std::uint8_t, 2>, edge_count> edge_corners = {
    {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {4, 6}, {0, 4}, {2, 6}, {1, 3}, {5, 7}, {1, 5}, {3, 7}}};
/// Counter-clockwise seen from outside.
inline constexpr std::array<std::array<std::uint8_t, 4>, 6> face_corners = {
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};

inline constexpr int max_triangles = 5;

/// One sixteen-byte entry: the triangles of a case, three edges each.
struct Case {
  std::array<std::uint8_t, 3 * max_triangles> edges{};
  std::uint8_t triangles = 0;
};

namespace detail {

[[nodiscard]] constexpr int edge_between(int a, int b) {
  for (int e = 0; e < edge_count; ++e) {
    if ((edge_corners[e][0] == a && edge_corners[e][1] == b) ||
        (edge_corners[e][0] == b && edge_corners[e][1] == a)) {
      return e;
    }
  }
  return -1;
}

[[nodiscard]] constexpr bool share_face(int e, int f) {
  const int corners[] = {edge_corners[e][0], edge_corners[e][1], edge_corners[f][0], edge_corners[f][1]};
  int all = 7;
  int any = 0;
  for (const int c : corners) {
    all &= c;
    any |= c;
  }
  return all != 0 || any != 7;  // one coordinate is 1 in all of them, or 0 in all
}

struct Loop {
  std::array<int, edge_count> edges{};
  int size = 0;

  [[nodiscard]] constexpr bool may_join(int a, int b) const {
    return b - a == 1 || b - a == size - 1 || !share_face(edges[a], edges[b]);
  }
};

/// Cuts the part of a loop between two of its edges into triangles that keep its direction; false if it can
/// not be done without a forbidden diagonal.
constexpr bool triangulate(const Loop& loop, int first, int last, Case& entry) {
  if (last - first < 2) return true;
  const Case before = entry;
  for (int apex = first + 1; apex < last; ++apex) {
    if (!loop.may_join(first, apex) || !loop.may_join(apex, last)) continue;
    if (triangulate(loop, first, apex, entry) && triangulate(loop, apex, last, entry)) {
      const int corners[] = {first, apex, last};
      for (int c = 0; c < 3; ++c) {
        entry.edges[3 * entry.triangles + c] = static_cast<std::uint8_t>(loop.edges[corners[c]]);
      }
      ++entry.triangles;
      return true;
    }
    entry = before;
  }
  return false;
}

[[nodiscard]] constexpr Case make_case(int high) {
  std::array<int, edge_count> next{};
  next.fill(-1);
  for (const auto& face : face_corners) {
    const auto is_high = [&](int i) { return (high >> face[i % 4] & 1) != 0; };
    for (int i = 0; i < 4; ++i) {
      if (!is_high(i + 1) || is_high(i)) continue;  // the walk around the face enters a run of high corners
      int end = i + 1;
      while (is_high(end + 1)) ++end;
      next[edge_between(face[i], face[(i + 1) % 4])] = edge_between(face[end % 4], face[(end + 1) % 4]);
    }
  }
  Case entry;
  for (int start = 0; start < edge_count; ++start) {
    if (next[start] < 0) continue;
    Loop loop;
    for (int e = start; next[e] >= 0;) {
      loop.edges[loop.size++] = e;
      const int after = next[e];
      next[e] = -1;
      e = after;
    }
    if (!triangulate(loop, 0, loop.size - 1, entry)) entry.triangles = 0xFF;  // never: the tests look
  }
  return entry;
}

/// One by one: all of them together are more steps than clang takes for one constant.
template <int High>
inline constexpr Case case_of = make_case(High);

template <int... High>
constexpr std::array<Case, 256> list_cases(std::integer_sequence<int, High...>) {
  return {case_of<High>...};
}

}  // namespace detail

[[nodiscard]] constexpr std::array<Case, 256> make_cases() {
  return detail::list_cases(std::make_integer_sequence<int, 256>{});
}

/// The triangles of every case.
inline constexpr std::array<Case, 256> cases = make_cases();

}  // namespace tessera::detail::cube
