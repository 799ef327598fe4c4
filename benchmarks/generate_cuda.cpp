// How long do generators take on a device: isosurfaces and subdivision from resident data to resident meshes,
// all of them from host arrays to host results?
//   build/release/benchmarks/generate_cuda [--smoke] [part of the name of an input or a question: mri512,
//   weld]
// Without a device it says so and ends well: CI has none.
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/generate/coarsen.h>
#include <tessera/generate/resident.h>
#include <tessera/generate/subdivide.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/generate/weld.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/dual.h>

#include "measure.h"
#include "surfaces.h"
#include "volumes.h"

namespace tessera::bench {
namespace {

template <class Made>
std::uint64_t checksum(const Made& made) {
  return checksum_of(made.mesh);
}
std::uint64_t checksum(const Curvature& curvature) {
  return hash_values(curvature.mean, hash_values(curvature.gaussian));
}
std::uint64_t checksum(const PolyData& dual) {
  return dual.points.visit([&](auto points) {
    return hash_values(dual.polygons.corners, hash_values(dual.lines.corners, hash_values(points)));
  });
}
template <class Real>
std::uint64_t checksum(const SurfaceBuffers<Real>& surface) {
  return hash_values(surface.cells.to_host(), hash_values(surface.points.to_host()));
}

struct Run {
  Exec exec;
  bool smoke;
  std::string_view only;  ///< inputs and questions whose name contains this

