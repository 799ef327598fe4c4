// Lloyd's clustering of faces: what patches promise, checked from the definitions, and the tiles made from
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/tiled_mesh.h>

#include "tile/oracle.h"

namespace tessera {
namespace {

/// Faces that share an edge, however many there are of them.
std::vector<std::set<std::uint32_t>> dual_graph(const TriMesh& mesh) {
  std::map<std::pair<VertexId, VertexId>, std::vector<std::uint32_t>> around;
  for (std::uint32_t f = 0; f < mesh.cell_count(); ++f) {
    for (std::size_t k = 0; k < 3; ++k) {
      const VertexId a = mesh.cells[f][k];
      const VertexId b = mesh.cells[f][(k + 1) % 3];
      around[{std::min(a, b), std::max(a, b)}].push_back(f);
    }
  }
  std::vector<std::set<std::uint32_t>> neighbours(mesh.cell_count());
  for (const auto& [edge, faces] : around) {
    for (const std::uint32_t f : faces) neighbours[f].insert(faces.begin(), faces.end());
  }
  return neighbours;
}

/// How many pieces the faces fall into when only neighbours of equal label are joined.
std::size_t count_pieces(const TriMesh& mesh, const Array<std::uint32_t>& label) {
  const auto neighbours = dual_graph(mesh);
  std::vector<bool> seen(mesh.cell_count(), false);
  std::size_t pieces = 0;
  for (std::uint32_t start = 0; start < mesh.cell_count(); ++start) {
    if (seen[start]) continue;
    ++pieces;
    seen[start] = true;
    for (std::vector<std::uint32_t> stack = {start}; !stack.empty();) {
      const std::uint32_t f = stack.back();
      stack.pop_back();
      for (const std::uint32_t g : neighbours[f]) {
        if (seen[g] || label[g] != label[f]) continue;
        seen[g] = true;
        stack.push_back(g);
      }
    }
  }
  return pieces;
}

/// As many pieces as patches, none empty: every patch is connected, so none spans two components.
void check_patches(const TriMesh& mesh, const LloydOptions& options) {
  const FacePatches patches = compute_face_patches(mesh, options);
  ASSERT_EQ(patches.patch_of_face.size(), mesh.cell_count());
  std::vector<std::size_t> sizes(patches.patches, 0);
  for (const std::uint32_t p : patches.patch_of_face) {
    ASSERT_LT(p, patches.patches);
    ++sizes[p];
  }
  for (const std::size_t size : sizes) {
    EXPECT_GE(size, 1u);
    EXPECT_LE(size, options.max_faces);
  }
  EXPECT_EQ(count_pieces(mesh, patches.patch_of_face), patches.patches);
  EXPECT_LE(patches.iterations, options.max_iterations);
}

/// A vertex's tile is the patch with most of its faces, the lowest of equal ones.
void check_tiles(const TriMesh& mesh, const LloydOptions& options) {
  const FacePatches patches = compute_face_patches(mesh, options);
  const Partition partition = partition_lloyd(mesh, options);
  const TiledMesh<2> tiles = tile(mesh, {.partition = &partition});
  ASSERT_EQ(tiles.validate(mesh), 0);
  std::vector<std::map<std::uint32_t, int>> votes(mesh.vertex_count());
  for (std::size_t f = 0; f < mesh.cell_count(); ++f) {
    for (const VertexId v : mesh.cells[f]) ++votes[v.index()][patches.patch_of_face[f]];
  }
  std::int64_t last = -1;
  for (std::uint32_t t = 0; t < partition.size(); ++t) {
    EXPECT_LE(partition.offsets[t + 1] - partition.offsets[t], options.max_faces + 2);
    std::set<std::int64_t> chosen;
    for (std::uint32_t i = partition.offsets[t]; i < partition.offsets[t + 1]; ++i) {
      const auto& of_vertex = votes[partition.order[i]];
      const auto most =
          std::max_element(of_vertex.begin(), of_vertex.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;  // the first, so the lowest, of equal ones
          });
      chosen.insert(most == of_vertex.end() ? patches.patches : most->first);
    }
    ASSERT_EQ(chosen.size(), 1u) << "tile " << t;
    EXPECT_TRUE(*chosen.begin() > last || *chosen.begin() == patches.patches) << "tile " << t;
    last = *chosen.begin();
  }
}

/// So many faces around one edge.
TriMesh make_fan(std::uint32_t pages) {
  TriMesh mesh;
  Array<Vec3f> points = {{0, 0, 0}, {0, 0, 1}};
  for (std::uint32_t i = 0; i < pages; ++i) {
    points.push_back({static_cast<float>(i), 1, 0});
    mesh.cells.push_back({VertexId(0), VertexId(i + 2), VertexId(1)});
  }
  mesh.points = std::move(points);
  return mesh;
}

/// The meshes side by side, with isolated vertices after each.
TriMesh make_union(const std::vector<TriMesh>& meshes, std::uint32_t isolated) {
  TriMesh all;
  Array<Vec3d> points;
  for (const TriMesh& mesh : meshes) {
    const auto first = static_cast<std::uint32_t>(points.size());
    for (TriMesh::Cell cell : mesh.cells) {
      for (VertexId& v : cell) v = VertexId(v.index() + first);
      all.cells.push_back(cell);
    }
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) points.push_back(mesh.points[VertexId(v)]);
    for (std::uint32_t i = 0; i < isolated; ++i) points.push_back({5.0 + i, 0, 0});
  }
  all.points = std::move(points);
  return all;
}

