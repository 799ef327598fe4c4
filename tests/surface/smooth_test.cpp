// Smoothing against plain loops, and what it does to spheres.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/detail/exp.h>
#include <tessera/surface/smooth.h>
#include <tessera/surface/surface.h>

#include "surface/naive_surface.h"
#include "surface/odd_surfaces.h"

namespace tessera {

using namespace detail;
namespace {

std::vector<Vec3d> naive_step(const TriMesh& mesh, const std::vector<Vec3d>& at, const SmoothOptions& options,
                              double step) {
  const auto neighbours = test::naive_neighbours(mesh);
  const auto is_open = test::naive_boundary(mesh);
  std::vector<Vec3d> sum(at.size(), {0, 0, 0});
  std::vector<double> weight(at.size(), 0);
  const auto pull = [&](std::uint32_t v, std::uint32_t to, double w) {
    sum[v] = sum[v] + w * (at[to] - at[v]);
    weight[v] += w;
  };
  if (options.weights == SmoothWeights::uniform) {
    for (std::uint32_t v = 0; v < at.size(); ++v) {
      for (const std::uint32_t to : neighbours[v]) pull(v, to, 1);
    }
  } else {
    for (const auto& cell : mesh.cells) {
      for (int c = 0; c < 3; ++c) {
        const std::uint32_t o = cell[c].index();
        const std::uint32_t a = cell[(c + 1) % 3].index();
        const std::uint32_t b = cell[(c + 2) % 3].index();
        const double w = std::max(0.0, test::naive_cotangent(at[o], at[a], at[b]));
        pull(a, b, w);
        pull(b, a, w);
      }
    }
  }
  std::vector<Vec3d> result = at;
  for (std::uint32_t v = 0; v < at.size(); ++v) {
    if (weight[v] > 0 && !(options.fix_boundary && is_open[v]))
      result[v] = at[v] + (step / weight[v]) * sum[v];
  }
  return result;
}

void expect_near(const std::vector<Vec3d>& found, const std::vector<Vec3d>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v)
    ASSERT_LE(length(found[v] - expected[v]), tolerance * (1 + length(expected[v]))) << v;
}

TEST(Smooth, UniformIsThatOfPlainLoops) {
  for (const TriMesh& bare : test::odd_surfaces()) {
    const TriMesh mesh = test::in_double(bare);
    for (const bool fix_boundary : {false, true}) {
      const SmoothOptions options = {
          .iterations = 3, .step = 0.6, .back_step = -0.4, .fix_boundary = fix_boundary};
      std::vector<Vec3d> expected = test::points_of(mesh.points);
      for (int k = 0; k < 3; ++k) {
        for (const double step : {0.6, -0.4}) expected = naive_step(mesh, expected, options, step);
      }
      expect_near(test::points_of(smooth(mesh, options)), expected, 1e-12);
    }
  }
}

TEST(Smooth, CotangentIsThatOfPlainLoops) {
  for (const TriMesh& bare : test::odd_surfaces()) {
    const TriMesh mesh = test::in_double(bare);
    for (const bool fix_boundary : {false, true}) {
      const SmoothOptions options = {
          .weights = SmoothWeights::cotangent, .iterations = 1, .step = 0.7, .fix_boundary = fix_boundary};
      expect_near(test::points_of(smooth(mesh, options)),
                  naive_step(mesh, test::points_of(mesh.points), options, 0.7), 1e-9);
    }
  }
}

TEST(Smooth, DoesNotDependOnThreadsAndTiles) {
  const TriMesh mesh = test::with_noise(make_torus(60, 50), 0.01, 3);
  for (const SmoothWeights weights : {SmoothWeights::uniform, SmoothWeights::cotangent}) {
    const auto with = [&](int threads, std::uint32_t most) {
      const Surface surface(mesh, {.exec = Exec::host(threads), .max_vertices = most});
      auto at = positions<double>(surface);
      smooth(at, {.weights = weights, .iterations = 5});
      return at.values();
    };
    const Array<Vec3d> one = with(1, 512);
    EXPECT_EQ(with(2, 512), one);
    EXPECT_EQ(with(5, 64), one);
  }
}

TEST(Smooth, OfAnotherOrderIsTheSameUpToRounding) {
  const TriMesh mesh = test::with_noise(make_torus(30, 20), 0.01, 3);
  const auto order = test::random_order(mesh.vertex_count(), 9);
  for (const SmoothWeights weights : {SmoothWeights::uniform, SmoothWeights::cotangent}) {
    const SmoothOptions options = {.weights = weights, .iterations = 5};
    const auto one = test::points_of(smooth(mesh, options));
    const auto other = test::points_of(smooth(test::renumbered(mesh, order), options));
    for (std::size_t v = 0; v < one.size(); ++v) EXPECT_LE(length(one[v] - other[order[v]]), 1e-12);
  }
}

TEST(Smooth, StepsBackKeepTheVolume) {
  TriMesh sphere = test::in_double(make_ico(4, {.displace = false}));
  const double before = test::measure(sphere).volume;
  const auto volume = [&](double back_step) {
    TriMesh moved = sphere;
    moved.points = smooth(sphere, {.iterations = 50, .step = 0.5, .back_step = back_step});
    return test::measure(moved).volume / before;
  };
  EXPECT_LT(volume(0), 0.93);
  EXPECT_NEAR(volume(-0.53), 1, 0.02);
}

TEST(Smooth, KeepsThePrecisionOfPoints) {
  EXPECT_FALSE(smooth(make_ico(1)).is_double());
  EXPECT_TRUE(smooth(test::in_double(make_ico(1))).is_double());
  EXPECT_EQ(smooth(make_ico(1), {.iterations = 0}), make_ico(1).points);
}

TEST(Smooth, RefusesWhatSurfacesDoAndCanBeCancelled) {
  TriMesh twice = make_ico(1);
  twice.cells.push_back(twice.cells[3]);
  try {
    (void)smooth(twice);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
  }
  TriMesh no_place = make_ico(1);
  no_place.points.visit([](auto points) { points[7].y = std::numeric_limits<float>::quiet_NaN(); });
  EXPECT_THROW((void)smooth(no_place), Error);  // as for every surface
  std::stop_source source;
  source.request_stop();
  const Monitor monitor = {.report = {}, .stop = source.get_token()};
  EXPECT_THROW((void)smooth(make_ico(2), {.monitor = &monitor}), Error);
}

TEST(Exp, IsTheLibrarysWithinTwoUlps) {
  SplitMix64 random(1);
  for (int k = 0; k < 200'000; ++k) {
    const double x = k % 2 == 0 ? -708 + 1417 * random.uniform() : -2 + 3 * random.uniform();
    const long double exact = std::exp(static_cast<long double>(x));
    const double ulp = std::nextafter(std::exp(x), INFINITY) - std::exp(x);
    ASSERT_LE(std::abs(portable_exp(x) - exact), 2 * static_cast<long double>(ulp)) << x;
  }
  for (double x = -746; x < -708; x += 0.001)
    ASSERT_NEAR(portable_exp(x), std::exp(x), 2 * 4.9406564584124654e-324 + 4e-16 * std::exp(x)) << x;
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-0.0), 1);
  EXPECT_EQ(portable_exp(-1e300), 0);
  EXPECT_EQ(portable_exp(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(portable_exp(1e300), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(portable_exp(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace tessera
