// Every case of the marching-cubes table against rules stated face by face and corner by corner.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/vec.h>
#include <tessera/generate/detail/isosurface/cube_table.h>
#include <tessera/generate/detail/isosurface/lattice_bits.h>

namespace tessera {

using namespace detail;
namespace {

Vec3d corner_point(int c) {
  return {static_cast<double>(c % 2), static_cast<double>(c / 2 % 2), static_cast<double>(c / 4)};
}
Vec3d middle(int edge) {
  const auto ends = cube::edge_corners[edge];
  return 0.5 * (corner_point(ends[0]) + corner_point(ends[1]));
}
bool is_high(int high, int corner) {
  return (high / (1 << corner)) % 2 == 1;
}
int high_end(int high, int edge) {
  const auto ends = cube::edge_corners[edge];
  return is_high(high, ends[0]) ? ends[0] : ends[1];
}
bool is_crossed(int high, int edge) {
  const auto ends = cube::edge_corners[edge];
  return is_high(high, ends[0]) != is_high(high, ends[1]);
}

/// The faces (axis, side) that both edge middles lie on.
std::vector<std::pair<int, int>> common_faces(int e, int f) {
  const auto coordinates = [](Vec3d p) { return std::array{p.x, p.y, p.z}; };
  std::vector<std::pair<int, int>> faces;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      if (coordinates(middle(e))[axis] == side && coordinates(middle(f))[axis] == side)
        faces.emplace_back(axis, side);
    }
  }
  return faces;
}

/// How often the triangles of a case walk from one edge of the cube to another.
std::map<std::pair<int, int>, int> walks(int high) {
  std::map<std::pair<int, int>, int> result;
  const cube::Case& entry = cube::cases[high];
  for (int t = 0; t < entry.triangles; ++t) {
    for (int c = 0; c < 3; ++c) ++result[{entry.edges[3 * t + c], entry.edges[3 * t + (c + 1) % 3]}];
  }
  return result;
}

void expect_crossed_edges(int high) {
  const cube::Case& entry = cube::cases[high];
  ASSERT_LE(entry.triangles, cube::max_triangles);
  const std::set<int> used(entry.edges.begin(), entry.edges.begin() + 3 * entry.triangles);
  for (int e = 0; e < cube::edge_count; ++e) EXPECT_EQ(used.contains(e), is_crossed(high, e)) << "edge " << e;
}

void expect_borders_on_faces(int high) {
  // On each face, two crossed edges are joined; of four, those at the same high corner.
  std::set<std::pair<int, int>> expected;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      std::vector<int> crossed;
      for (int e = 0; e < cube::edge_count; ++e) {
        if (!is_crossed(high, e)) continue;
        for (const auto& face : common_faces(e, e)) {
          if (face == std::pair(axis, side)) crossed.push_back(e);
        }
      }
      for (const int e : crossed) {
        for (const int f : crossed) {
          const bool joined = crossed.size() == 2 || high_end(high, e) == high_end(high, f);
          if (e < f && joined) expected.emplace(e, f);
        }
      }
    }
  }
  std::set<std::pair<int, int>> borders;
  for (const auto& [walk, times] : walks(high)) {
    const auto [from, to] = walk;
    EXPECT_EQ(times, 1) << "two triangles walk an edge in one direction";
    const bool goes_back = walks(high).contains({to, from});
    if (goes_back) {
      EXPECT_TRUE(common_faces(from, to).empty()) << "a diagonal lies on a face of the cube";
    } else {
      borders.emplace(std::min(from, to), std::max(from, to));
    }
  }
  EXPECT_EQ(borders, expected);
}

void expect_high_corners_behind(int high) {
  // Along a border that is walked with the triangle on the left, seen from outside the face's high corner is
  // always on the same side; for one high corner the normal says which.
  for (const auto& [walk, times] : walks(high)) {
    const auto [from, to] = walk;
    if (walks(high).contains({to, from})) continue;
    const auto faces = common_faces(from, to);
    ASSERT_EQ(faces.size(), 1u);
    const double sign = faces[0].second == 1 ? 1 : -1;
    const Vec3d outward = {faces[0].first == 0 ? sign : 0, faces[0].first == 1 ? sign : 0,
                           faces[0].first == 2 ? sign : 0};
    const Vec3d left = cross(outward, middle(to) - middle(from));
    EXPECT_LT(dot(left, corner_point(high_end(high, from)) - middle(from)), 0);
  }
}

void expect_counted_triangles(int high) {
  lattice::CellWords words{};
  for (int c = 0; c < 8; ++c) words.corner[c] = is_high(high, c) ? std::uint64_t{1} << 37 : 0;
  words.active = high == 0 || high == 255 ? 0 : std::uint64_t{1} << 37;
  EXPECT_EQ(words.triangles(), cube::cases[high].triangles);
  EXPECT_EQ(words.case_of(37), static_cast<std::uint32_t>(high));
}

template <class F>
void for_each_case(F&& expect) {
  for (int high = 0; high < 256; ++high) {
    SCOPED_TRACE("case " + std::to_string(high));
    expect(high);
  }
}

TEST(CubeTable, UsesExactlyTheCrossedEdges) {
  for_each_case(expect_crossed_edges);
}

TEST(CubeTable, BordersAreTheSegmentsOfTheFaces) {
  for_each_case(expect_borders_on_faces);
}

TEST(CubeTable, HighCornersLieBehind) {
  for_each_case(expect_high_corners_behind);
}

TEST(CubeTable, HasAsManyTrianglesAsTheBitsCount) {
  for_each_case(expect_counted_triangles);
}

TEST(CubeTable, OneHighCornerGivesATriangleThatFacesAwayFromIt) {
  for (int corner = 0; corner < 8; ++corner) {
    const cube::Case& entry = cube::cases[1 << corner];
    ASSERT_EQ(entry.triangles, 1);
    const Vec3d a = middle(entry.edges[0]);
    const Vec3d normal = cross(middle(entry.edges[1]) - a, middle(entry.edges[2]) - a);
    EXPECT_LT(dot(normal, corner_point(corner) - a), 0);
  }
}

}  // namespace
}  // namespace tessera
