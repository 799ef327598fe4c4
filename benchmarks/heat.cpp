// How long do geodesic distances by the heat method take: from a mesh to the first, and from each further
// source; and what do the parts of it take: matrices, solvers, products?
//   build/release/benchmarks/heat [--smoke] [threads] [level of the icosphere]
// The distances are compared with those of the sphere before a time is printed. On a machine with a GPU it is
// measured as well.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/heat_method.h>
#include <tessera/surface/solve.h>

#include "measure.h"

namespace {

using namespace tessera;

const char* name_of(HeatSolver solver) {
  return solver == HeatSolver::direct ? "direct" : "iterative";
}

Array<double> distances_from(HeatMethod& heat, std::uint32_t vertex) {
  const GeodesicSource source = VertexId(vertex);
  return heat.distances({&source, 1});
}

void check(const TriMesh& mesh, const Array<double>& distance) {
  const Vec3d from = mesh.points[VertexId(0)];
  double sum = 0;
  for (std::uint32_t v = 0; v < distance.size(); ++v) {
    const Vec3d p = mesh.points[VertexId(v)];
    const double exact = length(from) * std::atan2(length(cross(from, p)), dot(from, p));
    sum += std::abs(distance[v] - exact);
  }
  const double mean = sum / static_cast<double>(distance.size());
  if (mean < 0.05) return;
  std::fprintf(stderr, "distances are off by %g on average\n", mean);
  std::exit(1);
}

bench::Setup setup_of(const char* question, const TriMesh& mesh, const Exec& exec, bool smoke) {
  return {.question = question,
          .input = "icosphere, " + std::to_string(mesh.vertex_count()) + " vertices",
          .items = mesh.vertex_count(),
          .bytes = 0,
          .device = exec.is_cuda() ? exec.description() : "cpu",
          .threads = exec.threads(),
          .repeats = smoke ? 1 : 5};
}

void measure_heat(const TriMesh& mesh, const Exec& exec, bool smoke) {
  std::vector<bench::Variant> whole, further;
  std::vector<std::optional<Surface>> surfaces(2);
  std::vector<std::optional<HeatMethod>> prepared(2);
  for (const HeatSolver solver : {HeatSolver::iterative, HeatSolver::direct}) {
    const auto k = static_cast<std::size_t>(solver);
    surfaces[k].emplace(mesh, SurfaceOptions{.exec = exec, .max_vertices = 256});
    prepared[k].emplace(*surfaces[k], HeatOptions{.solver = solver});
    check(mesh, distances_from(*prepared[k], 0));
    const HeatReport report = prepared[k]->report();
    std::fprintf(stderr, "%s on %s: %u + %u iterations, residual %.2g, %.1f MB\n", name_of(solver),
                 exec.description().c_str(), report.heat_iterations, report.distance_iterations,
                 report.residual, static_cast<double>(prepared[k]->bytes()) / 1e6);
    whole.push_back({name_of(solver), [&mesh, exec, solver] {
                       const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
                       HeatMethod heat(surface, {.solver = solver});
                       return hash_values(distances_from(heat, 0));
                     }});
    further.push_back(
        {name_of(solver), [&heat = *prepared[k]] { return hash_values(distances_from(heat, 7)); }});
  }
  bench::compare(setup_of("heat_from_mesh", mesh, exec, smoke), whole);
  bench::compare(setup_of("heat_further_source", mesh, exec, smoke), further);
}

void measure_parts(const TriMesh& mesh, const Exec& exec, bool smoke) {
  const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
  bench::compare(setup_of("make_matrix", mesh, exec, smoke),
                 {{"laplacian", [&] { return std::uint64_t{make_laplacian(surface).entry_count()}; }},
                  {"gradient", [&] { return std::uint64_t{make_gradient(surface).entry_count()}; }}});
  const SparseMatrix l = make_laplacian(surface);
  const LaplacianOperator free(surface);
  VertexAttribute<double> x(surface, 1), y(surface);
  const auto finish = [&] {
    synchronize(exec);
    return std::uint64_t{0};
  };
  bench::compare(setup_of("laplacian_product", mesh, exec, smoke),
                 {{"matrix",
                   [&] {
                     multiply(l, x.view().data(), y.view().data());
                     return finish();
                   }},
                  {"matrix-free", [&] {
                     free.apply(x.view().data(), y.view().data());
                     return finish();
                   }}});
  Solver solver(make_laplacian(surface));
  Array<double> b(surface.vertex_count(), 0);
  b.front() = 1;
  b.back() = -1;
  const Buffer<double> there(exec, b);
  bench::compare(
      setup_of("poisson", mesh, exec, smoke),
      {{"prepare", [&] { return std::uint64_t{Solver(make_laplacian(surface)).level_count()}; }},
       {"solve", [&] { return std::uint64_t{solver.solve(there.data(), y.view().data()).iterations}; }}});
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  int level = smoke ? 3 : 7;
  for (int i = 1, seen = 0; i < argc; ++i) {
    if (std::atoi(argv[i]) > 0 && ++seen == 2) level = std::atoi(argv[i]);
  }
  const TriMesh mesh = make_ico(level, {.displace = false});
  std::vector<Exec> places = {Exec::host(bench::threads_argument(argc, argv))};
  if (!devices().empty()) places.push_back(Exec::cuda());
  for (const Exec& exec : places) {
    measure_heat(mesh, exec, smoke);
    measure_parts(mesh, exec, smoke);
  }
}
