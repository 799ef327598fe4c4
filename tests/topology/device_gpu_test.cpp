// The analyses on a device: the same as on the host, whatever the mesh, the field and the tiles.
#include <gtest/gtest.h>

#include <stop_token>
#include <string>

#include <tessera/topology/persistence.h>

#include "tile/oracle.h"
#include "topology/meshes.h"
#include "topology/results.h"

namespace tessera {
namespace {

using namespace testing;

class TopologyOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

template <int Dim>
void expect_same(const SimplexMesh<Dim>& mesh, const Field& field, const std::string& name) {
  const Results expected = compute_results(mesh, field, {.tiles = {.order = VertexOrder::input}});
  for (const std::uint32_t size : {1u, 40u, 512u, 100000u}) {
    for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
      const Setting setting{.threads = 2, .tiles = {.max_vertices = size, .order = order}, .on_device = true};
      EXPECT_EQ(difference(compute_results(mesh, field, setting), expected), "")
          << name << ": " << setting.description();
    }
  }
}

/// Paths as they lie in memory.
template <int Dim>
void expect_same_paths(const SimplexMesh<Dim>& mesh, const Field& field, const std::string& name,
                       MorseSmaleOptions<Dim> options = {}) {
  const auto trace = [&](const Exec& exec) {
    const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 200, .exec = exec});
    options.exec = exec;
    return morse_smale<Dim>(tiles, field, options).separatrices;
  };
  const Separatrices expected = trace(Exec::host(2));
  const Separatrices found = trace(Exec::cuda(0, 2));
  EXPECT_TRUE(found.ends == expected.ends) << name;
  EXPECT_TRUE(found.offsets == expected.offsets) << name;
  EXPECT_TRUE(found.cells == expected.cells) << name;
  EXPECT_EQ(found.counts, expected.counts) << name;
}

// A few thousand cells in one tile or some: what tools that watch every access can do.
TEST_F(TopologyOnDevice, SmallMeshes) {
  const TetMesh solid = make_shuffled(make_kuhn_full(9));
  const TriMesh surface = make_shuffled(make_torus(20, 30));
  const Setting setting{.threads = 2, .tiles = {.max_vertices = 200}, .on_device = true};
  const auto check = [&](const auto& mesh, const Field& field) {
    EXPECT_EQ(difference(compute_results(mesh, field, setting), compute_results(mesh, field)), "");
  };
  check(solid, make_wave_field(solid.points, WaveField::rough));
  check(solid, make_tied_field(solid.vertex_count(), 10, 1));
  check(surface, make_random_field(surface.vertex_count(), 1));
  check(oracle::random_mesh<3>(60, 200, 1), make_random_field(60, 1));
}

TEST_F(TopologyOnDevice, Solids) {
  for (const std::uint32_t n : {2u, 3u, 9u, 17u}) {
    const TetMesh mesh = make_shuffled(make_kuhn_full(n));
    expect_same(mesh, make_wave_field(mesh.points, WaveField::rough), "kuhn-full " + std::to_string(n));
    expect_same(mesh, make_tied_field(mesh.vertex_count(), 10, n), "kuhn-full tied " + std::to_string(n));
  }
  const TetMesh holes = make_kuhn(20);
  expect_same(holes, make_wave_field(holes.points, WaveField::rough), "kuhn 20");
  expect_same(holes, make_random_field(holes.vertex_count(), 3), "kuhn 20 random");
  const TetMesh torus = make_torus3(7);
  expect_same(torus, make_random_field(torus.vertex_count(), 3), "3-torus");
}

TEST_F(TopologyOnDevice, Surfaces) {
  for (const std::uint32_t n : {3u, 20u, 70u}) {
    const TriMesh mesh = make_shuffled(make_torus(n, n + 2));
    expect_same(mesh, make_wave_field(mesh.points, WaveField::rough), "torus " + std::to_string(n));
    expect_same(mesh, make_tied_field(mesh.vertex_count(), 10, n), "torus tied " + std::to_string(n));
  }
  for (const bool is_closed : {false, true}) {
    const TriMesh fan = make_fan(30, is_closed);
    expect_same(fan, make_random_field(fan.vertex_count(), 2), "fan");
  }
}

