// Geodesic distances against exact ones on plane, sphere and cylinder, against those on a finer mesh of the
// same surface, and against Dijkstra's along edges, which bound them from above, on meshes of every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/geodesics.h>
#include <tessera/surface/heat_method.h>

#include "surface/odd_surfaces.h"
#include "surface/recorded_monitor.h"
#include "surface/round_surfaces.h"

namespace tessera {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TriMesh make_mesh(const std::vector<Vec3d>& points, const std::vector<std::array<std::uint32_t, 3>>& cells) {
  TriMesh mesh;
  mesh.points = Points(Array<Vec3d>(points.begin(), points.end()));
  for (const auto& c : cells) mesh.cells.push_back({VertexId(c[0]), VertexId(c[1]), VertexId(c[2])});
  return mesh;
}

/// n x m quads over [0, 1] x [0, m / n], bent by `place`, inner vertices moved by `jitter` of a quad at most.
TriMesh make_sheet(std::uint32_t n, std::uint32_t m, double jitter,
                   const std::function<Vec3d(double, double)>& place) {
  SplitMix64 random(7);
  std::vector<Vec3d> points;
  std::vector<std::array<std::uint32_t, 3>> cells;
  for (std::uint32_t j = 0; j <= m; ++j) {
    for (std::uint32_t i = 0; i <= n; ++i) {
      const bool is_inner = i > 0 && i < n && j > 0 && j < m;
      const double dx = is_inner ? jitter * (2 * random.uniform() - 1) : 0;
      const double dy = is_inner ? jitter * (2 * random.uniform() - 1) : 0;
      points.push_back(place((i + dx) / n, (j + dy) / n));
    }
  }
  for (std::uint32_t j = 0; j < m; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t v = j * (n + 1) + i;
      cells.push_back({v, v + 1, v + n + 2});
      cells.push_back({v, v + n + 2, v + n + 1});
    }
  }
  return make_mesh(points, cells);
}
Vec3d flat(double x, double y) {
  return {x, y, 0};
}

Vec3d at(const TriMesh& mesh, std::size_t v) {
  return mesh.points[VertexId(static_cast<std::uint32_t>(v))];
}

template <class Real = double>
Array<Real> distances(const TriMesh& mesh, const std::vector<GeodesicSource>& sources,
                      const GeodesicOptions& options = {}, const SurfaceOptions& surface_options = {}) {
  return compute_geodesics<Real>(Surface(mesh, surface_options), sources, options).distance.values();
}

/// The mean of |found - exact| / exact.
template <class Exact>
double mean_error(const Array<double>& found, const Exact& exact) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t v = 0; v < found.size(); ++v) {
    const double value = exact(v);
    if (value == 0) continue;
    sum += std::abs(found[v] - value) / value;
    ++count;
  }
  return sum / static_cast<double>(count);
}

std::vector<std::vector<std::uint32_t>> neighbours(const TriMesh& mesh) {
  std::vector<std::vector<std::uint32_t>> rows(mesh.vertex_count());
  for (const auto& cell : mesh.cells) {
    for (const VertexId a : cell) {
      for (const VertexId b : cell) {
        if (a != b) rows[a.index()].push_back(b.index());
      }
    }
  }
  return rows;
}

std::vector<double> dijkstra(const TriMesh& mesh, const std::vector<std::uint32_t>& sources) {
  const auto rows = neighbours(mesh);
  std::vector<double> distance(mesh.vertex_count(), infinity);
  std::priority_queue<std::pair<double, std::uint32_t>, std::vector<std::pair<double, std::uint32_t>>,
                      std::greater<>>
      queue;
  for (const std::uint32_t s : sources) queue.push({distance[s] = 0, s});
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > distance[v]) continue;
    for (const std::uint32_t u : rows[v]) {
      const double there = d + length(at(mesh, u) - at(mesh, v));
      if (there < distance[u]) queue.push({distance[u] = there, u});
    }
  }
  return distance;
}

/// Triangles between random points, many of them in one edge.
TriMesh make_soup(std::uint32_t points, std::uint32_t triangles) {
  SplitMix64 random(11);
  std::vector<Vec3d> at;
  for (std::uint32_t i = 0; i < points; ++i)
    at.push_back({random.uniform(), random.uniform(), random.uniform()});
  std::vector<std::array<std::uint32_t, 3>> cells;
  while (cells.size() < triangles) {
    std::array<std::uint32_t, 3> c;
    for (auto& corner : c) corner = static_cast<std::uint32_t>(random.below(points));
    std::ranges::sort(c);
    if (c[0] != c[1] && c[1] != c[2] && std::ranges::find(cells, c) == cells.end()) cells.push_back(c);
  }
  return make_mesh(at, cells);
}