const std::vector<std::uint32_t> all_sizes = {1, 2, 3, 10, 64, 512};

TEST(PartitionLloyd, SmallSurfaces) {
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"}) {
    for (const std::uint32_t size : all_sizes) {
      SCOPED_TRACE(std::string(name) + " in patches of " + std::to_string(size));
      check_patches(make_small_surface(name), {.max_faces = size});
      check_tiles(make_small_surface(name), {.max_faces = size});
    }
  }
}

TEST(PartitionLloyd, LargerSurfaces) {
  for (const TriMesh& mesh : {make_shuffled(make_torus(40, 25)), make_ico(4), make_shuffled(make_ico(3)),
                              make_height_field(50, 20)}) {
    for (const std::uint32_t size : all_sizes) {
      SCOPED_TRACE(std::to_string(mesh.cell_count()) + " faces in patches of " + std::to_string(size));
      check_patches(mesh, {.max_faces = size});
      check_tiles(mesh, {.max_faces = size});
    }
  }
}

// Faces over few vertices: edges of many faces, vertices of many fans.
TEST(PartitionLloyd, NonManifoldSurfaces) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const TriMesh mesh = oracle::random_mesh<2>(12 + seed, 10 + 5 * seed, seed);
    check_patches(mesh, {.max_faces = 1 + static_cast<std::uint32_t>(seed % 7)});
    check_tiles(mesh, {.max_faces = 1 + static_cast<std::uint32_t>(seed % 7)});
  }
  check_patches(make_fan(500), {.max_faces = 16});
  check_tiles(make_fan(500), {.max_faces = 16});
}

// One growth alone leaves patches that are too large; they are cut where they lie.
TEST(PartitionLloyd, CutsWhatIterationsLeave) {
  const TriMesh mesh = make_shuffled(make_ico(4));
  for (const std::uint32_t iterations : {1u, 2u, 6u}) {
    check_patches(mesh, {.max_faces = 40, .max_iterations = iterations});
    check_tiles(mesh, {.max_faces = 40, .max_iterations = iterations});
  }
}

// With all points in one place the Morton order says nothing, and seeds lie anywhere.
TEST(PartitionLloyd, NeedsNoGeometry) {
  TriMesh mesh = make_shuffled(make_torus(60, 40));
  mesh.points = Array<Vec3f>(mesh.vertex_count(), Vec3f{0, 0, 0});
  check_patches(mesh, {.max_faces = 100});
  check_tiles(mesh, {.max_faces = 100});
}

// 3000 + 1280 + 1 faces: at least 30, 13 and 1 patches of 100.
TEST(PartitionLloyd, EveryComponentHasItsOwnPatches) {
  const TriMesh mesh =
      make_shuffled(make_union({make_torus(50, 30), make_ico(3), make_small_surface("triangle")}, 2));
  check_patches(mesh, {.max_faces = 100});
  check_tiles(mesh, {.max_faces = 100});
  EXPECT_GE(compute_face_patches(mesh, {.max_faces = 100}).patches, 44u);
  EXPECT_EQ(compute_face_patches(mesh, {.max_faces = 10000}).patches, 3u);
  EXPECT_EQ(compute_face_patches(mesh, {.max_faces = 1}).patches, 4281u);
}

/// So many faces in a row, each of vertices j, j + 1, j + 2; vertex j is numbered id_of(j).
template <class IdOf>
void add_strip(TriMesh& mesh, std::uint32_t faces, const IdOf& id_of) {
  for (std::uint32_t j = 0; j < faces; ++j)
    mesh.cells.push_back({VertexId(id_of(j)), VertexId(id_of(j + 1)), VertexId(id_of(j + 2))});
}

