// Surface tracking: the fields, each phase on meshes small enough to count, what is conserved, velocities of
// one's own, attributes, refusals, the same bytes for any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/detail/edit/track_fields.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/track.h>

#include "surface/edit_cases.h"

namespace tessera::test {
namespace {

/// n x n unit squares in the plane z = 0, each cut from its lower left to its upper right corner.
TriMesh make_squares(std::uint32_t n) {
  TriMesh mesh;
  Array<Vec3d> points;
  for (std::uint32_t j = 0; j <= n; ++j) {
    for (std::uint32_t i = 0; i <= n; ++i)
      points.push_back({static_cast<double>(i), static_cast<double>(j), 0});
  }
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t a = j * (n + 1) + i;
      mesh.cells.push_back({VertexId(a), VertexId(a + 1), VertexId(a + n + 2)});
      mesh.cells.push_back({VertexId(a), VertexId(a + n + 2), VertexId(a + n + 1)});
    }
  }
  mesh.points = Points(std::move(points));
  return mesh;
}

template <class F>
TriMesh moved(const TriMesh& mesh, const F& f) {
  TriMesh out = mesh;
  Array<Vec3d> points;
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    points.push_back(f(mesh.points[VertexId(static_cast<std::uint32_t>(i))]));
  out.points = Points(std::move(points));
  return out;
}

/// The surface of the cube from 0 to n, of unit squares that are cut in two.
TriMesh make_cube(int n) {
  TriMesh mesh;
  Array<Vec3d> points;
  std::map<std::array<int, 3>, VertexId> ids;
  const auto vertex = [&](int axis, int side, int u, int v) {
    std::array<int, 3> at = {};
    at[static_cast<std::size_t>(axis)] = side;
    at[static_cast<std::size_t>((axis + 1) % 3)] = u;
    at[static_cast<std::size_t>((axis + 2) % 3)] = v;
    const auto [place, is_new] = ids.try_emplace(at, VertexId(static_cast<std::uint32_t>(points.size())));
    if (is_new) points.push_back({double(at[0]), double(at[1]), double(at[2])});
    return place->second;
  };
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {0, n}) {
      for (int u = 0; u < n; ++u) {
        for (int v = 0; v < n; ++v) {
          const VertexId a = vertex(axis, side, u, v);
          VertexId b = vertex(axis, side, u + 1, v);
          const VertexId c = vertex(axis, side, u + 1, v + 1);
          VertexId d = vertex(axis, side, u, v + 1);
          if (side == 0) std::swap(b, d);
          mesh.cells.push_back({a, b, c});
          mesh.cells.push_back({a, c, d});
        }
      }
    }
  }
  mesh.points = Points(std::move(points));
  return mesh;
}

/// A sphere where Enright's test has it.
TriMesh make_enright_sphere(int level) {
  return moved(make_ico(level), [](Vec3d p) { return Vec3d{0.35, 0.35, 0.35} + 0.15 * p; });
}

double volume_of(const TriMesh& mesh) {
  double sum = 0;
  for (const auto& c : mesh.cells) sum += dot(mesh.points[c[0]], cross(mesh.points[c[1]], mesh.points[c[2]]));
  return sum / 6;
}

struct Lengths {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
};
Lengths lengths_of(const TriMesh& mesh) {
  Lengths found;
  for (const auto& c : mesh.cells) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double side = length(mesh.points[c[(k + 1) % 3]] - mesh.points[c[k]]);
      found = {std::min(found.least, side), std::max(found.most, side)};
    }
  }
  return found;
}

long euler_of(const TriMesh& mesh) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::set<std::uint32_t> vertices;
  for (const auto& cell : mesh.cells) {
    for (std::size_t k = 0; k < 3; ++k) {
      edges.insert(std::minmax(cell[k].index(), cell[(k + 1) % 3].index()));
      vertices.insert(cell[k].index());
    }
  }
  return static_cast<long>(vertices.size()) - static_cast<long>(edges.size()) +
         static_cast<long>(mesh.cells.size());
}

