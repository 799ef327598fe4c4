// Links, and rows found by searching the enumeration, against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/tile/detail/corners.h>
#include <tessera/tile/detail/row_search.h>
#include <tessera/tile/links.h>

#include "tile/oracle.h"

namespace tessera {

using namespace detail;
namespace {

using IndexRows = std::vector<std::vector<std::uint32_t>>;

template <int Dim>
oracle::Complex complex_of(const SimplexMesh<Dim>& mesh, const TiledMesh<Dim>& tiles) {
  std::vector<std::uint32_t> number(tiles.vertex_count());
  for (std::uint32_t v = 0; v < number.size(); ++v) number[v] = tiles.tiled(VertexId(v)).index();
  return {mesh, number};
}

template <class L, int Dim>
void check_links(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration,
                 const oracle::Complex& complex) {
  const IndexRows expected = complex.links(static_cast<int>(L::from));
  for (const int threads : {1, 3}) {
    const auto links = materialize_links<L>(tiles, enumeration, {.exec = Exec::host(threads)});
    ASSERT_EQ(links.validate(), 0);
    ASSERT_EQ(links.size(), expected.size());
    for (std::uint32_t r = 0; r < expected.size(); ++r) {
      const auto row = links[typename L::TiledRow(r)];
      ASSERT_TRUE(std::equal(row.begin(), row.end(), expected[r].begin(), expected[r].end(),
                             [](auto id, std::uint32_t index) { return id.index() == index; }))
          << "row " << r << " of kind " << static_cast<int>(L::from);
    }
  }
}

/// Searched rows are right where they are not refused; returns how many were.
template <class R, int Dim>
std::size_t check_search(const RowSearch<Dim>& search, const IndexRows& expected) {
  RowBuffer row;
  std::size_t refused = 0;
  for (std::uint32_t r = 0; r < expected.size(); ++r) {
    if (!search.template try_fill<R>(r, row)) {
      ++refused;
      continue;
    }
    EXPECT_TRUE(std::ranges::equal(row.values(), expected[r]))
        << "row " << r << " from " << static_cast<int>(R::from) << " to " << static_cast<int>(R::to);
  }
  return refused;
}

template <int Dim>
std::size_t check_searches(const TiledMesh<Dim>& tiles, const oracle::Complex& complex) {
  const auto enumeration = Enumeration<Dim>::make_explicit(tiles);
  const Corners corners(enumeration.whole());
  const RowSearch<Dim> search(tiles, enumeration, corners);
  for (std::uint32_t e = 0; e < complex.count(1); ++e)
    EXPECT_TRUE(std::ranges::equal(corners.edge(e), complex.simplex(1, e)));
  if constexpr (Dim == 3) {
    for (std::uint32_t f = 0; f < complex.count(2); ++f)
      EXPECT_TRUE(std::ranges::equal(corners.face(f), complex.simplex(2, f)));
  }
  std::size_t refused = 0;
  for_each_relation<Dim>([&]<class R>(R, std::string_view) {
    constexpr bool is_cells = static_cast<int>(R::from) == Dim && static_cast<int>(R::to) == Dim;
    constexpr bool is_vertices = R::to == Kind::vertex && R::from == Kind::vertex;
    if constexpr (R::is_coboundary || is_vertices || is_cells) {
      refused +=
          check_search<R>(search, complex.relation(static_cast<int>(R::from), static_cast<int>(R::to)));
    }
  });
  refused += check_search<VertexLink<Dim>>(search, complex.links(0));
  refused += check_search<EdgeLink<Dim>>(search, complex.links(1));
  if constexpr (Dim == 3) refused += check_search<FaceLink<3>>(search, complex.links(2));
  EXPECT_TRUE(refused == 0 || !search.is_complete());
  return refused;
}

template <int Dim>
std::size_t check_all(const SimplexMesh<Dim>& mesh, std::uint32_t size) {
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = size});
  const oracle::Complex complex = complex_of(mesh, tiles);
  for (const bool is_explicit : {true, false}) {
    const auto enumeration =
        is_explicit ? Enumeration<Dim>::make_explicit(tiles) : Enumeration<Dim>::make_implicit(tiles);
    check_links<VertexLink<Dim>>(tiles, enumeration, complex);
    check_links<EdgeLink<Dim>>(tiles, enumeration, complex);
    if constexpr (Dim == 3) check_links<FaceLink<3>>(tiles, enumeration, complex);
  }
  return check_searches(tiles, complex);
}

