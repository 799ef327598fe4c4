// Smoothing against plain loops, and what it does to spheres.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/denoise.h>
#include <tessera/surface/detail/exp.h>
#include <tessera/surface/detail/sound_surface.h>
#include <tessera/surface/flow.h>
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

/// Options that make no sense are refused, and nothing has moved.
TEST(Smooth, RefusesOptionsThatMakeNoSense) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const TriMesh mesh = make_ico(2);
  const auto expect_refusal = [](const auto& ask) {
    try {
      ask();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option) << error.what();
    }
  };
  for (const SmoothOptions& options :
       {SmoothOptions{.step = nan}, SmoothOptions{.back_step = infinity}, SmoothOptions{.iterations = -1}})
    expect_refusal([&] { (void)smooth(mesh, options); });
  for (const DenoiseOptions& options :
       {DenoiseOptions{.sigma_c = -1}, DenoiseOptions{.sigma_s = nan}, DenoiseOptions{.sigma_c = infinity},
        DenoiseOptions{.iterations = -1}})
    expect_refusal([&] { (void)denoise(mesh, options); });
  for (const FlowOptions& options :
       {FlowOptions{.time = -1}, FlowOptions{.time = nan}, FlowOptions{.tolerance = 1},
        FlowOptions{.tolerance = nan}, FlowOptions{.steps = -1}, FlowOptions{.max_iterations = 0},
        FlowOptions{.time = 1e200}})  // the last overflows
    expect_refusal([&] { (void)flow(mesh, options); });
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

/// The mesh with triangles that a surface refuses: one again, one turned, one over, one three times more, and
/// some that name a vertex twice or three times. With `in_front`, they come before the others.
TriMesh with_unsound(const TriMesh& mesh, bool in_front) {
  const auto& c = mesh.cells;
  const Array<TriMesh::Cell> more = {c[3],
                                     {c[5][0], c[5][0], c[5][1]},
                                     {c[7][1], c[7][2], c[7][0]},
                                     {c[9][0], c[9][2], c[9][1]},
                                     c[11],
                                     {c[2][2], c[2][2], c[2][2]},
                                     c[11],
                                     {c[11][2], c[11][1], c[11][0]}};
  TriMesh result = mesh;
  result.cells.insert(in_front ? result.cells.begin() : result.cells.end(), more.begin(), more.end());
  return result;
}

/// Its triangles by their corners, the first of each; those that name a vertex twice are left out.
std::map<std::set<VertexId>, std::uint32_t> naive_sound(const TriMesh& mesh) {
  std::map<std::set<VertexId>, std::uint32_t> first;
  for (std::uint32_t t = 0; t < mesh.cell_count(); ++t) {
    const std::set<VertexId> corners(mesh.cells[t].begin(), mesh.cells[t].end());
    if (corners.size() == 3) first.emplace(corners, t);
  }
  return first;
}

TriMesh without_unsound(const TriMesh& mesh) {
  std::set<std::uint32_t> kept;
  for (const auto& [corners, t] : naive_sound(mesh)) kept.insert(t);
  TriMesh result;
  result.points = mesh.points;
  for (const std::uint32_t t : kept) result.cells.push_back(mesh.cells[t]);
  return result;
}

