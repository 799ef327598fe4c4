// How long do the partitions of a surface take, and how wide are the ribbons of their tiles?
//   build/release/benchmarks/partitions [--smoke] [threads]
#include <cstdlib>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/tiled_mesh.h>

#include "measure.h"

namespace {

using namespace tessera;

void describe(const std::string& name, const TriMesh& mesh, const Partition& partition) {
  const TiledMesh<2> tiles = tile(mesh, {.partition = &partition});
  if (tiles.validate(mesh) != 0) {
    std::fprintf(stderr, "%s: the tiles are not valid\n", name.c_str());
    std::exit(1);
  }
  std::fprintf(stderr, "%s: %zu tiles, external faces %.1f %% of all\n", name.c_str(), tiles.tile_count(),
               100 * tiles.ribbon().share);
}

void describe_all(const std::string& name, const TriMesh& mesh) {
  describe(name + ", octree, 256 vertices", mesh, partition_octree(mesh.points, 256));
  describe(name + ", lloyd, 512 faces", mesh, partition_lloyd(mesh, {.max_faces = 512}));
  describe(name + ", lloyd, 256 faces", mesh, partition_lloyd(mesh, {.max_faces = 256}));
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  const Exec exec = Exec::host(bench::threads_argument(argc, argv));
  const TriMesh mesh = make_shuffled(smoke ? make_torus(100, 50) : make_torus(1414, 707));
  const auto octree = [&] { return partition_octree(mesh.points, 256, exec); };
  const auto lloyd = [&](std::uint32_t faces) {
    return partition_lloyd(mesh, {.max_faces = faces, .exec = exec});
  };
  TriMesh collapsed = mesh;
  collapsed.points = Array<Vec3f>(mesh.vertex_count(), Vec3f{0, 0, 0});
  describe_all("torus", mesh);
  describe_all("torus in one point", collapsed);
  describe_all("icosphere", make_shuffled(make_ico(smoke ? 4 : 7)));
  describe_all("height field",
               make_shuffled(smoke ? make_height_field(60, 60) : make_height_field(700, 700)));
  const auto checksum = [](const Partition& p) { return hash_values(p.order, hash_values(p.offsets)); };
  const bench::Setup setup = {.question = "partition",
                              .input = "torus shuffled",
                              .items = mesh.cell_count(),
                              .bytes = mesh.cell_count() * 12 + mesh.vertex_count() * 16,
                              .threads = exec.threads(),
                              .repeats = smoke ? 1 : 5};
  bench::compare(setup, {{"octree, 256 vertices", [&] { return checksum(octree()); }},
                         {"lloyd, 512 faces", [&] { return checksum(lloyd(512)); }},
                         {"lloyd, 256 faces", [&] { return checksum(lloyd(256)); }}});
}