  [[nodiscard]] bool is_asked(std::string_view name) const {
    return only.empty() || name.find(only) != std::string_view::npos;
  }
};

/// Times `make`, which makes a surface on the device.
template <class Real, class Make>
void ask(const Run& run, const std::string& name, std::uint64_t items, std::uint64_t input_bytes,
         const Make& make) {
  SurfaceBuffers<Real> surface = make(SurfaceNormals::none);
  const auto variant = [&](const char* label, SurfaceNormals normals) -> Variant {
    return {label,
            [&, normals] {
              surface = make(normals);
              synchronize(run.exec);
              return std::uint64_t{0};
            },
            [&] { surface = {}; }, [&] { return checksum(surface); }};
  };
  compare({.question = "isosurface",
           .input = name + ": " + std::to_string(surface.points.size()) + " vertices, " +
                    std::to_string(surface.cells.size()) + " triangles",
           .items = items,
           .bytes = input_bytes + surface.points.bytes() + surface.cells.bytes(),
           .device = run.exec.description(),
           .repeats = run.smoke ? 1 : 15},
          {variant("bare", SurfaceNormals::none), variant("gradient_normals", SurfaceNormals::gradient),
           variant("averaged_normals", SurfaceNormals::averaged)});
}

void ask_grid(const Run& run, const Volume& volume) {
  const Buffer<float> values(run.exec, volume.field.as<float>());
  ask<float>(run, volume.name, volume.grid.cell_count(), values.bytes(), [&](SurfaceNormals normals) {
    return resident_isosurface<float>(run.exec, volume.grid, values.data(), volume.isovalue,
                                      {.normals = normals});
  });
}

void ask_tets(const Run& run, const Volume& volume) {
  const auto mesh = tetrahedralize(volume.grid).mesh;
  mesh.points.visit([&](auto points) {
    using Real = std::remove_const_t<decltype(points[0].x)>;
    const Buffer<Vec3<Real>> device_points(run.exec, points);
    const Buffer<TetMesh::Cell> cells(run.exec, std::span<const TetMesh::Cell>(mesh.cells));
    const Buffer<float> values(run.exec, volume.field.as<float>());
    const ResidentTets<Real> tets{device_points.span(), cells.span()};
    ask<Real>(run, "tets of " + volume.name, mesh.cell_count(), cells.bytes() + values.bytes(),
              [&](SurfaceNormals normals) {
                return resident_isosurface<float, Real>(run.exec, tets, values.data(), volume.isovalue,
                                                        {.normals = normals});
              });
  });
}

/// Times make(exec), from host arrays to host results, on the device and on all host threads; both must give
/// the same.
template <class Make>
void ask_both(const Run& run, const std::string& question, const std::string& input, std::uint64_t items,
              const Make& make) {
  if (!run.is_asked(question)) return;
  std::optional<std::invoke_result_t<Make, Exec>> made;
  const auto variant = [&](const char* label, const Exec& exec) -> Variant {
    return {label,
            [&, exec] {
              made.emplace(make(exec));
              return std::uint64_t{0};
            },
            [&] { made.reset(); }, [&] { return checksum(*made); }};
  };
  const auto timings = compare(
      {.question = question,
       .input = input,
       .items = items,
       .device = run.exec.description(),
       .threads = run.exec.threads(),
       .repeats = run.smoke ? 1 : 7},
      {variant("device, host to host", run.exec), variant("host threads", Exec::host(run.exec.threads()))});
  if (timings[0].checksum == timings[1].checksum) return;
  std::fprintf(stderr, "wrong result: %s differs between host and device\n", question.c_str());
  std::exit(1);
}

template <int Dim>
void ask_resident_subdivision(const Run& run, const std::string& input, const SimplexMesh<Dim>& mesh) {
  using Cell = typename SimplexMesh<Dim>::Cell;
  if (!run.is_asked("subdivide")) return;
  mesh.points.visit([&](auto points) {
    using Real = std::remove_const_t<decltype(points[0].x)>;
    const Buffer<Vec3<Real>> device_points(run.exec, points);
    const Buffer<Cell> cells(run.exec, std::span<const Cell>(mesh.cells));
    const ResidentMesh<Dim, Real> resident{device_points.span(), cells.span()};
    MeshBuffers<Dim, Real> finer;
    const auto variant = [&](const char* label, SubdivisionScheme scheme) -> Variant {
      return {label,
              [&, scheme] {
                finer = resident_subdivide(run.exec, resident, scheme);
                synchronize(run.exec);
                return std::uint64_t{0};
              },
              [&] { finer = {}; },
              [&] { return hash_values(finer.cells.to_host(), hash_values(finer.points.to_host())); }};
    };
    std::vector<Variant> variants = {variant("linear, resident", SubdivisionScheme::linear)};
    if (Dim == 2) variants.push_back(variant("loop, resident", SubdivisionScheme::loop));
    compare({.question = "subdivide",
             .input = input,
             .items = mesh.cell_count(),
             .bytes = mesh.bytes() * (Dim == 2 ? 5 : 9),
             .device = run.exec.description(),
             .repeats = run.smoke ? 1 : 15},
            variants);
  });
}

void ask_generators(const Run& run) {
  const int level = run.smoke ? 3 : 8;
  const TriMesh ico = make_ico(level);
  const std::string name = "ico" + std::to_string(level);
  ask_resident_subdivision(run, name, ico);
  for (const auto scheme : {SubdivisionScheme::linear, SubdivisionScheme::loop}) {
    ask_both(run, scheme == SubdivisionScheme::linear ? "subdivide" : "subdivide loop", name,
             ico.cell_count(),
             [&](const Exec& exec) { return subdivide(ico, {.scheme = scheme, .exec = exec}); });
  }
  const TetMesh kuhn = make_kuhn_full(run.smoke ? 9 : 65);
  ask_resident_subdivision(run, "kuhn-full tets", kuhn);
  ask_both(run, "subdivide tets", "kuhn-full tets", kuhn.cell_count(),
           [&](const Exec& exec) { return subdivide(kuhn, {.exec = exec}); });

  const TriMesh soup = make_soup(ico);
  ask_both(run, "weld", "soup of " + name, soup.cell_count(),
           [&](const Exec& exec) { return weld(soup, {.exec = exec}); });

  const std::uint32_t n = run.smoke ? 17 : 128;
  const Grid grid = make_lattice(n, n, n);
  const std::string points = std::to_string(n) + "^3 points";
  for (const auto method : {TetMethod::five, TetMethod::six, TetMethod::face_centred}) {
    const char* const how[] = {"five", "six", "face-centred"};
    ask_both(run, std::string("tetrahedralize ") + how[static_cast<int>(method)], points, grid.cell_count(),
             [&](const Exec& exec) { return tetrahedralize(grid, {.method = method, .exec = exec}); });
  }
  if (!run.is_asked("coarsen") && !run.is_asked("curvature") && !run.is_asked("dual")) return;
  const Field field = make_mri_field(grid, run.exec);
  const double value = 0.15;
  const Isosurface surface = isosurface(grid, field, {&value, 1}, {.keep_provenance = true});
  ask_both(run, "coarsen", "mri " + points, surface.mesh.cell_count(),
           [&](const Exec& exec) { return coarsen(surface.mesh, surface.provenance, {.exec = exec}); });
  ask_both(run, "curvature", "mri " + points, surface.mesh.cell_count(),
           [&](const Exec& exec) { return compute_curvature(surface.mesh, {.exec = exec}); });
  ask_both(run, "dual", "mri " + points, surface.mesh.cell_count(),
           [&](const Exec& exec) { return make_dual(surface.mesh, {.exec = exec}); });
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  const bool smoke = bench::is_smoke(argc, argv);
  if (devices().empty()) {
    std::printf("{\"question\":\"isosurface\",\"skipped\":\"%s\"}\n", no_device_reason().c_str());
    return 0;
  }
  const bench::Run run{Exec::cuda(0), smoke, argc > 1 && argv[argc - 1][0] != '-' ? argv[argc - 1] : ""};
  const std::uint32_t part = smoke ? 16 : 1;
  for (const std::string field : {"sphere", "mri"}) {
    for (const std::uint32_t n : {128u, 256u, 512u}) {
      if (run.is_asked(field + std::to_string(n)))
        bench::ask_grid(run, bench::make_volume(field, n / part, run.exec));
    }
  }
  if (run.is_asked("tets of mri")) bench::ask_tets(run, bench::make_volume("mri", 128 / part, run.exec));
  bench::ask_generators(run);
}
