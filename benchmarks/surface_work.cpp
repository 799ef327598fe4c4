// What does work on a surface cost, with building it and without?
//   build/release/benchmarks/surface_work [--smoke] [cpu|cuda [threads [INPUT (surfaces.h)
//   [shuffled]]]]
// "with_building" begins with points and triangles in the host's memory and ends there; "without" has the
// surface, its rows and its coordinates where it runs. Queries of the host write their rows into one array.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/denoise.h>
#include <tessera/surface/flow.h>
#include <tessera/surface/normals.h>
#include <tessera/surface/smooth.h>
#include <tessera/surface/surface.h>

#include "measure.h"
#include "surfaces.h"

namespace {

using namespace tessera;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

struct Run {
  Exec exec;
  std::string input;
  bool smoke;
  const TriMesh& mesh;

  [[nodiscard]] bench::Setup setup(const std::string& question) const {
    return {.question = question,
            .input = input,
            .items = mesh.cell_count(),
            .bytes = mesh.bytes(),
            .device = exec.is_cuda() ? exec.description() : "cpu",
            .threads = exec.threads(),
            .repeats = smoke ? 1 : 5};
  }
};

template <class R>
uint64_t write_rows(const Surface& surface, Array<uint32_t>& out) {
  const auto kept = surface.rows<R>();
  const SurfaceRows<R> rows = kept.template get<R>();
  const size_t entries =
      SurfaceRows<R>::width != 0 ? SurfaceRows<R>::width * rows.size() : rows.offsets()[rows.size()];
  out.resize(entries);
  for_each<R>(surface, [&, values = rows.values()](auto, auto row) {
    uint32_t* to = out.data() + (row.data() - values);
    for (size_t k = 0; k < row.size(); ++k) to[k] = row[k].index();
  });
  return entries;
}

template <class R>
void measure_query(const Run& run, const std::string& name) {
  Array<uint32_t> out;
  const Surface ready(run.mesh, {.exec = run.exec});
  bench::compare(
      run.setup("query_" + name),
      {{"with_building", [&] { return write_rows<R>(Surface(run.mesh, {.exec = run.exec}), out); }},
       {"without", [&] { return write_rows<R>(ready, out); }}});
}

void measure_queries(const Run& run) {
  bench::compare(run.setup("build"), {{"structure", [&] {
                                         const Surface surface(run.mesh, {.exec = run.exec});
                                         synchronize(run.exec);
                                         return uint64_t{surface.face_count()};
                                       }}});
  if (run.exec.is_cuda()) return;  // queries_cuda has them
  measure_query<VV>(run, "VV");
  measure_query<VE>(run, "VE");
  measure_query<VF>(run, "VF");
  measure_query<EV>(run, "EV");
  measure_query<EF>(run, "EF");
  measure_query<EE>(run, "EE");
  measure_query<FV>(run, "FV");
  measure_query<FE>(run, "FE");
  measure_query<FF>(run, "FF");
  measure_query<CyclicVV>(run, "cyclic_VV");
}

/// Work that moves the vertices: on a mesh, and on the coordinates of a surface, which are copied first.
void measure_moving(const Run& run, const std::string& name, const std::function<void()>& on_mesh,
                    const std::function<void(VertexAttribute<Vec3d>&)>& on_surface) {
  const Surface surface(run.mesh, {.exec = run.exec});
  std::optional<VertexAttribute<Vec3d>> place;
  bench::compare(run.setup(name), {{"with_building",
                                    [&] {
                                      on_mesh();
                                      return uint64_t{0};
                                    }},
                                   {.name = "without",
                                    .run =
                                        [&] {
                                          on_surface(*place);
                                          synchronize(run.exec);
                                          return uint64_t{0};
                                        },
                                    .prepare = [&] { place.emplace(positions<double>(surface)); }}});
}

void measure_flow(const Run& run, bool precondition) {
  const Surface surface(run.mesh, {.exec = run.exec});
  const FlowOptions options = {.tolerance = 1e-6, .precondition = precondition, .exec = run.exec};
  for (const bool is_one : {true, false}) {
    // The difference of a step and of one with a single iteration is the time of the others.
    FlowOptions own = options;
    if (is_one) own.max_iterations = 1;
    std::optional<VertexAttribute<Vec3d>> place;
    FlowReport report;
    bench::compare(run.setup(precondition ? "flow_preconditioned" : "flow"),
                   {{.name = is_one ? "one_iteration" : "until_1e-6",
                     .run =
                         [&] {
                           report = flow(*place, own);
                           return uint64_t{report.iterations};
                         },
                     .prepare = [&] { place.emplace(positions<double>(surface)); }}});
    std::fprintf(stderr, "%s: %zu iterations, residual %.2g\n", run.input.c_str(), report.iterations,
                 report.residual);
  }
}

void measure_applications(const Run& run) {
  const TriMesh& mesh = run.mesh;
  const Surface surface(mesh, {.exec = run.exec});
  const auto place = positions<float>(surface);
  VertexAttribute<Vec3f> normal(surface);
  const int launches = run.exec.is_cuda() ? 50 : 1;
  bench::Setup setup = run.setup("vertex_normals");
  bench::compare(setup, {{"with_building", [&] { return vertex_normals(mesh, {.exec = run.exec}).size(); }}});
  setup.question = "vertex_normals_times_" + std::to_string(launches);
  bench::compare(setup, {{"without", [&] {
                            for (int i = 0; i < launches; ++i) fill_vertex_normals(place, normal);
                            synchronize(run.exec);
                            return uint64_t{0};
                          }}});
  bench::compare(run.setup("curvature"),
                 {{"with_building", [&] { return compute_curvature(mesh, {.exec = run.exec}).mean.size(); }},
                  {"without", [&] {
                     const auto curvature = compute_curvature(place);
                     synchronize(run.exec);
                     return curvature.mean.size();
                   }}});
  const SmoothOptions explicit_steps = {
      .weights = SmoothWeights::cotangent, .iterations = 10, .exec = run.exec};
  measure_moving(
      run, "smooth_10_cotangent", [&] { (void)smooth(mesh, explicit_steps); },
      [&](VertexAttribute<Vec3d>& p) { smooth(p, explicit_steps); });
  // Neighbourhoods as they are by default, of some 18 vertices, and about as large as a vertex's own ring,
  // which is what others look at.
  auto points = positions<double>(surface);
  const double edge = denoise(points, {.iterations = 0});
  for (const double share : {1.0, 0.65}) {
    const DenoiseOptions passes = {.iterations = 5, .sigma_c = share * edge, .exec = run.exec};
    measure_moving(
        run, share == 1 ? "denoise_5" : "denoise_5_ring", [&] { (void)denoise(mesh, passes); },
        [&](VertexAttribute<Vec3d>& p) { denoise(p, passes); });
  }
  measure_flow(run, false);
  measure_flow(run, true);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::string(argv[1]) == "--smoke";
  const int skip = smoke ? 1 : 0;
  const auto argument = [&](int k, const char* otherwise) {
    return std::string(argc > k + skip ? argv[k + skip] : otherwise);
  };
  const bool on_device = argument(1, "cpu") == "cuda";
  const int threads = std::atoi(argument(2, "1").c_str());
  const std::string name = argument(3, on_device ? "ico8" : "torus");
  if (on_device && devices().empty()) {
    std::fprintf(stderr, "no GPU: %s\n", no_device_reason().c_str());
    return 0;
  }
  TriMesh mesh = bench::make_surface(smoke ? "ico3" : name);
  const bool is_shuffled = argument(4, on_device ? "natural" : "shuffled") == "shuffled";
  if (is_shuffled) mesh = make_shuffled(mesh);
  const Run run = {on_device ? Exec::cuda(0, threads) : Exec::host(threads),
                   name + (is_shuffled ? " shuffled" : ""), smoke, mesh};
  measure_queries(run);
  measure_applications(run);
  return 0;
}
