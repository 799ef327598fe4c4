// How long does a connected isosurface take, from a field in memory to points and triangles in memory?
//   build/release/benchmarks/generate [--smoke] [threads] [question]
// With a question (sphere256, sphere512, mri128, mri256, tets: the mri field of 128^3 points on six
// tetrahedra a voxel) only that one is asked, so that the peak memory is its own.
#include <string>
#include <variant>

#include <tessera/core/hash.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/tetrahedralize.h>

#include "measure.h"
#include "volumes.h"

namespace tessera::bench {
namespace {

std::uint64_t checksum(const TriMesh& mesh) {
  return mesh.points.visit([&](auto points) { return hash_values(mesh.cells, hash_values(points)); });
}

/// Times isosurfaces of one input with and without normals.
template <class Mesh>
void ask(const std::string& name, const Mesh& mesh, const Field& field, double isovalue, const Exec& exec,
         bool smoke) {
  TriMesh result;
  const auto variant = [&](const char* label, SurfaceNormals normals) -> Variant {
    const IsosurfaceOptions options{.normals = normals, .transfer_data = false, .exec = exec};
    return {label,
            [&, options] {
              result = isosurface(mesh, field, std::span(&isovalue, 1), options).mesh;
              return std::uint64_t{0};
            },
            [&] { result = {}; }, [&] { return checksum(result); }};
  };
  const TriMesh once = isosurface(mesh, field, std::span(&isovalue, 1), {.exec = exec}).mesh;
  const std::uint64_t bytes = field.bytes() + once.points.bytes() + once.cells.size() * sizeof(TriMesh::Cell);
  compare({.question = "isosurface",
           .input = name + ": " + std::to_string(once.vertex_count()) + " vertices, " +
                    std::to_string(once.cell_count()) + " triangles",
           .items = mesh.cell_count(),
           .bytes = bytes,
           .threads = exec.threads(),
           .repeats = smoke ? 1 : 7},
          {variant("bare", SurfaceNormals::none), variant("gradient_normals", SurfaceNormals::gradient),
           variant("averaged_normals", SurfaceNormals::averaged)});
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  const bool smoke = bench::is_smoke(argc, argv);
  const Exec exec = Exec::host(bench::threads_argument(argc, argv));
  std::string only;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] >= 'a' && argv[i][0] <= 'z') only = argv[i];
  }
  struct Question {
    const char* name;
    const char* field;
    std::uint32_t points;
  };
  for (const Question& q :
       {Question{"sphere256", "sphere", 256}, Question{"sphere512", "sphere", 512},
        Question{"mri128", "mri", 128}, Question{"mri256", "mri", 256}, Question{"tets", "mri", 128}}) {
    if (!only.empty() && only != q.name) continue;
    const bench::Volume volume = bench::make_volume(q.field, smoke ? q.points / 16 : q.points, exec);
    if (std::string(q.name) == "tets") {
      const auto mesh = tetrahedralize(volume.grid, {.exec = exec}).mesh;
      bench::ask("tets of " + volume.name, mesh, volume.field, volume.isovalue, exec, smoke);
    } else {
      bench::ask(volume.name, volume.grid, volume.field, volume.isovalue, exec, smoke);
    }
  }
}
