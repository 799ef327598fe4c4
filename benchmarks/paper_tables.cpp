// Tables 2 to 6 of Miller, Moreland, Ma: "Finely-Threaded History-Based Topology Computation", on the host.
//   build/release/benchmarks/paper_tables [--smoke] [threads] [table2|table3|table4|table5|table6]
// Inputs are the paper's where they can be made: the distance to a point, and noise of about as many
// triangles as its MRI. Its supernova data set could not be obtained. Surfaces carry normals and a number, as
// the paper's do.
#include <string>
#include <utility>
#include <vector>

#include <tessera/generate/coarsen.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/subdivide.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/generate/weld.h>
#include <tessera/surface/dual.h>

#include "measure.h"
#include "surfaces.h"
#include "volumes.h"

namespace tessera::bench {
namespace {

struct Run {
  Exec exec;
  int repeats;
  std::vector<std::pair<std::string, std::uint32_t>> inputs;

  [[nodiscard]] Setup setup(const char* table, const std::string& input, const TriMesh& surface) const {
    return {.question = table,
            .input = input + ": " + std::to_string(surface.cell_count()) + " triangles",
            .items = surface.cell_count(),
            .bytes = surface.bytes(),
            .threads = exec.threads(),
            .repeats = repeats};
  }
};

std::uint64_t checksum(const Isosurface& surface) {
  return checksum_of(surface.mesh);
}

/// Calls f(name, mesh, field, isovalue) for each lattice, and each of up to 128^3 points as tetrahedra.
template <class F>
void for_each_volume(const Run& run, const F& f) {
  for (const auto& [name, n] : run.inputs) {
    const Volume volume = make_volume(name, n, run.exec);
    f(volume.name + " structured", volume.grid, volume.field, volume.isovalue);
    if (n > 128) continue;
    const TetMesh tets =
        tetrahedralize(volume.grid, {.method = TetMethod::five, .exec = run.exec}).mesh;  // "minimal"
    f(volume.name + " unstructured", tets, volume.field, volume.isovalue);
  }
}

/// Calls f(name, surface) for the isosurface of each of them.
template <class F>
void for_each_surface(const Run& run, bool with_data, const F& f) {
  for_each_volume(run, [&](const std::string& name, const auto& mesh, const Field& field, double value) {
    f(name,
      isosurface(mesh, field, {&value, 1},
                 {.normals = with_data ? SurfaceNormals::averaged : SurfaceNormals::none, .exec = run.exec}));
  });
}

/// Marching cubes: without and with averaged normals; beside it the weld that a soup of it would need.
void table2(const Run& run) {
  for_each_volume(run, [&](const std::string& name, const auto& mesh, const Field& field, double value) {
    const auto with = [&, value](SurfaceNormals normals) {
      return [&, value, normals] {
        return isosurface(mesh, field, {&value, 1},
                          {.normals = normals, .transfer_data = false, .exec = run.exec});
      };
    };
    const TriMesh surface = with(SurfaceNormals::none)().mesh;
    const TriMesh soup = make_soup(surface);
    compare(run.setup("table2", name, surface),
            {variant("isosurface", with(SurfaceNormals::none), checksum),
             variant("averaging", with(SurfaceNormals::averaged), checksum),
             variant(
                 "weld of its soup", [&] { return weld(soup, {.exec = run.exec}); },
                 [](const Welded<2>& welded) { return checksum_of(welded.mesh); })});
  });
}

void table3(const Run& run) {
  for_each_surface(run, true, [&](const std::string& name, const Isosurface& surface) {
    if (name.find("unstructured") != std::string::npos) return;
    compare(run.setup("table3", name, surface.mesh),
            {variant(
                "subdivide", [&] { return subdivide(surface.mesh, {.exec = run.exec}); },
                [](const Subdivision<2>& finer) { return checksum_of(finer.mesh); })});
  });
}

void table4(const Run& run) {
  for (const auto& [name, n] : run.inputs) {
    if (n > 128) continue;  // 398 million tetrahedra of 256^3 points take 7 GB
    Volume volume = make_volume(name, n, run.exec);
    volume.grid.point_data.add(volume.field);
    const std::size_t cells = 24 * volume.grid.cell_count();
    compare({.question = "table4",
             .input = volume.name + ": " + std::to_string(cells) + " tetrahedra",
             .items = cells,
             .bytes = cells * sizeof(TetMesh::Cell),
             .threads = run.exec.threads(),
             .repeats = run.repeats},
            {variant(
                "face-centred",
                [&] {
                  return tetrahedralize(volume.grid, {.method = TetMethod::face_centred, .exec = run.exec});
                },
                [](const Tetrahedralization& cut) { return checksum_of(cut.mesh); })});
  }
}

void table5(const Run& run) {
  for_each_volume(run, [&](const std::string& name, const auto& mesh, const Field& field, double value) {
    const auto make = [&, value] {
      const Isosurface surface = isosurface(
          mesh, field, {&value, 1}, {.keep_provenance = true, .transfer_data = false, .exec = run.exec});
      return coarsen(surface.mesh, surface.provenance, {.exec = run.exec});
    };
    compare(run.setup("table5", name, make().mesh),
            {variant("isosurface and coarsen", make,
                     [](const Coarsened& coarse) { return checksum_of(coarse.mesh); })});
  });
}

void table6(const Run& run) {
  for_each_surface(run, false, [&](const std::string& name, const Isosurface& surface) {
    compare(run.setup("table6", name, surface.mesh),
            {variant(
                "dual", [&] { return make_dual(surface.mesh, {.exec = run.exec}); },
                [](const PolyData& dual) { return hash_values(dual.polygons.corners); })});
  });
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  const bool smoke = bench::is_smoke(argc, argv);
  bench::Run run{Exec::host(bench::threads_argument(argc, argv)), smoke ? 1 : 5, {}};
  run.inputs = smoke ? decltype(run.inputs){{"sphere", 16}, {"mri", 12}}
                     : decltype(run.inputs){
                           {"sphere", 128}, {"sphere", 256}, {"sphere", 512}, {"mri", 128}, {"mri", 256}};
  if (bench::is_asked(argc, argv, "table2")) table2(run);
  if (bench::is_asked(argc, argv, "table3")) table3(run);
  if (bench::is_asked(argc, argv, "table4")) table4(run);
  if (bench::is_asked(argc, argv, "table5")) table5(run);
  if (bench::is_asked(argc, argv, "table6")) table6(run);
}