// Several cells on a facet: paths have a choice that only the host makes.
TEST_F(TopologyOnDevice, NonManifoldMeshes) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const TetMesh solid = oracle::random_mesh<3>(60, 200, seed);
    expect_same(solid, make_random_field(60, seed), "random solid");
    const TriMesh surface = oracle::random_mesh<2>(60, 100, seed);
    expect_same(surface, make_random_field(60, seed), "random surface");
  }
  for (const char* name : small_solids) {
    const TetMesh mesh = make_small_solid(name);
    expect_same(mesh, make_random_field(mesh.vertex_count(), 4), name);
  }
  for (const char* name : small_surfaces) {
    const TriMesh mesh = make_small_surface(name);
    expect_same(mesh, make_random_field(mesh.vertex_count(), 4), name);
  }
}

// Stars beyond what kernels hold, next to ones that they do.
TEST_F(TopologyOnDevice, LargeStars) {
  for (const std::uint32_t longitudes : {4u, 6u, 9u, 12u, 40u}) {
    const TetMesh ball = make_ball(longitudes, 5);
    expect_same(ball, make_peak_field(ball.vertex_count(), 0, 8), "ball " + std::to_string(longitudes));
    expect_same(ball, make_random_field(ball.vertex_count(), 8), "ball " + std::to_string(longitudes));
  }
  for (const std::uint32_t n : {20u, 31u, 40u, 70u, 300u}) {
    const TetMesh sphere = make_sphere3(5, n);
    expect_same(sphere, make_peak_field(sphere.vertex_count(), 1, 8), "3-sphere " + std::to_string(n));
  }
  // 2 cells of the lower star a triangle: the last star of a chunk, the first of two, the last of two, and
  // more.
  for (const std::uint32_t n : {16u, 17u, 32u, 33u, 500u}) {
    const TriMesh fan = make_fan(n, true);
    expect_same(fan, make_peak_field(fan.vertex_count(), 0, 8), "fan of " + std::to_string(n));
  }
}

TEST_F(TopologyOnDevice, Paths) {
  for (const std::uint32_t n : {2u, 3u, 12u, 40u}) {
    const TetMesh mesh = make_shuffled(make_kuhn_full(n));
    expect_same_paths(mesh, make_wave_field(mesh.points, WaveField::rough), "rough " + std::to_string(n));
    expect_same_paths(mesh, make_random_field(mesh.vertex_count(), n), "random " + std::to_string(n));
  }
  const TetMesh mesh = make_kuhn(12);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  for (const bool has_extrema : {true, false}) {
    for (const bool has_connectors : {true, false}) {
      for (const bool keeps_paths : {true, false}) {
        expect_same_paths<3>(mesh, field, "parts",
                             {.separatrices = has_extrema,
                              .connectors = has_connectors,
                              .segmentation = has_extrema,
                              .keep_paths = keeps_paths});
      }
    }
  }
  const TetMesh torus = make_torus3(16);  // no boundary to leave through
  expect_same_paths(torus, make_random_field(torus.vertex_count(), 1), "3-torus");
  const TriMesh surface = make_torus(90, 70);
  expect_same_paths(surface, make_wave_field(surface.points, WaveField::rough), "torus");
}

// Long paths, more than were expected, and searches in shared memory, in global memory and on the host.
TEST_F(TopologyOnDevice, LongPaths) {
  const TetMesh mesh = make_kuhn_full(100);
  expect_same_paths(mesh, make_wave_field(mesh.points, WaveField::smooth), "smooth");
  // A saddle in the middle, from which a plane of edges flows down, and noise in a corner.
  SplitMix64 random(1);
  Array<float> values;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3d at = mesh.points[VertexId(v)] - Vec3d{0.5, 0.5, 0.5};
    const bool is_rough = at.x > 0.2 && at.y > 0.2 && at.z > 0.2;
    const double noise = is_rough ? 1e-3 * static_cast<double>(random.below(1000)) : 0;
    values.push_back(static_cast<float>(at.z * at.z - at.x * at.x - at.y * at.y + noise));
  }
  expect_same_paths(mesh, Field("saddle", std::move(values)), "saddle");
}

