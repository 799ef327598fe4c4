// The heat method against distances that are known: on spheres, planes and by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/heat_method.h>

namespace tessera {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Errors {
  double mean = 0;
  double most = 0;
};

template <class Exact>
Errors compare(const TriMesh& mesh, const Array<double>& distance, const Exact& exact) {
  Errors errors;
  for (std::uint32_t v = 0; v < distance.size(); ++v) {
    const double off = std::abs(distance[v] - exact(mesh.points[VertexId(v)]));
    errors.mean += off / static_cast<double>(distance.size());
    errors.most = std::max(errors.most, off);
  }
  return errors;
}

double on_sphere(Vec3d a, Vec3d b) {
  return std::atan2(length(cross(a, b)), dot(a, b));
}

/// n x n points of the unit square, moved a little.
TriMesh make_square(std::uint32_t n) {
  TriMesh mesh = make_height_field(n, n);
  mesh.points.visit([](auto points) {
    for (auto& p : points) p.z = 0;
  });
  return mesh;
}

Array<double> distances(const TriMesh& mesh, std::vector<GeodesicSource> sources,
                        const HeatOptions& options = {}) {
  const Surface surface(mesh);
  HeatMethod heat(surface, options);
  Array<double> result = heat.distances(sources);
  EXPECT_TRUE(heat.report().has_converged);
  return result;
}

TEST(HeatMethod, OnASphere) {
  double previous = infinity;
  for (const int level : {3, 4, 5}) {
    const TriMesh mesh = make_ico(level, {.displace = false});
    const Vec3d from = mesh.points[VertexId(5)];
    const auto errors = compare(mesh, distances(mesh, {VertexId(5)}),
                                [&](Vec3d p) { return length(from) * on_sphere(from, p); });
    EXPECT_LT(errors.mean, 0.75 * previous);
    previous = errors.mean;
  }
  EXPECT_LT(previous, 0.01);
}

/// With a time that shrinks with the edges and not with their squares, the error falls with them.
TEST(HeatMethod, ConvergesOnThePlane) {
  double previous = infinity;
  for (const std::uint32_t n : {17u, 33u, 65u}) {
    const TriMesh mesh = make_square(n);
    const VertexId middle(n / 2 * n + n / 2);
    const Vec3d from = mesh.points[middle];
    const auto errors = compare(mesh, distances(mesh, {middle}, {.time = 1 + n / 33.0}),
                                [&](Vec3d p) { return length(p - from); });
    EXPECT_LT(errors.mean, 0.75 * previous) << n;
    EXPECT_LT(errors.most, 0.05) << n;
    previous = errors.mean;
  }
}

TEST(HeatMethod, NearestOfSeveralSources) {
  const TriMesh mesh = make_shuffled(make_ico(5, {.displace = false}));
  const std::vector<GeodesicSource> sources = {VertexId(11), VertexId(700), VertexId(5003), VertexId(11)};
  const Array<double> found = distances(mesh, sources);
  double mean = 0;
  for (std::uint32_t v = 0; v < found.size(); ++v) {
    double nearest = infinity;
    for (const GeodesicSource& source : sources)
      nearest =
          std::min(nearest, on_sphere(mesh.points[std::get<VertexId>(source)], mesh.points[VertexId(v)]));
    mean += std::abs(found[v] - nearest) / static_cast<double>(found.size());
    EXPECT_GE(found[v], 0);
  }
  EXPECT_LT(mean, 0.03);
  EXPECT_EQ(found[11], 0);
  EXPECT_EQ(found[5003], 0);
}

TEST(HeatMethod, PointsInsideTriangles) {
  const TriMesh mesh = make_square(41);
  const auto& cell = mesh.cells[1700];
  const FacePoint point = {FaceId(1700), {0.2, 0.5, 0.3}};
  Vec3d at = {0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k) at = at + point.weights[k] * mesh.points[cell[k]];
  const auto errors = compare(mesh, distances(mesh, {point}), [&](Vec3d p) { return length(p - at); });
  EXPECT_LT(errors.mean, 0.01);
  EXPECT_LT(errors.most, 0.04);
  // At a corner it is the vertex.
  const FacePoint corner = {FaceId(1700), {0, 1, 0}};
  EXPECT_EQ(distances(mesh, {corner}), distances(mesh, {cell[1]}));
}

TEST(HeatMethod, AnyOrderOfTheInput) {
  const TriMesh mesh = make_ico(3);
  const TriMesh shuffled = make_shuffled(mesh);
  const Array<double> a = distances(mesh, {VertexId(3)});
  std::uint32_t same = 0;  // where vertex 3 went
  while (!(shuffled.points[VertexId(same)] == mesh.points[VertexId(3)])) ++same;
  const Array<double> b = distances(shuffled, {VertexId(same)});
  for (std::uint32_t v = 0; v < b.size(); ++v) {
    std::uint32_t was = 0;
    while (!(shuffled.points[VertexId(v)] == mesh.points[VertexId(was)])) ++was;
    EXPECT_NEAR(a[was], b[v], 1e-5);
  }
}

TEST(HeatMethod, UnconnectedIsInfinite) {
  TriMesh mesh = make_small_surface("two_components");
  const Array<double> one = distances(mesh, {VertexId(0)});
  std::size_t reached = 0;
  for (const double d : one) reached += d < infinity ? 1 : 0;
  EXPECT_GT(reached, 0u);
  EXPECT_LT(reached, one.size());
  std::vector<GeodesicSource> both = {VertexId(0)};
  for (std::uint32_t v = 0; v < one.size(); ++v) {
    if (one[v] == infinity && both.size() == 1) both.push_back(VertexId(v));
  }
  for (const double d : distances(mesh, both)) EXPECT_LT(d, infinity);

  mesh = make_small_surface("isolated_vertices");
  const auto last = static_cast<std::uint32_t>(mesh.vertex_count() - 1);
  const Array<double> alone = distances(mesh, {VertexId(last)});
  for (std::uint32_t v = 0; v <= last; ++v) EXPECT_EQ(alone[v], v == last ? 0 : infinity);
}

/// One equilateral triangle: both other corners are as far as the gradient of 1 across it takes them, which
/// is its height.
TEST(HeatMethod, OneTriangle) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(3) / 2, 0}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}};
  const Array<double> d = distances(mesh, {VertexId(0)}, {.tolerance = 1e-12});
  EXPECT_EQ(d[0], 0);
  EXPECT_NEAR(d[1], std::sqrt(3) / 2, 1e-9);
  EXPECT_NEAR(d[2], std::sqrt(3) / 2, 1e-9);
}

