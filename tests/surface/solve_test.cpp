// Solvers: what they say of the residual is so, iterations hardly grow with the size, odd systems end well.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/solve.h>

#include "surface/recorded_monitor.h"

namespace tessera {
namespace {

/// Sums to 0 over each component if the mesh is connected.
Array<double> random_balanced(std::size_t n, std::uint64_t seed) {
  SplitMix64 random(seed);
  Array<double> b(n);
  double sum = 0;
  for (double& value : b) sum += value = 2 * random.uniform() - 1;
  for (double& value : b) value -= sum / static_cast<double>(n);
  return b;
}

double relative_residual(const SparseMatrix& a, const double* b, const double* x) {
  Array<double> y(a.rows.size);
  multiply(a, x, y.data());
  double rr = 0, bb = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    rr += (b[i] - y[i]) * (b[i] - y[i]);
    bb += b[i] * b[i];
  }
  return std::sqrt(rr / bb);
}

TEST(Solve, ResidualIsWhatItSays) {
  for (const Preconditioner preconditioner :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::multilevel}) {
    for (const TriMesh& mesh : {make_ico(4), make_shuffled(make_torus(40, 31)), make_height_field(33, 40)}) {
      const Surface surface(mesh);
      Solver solver(make_laplacian(surface),
                    {.preconditioner = preconditioner, .tolerance = 1e-9, .max_iterations = 5000});
      const std::size_t n = surface.vertex_count();
      Array<double> b = random_balanced(n, 1);
      const Array<double> more = random_balanced(n, 2);
      b.insert(b.end(), more.begin(), more.end());
      Array<double> x(2 * n);
      const SolveResult result = solver.solve(b.data(), x.data(), 2);
      EXPECT_TRUE(result.has_converged);
      EXPECT_GT(result.iterations, 0u);
      EXPECT_LE(result.residual, 1e-9);
      for (std::size_t k = 0; k < 2; ++k)
        EXPECT_LE(relative_residual(solver.matrix(), b.data() + k * n, x.data() + k * n), 2e-9);
    }
  }
}

/// 256 times as many unknowns, and less than twice as many iterations.
TEST(Solve, MultilevelIterationsHardlyGrow) {
  std::vector<std::uint32_t> iterations;
  for (const int level : {3, 5, 6}) {
    const TriMesh mesh = make_ico(level);
    const Surface surface(mesh);
    Solver solver(make_laplacian(surface));
    const Array<double> b = random_balanced(surface.vertex_count(), 3);
    Array<double> x(b.size());
    iterations.push_back(solver.solve(b.data(), x.data()).iterations);
    EXPECT_GT(solver.level_count(), 1u);
    EXPECT_LT(solver.preconditioner_bytes(), 2 * solver.matrix().bytes());
  }
  EXPECT_LE(iterations.back(), 2 * iterations.front());
  EXPECT_LE(iterations.back(), 20u);
}

