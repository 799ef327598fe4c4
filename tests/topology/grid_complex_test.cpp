// The gradient of a grid and what follows from it, straight from the values. The oracle is the same analysis
// of the simplices that triangulate() makes, whose gradient is built from tiles and stars; cells are compared
// by their vertices.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/detail/grid_cells.h>
#include <tessera/topology/export.h>
#include <tessera/topology/persistence.h>
#include <tessera/topology/simplification.h>
#include <tessera/topology/star_store.h>

#include "topology/complexes.h"
#include "topology/grids.h"

namespace tessera {
namespace {

using namespace testing;
template <int Dim>
SimplexMesh<Dim> cut(const Grid& grid) {
  return std::get<SimplexMesh<Dim>>(triangulate(grid));
}

template <int Dim>
void expect_as_cut(const Grid& grid, const Field& field, const std::string& what) {
  SCOPED_TRACE(what);
  const SimplexMesh<Dim> mesh = cut<Dim>(grid);
  const MorseSmaleComplex<Dim> expected = morse_smale<Dim>(mesh, field, {.walls = Dim == 3});
  const Persistence expected_pairs = compute_persistence(expected.gradient, field);
  for (const int threads : {1, 2, 7}) {
    const Exec exec = Exec::host(threads);
    const MorseSmaleComplex<Dim> found = morse_smale<Dim>(grid, field, {.exec = exec, .walls = Dim == 3});
    if (threads == 2) expect_same_gradient(found.gradient, expected.gradient, mesh);
    expect_same_complex(found, expected);
    const Persistence pairs = compute_persistence(found.gradient, field, {.exec = exec});
    ASSERT_EQ(pairs, expected_pairs);
    for (const double part : {0.1, 0.5}) {
      const double threshold = pairs.part_of_range(part);
      expect_same_simplified(found.gradient, simplify(found, pairs, threshold, {.exec = exec}),
                             expected.gradient, simplify(expected, expected_pairs, threshold));
    }
    TopologyExporter<Dim> writer(found.gradient, grid, field, {.exec = exec});
    TopologyExporter<Dim> expected_writer(expected.gradient, mesh, field);
    expect_same(writer.critical_cells({&found.segmentation}),
                expected_writer.critical_cells({&expected.segmentation}), "critical cells");
    expect_same(writer.separatrices(found.separatrices), expected_writer.separatrices(expected.separatrices),
                "separatrices");
    expect_same(writer.pairs(), expected_writer.pairs(), "pairs");
    if constexpr (Dim == 3)
      expect_same(writer.walls(found.walls), expected_writer.walls(expected.walls), "walls");
  }
}

/// Every edge, triangle and tetrahedron of the cut has the number it has there.
TEST(GridCells, AreNumberedAsThoseOfTheCut) {
  for (const Dims& dims : {Dims{2, 2, 2}, Dims{3, 4, 5}, Dims{5, 2, 3}, Dims{2, 6, 2}}) {
    const Grid grid = grid_of(dims);
    const detail::GridCells<3> cells{detail::GridLattice(grid)};
    const TetMesh mesh = cut<3>(grid);
    EXPECT_EQ(cells.top_count(), mesh.cell_count());
    std::array<std::vector<std::vector<VertexId>>, 5> by_size;
    for (const auto& cell : all_cells(mesh)) by_size[cell.size()].push_back(cell);
    EXPECT_EQ(cells.edge_count(), by_size[2].size());
    for (std::size_t i = 0; i < by_size[2].size(); ++i) {
      const auto& edge = by_size[2][i];
      const std::uint32_t k = cells.find_neighbour(edge[0].index(), edge[1].index());
      const std::uint32_t number = cells.edge(edge[0].index(), k);
      EXPECT_EQ(cells.rank_of_edge(number), i) << say(dims);
      EXPECT_EQ(cells.edge(edge[1].index(), detail::back(k)), number);
      EXPECT_EQ(cells.neighbour_along(edge[0].index(), number), k);
      EXPECT_EQ(cells.neighbour_along(edge[1].index(), number), detail::back(k));
    }
    for (std::size_t i = 0; i < by_size[3].size(); ++i) {
      const auto& face = by_size[3][i];
      const std::uint32_t low = face[0].index();
      EXPECT_EQ(cells.rank_of_triangle(low, cells.find_neighbour(low, face[1].index()),
                                       cells.find_neighbour(low, face[2].index())),
                i);
    }
    std::size_t at = 0;
    for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
      for (std::uint32_t kind = 0; kind < 6; ++kind) {
        if (!cells.has_top({v, kind})) continue;
        ASSERT_EQ(cells.rank_of_top(6 * v + kind), at);
        ASSERT_EQ(cells.top_of_rank(at), 6 * v + kind);
        for (std::size_t k = 0; k < 4; ++k) ASSERT_EQ(cells.corner({v, kind}, k), mesh.cells[at][k].index());
        ++at;
      }
    }
    EXPECT_EQ(at, mesh.cell_count());
  }
}

/// Beyond each facet lies the other cell of the cut that has it, and first_top() is the first around a
/// vertex.
TEST(GridCells, KnowWhatLiesBesideThem) {
  for (const Dims& dims : {Dims{2, 2, 2}, Dims{4, 3, 5}, Dims{2, 5, 3}}) {
    const Grid grid = grid_of(dims);
    const detail::GridCells<3> cells{detail::GridLattice(grid)};
    const TetMesh mesh = cut<3>(grid);
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
      for (std::uint32_t kind = 0; kind < 6; ++kind) {
        if (cells.has_top({v, kind})) numbers.push_back(6 * v + kind);
      }
    }
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      for (std::size_t corner = 0; corner < 4; ++corner) {
        std::uint32_t expected = detail::GridCells<3>::none;
        for (std::size_t d = 0; d < numbers.size(); ++d) {
          int shared = 0;
          for (std::size_t k = 0; k < 4; ++k)
            shared += k != corner && std::ranges::count(mesh.cells[d], mesh.cells[c][k]) == 1 ? 1 : 0;
          if (d != c && shared == 3) expected = numbers[d];
        }
        ASSERT_EQ(cells.beyond(cells.top(numbers[c]), corner), expected) << say(dims);
      }
    }
    for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
      std::size_t first = 0;
      while (std::ranges::count(mesh.cells[first], VertexId(v)) == 0) ++first;
      ASSERT_EQ(cells.first_top(v), numbers[first]) << say(dims) << " at " << v;
    }
    for (const std::uint32_t number : numbers) {
      const std::uint32_t v = cells.vertex_of_first(cells.top(number));
      if (v == detail::GridCells<3>::none) continue;
      ASSERT_EQ(cells.first_top(v), number);
    }
  }
}