TEST(HeatMethod, OddMeshes) {
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "octahedron"}) {
    const TriMesh mesh = make_small_surface(name);
    const Array<double> d = distances(mesh, {VertexId(0)});
    EXPECT_EQ(d[0], 0) << name;
    for (std::size_t v = 1; v < d.size(); ++v) EXPECT_TRUE(d[v] >= 0 && d[v] < 3) << name << " " << v;
  }
}

/// Triangles on a line and on a point, between good ones.
TEST(HeatMethod, DegenerateTriangles) {
  TriMesh mesh = make_square(21);
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) points.push_back(mesh.points[VertexId(v)]);
  points[230] = points[231];
  points[100] = points[101];
  points[121] = points[101];
  mesh.points = points;
  const Vec3d from = points[0];
  const auto errors =
      compare(mesh, distances(mesh, {VertexId(0)}), [&](Vec3d p) { return length(p - from); });
  EXPECT_LT(errors.mean, 0.05);
  TriMesh point;
  point.points = Array<Vec3d>{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  point.cells = {{VertexId(0), VertexId(1), VertexId(2)}};
  for (const double d : distances(point, {VertexId(1)})) EXPECT_EQ(d, 0);
}

/// A strip so long that heat at its end would be less than any number.
TEST(HeatMethod, FarAgainstItsEdges) {
  constexpr std::uint32_t n = 1500;
  TriMesh mesh;
  Array<Vec3d> points;
  for (std::uint32_t k = 0; k < n; ++k) {
    points.push_back({static_cast<double>(k), 0, 0});
    points.push_back({static_cast<double>(k), 1, 0});
    if (k == 0) continue;
    mesh.cells.push_back({VertexId(2 * k - 2), VertexId(2 * k), VertexId(2 * k - 1)});
    mesh.cells.push_back({VertexId(2 * k), VertexId(2 * k + 1), VertexId(2 * k - 1)});
  }
  mesh.points = points;
  const Surface surface(mesh);
  HeatMethod heat(surface);
  const GeodesicSource source = VertexId(0);
  const Array<double> d = heat.distances({&source, 1});
  EXPECT_TRUE(heat.report().has_converged);
  EXPECT_GT(heat.report().time, 1);
  EXPECT_NEAR(d[2 * n - 2], n - 1, 0.05 * n);
}