TEST(Geodesics, ArePlanarDistancesOnAPlane) {
  std::array<double, 3> circular = {};
  std::array<double, 3> planar = {};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint32_t n = 16u << k;
    const TriMesh mesh = make_sheet(n, n, 0.15, flat);
    const std::uint32_t middle = (n / 2) * (n + 1) + n / 2;
    const auto exact = [&](std::size_t v) { return length(at(mesh, v) - at(mesh, middle)); };
    circular[k] = mean_error(distances(mesh, {VertexId(middle)}), exact);
    planar[k] = mean_error(distances(mesh, {VertexId(middle)}, {.shape = FrontShape::planar}), exact);
  }
  EXPECT_LT(circular[0], 5e-4);
  EXPECT_LT(circular[2], 5e-4);
  // The error of a front that is a line is of first order, but for a logarithm.
  EXPECT_LT(planar[1], planar[0] / 1.4);
  EXPECT_LT(planar[2], planar[1] / 1.4);
  EXPECT_LT(planar[2], 0.02);
}

TEST(Geodesics, AreAnglesOnASphere) {
  std::array<double, 3> errors = {};
  for (int k = 0; k < 3; ++k) {
    const TriMesh mesh = make_ico(3 + k, {.displace = false});
    const Vec3d from = at(mesh, 20);
    const auto exact = [&](std::size_t v) {
      return std::atan2(length(cross(from, at(mesh, v))), dot(from, at(mesh, v)));
    };
    errors[static_cast<std::size_t>(k)] = mean_error(distances(mesh, {VertexId(20)}), exact);
  }
  EXPECT_LT(errors[0], 0.01);
  EXPECT_LT(errors[1], errors[0] / 1.6);
  EXPECT_LT(errors[2], errors[1] / 1.6);
}

TEST(Geodesics, UnrollACylinder) {
  // A prism of 48 sides, open along one edge, over whose sides of width 1 / 48 the exact distance is the flat
  // one.
  constexpr std::uint32_t n = 48;
  const double radius = 1 / (2 * n * std::sin(std::numbers::pi / n));
  const TriMesh mesh = make_sheet(n, n, 0, [&](double x, double y) {
    const double angle = 2 * std::numbers::pi * x;
    return Vec3d{radius * std::cos(angle), radius * std::sin(angle), y};
  });
  const auto exact = [](std::size_t v) {
    return std::hypot(static_cast<double>(v % (n + 1)) / n, static_cast<double>(v / (n + 1)) / n);
  };
  EXPECT_LT(mean_error(distances(mesh, {VertexId(0)}), exact), 1e-4);
}

/// Fronts that are circles are exact where the surface is flat, so that what is left is the error of the
/// prism against the cylinder, of second order. Lines are of first order, but for a logarithm.
TEST(Geodesics, ConvergeOnACylinder) {
  std::array<double, 3> circular = {};
  std::array<double, 3> planar = {};
  for (std::size_t k = 0; k < 3; ++k) {
    const TriMesh mesh = test::make_cylinder(24u << k);
    const auto exact = [&](std::size_t v) { return test::on_cylinder(at(mesh, 0), at(mesh, v)); };
    circular[k] = mean_error(distances(mesh, {VertexId(0)}), exact);
    planar[k] = mean_error(distances(mesh, {VertexId(0)}, {.shape = FrontShape::planar}), exact);
  }
  EXPECT_LT(circular[0], 0.01);
  EXPECT_LT(circular[1], circular[0] / 3);
  EXPECT_LT(circular[2], circular[1] / 3);
  EXPECT_LT(planar[0], 0.1);
  EXPECT_LT(planar[1], planar[0] / 1.4);
  EXPECT_LT(planar[2], planar[1] / 1.4);
}

/// Midpoints of edges cut each triangle in four: vertices keep their ids, and the surface stays what it is.
TriMesh split(const TriMesh& mesh) {
  std::vector<Vec3d> points;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) points.push_back(at(mesh, v));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middle = [&](VertexId a, VertexId b) {
    const std::pair<std::uint32_t, std::uint32_t> edge = std::minmax({a.index(), b.index()});
    const auto [found, is_new] = middles.try_emplace(edge, static_cast<std::uint32_t>(points.size()));
    if (is_new) points.push_back(0.5 * (points[edge.first] + points[edge.second]));
    return found->second;
  };
  std::vector<std::array<std::uint32_t, 3>> cells;
  for (const auto& [a, b, c] : mesh.cells) {
    const std::uint32_t ab = middle(a, b);
    const std::uint32_t bc = middle(b, c);
    const std::uint32_t ca = middle(c, a);
    cells.insert(cells.end(), {{a.index(), ab, ca}, {ab, b.index(), bc}, {ca, bc, c.index()}, {ab, bc, ca}});
  }
  return make_mesh(points, cells);
}

/// The surface of a finer mesh is the same one, and its distances have a quarter of the error.
TEST(Geodesics, AreThoseOfAFinerMeshOfTheSurface) {
  for (const TriMesh& mesh : {make_torus(40, 20), make_ico(3), make_height_field(20, 20)}) {
    const TriMesh finer = split(mesh);
    const auto reference = distances(split(finer), {VertexId(5)});
    const auto exact = [&](std::size_t v) { return reference[v]; };
    const double error = mean_error(distances(mesh, {VertexId(5)}), exact);
    auto of_finer = distances(finer, {VertexId(5)});
    of_finer.resize(mesh.vertex_count());
    EXPECT_LT(error, 0.004);
    EXPECT_LT(mean_error(of_finer, exact), 0.6 * error);
    EXPECT_LT(mean_error(distances(mesh, {VertexId(5)}, {.shape = FrontShape::planar}), exact), 0.06);
  }
}

