// Every relation, storage mode, tile size, partition and thread count against the oracle.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/detail/half_star.h>
#include <tessera/tile/detail/upper_cells.h>
#include <tessera/tile/materialize.h>

#include "tile/oracle.h"

namespace tessera {

using namespace detail;
namespace {

template <int Dim>
std::vector<std::uint32_t> numbering(const TiledMesh<Dim>& tiles) {
  std::vector<std::uint32_t> number(tiles.vertex_count());
  for (std::uint32_t v = 0; v < number.size(); ++v) number[v] = tiles.tiled(VertexId(v)).index();
  return number;
}

template <class R, int Dim>
void check_relation(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration,
                    const oracle::Complex& complex, std::string_view name, int threads) {
  const auto rows = materialize<R>(tiles, enumeration, {.exec = Exec::host(threads)});
  const auto expected = complex.relation(static_cast<int>(R::from), static_cast<int>(R::to));
  ASSERT_EQ(rows.validate(), 0);
  ASSERT_EQ(rows.size(), expected.size()) << name;
  for (std::uint32_t r = 0; r < expected.size(); ++r) {
    const auto row = rows[typename R::TiledRow(r)];
    ASSERT_TRUE(std::equal(row.begin(), row.end(), expected[r].begin(), expected[r].end(),
                           [](auto id, std::uint32_t index) { return id.index() == index; }))
        << name << " row " << r << (enumeration.is_explicit() ? " explicit" : " implicit");
  }
}

template <Kind K, int Dim>
void check_boundary(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration,
                    const oracle::Complex& complex) {
  const auto flags = materialize_boundary<K>(tiles, enumeration, {.exec = Exec::host(2)});
  const auto expected = complex.boundary(static_cast<int>(K));
  ASSERT_TRUE(std::equal(flags.begin(), flags.end(), expected.begin(), expected.end()))
      << "kind " << static_cast<int>(K);
}

template <int Dim>
void check_order(const SimplexMesh<Dim>& mesh, const TileOptions& options) {
  const TiledMesh<Dim> tiles = tile(mesh, options);
  ASSERT_EQ(tiles.validate(mesh), 0);
  const oracle::Complex complex(mesh, numbering(tiles));
  for (const bool is_explicit : {true, false}) {
    const auto enumeration =
        is_explicit ? Enumeration<Dim>::make_explicit(tiles) : Enumeration<Dim>::make_implicit(tiles);
    ASSERT_EQ(enumeration.edge_count(), complex.count(1));
    ASSERT_EQ(enumeration.face_count(), complex.count(2));
    for_each_relation<Dim>([&]<class R>(R, std::string_view name) {
      for (const int threads : {1, 3}) check_relation<R>(tiles, enumeration, complex, name, threads);
    });
    check_boundary<Kind::vertex>(tiles, enumeration, complex);
    check_boundary<Kind::edge>(tiles, enumeration, complex);
    check_boundary<Kind::face>(tiles, enumeration, complex);
    if constexpr (Dim == 3) check_boundary<Kind::tet>(tiles, enumeration, complex);
  }
}

/// In both numberings of vertices.
template <int Dim>
void check_all(const SimplexMesh<Dim>& mesh, TileOptions options) {
  for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
    options.order = order;
    check_order(mesh, options);
    if (options.partition != nullptr) return;
  }
}

TEST(Relations, SmallSolidsMatchTheOracle) {
  for (const char* name : {"one_tet", "two_tets", "bow_tie_edge", "bow_tie_vertex", "three_tet_fan",
                           "isolated_vertices", "two_components"}) {
    for (const std::uint32_t size : {1u, 2u, 100u}) {
      SCOPED_TRACE(std::string(name) + " in tiles of " + std::to_string(size));
      check_all(make_small_solid(name), {.max_vertices = size});
    }
  }
}

TEST(Relations, SmallSurfacesMatchTheOracle) {
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"}) {
    for (const std::uint32_t size : {1u, 3u, 100u}) {
      SCOPED_TRACE(std::string(name) + " in tiles of " + std::to_string(size));
      check_all(make_small_surface(name), {.max_vertices = size});
    }
  }
}

// The star of the cone's axis has 402 neighbours: beyond bit masks and 8-bit counters.
TEST(Relations, LargeStarsTakeTheGeneralPath) {
  check_all(make_small_solid("cone"), {.max_vertices = 64});
}

