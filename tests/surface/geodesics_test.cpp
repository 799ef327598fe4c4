// Geodesic distances against exact ones on plane, sphere and cylinder, and against Dijkstra's along edges,
// which bound them from above, on meshes of every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
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

TEST(Geodesics, StopAtALimit) {
  const TriMesh mesh = make_sheet(20, 20, 0, flat);
  const auto found = distances(mesh, {VertexId(0)}, {.limit = 0.5});
  for (std::size_t v = 0; v < found.size(); ++v) {
    const double exact = length(at(mesh, v));
    if (std::abs(exact - 0.5) < 0.01) continue;
    ASSERT_NEAR(std::min(found[v], 9.0), exact < 0.5 ? exact : 9, 1e-3) << v;
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

TEST(GeodesicPaths, RefuseVerticesThatAreNotThere) {
  const TriMesh mesh = make_ico(1);
  const GeodesicPaths paths(
      compute_geodesics<float>(Surface(mesh), std::vector<GeodesicSource>{VertexId(0)}));
  EXPECT_THROW((void)paths.trace(VertexId(42)), Error);
}

}  // namespace
}  // namespace tessera
