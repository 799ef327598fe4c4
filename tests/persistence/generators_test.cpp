// Cycles of classes: what they must be, checked with sets of cells alone, and loops and shells that can be
// counted by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <tessera/mesh/triangulate.h>
#include <tessera/topology/generators.h>

#include "persistence/meshes.h"
#include "persistence/oracle.h"
#include "persistence/stop_everywhere.h"

namespace tessera {
namespace {

using test::Oracle;
using test::Sample;

/// All pairs of dimension 1 to Dim - 1.
template <int Dim>
std::vector<std::uint32_t> list_cycles(const Persistence& persistence) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < persistence.pairs.size(); ++i) {
    const std::uint32_t dimension = persistence.pairs[i].dimension;
    if (dimension > 0 && dimension < Dim) numbers.push_back(i);
  }
  return numbers;
}

template <int Dim>
test::Cell cell_of(const Gradient<Dim>& gradient, const Oracle& oracle, std::uint32_t dimension,
                   std::uint32_t number) {
  const auto simplex = gradient.simplex(gradient.critical_cells(static_cast<int>(dimension))[number].name);
  std::vector<std::uint32_t> ids;
  for (std::size_t k = 0; k < simplex.size; ++k) ids.push_back(simplex.vertices[k].index());
  return oracle.cell_of(ids);
}

/// The cycles by pair, as the oracle writes cells.
std::map<std::uint32_t, std::set<test::Cell>> group(const PersistentGenerators& found, const Oracle& oracle) {
  std::map<std::uint32_t, std::set<test::Cell>> cycles;
  for (std::size_t c = 0; c < found.cells.size(); ++c) {
    std::vector<std::uint32_t> ids;
    for (const VertexId v : found.cells[c]) ids.push_back(v.index());
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    EXPECT_TRUE(cycles[found.pairs[c]].insert(oracle.cell_of(ids)).second) << "a cell is there twice";
  }
  return cycles;
}

std::set<test::Cell> boundary(const std::set<test::Cell>& cells) {
  std::set<test::Cell> sum;
  for (const test::Cell& cell : cells) {
    for (const test::Cell& facet : Oracle::facets(cell)) {
      if (!sum.insert(facet).second) sum.erase(facet);
    }
  }
  return sum;
}

/// Is the cycle the boundary of cells of which the highest vertex is at most `last`? Gauss, on all of them.
bool is_filled(const std::set<test::Cell>& cycle, const std::vector<test::Cell>& fillers) {
  std::map<test::Cell, std::set<test::Cell>> columns;  // by their highest cell
  const auto reduce = [&](std::set<test::Cell> sum) {
    while (!sum.empty() && columns.contains(*sum.rbegin())) {
      for (const test::Cell& cell : columns[*sum.rbegin()]) {
        if (!sum.insert(cell).second) sum.erase(cell);
      }
    }
    return sum;
  };
  for (const test::Cell& filler : fillers) {
    const auto column = reduce(boundary({filler}));
    if (!column.empty()) columns[*column.rbegin()] = column;
  }
  return reduce(cycle).empty();
}

/// Cells of a dimension whose highest vertex is below `end` in the order.
template <int Dim>
std::vector<test::Cell> cells_below(const SimplexMesh<Dim>& mesh, const Oracle& oracle, std::size_t dimension,
                                    std::uint32_t end) {
  std::set<test::Cell> cells;
  for (const auto& corners : mesh.cells) {
    for (unsigned subset = 1; subset < 1u << (Dim + 1); ++subset) {
      std::vector<std::uint32_t> ids;
      for (unsigned k = 0; k <= Dim; ++k) {
        if ((subset >> k & 1) != 0) ids.push_back(corners[k].index());
      }
      const test::Cell cell = oracle.cell_of(ids);
      if (cell.size() == dimension + 1 && cell[0] < end) cells.insert(cell);
    }
  }
  return {cells.begin(), cells.end()};
}