TEST_F(TopologyOnDevice, FieldTypes) {
  const TetMesh mesh = make_shuffled(make_kuhn(9));
  const Field rough = make_wave_field(mesh.points, WaveField::rough);
  const auto as = [&]<class T>(T) {
    Array<T> values(mesh.vertex_count());
    for (std::size_t v = 0; v < values.size(); ++v)
      values[v] = static_cast<T>(20 * (rough.as<float>()[v] + 4));
    return Field("typed", std::move(values));
  };
  expect_same(mesh, as(double{}), "double");
  expect_same(mesh, as(std::int64_t{}), "int64");
  expect_same(mesh, as(std::uint8_t{}), "uint8");
  expect_same(mesh, as(std::int16_t{}), "int16");
  Array<float> broken(mesh.vertex_count(), 1.0f);
  broken[5] = std::numeric_limits<float>::quiet_NaN();
  const TiledMesh<3> tiles = tile(mesh);
  EXPECT_THROW((void)critical_points<3>(tiles, Field("nan", broken), {.exec = Exec::cuda()}), Error);
}

TEST_F(TopologyOnDevice, PullsNoStars) {
  const TetMesh mesh = make_kuhn(6);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const TiledMesh<3> tiles = tile(mesh);
  const StarStore<3> stars(tiles);
  try {
    (void)critical_points(tiles, field, {.exec = Exec::cuda(), .stars = &stars});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_option);
  }
}

// Persistence needs to know of the gradient where paths part.
TEST_F(TopologyOnDevice, PersistenceOfItsGradient) {
  const auto check = [](const auto& mesh, const Field& field) {
    const auto pairs = [&](const Exec& exec) {
      const auto tiles = tile(mesh, {.max_vertices = 50, .exec = exec});
      const auto gradient = compute_gradient(tiles, field, {.exec = exec, .keep_paths = true});
      return compute_persistence(gradient, field, {.exec = exec}).pairs;
    };
    EXPECT_EQ(pairs(Exec::cuda(0, 2)), pairs(Exec::host(2)));
  };
  check(make_kuhn(12), make_wave_field(make_kuhn(12).points, WaveField::rough));
  for (const std::uint64_t seed : {1u, 2u}) {
    check(oracle::random_mesh<3>(60, 200, seed), make_random_field(60, seed));
    check(oracle::random_mesh<2>(60, 100, seed), make_random_field(60, seed));
  }
}

// Cancelled at any report, and there are reports between the kernels.
TEST_F(TopologyOnDevice, StopsWhereItIsAskedTo) {
  const TetMesh mesh = make_kuhn(12);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const TiledMesh<3> tiles = tile(mesh, {.exec = Exec::cuda(0, 2)});
  std::size_t reports = 0;
  for (std::size_t last = 1; last <= reports + 1; ++last) {
    std::stop_source source;
    std::size_t seen = 0;
    const Monitor monitor{[&](std::string_view, double) {
                            if (++seen == last) source.request_stop();
                          },
                          source.get_token()};
    try {
      (void)morse_smale(tiles, field, {.exec = Exec::cuda(0, 2), .monitor = &monitor});
      EXPECT_LT(seen, last);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
      EXPECT_EQ(seen, last);
      reports = seen;
    }
  }
  EXPECT_GE(reports, 15u);
}

TEST_F(TopologyOnDevice, RunsAreEqual) {
  const TetMesh mesh = make_kuhn(40);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const Setting setting{.threads = 2, .on_device = true};
  const Results first = compute_results(mesh, field, setting);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(difference(compute_results(mesh, field, setting), first), "");
}

}  // namespace
}  // namespace tessera