TEST(Geodesics, CrossObtuseTriangles) {
  // Squeezed: triangles of 1 x 6 in the direction of the diagonal, most with an obtuse angle.
  const TriMesh mesh = make_sheet(24, 24, 0.2, [](double x, double y) { return Vec3d{x - 0.7 * y, y, 0}; });
  const std::uint32_t middle = 12 * 25 + 12;
  const auto exact = [&](std::size_t v) { return length(at(mesh, v) - at(mesh, middle)); };
  EXPECT_LT(mean_error(distances(mesh, {VertexId(middle)}), exact), 0.03);
}

TEST(Geodesics, CrossTheSpineOfABook) {
  // Three pages at one spine: from any page to any other it is as far as on the sheet that both make.
  std::vector<Vec3d> points;
  std::vector<std::array<std::uint32_t, 3>> cells;
  constexpr std::uint32_t n = 12;
  for (std::uint32_t j = 0; j <= n; ++j) points.push_back({0, 0, static_cast<double>(j)});
  const auto id = [&](std::uint32_t page, std::uint32_t i, std::uint32_t j) {
    return i == 0 ? j : (n + 1) * (1 + page * n + i - 1) + j;
  };
  for (std::uint32_t page = 0; page < 3; ++page) {
    const double angle = 2.0 * page;
    for (std::uint32_t i = 1; i <= n; ++i) {
      for (std::uint32_t j = 0; j <= n; ++j)
        points.push_back({i * std::cos(angle), i * std::sin(angle), static_cast<double>(j)});
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t j = 0; j < n; ++j) {
        cells.push_back({id(page, i, j), id(page, i + 1, j), id(page, i + 1, j + 1)});
        cells.push_back({id(page, i, j), id(page, i + 1, j + 1), id(page, i, j + 1)});
      }
    }
  }
  const TriMesh mesh = make_mesh(points, cells);
  const auto found = distances(mesh, {VertexId(id(0, n, 0))});
  for (std::uint32_t page = 1; page < 3; ++page) {
    EXPECT_NEAR(found[id(page, n, n)], std::hypot(2.0 * n, 1.0 * n), 0.05);
    EXPECT_NEAR(found[id(page, 3, 4)], std::hypot(n + 3.0, 4.0), 0.05);
  }
}

TEST(Geodesics, AreBetweenTheStraightLineAndEdges) {
  for (const TriMesh& mesh :
       {make_ico(4), make_torus(40, 20), make_height_field(30, 30), make_soup(300, 500)}) {
    const auto along_edges = dijkstra(mesh, {5});
    for (const FrontSchedule schedule : {FrontSchedule::bands, FrontSchedule::hops}) {
      const auto found = distances(mesh, {VertexId(5)}, {.schedule = schedule});
      for (std::size_t v = 0; v < found.size(); ++v) {
        ASSERT_LE(found[v], along_edges[v] * (1 + 1e-5)) << v;
        ASSERT_EQ(found[v] == infinity, along_edges[v] == infinity) << v;
        ASSERT_GE(found[v], 0.98 * length(at(mesh, v) - at(mesh, 5))) << v;
      }
    }
  }
}

TEST(Geodesics, ByHopsHaveLevelsOfEdges) {
  const TriMesh mesh = make_ico(4);
  const auto rows = neighbours(mesh);
  std::vector<std::uint32_t> hops(mesh.vertex_count(), no_source);
  std::vector<std::uint32_t> queue = {3, 77};
  for (const std::uint32_t s : queue) hops[s] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t u : rows[queue[i]]) {
      if (hops[u] != no_source) continue;
      hops[u] = hops[queue[i]] + 1;
      queue.push_back(u);
    }
  }
  const std::vector<GeodesicSource> sources = {VertexId(3), VertexId(77)};
  const auto result = compute_geodesics<float>(Surface(mesh), sources, {.schedule = FrontSchedule::hops});
  const auto levels = result.level.values();
  for (std::size_t v = 0; v < hops.size(); ++v) ASSERT_EQ(levels[v], hops[v]) << v;
}

TEST(Geodesics, OfSeveralSourcesAreTheLeast) {
  const TriMesh mesh = make_ico(4);
  const std::vector<GeodesicSource> sources = {VertexId(1), VertexId(900), VertexId(2000), VertexId(900)};
  const auto all = compute_geodesics<double>(Surface(mesh), sources);
  const auto found = all.distance.values();
  const auto nearest = all.nearest.values();
  std::vector<Array<double>> each;
  for (const GeodesicSource& source : sources) each.push_back(distances(mesh, {source}));
  for (std::size_t v = 0; v < found.size(); ++v) {
    const double least = std::min({each[0][v], each[1][v], each[2][v]});
    ASSERT_NEAR(found[v], least, 0.02) << v;
    ASSERT_NE(nearest[v], 3u) << "of two equal ones the first is the nearest";
    ASSERT_NEAR(each[nearest[v]][v], least, 0.15) << v;  // two edges
  }
}