/// Nothing moves: only the mesh is improved.
TrackOptions still() {
  return {.speed = 0, .midpoint = TrackMidpoint::linear, .smooths = false};
}

template <class Velocity>
double divergence(const Velocity& velocity, const Vec3d& p) {
  constexpr double h = 1e-5;
  return (velocity(p + Vec3d{h, 0, 0}).x - velocity(p - Vec3d{h, 0, 0}).x + velocity(p + Vec3d{0, h, 0}).y -
          velocity(p - Vec3d{0, h, 0}).y + velocity(p + Vec3d{0, 0, h}).z - velocity(p - Vec3d{0, 0, h}).z) /
         (2 * h);
}

TEST(TrackFields, SineOfMultiplesOfPi) {
  for (int i = -4000; i <= 4000; ++i) {
    const double x = i / 1000.0;
    EXPECT_NEAR(detail::sin_pi(x), std::sin(std::numbers::pi * x), 3e-15) << x;
  }
  for (const double x : {0.0, 1.0, -3.0, 12345.0, 1e15, 1e300}) EXPECT_EQ(detail::sin_pi(x), 0) << x;
  EXPECT_EQ(detail::sin_pi(0.5), 1);
  EXPECT_EQ(detail::sin_pi(-0.5), -1);
  EXPECT_EQ(detail::sin_pi(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(TrackFields, HaveNoDivergence) {
  SplitMix64 random(5);
  double fastest = 0;
  for (int i = 0; i < 500; ++i) {
    const auto number = [&] { return 8 * random.uniform() - 4; };
    const Vec3d p = {number(), number(), number()};
    const detail::CurlNoise noise = {7};
    EXPECT_NEAR(divergence(noise, p), 0, 1e-8);
    EXPECT_NEAR(divergence(detail::deformation_velocity, p), 0, 1e-8);
    EXPECT_NEAR(divergence(detail::vortex_velocity, p), 0, 1e-8);
    fastest = std::max(fastest, length(noise(p)));
  }
  EXPECT_GT(fastest, 0.5);
  EXPECT_LT(fastest, 5);
}

// The noise and its curl are continuous where cells meet, and seeds differ.
TEST(TrackFields, NoiseIsContinuous) {
  const detail::CurlNoise noise = {1};
  for (double y = -1.9; y < 2; y += 0.37) {
    const Vec3d before = noise({1 - 1e-9, y, 0.3});
    const Vec3d after = noise({1 + 1e-9, y, 0.3});
    EXPECT_NEAR(length(after - before), 0, 1e-7);
  }
  EXPECT_NE(noise({0.2, 0.3, 0.4}), detail::CurlNoise{2}({0.2, 0.3, 0.4}));
  EXPECT_EQ(noise({1e300, 0, 0}), (Vec3d{0, 0, 0}));
}

// The edge from (0 0) to (4 0) is longer than 1.5 x 2; the sides of length sqrt(5) = 2.24 are not. Both
// triangles are cut at (2 0), and no half, of length 2 and 1, is short enough to be collapsed.
//
//            2
//         /  |  \              corners (0 0), (4 0), (2 1), (2 -1)
//       0 -- 4 -- 1
//         \  |  /
//            3
TEST(Track, SplitsLongEdges) {
  TriMesh kite;
  kite.points = Points(Array<Vec3d>{{0, 0, 0}, {4, 0, 0}, {2, 1, 0}, {2, -1, 0}});
  kite.cells = {{VertexId(0), VertexId(1), VertexId(2)}, {VertexId(1), VertexId(0), VertexId(3)}};
  kite.point_data.add(Field("heat", Array<float>{10, 20, 0, 0}));
  TrackOptions options = still();
  options.target_length = 2;
  SurfaceTracker tracker(kite, options);
  const TrackFrame frame = tracker.step();
  EXPECT_EQ(frame.splits, 1U);
  EXPECT_EQ(frame.flips, 0U);
  EXPECT_EQ(frame.collapses, 0U);
  EXPECT_EQ(frame.faces, 4U);
  const TriMesh split = tracker.surface().to_mesh();
  ASSERT_EQ(split.points.size(), 5U);
  EXPECT_EQ(split.points[VertexId(4)], (Vec3d{2, 0, 0}));
  EXPECT_EQ(split.point_data.at("heat").as<float>()[4], 15);
  EXPECT_EQ(tracker.surface().validate(), "");
  EXPECT_EQ(tracker.step().splits, 0U);
}

// The border edge of the lower triangle is split if the border is edited: at (2 0).
TEST(Track, LeavesTheBorderAloneIfAsked) {
  TriMesh one;
  one.points = Points(Array<Vec3d>{{0, 0, 0}, {4, 0, 0}, {2, 1, 0}});
  one.cells = {{VertexId(0), VertexId(1), VertexId(2)}};
  TrackOptions options = still();
  options.target_length = 2;
  EXPECT_EQ(SurfaceTracker(one, options).step().splits, 1U);
  options.edits_border = false;
  EXPECT_EQ(SurfaceTracker(one, options).step().splits, 0U);
}

// Squares that lean to the right: the diagonals have lengths 1.60 and 1.25. Only the one of the middle square
// joins two vertices that are not on the border.
TEST(Track, FlipsToTheShorterDiagonal) {
  const TriMesh leaning = moved(make_squares(3), [](Vec3d p) { return Vec3d{p.x + 0.25 * p.y, p.y, 0}; });
  SurfaceTracker tracker(leaning, still());
  const TrackFrame frame = tracker.step();
  EXPECT_EQ(frame.splits, 0U);
  EXPECT_EQ(frame.flips, 1U);
  EXPECT_EQ(frame.collapses, 0U);
  EXPECT_EQ(tracker.surface().validate(), "");
  EXPECT_EQ(tracker.step().flips, 0U);
}

// The middle square is bent along its diagonal: a flip would change the volume by that of a tetrahedron. Its
// corners (1 1 0), (2 1 h), (2 2 0), (1 2 h) span a volume of h / 3, of the cubed mean length about h / 4.
TEST(Track, KeepsTheVolumeOfFlips) {
  const auto bent = [](double h) {
    return moved(make_squares(3), [h](Vec3d p) {
      return Vec3d{p.x + 0.25 * p.y, p.y, (p.x == 2 && p.y == 1) || (p.x == 1 && p.y == 2) ? h : 0.0};
    });
  };
  TrackOptions options = still();
  EXPECT_EQ(SurfaceTracker(bent(0.0001), options).step().flips, 1U);
  EXPECT_EQ(SurfaceTracker(bent(0.1), options).step().flips, 0U);
  options.max_volume_change = 1;
  EXPECT_EQ(SurfaceTracker(bent(0.1), options).step().flips, 1U);
  options.min_angle = 55;  // the new triangles have sides of 1, 1.03 and 1.25 and angles of 51 degrees
  EXPECT_EQ(SurfaceTracker(bent(0.1), options).step().flips, 0U);
}

// One vertex inside is 0.3 from its neighbour, less than half the mean of about 1.1. Both go, and one comes.
TEST(Track, CollapsesShortEdges) {
  const TriMesh close = moved(make_squares(6), [](Vec3d p) {
    return p.x == 2 && p.y == 2 ? Vec3d{2.7, 2, 0} : p;
  });
  TrackOptions options = still();
  options.max_length = 2;
  SurfaceTracker tracker(close, options);
  const TrackFrame frame = tracker.step();
  EXPECT_EQ(frame.splits, 0U);
  EXPECT_EQ(frame.collapses, 1U);
  EXPECT_EQ(frame.vertices, 48U);
  EXPECT_EQ(frame.faces, 70U);
  EXPECT_EQ(tracker.surface().validate(), "");
}

// Vertices within the sides of a cube can move in two directions, those of its edges in one, corners in none.
TEST(Track, SmoothsInTheNullSpace) {
  const double n = 6;
  SplitMix64 random(3);
  const auto shake = [&](double x) { return x > 0 && x < n ? x + 0.3 * (random.uniform() - 0.5) : x; };
  const TriMesh cube = moved(make_cube(6), [&](Vec3d p) {
    return Vec3d{shake(p.x), shake(p.y), shake(p.z)};
  });
  TrackOptions options = still();
  options.smooths = true;
  SurfaceTracker tracker(cube, options);
  tracker.step();
  EXPECT_EQ(tracker.surface().validate(), "");
  const TriMesh smooth = tracker.surface().to_mesh();
  std::array<int, 4> at = {};  // vertices by how many sides of the cube they lie on
  for (std::size_t i = 0; i < smooth.points.size(); ++i) {
    const Vec3d p = smooth.points[VertexId(static_cast<std::uint32_t>(i))];
    std::size_t sides = 0;
    for (const double x : {p.x, p.y, p.z}) sides += std::abs(x) < 1e-12 || std::abs(x - n) < 1e-12 ? 1 : 0;
    ++at[sides];
  }
  EXPECT_EQ(at[0], 0) << "off the cube";
  EXPECT_EQ(at[3], 8);
  EXPECT_EQ(at[2], 12 * 5);
  EXPECT_NEAR(volume_of(smooth), 216, 1e-9);
  EXPECT_NE(smooth.points, cube.points);
}

// A turn by a right angle in 10 frames.
TEST(Track, RotatesAsABody) {
  const TriMesh mesh = make_ico(3);
  TrackOptions options = still();
  options.field = TrackField::rotation;
  options.origin = Vec3d{0, 0, 0};
  options.speed = 1;
  options.time_step = std::numbers::pi / 20;
  options.substeps = 10;
  options.frames = 10;
  const TriMesh turned = track(mesh, options);
  ASSERT_EQ(turned.points.size(), mesh.points.size());
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const VertexId v(static_cast<std::uint32_t>(i));
    const Vec3d p = mesh.points[v];
    EXPECT_NEAR(length(turned.points[v] - Vec3d{-p.y, p.x, p.z}), 0, 1e-6);
  }
}

// Enright's test for half of its period: the sphere becomes a thin sheet.
TEST(Track, ConservesTheVolumeOfASphereInADeformation) {
  const TriMesh sphere = make_enright_sphere(4);
  const double before = volume_of(sphere);
  TrackOptions options = {.field = TrackField::deformation, .period = 3, .time_step = 0.05, .measures = true};
  SurfaceTracker tracker(sphere, options);
  TrackFrame frame;
  for (int i = 0; i < 20; ++i) frame = tracker.step();
  EXPECT_EQ(tracker.frame(), 20U);
  EXPECT_NEAR(tracker.time(), 1, 1e-12);
  EXPECT_GT(frame.area, 1.5 * 4 * std::numbers::pi * 0.15 * 0.15) << "it is stretched";
  EXPECT_NEAR(frame.volume, before, 0.002 * before);
  const TriMesh sheet = tracker.surface().to_mesh();
  EXPECT_NEAR(frame.volume, volume_of(sheet), 1e-12);
  EXPECT_EQ(euler_of(sheet), 2);
  EXPECT_EQ(tracker.surface().validate(), "");
}

TEST(Track, ConservesTheVolumeInCurlNoise) {
  const TriMesh sphere = make_ico(4);
  const double before = volume_of(sphere);
  SurfaceTracker tracker(sphere, {.time_step = 0.02});
  std::size_t splits = 0, flips = 0, collapses = 0;
  for (int i = 0; i < 50; ++i) {
    const TrackFrame frame = tracker.step();
    splits += frame.splits;
    flips += frame.flips;
    collapses += frame.collapses;
  }
  EXPECT_GT(splits, 100U);
  EXPECT_GT(flips, 100U);
  EXPECT_GT(collapses, 10U);
  const TriMesh after = tracker.surface().to_mesh();
  EXPECT_NEAR(volume_of(after), before, 0.002 * before);
  EXPECT_EQ(euler_of(after), 2);
  EXPECT_LE(lengths_of(after).most, 2 * tracker.options().target_length);
  EXPECT_EQ(tracker.surface().validate(), "");
}

TEST(Track, KeepsTheTopologyOfAnOpenSheet) {
  SurfaceTracker tracker(make_squares(30), {.time_step = 0.02});
  for (int i = 0; i < 30; ++i) tracker.step();
  EXPECT_EQ(euler_of(tracker.surface().to_mesh()), 1);
  EXPECT_EQ(tracker.surface().validate(), "");
}

TEST(Track, OddSurfacesStayValid) {
  for (const TriMesh& mesh : edit_meshes()) {
    SurfaceTracker tracker(mesh, {.time_step = 0.05});
    for (int i = 0; i < 5; ++i) tracker.step();
    EXPECT_EQ(tracker.surface().validate(), "") << mesh.cells.size() << " triangles";
  }
}

TEST(Track, TheSameBytesForAnyNumberOfThreads) {
  for (const TriMesh& mesh : {make_ico(4), make_squares(40), make_shuffled(make_torus(40, 30))}) {
    const auto run = [&](int threads) {
      return track(mesh, {.exec = Exec::host(threads), .time_step = 0.03, .frames = 8, .seed = 3});
    };
    const TriMesh one = run(1);
    EXPECT_EQ(one, run(2));
    EXPECT_EQ(one, run(3));
    EXPECT_NE(one, track(mesh, {.time_step = 0.03, .frames = 8, .seed = 4}));
  }
}

TEST(Track, GoesOnWithTheSameOptions) {
  const TriMesh mesh = make_ico(3);
  SurfaceTracker first(mesh, {.time_step = 0.05});
  first.step();
  TrackOptions options = first.options();
  options.start_time = first.time();
  options.start_frame = first.frame();
  const TriMesh between = first.surface().to_mesh();
  SurfaceTracker second(between, options);
  EXPECT_EQ(second.options().target_length, first.options().target_length);
  EXPECT_EQ(second.options().length_scale, first.options().length_scale);
  EXPECT_EQ(second.step().frame, 2U);
  EXPECT_DOUBLE_EQ(second.time(), 0.1);
}

struct Swirl {
  TS_HD Vec3d operator()(const Vec3d& p, double time) const { return {-p.y, p.x, time}; }
};

TEST(Track, VelocitiesOfOnesOwn) {
  const TriMesh mesh = make_ico(3);
  const AdvectOptions how = {.time = 1, .time_step = 0.1, .substeps = 2};
  const DynamicSurface by_place(mesh);
  advect(by_place, Swirl{}, how);
  const DynamicSurface by_all(mesh);
  const VelocityFunction all = [](std::span<const Vec3d> points, double time, std::span<Vec3d> out) {
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = Swirl{}(points[i], time);
  };
  advect(by_all, all, how);
  const TriMesh a = by_place.to_mesh();
  const TriMesh b = by_all.to_mesh();
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const VertexId v(static_cast<std::uint32_t>(i));
    EXPECT_NEAR(length(a.points[v] - b.points[v]), 0, 1e-6);
    // The time from 1 to 1.1, integrated.
    EXPECT_NEAR(a.points[v].z - mesh.points[v].z, (1.1 * 1.1 - 1) / 2, 1e-6);
  }
  const DynamicSurface by_vertex(mesh);
  advect(by_vertex, EditAttribute<VertexId, Vec3d>(by_vertex, {1, 2, 3}), 0.5);
  EXPECT_NEAR(
      length(by_vertex.to_mesh().points[VertexId(7)] - (mesh.points[VertexId(7)] + Vec3d{0.5, 1, 1.5})), 0,
      1e-6);
  SurfaceTracker tracker(mesh, {.velocity = all, .time_step = 0.1});
  const TrackFrame frame = tracker.step();
  EXPECT_EQ(frame.frame, 1U);
  advect(tracker.surface(), Swirl{}, {.time = tracker.time(), .time_step = 0.1});
  EXPECT_EQ(tracker.improve().frame, 2U);
  EXPECT_EQ(tracker.surface().validate(), "");
}

// The sheet is so small that nothing is far from anything: its disorder is 0.
TEST(Track, CompactsWhenDisorderIsHigh) {
  const auto compactions = [](double most_disorder) {
    int count = 0;
    SurfaceTracker tracker(make_squares(30), {.time_step = 0.05, .most_disorder = most_disorder});
    for (int i = 0; i < 10; ++i) {
      const TrackFrame frame = tracker.step();
      count += tracker.surface().id_end(Kind::face) == frame.faces ? 1 : 0;  // no ids of removed faces
    }
    EXPECT_EQ(tracker.surface().validate(), "");
    EXPECT_EQ(euler_of(tracker.surface().to_mesh()), 1);
    return count;
  };
  EXPECT_EQ(compactions(0), 10);
  EXPECT_LT(compactions(0.01), 10);
}

TEST(Track, WatchesFrames) {
  std::vector<std::size_t> seen;
  const TriMesh mesh = track(make_ico(2), {.time_step = 0.01,
                                           .frames = 3,
                                           .start_frame = 5,
                                           .most_disorder = 0,
                                           .watch = [&](const TrackFrame& frame) {
                                             seen.push_back(frame.frame);
                                             EXPECT_EQ(frame.volume, 0) << "not measured";
                                           }});
  EXPECT_EQ(seen, (std::vector<std::size_t>{6, 7, 8}));
  EXPECT_EQ(track(mesh, {.frames = 0}), mesh);
}

TEST(Track, RefusesWhatMeansNothing) {
  const auto refused = [](const TrackOptions& options) {
    try {
      const SurfaceTracker tracker(make_ico(1), options);
    } catch (const Error& error) {
      return error.code() == ErrorCode::bad_option;
    }
    return false;
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused({.length_scale = -1}));
  EXPECT_TRUE(refused({.origin = Vec3d{nan, 0, 0}}));
  EXPECT_TRUE(refused({.field = TrackField::rotation, .axis = {0, 0, 0}}));
  EXPECT_TRUE(refused({.speed = nan}));
  EXPECT_TRUE(refused({.period = -1}));
  EXPECT_TRUE(refused({.time_step = nan}));
  EXPECT_TRUE(refused({.substeps = 0}));
  EXPECT_TRUE(refused({.target_length = -1}));
  EXPECT_TRUE(refused({.max_length = 0.9}));
  EXPECT_TRUE(refused({.min_length = 0.8}));
  EXPECT_TRUE(refused({.max_volume_change = -1}));
  EXPECT_TRUE(refused({.most_disorder = -1}));
  EXPECT_TRUE(refused({.min_angle = 61}));
  EXPECT_TRUE(refused({.max_angle = 59}));
  EXPECT_FALSE(refused({.min_angle = 20, .max_angle = 150}));
}

TEST(Track, MeshesWithLittleInThem) {
  EXPECT_EQ(track(TriMesh{}, {.frames = 2}).cell_count(), 0U);
  TriMesh points;
  points.points = Points(Array<Vec3d>{{0, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(track(points, {.frames = 2}).points.size(), 2U);
}

}  // namespace
}  // namespace tessera::test
