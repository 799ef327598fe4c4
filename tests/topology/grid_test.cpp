// Grids are analysed straight from their values. The oracle is the same analysis of the simplices that
// triangulate() makes, which goes through tiles and stars and shares no code with it but the table of types.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/detail/grid_star.h>

#include "topology/grids.h"

namespace tessera {
namespace {

using namespace testing;

CriticalPoints points_of_cut(const Grid& grid, const Field& field) {
  return std::visit(
      [&](const auto& mesh) -> CriticalPoints {
        if constexpr (requires { mesh.cells; }) return critical_points(mesh, field);
        return {};
      },
      triangulate(grid));
}

void expect_as_cut(const Grid& grid, const Field& field, const std::string& what) {
  const CriticalPoints expected = points_of_cut(grid, field);
  for (const int threads : {1, 2, 7}) {
    const CriticalPoints points = critical_points(grid, field, {.exec = Exec::host(threads)});
    ASSERT_EQ(points.points, expected.points) << what << ", " << threads << " threads";
    EXPECT_EQ(points.counts, expected.counts) << what;
  }
}

TEST(GridStar, HasTheLinkOfASphere) {
  // 14 vertices, 36 edges; as a triangulated sphere it has 2 * 14 - 4 = 24 triangles and 3 * 14 - 6 edges.
  int ends = 0;
  for (std::size_t k = 0; k < detail::grid_neighbours; ++k) {
    ends += std::popcount(detail::grid_link[k]);
    const detail::GridStep& a = detail::grid_steps[k];
    const detail::GridStep& b = detail::grid_steps[detail::grid_neighbours - 1 - k];
    EXPECT_TRUE(a.x == -b.x && a.y == -b.y && a.z == -b.z) << k;
  }
  EXPECT_EQ(ends, 2 * 36);
}

TEST(GridStar, NeighboursAscend) {
  const detail::GridLattice lattice(grid_of({3, 2, 2}));
  for (std::size_t k = 0; k + 1 < detail::grid_neighbours; ++k)
    EXPECT_LE(lattice.step(k), lattice.step(k + 1));
  EXPECT_LT(lattice.step(detail::first_higher_neighbour - 1), 0);
  EXPECT_GT(lattice.step(detail::first_higher_neighbour), 0);
}

TEST(GridStar, BordersHaveFewerNeighbours) {
  // The corners that the diagonal of the voxels joins have 7 neighbours, the others 4.
  const auto count = [&](std::size_t x, std::size_t y, std::size_t z) {
    const auto place = [](std::size_t i) { return detail::AxisPlace(static_cast<std::uint32_t>(i), 5); };
    return std::popcount(detail::GridSurrounding(place(x), place(y), place(z)).present);
  };
  EXPECT_EQ(count(2, 2, 2), 14);
  for (const std::size_t end : {0, 4}) {
    EXPECT_EQ(count(end, 2, 2), 10);
    EXPECT_EQ(count(2, end, 2), 10);
    EXPECT_EQ(count(2, 2, end), 10);
  }
  EXPECT_EQ(count(4, 0, 0), 7);
  EXPECT_EQ(count(0, 4, 4), 7);
  int corners = 0;
  for (std::size_t i = 0; i < 8; ++i) corners += count(4 * (i & 1), 4 * (i >> 1 & 1), 4 * (i >> 2));
  EXPECT_EQ(corners, 2 * 19);  // the edges of a cut voxel: 12 of its own, 6 diagonals of sides, one inside
}

TEST(GridCriticalPoints, AreThoseOfItsSimplices) {
  // Every kind of border, next to every other, and rows too short to have an inside.
  for (const Dims& dims :
       {Dims{2, 2, 2}, Dims{3, 3, 3}, Dims{2, 3, 4}, Dims{4, 3, 2}, Dims{3, 2, 5}, Dims{5, 4, 3},
        Dims{6, 5, 4}, Dims{4, 6, 7}, Dims{9, 8, 7}, Dims{33, 5, 6}, Dims{5, 33, 6}, Dims{17, 19, 23}}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Grid grid = grid_of(dims);
      const std::uint64_t range = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 1000000 : 20;
      expect_as_cut(grid, random_field<float>(grid.vertex_count(), range, seed), say(dims));
    }
  }
}

TEST(GridCriticalPoints, AreThoseOfItsTriangles) {
  for (const Dims& dims : {Dims{2, 2, 1}, Dims{3, 2, 1}, Dims{2, 1, 3}, Dims{1, 3, 3}, Dims{5, 4, 1},
                           Dims{1, 6, 5}, Dims{7, 1, 6}, Dims{40, 31, 1}}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Grid grid = grid_of(dims);
      expect_as_cut(grid, random_field<float>(grid.vertex_count(), seed % 2 == 0 ? 4 : 100000, seed),
                    say(dims));
    }
  }
}

