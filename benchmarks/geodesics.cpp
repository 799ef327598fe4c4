// How long do geodesic distances from one vertex take, with the surface built anew and with one that is
// there, and how far off are they on a sphere?
//   build/release/benchmarks/geodesics [--smoke] [--device] [threads] [part of the name of an input, or an
//   .off file (surfaces.h)]
// Without --device on host threads. The error, against the distance on the sphere, goes to stderr.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/geodesics.h>

#include "measure.h"
#include "surfaces.h"

namespace tessera::bench {
namespace {

constexpr std::array<GeodesicSource, 1> sources = {VertexId(0)};

Geodesics<float> run(const Surface& surface, FrontShape shape) {
  Geodesics<float> result = compute_geodesics<float>(surface, sources, {.shape = shape});
  synchronize(surface.exec());
  return result;
}

void ask(const std::string& name, const TriMesh& mesh, const Exec& exec, bool smoke) {
  std::optional<Surface> surface;
  std::optional<Geodesics<float>> result;
  const auto checksum = [&] {
    const auto values = result->distance.values();
    result.reset();
    return hash_values(values);
  };
  const Surface built(mesh, {.exec = exec});
  const auto reused = [&](const char* label, FrontShape shape) -> Variant {
    return {label,
            [&, shape] {
              result = run(built, shape);
              return std::uint64_t{0};
            },
            [] {}, checksum};
  };
  const Variant anew = {"with_building",
                        [&] {
                          surface.emplace(mesh, SurfaceOptions{.exec = exec});
                          result = run(*surface, FrontShape::circular);
                          return std::uint64_t{0};
                        },
                        [&] { surface.reset(); }, checksum};
  compare({.question = "geodesics",
           .input = name,
           .items = mesh.cell_count(),
           .bytes = mesh.vertex_count() * 20 + mesh.cell_count() * 12,
           .device = exec.description(),
           .threads = exec.threads(),
           .repeats = smoke ? 1 : 5},
          {anew, reused("circular", FrontShape::circular), reused("planar", FrontShape::planar)});
  std::fprintf(stderr, "%s: %u rounds\n", name.c_str(), run(built, FrontShape::circular).rounds);
}

/// On a sphere of radius 1 the distance is the angle.
void report_error(const std::string& name, const TriMesh& mesh, const Exec& exec) {
  const Surface surface(mesh, {.exec = exec});
  for (const FrontShape shape : {FrontShape::circular, FrontShape::planar}) {
    const auto distance = run(surface, shape).distance.values();
    double mean = 0;
    double most = 0;
    mesh.points.visit([&](auto points) {
      const auto from = vec_cast<double>(points[0]);
      for (std::size_t v = 1; v < distance.size(); ++v) {
        const auto at = vec_cast<double>(points[v]);
        const double exact = std::atan2(length(cross(from, at)), dot(from, at));
        const double error = std::abs(static_cast<double>(distance[v]) - exact);
        mean += error / exact / static_cast<double>(distance.size() - 1);
        most = std::max(most, error);
      }
    });
    std::fprintf(stderr, "%s, %s: mean relative error %.3g, greatest error %.3g\n", name.c_str(),
                 shape == FrontShape::circular ? "circular" : "planar", mean, most);
  }
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  const bool smoke = bench::is_smoke(argc, argv);
  const int threads = bench::threads_argument(argc, argv);
  bool on_device = false;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--device") == 0) on_device = true;
    if (std::atoi(argv[i]) == 0 && argv[i][0] != '-') only = argv[i];
  }
  if (on_device && devices().empty()) {
    std::fprintf(stderr, "%s\n", no_device_reason().c_str());
    return 0;
  }
  const Exec exec = on_device ? Exec::cuda(0, threads) : Exec::host(threads);
  if (only.find('.') != std::string::npos) {
    bench::ask(only, make_shuffled(bench::make_surface(only)), exec, smoke);
    return 0;
  }
  const auto is_asked = [&](const std::string& name) {
    return only.empty() || name.find(only) != std::string::npos;
  };
  const int finest = smoke ? 3 : on_device ? 9 : 8;
  for (int level = smoke ? 2 : 5; level <= finest; ++level) {
    const std::string name = "ico" + std::to_string(level);
    if (!is_asked(name)) continue;
    const TriMesh mesh = make_ico(level, {.displace = false});
    bench::ask(name, mesh, exec, smoke);
    bench::ask(name + " shuffled", make_shuffled(mesh), exec, smoke);
    bench::report_error(name, mesh, exec);
  }
  if (is_asked("torus2m")) {
    bench::ask("torus2m shuffled", make_shuffled(bench::make_surface(smoke ? "800" : "torus")), exec, smoke);
  }
}