TEST(GridCells, OfTwoAxesAreNumberedAsThoseOfTheCut) {
  for (const Dims& dims : {Dims{2, 2, 1}, Dims{4, 1, 3}, Dims{1, 3, 5}}) {
    const Grid grid = grid_of(dims);
    const detail::GridCells<2> cells{detail::GridLattice(grid)};
    const TriMesh mesh = cut<2>(grid);
    EXPECT_EQ(cells.top_count(), mesh.cell_count());
    EXPECT_EQ(cells.edge_count(), all_cells(mesh).size() - mesh.cell_count() - grid.vertex_count());
    std::uint32_t at = 0;
    for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
      for (std::uint32_t kind = 0; kind < 2; ++kind) {
        if (!cells.has_top({v, kind})) continue;
        EXPECT_EQ(cells.rank_of_top(2 * v + kind), at);
        EXPECT_EQ(cells.top_of_rank(at), 2 * v + kind);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(cells.corner({v, kind}, k), mesh.cells[at][k].index());
        ++at;
      }
    }
  }
}

TEST(GridComplex, IsThatOfItsSimplices) {
  for (const Dims& dims : {Dims{2, 2, 2}, Dims{3, 3, 3}, Dims{2, 3, 4}, Dims{4, 2, 3}, Dims{5, 4, 2},
                           Dims{6, 5, 4}, Dims{2, 2, 9}, Dims{9, 8, 7}}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Grid grid = grid_of(dims);
      const std::uint64_t range = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 1000000 : 20;
      expect_as_cut<3>(grid, random_field<float>(grid.vertex_count(), range, seed), say(dims));
    }
  }
}

