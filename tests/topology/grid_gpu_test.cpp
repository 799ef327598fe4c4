// Grids on a device: the same as on the host, to the byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/feature_tracks.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/persistence.h>
#include <tessera/topology/simplify_field.h>

#include "topology/grids.h"

namespace tessera {
namespace {

using namespace testing;

class GridsOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

template <int Dim>
void expect_same_gradient(const Gradient<Dim>& found, const Gradient<Dim>& expected) {
  for (int d = 0; d <= Dim; ++d) {
    ASSERT_TRUE(std::ranges::equal(found.critical_cells(d), expected.critical_cells(d))) << d;
  }
  for (std::size_t i = 0; i < found.critical_cells(Dim - 1).size(); ++i)
    ASSERT_EQ(found.cofaces(i), expected.cofaces(i));
  const auto pairs = found.pairs();
  const auto others = expected.pairs();
  ASSERT_EQ(pairs.size(), others.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_TRUE(pairs[i].low == others[i].low) << i;
    ASSERT_TRUE(pairs[i].high == others[i].high) << i;
  }
}

template <int Dim>
void expect_same(const Grid& grid, const Field& field) {
  const CriticalPoints points = critical_points(grid, field, {.exec = Exec::cuda(0, 2)});
  const CriticalPoints expected = critical_points(grid, field, {.exec = Exec::host(2)});
  ASSERT_EQ(points.points, expected.points);
  EXPECT_EQ(points.counts, expected.counts);
  expect_same_gradient(compute_gradient<Dim>(grid, field, {.exec = Exec::cuda(0, 2)}),
                       compute_gradient<Dim>(grid, field, {.exec = Exec::host(2)}));
}

void expect_same(const Dims& dims, const Field& field) {
  SCOPED_TRACE(say(dims));
  const Grid grid = grid_of(dims);
  dimension(grid) == 3 ? expect_same<3>(grid, field) : expect_same<2>(grid, field);
}

std::size_t size_of(const Dims& dims) {
  return std::size_t{dims[0]} * dims[1] * dims[2];
}

TEST_F(GridsOnDevice, BordersOfEveryKind) {
  for (const Dims& dims :
       {Dims{2, 2, 2}, Dims{3, 3, 3}, Dims{2, 3, 4}, Dims{5, 4, 3}, Dims{33, 9, 17}, Dims{65, 3, 35},
        Dims{31, 33, 2}, Dims{2, 2, 1}, Dims{1, 6, 5}, Dims{7, 1, 6}, Dims{40, 31, 1}, Dims{300, 2, 2}}) {
    for (const std::uint64_t range : {2, 20, 1000000})
      expect_same(dims, random_field<float>(size_of(dims), range, range));
  }
}

// Blocks of the kernels end within the grid, and some have several rounds.
TEST_F(GridsOnDevice, Waves) {
  Grid grid = make_lattice(70, 41, 53);
  Array<Vec3f> points;
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
    points.push_back(vec_cast<float>(grid.point(v % 70, v / 70 % 41, v / (70 * 41))));
  for (const WaveField waves : {WaveField::rough, WaveField::smooth})
    expect_same<3>(grid, make_wave_field(points, waves));
  expect_same<3>(grid, random_field<float>(grid.vertex_count(), 1, 1));  // the order of ids
  expect_same<3>(grid, random_field<float>(grid.vertex_count(), 1u << 30, 1));
}

template <class T>
class GridTypesOnDevice : public GridsOnDevice {};
using Types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(GridTypesOnDevice, Types);

TYPED_TEST(GridTypesOnDevice, AreCompared) {
  const Dims dims = {37, 11, 9};
  Field field = random_field<TypeParam>(size_of(dims), 120, 5);
  const auto values = field.as<TypeParam>();
  values[200] = std::numeric_limits<TypeParam>::max();
  values[700] = std::numeric_limits<TypeParam>::lowest();
  values[701] = static_cast<TypeParam>(std::numeric_limits<TypeParam>::max() - 1);
  if constexpr (std::is_floating_point_v<TypeParam>) {
    for (std::size_t v = 900; v < 1200; v += 3) values[v] = static_cast<TypeParam>(-0.0);
    values[1300] = std::numeric_limits<TypeParam>::infinity();
    values[1400] = -std::numeric_limits<TypeParam>::infinity();
  }
  expect_same(dims, field);
}

TEST_F(GridsOnDevice, TheComplexIsThatOfTheHost) {
  const Grid grid = grid_of({24, 19, 17});
  const Field field = random_field<float>(grid.vertex_count(), 1000, 7);
  const auto found = morse_smale<3>(grid, field, {.exec = Exec::cuda(0, 2), .walls = true});
  const auto expected = morse_smale<3>(grid, field, {.exec = Exec::host(2), .walls = true});
  expect_same_gradient(found.gradient, expected.gradient);
  EXPECT_TRUE(found.separatrices.cells == expected.separatrices.cells);
  EXPECT_TRUE(found.separatrices.ends == expected.separatrices.ends);
  EXPECT_TRUE(found.segmentation.morse_smale == expected.segmentation.morse_smale);
  EXPECT_TRUE(found.walls.rings == expected.walls.rings);
  const auto pairs = compute_persistence<3>(grid, field, {.exec = Exec::cuda(0, 2)}).pairs;
  EXPECT_TRUE(pairs == compute_persistence<3>(grid, field).pairs);
}

TEST_F(GridsOnDevice, WhatIsNotANumberIsRefusedByPlace) {
  const Grid grid = grid_of({40, 5, 4});
  for (const std::size_t v : {0, 421, 799}) {
    Field field = random_field<float>(grid.vertex_count(), 9, 1);
    field.as<float>()[v] = std::numeric_limits<float>::quiet_NaN();
    for (const bool of_gradient : {false, true}) {
      try {
        of_gradient ? (void)compute_gradient<3>(grid, field, {.exec = Exec::cuda()})
                    : (void)critical_points(grid, field, {.exec = Exec::cuda()});
        ADD_FAILURE();
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("first at vertex " + std::to_string(v)), std::string::npos);
      }
    }
  }
}

TEST_F(GridsOnDevice, TooLittleMemoryIsAnError) {
  const Grid grid = grid_of({100, 100, 100});
  const Field field = random_field<float>(grid.vertex_count(), 1000, 1);
  const Exec small = Exec::cuda().with_memory_limit(mib(5));
  for (const bool of_gradient : {false, true}) {
    try {
      of_gradient
          ? (void)compute_gradient<3>(grid, field, {.exec = small})
          : (void)critical_points(grid, random_field<double>(grid.vertex_count(), 1000, 1), {.exec = small});
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_device_memory);
    }
  }
}