TEST(Solve, TheSameBytesForAnyNumberOfThreads) {
  const TriMesh mesh = make_shuffled(make_ico(4));
  std::vector<Array<double>> results;
  for (const int threads : {1, 3}) {
    const Surface surface(mesh, {.exec = Exec::host(threads)});
    Solver solver(make_laplacian(surface));
    const Array<double> b = random_balanced(surface.vertex_count(), 3);
    Array<double> x(b.size());
    (void)solver.solve(b.data(), x.data());
    results.push_back(x);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Solve, StartsFromAGuess) {
  const TriMesh mesh = make_ico(3);
  const Surface surface(mesh);
  Solver solver(make_laplacian(surface), {.starts_from_x = true});
  const Array<double> b = random_balanced(surface.vertex_count(), 3);
  Array<double> x(b.size(), 0);
  EXPECT_GT(solver.solve(b.data(), x.data()).iterations, 3u);
  EXPECT_LE(solver.solve(b.data(), x.data()).iterations, 1u);
}

/// Components of their own null vectors, vertices without a triangle, a right-hand side of zeros.
TEST(Solve, DisconnectedAndIsolated) {
  TriMesh mesh;
  Array<Vec3d> points;
  for (std::uint32_t k = 0; k < 300; ++k) {
    for (const Vec3d corner : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{5, 5, 5}})
      points.push_back(corner + Vec3d{3.0 * k, 0, 0});
    mesh.cells.push_back({VertexId(4 * k), VertexId(4 * k + 1), VertexId(4 * k + 2)});
  }
  mesh.points = points;
  const Surface surface(mesh);
  const auto tiled_of = surface.to_input(Kind::vertex);
  for (const Preconditioner preconditioner : {Preconditioner::jacobi, Preconditioner::multilevel}) {
    Solver solver(make_laplacian(surface), {.preconditioner = preconditioner});
    Array<double> b(surface.vertex_count(), 0), x(surface.vertex_count(), 7);
    EXPECT_TRUE(solver.solve(b.data(), x.data()).has_converged);
    EXPECT_EQ(x, b);
    for (std::size_t v = 0; v < b.size(); ++v) {
      const std::size_t corner = (tiled_of.empty() ? v : tiled_of[v]) % 4;
      b[v] = corner == 1 ? 1 : corner == 2 ? -1 : 0;
    }
    const SolveResult result = solver.solve(b.data(), x.data());
    EXPECT_TRUE(result.has_converged);
    EXPECT_LE(relative_residual(solver.matrix(), b.data(), x.data()), 1e-7);
    for (const double value : x) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Solve, EmptyAndNotANumber) {
  TriMesh mesh;
  const Surface empty(mesh);
  Solver nothing(make_laplacian(empty));
  EXPECT_TRUE(nothing.solve(nullptr, nullptr).has_converged);
  mesh = make_ico(2);
  const Surface surface(mesh);
  Solver solver(make_laplacian(surface));
  Array<double> b = random_balanced(surface.vertex_count(), 3);
  b[7] = std::nan("");
  Array<double> x(b.size());
  EXPECT_FALSE(solver.solve(b.data(), x.data()).has_converged);
}

TEST(Solve, RunsOutOfIterations) {
  const TriMesh mesh = make_ico(4);
  const Surface surface(mesh);
  Solver solver(make_laplacian(surface), {.preconditioner = Preconditioner::jacobi, .max_iterations = 5});
  const Array<double> b = random_balanced(surface.vertex_count(), 3);
  Array<double> x(b.size());
  const SolveResult result = solver.solve(b.data(), x.data());
  EXPECT_FALSE(result.has_converged);
  EXPECT_EQ(result.iterations, 5u);
  EXPECT_NEAR(result.residual, relative_residual(solver.matrix(), b.data(), x.data()), 1e-12);
}

TEST(Solve, SaysHowFarItIs) {
  const TriMesh mesh = make_ico(5);
  const Surface surface(mesh);
  const std::size_t n = surface.vertex_count();
  Array<double> b = random_balanced(n, 3);
  b.insert(b.end(), b.begin(), b.end());
  Array<double> x(2 * n);
  for (const Preconditioner preconditioner :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::multilevel}) {
    const test::RecordedMonitor recorded;
    Solver solver(make_laplacian(surface), {.preconditioner = preconditioner, .monitor = recorded.get()});
    ASSERT_TRUE(solver.solve(b.data(), x.data(), 2).has_converged);
    recorded.expect_progress("solving a linear system", 5);
    const auto& fractions = recorded.heard().at("solving a linear system");
    EXPECT_NE(std::ranges::find(fractions, 0.5), fractions.end()) << "where the second begins";
    EXPECT_EQ(recorded.heard().contains("building a preconditioner"),
              preconditioner == Preconditioner::multilevel);
  }
}

TEST(Solve, CanBeCancelled) {
  const TriMesh mesh = make_ico(5);
  const Surface surface(mesh);
  for (const double from : {-1.0, 0.1}) {
    test::expect_cancelled("building a preconditioner", from, [&](const Monitor* monitor) {
      Solver(make_laplacian(surface), {.monitor = monitor});
    });
  }
  const Array<double> b = random_balanced(surface.vertex_count(), 3);
  Array<double> x(b.size());
  for (const Preconditioner preconditioner : {Preconditioner::jacobi, Preconditioner::multilevel}) {
    for (const double from : {-1.0, 0.3}) {
      test::expect_cancelled("solving a linear system", from, [&](const Monitor* monitor) {
        Solver solver(make_laplacian(surface), {.preconditioner = preconditioner, .monitor = monitor});
        (void)solver.solve(b.data(), x.data());
      });
    }
  }
}

TEST(Solve, RefusesWhatCannotBeSolved) {
  const TriMesh mesh = make_ico(1);
  const Surface surface(mesh);
  const auto message = [&](auto make) -> std::string {
    try {
      make();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option);
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message([&] { Solver(make_d0(surface)); }).find("120 rows and 42 columns"), std::string::npos);
  EXPECT_NE(message([&] { Solver(make_laplacian(surface), {.tolerance = 0}); }).find("tolerance"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera
