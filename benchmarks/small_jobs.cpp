// Do small jobs pay for threads that they do not need, on an idle machine and on a busy one?
//   build/release/benchmarks/small_jobs [--smoke] [milliseconds a case [cells at most]] [job]
// Every job runs with the threads of the default (as many as the machine has) and with 1, a quarter and half
// of them, while none, half or all cores are kept busy by other threads. A line a measurement goes to stdout,
// the table of ratios (default over the best of all) to stderr.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/generate/isosurface.h>
#include <tessera/generate/subdivide.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/generate/weld.h>
#include <tessera/mesh/doctor.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/dual.h>
#include <tessera/surface/normals.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/persistence.h>

#include "measure.h"
#include "surfaces.h"

namespace {

using namespace tessera;

/// Threads that keep cores busy for as long as this lives, as another program would.
class OtherWork {
 public:
  explicit OtherWork(int cores) {
    for (int i = 0; i < cores; ++i) {
      threads_.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
        }
      });
    }
  }
  OtherWork(const OtherWork&) = delete;
  OtherWork& operator=(const OtherWork&) = delete;
  ~OtherWork() {
    for (std::jthread& thread : threads_) thread.request_stop();
  }

 private:
  std::vector<std::jthread> threads_;
};

/// What jobs of one size work on: each about that many cells.
struct Inputs {
  std::size_t cells;
  TetMesh solid;
  Field on_solid;
  TriMesh surface;
  TriMesh soup;
  Grid grid;
  Field on_grid;
};

Inputs make_inputs(std::size_t cells) {
  const auto side = [&](double cells_a_voxel) {
    return static_cast<std::uint32_t>(std::cbrt(static_cast<double>(cells) / cells_a_voxel)) + 1;
  };
  TetMesh solid = make_kuhn_full(side(6));
  Field on_solid = make_wave_field(solid.points, WaveField::rough);
  const auto n = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(cells) / 2)) + 1;
  TriMesh surface = make_torus(n, n);
  TriMesh soup = bench::make_soup(surface);
  const Grid grid = make_lattice(side(1), side(1), side(1));
  return {cells, std::move(solid),    std::move(on_solid), std::move(surface), std::move(soup),
          grid,  make_mri_field(grid)};
}

struct Job {
  std::string name;
  std::function<std::uint64_t(const Inputs&, const Exec&)> run;
};

std::vector<Job> make_jobs() {
  static const double isovalue = 0.15;
  return {
      {"critical_points",
       [](const Inputs& in, const Exec& exec) {
         return critical_points(in.solid, in.on_solid, {.exec = exec}).points.size();
       }},
      {"gradient",
       [](const Inputs& in, const Exec& exec) {
         return compute_gradient(in.solid, in.on_solid, {.exec = exec}).critical_cells(1).size();
       }},
      {"morse_smale",
       [](const Inputs& in, const Exec& exec) {
         return morse_smale(in.solid, in.on_solid, {.exec = exec}).separatrices.ends.size();
       }},
      {"persistence",
       [](const Inputs& in, const Exec& exec) {
         const auto gradient = compute_gradient(in.solid, in.on_solid, {.exec = exec, .keep_paths = true});
         return compute_persistence(gradient, in.on_solid, {.exec = exec}).pairs.size();
       }},
      {"doctor",
       [](const Inputs& in, const Exec& exec) { return diagnose(in.solid, {.exec = exec}).findings.size(); }},
      {"isosurface",
       [](const Inputs& in, const Exec& exec) {
         return isosurface(in.grid, in.on_grid, {&isovalue, 1}, {.exec = exec}).mesh.cell_count();
       }},
      {"isosurface_tets",
       [](const Inputs& in, const Exec& exec) {
         const double value = 0;
         return isosurface(in.solid, in.on_solid, {&value, 1}, {.exec = exec}).mesh.cell_count();
       }},
      {"tetrahedralize",
       [](const Inputs& in, const Exec& exec) {
         return tetrahedralize(in.grid, {.exec = exec}).mesh.cell_count();
       }},
      {"subdivide",
       [](const Inputs& in, const Exec& exec) {
         return subdivide(in.surface, {.scheme = SubdivisionScheme::loop, .exec = exec}).mesh.cell_count();
       }},
      {"weld",
       [](const Inputs& in, const Exec& exec) { return weld(in.soup, {.exec = exec}).mesh.vertex_count(); }},
      {"dual", [](const Inputs& in,
                  const Exec& exec) { return make_dual(in.surface, {.exec = exec}).vertex_count(); }},
      {"curvature",
       [](const Inputs& in, const Exec& exec) {
         return compute_curvature(in.surface, {.exec = exec}).mean.size();
       }},
      {"normals",
       [](const Inputs& in, const Exec& exec) { return vertex_normals(in.surface, {.exec = exec}).size(); }},
  };
}

/// How much longer the default takes than the best number of threads.
double compare(const Job& job, const Inputs& in, int busy, double seconds, bool smoke) {
  const int cores = Exec::host().threads();
  const auto with = [&](int threads) {
    return bench::Variant{threads == 0 ? "default" : std::to_string(threads) + " threads",
                          [&, threads] { return job.run(in, Exec::host(threads)); }};
  };
  std::vector<bench::Variant> variants = {with(0), with(1)};
  for (const int threads : {cores / 4, cores / 2}) {
    if (threads > 1) variants.push_back(with(threads));
  }
  const double once = bench::seconds_of([&] { (void)job.run(in, Exec::host(1)); });
  const OtherWork others(busy);
  const int repeats =
      std::clamp(static_cast<int>(seconds / once / static_cast<double>(variants.size())), 3, 51);
  const auto timings = bench::compare({.question = job.name,
                                       .input = std::to_string(in.cells) + " cells, " + std::to_string(busy) +
                                                " of " + std::to_string(cores) + " cores busy",
                                       .items = in.cells,
                                       .threads = cores,
                                       .repeats = smoke ? 1 : repeats},
                                      variants);
  const auto best = std::ranges::min_element(timings, {}, &bench::Timing::median);
  std::fprintf(stderr, "%-16s %8zu cells %3d busy  default %9.3f ms  best %9.3f ms (%s)  %.2f\n",
               job.name.c_str(), in.cells, busy, 1e3 * timings[0].median, 1e3 * best->median,
               best->name.c_str(), timings[0].median / best->median);
  return timings[0].median / best->median;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  std::vector<int> numbers;
  for (int i = 1; i < argc; ++i) {
    if (std::atoi(argv[i]) > 0) numbers.push_back(std::atoi(argv[i]));
  }
  const double seconds = numbers.empty() ? 0.1 : 1e-3 * numbers[0];
  const std::size_t most = numbers.size() > 1 ? static_cast<std::size_t>(numbers[1])
                           : smoke            ? 1000
                                              : 1'000'000;
  const int cores = Exec::host().threads();
  double worst = 1;
  for (std::size_t cells = 1000; cells <= most; cells *= 10) {
    const Inputs in = make_inputs(cells);
    for (const Job& job : make_jobs()) {
      if (!bench::is_asked(argc, argv, job.name)) continue;
      for (const int busy : {0, cores / 2, cores}) {
        worst = std::max(worst, compare(job, in, busy, seconds, smoke));
      }
    }
  }
  std::fprintf(stderr, "worst ratio of the default to the best: %.2f\n", worst);
}