/// Each is a cycle that begins with the birth: no cell of it has a higher vertex, and the birth is in it. It
/// is filled once the death is there and, if the death has a higher vertex than the birth, not before.
template <int Dim>
void check(const SimplexMesh<Dim>& mesh, const Field& field) {
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 16});
  const auto gradient = compute_gradient(tiles, field, {.keep_paths = true});
  const Persistence persistence = compute_persistence(gradient, field);
  const Oracle oracle(mesh, field);
  const auto numbers = list_cycles<Dim>(persistence);
  const auto cycles = group(compute_generators(gradient, persistence, numbers), oracle);
  EXPECT_EQ(cycles.size(), numbers.size());
  for (const std::uint32_t number : numbers) {
    const PersistencePair& pair = persistence.pairs[number];
    SCOPED_TRACE("pair " + std::to_string(number) + " of dimension " + std::to_string(pair.dimension));
    ASSERT_TRUE(cycles.contains(number));
    const auto& cycle = cycles.at(number);
    const test::Cell birth = cell_of(gradient, oracle, pair.dimension, pair.birth);
    EXPECT_TRUE(boundary(cycle).empty());
    EXPECT_TRUE(cycle.contains(birth));
    EXPECT_EQ((*cycle.rbegin())[0], birth[0]);
    for (const test::Cell& cell : cycle) EXPECT_EQ(cell.size(), birth.size());
    const auto filled_below = [&](std::uint32_t end) {
      return is_filled(cycle, cells_below(mesh, oracle, pair.dimension + 1, end));
    };
    if (!pair.is_finite()) {
      EXPECT_FALSE(filled_below(static_cast<std::uint32_t>(mesh.vertex_count())));
      continue;
    }
    const std::uint32_t death = cell_of(gradient, oracle, pair.dimension + 1, pair.death)[0];
    EXPECT_TRUE(filled_below(death + 1));
    EXPECT_TRUE(death == birth[0] || !filled_below(death));
  }
}

TEST(Generators, AreCyclesThatBeginAndEndWithTheirClassOnSurfaces) {
  for (const Sample<2>& sample : test::make_surfaces()) {
    for (const Field& field : test::make_fields(sample.mesh, 17)) {
      SCOPED_TRACE(sample.name);
      check(sample.mesh, field);
    }
  }
}

TEST(Generators, AreCyclesThatBeginAndEndWithTheirClassInSolids) {
  for (const Sample<3>& sample : test::make_solids()) {
    if (sample.mesh.vertex_count() > 150) continue;  // the oracle is cubic
    for (const Field& field : test::make_fields(sample.mesh, 18)) {
      SCOPED_TRACE(sample.name);
      check(sample.mesh, field);
    }
  }
}

TEST(Generators, AreCyclesOnManyRandomComplexes) {
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    SCOPED_TRACE(seed);
    check(test::make_random_cells<2>(10, 10 + seed % 40, seed), test::make_levels(10, 2 + seed % 9, seed));
    check(test::make_random_cells<3>(9, 5 + seed % 30, seed), test::make_levels(9, 2 + seed % 9, seed));
  }
}

/// A grid and its cut have the same cycles.
TEST(Generators, OfAGridAreThoseOfItsSimplices) {
  for (const auto& dims : {std::array{7u, 6u, 5u}, std::array{12u, 11u, 1u}}) {
    Grid grid = make_lattice(dims[0], dims[1], dims[2]);
    for (const std::uint64_t levels : {3u, 1000u}) {
      const Field field = test::make_levels(grid.vertex_count(), levels, 5);
      const auto compare = [&]<int Dim>(const SimplexMesh<Dim>& mesh) {
        const auto of_mesh = compute_gradient<Dim>(mesh, field, {.keep_paths = true});
        const auto of_grid = compute_gradient<Dim>(grid, field);
        const Persistence persistence = compute_persistence(of_mesh, field);
        const auto numbers = list_cycles<Dim>(persistence);
        EXPECT_GT(numbers.size(), 5u);
        EXPECT_EQ(compute_generators(of_grid, persistence, numbers),
                  compute_generators(of_mesh, persistence, numbers));
      };
      const AnyMesh cut = triangulate(grid);
      if (const auto* solid = std::get_if<TetMesh>(&cut)) {
        compare(*solid);
      } else {
        compare(std::get<TriMesh>(cut));
      }
    }
  }
}

/// How often the edges of a cycle turn, if each vertex has an angle.
template <class Angle>
int count_turns(const PersistentGenerators& found, const Angle& angle_of) {
  std::map<VertexId, std::vector<VertexId>> next;  // edges modulo two have no direction, so loops are walked
  for (std::size_t c = 0; c < found.cells.size(); ++c) {
    const auto edge = found.cells[c];
    next[edge[0]].push_back(edge[1]);
    next[edge[1]].push_back(edge[0]);
  }
  double sum = 0;
  for (auto& [start, all] : next) {
    for (VertexId at = start; !next[at].empty();) {
      const VertexId to = next[at].back();
      next[at].pop_back();
      auto& back = next[to];
      back.erase(std::find(back.begin(), back.end(), at));
      sum += std::remainder(angle_of(to) - angle_of(at), 2 * M_PI);
      at = to;
    }
  }
  return static_cast<int>(std::lround(std::abs(sum) / (2 * M_PI)));
}