TEST(GridComplex, IsThatOfItsTriangles) {
  for (const Dims& dims : {Dims{2, 2, 1}, Dims{3, 2, 1}, Dims{2, 1, 3}, Dims{1, 3, 3}, Dims{5, 4, 1},
                           Dims{1, 6, 5}, Dims{7, 1, 6}, Dims{20, 31, 1}}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Grid grid = grid_of(dims);
      expect_as_cut<2>(grid, random_field<float>(grid.vertex_count(), seed % 2 == 0 ? 4 : 100000, seed),
                       say(dims));
    }
  }
}

TEST(GridComplex, OfSmoothAndRoughFields) {
  const Grid grid = make_lattice(21, 18, 15);
  expect_as_cut<3>(grid, make_mri_field(grid), "mri");
  Array<float> wave(grid.vertex_count());
  for (std::uint32_t v = 0; v < wave.size(); ++v) {
    const Vec3d p = GridPoints(grid)[VertexId(v)];
    wave[v] = static_cast<float>(std::sin(11 * p.x) * std::cos(9 * p.y + p.x) + std::sin(7 * p.z * p.y));
  }
  expect_as_cut<3>(grid, Field("wave", std::move(wave)), "wave");
}

template <class T>
class GridComplexTypes : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(GridComplexTypes, Types);

TYPED_TEST(GridComplexTypes, AreThoseOfItsSimplices) {
  const Grid grid = grid_of({7, 6, 5});
  Field field = random_field<TypeParam>(grid.vertex_count(), 120, 5);
  // The ends of the type, zeros of both signs, and numbers that differ in their last bits only.
  const auto values = field.as<TypeParam>();
  values[20] = std::numeric_limits<TypeParam>::max();
  values[70] = std::numeric_limits<TypeParam>::lowest();
  values[71] = static_cast<TypeParam>(std::numeric_limits<TypeParam>::max() - 1);
  for (std::size_t v = 90; v < 130; ++v) values[v] = static_cast<TypeParam>(v % 2 == 0 ? -0.0 : 0.0);
  expect_as_cut<3>(grid, field, std::string(to_string(field.type())));
}

TEST(GridComplex, OfEqualAndInfiniteValues) {
  const Grid grid = grid_of({6, 5, 4});
  expect_as_cut<3>(grid, random_field<float>(grid.vertex_count(), 1, 1), "constant");
  Field field = random_field<float>(grid.vertex_count(), 1000, 3);
  for (const std::size_t v : {0, 30, 31, 70}) field.as<float>()[v] = std::numeric_limits<float>::infinity();
  for (const std::size_t v : {9, 50, 51}) field.as<float>()[v] = -std::numeric_limits<float>::infinity();
  expect_as_cut<3>(grid, field, "infinite");
}