/// Both ways to solve agree, and a factorization gives the same bytes for any number of threads.
TEST(HeatMethod, DirectAndIterativeAgree) {
  for (const TriMesh& mesh : {make_ico(4), make_shuffled(make_torus(40, 31)), make_height_field(33, 40),
                              make_small_surface("two_components"), make_small_surface("isolated_vertices"),
                              make_small_surface("three_face_fan"), make_small_surface("triangle")}) {
    const std::vector<GeodesicSource> sources = {VertexId(0), FacePoint{FaceId(0), {0.5, 0.25, 0.25}}};
    const Surface surface(mesh);
    HeatMethod direct(surface, {.solver = HeatSolver::direct});
    HeatMethod iterative(surface, {.tolerance = 1e-12});
    const Array<double> a = direct.distances(sources);
    const Array<double> b = iterative.distances(sources);
    EXPECT_EQ(direct.report().heat_iterations, 0u);
    EXPECT_TRUE(direct.report().has_converged);
    EXPECT_LT(direct.report().residual, 1e-9);
    for (std::size_t v = 0; v < a.size(); ++v) {
      if (b[v] == infinity) {
        EXPECT_EQ(a[v], infinity);
      } else {
        EXPECT_NEAR(a[v], b[v], 1e-9);
      }
    }
    const Surface alone(mesh, {.exec = Exec::host(1)});
    HeatMethod on_one(alone, {.solver = HeatSolver::direct});
    EXPECT_EQ(on_one.distances(sources), a);
  }
}

TEST(HeatMethod, RefusesSourcesThatAreNone) {
  const TriMesh mesh = make_ico(1);
  const Surface surface(mesh);
  HeatMethod heat(surface);
  const auto expect = [&](std::vector<GeodesicSource> sources, ErrorCode code, const std::string& part) {
    try {
      (void)heat.distances(sources);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect({}, ErrorCode::bad_option, "need a source");
  expect({VertexId(3), VertexId(42)}, ErrorCode::not_found, "source 1 is vertex 42, but there are only 42");
  expect({FacePoint{FaceId(80), {1, 0, 0}}}, ErrorCode::not_found, "triangle 80");
  expect({FacePoint{FaceId(8), {0.5, 0, 0}}}, ErrorCode::bad_option, "weights");
  expect({FacePoint{FaceId(8), {1.5, -0.5, 0}}}, ErrorCode::bad_option, "weights");
  EXPECT_THROW(HeatMethod(surface, {.time = 0}), Error);
  const TriMesh nothing;
  const Surface empty(nothing);
  HeatMethod of_nothing(empty);
  const GeodesicSource first = VertexId(0);
  EXPECT_THROW((void)of_nothing.distances({&first, 1}), Error);
  EXPECT_THROW(HeatMethod(surface, {.tolerance = -1}), Error);
}

}  // namespace
}  // namespace tessera