template <class T>
class GridTypes : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(GridTypes, Types);

TYPED_TEST(GridTypes, AreThoseOfItsSimplices) {
  const Grid grid = grid_of({19, 11, 9});
  Field field = random_field<TypeParam>(grid.vertex_count(), 120, 5);
  // The ends of the type, and numbers that differ in their last bits only.
  const auto values = field.as<TypeParam>();
  values[200] = std::numeric_limits<TypeParam>::max();
  values[700] = std::numeric_limits<TypeParam>::lowest();
  values[701] = static_cast<TypeParam>(std::numeric_limits<TypeParam>::max() - 1);
  expect_as_cut(grid, field, std::string(to_string(field.type())));
}

TEST(GridCriticalPoints, OfEqualValuesAreOfTheOrderOfIds) {
  const Grid grid = grid_of({12, 9, 8});
  expect_as_cut(grid, random_field<float>(grid.vertex_count(), 1, 1), "constant");
  Array<double> zeros(grid.vertex_count());
  for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = i % 3 == 0 ? -0.0 : 0.0;
  expect_as_cut(grid, Field("zeros", std::move(zeros)), "zeros");
  const CriticalPoints points = critical_points(grid, random_field<float>(grid.vertex_count(), 1, 1));
  EXPECT_EQ(points.minima(), 1u);
  EXPECT_EQ(points.maxima(), 1u);
  EXPECT_EQ(points.points.front().vertex, VertexId(0));
}

TEST(GridCriticalPoints, OfInfiniteValues) {
  const Grid grid = grid_of({9, 9, 9});
  Field field = random_field<float>(grid.vertex_count(), 1000, 3);
  for (const std::size_t v : {0, 100, 101, 400})
    field.as<float>()[v] = std::numeric_limits<float>::infinity();
  for (const std::size_t v : {9, 300, 301}) field.as<float>()[v] = -std::numeric_limits<float>::infinity();
  expect_as_cut(grid, field, "infinite");
}

TEST(GridCriticalPoints, OfAFieldOfTheGridByName) {
  Grid grid = make_lattice(24, 24, 24);
  grid.point_data.add(make_mri_field(grid));
  const CriticalPoints points = critical_points(grid, "mri");
  EXPECT_EQ(points.points, points_of_cut(grid, grid.field("mri")).points);
  EXPECT_GT(points.minima(), 1u);
  EXPECT_THROW((void)critical_points(grid, "nothing"), Error);
}

TEST(GridCriticalPoints, RefuseWhatCannotBe) {
  const auto refusal = [](const Grid& grid, const Field& field) -> std::string {
    try {
      (void)critical_points(grid, field);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      return error.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const Grid grid = grid_of({6, 5, 4});
  // At an inner vertex, at the end of a row and in a row of the border.
  for (const std::size_t v : {38, 35, 7}) {
    Field field = random_field<double>(grid.vertex_count(), 9, 1);
    field.as<double>()[v] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(says(refusal(grid, field), "first at vertex " + std::to_string(v)));
  }
  EXPECT_TRUE(says(refusal(grid, random_field<float>(7, 9, 1)), "has 7 values"));
  EXPECT_TRUE(says(refusal(grid, Field("v", Array<float>(240), 2)), "2 components"));
  EXPECT_TRUE(
      says(refusal(grid_of({9, 1, 1}), random_field<float>(9, 9, 1)), "9 x 1 x 1 points has one axis"));
  EXPECT_TRUE(says(refusal(grid_of({65536, 65536, 2}), random_field<float>(9, 9, 1)), "too large"));
}

TEST(GridCriticalPoints, StopWhenCancelled) {
  const Grid grid = grid_of({40, 40, 40});
  std::stop_source stop;
  stop.request_stop();
  const Monitor monitor = {{}, stop.get_token()};
  EXPECT_THROW(
      (void)critical_points(grid, random_field<float>(grid.vertex_count(), 9, 1), {.monitor = &monitor}),
      Error);
}

}  // namespace
}  // namespace tessera