TEST(Relations, StructuredMeshesMatchTheOracle) {
  check_all(make_shuffled(make_kuhn(7)), {.max_vertices = 20});
  check_all(make_shuffled(make_kuhn_full(5)), {.max_vertices = 9});
  check_all(make_shuffled(make_torus(12, 7)), {.max_vertices = 10});
  check_all(make_height_field(9, 6), {.max_vertices = 7});
}

TEST(Relations, RandomComplexesMatchTheOracle) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    check_all(oracle::random_mesh<3>(12 + seed, 10 + 5 * seed, seed),
              {.max_vertices = 1 + static_cast<std::uint32_t>(seed % 7)});
    check_all(oracle::random_mesh<2>(12 + seed, 10 + 5 * seed, seed),
              {.max_vertices = 1 + static_cast<std::uint32_t>(seed % 7)});
  }
}

TEST(Relations, AnyGivenPartitionWorks) {
  const TetMesh mesh = make_kuhn(7);
  std::vector<std::uint32_t> tile_of(mesh.vertex_count());
  for (std::uint32_t v = 0; v < tile_of.size(); ++v)
    tile_of[v] = static_cast<std::uint32_t>(splitmix64(v) % 5 * 10);
  const Partition partition = partition_given(tile_of, mesh.vertex_count());
  EXPECT_EQ(partition.size(), 5u);
  check_all(mesh, {.partition = &partition});
}

TEST(Relations, LloydPartitionsMatchTheOracle) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const TriMesh mesh = oracle::random_mesh<2>(12 + seed, 10 + 5 * seed, seed);
    const Partition partition = partition_lloyd(mesh, {.max_faces = 1 + static_cast<std::uint32_t>(seed)});
    check_all(mesh, {.partition = &partition});
  }
  for (const TriMesh& mesh : {make_shuffled(make_torus(12, 7)), make_shuffled(make_ico(2)),
                              make_height_field(9, 6), make_small_surface("isolated_vertices")}) {
    const Partition partition = partition_lloyd(mesh, {.max_faces = 20});
    check_all(mesh, {.partition = &partition});
  }
}

template <int Dim>
std::vector<std::uint64_t> hashes(const SimplexMesh<Dim>& mesh, std::uint32_t size, int threads,
                                  bool is_explicit) {
  const auto tiles = tile(mesh, {.max_vertices = size, .exec = Exec::host(threads)});
  const auto enumeration = is_explicit ? Enumeration<Dim>::make_explicit(tiles, Exec::host(threads))
                                       : Enumeration<Dim>::make_implicit(tiles, Exec::host(threads));
  std::vector<std::uint64_t> result;
  for_each_relation<Dim>([&]<class R>(R, std::string_view) {
    const auto rows = materialize<R>(tiles, enumeration, {.exec = Exec::host(threads)});
    result.push_back(hash_values(rows.values, hash_values(rows.offsets)));
  });
  return result;
}

TEST(Relations, DoNotDependOnTilesThreadsOrStorage) {
  const TetMesh solid = make_shuffled(make_kuhn(12));
  const TriMesh surface = make_shuffled(make_torus(40, 20));
  const auto expected3 = hashes(solid, 64, 1, true);
  const auto expected2 = hashes(surface, 64, 1, true);
  for (const std::uint32_t size : {1u, 17u, 256u, 100000u}) {
    for (const int threads : {1, 4}) {
      for (const bool is_explicit : {true, false}) {
        EXPECT_EQ(hashes(solid, size, threads, is_explicit), expected3)
            << size << " " << threads << " " << is_explicit;
        EXPECT_EQ(hashes(surface, size, threads, is_explicit), expected2)
            << size << " " << threads << " " << is_explicit;
      }
    }
  }
}

/// Relations and boundaries, hashed one after the other.
template <int Dim>
std::vector<std::uint64_t> hashes_on(const TiledMesh<Dim>& tiles, int threads) {
  const Exec exec = Exec::host(threads);
  const auto enumeration = Enumeration<Dim>::make_explicit(tiles, exec);
  const EnumerationPart& whole = enumeration.whole();
  std::vector<std::uint64_t> result = {hash_values(whole.edge_offsets), hash_values(whole.edge_hi),
                                       hash_values(whole.face_offsets), hash_values(whole.face_hi)};
  for_each_relation<Dim>([&]<class R>(R, std::string_view) {
    const auto rows = materialize<R>(tiles, enumeration, {.exec = exec});
    result.push_back(hash_values(rows.values, hash_values(rows.offsets)));
  });
  const auto add = [&](const auto& flags) {
    result.push_back(hash_values(std::span(flags.data(), flags.size())));
  };
  add(materialize_boundary<Kind::vertex>(tiles, enumeration, {.exec = exec}));
  add(materialize_boundary<Kind::edge>(tiles, enumeration, {.exec = exec}));
  add(materialize_boundary<Kind::face>(tiles, enumeration, {.exec = exec}));
  return result;
}