TEST(SoundTriangles, AreTheFirstOfEach) {
  for (const bool in_front : {false, true}) {
    const TriMesh mesh = with_unsound(make_shuffled(make_ico(2)), in_front);
    const auto first = naive_sound(mesh);
    for (const int threads : {1, 3}) {
      const auto sound = find_sound_triangles(mesh, Exec::host(threads));
      ASSERT_TRUE(sound.has_value());
      EXPECT_EQ(sound->repeated, 4U);
      EXPECT_EQ(sound->degenerate, 2U);
      EXPECT_EQ(sound->mesh, without_unsound(mesh));
      ASSERT_EQ(sound->from_input.size(), mesh.cell_count());
      for (std::uint32_t t = 0; t < mesh.cell_count(); ++t) {
        const auto expected = first.find({mesh.cells[t].begin(), mesh.cells[t].end()});
        ASSERT_EQ(sound->from_input[t].is_valid(), expected != first.end());
        if (expected == first.end()) continue;
        EXPECT_EQ(sound->to_input[sound->from_input[t].index()], FaceId(expected->second));
      }
    }
  }
  EXPECT_FALSE(find_sound_triangles(make_ico(2), Exec::host()).has_value());
  EXPECT_FALSE(find_sound_triangles(TriMesh{}, Exec::host()).has_value());
  TriMesh astray = with_unsound(make_ico(2), false);
  astray.cells[4][1] = VertexId(9999);
  EXPECT_FALSE(find_sound_triangles(astray, Exec::host()).has_value());
}

TEST(SoundTriangles, GiveSurfacesTheirIds) {
  const TriMesh plain = make_ico(2);
  const SoundSurface same(plain);
  EXPECT_EQ(same.surface().mesh(), &plain);
  EXPECT_EQ(same.triangles(), nullptr);
  EXPECT_EQ(same.to_input(FaceId(7)), FaceId(7));
  EXPECT_EQ(same.from_input(FaceId(7)), FaceId(7));
  const TriMesh mesh = with_unsound(plain, true);
  const SoundSurface sound(mesh);
  ASSERT_NE(sound.triangles(), nullptr);
  EXPECT_EQ(sound.surface().face_count(), plain.cell_count());
  EXPECT_EQ(sound.surface().vertex_count(), plain.vertex_count());
  EXPECT_FALSE(sound.from_input(FaceId(1)).is_valid());
  for (std::uint32_t t = 0; t < plain.cell_count(); ++t)
    EXPECT_EQ(sound.from_input(sound.to_input(FaceId(t))), FaceId(t));
}

/// All triangles are the same one: no time that grows with the square.
TEST(SoundTriangles, MayBeOneOfVeryMany) {
  TriMesh mesh = make_small_surface("triangle");
  const TriMesh::Cell cell = mesh.cells[0];
  mesh.cells.assign(300'000, cell);
  for (std::size_t t = 0; t < mesh.cell_count(); t += 2) std::swap(mesh.cells[t][0], mesh.cells[t][1]);
  const auto sound = find_sound_triangles(mesh, Exec::host());
  ASSERT_TRUE(sound.has_value());
  EXPECT_EQ(sound->repeated, 1U);
  EXPECT_EQ(sound->mesh.cells, (Array<TriMesh::Cell>{mesh.cells[0]}));
  EXPECT_EQ(sound->from_input.back(), FaceId(0));
}

TEST(Moving, CountsTrianglesOnce) {
  const TriMesh bare = test::with_noise(make_shuffled(make_ico(3)), 0.01, 2);
  for (const bool in_front : {false, true}) {
    const TriMesh mesh = with_unsound(bare, in_front);
    const TriMesh plain = without_unsound(mesh);
    for (const SmoothWeights weights : {SmoothWeights::uniform, SmoothWeights::cotangent}) {
      for (const bool fix_boundary : {false, true}) {
        const SmoothOptions options = {.weights = weights, .iterations = 2, .fix_boundary = fix_boundary};
        EXPECT_EQ(smooth(mesh, options), smooth(plain, options));
      }
    }
    EXPECT_EQ(flow(mesh).points, flow(plain).points);
    EXPECT_EQ(denoise(mesh), denoise(plain));
  }
}

TEST(Smooth, RefusesWhatSurfacesDoAndCanBeCancelled) {
  TriMesh astray = with_unsound(make_ico(1), false);
  astray.cells[4][1] = VertexId(9999);
  try {
    (void)smooth(astray);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    EXPECT_NE(std::string(error.what()).find("9999"), std::string::npos) << error.what();
  }
  TriMesh no_place = with_unsound(make_ico(1), false);
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
