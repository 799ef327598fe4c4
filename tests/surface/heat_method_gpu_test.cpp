// Solvers and the heat method on a device give the host's bytes.
#include <gtest/gtest.h>

#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/surface/heat_method.h>
#include <tessera/surface/solve.h>

#include "surface/on_both_sides.h"

namespace tessera {
namespace {

class SolveGpu : public test::OnDevice {};
class HeatMethodGpu : public test::OnDevice {};

Array<double> solved(const TriMesh& mesh, const Exec& exec, Preconditioner preconditioner) {
  const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
  Solver solver(make_laplacian(surface), {.preconditioner = preconditioner});
  Array<double> b(surface.vertex_count());
  for (std::size_t v = 0; v < b.size(); ++v) b[v] = v % 2 == 0 ? 1 : -1;
  if (b.size() % 2 != 0) b.back() = 0;
  const Buffer<double> there(exec, b);
  Buffer<double> x(exec, b.size());
  EXPECT_TRUE(solver.solve(there.data(), x.data()).has_converged);
  return x.to_host();
}

TEST_F(SolveGpu, SolutionsAreTheHosts) {
  for (const TriMesh& mesh : {make_ico(5), make_shuffled(make_torus(90, 77))}) {
    for (const Preconditioner p : {Preconditioner::jacobi, Preconditioner::multilevel})
      EXPECT_EQ(solved(mesh, Exec::host(), p), solved(mesh, Exec::cuda(), p));
  }
}

TEST_F(HeatMethodGpu, DistancesAreTheHosts) {
  for (const TriMesh& mesh : {make_ico(5), make_shuffled(make_torus(90, 77)), make_height_field(60, 50),
                              make_small_surface("two_components"), make_small_surface("isolated_vertices"),
                              make_small_surface("moebius")}) {
    const std::vector<GeodesicSource> sources = {VertexId(1), FacePoint{FaceId(0), {0.25, 0.25, 0.5}}};
    for (const HeatSolver solver : {HeatSolver::iterative, HeatSolver::direct}) {
      std::vector<Array<double>> results;
      for (const Exec& exec : {Exec::host(), Exec::cuda()}) {
        const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
        HeatMethod heat(surface, {.solver = solver});
        results.push_back(heat.distances(sources));
        EXPECT_TRUE(heat.report().has_converged);
        EXPECT_EQ(heat.distances(sources), results.back());
      }
      EXPECT_EQ(results[0], results[1]);
    }
  }
}

}  // namespace
}  // namespace tessera