TEST(GridComplex, RefusesWhatCannotBe) {
  const auto refusal = [](const auto& run) -> std::string {
    try {
      run();
    } catch (const Error& error) {
      return std::string(to_string(error.code())) + ": " + error.what();
    }
    return "nothing";
  };
  const Grid grid = grid_of({4, 3, 2});
  const Field field = random_field<float>(grid.vertex_count(), 9, 1);
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(refusal([&] { (void)compute_gradient<2>(grid, field); }), "has 3 axes, not 2"));
  EXPECT_TRUE(has(refusal([&] {
                    (void)compute_gradient<3>(grid_of({9, 9, 1}), field);
                  }),
                  "has 2 axes, not 3"));
  EXPECT_TRUE(has(refusal([&] { (void)compute_gradient<3>(grid_of({9, 1, 1}), field); }), "has one axis"));
  EXPECT_TRUE(has(refusal([&] { (void)compute_gradient<3>(grid_of({3, 3, 3}), field); }), "has 24 values"));
  Field bad = field;
  bad.as<float>()[17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(has(refusal([&] { (void)compute_gradient<3>(grid, bad); }), "first at vertex 17"));
  const Gradient<3> gradient = compute_gradient<3>(grid, field);
  const TetMesh mesh = cut<3>(grid);
  EXPECT_TRUE(has(refusal([&] { TopologyExporter<3>(gradient, mesh, field); }), "of a grid"));
  EXPECT_TRUE(has(refusal([&] {
                    TopologyExporter<3>(gradient, grid_of({3, 3, 3}), field);
                  }),
                  "not of this grid"));
  EXPECT_TRUE(has(refusal([&] { TopologyExporter<3>(compute_gradient(mesh, field), grid, field); }),
                  "not of this grid"));
  EXPECT_TRUE(has(refusal([&] {
                    TopologyExporter<3>(gradient, grid_of({2, 3, 4}), field);
                  }),
                  "not of this grid"));
  EXPECT_TRUE(has(refusal([&] {
                    (void)compute_gradient<3>(grid_of({1000, 1000, 1000}), field);
                  }),
                  "613566756"));
  const auto refuses = [&](const MorseSmaleOptions<3>& options, const std::string& part) {
    EXPECT_TRUE(has(refusal([&] { (void)morse_smale<3>(grid, field, options); }), part)) << part;
  };
  EXPECT_TRUE(has(refusal([&] { (void)TopologyExporter<3>(gradient, grid, field).walls(Walls{}); }),
                  "the walls are of another gradient"));
  const TiledMesh<3> tiles = tile(mesh);
  const StarStore<3> stars(tiles);
  refuses({.stars = &stars}, "no stars");
  EXPECT_TRUE(has(refusal([&] { (void)compute_separatrices(gradient, {.stars = &stars}); }), "no stars"));
  EXPECT_TRUE(has(refusal([&] { (void)compute_segmentation(gradient, {.stars = &stars}); }), "no stars"));
  EXPECT_TRUE(has(refusal([&] { (void)compute_walls(gradient, {.stars = &stars}); }), "no stars"));
  Walls walls = compute_walls(gradient);
  walls.rings.push_back(TetId(static_cast<std::uint32_t>(mesh.cell_count())));
  EXPECT_TRUE(has(refusal([&] { (void)TopologyExporter<3>(gradient, grid, field).walls(walls); }),
                  "the walls are of another gradient"));
  walls.rings.pop_back();
  ASSERT_FALSE(walls.edges.empty());
  walls.edges.back() = 7 * 23;
  EXPECT_TRUE(has(refusal([&] { (void)TopologyExporter<3>(gradient, grid, field).walls(walls); }),
                  "the walls are of another gradient"));
  // An edge that would leave the grid, and a triangle of neighbours that are not joined.
  Separatrices paths;
  paths.ends = {{SeparatrixType::descending, 0, 0}};
  paths.offsets = {0, 1};
  for (const CellName& cell :
       {CellName{7 * 23, 0, 1}, CellName{0, 0, 2}, CellName{6 * 23, 0, 3}, CellName{24, 0, 0}}) {
    paths.cells = {cell};
    EXPECT_TRUE(has(refusal([&] { (void)TopologyExporter<3>(gradient, grid, field).separatrices(paths); }),
                    "does not have"))
        << cell.dimension;
  }
  const std::array<VertexId, 2> apart = {VertexId(0), VertexId(23)};
  EXPECT_TRUE(has(refusal([&] { (void)gradient.partner(apart); }), "{0, 23}"));
  std::stop_source stop;
  stop.request_stop();
  const Monitor monitor = {{}, stop.get_token()};
  EXPECT_THROW((void)compute_gradient<3>(grid, field, {.monitor = &monitor}), Error);
}

}  // namespace
}  // namespace tessera
