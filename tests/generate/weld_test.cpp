// Welding against maps and plain loops, and what it promises: idempotent, the same for any number of threads.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <generate/soups.h>
#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/detail/common/blend.h>
#include <tessera/generate/detail/keys/point_groups.h>
#include <tessera/generate/weld.h>
#include <tessera/mesh/make.h>

namespace tessera {

using namespace detail;
namespace {

using test::make_soup;

/// Groups by first occurrence, with a map.
std::vector<std::uint32_t> naive_equal(const Points& points) {
  std::map<std::array<double, 3>, std::uint32_t> seen;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t v = 0; v < points.size(); ++v) {
    const Vec3d p = points[VertexId(v)];
    groups.push_back(
        seen.try_emplace({p.x, p.y, p.z}, static_cast<std::uint32_t>(seen.size())).first->second);
  }
  return groups;
}

/// Each point joins the nearest kept one within the tolerance; all pairs are looked at.
std::vector<std::uint32_t> naive_near(const Points& points, double tolerance) {
  std::vector<Vec3d> kept;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t v = 0; v < points.size(); ++v) {
    const Vec3d p = points[VertexId(v)];
    std::uint32_t best = static_cast<std::uint32_t>(kept.size());
    double least = tolerance;
    for (std::uint32_t k = 0; k < kept.size(); ++k) {
      const double distance = length(kept[k] - p);
      if (distance < least || (distance == least && best == kept.size())) {
        best = k;
        least = distance;
      }
    }
    if (best == kept.size()) kept.push_back(p);
    groups.push_back(best);
  }
  return groups;
}

std::vector<std::uint32_t> numbers(const Array<VertexId>& ids) {
  std::vector<std::uint32_t> result;
  for (const VertexId id : ids) result.push_back(id.index());
  return result;
}

Points random_points(std::size_t count, std::uint64_t seed, std::uint64_t steps) {
  SplitMix64 random(seed);
  Array<Vec3f> points(count);
  for (Vec3f& p : points) {
    const auto one = [&] { return static_cast<float>(random.below(steps)) / 8 - 1; };
    p = {one(), one(), one()};
  }
  return points;
}

TEST(Weld, EqualPointsAreThoseOfAMap) {
  for (const std::size_t count : {0u, 1u, 2u, 100u, 16384u, 16385u, 60000u}) {
    for (const std::uint64_t steps : {1u, 4u, 30u, 100000u}) {
      const Points points = random_points(count, count + steps, steps);
      const auto expected = naive_equal(points);
      for (const int threads : {1, 2, 5}) {
        const PointGroups groups = group_equal_points(points, Exec::host(threads));
        ASSERT_EQ(numbers(groups.connections), expected) << count << " " << steps << " " << threads;
        ASSERT_EQ(groups.size(), std::set(expected.begin(), expected.end()).size());
        for (std::uint32_t g = 0; g < groups.size(); g += 37) {
          const auto first = std::ranges::find(expected, g) - expected.begin();
          ASSERT_EQ(groups.first[g], static_cast<std::uint32_t>(first));
        }
      }
    }
  }
}