TEST(Geodesics, AreTheSameInAnyOrderOfTheInput) {
  TriMesh mesh = make_ico(4);
  Array<std::uint32_t> ids(mesh.vertex_count());
  for (std::uint32_t v = 0; v < ids.size(); ++v) ids[v] = v;
  mesh.point_data.add(Field("id", ids));
  const TriMesh shuffled = make_shuffled(mesh);
  const auto old_ids = shuffled.point_data.find("id")->as<std::uint32_t>();
  const auto place = static_cast<std::uint32_t>(std::ranges::find(old_ids, 17u) - old_ids.begin());
  const auto expected = distances(mesh, {VertexId(17)});
  const auto found = distances(shuffled, {VertexId(place)});
  for (std::size_t v = 0; v < found.size(); ++v) ASSERT_NEAR(found[v], expected[old_ids[v]], 1e-9) << v;
}

template <class Real>
void expect_same_bytes(const TriMesh& mesh, FrontShape shape) {
  const std::vector<GeodesicSource> sources = {VertexId(9), FacePoint{FaceId(44), {0.25, 0.25, 0.5}},
                                               VertexId(1200)};
  const auto run = [&](int threads, std::uint32_t tile) {
    const Surface surface(mesh, {.exec = Exec::host(threads), .max_vertices = tile});
    const auto result = compute_geodesics<Real>(surface, sources, {.shape = shape});
    return std::tuple(result.distance.values(), result.nearest.values(), result.rounds);
  };
  const auto expected = run(1, 512);
  EXPECT_TRUE(run(3, 512) == expected) << "3 threads";
  for (const std::uint32_t tile : {32u, 4096u}) EXPECT_TRUE(run(2, tile) == expected) << "tiles of " << tile;
}

TEST(Geodesics, AreTheSameBytesForThreadsAndTiles) {
  for (const TriMesh& mesh : {make_shuffled(make_torus(60, 60)), make_soup(2000, 3000)}) {
    for (const FrontShape shape : {FrontShape::circular, FrontShape::planar}) {
      expect_same_bytes<float>(mesh, shape);
      expect_same_bytes<double>(mesh, shape);
    }
  }
}

TEST(Geodesics, StartWithinTriangles) {
  const TriMesh mesh = make_sheet(10, 10, 0, flat);
  const FacePoint inside = {FaceId(88), {0.2, 0.3, 0.5}};
  const Vec3d from = find_position(mesh, inside);
  const auto found = distances(mesh, {inside});
  for (std::size_t v = 0; v < found.size(); ++v) {
    ASSERT_NEAR(found[v], length(at(mesh, v) - from), 1e-3) << v;
  }
}

TEST(Geodesics, AreInfiniteWhereNoSourceReaches) {
  // Two triangles apart and a vertex alone.
  const TriMesh mesh = make_mesh(
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {9, 9, 9}}, {{0, 1, 2}, {3, 4, 5}});
  const std::vector<GeodesicSource> sources = {VertexId(0)};
  const auto result = compute_geodesics<float>(Surface(mesh), sources);
  const auto found = result.distance.values();
  const auto nearest = result.nearest.values();
  for (const std::size_t v : {3u, 4u, 5u, 6u}) {
    EXPECT_EQ(found[v], std::numeric_limits<float>::infinity());
    EXPECT_EQ(nearest[v], no_source);
    EXPECT_TRUE(GeodesicPaths(result).trace(VertexId(static_cast<std::uint32_t>(v))).points.empty());
  }
  EXPECT_FLOAT_EQ(found[1], 1);
  EXPECT_EQ(distances(mesh, {VertexId(6)})[6], 0) << "a source without triangles";
}

/// Vertices of very many triangles, near and far from the source, and vertices that wait for long.
TEST(Geodesics, CrossHubs) {
  const TriMesh star = test::make_star(3000);
  for (const std::uint32_t source : {0u, 1u}) {
    const auto along_edges = dijkstra(star, {source});
    for (const FrontSchedule schedule : {FrontSchedule::bands, FrontSchedule::hops}) {
      const auto found = distances(star, {VertexId(source)}, {.schedule = schedule});
      for (std::size_t v = 0; v < found.size(); ++v) {
        ASSERT_LE(found[v], along_edges[v] * (1 + 1e-5)) << v;
        // The unrolled cone is flat: two spokes and the angle between them at the apex.
        const double slant = std::sqrt(2);
        const double turn = 2 * std::numbers::pi / slant;
        const double steps =
            v == 0 || source == 0 ? 0 : std::min<double>(v - 1.0, 3001.0 - static_cast<double>(v));
        const double angle = std::min(turn * steps / 3000, std::numbers::pi);
        const double exact = v == source             ? 0
                             : v == 0 || source == 0 ? slant
                                                     : 2 * slant * std::sin(angle / 2);
        ASSERT_NEAR(found[v], exact, 1e-3) << v;
      }
    }
  }
}

