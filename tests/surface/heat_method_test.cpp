// The heat method against distances that are known: on spheres, planes, cylinders and by hand.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/detail/cholesky.h>
#include <tessera/surface/detail/solver_work.h>
#include <tessera/surface/heat_method.h>
#include <tessera/surface/sparse.h>

#include "surface/odd_surfaces.h"
#include "surface/recorded_monitor.h"
#include "surface/round_surfaces.h"

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

/// At the default time of the square of an edge, nearly of first order on coarse meshes.
TEST(HeatMethod, ConvergesOnACylinder) {
  double previous = infinity;
  for (const std::uint32_t n : {24u, 48u, 96u}) {
    const TriMesh mesh = test::make_cylinder(n);
    const Vec3d from = mesh.points[VertexId(0)];
    const auto errors =
        compare(mesh, distances(mesh, {VertexId(0)}), [&](Vec3d p) { return test::on_cylinder(from, p); });
    EXPECT_LT(errors.mean, 0.7 * previous) << n;
    previous = errors.mean;
  }
  EXPECT_LT(previous, 0.02);
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

/// Two rows of n points, a unit apart.
TriMesh make_strip(std::uint32_t n) {
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
  return mesh;
}

/// A strip so long that heat at its end would be less than any number.
TEST(HeatMethod, FarAgainstItsEdges) {
  constexpr std::uint32_t n = 1500;
  const TriMesh mesh = make_strip(n);
  const Surface surface(mesh);
  HeatMethod heat(surface);
  const GeodesicSource source = VertexId(0);
  const Array<double> d = heat.distances({&source, 1});
  EXPECT_TRUE(heat.report().has_converged);
  EXPECT_GT(heat.report().time, 1);
  EXPECT_NEAR(d[2 * n - 2], n - 1, 0.05 * n);
}

/// Once the time was raised, one system is kept, and later calls start from it.
TEST(HeatMethod, KeepsTheTimeThatWasRaised) {
  constexpr std::uint32_t n = 600;
  constexpr double time = 0.05;  // so short that 600 edges are too far
  const TriMesh mesh = make_strip(n);
  const Surface surface(mesh);
  for (const HeatSolver solver : {HeatSolver::iterative, HeatSolver::direct}) {
    HeatMethod heat(surface, {.time = time, .solver = solver});
    const Bytes bytes = heat.bytes();
    const GeodesicSource source = VertexId(0);
    const Array<double> first = heat.distances({&source, 1});
    const HeatReport report = heat.report();
    EXPECT_TRUE(report.has_converged);
    EXPECT_EQ(report.solver, solver);
    EXPECT_GE(report.time, 4 * time);
    EXPECT_NEAR(first[2 * n - 2], n - 1, 0.05 * n);
    EXPECT_EQ(heat.bytes(), bytes);
    EXPECT_EQ(heat.distances({&source, 1}), first);
    EXPECT_EQ(heat.report().time, report.time);
    if (solver == HeatSolver::iterative) {
      EXPECT_LT(heat.report().heat_iterations, report.heat_iterations);
    }
    const GeodesicSource middle = VertexId(n);  // from here 300 edges are near enough for the first time
    const Array<double> later = heat.distances({&middle, 1});
    EXPECT_EQ(heat.report().time, report.time);
    HeatMethod raised(surface, {.time = report.time, .solver = solver});
    EXPECT_EQ(raised.distances({&middle, 1}), later);
  }
}

/// A vertex whose only triangle has both other corners in one point: no angle couples it to them.
TEST(HeatMethod, VerticesWithoutCouplingsAreInfinite) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 3, 0}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)},
                {VertexId(0), VertexId(1), VertexId(3)},
                {VertexId(2), VertexId(3), VertexId(4)}};
  const Surface surface(mesh);
  for (const HeatSolver solver : {HeatSolver::iterative, HeatSolver::direct}) {
    HeatMethod heat(surface, {.solver = solver});
    const auto run = [&](const GeodesicSource& source) {
      Array<double> result = heat.distances({&source, 1});
      EXPECT_TRUE(heat.report().has_converged);
      EXPECT_EQ(heat.report().time, 1) << "the time was raised";
      return result;
    };
    const Array<double> from_corner = run(VertexId(0));
    for (std::uint32_t v = 0; v < 4; ++v) EXPECT_LT(from_corner[v], 2) << v;
    EXPECT_EQ(from_corner[4], infinity);
    const Array<double> from_it = run(VertexId(4));
    for (std::uint32_t v = 0; v < 5; ++v) EXPECT_EQ(from_it[v], v == 4 ? 0 : infinity) << v;
    // A point between: 1 from the vertex and from the corners on the other side.
    const Array<double> between = run(FacePoint{FaceId(2), {0.25, 0.25, 0.5}});
    EXPECT_NEAR(between[2], 1, 1e-6);
    EXPECT_NEAR(between[3], 1, 1e-6);
    EXPECT_EQ(between[4], 1);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Ends with 0 if a factorization that does not fit is refused with its sizes.
void factorize_without_memory(const CsrMatrix& a, const detail::Dissection& dissection) {
  const rlimit little = {1 << 20, RLIM_INFINITY};
  setrlimit(RLIMIT_DATA, &little);
  try {
    const detail::Cholesky factor(Exec::host(1), dissection, a, Monitor{});
    std::_Exit(1);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    const bool has_sizes = message.find("2562 unknowns") != std::string_view::npos &&
                           message.find("for its largest front") != std::string_view::npos;
    std::_Exit(error.code() == ErrorCode::out_of_memory && has_sizes ? 0 : 2);
  }
}

TEST(HeatMethod, SaysWhatAFactorizationNeeds) {
  const TriMesh mesh = make_ico(4);
  const Surface surface(mesh, {.exec = Exec::host(1)});
  const CsrMatrix a = detail::matrix_on_host(make_laplacian(surface));
  const detail::Dissection dissection(a, positions<double>(surface).on_host(), Monitor{});
  EXPECT_GT(dissection.largest_front(), 20u);
  EXPECT_EXIT(factorize_without_memory(a, dissection), testing::ExitedWithCode(0), "");
}
#endif

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

/// A chain of 20,000 strong couplings around a hub: conjugate gradients would take half as many iterations.
TEST(HeatMethod, FactorizesWhereIterationsAreTooMany) {
  const TriMesh mesh = test::make_star(20000);
  const Surface surface(mesh);
  const std::vector<GeodesicSource> sources = {VertexId(1)};
  HeatMethod heat(surface);
  const Array<double> found = heat.distances(sources);
  EXPECT_TRUE(heat.report().has_converged);
  EXPECT_EQ(heat.report().solver, HeatSolver::direct);
  EXPECT_EQ(heat.report().heat_iterations, 0u);
  // Half around the cone of slant 2^0.5 and angle 2 pi / 2^0.5.
  const double exact = 2 * std::sqrt(2) * std::sin(std::numbers::pi / std::sqrt(2) / 2);
  EXPECT_NEAR(found[10001], exact, 0.3);
  EXPECT_EQ(heat.distances(sources), found);
  const Surface alone(mesh, {.exec = Exec::host(1)});
  EXPECT_EQ(HeatMethod(alone).distances(sources), found);
}

TEST(HeatMethod, SaysHowFarItIs) {
  const TriMesh mesh = make_ico(5);
  const Surface surface(mesh);
  const GeodesicSource source = VertexId(0);
  for (const HeatSolver solver : {HeatSolver::iterative, HeatSolver::direct}) {
    const test::RecordedMonitor recorded;
    HeatMethod heat(surface, {.solver = solver, .monitor = recorded.get()});
    (void)heat.distances({&source, 1});
    const bool is_direct = solver == HeatSolver::direct;
    recorded.expect_progress("letting heat flow", is_direct ? 0 : 3);
    recorded.expect_progress("finding distances", is_direct ? 0 : 3);
    EXPECT_EQ(recorded.heard().contains("building a preconditioner"), !is_direct);
    EXPECT_EQ(recorded.heard().contains("ordering unknowns"), is_direct);
    EXPECT_EQ(recorded.heard().contains("factorizing"), is_direct);
  }
  const test::RecordedMonitor recorded;
  const Surface alone(mesh, {.exec = Exec::host(1)});
  HeatMethod heat(alone, {.solver = HeatSolver::direct, .monitor = recorded.get()});
  // Two matrices, one after the other, whose fractions both begin at 0.
  const auto& fractions = recorded.heard().at("factorizing");
  std::size_t falls = 0;
  for (std::size_t k = 1; k < fractions.size(); ++k) falls += fractions[k] < fractions[k - 1] ? 1 : 0;
  EXPECT_EQ(falls, 1u);
  EXPECT_GT(fractions.size(), 100u);
  EXPECT_EQ(fractions.back(), 1);
}

/// In each of its stages; what was prepared serves later calls.
TEST(HeatMethod, CanBeCancelled) {
  const TriMesh mesh = make_ico(5);
  const GeodesicSource source = VertexId(0);
  const std::vector<GeodesicSource> sources = {source};
  for (const int threads : {1, 2}) {
    const Surface surface(mesh, {.exec = Exec::host(threads)});
    const auto run = [&](HeatSolver solver, std::string_view stage, double from) {
      test::expect_cancelled(stage, from, [&](const Monitor* monitor) {
        HeatMethod heat(surface, {.solver = solver, .monitor = monitor});
        (void)heat.distances(sources);
      });
    };
    for (const double from : {-1.0, 0.2}) {
      run(HeatSolver::iterative, "building a preconditioner", from);
      run(HeatSolver::iterative, "letting heat flow", from);
      run(HeatSolver::iterative, "finding distances", from);
      run(HeatSolver::direct, "ordering unknowns", from);
      run(HeatSolver::direct, "factorizing", from);
    }
  }
}

TEST(HeatMethod, GoesOnAfterACancelledCall) {
  const TriMesh mesh = make_ico(4);
  const Surface surface(mesh);
  const std::vector<GeodesicSource> sources = {VertexId(3)};
  std::stop_source stop;
  Monitor monitor = {.report = {}, .stop = stop.get_token()};
  HeatMethod heat(surface, {.monitor = &monitor});
  stop.request_stop();
  EXPECT_THROW((void)heat.distances(sources), Error);
  monitor.stop = {};
  EXPECT_EQ(heat.distances(sources), distances(mesh, sources));
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
  expect({}, ErrorCode::bad_option, "needs a source");
  expect({VertexId(3), VertexId(42)}, ErrorCode::not_found,
         "source 1 of the geodesic distance is vertex 42, but the surface has 42 vertices");
  expect({FacePoint{FaceId(80), {1, 0, 0}}}, ErrorCode::not_found, "triangle 80");
  expect({FacePoint{FaceId(8), {0.5, 0, 0}}}, ErrorCode::bad_option, "weights");
  expect({FacePoint{FaceId(8), {1.5, -0.5, 0}}}, ErrorCode::bad_option, "weight");
  const TriMesh nothing;
  const Surface empty(nothing);
  HeatMethod of_nothing(empty);
  const GeodesicSource first = VertexId(0);
  EXPECT_THROW((void)of_nothing.distances({&first, 1}), Error);
}

TEST(HeatMethod, RefusesTimesAndTolerancesOutsideTheirBounds) {
  const TriMesh mesh = make_ico(1);
  const Surface surface(mesh);
  const auto expect = [&](const HeatOptions& options, const std::string& part) {
    try {
      const HeatMethod heat(surface, options);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  for (const double time : {0.0, -1.0, infinity, std::nan("")})
    expect({.time = time}, "it must be finite and above 0");
  for (const double tolerance : {0.0, -1.0, 1.0, infinity, std::nan("")})
    expect({.tolerance = tolerance}, "it must be above 0 and below 1");
}

}  // namespace
}  // namespace tessera
