// Solvers on a device: every preconditioner, several right-hand sides, progress and stops.
#include <gtest/gtest.h>

#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/heat_method.h>
#include <tessera/surface/solve.h>

#include "surface/on_both_sides.h"
#include "surface/recorded_monitor.h"

namespace tessera {
namespace {

class DeviceSolver : public test::OnDevice {};

/// Each of them sums to 0.
Array<double> right_sides(std::size_t n, std::size_t count) {
  SplitMix64 random(7);
  Array<double> b(count * n);
  for (std::size_t k = 0; k < count; ++k) {
    double sum = 0;
    for (std::size_t v = 0; v < n; ++v) sum += b[k * n + v] = static_cast<double>(k + 1) * random.uniform();
    for (std::size_t v = 0; v < n; ++v) b[k * n + v] -= sum / static_cast<double>(n);
  }
  return b;
}

struct Solved {
  Array<double> x;
  SolveResult result;
};

Solved solve(const TriMesh& mesh, const Exec& exec, const SolveOptions& options, std::size_t count) {
  const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
  Solver solver(make_laplacian(surface), options);
  const Buffer<double> b(exec, right_sides(surface.vertex_count(), count));
  Buffer<double> x(exec, Array<double>(b.size(), 0.125));  // a guess, where one is asked for
  const SolveResult result = solver.solve(b.data(), x.data(), count);
  return {x.to_host(), result};
}

void expect_same(const TriMesh& mesh, const SolveOptions& options, std::size_t count) {
  const Solved expected = solve(mesh, Exec::host(), options, count);
  const Solved found = solve(mesh, Exec::cuda(), options, count);
  test::expect_same_bytes(found.x, expected.x);
  EXPECT_EQ(found.result.iterations, expected.result.iterations);
  EXPECT_EQ(found.result.residual, expected.result.residual);
  EXPECT_EQ(found.result.has_converged, expected.result.has_converged);
}

TEST_F(DeviceSolver, SolvesSeveralRightSidesAsTheHost) {
  for (const TriMesh& mesh : {make_ico(5), make_shuffled(make_torus(90, 77)), test::make_star(3000)}) {
    for (const Preconditioner preconditioner :
         {Preconditioner::none, Preconditioner::jacobi, Preconditioner::multilevel}) {
      for (const bool starts_from_x : {false, true})
        expect_same(mesh, {.preconditioner = preconditioner, .starts_from_x = starts_from_x}, 3);
    }
  }
}

TEST_F(DeviceSolver, RunsOutOfIterationsAsTheHost) {
  for (const Preconditioner preconditioner :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::multilevel})
    expect_same(make_ico(5), {.preconditioner = preconditioner, .max_iterations = 5}, 2);
}

TEST_F(DeviceSolver, SaysHowFarItIs) {
  for (const Preconditioner preconditioner :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::multilevel}) {
    const test::RecordedMonitor recorded;
    (void)solve(make_ico(5), Exec::cuda(), {.preconditioner = preconditioner, .monitor = recorded.get()}, 2);
    recorded.expect_progress("solving a linear system", 5);
    test::expect_cancelled("solving a linear system", 0.3, [&](const Monitor* monitor) {
      (void)solve(make_ico(5), Exec::cuda(), {.preconditioner = preconditioner, .monitor = monitor}, 2);
    });
  }
}

TEST_F(DeviceSolver, OfHeatFactorizesWhereTheHostDoes) {
  const TriMesh mesh = test::make_star(20000);
  const std::vector<GeodesicSource> sources = {VertexId(1)};
  const Surface host(mesh);
  const Surface device(mesh, {.exec = Exec::cuda()});
  HeatMethod on_device(device);
  test::expect_same_bytes(on_device.distances(sources), HeatMethod(host).distances(sources));
  EXPECT_EQ(on_device.report().solver, HeatSolver::direct);
}

TEST_F(DeviceSolver, OfHeatSaysHowFarItIs) {
  const TriMesh mesh = make_ico(5);
  const Surface surface(mesh, {.exec = Exec::cuda()});
  const std::vector<GeodesicSource> sources = {VertexId(1)};
  const test::RecordedMonitor recorded;
  (void)HeatMethod(surface, {.monitor = recorded.get()}).distances(sources);
  recorded.expect_progress("letting heat flow", 3);
  recorded.expect_progress("finding distances", 3);
  for (const char* stage : {"building a preconditioner", "letting heat flow", "finding distances"}) {
    test::expect_cancelled(stage, 0.1, [&](const Monitor* monitor) {
      (void)HeatMethod(surface, {.monitor = monitor}).distances(sources);
    });
  }
}

}  // namespace
}  // namespace tessera