TEST(Geodesics, OfHubsAreTheSameBytesForThreadsAndTiles) {
  TriMesh star = test::make_star(3000);
  SplitMix64 random(3);
  Array<Vec3d> points = {at(star, 0)};
  for (std::size_t v = 1; v < star.vertex_count(); ++v)
    points.push_back((1 + random.uniform()) * at(star, v));
  star.points = std::move(points);
  expect_same_bytes<float>(star, FrontShape::circular);
  expect_same_bytes<double>(star, FrontShape::planar);
}

/// No triangle has an area that could say how far fronts should run.
TEST(Geodesics, EndOnALine) {
  std::vector<Vec3d> points;
  std::vector<std::array<std::uint32_t, 3>> cells;
  for (std::uint32_t i = 0; i < 500; ++i) {
    points.push_back({0.5 * i, 0, 0});
    if (i >= 2) cells.push_back({i - 2, i - 1, i});
  }
  const auto found = distances(make_mesh(points, cells), {VertexId(0)});
  for (std::size_t v = 0; v < found.size(); ++v) ASSERT_NEAR(found[v], 0.5 * static_cast<double>(v), 1e-9);
}

TEST(Geodesics, SayHowFarTheyAre) {
  for (const int threads : {1, 2}) {
    for (const FrontSchedule schedule : {FrontSchedule::bands, FrontSchedule::hops}) {
      const TriMesh mesh = make_torus(80, 60);
      const test::RecordedMonitor recorded;
      (void)distances(mesh, {VertexId(0)}, {.schedule = schedule, .monitor = recorded.get()},
                      {.exec = Exec::host(threads)});
      recorded.expect_progress("running fronts", 2);
    }
  }
}

TEST(Geodesics, CanBeCancelled) {
  const TriMesh mesh = make_torus(80, 60);
  for (const double from : {-1.0, 0.2}) {
    test::expect_cancelled("running fronts", from, [&](const Monitor* monitor) {
      (void)distances(mesh, {VertexId(0)}, {.monitor = monitor});
    });
  }
}

TEST(Geodesics, StopAtALimit) {
  const TriMesh mesh = make_sheet(20, 20, 0, flat);
  const auto found = distances(mesh, {VertexId(0)}, {.limit = 0.5});
  for (std::size_t v = 0; v < found.size(); ++v) {
    const double exact = length(at(mesh, v));
    if (std::abs(exact - 0.5) < 0.01) continue;
    ASSERT_NEAR(std::min(found[v], 9.0), exact < 0.5 ? exact : 9, 1e-3) << v;
  }
}

/// The corners of a source's triangle are no exception.
TEST(Geodesics, LeaveCornersBeyondTheLimit) {
  const TriMesh mesh = make_mesh({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 1, 2}});
  const std::vector<GeodesicSource> sources = {FacePoint{FaceId(0), {0.5, 0.25, 0.25}}};  // at (1, 1)
  const auto result = compute_geodesics<float>(Surface(mesh), sources, {.limit = 2});
  const auto found = result.distance.values();
  const auto nearest = result.nearest.values();
  const auto levels = result.level.values();
  EXPECT_FLOAT_EQ(found[0], std::sqrt(2.0F));
  EXPECT_EQ(nearest[0], 0u);
  for (const std::size_t v : {1u, 2u}) {
    EXPECT_EQ(found[v], std::numeric_limits<float>::infinity());
    EXPECT_EQ(nearest[v], no_source);
    EXPECT_EQ(levels[v], no_source);
  }
  for (const double d : distances(mesh, sources, {.limit = 1})) EXPECT_EQ(d, infinity);
  const auto at_zero = distances(mesh, {VertexId(1)}, {.limit = 0});
  EXPECT_EQ(at_zero, (Array<double>{infinity, 0, infinity}));
}

/// Scaled by a power of two, nothing is rounded otherwise: distances are scaled exactly, although products of
/// lengths are beyond the range of numbers.
template <class Real>
void expect_scaled_distances(const TriMesh& mesh, const GeodesicOptions& options) {
  const std::vector<GeodesicSource> sources = {VertexId(5), VertexId(100)};
  const auto run = [&](int exponent) {
    TriMesh scaled = mesh;
    Array<Vec3<Real>> points;
    for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
      const Vec3d p = at(mesh, v);
      points.push_back({std::ldexp(static_cast<Real>(p.x), exponent),
                        std::ldexp(static_cast<Real>(p.y), exponent),
                        std::ldexp(static_cast<Real>(p.z), exponent)});
    }
    scaled.points = Points(std::move(points));
    return compute_geodesics<Real>(Surface(scaled), sources, options);
  };
  const auto plain = run(0);
  const auto expected = plain.distance.values();
  for (const int exponent : {-60, 60}) {
    const auto found = run(exponent);
    const auto values = found.distance.values();
    for (std::size_t v = 0; v < values.size(); ++v)
      ASSERT_EQ(values[v], std::ldexp(expected[v], exponent)) << v << " at 2^" << exponent;
    EXPECT_TRUE(found.nearest.values() == plain.nearest.values());
    EXPECT_EQ(found.rounds, plain.rounds);
  }
}

TEST(Geodesics, ScaleWithTheSurface) {
  for (const TriMesh& mesh : {make_ico(4), make_soup(300, 500), make_sheet(24, 24, 0.2, flat)}) {
    for (const FrontShape shape : {FrontShape::circular, FrontShape::planar}) {
      for (const FrontSchedule schedule : {FrontSchedule::bands, FrontSchedule::hops}) {
        expect_scaled_distances<float>(mesh, {.shape = shape, .schedule = schedule});
        expect_scaled_distances<double>(mesh, {.shape = shape, .schedule = schedule});
      }
    }
  }
}

TEST(Geodesics, PassTrianglesWithoutArea) {
  // Between two unit squares a strip of triangles on one line, one of them with two corners in one place.
  const TriMesh mesh =
      make_mesh({{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {1, 0, 0}, {1, 1, 0}, {2, 0, 0}, {2, 1, 0}},
                {{0, 2, 1}, {1, 2, 3}, {2, 4, 3}, {3, 4, 5}, {4, 6, 5}, {5, 6, 7}});
  const auto found = distances(mesh, {VertexId(0)});
  EXPECT_NEAR(found[4], 1, 1e-9);
  EXPECT_NEAR(found[6], 2, 1e-9);
  EXPECT_NEAR(found[7], std::sqrt(5), 0.2);
  const auto result = compute_geodesics<double>(Surface(mesh), std::vector<GeodesicSource>{VertexId(0)});
  const GeodesicPath path = GeodesicPaths(result).trace(VertexId(6));
  EXPECT_EQ(path.points.back(), (Vec3d{0, 0, 0}));
  EXPECT_NEAR(path.length, 2, 1e-9);
}

TEST(Geodesics, ReachAHundredThousandComponents) {
  std::vector<Vec3d> points;
  std::vector<std::array<std::uint32_t, 3>> cells;
  std::vector<GeodesicSource> sources;
  for (std::uint32_t i = 0; i < 100000; ++i) {
    const double x = 3.0 * i;
    points.insert(points.end(), {{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}});
    cells.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    if (i % 2 == 0) sources.emplace_back(VertexId(3 * i));
  }
  const auto found = distances(make_mesh(points, cells), sources);
  for (std::uint32_t i = 0; i < 100000; ++i) ASSERT_EQ(found[3 * i + 1], i % 2 == 0 ? 1 : infinity);
}

TEST(Geodesics, RefuseWhatIsNoSource) {
  const TriMesh mesh = make_ico(1);
  const auto code = [&](const std::vector<GeodesicSource>& sources, const std::string& part) {
    try {
      (void)distances(mesh, sources);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      return error.code();
    }
    return ErrorCode::cancelled;
  };
  EXPECT_EQ(code({}, "needs a source"), ErrorCode::bad_option);
  EXPECT_EQ(code({VertexId(0), VertexId(42)},
                 "source 1 of the geodesic distance is vertex 42, but the surface has 42"),
            ErrorCode::not_found);
  EXPECT_EQ(code({FacePoint{FaceId(80), {1, 0, 0}}}, "triangle 80"), ErrorCode::not_found);
  EXPECT_EQ(code({FacePoint{FaceId(0), {1, -1, 1}}}, "negative"), ErrorCode::bad_option);
  EXPECT_EQ(code({FacePoint{FaceId(0), {1, std::nan(""), 0}}}, "NaN"), ErrorCode::bad_option);
  EXPECT_EQ(code({FacePoint{FaceId(0), {1, 1, 1}}}, "add up to 3"), ErrorCode::bad_option);
}

TEST(Geodesics, RefuseLimitsThatAreNegativeOrNan) {
  const TriMesh mesh = make_ico(1);
  for (const double limit : {-1.0, std::nan("")}) {
    try {
      (void)distances(mesh, {VertexId(0)}, {.limit = limit});
      ADD_FAILURE() << "not refused: " << limit;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option);
      EXPECT_NE(std::string(error.what()).find("limit"), std::string::npos) << error.what();
    }
  }
}

TEST(Geodesics, RefuseTolerancesOutsideZeroToOne) {
  const TriMesh mesh = make_ico(1);
  for (const double tolerance : {-0.1, 1.0, std::nan("")}) {
    try {
      (void)distances(mesh, {VertexId(0)}, {.tolerance = tolerance});
      ADD_FAILURE() << tolerance;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option);
    }
  }
}

/// Traces from every vertex that is reached: paths end at their source and never rise.
void expect_paths(const TriMesh& mesh, const std::vector<GeodesicSource>& sources, double slack) {
  const auto result = compute_geodesics<double>(Surface(mesh), sources);
  const auto found = result.distance.values();
  const GeodesicPaths paths(result);
  for (std::uint32_t v = 0; v < found.size(); ++v) {
    const GeodesicPath path = paths.trace(VertexId(v));
    if (found[v] == infinity) continue;
    ASSERT_FALSE(path.points.empty()) << v;
    ASSERT_EQ(path.points.front(), at(mesh, v));
    const GeodesicSource& source = sources[path.source];
    const auto* vertex = std::get_if<VertexId>(&source);
    const Vec3d end =
        vertex != nullptr ? at(mesh, vertex->index()) : find_position(mesh, std::get<FacePoint>(source));
    ASSERT_EQ(path.points.back(), end) << v;
    ASSERT_LE(path.length, found[v] * (1 + slack) + 0.01) << v;
  }
}

TEST(GeodesicPaths, AreShortOnSmoothSurfaces) {
  expect_paths(make_sheet(30, 30, 0.2, flat), {VertexId(40)}, 0.05);
  expect_paths(make_sheet(30, 30, 0.2, flat), {FacePoint{FaceId(301), {0.3, 0.3, 0.4}}}, 0.05);
  expect_paths(make_ico(4, {.displace = false}), {VertexId(0), VertexId(333)}, 0.05);
}

TEST(GeodesicPaths, EndOnAnyMesh) {
  expect_paths(make_soup(300, 500), {VertexId(5), FacePoint{FaceId(3), {0, 0.5, 0.5}}}, 1e9);
  expect_paths(make_torus(60, 20), {VertexId(5)}, 1e9);
}

TEST(GeodesicPaths, AreTheSameBytesForTiles) {
  const TriMesh mesh = make_shuffled(make_torus(40, 30));
  const std::vector<GeodesicSource> sources = {VertexId(5), FacePoint{FaceId(77), {0.25, 0.25, 0.5}}};
  const Surface one(mesh, {.max_vertices = 512});
  const Surface other(mesh, {.max_vertices = 32});
  const auto found = compute_geodesics<double>(one, sources);
  const GeodesicPaths expected(found);
  const GeodesicPaths paths(compute_geodesics<double>(other, sources));
  const GeodesicPaths of_numbers(other, found.distance.values(), sources);
  const GeodesicPaths of_numbers_expected(one, found.distance.values(), sources);
  EXPECT_EQ(of_numbers.nearest(), of_numbers_expected.nearest());
  EXPECT_EQ(paths.nearest(), found.nearest.values());
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const GeodesicPath path = paths.trace(VertexId(v));
    ASSERT_EQ(path.points, expected.trace(VertexId(v)).points) << v;
    ASSERT_EQ(path.length, expected.trace(VertexId(v)).length) << v;
    ASSERT_EQ(of_numbers.trace(VertexId(v)).points, of_numbers_expected.trace(VertexId(v)).points) << v;
  }
}

/// From every vertex down the distances of the heat method: to a source, and hardly longer than fronts say.
TEST(GeodesicPaths, OfTheHeatMethod) {
  const std::vector<std::pair<TriMesh, std::vector<GeodesicSource>>> cases = {
      {make_ico(4, {.displace = false}), {VertexId(0), VertexId(333)}},
      {make_shuffled(make_ico(4)), {FacePoint{FaceId(301), {0.3, 0.3, 0.4}}}},
      {make_height_field(30, 30), {VertexId(40), FacePoint{FaceId(1500), {0.2, 0.3, 0.5}}, VertexId(800)}}};
  for (const auto& [mesh, sources] : cases) {
    const Surface surface(mesh);
    const Array<double> found = HeatMethod(surface).distances(sources);
    const GeodesicPaths paths(surface, found, sources);
    const auto fronts = distances(mesh, sources);
    for (std::uint32_t v = 0; v < found.size(); ++v) {
      const GeodesicPath path = paths.trace(VertexId(v));
      ASSERT_NE(path.source, no_source) << v;
      ASSERT_NE(paths.nearest()[v], no_source) << v;
      ASSERT_EQ(path.points.front(), at(mesh, v));
      const auto* vertex = std::get_if<VertexId>(&sources[path.source]);
      const Vec3d end = vertex != nullptr ? at(mesh, vertex->index())
                                          : find_position(mesh, std::get<FacePoint>(sources[path.source]));
      ASSERT_EQ(path.points.back(), end) << v;
      ASSERT_LE(path.length, 1.3 * fronts[v] + 0.1)
          << v;  // where two sources are nearly as far, two edges more
    }
  }
}

/// Each vertex goes to the neighbour that the distance falls most towards.
std::uint32_t follow_edges(const TriMesh& mesh, const std::vector<double>& distance,
                           const std::vector<std::uint32_t>& sources, std::uint32_t v) {
  const auto rows = neighbours(mesh);
  for (;;) {
    const auto source = std::ranges::find(sources, v);
    if (source != sources.end()) return static_cast<std::uint32_t>(source - sources.begin());
    std::uint32_t next = v;
    double steepest = 0;
    for (const std::uint32_t u : rows[v]) {
      const double slope = (distance[v] - distance[u]) / length(at(mesh, u) - at(mesh, v));
      if (!(slope > steepest)) continue;
      steepest = slope;
      next = u;
    }
    if (next == v) return no_source;
    v = next;
  }
}