TEST_F(GridsOnDevice, StopWhenCancelled) {
  const Grid grid = grid_of({40, 40, 40});
  const Field field = random_field<float>(grid.vertex_count(), 9, 1);
  std::stop_source stop;
  const Monitor monitor = {[&](std::string_view, double done) {
                             if (done > 0) stop.request_stop();
                           },
                           stop.get_token()};
  EXPECT_THROW((void)critical_points(grid, field, {.exec = Exec::cuda(), .monitor = &monitor}), Error);
  stop = std::stop_source();
  const Monitor again = {monitor.report, stop.get_token()};
  EXPECT_THROW((void)compute_gradient<3>(grid, field, {.exec = Exec::cuda(), .monitor = &again}), Error);
}

TEST_F(GridsOnDevice, TreesAndTracksRefuseADevice) {
  const Grid grid = grid_of({6, 5, 4});
  const Field field = random_field<float>(grid.vertex_count(), 9, 1);
  const auto expect_refusal = [](const auto& f) {
    try {
      f();
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
    }
  };
  expect_refusal([&] { (void)merge_tree(grid, field, {.exec = Exec::cuda()}); });
  expect_refusal([&] { (void)contour_tree(grid, field, {.exec = Exec::cuda()}); });
  expect_refusal([&] { (void)simplify_field(grid, field, 1, {.exec = Exec::cuda()}); });
  expect_refusal([&] { (void)track_features({}, {}, {.exec = Exec::cuda()}); });
  expect_refusal([&] { (void)distance_matrix(0, {}, {.exec = Exec::cuda()}); });
}

TEST_F(GridsOnDevice, RefusePeriodicAxes) {
  const Grid grid = grid_of({6, 5, 4});
  const Field field = random_field<float>(grid.vertex_count(), 9, 1);
  const GridOptions options = {.exec = Exec::cuda(), .periodic = {true, false, false}};
  const auto expect_refused = [](const auto& run) {
    try {
      run();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_STREQ(error.what(), "grids with periodic axes are analysed on host threads, not on a GPU");
    }
  };
  expect_refused([&] { (void)critical_points(grid, field, options); });
  expect_refused([&] { (void)compute_gradient<3>(grid, field, options); });
}

}  // namespace
}  // namespace tessera