TEST(Weld, ZeroHasNoSignAndNaNIsItself) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Points points = Array<Vec3f>{{0, 0, 0}, {-0.0f, 0, -0.0f}, {nan, 0, 0}, {nan, -0.0f, 0}, {0, nan, 0}};
  EXPECT_EQ(numbers(group_equal_points(points, Exec::host()).connections),
            (std::vector<std::uint32_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(numbers(group_near_points(points, 0.5, Exec::host()).connections),
            (std::vector<std::uint32_t>{0, 0, 1, 1, 2}));
}

TEST(Weld, DoublesAreComparedAsSuch) {
  const Points points = Array<Vec3d>{{1, 0, 0}, {1 + 1e-15, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(numbers(group_equal_points(points, Exec::host()).connections),
            (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(Weld, NearPointsAreThoseOfAllPairs) {
  for (const double tolerance : {0.01, 0.1, 0.125, 0.2, 0.7, 3.0, 100.0}) {
    SplitMix64 random(static_cast<std::uint64_t>(tolerance * 1000));
    Array<Vec3d> points(700);
    for (Vec3d& p : points) p = {2 * random.uniform() - 1, 2 * random.uniform() - 1, random.uniform()};
    for (std::size_t i = 0; i < 100; ++i) points[i] = {std::floor(points[i].x * 8) / 8, points[i].y, 0.25};
    const auto expected = naive_near(points, tolerance);
    for (const int threads : {1, 3}) {
      EXPECT_EQ(numbers(group_near_points(points, tolerance, Exec::host(threads)).connections), expected);
    }
  }
}

// Thousands of points in a cube of the search are taken in order, by one thread, among the kept ones only.
TEST(Weld, CrowdsAreThoseOfPlainLoops) {
  SplitMix64 random(77);
  Array<Vec3d> places(3000);
  for (Vec3d& p : places) p = {random.uniform(), random.uniform(), random.uniform()};
  const Points points = places;
  for (const double tolerance : {0.12, 0.3, 5.0}) {
    const auto expected = naive_near(points, tolerance);
    for (const int threads : {1, 4})
      EXPECT_EQ(numbers(group_near_points(points, tolerance, Exec::host(threads)).connections), expected);
  }
}

TEST(Weld, ChainsOfNearPointsAreDecidedInOrder) {
  constexpr std::uint32_t count = 20000;  // several workers' worth
  Array<Vec3d> line(count);
  std::vector<std::uint32_t> pairs;
  for (std::uint32_t i = 0; i < count; ++i) {
    line[i] = {0.6 * i, 0, 0};
    pairs.push_back(i / 2);  // each kept point takes the next one, which is 0.6 away
  }
  Array<Vec3d> mixed(count);
  for (std::uint32_t i = 0; i < count; ++i) mixed[i] = line[i * 7919ull % count];
  const auto expected = naive_near(mixed, 1);
  for (const int threads : {1, 2, 4}) {
    EXPECT_EQ(numbers(group_near_points(line, 1, Exec::host(threads)).connections), pairs);
    EXPECT_EQ(numbers(group_near_points(mixed, 1, Exec::host(threads)).connections), expected);
  }
}

TEST(Weld, NearPointsMayBeFarFromTheOrigin) {
  Array<Vec3d> points;  // beside the corners of cubes, whatever their size
  for (const double at : {-1e9, -4.0, 0.0, 6.0, 6e5}) {
    for (const double step : {0.0, 0.5, 1.0, -1.0, 2.5}) points.push_back({at + step, at, -at + step});
  }
  for (const double tolerance : {0.7, 1.0, 1.5}) {
    EXPECT_EQ(numbers(group_near_points(points, tolerance, Exec::host(2)).connections),
              naive_near(points, tolerance));
  }
}

TEST(Weld, ASoupGetsItsMeshBack) {
  const TriMesh ico = make_ico(5);
  const TriMesh soup = make_soup(ico);
  const Welded<2> welded = weld(soup);
  EXPECT_EQ(welded.mesh.vertex_count(), 10u * 1024 + 2);  // 10 4^n + 2
  EXPECT_EQ(welded.mesh.cell_count(), ico.cell_count());
  EXPECT_TRUE(welded.dropped.empty());
  EXPECT_TRUE(test::is_closed_manifold(welded.mesh));
  EXPECT_EQ(test::euler_characteristic(welded.mesh), 2);
  for (std::size_t c = 0; c < ico.cell_count(); ++c) {
    for (std::size_t i = 0; i < 3; ++i)
      ASSERT_EQ(welded.mesh.points[welded.mesh.cells[c][i]], ico.points[ico.cells[c][i]]);
  }
  const TetMesh tets = make_kuhn_full(7);
  const Welded<3> solid = weld(make_soup(tets));
  EXPECT_EQ(solid.mesh.vertex_count(), tets.vertex_count());
  EXPECT_EQ(solid.mesh.cell_count(), tets.cell_count());
}

TEST(Weld, IsIdempotentAndTheSameForAnyThreads) {
  TriMesh soup = make_soup(make_shuffled(make_height_field(90, 70)));
  soup.point_data.add(make_wave_field(soup.points, WaveField::rough));
  for (const double tolerance : {0.0, 0.02}) {
    const Welded<2> once = weld(soup, {.tolerance = tolerance, .exec = Exec::host(1)});
    const Welded<2> more = weld(soup, {.tolerance = tolerance, .exec = Exec::host(4)});
    EXPECT_EQ(once.mesh, more.mesh);
    EXPECT_EQ(once.vertices, more.vertices);
    EXPECT_EQ(once.dropped, more.dropped);
    const Welded<2> again = weld(once.mesh, {.tolerance = tolerance});
    EXPECT_EQ(again.mesh, once.mesh);
    EXPECT_TRUE(again.dropped.empty());
  }
}

TEST(Weld, NoPointMovesFartherThanTheTolerance) {
  const TriMesh soup = make_soup(make_torus(60, 30));
  const double tolerance = 0.05;
  const Welded<2> welded = weld(soup, {.tolerance = tolerance});
  EXPECT_LT(welded.mesh.vertex_count(), 1800u);
  for (std::uint32_t v = 0; v < soup.vertex_count(); ++v) {
    EXPECT_LE(length(welded.mesh.points[welded.vertices[v]] - soup.points[VertexId(v)]), tolerance);
  }
  for (std::uint32_t a = 0; a < welded.mesh.vertex_count(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b)
      EXPECT_GT(length(welded.mesh.points[VertexId(a)] - welded.mesh.points[VertexId(b)]), tolerance);
  }
}

TEST(Weld, DropsAndCountsTrianglesThatCollapse) {
  TriMesh soup;  // two slivers beside a triangle, and one that repeats a point
  soup.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0.995f, 0, 0}, {2, 2, 0}};
  const auto id = [](std::uint32_t i) { return VertexId(i); };
  soup.cells = {{id(1), id(3), id(5)}, {id(0), id(1), id(2)}, {id(3), id(4), id(2)}, {id(5), id(5), id(0)}};
  soup.cell_data.add(Field("name", Array<std::int32_t>{10, 11, 12, 13}));
  soup.point_data.add(Field("d", Array<double>{0, 1, 2, 4, 7, 5}));
  soup.point_data.add(Field("n", Array<std::uint8_t>{0, 1, 2, 4, 255, 5}));
  const Welded<2> exact = weld(soup);
  EXPECT_EQ(exact.dropped, (Array<std::uint32_t>{0, 3}));
  EXPECT_EQ(exact.mesh.cell_data.at("name"), Field("name", Array<std::int32_t>{11, 12}));
  EXPECT_EQ(exact.mesh.field("d"), Field("d", Array<double>{0, 2.5, 2, 7, 5}));
  EXPECT_EQ(exact.mesh.field("n"), Field("n", Array<std::uint8_t>{0, 3, 2, 255, 5}));
  const Welded<2> near = weld(soup, {.tolerance = 0.01, .data = MergedData::first});
  EXPECT_EQ(near.dropped, (Array<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(near.mesh.field("d"), Field("d", Array<double>{0, 1, 2, 5}));
  EXPECT_EQ(near.mesh.points[VertexId(1)], (Vec3d{1, 0, 0}));
}

TEST(Weld, AverageOfEqualValuesIsThatValue) {
  BlendSum<double> sum;
  for (int i = 0; i < 49; ++i) sum.add(0.1, 1.0 / 49);
  EXPECT_EQ(sum.value(), 0.1);
  BlendSum<float> broken;
  broken.add(1, 0.5);
  broken.add(std::numeric_limits<float>::quiet_NaN(), 0.5);
  EXPECT_TRUE(std::isnan(broken.value()));
  BlendSum<std::int64_t> large;
  large.add(std::numeric_limits<std::int64_t>::max(), 1);
  EXPECT_EQ(large.value(), std::numeric_limits<std::int64_t>::max());
}

TEST(Weld, RefusesWhatItCanNotUse) {
  const auto refuse = [](const TriMesh& mesh, double tolerance, ErrorCode code, const std::string& part) {
    try {
      (void)weld(mesh, {.tolerance = tolerance});
      ADD_FAILURE() << "not refused: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const TriMesh good = make_small_surface("octahedron");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuse(good, -1, ErrorCode::bad_option, "tolerance of -1");
  refuse(good, nan, ErrorCode::bad_option, "finite length");
  refuse(good, 1e-320, ErrorCode::bad_option, "too small");
  TriMesh bad = good;
  bad.cells[3][1] = VertexId(99);
  refuse(bad, 0, ErrorCode::bad_mesh, "triangle 3 names point 99, but there are 6 points");
  TriMesh uneven = good;
  uneven.point_data.add(Field("f", Array<float>(5, 0)));
  refuse(uneven, 0, ErrorCode::bad_mesh, "'f' has 5 values, but there are 6 points");
}

TEST(Weld, AnEmptyMeshStaysEmpty) {
  EXPECT_EQ(weld(TriMesh{}).mesh.vertex_count(), 0u);
  EXPECT_EQ(weld(TetMesh{}, {.tolerance = 1}).mesh.cell_count(), 0u);
}

}  // namespace
}  // namespace tessera
