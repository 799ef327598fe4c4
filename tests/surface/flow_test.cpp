// Mean-curvature flow: residuals by plain loops, spheres, planes, and what stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/flow.h>
#include <tessera/surface/surface.h>

#include "surface/naive_surface.h"
#include "surface/odd_surfaces.h"
#include "surface/recorded_monitor.h"

namespace tessera {
namespace {

/// (M + t L) x - M b for the matrices of the surface with the points b, triangle by triangle.
std::vector<Vec3d> naive_residual(const TriMesh& mesh, const std::vector<Vec3d>& b,
                                  const std::vector<Vec3d>& x, double time) {
  std::vector<Vec3d> result(b.size(), {0, 0, 0});
  for (const auto& cell : mesh.cells) {
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t o = cell[c].index();
      const std::uint32_t p = cell[(c + 1) % 3].index();
      const std::uint32_t q = cell[(c + 2) % 3].index();
      const double w = 0.5 * time * test::naive_cotangent(b[o], b[p], b[q]);
      const double mass = length(cross(b[p] - b[o], b[q] - b[o])) / 6;
      result[p] = result[p] + w * (x[p] - x[q]);
      result[q] = result[q] + w * (x[q] - x[p]);
      result[o] = result[o] + mass * (x[o] - b[o]);
    }
  }
  return result;
}

double norm(const std::vector<Vec3d>& vectors, const std::vector<bool>& without) {
  double sum = 0;
  for (std::size_t v = 0; v < vectors.size(); ++v) sum += without[v] ? 0 : dot(vectors[v], vectors[v]);
  return std::sqrt(sum);
}

TEST(Flow, SolvesItsEquations) {
  for (const TriMesh& bare : test::odd_surfaces()) {
    const TriMesh mesh = test::in_double(bare);
    for (const bool fix_boundary : {false, true}) {
      for (const bool precondition : {false, true}) {
        const double time = 0.01;
        const Flow found = flow(
            mesh,
            {.time = time, .tolerance = 1e-10, .precondition = precondition, .fix_boundary = fix_boundary});
        const auto before = test::points_of(mesh.points);
        const auto after = test::points_of(found.points);
        auto stays = test::naive_boundary(mesh);
        if (!fix_boundary) stays.assign(stays.size(), false);
        const double first = norm(naive_residual(mesh, before, before, time), stays);
        EXPECT_LE(norm(naive_residual(mesh, before, after, time), stays), 1e-8 * first + 1e-13);
        EXPECT_TRUE(found.report.is_converged);
        for (std::size_t v = 0; v < stays.size(); ++v) {
          EXPECT_TRUE(!stays[v] || after[v] == before[v]);
        }
      }
    }
  }
}

/// The coordinates are an eigenfunction: a step divides them by 1 + 2 t. On the average over the vertices.
TEST(Flow, OfASphereConvergesQuadratically) {
  const double time = 0.05;
  std::array<double, 3> errors = {};
  for (std::size_t level = 0; level < 3; ++level) {
    TriMesh sphere = make_ico(static_cast<int>(level) + 2, {.displace = false});
    Array<Vec3d> unit;
    for (const Vec3d& p : test::points_of(sphere.points)) unit.push_back((1 / length(p)) * p);
    sphere.points = std::move(unit);
    const auto count = static_cast<double>(sphere.vertex_count());
    for (const Vec3d& p : test::points_of(flow(sphere, {.time = time}).points))
      errors[level] += std::abs(length(p) - 1 / (1 + 2 * time)) / count;
  }
  EXPECT_LT(errors[2], 0.001);
  EXPECT_GT(errors[0] / errors[1], 3);
  EXPECT_GT(errors[1] / errors[2], 3);
}

TEST(Flow, ShrinksVolumeAndAreaStepByStep) {
  TriMesh mesh = test::with_noise(make_ico(4), 0.01, 2);
  auto before = test::measure(mesh);
  for (int k = 0; k < 3; ++k) {
    mesh.points = flow(mesh).points;
    const auto after = test::measure(mesh);
    EXPECT_LT(after.area, before.area);
    EXPECT_LT(after.volume, before.volume * 1.001);
    EXPECT_GT(after.volume, before.volume * 0.9);
    before = after;
  }
}

TEST(Flow, SeveralStepsAreOneAfterTheOther) {
  const TriMesh mesh = test::with_noise(make_torus(30, 20), 0.01, 3);
  TriMesh single = mesh;
  for (int k = 0; k < 3; ++k) single.points = flow(single, {.time = 0.001}).points;
  EXPECT_EQ(flow(mesh, {.time = 0.001, .steps = 3}).points, single.points);
}

TEST(Flow, LeavesAPlaneWithAFixedBoundaryAlone) {
  TriMesh plane = test::in_double(make_height_field(12, 9));
  plane.points.visit([](auto points) {
    for (auto& p : points) p.z = 0.25f;
  });
  const auto before = test::points_of(plane.points);
  const auto after = test::points_of(flow(plane, {.time = 1, .fix_boundary = true}).points);
  for (std::size_t v = 0; v < before.size(); ++v) EXPECT_LE(length(after[v] - before[v]), 1e-7);
}

TEST(Flow, DoesNotDependOnThreadsAndTiles) {
  const TriMesh mesh = test::with_noise(make_torus(60, 50), 0.01, 3);
  const auto with = [&](int threads, std::uint32_t most, bool precondition) {
    const Surface surface(mesh, {.exec = Exec::host(threads), .max_vertices = most});
    auto at = positions<double>(surface);
    (void)flow(at, {.precondition = precondition});
    return at.values();
  };
  for (const bool precondition : {false, true}) {
    const Array<Vec3d> one = with(1, 512, precondition);
    EXPECT_EQ(with(2, 512, precondition), one);
    EXPECT_EQ(with(5, 64, precondition), one);
  }
}

TEST(Flow, OfAnotherOrderIsTheSameUpToTheTolerance) {
  const TriMesh mesh = test::with_noise(make_torus(30, 20), 0.01, 3);
  const auto order = test::random_order(mesh.vertex_count(), 9);
  const auto one = test::points_of(flow(mesh, {.tolerance = 1e-12}).points);
  const auto other = test::points_of(flow(test::renumbered(mesh, order), {.tolerance = 1e-12}).points);
  for (std::size_t v = 0; v < one.size(); ++v) EXPECT_LE(length(one[v] - other[order[v]]), 1e-10);
}

TEST(Flow, SaysHowFarItCame) {
  const TriMesh mesh = test::with_noise(make_torus(30, 20), 0.01, 3);
  const FlowReport done = flow(mesh).report;
  EXPECT_TRUE(done.is_converged);
  EXPECT_LE(done.residual, 1e-8);
  EXPECT_GT(done.iterations, 3U);
  EXPECT_GT(done.time, 0);
  const FlowReport stopped = flow(mesh, {.max_iterations = 2}).report;
  EXPECT_FALSE(stopped.is_converged);
  EXPECT_GT(stopped.residual, 1e-8);
  EXPECT_EQ(stopped.iterations, 2U);
  EXPECT_EQ(flow(TriMesh{}).report.iterations, 0U);
}

TEST(Flow, SaysHowFarItIs) {
  const TriMesh mesh = test::with_noise(make_torus(60, 40), 0.01, 3);
  for (const int steps : {1, 3}) {
    const test::RecordedMonitor recorded;
    (void)flow(mesh, {.time = 0.01, .steps = steps, .monitor = recorded.get()});
    recorded.expect_progress("flowing", static_cast<std::size_t>(2 * steps));
  }
}

// One triangle is a line up to rounding: its cotangents are about 1e16, more than all others together.
TEST(Flow, GoesOnWithThinTriangles) {
  TriMesh mesh = make_ico(3);
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) points.push_back(mesh.points[VertexId(v)]);
  const TriMesh::Cell thin = mesh.cells[7];
  points[thin[2].index()] =
      0.3 * points[thin[0].index()] + 0.7 * points[thin[1].index()] + Vec3d{1e-17, 0, 0};
  mesh.points = Points(std::move(points));
  const Flow flowed = flow(mesh);
  EXPECT_TRUE(flowed.report.is_converged);
  EXPECT_LT(flowed.report.iterations, 1000u);
}

TEST(Flow, CanBeCancelled) {
  const TriMesh mesh = test::with_noise(make_torus(60, 40), 0.01, 3);
  for (const double from : {-1.0, 0.2}) {
    test::expect_cancelled("flowing", from, [&](const Monitor* monitor) {
      (void)flow(mesh, {.time = 0.01, .monitor = monitor});
    });
  }
}

}  // namespace
}  // namespace tessera
