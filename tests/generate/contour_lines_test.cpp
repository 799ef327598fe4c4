// Contour lines of flat grids against a naive search of every pixel's sides.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/generate/contour_lines.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

using Edge = std::array<std::uint64_t, 2>;

/// Every pixel's segments as pairs of edges, in no direction: two crossed sides are joined; of four, those at
/// the same high corner.
std::multiset<std::set<Edge>> naive_segments(std::uint64_t nu, std::uint64_t nv,
                                             const std::vector<double>& values, double isovalue) {
  std::multiset<std::set<Edge>> result;
  for (std::uint64_t v = 0; v + 1 < nv; ++v) {
    for (std::uint64_t u = 0; u + 1 < nu; ++u) {
      const std::uint64_t p = u + nu * v;
      const std::vector<Edge> sides = {{p, p + 1}, {p + 1, p + 1 + nu}, {p + nu, p + nu + 1}, {p, p + nu}};
      bool has_nan = false;
      std::vector<std::pair<Edge, std::uint64_t>> crossed;  // with their high ends
      for (const Edge& side : sides) {
        has_nan = has_nan || std::isnan(values[side[0]]) || std::isnan(values[side[1]]);
        const bool first = values[side[0]] >= isovalue;
        if (first != (values[side[1]] >= isovalue)) crossed.emplace_back(side, first ? side[0] : side[1]);
      }
      if (has_nan) continue;
      for (std::size_t a = 0; a < crossed.size(); ++a) {
        for (std::size_t b = a + 1; b < crossed.size(); ++b) {
          if (crossed.size() == 2 || crossed[a].second == crossed[b].second) {
            result.insert({crossed[a].first, crossed[b].first});
          }
        }
      }
    }
  }
  return result;
}

void expect_equal_to_naive(const std::array<std::uint32_t, 3>& dims, double nan_part) {
  Grid grid;
  grid.dims = dims;
  std::vector<std::uint64_t> sizes;
  for (const std::uint32_t n : dims) {
    if (n > 1) sizes.push_back(n);
  }
  std::vector<double> values(grid.vertex_count());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] =
        uniform01(5, i) < nan_part ? std::numeric_limits<double>::quiet_NaN() : 2 * uniform01(6, i) - 1;
  }
  const Field field("f", Array<double>(values.begin(), values.end()));
  for (const int threads : {1, 3}) {
    const ContourLines found = contour_lines(grid, field, {{0.1}}, {.exec = Exec::host(threads)});
    std::multiset<std::set<Edge>> segments;
    std::set<Edge> used;
    for (std::size_t s = 0; s < found.lines.lines.size(); ++s) {
      const auto line = found.lines.lines[s];
      ASSERT_EQ(line.size(), 2u);
      const Edge& a = found.provenance.edges[line[0].index()];
      const Edge& b = found.provenance.edges[line[1].index()];
      segments.insert({a, b});
      used.insert(a);
      used.insert(b);
    }
    EXPECT_EQ(segments, naive_segments(sizes[0], sizes[1], values, 0.1));
    EXPECT_EQ(found.lines.vertex_count(), used.size());
    EXPECT_EQ(found.provenance.cells.size(), found.lines.lines.size());
  }
}

TEST(ContourLines, EqualTheNaiveOnesInEveryDirection) {
  for (const std::array<std::uint32_t, 3> dims :
       {std::array<std::uint32_t, 3>{2, 2, 1}, {30, 41, 1}, {30, 1, 41}, {1, 30, 41}}) {
    expect_equal_to_naive(dims, 0);
    expect_equal_to_naive(dims, 0.1);
  }
}

TEST(ContourLines, ACircleIsClosedAndHasTheHighSideOnItsLeft) {
  Grid grid = make_lattice(40, 40, 1);
  Array<float> depth;
  for (std::uint32_t j = 0; j < 40; ++j) {
    for (std::uint32_t i = 0; i < 40; ++i) {
      depth.push_back(static_cast<float>(0.4 - length(grid.point(i, j, 0) - Vec3d{0.501, 0.502, 0})));
    }
  }
  grid.point_data.add(Field("depth", std::move(depth)));
  Array<float> x;
  for (std::size_t p = 0; p < grid.vertex_count(); ++p) x.push_back(static_cast<float>(p % 40));
  grid.point_data.add(Field("x", std::move(x)));
  const PolyData lines = contour_lines(grid, grid.field("depth"), {{0.0}}).lines;
  ASSERT_GT(lines.lines.size(), 50u);
  std::map<std::uint32_t, std::array<int, 2>> uses;  // every point ends one segment and begins one
  double area = 0;
  double round = 0;
  for (std::size_t s = 0; s < lines.lines.size(); ++s) {
    const auto line = lines.lines[s];
    ++uses[line[0].index()][0];
    ++uses[line[1].index()][1];
    const Vec3d a = lines.points[line[0]];
    const Vec3d b = lines.points[line[1]];
    area += cross(a, b).z / 2;
    round += length(b - a);
    EXPECT_NEAR(lines.point_data.at("x").as<float>()[line[0].index()], 39 * a.x, 1e-4);
    EXPECT_EQ(lines.point_data.at("depth").as<float>()[line[0].index()], 0.0f);
  }
  for (const auto& [point, use] : uses) EXPECT_EQ(use, (std::array{1, 1})) << "point " << point;
  EXPECT_NEAR(area, 3.14159 * 0.16, 0.002);  // positive: counter-clockwise around the high inside
  EXPECT_NEAR(round, 2 * 3.14159 * 0.4, 0.01);
}

TEST(ContourLines, OfTrianglesAreClosedCircles) {
  TriMesh mesh = make_ico(4, {.displace = false});
  Array<double> height;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) height.push_back(mesh.points[VertexId(v)].z);
  mesh.point_data.add(Field("height", std::move(height)));
  const std::array<double, 2> values = {-0.5, 0.3};
  for (const int threads : {1, 3}) {
    const ContourLines found =
        contour_lines(mesh, mesh.field("height"), values, {.exec = Exec::host(threads)});
    const PolyData& lines = found.lines;
    std::map<std::uint32_t, std::array<int, 2>> uses;  // every point ends one segment and begins one
    std::array<double, 2> area = {};
    for (std::size_t s = 0; s < lines.lines.size(); ++s) {
      const auto line = lines.lines[s];
      ++uses[line[0].index()][0];
      ++uses[line[1].index()][1];
      const std::size_t level = lines.points[line[0]].z < 0 ? 0 : 1;
      area[level] += cross(lines.points[line[0]], lines.points[line[1]]).z / 2;
      EXPECT_NEAR(lines.point_data.at("height").as<double>()[line[0].index()], values[level], 1e-6);
    }
    for (const auto& [point, use] : uses) EXPECT_EQ(use, (std::array{1, 1})) << "point " << point;
    EXPECT_EQ(found.provenance.cells.size(), lines.lines.size());
    // Counter-clockwise seen from above: the pole is on the left.
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(area[k], 3.14159 * (1 - values[k] * values[k]), 0.05);
  }
}

TEST(ContourLines, OfOtherGridsAreNone) {
  for (const std::array<std::uint32_t, 3> dims :
       {std::array<std::uint32_t, 3>{1, 1, 1}, {9, 1, 1}, {4, 4, 4}}) {
    Grid grid;
    grid.dims = dims;
    Array<float> values(grid.vertex_count());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 1.0f : -1.0f;
    EXPECT_EQ(contour_lines(grid, Field("f", std::move(values)), {{0.0}}).lines.cell_count(), 0u);
  }
}

}  // namespace
}  // namespace tessera