TEST(GeodesicPaths, NearestOfDistancesIsWhereEdgesLead) {
  const TriMesh mesh = make_soup(200, 300);
  const std::vector<std::uint32_t> ids = {5, 9, 120};
  const std::vector<GeodesicSource> sources = {VertexId(5), VertexId(9), VertexId(120)};
  SplitMix64 random(2);
  std::vector<double> distance(mesh.vertex_count());
  for (double& d : distance) d = 1 + random.uniform();
  for (const std::uint32_t id : ids) distance[id] = 0;
  distance[17] = infinity;
  const Surface surface(mesh);
  const GeodesicPaths paths(surface, distance, sources);
  std::size_t stuck = 0;
  for (std::uint32_t v = 0; v < distance.size(); ++v) {
    if (v == 17) continue;
    ASSERT_EQ(paths.nearest()[v], follow_edges(mesh, distance, ids, v)) << v;
    stuck += paths.nearest()[v] == no_source ? 1 : 0;
  }
  EXPECT_GT(stuck, 10u);
  EXPECT_EQ(paths.nearest()[17], no_source);
}

/// Distances that mean nothing, with minima everywhere: every path ends, and says where.
TEST(GeodesicPaths, EndInMinimaThatAreNoSource) {
  for (const TriMesh& mesh : {make_sheet(20, 20, 0.2, flat), make_soup(200, 300)}) {
    const auto rows = neighbours(mesh);
    const std::vector<GeodesicSource> sources = {VertexId(7)};
    SplitMix64 random(9);
    std::vector<double> distance(mesh.vertex_count());
    for (double& d : distance) d = 1 + random.uniform();
    distance[7] = 0;
    const Surface surface(mesh);
    const GeodesicPaths paths(surface, distance, sources);
    std::size_t stuck = 0;
    for (std::uint32_t v = 0; v < distance.size(); ++v) {
      const GeodesicPath path = paths.trace(VertexId(v));
      ASSERT_FALSE(path.points.empty());
      if (path.source == 0) {
        ASSERT_EQ(path.points.back(), at(mesh, 7));
        continue;
      }
      ++stuck;
      std::uint32_t end = 0;
      while (!(at(mesh, end) == path.points.back())) ++end;
      for (const std::uint32_t u : rows[end]) ASSERT_GT(distance[u], distance[end]) << v;
    }
    EXPECT_GT(stuck, 20u);
  }
}

/// 0 within 0.3 of the source, as the heat method may give it: along edges there.
TEST(GeodesicPaths, CrossPlateausAlongEdges) {
  const TriMesh mesh = make_sheet(20, 20, 0.1, flat);
  const std::uint32_t middle = 10 * 21 + 10;
  const std::vector<GeodesicSource> sources = {VertexId(middle)};
  std::vector<double> distance;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v)
    distance.push_back(std::max(0.0, length(at(mesh, v) - at(mesh, middle)) - 0.3));
  const Surface surface(mesh);
  const GeodesicPaths paths(surface, distance, sources);
  for (std::uint32_t v = 0; v < distance.size(); ++v) {
    ASSERT_EQ(paths.nearest()[v], 0u) << v;
    const GeodesicPath path = paths.trace(VertexId(v));
    ASSERT_EQ(path.source, 0u) << v;
    for (std::size_t i = 1; i < path.points.size(); ++i)
      ASSERT_LT(length(path.points[i] - path.points[i - 1]), 0.1) << v;  // an edge has 0.07
    ASSERT_LT(path.length, 1.5 * length(at(mesh, v) - at(mesh, middle)) + 0.01) << v;
  }
}

TEST(GeodesicPaths, NeedADistanceForEachVertexAndASource) {
  const TriMesh mesh = make_sheet(3, 3, 0, flat);
  const Surface surface(mesh);
  const auto code = [&](std::size_t count, const std::vector<GeodesicSource>& sources) {
    try {
      (void)GeodesicPaths(surface, std::vector<double>(count, 1), sources);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::cancelled;
  };
  EXPECT_EQ(code(15, {VertexId(0)}), ErrorCode::bad_option);
  EXPECT_EQ(code(16, {}), ErrorCode::bad_option);
  EXPECT_EQ(code(16, {VertexId(16)}), ErrorCode::not_found);
  EXPECT_EQ(code(16, {VertexId(0)}), ErrorCode::cancelled) << "not refused";
  std::vector<double> distance(16, 1);
  distance[3] = infinity;
  distance[4] = std::nan("");
  const GeodesicPaths paths(surface, distance, std::vector<GeodesicSource>{VertexId(0)});
  EXPECT_TRUE(paths.trace(VertexId(3)).points.empty());
  EXPECT_TRUE(paths.trace(VertexId(4)).points.empty());
}

TEST(GeodesicPaths, RefuseVerticesThatAreNotThere) {
  const TriMesh mesh = make_ico(1);
  const GeodesicPaths paths(
      compute_geodesics<float>(Surface(mesh), std::vector<GeodesicSource>{VertexId(0)}));
  EXPECT_THROW((void)paths.trace(VertexId(42)), Error);
}

}  // namespace
}  // namespace tessera