// Two strips whose vertices take turns, five of each. Without geometry faces come in that order too, and the
// first seeds, 5, 15, 25 and so on, all lie in the second strip. The first gets its own: one for ten faces.
TEST(PartitionLloyd, ComponentsWithoutASeedGetTheirOwn) {
  TriMesh mesh;
  add_strip(mesh, 1000, [](std::uint32_t j) { return j / 5 * 10 + j % 5; });
  add_strip(mesh, 1000, [](std::uint32_t j) { return j / 5 * 10 + 5 + j % 5; });
  mesh.points = Array<Vec3f>(2010, Vec3f{0, 0, 0});
  const LloydOptions options = {.max_faces = 12, .max_iterations = 1};
  check_patches(mesh, options);
  const FacePatches patches = compute_face_patches(mesh, options);
  EXPECT_EQ(patches.patches, 300u);  // 200 in the second strip
  for (const int threads : {2, 4}) {
    EXPECT_EQ(compute_face_patches(mesh, {.max_faces = 12, .max_iterations = 1, .exec = Exec::host(threads)})
                  .patch_of_face,
              patches.patch_of_face);
  }
}

// A patch may have 4 faces, so isolated vertices come in twos: 3 | 2 | 2 | 1 vertices.
TEST(PartitionLloyd, IsolatedVerticesComeLast) {
  const TriMesh mesh = make_union({make_small_surface("triangle")}, 5);
  const Partition partition = partition_lloyd(mesh, {.max_faces = 4});
  EXPECT_EQ(partition.offsets, (Array<std::uint32_t>{0, 3, 5, 7, 8}));
  EXPECT_EQ(tile(mesh, {.partition = &partition}).validate(mesh), 0);
  TriMesh points_only;
  points_only.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  EXPECT_EQ(partition_lloyd(points_only, {.max_faces = 1}).size(), 3u);
  EXPECT_EQ(compute_face_patches(points_only).patches, 0u);
}

TEST(PartitionLloyd, OfNothingIsNothing) {
  const TriMesh mesh;
  const Partition partition = partition_lloyd(mesh);
  EXPECT_EQ(partition.size(), 0u);
  EXPECT_EQ(tile(mesh, {.partition = &partition}).validate(mesh), 0);
}

TEST(PartitionLloyd, IsTheSameForAnyNumberOfThreads) {
  const TriMesh mesh = make_shuffled(make_union({make_torus(200, 120), make_ico(4), make_fan(300)}, 9));
  for (const std::uint32_t size : {20u, 512u}) {
    const Partition expected = partition_lloyd(mesh, {.max_faces = size, .exec = Exec::host(1)});
    const FacePatches patches = compute_face_patches(mesh, {.max_faces = size, .exec = Exec::host(1)});
    for (const int threads : {2, 3, 8}) {
      const LloydOptions options = {.max_faces = size, .exec = Exec::host(threads)};
      const Partition partition = partition_lloyd(mesh, options);
      EXPECT_EQ(partition.order, expected.order) << threads;
      EXPECT_EQ(partition.offsets, expected.offsets) << threads;
      EXPECT_EQ(compute_face_patches(mesh, options).patch_of_face, patches.patch_of_face) << threads;
    }
  }
}

TEST(PartitionLloyd, DoesNotDependOnTheInputsOrder) {
  const TriMesh mesh = make_torus(80, 50);
  const TriMesh shuffled = make_shuffled(mesh);
  const Partition one = partition_lloyd(mesh, {.max_faces = 100});
  const Partition other = partition_lloyd(shuffled, {.max_faces = 100});
  EXPECT_EQ(one.offsets, other.offsets);
  EXPECT_EQ(mesh.points.gather(one.order), shuffled.points.gather(other.order));
}

double ribbon_share(const TriMesh& mesh, const Partition& partition) {
  return tile(mesh, {.partition = &partition}).ribbon().share;
}

// Patches follow the surface, the octree cuts space: fewer external faces in tiles of about the same size.
TEST(PartitionLloyd, RibbonsAreNarrowerThanTheOctrees) {
  for (const TriMesh& mesh : {make_shuffled(make_torus(160, 80)), make_shuffled(make_ico(5)),
                              make_shuffled(make_height_field(150, 80))}) {
    const Partition lloyd = partition_lloyd(mesh, {.max_faces = 512});
    const Partition octree = partition_octree(mesh.points, 256);
    EXPECT_LT(ribbon_share(mesh, lloyd), ribbon_share(mesh, octree));
    std::vector<std::uint32_t> anywhere(mesh.vertex_count());
    for (std::uint32_t v = 0; v < anywhere.size(); ++v) {
      anywhere[v] = static_cast<std::uint32_t>(splitmix64(v) % lloyd.size());
    }
    EXPECT_LT(ribbon_share(mesh, lloyd),
              0.1 * ribbon_share(mesh, partition_given(anywhere, anywhere.size())));
  }
}

