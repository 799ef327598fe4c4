// Geodesic fronts and paths around a vertex of n triangles take operations in proportion to n.
#include <cmath>
#include <numbers>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/geodesics.h>

#include "growth/operations.h"

namespace tessera {
namespace {

/// A closed fan around vertex 0, which is so far above the rim; the rim is at distances from 1 to 1 + spread.
TriMesh make_fan(std::uint32_t n, double height, double spread) {
  SplitMix64 random(5);
  TriMesh mesh;
  Array<Vec3d> points = {{0, 0, height}};
  for (std::uint32_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    const double radius = 1 + spread * random.uniform();
    points.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
    mesh.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(1 + (i + 1) % n)});
  }
  mesh.points = std::move(points);
  return mesh;
}

/// A fan with a strip of n small triangles at its middle.
TriMesh make_fan_with_strip(std::uint32_t n) {
  TriMesh mesh = make_fan(n, 0, 1);
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v <= n; ++v) points.push_back(100 * mesh.points[VertexId(v)]);
  VertexId last(0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const VertexId low(static_cast<std::uint32_t>(points.size()));
    const VertexId high(low.index() + 1);
    points.push_back({0.01 * i, 0, 0.01});
    points.push_back({0.01 * i, 0, 0.02});
    mesh.cells.push_back({last, low, high});
    if (last != VertexId(0)) mesh.cells.push_back({VertexId(last.index() - 1), low, last});
    last = high;
  }
  mesh.points = std::move(points);
  return mesh;
}

std::uint64_t count_fronts(const TriMesh& mesh, std::uint32_t source, FrontSchedule schedule) {
  const Surface surface(mesh, {.exec = Exec::host(1)});
  const std::vector<GeodesicSource> sources = {VertexId(source)};
  return count(
      [&] { static_cast<void>(compute_geodesics<float>(surface, sources, {.schedule = schedule})); });
}

class FrontsGrowth : public ::testing::TestWithParam<FrontSchedule> {};

/// In each of n rounds a few vertices of the rim tell the hub, which may be far away.
TEST_P(FrontsGrowth, AroundTheRimOfAFan) {
  for (const double height : {0.0, 5.0}) {
    expect_linear(2000, [&](std::size_t n) {
      return count_fronts(make_fan(static_cast<std::uint32_t>(n), height, 0), 1, GetParam());
    });
  }
}

/// The rim waits, at n distances.
TEST_P(FrontsGrowth, FromAndToTheMiddleOfAFan) {
  for (const std::uint32_t source : {0u, 1u}) {
    expect_linear(2000, [&](std::size_t n) {
      return count_fronts(make_fan(static_cast<std::uint32_t>(n), 0, 1), source, GetParam());
    });
  }
}

/// The rim waits while a front runs along a strip.
TEST_P(FrontsGrowth, AlongAStripBesideAFan) {
  expect_linear(2000, [&](std::size_t n) {
    return count_fronts(make_fan_with_strip(static_cast<std::uint32_t>(n)), 0, GetParam());
  });
}

INSTANTIATE_TEST_SUITE_P(Schedules, FrontsGrowth, testing::Values(FrontSchedule::bands, FrontSchedule::hops));

/// A path that crosses half of the spokes.
TEST(PathsGrowth, AcrossAFan) {
  expect_linear(2000, [](std::size_t n) {
    const TriMesh mesh = make_fan(static_cast<std::uint32_t>(n), 0, 0);
    const Surface surface(mesh, {.exec = Exec::host(1)});
    const std::vector<GeodesicSource> sources = {VertexId(1)};
    const GeodesicPaths paths(compute_geodesics<double>(surface, sources));
    return count([&] {
      const GeodesicPath path = paths.trace(VertexId(static_cast<std::uint32_t>(n * 9 / 20)));
      EXPECT_GT(path.points.size(), n / 4);
    });
  });
}

}  // namespace
}  // namespace tessera
