// How long does a connected isosurface take on a device, from resident data to a resident surface?
//   build/release/benchmarks/generate_cuda [--smoke]
// Without a device it says so and ends well: CI has none.
#include <string>
#include <variant>

#include <tessera/core/hash.h>
#include <tessera/generate/resident.h>
#include <tessera/mesh/triangulate.h>

#include "measure.h"
#include "volumes.h"

namespace tessera::bench {
namespace {

template <class Real>
std::uint64_t checksum(const SurfaceBuffers<Real>& surface) {
  return hash_values(surface.cells.to_host(), hash_values(surface.points.to_host()));
}

/// Times `run`, which makes a surface on the device.
template <class Real, class Run>
void ask(const std::string& name, std::uint64_t items, std::uint64_t input_bytes, const Exec& exec,
         bool smoke, const Run& run) {
  SurfaceBuffers<Real> surface = run(false);
  const auto variant = [&](const char* label, bool with_normals) -> Variant {
    return {label,
            [&, with_normals] {
              surface = run(with_normals);
              synchronize(exec);
              return std::uint64_t{0};
            },
            [&] { surface = {}; }, [&] { return checksum(surface); }};
  };
  Setup setup{.question = "isosurface",
              .input = name + ": " + std::to_string(surface.points.size()) + " vertices, " +
                       std::to_string(surface.cells.size()) + " triangles",
              .items = items,
              .bytes = input_bytes + surface.points.bytes() + surface.cells.bytes(),
              .device = exec.description(),
              .repeats = smoke ? 1 : 15};
  std::vector<Variant> variants = {variant("bare", false)};
  if (surface.normals.empty() && items > 0 && name.find("tets") == std::string::npos) {
    variants.push_back(variant("gradient_normals", true));
  }
  compare(setup, variants);
}

void ask_grid(const Volume& volume, const Exec& exec, bool smoke) {
  const Buffer<float> values(exec, volume.field.as<float>());
  ask<float>(volume.name, volume.grid.cell_count(), values.bytes(), exec, smoke, [&](bool with_normals) {
    return resident_isosurface<float>(exec, volume.grid, values.data(), volume.isovalue,
                                      {.with_normals = with_normals});
  });
}

void ask_tets(const Volume& volume, const Exec& exec, bool smoke) {
  const auto mesh = std::get<TetMesh>(triangulate(volume.grid));
  mesh.points.visit([&](auto points) {
    using Real = std::remove_const_t<decltype(points[0].x)>;
    const Buffer<Vec3<Real>> device_points(exec, points);
    const Buffer<TetMesh::Cell> cells(exec, std::span<const TetMesh::Cell>(mesh.cells));
    const Buffer<float> values(exec, volume.field.as<float>());
    const ResidentTets<Real> tets{device_points.span(), cells.span()};
    ask<Real>(
        "tets of " + volume.name, mesh.cell_count(), cells.bytes() + values.bytes(), exec, smoke,
        [&](bool) { return resident_isosurface<float, Real>(exec, tets, values.data(), volume.isovalue); });
  });
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
  const Exec exec = Exec::cuda(0);
  const std::uint32_t part = smoke ? 16 : 1;
  for (const char* field : {"sphere", "mri"}) {
    for (const std::uint32_t n : {128u, 256u, 512u}) {
      bench::ask_grid(bench::make_volume(field, n / part, exec), exec, smoke);
    }
  }
  bench::ask_tets(bench::make_volume("mri", 128 / part, exec), exec, smoke);
}
