// Denoising against plain loops, and what it does to noise and edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stop_token>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/denoise.h>
#include <tessera/surface/neighbourhoods.h>
#include <tessera/surface/surface.h>

#include "surface/naive_surface.h"
#include "surface/odd_surfaces.h"

namespace tessera {
namespace {

std::vector<Vec3d> naive_iteration(const TriMesh& mesh, const std::vector<Vec3d>& at, double sigma_c,
                                   double sigma_s) {
  const auto neighbours = test::naive_neighbours(mesh);
  std::vector<Vec3d> normals(at.size(), {0, 0, 0});
  for (const auto& cell : mesh.cells) {
    const Vec3d n =
        cross(at[cell[1].index()] - at[cell[0].index()], at[cell[2].index()] - at[cell[0].index()]);
    for (const VertexId v : cell) normals[v.index()] = normals[v.index()] + n;
  }
  std::vector<Vec3d> result = at;
  for (std::uint32_t v = 0; v < at.size(); ++v) {
    const double size = length(normals[v]);
    const Vec3d n = size > 0 ? (1 / size) * normals[v] : Vec3d{0, 0, 0};
    std::set<std::uint32_t> found = {v};
    std::vector<std::uint32_t> walk = {v};
    for (std::size_t k = 0; k < walk.size(); ++k) {
      for (const std::uint32_t u : neighbours[walk[k]]) {
        if (length(at[u] - at[v]) <= 2 * sigma_c && found.insert(u).second) walk.push_back(u);
      }
    }
    found.erase(v);
    if (found.empty()) continue;
    const auto count = static_cast<double>(found.size());
    double mean = 0;
    double spread = 0;
    for (const std::uint32_t u : found) mean += dot(n, at[u] - at[v]) / count;
    for (const std::uint32_t u : found) spread += std::pow(dot(n, at[u] - at[v]) - mean, 2) / count;
    if (sigma_s > 0) spread = sigma_s * sigma_s;
    double sum = 0;
    double weights = 0;
    for (const std::uint32_t u : found) {
      const double t = length(at[u] - at[v]);
      const double h = dot(n, at[u] - at[v]);
      const double weight =
          std::exp(-t * t / (2 * sigma_c * sigma_c)) * (spread > 0 ? std::exp(-h * h / (2 * spread)) : 1);
      sum += weight * h;
      weights += weight;
    }
    if (weights > 0) result[v] = at[v] + (sum / weights) * n;
  }
  return result;
}

void expect_denoised(const TriMesh& mesh, const DenoiseOptions& options) {
  const auto at = test::points_of(mesh.points);
  const auto found = test::points_of(denoise(mesh, options));
  std::vector<Vec3d> expected = at;
  for (int k = 0; k < options.iterations; ++k)
    expected = naive_iteration(mesh, expected, options.sigma_c, options.sigma_s);
  for (std::size_t v = 0; v < at.size(); ++v) ASSERT_LE(length(found[v] - expected[v]), 1e-9) << v;
}

TEST(Denoise, IsThatOfPlainLoops) {
  for (const double sigma_s : {0.0, 0.02}) {
    expect_denoised(test::with_noise(make_ico(3), 0.01, 1),
                    {.iterations = 2, .sigma_c = 0.15, .sigma_s = sigma_s});
    expect_denoised(test::with_noise(make_torus(17, 9), 0.01, 1),
                    {.iterations = 2, .sigma_c = 0.2, .sigma_s = sigma_s});
    expect_denoised(test::with_noise(make_height_field(15, 11), 0.01, 1),
                    {.iterations = 2, .sigma_c = 0.1, .sigma_s = sigma_s});
    expect_denoised(test::with_noise(test::make_heap(80, 150, 1), 0.01, 1),
                    {.iterations = 1, .sigma_c = 0.1, .sigma_s = sigma_s});
    expect_denoised(test::with_noise(make_small_surface("isolated_vertices"), 0.01, 1),
                    {.iterations = 1, .sigma_c = 0.5, .sigma_s = sigma_s});
  }
}

/// More neighbours than the short list has room for, and than the first long one.
TEST(Denoise, TakesNeighbourhoodsOfAnySize) {
  const TriMesh mesh = test::with_noise(make_ico(3), 0.01, 1);  // 642 vertices
  for (const double sigma_c : {0.3, 10.0}) expect_denoised(mesh, {.iterations = 1, .sigma_c = sigma_c});
  expect_denoised(test::with_noise(test::make_star(600), 0.001, 4), {.iterations = 1, .sigma_c = 2});
}

/// The length of the edge in the middle, of those that have a length.
double naive_median_edge(const TriMesh& mesh) {
  std::vector<double> lengths;
  const auto neighbours = test::naive_neighbours(mesh);
  for (std::uint32_t v = 0; v < neighbours.size(); ++v) {
    for (const std::uint32_t u : neighbours[v]) {
      const double apart = length(mesh.points[VertexId(u)] - mesh.points[VertexId(v)]);
      if (u < v && apart > 0) lengths.push_back(apart);
    }
  }
  if (lengths.empty()) return 0;
  std::sort(lengths.begin(), lengths.end());
  return lengths[(lengths.size() - 1) / 2];
}

double default_sigma(const Surface& surface) {
  auto at = positions<double>(surface);
  return denoise(at, {.iterations = 0});
}

TEST(Denoise, TakesTheMedianEdge) {
  for (const TriMesh& mesh : test::odd_surfaces()) {
    const double expected = naive_median_edge(mesh);
    EXPECT_NEAR(default_sigma(Surface(mesh)), expected, 2e-6 * expected);
  }
  TriMesh collapsed = test::in_double(make_ico(2));
  collapsed.points.visit([](auto points) {
    for (std::size_t v = 1; v < points.size(); ++v) points[v] = points[0];
  });
  EXPECT_EQ(default_sigma(Surface(collapsed)), 0);
  EXPECT_EQ(denoise(collapsed), collapsed.points);
}

/// Points far away do not make the neighbourhoods of others larger: the work stays in proportion.
TEST(Denoise, OfASurfaceWithHugeEdgesIsNoMoreWork) {
  const auto count_neighbours = [](const TriMesh& mesh) {
    const Surface surface(mesh);
    return compute_neighbourhoods(surface, 2 * default_sigma(surface)).values().size();
  };
  TriMesh mesh = test::with_noise(make_torus(60, 50), 0.01, 3);
  const std::size_t before = count_neighbours(mesh);
  EXPECT_LT(before, 40 * mesh.vertex_count());
  mesh.points.visit([](auto points) {
    for (std::size_t v = 0; v < points.size(); v += 500) points[v].x += 1e9;
  });
  EXPECT_LT(count_neighbours(mesh), before + before / 20);
  // Half of the edges of a fan are spokes: with those, every point would be a neighbour of every other.
  const TriMesh fan = test::make_star(3000);
  EXPECT_LT(count_neighbours(fan), 10 * fan.vertex_count());
}

TEST(Denoise, DoesNotDependOnThreadsAndTiles) {
  const TriMesh mesh = test::with_noise(make_torus(60, 50), 0.01, 3);
  const auto with = [&](int threads, std::uint32_t most, double sigma_c) {
    const Surface surface(mesh, {.exec = Exec::host(threads), .max_vertices = most});
    auto at = positions<double>(surface);
    const double used = denoise(at, {.iterations = 2, .sigma_c = sigma_c});
    EXPECT_GT(used, 0);
    return at.values();
  };
  for (const double sigma_c : {0.0, 0.2}) {
    const Array<Vec3d> one = with(1, 512, sigma_c);
    EXPECT_EQ(with(2, 512, sigma_c), one);
    EXPECT_EQ(with(5, 64, sigma_c), one);
  }
}

TEST(Denoise, OfAnotherOrderIsTheSameUpToRounding) {
  const TriMesh mesh = test::with_noise(make_torus(30, 20), 0.01, 3);
  const auto order = test::random_order(mesh.vertex_count(), 9);
  const auto one = test::points_of(denoise(mesh, {.iterations = 2}));
  const auto other = test::points_of(denoise(test::renumbered(mesh, order), {.iterations = 2}));
  for (std::size_t v = 0; v < one.size(); ++v) EXPECT_LE(length(one[v] - other[order[v]]), 1e-10);
}

/// Two planes that meet at a right angle: the noise goes, the edge stays.
TEST(Denoise, TakesNoiseAndLeavesTheEdge) {
  const std::uint32_t n = 41;
  TriMesh roof;
  Array<Vec3d> exact;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const double x = (static_cast<double>(i) - 20) / 20;
      exact.push_back({x, static_cast<double>(j) / 20, -std::abs(x)});
      if (i + 1 == n || j + 1 == n) continue;
      const VertexId a(i * n + j);
      const VertexId b(i * n + j + 1);
      const VertexId c((i + 1) * n + j);
      const VertexId d((i + 1) * n + j + 1);
      roof.cells.push_back({a, c, d});
      roof.cells.push_back({a, d, b});
    }
  }
  roof.points = std::move(exact);
  const auto error = [&](const Points& points) {
    double sum = 0;
    for (const Vec3d& p : test::points_of(points)) sum += std::pow((p.z + std::abs(p.x)) / std::sqrt(2.0), 2);
    return std::sqrt(sum / (n * n));
  };
  const TriMesh noisy = test::with_noise(roof, 0.012, 8);
  const double before = error(noisy.points);
  const double after = error(denoise(noisy, {.iterations = 4, .sigma_s = 0.01}));
  EXPECT_LT(after, 0.5 * before) << before;
  EXPECT_GT(error(denoise(noisy, {.iterations = 4, .sigma_s = 1})), 2 * after);  // which rounds the edge
}

/// It shrinks a little, as its neighbours lie below every tangent plane, and becomes rounder.
TEST(Denoise, OfASphereIsRounder) {
  const TriMesh noisy = test::with_noise(make_ico(4, {.displace = false}), 0.01, 5);
  const auto deviation = [](const Points& points) {
    double sum = 0;
    double squares = 0;
    for (const Vec3d& p : test::points_of(points)) {
      sum += length(p);
      squares += dot(p, p);
    }
    const auto count = static_cast<double>(points.size());
    return std::sqrt(squares / count - std::pow(sum / count, 2));
  };
  EXPECT_LT(deviation(denoise(noisy, {.iterations = 3})), 0.5 * deviation(noisy.points));
}

TEST(Denoise, KeepsPrecisionAndCanBeCancelled) {
  EXPECT_FALSE(denoise(make_ico(1)).is_double());
  EXPECT_EQ(denoise(TriMesh{}).size(), 0U);
  std::stop_source source;
  source.request_stop();
  const Monitor monitor = {.report = {}, .stop = source.get_token()};
  EXPECT_THROW((void)denoise(make_ico(2), {.monitor = &monitor}), Error);
}

}  // namespace
}  // namespace tessera