// Enough cells that every thread has a share of its own. The random complexes have facets with many cells,
// stars with far more than 64 neighbours and isolated vertices.
TEST(Relations, AnyNumberOfThreadsGivesTheSame) {
  const auto check = [](const auto& mesh) {
    const auto tiles = tile(mesh, {.max_vertices = 64});
    ASSERT_GE(tiles.cell_count(), 16u * 256u);
    const auto expected = hashes_on(tiles, 1);
    for (const int threads : {2, 3, 7, 16}) EXPECT_EQ(hashes_on(tiles, threads), expected) << threads;
  };
  check(make_shuffled(make_kuhn(16)));
  check(oracle::random_mesh<3>(150, 5000, 1));
  check(oracle::random_mesh<3>(9000, 5000, 2));
  check(make_shuffled(make_torus(60, 50)));
  check(oracle::random_mesh<2>(120, 5000, 3));
}

TEST(Relations, CrowdedComplexesMatchTheOracle) {
  const TetMesh mesh = oracle::random_mesh<3>(80, 4000, 5);
  const auto tiles = tile(mesh, {.max_vertices = 16});
  const oracle::Complex complex(mesh, numbering(tiles));
  const auto enumeration = Enumeration<3>::make_explicit(tiles);
  for_each_relation<3>(
      [&]<class R>(R, std::string_view name) { check_relation<R>(tiles, enumeration, complex, name, 7); });
  check_boundary<Kind::edge>(tiles, enumeration, complex);
}

TEST(Relations, MeshesWithoutCellsHaveEmptyRows) {
  check_all(TetMesh{}, {});
  check_all(TriMesh{}, {});
  TetMesh points;
  points.points = Array<Vec3f>(5, Vec3f{0, 0, 0});
  check_all(points, {.max_vertices = 2});
}

// In a table of 16 places neighbours agree in their low bits all the time.
TEST(HalfStars, NeighboursMayShareAPlaceInTheTable) {
  const TetMesh mesh = make_kuhn(8);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 50});
  const auto enumeration = Enumeration<3>::make_explicit(tiles);
  UpperStar<3> star(tiles), small_star(tiles, 16);
  UpperCells<3, Kind::edge> edges(tiles), small_edges(tiles, 16);
  UpperCells<3, Kind::face> faces(tiles), small_faces(tiles, 16);
  HalfStars<3> stars;
  const auto listed = [](const UpperStar<3>& upper) {
    std::vector<std::uint32_t> list;
    upper.for_each([&](std::uint32_t b) { list.push_back(b); }, [&](std::uint32_t c) { list.push_back(~c); });
    return list;
  };
  const auto expect_equal = [&](auto& around, auto& small_around, std::uint32_t v) {
    around.build(enumeration.whole(), stars, v);
    small_around.build(enumeration.whole(), stars, v);
    ASSERT_EQ(around.row_count(), small_around.row_count());
    for (std::uint32_t i = 0; i < around.row_count(); ++i) {
      const auto row = around.row(i);
      ASSERT_TRUE(std::ranges::equal(row, small_around.row(i)));
      if constexpr (std::is_same_v<decltype(around), UpperCells<3, Kind::face>&>) {
        ASSERT_TRUE(std::equal(around.facets(i), around.facets(i) + row.size(), small_around.facets(i)));
      }
    }
  };
  stars.load(tiles, TileId(0), TileId(static_cast<std::uint32_t>(tiles.tile_count())));
  for (std::uint32_t v = 0; v < tiles.vertex_count(); ++v) {
    star.build(stars, v);
    small_star.build(stars, v);
    ASSERT_EQ(listed(star), listed(small_star));
    ASSERT_EQ(star.face_count(), small_star.face_count());
    expect_equal(edges, small_edges, v);
    expect_equal(faces, small_faces, v);
  }
}

}  // namespace
}  // namespace tessera