TEST(Links, SmallMeshesMatchTheOracle) {
  for (const std::uint32_t size : {1u, 3u, 100u}) {
    for (const char* name : {"one_tet", "two_tets", "bow_tie_edge", "bow_tie_vertex", "three_tet_fan",
                             "isolated_vertices", "two_components"}) {
      SCOPED_TRACE(name);
      EXPECT_EQ(check_all(make_small_solid(name), size), 0u);
    }
    for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                             "bow_tie", "isolated_vertices", "two_components", "octahedron"}) {
      SCOPED_TRACE(name);
      EXPECT_EQ(check_all(make_small_surface(name), size), 0u);
    }
  }
}

TEST(Links, StructuredMeshesMatchTheOracle) {
  EXPECT_EQ(check_all(make_shuffled(make_kuhn(7)), 20), 0u);
  EXPECT_EQ(check_all(make_kuhn_full(5), 9), 0u);
  EXPECT_EQ(check_all(make_shuffled(make_torus(12, 7)), 10), 0u);
  EXPECT_EQ(check_all(make_height_field(9, 6), 7), 0u);
}

TEST(Links, RandomComplexesMatchTheOracle) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const std::uint32_t size = 1 + static_cast<std::uint32_t>(seed % 7);
    EXPECT_EQ(check_all(oracle::random_mesh<3>(12 + seed, 10 + 5 * seed, seed), size), 0u);
    EXPECT_EQ(check_all(oracle::random_mesh<2>(12 + seed, 10 + 5 * seed, seed), size), 0u);
  }
}

/// A closed fan of triangles around the highest vertex, or of tets around the edge of the two highest.
template <int Dim>
SimplexMesh<Dim> make_fan_of_highest(std::uint32_t rim) {
  SimplexMesh<Dim> mesh;
  mesh.points = Array<Vec3f>(rim + Dim - 1, Vec3f{0, 0, 0});
  for (std::uint32_t i = 0; i < rim; ++i) {
    typename SimplexMesh<Dim>::Cell cell = {VertexId(i), VertexId((i + 1) % rim)};
    for (std::uint32_t k = 2; k <= Dim; ++k) cell[k] = VertexId(rim + k - 2);
    mesh.cells.push_back(cell);
  }
  return mesh;
}

// The hub has 80 lower neighbours: more than are compared at a time, and more than are selected at a time.
TEST(Links, ManyLowerNeighboursAreSearched) {
  for (const std::uint32_t size : {7u, 100u}) {
    EXPECT_EQ(check_all(make_fan_of_highest<2>(80), size), 0u);
    EXPECT_EQ(check_all(make_fan_of_highest<3>(80), size), 0u);
  }
}

// A fan of 1000 triangles around vertex 0: whatever is searched among the hub's cells is refused, what is its
// own is not.
TEST(Links, LongIntervalsAreRefused) {
  constexpr std::uint32_t rim = 1001;
  TriMesh mesh;
  Array<Vec3f> points(rim + 1, Vec3f{0, 0, 0});
  for (std::uint32_t i = 1; i <= rim; ++i) points[i] = {static_cast<float>(i), static_cast<float>(i * i), 0};
  mesh.points = std::move(points);
  for (std::uint32_t i = 1; i < rim; ++i) mesh.cells.push_back({VertexId(0), VertexId(i), VertexId(i + 1)});
  const TiledMesh<2> tiles = tile(mesh, {.max_vertices = 100, .order = VertexOrder::input});
  const auto enumeration = Enumeration<2>::make_explicit(tiles);
  const Corners corners(enumeration.whole());
  const RowSearch<2> search(tiles, enumeration, corners);
  EXPECT_FALSE(search.is_complete());
  RowBuffer row;
  EXPECT_TRUE(search.try_fill<VF>(0, row));
  EXPECT_EQ(row.values().size(), rim - 1);
  EXPECT_TRUE(search.try_fill<VE>(5, row));
  EXPECT_EQ(row.values().size(), 3u);
  EXPECT_FALSE(search.try_fill<VF>(5, row));
  EXPECT_FALSE(search.try_fill<EF>(0, row));
}

}  // namespace
}  // namespace tessera