/// A torus has two loops, around its hole and around its tube; the second one found may go around both.
TEST(Generators, OfATorusAreItsTwoLoops) {
  const TriMesh mesh = make_torus(48, 24);
  Vec3d centre = {0, 0, 0};
  for (const VertexId v : mesh.vertices())
    centre = centre + (1.0 / static_cast<double>(mesh.vertex_count())) * mesh.points[v];
  Array<double> heights;
  double radius = 0;  // of the circle in the middle of the tube
  const auto from_axis = [&](VertexId v) {
    const Vec3d p = mesh.points[v] - centre;
    return std::hypot(p.x, p.y);
  };
  for (const VertexId v : mesh.vertices()) {
    heights.push_back(mesh.points[v].z);
    radius += from_axis(v) / static_cast<double>(mesh.vertex_count());
  }
  const Field field = {"height", std::move(heights)};
  const auto gradient = compute_gradient(mesh, field, {.keep_paths = true});
  const Persistence persistence = compute_persistence(gradient, field);
  std::vector<std::array<int, 2>> turns;  // around the hole, around the tube
  for (const std::uint32_t number : list_cycles<2>(persistence)) {
    if (persistence.pairs[number].is_finite()) continue;
    const std::uint32_t numbers[] = {number};
    const PersistentGenerators found = compute_generators(gradient, persistence, numbers);
    turns.push_back({count_turns(found,
                                 [&](VertexId v) {
                                   const Vec3d p = mesh.points[v] - centre;
                                   return std::atan2(p.y, p.x);
                                 }),
                     count_turns(found, [&](VertexId v) {
                       return std::atan2(mesh.points[v].z - centre.z, from_axis(v) - radius);
                     })});
  }
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(std::abs(turns[0][0] * turns[1][1] - turns[0][1] * turns[1][0]) % 2, 1);
}

/// Away from a point in the middle of a solid cube, everything below a level is a shell around that point.
TEST(Generators, OfACavityIsAShellAroundIt) {
  const TetMesh mesh = make_kuhn_full(9);
  Array<double> values;
  for (const VertexId v : mesh.vertices()) values.push_back(-length(mesh.points[v] - Vec3d{0.5, 0.5, 0.5}));
  const Field field = {"depth", std::move(values)};
  const auto gradient = compute_gradient(mesh, field, {.keep_paths = true});
  const Persistence persistence = compute_persistence(gradient, field);
  std::optional<std::uint32_t> longest;
  for (const std::uint32_t number : list_cycles<3>(persistence)) {
    const PersistencePair& pair = persistence.pairs[number];
    if (pair.dimension == 2 && (!longest || pair.persistence() > persistence.pairs[*longest].persistence()))
      longest = number;
  }
  ASSERT_TRUE(longest.has_value());
  EXPECT_EQ(persistence.pairs[*longest].death_value, 0);  // the middle itself
  const std::uint32_t numbers[] = {*longest};
  const PersistentGenerators shell = compute_generators(gradient, persistence, numbers);
  // Six sides of 8 x 8 squares are the boundary of the cube; the shell is one of that kind: closed, of genus
  // 0.
  std::set<VertexId> vertices;
  std::set<std::pair<VertexId, VertexId>> edges;
  for (std::size_t c = 0; c < shell.cells.size(); ++c) {
    const auto t = shell.cells[c];
    vertices.insert(t.begin(), t.end());
    edges.insert({t[0], t[1]});
    edges.insert({t[0], t[2]});
    edges.insert({t[1], t[2]});
  }
  EXPECT_EQ(vertices.size() + shell.cells.size(), edges.size() + 2);
}

TEST(Generators, RefusePairsThatHaveNone) {
  const TetMesh mesh = make_kuhn_full(4);
  const Field field = make_wave_field(mesh.points, WaveField::smooth);
  const auto gradient = compute_gradient(mesh, field, {.keep_paths = true});
  Persistence persistence = compute_persistence(gradient, field);
  const auto refused = [&](std::uint32_t number, const std::string& why) {
    try {
      const std::uint32_t numbers[] = {number};
      (void)compute_generators(gradient, persistence, numbers);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option);
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused(static_cast<std::uint32_t>(persistence.pairs.size()), "is not there");
  refused(0, "dimension 0");
  const auto cycle = list_cycles<3>(persistence).front();
  const Persistence good = persistence;
  persistence.pairs[0].birth = 1000000;
  refused(cycle, "critical cells");
  persistence = good;
  persistence.pairs[cycle].birth_vertex = VertexId(0);
  refused(cycle, "critical cells");
  const Field other = make_wave_field(mesh.points, WaveField::rough);
  persistence = compute_persistence(mesh, other);
  refused(list_cycles<3>(persistence).front(), "critical cells");
}

TEST(Generators, CanBeStopped) {
  const TetMesh mesh = make_kuhn(10);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const auto gradient = compute_gradient(mesh, field, {.keep_paths = true});
  const Persistence persistence = compute_persistence(gradient, field);
  const auto numbers = list_cycles<3>(persistence);
  ASSERT_GT(numbers.size(), 10u);
  test::stop_everywhere(
      [&](const Monitor* monitor) {
        (void)compute_generators(gradient, persistence, numbers, {.monitor = monitor});
      },
      10);
}

}  // namespace
}  // namespace tessera
