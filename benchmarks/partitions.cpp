// How long do the partitions of a surface take, how round are their tiles, and what is that worth to queries?
//   build/release/benchmarks/partitions [--smoke] [threads]
// METIS is compared where it is found (Debian: libmetis-dev).
#include <algorithm>
#include <atomic>
#include <cstdlib>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/push.h>
#include <tessera/tile/tiled_mesh.h>

#ifdef HAS_METIS
#include <metis.h>
#endif

#include "measure.h"

namespace {

using namespace tessera;

/// Of the sides of all faces, those whose ends lie in different tiles.
double cut_share(const TiledMesh<2>& tiles) {
  std::size_t cut = 0;
  for (const auto& cell : tiles.cells()) {
    for (std::size_t k = 0; k < 3; ++k)
      cut += tiles.tile_of(cell[k]) != tiles.tile_of(cell[(k + 1) % 3]) ? 1 : 0;
  }
  return static_cast<double>(cut) / static_cast<double>(3 * tiles.cell_count());
}

/// Tiles of one partition, which are valid; says how round and how full they are.
TiledMesh<2> describe(const std::string& name, const TriMesh& mesh, const Partition& partition) {
  TiledMesh<2> tiles = tile(mesh, {.partition = &partition});
  if (tiles.validate(mesh) != 0) {
    std::fprintf(stderr, "%s: the tiles are not valid\n", name.c_str());
    std::exit(1);
  }
  std::vector<std::uint32_t> sizes;
  for (std::size_t t = 0; t < partition.size(); ++t)
    sizes.push_back(partition.offsets[t + 1] - partition.offsets[t]);
  std::ranges::sort(sizes);
  const auto at = [&](double share) {
    return sizes[static_cast<std::size_t>(share * static_cast<double>(sizes.size() - 1))];
  };
  std::fprintf(stderr,
               "%s: %zu tiles, cut edges %.2f %%, external faces %.2f %%, vertices a tile: least %u, 10 %% "
               "%u, half %u, 90 %% %u, most %u\n",
               name.c_str(), tiles.tile_count(), 100 * cut_share(tiles), 100 * tiles.ribbon().share, at(0),
               at(0.1), at(0.5), at(0.9), at(1));
  return tiles;
}

void describe_all(const std::string& name, const TriMesh& mesh) {
  (void)describe(name + ", octree, 256 vertices", mesh, partition_octree(mesh.points, 256));
  (void)describe(name + ", lloyd, 512 faces", mesh, partition_lloyd(mesh, {.max_faces = 512}));
  (void)describe(name + ", lloyd, 256 faces", mesh, partition_lloyd(mesh, {.max_faces = 256}));
}

/// What more rounds are worth.
void describe_rounds(const TriMesh& mesh) {
  for (const std::uint32_t rounds : {1u, 2u, 3u, 4u, 6u}) {
    const LloydOptions options = {.max_iterations = rounds, .settled = 0};
    (void)describe("torus, lloyd, rounds " + std::to_string(rounds), mesh, partition_lloyd(mesh, options));
  }
}

#ifdef HAS_METIS
/// METIS' own cut of the vertices of the mesh, into so many tiles.
Partition partition_metis(const TriMesh& mesh, std::size_t tiles) {
  std::vector<idx_t> begins(mesh.cell_count() + 1);
  std::vector<idx_t> corners;
  for (std::size_t f = 0; f < mesh.cell_count(); ++f) {
    begins[f + 1] = static_cast<idx_t>(3 * (f + 1));
    for (const VertexId v : mesh.cells[f]) corners.push_back(static_cast<idx_t>(v.index()));
  }
  auto faces = static_cast<idx_t>(mesh.cell_count());
  auto vertices = static_cast<idx_t>(mesh.vertex_count());
  auto parts = static_cast<idx_t>(tiles);
  idx_t cut = 0;
  std::vector<idx_t> part_of_face(mesh.cell_count());
  std::vector<idx_t> part_of_vertex(mesh.vertex_count());
  METIS_PartMeshNodal(&faces, &vertices, begins.data(), corners.data(), nullptr, nullptr, &parts, nullptr,
                      nullptr, &cut, part_of_face.data(), part_of_vertex.data());
  const Array<std::uint32_t> tile_of(part_of_vertex.begin(), part_of_vertex.end());
  return partition_given(tile_of, tile_of.size());
}
#endif

/// Entries of all rows, which a query walks through.
template <class R>
std::uint64_t count_entries(const TiledMesh<2>& tiles, const Exec& exec) {
  Array<std::uint32_t> lengths(tiles.vertex_count());
  for_each<R>(tiles, {.exec = exec}, [&](tiled::VertexId v, auto row) {
    lengths[v.index()] = static_cast<std::uint32_t>(row.size());
  });
  std::uint64_t entries = 0;
  for (const std::uint32_t length : lengths) entries += length;
  return entries;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  const Exec exec = Exec::host(bench::threads_argument(argc, argv));
  const TriMesh mesh = make_shuffled(smoke ? make_torus(100, 50) : make_torus(1414, 707));
  TriMesh collapsed = mesh;
  collapsed.points = Array<Vec3f>(mesh.vertex_count(), Vec3f{0, 0, 0});
  describe_all("torus in one point", collapsed);
  describe_all("icosphere", make_shuffled(make_ico(smoke ? 4 : 7)));
  describe_all("height field",
               make_shuffled(smoke ? make_height_field(60, 60) : make_height_field(700, 700)));
  describe_rounds(mesh);

  const auto octree = [&] { return partition_octree(mesh.points, 256, exec); };
  const auto lloyd = [&](const LloydOptions& options) { return partition_lloyd(mesh, options); };
  const auto checksum = [](const Partition& p) { return hash_values(p.order, hash_values(p.offsets)); };
  bench::Setup setup = {.question = "partition",
                        .input = "torus shuffled",
                        .items = mesh.cell_count(),
                        .bytes = mesh.cell_count() * 12 + mesh.vertex_count() * 16,
                        .threads = exec.threads(),
                        .repeats = smoke ? 1 : 5};
  bench::compare(
      setup,
      {{"octree, 256 vertices", [&] { return checksum(octree()); }},
       {"tile() by the octree", [&] { return tile(mesh, {.max_vertices = 256, .exec = exec}).tile_count(); }},
       {"tile() by lloyd",
        [&] {
          return tile(mesh, {.max_vertices = 256, .order = VertexOrder::lloyd, .exec = exec}).tile_count();
        }},
       {"lloyd, 512 faces", [&] { return checksum(lloyd({.exec = exec})); }},
       {"lloyd, 512 faces, 4 rounds",
        [&] { return checksum(lloyd({.max_iterations = 4, .settled = 0, .exec = exec})); }},
       {"lloyd, 256 faces", [&] { return checksum(lloyd({.max_faces = 256, .exec = exec})); }}});

  std::vector<std::pair<std::string, TiledMesh<2>>> cut;
  const Partition patches = lloyd({.exec = exec});
  cut.emplace_back("octree, 256 vertices", describe("torus, octree, 256 vertices", mesh, octree()));
  cut.emplace_back("lloyd, 512 faces", describe("torus, lloyd, 512 faces", mesh, patches));
#ifdef HAS_METIS
  setup.repeats = 1;
  Partition best;
  bench::compare(setup, {{"metis, as many tiles as lloyd", [&] {
                            best = partition_metis(mesh, patches.size());
                            return checksum(best);
                          }}});
  cut.emplace_back("metis", describe("torus, metis", mesh, best));
#endif
  setup.repeats = smoke ? 1 : 15;
  std::vector<bench::Variant> stars;
  std::vector<bench::Variant> neighbours;
  for (const auto& named : cut) {
    stars.push_back({named.first, [&] { return count_entries<VF>(named.second, exec); }});
    neighbours.push_back({named.first, [&] { return count_entries<VV>(named.second, exec); }});
  }
  setup.question = "push VF";
  bench::compare(setup, stars);
  setup.question = "push VV";
  bench::compare(setup, neighbours);
}