// tile() asks for patches of twice as many faces as a tile has vertices.
TEST(PartitionLloyd, IsAnOrderOfTile) {
  const TriMesh mesh = make_shuffled(make_torus(60, 40));
  const Partition partition = partition_lloyd(mesh, {.max_faces = 200});
  const TiledMesh<2> expected = tile(mesh, {.partition = &partition});
  for (const int threads : {1, 3}) {
    const TiledMesh<2> tiles =
        tile(mesh, {.max_vertices = 100, .order = VertexOrder::lloyd, .exec = Exec::host(threads)});
    EXPECT_EQ(tiles.validate(mesh), 0);
    EXPECT_TRUE(std::ranges::equal(tiles.first_vertices(), expected.first_vertices()));
    EXPECT_TRUE(std::ranges::equal(tiles.vertices_to_input(), expected.vertices_to_input()));
  }
}

// A strip of n faces has n + 2 vertices, twice as many as a round patch.
TEST(PartitionLloyd, TilesKeepTheLimitOfVertices) {
  TriMesh mesh;
  add_strip(mesh, 998, [](std::uint32_t j) { return j; });
  Array<Vec3f> points;
  for (std::uint32_t v = 0; v < 1000; ++v)
    points.push_back({static_cast<float>(v), static_cast<float>(v % 2), 0});
  mesh.points = std::move(points);
  for (const std::uint32_t size : {1u, 7u, 100u}) {
    const TiledMesh<2> tiles = tile(mesh, {.max_vertices = size, .order = VertexOrder::lloyd});
    EXPECT_EQ(tiles.validate(mesh), 0);
    for (std::uint32_t t = 0; t < tiles.tile_count(); ++t) EXPECT_LE(tiles.vertices(TileId(t)).size(), size);
  }
}

TEST(PartitionLloyd, IsForSurfacesAlone) {
  const TetMesh mesh = make_kuhn(3);
  try {
    (void)tile(mesh, {.order = VertexOrder::lloyd});
    FAIL() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("for triangles"), std::string::npos);
  }
}

TEST(PartitionLloyd, RefusesWhatIsNoMesh) {
  const auto refusal_of = [](const auto& work) {
    try {
      work();
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
      return std::string(error.what());
    }
  };
  TriMesh out_of_range = make_small_surface("two_triangles");
  out_of_range.cells[1][2] = VertexId(77);
  TriMesh repeated_corner = make_small_surface("two_triangles");
  repeated_corner.cells[1][2] = repeated_corner.cells[1][0];
  TriMesh repeated_face = make_small_surface("two_triangles");
  repeated_face.cells.push_back(repeated_face.cells[0]);
  for (const TriMesh& mesh : {out_of_range, repeated_corner, repeated_face}) {
    const std::string expected = refusal_of([&] { (void)tile(mesh); });
    EXPECT_NE(expected, "");
    EXPECT_EQ(refusal_of([&] { (void)partition_lloyd(mesh); }), expected);
    EXPECT_EQ(refusal_of([&] { (void)compute_face_patches(mesh); }), expected);
  }
}

TEST(PartitionLloyd, ContractsAreChecked) {
  const TriMesh mesh = make_small_surface("triangle");
  EXPECT_DEATH((void)partition_lloyd(mesh, {.max_faces = 0}), "broken contract");
  EXPECT_DEATH((void)partition_lloyd(mesh, {.max_iterations = 0}), "broken contract");
}

TEST(PartitionLloyd, ReportsAndCanBeCancelled) {
  const TriMesh mesh = make_ico(3);
  std::stop_source source;
  std::vector<double> fractions;
  const Monitor monitor{[&](std::string_view stage, double fraction) {
                          if (stage != "clustering faces") return;
                          fractions.push_back(fraction);
                          if (fractions.size() == 2) source.request_stop();
                        },
                        source.get_token()};
  try {
    (void)partition_lloyd(mesh, {.max_faces = 20, .monitor = &monitor});
    FAIL() << "was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  ASSERT_EQ(fractions.size(), 2u);
  EXPECT_LT(fractions[0], fractions[1]);
}

}  // namespace
}  // namespace tessera
