// Grids with periodic axes. The oracle is the same analysis of the simplices that triangulate() makes of
// them, which goes through tiles and stars, and knows of no axes. What that cut is,
// tests/mesh/triangulate_test.cpp asks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/detail/grid_cells.h>
#include <tessera/topology/export.h>
#include <tessera/topology/persistence.h>
#include <tessera/topology/simplification.h>
#include <tessera/topology/simplify_field.h>

#include "topology/complexes.h"
#include "topology/grids.h"

namespace tessera {
namespace {

using namespace testing;

std::string say(const Dims& dims, const PeriodicAxes& periodic) {
  std::string text = testing::say(dims) + ", periodic";
  for (std::size_t axis = 0; axis < 3; ++axis) text += periodic[axis] ? std::string(" ") + "xyz"[axis] : "";
  return text;
}

/// All combinations of periodic axes that the grid allows, at least one of them.
std::vector<PeriodicAxes> all_periodic(const Dims& dims) {
  std::vector<PeriodicAxes> all;
  for (unsigned axes = 1; axes < 8; ++axes) {
    const PeriodicAxes periodic = {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0};
    bool is_allowed = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      is_allowed = is_allowed && (!periodic[axis] || dims[axis] >= least_periodic_points);
    if (is_allowed) all.push_back(periodic);
  }
  return all;
}

template <int Dim>
SimplexMesh<Dim> cut(const Grid& grid, const PeriodicAxes& periodic) {
  return std::get<SimplexMesh<Dim>>(triangulate(grid, periodic));
}

template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "nothing";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <int Dim>
void expect_points_of_cut(const Grid& grid, const PeriodicAxes& periodic, const Field& field) {
  const CriticalPoints expected = critical_points(cut<Dim>(grid, periodic), field);
  for (const int threads : {1, 2, 7}) {
    const CriticalPoints found =
        critical_points(grid, field, {.exec = Exec::host(threads), .periodic = periodic});
    ASSERT_EQ(found.points, expected.points) << threads << " threads";
    EXPECT_EQ(found.counts, expected.counts);
  }
}

/// The gradient, the complex, persistence and simplification.
template <int Dim>
void expect_complex_of_cut(const Grid& grid, const PeriodicAxes& periodic, const Field& field) {
  const SimplexMesh<Dim> mesh = cut<Dim>(grid, periodic);
  const MorseSmaleComplex<Dim> expected = morse_smale<Dim>(mesh, field, {.walls = Dim == 3});
  const Persistence expected_pairs = compute_persistence(expected.gradient, field);
  for (const int threads : {1, 2, 7}) {
    const Exec exec = Exec::host(threads);
    const MorseSmaleComplex<Dim> found =
        morse_smale<Dim>(grid, field, {.exec = exec, .walls = Dim == 3, .periodic = periodic});
    if (threads == 2) expect_same_gradient(found.gradient, expected.gradient, mesh);
    expect_same_complex(found, expected);
    ASSERT_EQ(compute_persistence<Dim>(grid, field, {.exec = exec, .periodic = periodic}), expected_pairs);
    for (const double part : {0.1, 0.5}) {
      const double threshold = expected_pairs.part_of_range(part);
      expect_same_simplified(found.gradient, simplify(found, expected_pairs, threshold, {.exec = exec}),
                             expected.gradient, simplify(expected, expected_pairs, threshold));
    }
  }
}

template <int Dim>
void expect_trees_of_cut(const Grid& grid, const PeriodicAxes& periodic, const Field& field) {
  const SimplexMesh<Dim> mesh = cut<Dim>(grid, periodic);
  for (const int threads : {1, 2, 7}) {
    const Exec exec = Exec::host(threads);
    for (const MergeTreeKind kind : {MergeTreeKind::join, MergeTreeKind::split}) {
      ASSERT_EQ(merge_tree(grid, field, {.kind = kind, .exec = exec, .periodic = periodic}),
                merge_tree(mesh, field, {.kind = kind}));
    }
    ASSERT_EQ(contour_tree(grid, field, {.exec = exec, .periodic = periodic}), contour_tree(mesh, field));
  }
  const Persistence pairs = compute_persistence<Dim>(mesh, field);
  for (const double part : {0.2, 0.6}) {
    const double threshold = pairs.part_of_range(part);
    const SimplifiedField expected = simplify_field(mesh, field, threshold);
    const SimplifiedField found = simplify_field(grid, field, threshold, {.periodic = periodic});
    ASSERT_EQ(found.field, expected.field);
    EXPECT_EQ(found.changed_vertices, expected.changed_vertices);
    const ChosenExtrema keep = persistent_extrema(grid, field, threshold, {.periodic = periodic});
    EXPECT_EQ(keep.minima, persistent_extrema(mesh, field, threshold).minima);
    EXPECT_EQ(keep.maxima, persistent_extrema(mesh, field, threshold).maxima);
  }
}

constexpr std::array<Dims, 9> solids = {Dims{3, 3, 3}, Dims{3, 4, 5}, Dims{5, 3, 4},
                                        Dims{4, 5, 3}, Dims{2, 3, 4}, Dims{3, 2, 6},
                                        Dims{4, 3, 2}, Dims{7, 6, 5}, Dims{6, 9, 8}};
constexpr std::array<Dims, 9> surfaces = {Dims{3, 3, 1}, Dims{3, 1, 4}, Dims{1, 4, 3},
                                          Dims{2, 3, 1}, Dims{3, 1, 2}, Dims{1, 2, 5},
                                          Dims{5, 4, 1}, Dims{7, 1, 6}, Dims{1, 12, 9}};

/// Calls f(grid, periodic, field) with few, many and no values that are equal.
template <std::size_t N, class F>
void for_each_case(const std::array<Dims, N>& sizes, const F& f) {
  for (const Dims& dims : sizes) {
    for (const PeriodicAxes& periodic : all_periodic(dims)) {
      const Grid grid = grid_of(dims);
      std::uint64_t seed = 0;
      for (const std::uint64_t range : {1000000, 20, 3, 1}) {
        SCOPED_TRACE(say(dims, periodic) + ", values below " + std::to_string(range));
        f(grid, periodic, random_field<float>(grid.vertex_count(), range, ++seed));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(PeriodicCriticalPoints, AreThoseOfTheCut) {
  for_each_case(solids, expect_points_of_cut<3>);
  for_each_case(surfaces, expect_points_of_cut<2>);
}

TEST(PeriodicComplex, IsThatOfTheCut) {
  for_each_case(solids, expect_complex_of_cut<3>);
  for_each_case(surfaces, expect_complex_of_cut<2>);
}

TEST(PeriodicTrees, AreThoseOfTheCut) {
  for_each_case(solids, expect_trees_of_cut<3>);
  for_each_case(surfaces, expect_trees_of_cut<2>);
}

template <class T>
class PeriodicTypes : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(PeriodicTypes, Types);

TYPED_TEST(PeriodicTypes, AreAnalysedAsTheCut) {
  const Grid grid = grid_of({9, 6, 5});
  Field field = random_field<TypeParam>(grid.vertex_count(), 120, 5);
  // The ends of the type, zeros of both signs, and numbers that differ in their last bits only; at the seam.
  const auto values = field.as<TypeParam>();
  values[0] = std::numeric_limits<TypeParam>::max();
  values[8] = std::numeric_limits<TypeParam>::lowest();
  values[9] = static_cast<TypeParam>(std::numeric_limits<TypeParam>::max() - 1);
  for (std::size_t v = 45; v < 108; ++v) values[v] = static_cast<TypeParam>(v % 2 == 0 ? -0.0 : 0.0);
  for (const PeriodicAxes& periodic : all_periodic(grid.dims)) {
    SCOPED_TRACE(say(grid.dims, periodic));
    expect_points_of_cut<3>(grid, periodic, field);
    expect_complex_of_cut<3>(grid, periodic, field);
    if (sizeof(TypeParam) < 8) expect_trees_of_cut<3>(grid, periodic, field);
  }
}

TEST(PeriodicComplex, OfRowsAndLayersWithAnInside) {
  for (const Dims& dims : {Dims{17, 7, 6}, Dims{6, 12, 9}}) {
    const Grid grid = grid_of(dims);
    for (const PeriodicAxes& periodic : all_periodic(dims)) {
      SCOPED_TRACE(say(dims, periodic));
      const Field field = random_field<float>(grid.vertex_count(), 50, 7);
      expect_points_of_cut<3>(grid, periodic, field);
      expect_complex_of_cut<3>(grid, periodic, field);
      expect_trees_of_cut<3>(grid, periodic, field);
    }
  }
}

TEST(PeriodicCriticalPoints, OfInfiniteValues) {
  const Grid grid = grid_of({9, 7, 6});
  Field field = random_field<float>(grid.vertex_count(), 1000, 3);
  for (const std::size_t v : {0, 8, 100, 370}) field.as<float>()[v] = std::numeric_limits<float>::infinity();
  for (const std::size_t v : {9, 62, 301}) field.as<float>()[v] = -std::numeric_limits<float>::infinity();
  for (const PeriodicAxes& periodic : all_periodic(grid.dims)) {
    expect_points_of_cut<3>(grid, periodic, field);
    expect_complex_of_cut<3>(grid, periodic, field);
  }
}

/// Where cells lie, in steps along the axes, worked out from any vertex by the shortest ways to the others.
class Places {
 public:
  Places(const Grid& grid, const PeriodicAxes& periodic) : grid_(grid), periodic_(periodic) {}

  [[nodiscard]] std::array<double, 3> of_vertices(const Vertices& vertices) const {
    std::array<double, 3> sum = {};
    const auto first = place(vertices[0]);
    for (const std::uint32_t v : vertices) {
      const auto at = place(v);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double step = at[axis] - first[axis];
        if (periodic_[axis]) step -= grid_.dims[axis] * std::round(step / grid_.dims[axis]);
        sum[axis] += (first[axis] + step) / static_cast<double>(vertices.size());
      }
    }
    return sum;
  }
  [[nodiscard]] std::array<double, 3> of_point(const PolyData& poly, std::size_t i) const {
    const Vec3d p = poly.points[VertexId(static_cast<std::uint32_t>(i))] - grid_.origin;
    return {p.x / grid_.spacing.x, p.y / grid_.spacing.y, p.z / grid_.spacing.z};
  }
  /// How many periods lie between two places; nothing if they are not the same but for periods.
  [[nodiscard]] std::optional<std::array<int, 3>> periods(const std::array<double, 3>& a,
                                                          const std::array<double, 3>& b) const {
    std::array<int, 3> periods = {};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double n = grid_.dims[axis];
      if (periodic_[axis]) periods[axis] = static_cast<int>(std::lround((a[axis] - b[axis]) / n));
      if (std::abs(a[axis] - b[axis] - n * periods[axis]) > 1e-6) return std::nullopt;
    }
    return periods;
  }
  /// The largest step along an axis.
  [[nodiscard]] double distance(const PolyData& poly, std::size_t i, std::size_t j) const {
    const auto a = of_point(poly, i);
    const auto b = of_point(poly, j);
    double most = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) most = std::max(most, std::abs(a[axis] - b[axis]));
    return most;
  }
  /// Is it among the points of the grid, or behind the last ones by less than a step?
  [[nodiscard]] bool is_inside(const std::array<double, 3>& at) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double end = grid_.dims[axis] - (periodic_[axis] ? 0 : 1);
      if (at[axis] < -1e-9 || at[axis] > end + 1e-9) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::array<double, 3> place(std::uint32_t v) const {
    const std::uint32_t row = v / grid_.dims[0];
    return {1.0 * (v % grid_.dims[0]), 1.0 * (row % grid_.dims[1]), 1.0 * (row / grid_.dims[1])};
  }
  const Grid& grid_;
  const PeriodicAxes& periodic_;
};

void expect_same_arrays(const PolyData& found, const PolyData& expected) {
  EXPECT_EQ(found.lines, expected.lines);
  EXPECT_EQ(found.vertices, expected.vertices);
  EXPECT_EQ(found.polygons.offsets, expected.polygons.offsets);
  EXPECT_EQ(found.point_data, expected.point_data);
  EXPECT_EQ(found.cell_data, expected.cell_data);
}

/// The points of lines are those of their cells but for periods, and no line leads across the grid.
template <int Dim>
void expect_short_lines(const PolyData& lines, const std::vector<CellName>& cells, const Places& places,
                        const Gradient<Dim>& gradient) {
  ASSERT_EQ(lines.points.size(), cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto expected = places.of_vertices(vertices_of(gradient, cells[i]));
    ASSERT_TRUE(places.periods(places.of_point(lines, i), expected).has_value());
  }
  for (std::size_t line = 0; line < lines.lines.size(); ++line) {
    const auto points = lines.lines[line];
    ASSERT_TRUE(places.is_inside(places.of_point(lines, points.front().index())));
    for (std::size_t i = 1; i < points.size(); ++i)
      ASSERT_LE(places.distance(lines, points[i - 1].index(), points[i].index()), 0.76);
  }
}

void expect_short_polygons(const PolyData& poly, const Gradient<3>& gradient, const Walls& walls,
                           const TetMesh& mesh, const Places& places) {
  std::vector<std::vector<Vertices>> polygons;  // the cells at their corners
  for (const CellName& name : walls.descending) {
    auto& polygon = polygons.emplace_back();
    for (const std::uint32_t v : vertices_of(gradient, name)) polygon.push_back({v});
  }
  for (std::size_t i = 0; i < walls.ascending.size(); ++i) {
    if (walls.ring(i).size() < 3) continue;
    auto& polygon = polygons.emplace_back();
    for (const TetId tet : walls.ring(i)) {
      auto& corner = polygon.emplace_back();
      for (const VertexId v : mesh[tet]) corner.push_back(v.index());
    }
  }
  ASSERT_EQ(poly.polygons.size(), polygons.size());
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    const auto corners = poly.polygons[i];
    ASSERT_EQ(corners.size(), polygons[i].size());
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const auto expected = places.of_vertices(polygons[i][k]);
      ASSERT_TRUE(places.periods(places.of_point(poly, corners[k].index()), expected).has_value());
      ASSERT_LE(places.distance(poly, corners[0].index(), corners[k].index()), 1.51);
    }
  }
}

template <int Dim>
void expect_files_of_cut(const Grid& grid, const PeriodicAxes& periodic, const Field& field) {
  const SimplexMesh<Dim> mesh = cut<Dim>(grid, periodic);
  const MorseSmaleComplex<Dim> of_cut = morse_smale<Dim>(mesh, field, {.walls = Dim == 3});
  TopologyExporter<Dim> of_mesh(of_cut.gradient, mesh, field);
  const Places places(grid, periodic);
  for (const int threads : {1, 3}) {
    const Exec exec = Exec::host(threads);
    const MorseSmaleComplex<Dim> found =
        morse_smale<Dim>(grid, field, {.exec = exec, .walls = Dim == 3, .periodic = periodic});
    TopologyExporter<Dim> writer(found.gradient, grid, field, {.exec = exec});
    const PolyData critical = writer.critical_cells({&found.segmentation});
    expect_same_arrays(critical, of_mesh.critical_cells({&of_cut.segmentation}));
    std::size_t at = 0;
    for (int d = 0; d <= Dim; ++d) {
      for (const CriticalCell& cell : found.gradient.critical_cells(d)) {
        const auto place = places.of_point(critical, at++);
        ASSERT_TRUE(places.is_inside(place));
        ASSERT_TRUE(places.periods(place, places.of_vertices(vertices_of(found.gradient, cell.name))));
      }
    }
    const PolyData paths = writer.separatrices(found.separatrices);
    expect_same_arrays(paths, of_mesh.separatrices(of_cut.separatrices));
    expect_short_lines(paths, {found.separatrices.cells.begin(), found.separatrices.cells.end()}, places,
                       found.gradient);
    const PolyData pairs = writer.pairs();
    expect_same_arrays(pairs, of_mesh.pairs());
    std::vector<CellName> names;
    for (const GradientPair& pair : found.gradient.pairs()) names.insert(names.end(), {pair.low, pair.high});
    expect_short_lines(pairs, names, places, found.gradient);
    if constexpr (Dim == 3) {
      const PolyData walls = writer.walls(found.walls);
      EXPECT_EQ(walls.cell_data, of_mesh.walls(of_cut.walls).cell_data);
      expect_short_polygons(walls, found.gradient, found.walls, mesh, places);
    }
  }
}

TEST(PeriodicFiles, PlaceCellsBesideEachOther) {
  for (const Dims& dims : {Dims{3, 3, 3}, Dims{3, 4, 5}, Dims{5, 2, 3}, Dims{7, 6, 5}}) {
    const Grid grid = grid_of(dims);
    for (const PeriodicAxes& periodic : all_periodic(dims)) {
      SCOPED_TRACE(say(dims, periodic));
      expect_files_of_cut<3>(grid, periodic, random_field<float>(grid.vertex_count(), 500, 3));
    }
  }
  for (const Dims& dims : {Dims{3, 3, 1}, Dims{6, 1, 5}, Dims{1, 9, 2}}) {
    const Grid grid = grid_of(dims);
    for (const PeriodicAxes& periodic : all_periodic(dims)) {
      SCOPED_TRACE(say(dims, periodic));
      expect_files_of_cut<2>(grid, periodic, random_field<float>(grid.vertex_count(), 500, 3));
    }
  }
}

/// A ring of eight points around a strip, which rises along the ring from the second point to the first: the
/// line from its saddle down crosses the seam.
TEST(PeriodicFiles, LinesGoOnBeyondTheBorder) {
  Grid grid = grid_of({8, 3, 1});
  Array<float> values(24);
  for (std::uint32_t v = 0; v < 24; ++v)
    values[v] = static_cast<float>(10 * std::abs(static_cast<int>((v % 8 + 6) % 8) - 4)) +
                0.1f * static_cast<float>(v / 8);
  const Field field("f", std::move(values));
  // By x: 20 30 40 30 20 10 0 10. The minimum is at x = 6, the saddle at x = 2, four steps away on both
  // sides.
  const MorseSmaleComplex<2> complex = morse_smale<2>(grid, field, {.periodic = {true, false, false}});
  ASSERT_EQ(complex.gradient.critical_cells(0).size(), 1u);
  ASSERT_EQ(complex.gradient.critical_cells(1).size(), 1u);
  const PolyData lines =
      TopologyExporter<2>(complex.gradient, grid, field).separatrices(complex.separatrices);
  std::vector<double> ends;
  for (std::size_t line = 0; line < lines.lines.size(); ++line)
    ends.push_back((lines.points[lines.lines[line].back()].x - grid.origin.x) / grid.spacing.x);
  std::ranges::sort(ends);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NEAR(ends[0], -2, 1e-9);
  EXPECT_NEAR(ends[1], 6, 1e-9);
}

TEST(PeriodicFiles, FollowTheAxesOfATurnedGrid) {
  Grid grid = grid_of({5, 4, 3});
  grid.origin = {0, 0, 0};
  Grid turned = grid;
  turned.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};  // x goes along y, y against x
  const Field field = random_field<float>(grid.vertex_count(), 500, 3);
  const MorseSmaleComplex<3> complex =
      morse_smale<3>(grid, field, {.walls = true, .periodic = {true, true, true}});
  TopologyExporter<3> writer(complex.gradient, grid, field);
  TopologyExporter<3> of_turned(complex.gradient, turned, field);
  const auto expect_turned = [](const PolyData& found, const PolyData& expected) {
    ASSERT_EQ(found.points.size(), expected.points.size());
    for (std::uint32_t i = 0; i < found.points.size(); ++i) {
      const Vec3d p = expected.points[VertexId(i)];
      const Vec3d q = found.points[VertexId(i)];
      ASSERT_NEAR(q.x, -p.y, 1e-9);
      ASSERT_NEAR(q.y, p.x, 1e-9);
      ASSERT_NEAR(q.z, p.z, 1e-9);
    }
  };
  expect_turned(of_turned.separatrices(complex.separatrices), writer.separatrices(complex.separatrices));
  expect_turned(of_turned.walls(complex.walls), writer.walls(complex.walls));
  expect_turned(of_turned.critical_cells(), writer.critical_cells());
}

/// Every cell of the cut has the number it has there.
template <int Dim>
void expect_numbers_of_cut(const Grid& grid, const PeriodicAxes& periodic) {
  const detail::GridCells<Dim> cells{detail::GridLattice(grid, periodic)};
  const SimplexMesh<Dim> mesh = cut<Dim>(grid, periodic);
  std::array<std::vector<std::vector<VertexId>>, 5> by_size;
  for (const auto& cell : all_cells(mesh)) by_size[cell.size()].push_back(cell);
  ASSERT_EQ(cells.edge_count(), by_size[2].size());
  ASSERT_EQ(cells.triangle_count(), by_size[3].size());
  ASSERT_EQ(cells.top_count(), mesh.cell_count());
  for (std::size_t i = 0; i < by_size[2].size(); ++i) {
    const std::uint32_t a = by_size[2][i][0].index();
    const std::uint32_t b = by_size[2][i][1].index();
    const std::uint32_t k = cells.find_neighbour(a, b);
    ASSERT_LT(k, detail::grid_neighbours);
    EXPECT_EQ(cells.neighbour(a, k), b);
    EXPECT_EQ(cells.edge(a, k), cells.edge(b, detail::back(k)));
    EXPECT_EQ(cells.rank_of_edge(cells.edge(a, k)), i);
    EXPECT_EQ(cells.neighbour_along(a, cells.edge(a, k)), k);
    EXPECT_EQ(cells.neighbour_along(b, cells.edge(a, k)), detail::back(k));
  }
  for (std::size_t i = 0; i < by_size[3].size(); ++i) {
    const auto& face = by_size[3][i];
    const std::uint32_t low = face[0].index();
    EXPECT_EQ(cells.rank_of_triangle(low, cells.find_neighbour(low, face[1].index()),
                                     cells.find_neighbour(low, face[2].index())),
              i);
  }
  for (std::size_t i = 0; i < mesh.cell_count(); ++i) {
    const std::uint32_t number = cells.top_of_rank(i);
    EXPECT_EQ(cells.rank_of_top(number), i);
    EXPECT_TRUE(cells.has_top(cells.top(number)));
    auto corners = mesh.cells[i];
    for (std::size_t k = 0; k <= Dim; ++k) corners[k] = VertexId(cells.corner(cells.top(number), k));
    std::sort(corners.begin(), corners.end());
    ASSERT_EQ(corners, mesh.cells[i]);
  }
}

TEST(PeriodicCells, AreNumberedAsThoseOfTheCut) {
  for (const Dims& dims : solids) {
    for (const PeriodicAxes& periodic : all_periodic(dims)) {
      SCOPED_TRACE(say(dims, periodic));
      expect_numbers_of_cut<3>(grid_of(dims), periodic);
    }
  }
  for (const Dims& dims : surfaces) {
    for (const PeriodicAxes& periodic : all_periodic(dims)) {
      SCOPED_TRACE(say(dims, periodic));
      expect_numbers_of_cut<2>(grid_of(dims), periodic);
    }
  }
}

/// Betti numbers of a product of as many circles, and of an interval for each other axis.
std::array<std::size_t, 4> betti_of_circles(std::size_t circles) {
  std::array<std::size_t, 4> betti = {1, 0, 0, 0};
  for (std::size_t i = 0; i < circles; ++i) {
    for (std::size_t d = 3; d > 0; --d) betti[d] += betti[d - 1];
  }
  return betti;
}

TEST(PeriodicPersistence, HasTheBettiNumbersOfATorus) {
  const auto circles = [](const PeriodicAxes& periodic) {
    return static_cast<std::size_t>(std::ranges::count(periodic, true));
  };
  EXPECT_EQ(betti_of_circles(3), (std::array<std::size_t, 4>{1, 3, 3, 1}));
  for (const Dims& dims : {Dims{3, 3, 3}, Dims{8, 7, 9}}) {
    const Grid grid = grid_of(dims);
    for (const PeriodicAxes& periodic : all_periodic(dims)) {
      SCOPED_TRACE(say(dims, periodic));
      const Field field = random_field<float>(grid.vertex_count(), 1000, 2);
      EXPECT_EQ(compute_persistence<3>(grid, field, {.periodic = periodic}).essential,
                betti_of_circles(circles(periodic)));
      // A circle makes the Euler characteristic of a product 0.
      const detail::GridCells<3> cells{detail::GridLattice(grid, periodic)};
      EXPECT_EQ(cells.vertex_count() + cells.triangle_count(), cells.edge_count() + cells.top_count());
    }
  }
  for (const Dims& dims : {Dims{3, 3, 1}, Dims{9, 1, 8}, Dims{1, 5, 7}}) {
    const Grid grid = grid_of(dims);
    for (const PeriodicAxes& periodic : all_periodic(dims)) {
      SCOPED_TRACE(say(dims, periodic));
      const Field field = random_field<float>(grid.vertex_count(), 1000, 2);
      EXPECT_EQ(compute_persistence<2>(grid, field, {.periodic = periodic}).essential,
                betti_of_circles(circles(periodic)));
    }
  }
}

/// The indices of the critical points of a closed surface add up to its Euler characteristic.
TEST(PeriodicCriticalPoints, OfATorusCancelOut) {
  const Grid grid = grid_of({20, 30, 1});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CriticalPoints found =
        critical_points(grid, random_field<double>(grid.vertex_count(), std::uint64_t{1} << 50, seed),
                        {.periodic = {true, true, false}});
    long sum = 0;
    for (const CriticalPoint& point : found.points) {
      EXPECT_FALSE(point.is_on_boundary);
      const bool is_saddle = point.lower_pieces > 0 && point.upper_pieces > 0;
      sum += is_saddle ? 1 - static_cast<long>(point.lower_pieces) : 1;
    }
    EXPECT_EQ(sum, 0);
  }
}

/// Without ties, a field that is shifted along periodic axes has its critical points shifted.
TEST(PeriodicCriticalPoints, MoveWithTheField) {
  const Dims dims = {7, 6, 5};
  const Grid grid = grid_of(dims);
  const Field field = random_field<double>(grid.vertex_count(), std::uint64_t{1} << 50, 9);
  const CriticalPoints points = critical_points(grid, field, {.periodic = {true, true, true}});
  for (const Dims& shift : {Dims{1, 0, 0}, Dims{0, 5, 0}, Dims{0, 0, 2}, Dims{3, 4, 1}}) {
    const auto moved = [&](std::uint32_t v) {
      const Dims at = {v % dims[0], v / dims[0] % dims[1], v / dims[0] / dims[1]};
      Dims to = {};
      for (std::size_t axis = 0; axis < 3; ++axis) to[axis] = (at[axis] + shift[axis]) % dims[axis];
      return to[0] + dims[0] * (to[1] + dims[1] * to[2]);
    };
    Field shifted = field;
    for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
      shifted.as<double>()[moved(v)] = field.as<double>()[v];
    std::vector<CriticalPoint> expected(points.points.begin(), points.points.end());
    for (CriticalPoint& point : expected) point.vertex = VertexId(moved(point.vertex.index()));
    std::ranges::sort(expected, {}, &CriticalPoint::vertex);
    const CriticalPoints found = critical_points(grid, shifted, {.periodic = {true, true, true}});
    EXPECT_TRUE(std::ranges::equal(found.points, expected));
  }
}

TEST(Periodic, AxesNeedThreePoints) {
  const auto refused = [](const Dims& dims, const PeriodicAxes& periodic) {
    const Grid grid = grid_of(dims);
    const Field field = random_field<float>(grid.vertex_count(), 9, 1);
    const std::string text = refusal([&] { (void)critical_points(grid, field, {.periodic = periodic}); });
    EXPECT_EQ(refusal([&] { (void)triangulate(grid, periodic); }), text);
    EXPECT_EQ(refusal([&] { (void)triangulation_bytes(grid, periodic); }), text);
    EXPECT_EQ(refusal([&] { (void)merge_tree(grid, field, {.periodic = periodic}); }), text);
    EXPECT_EQ(refusal([&] {
                dimension(grid) == 3 ? (void)compute_gradient<3>(grid, field, {.periodic = periodic})
                                     : (void)compute_gradient<2>(grid, field, {.periodic = periodic});
              }),
              text);
    return text;
  };
  EXPECT_EQ(refused({4, 2, 4}, {true, true, true}),
            "bad_option: axis y of the grid has 2 points; a periodic axis needs 3 or more");
  EXPECT_EQ(refused({4, 4, 1}, {false, false, true}),
            "bad_option: axis z of the grid has 1 point; a periodic axis needs 3 or more");
  EXPECT_EQ(refused({3, 4, 1}, {true, true, false}), "nothing");
}

TEST(Periodic, IsForGridsOnHostThreads) {
  const Grid grid = grid_of({4, 4, 4});
  const Field field = random_field<float>(grid.vertex_count(), 9, 1);
  const TetMesh mesh = cut<3>(grid, {});
  const PeriodicAxes x = {true, false, false};
  const std::string for_grids = "bad_option: periodic axes can be asked for with a grid";
  EXPECT_TRUE(has(refusal([&] { (void)morse_smale<3>(mesh, field, {.periodic = x}); }), for_grids));
  EXPECT_TRUE(has(refusal([&] { (void)compute_persistence<3>(mesh, field, {.periodic = x}); }), for_grids));
  EXPECT_TRUE(has(refusal([&] { (void)merge_tree(mesh, field, {.periodic = x}); }), for_grids));
  EXPECT_TRUE(has(refusal([&] { (void)contour_tree(mesh, field, {.periodic = x}); }), for_grids));
  EXPECT_TRUE(has(refusal([&] { (void)simplify_field(mesh, field, 1, {.periodic = x}); }), for_grids));
  const Gradient<3> gradient = compute_gradient<3>(grid, field);
  EXPECT_TRUE(has(refusal([&] { (void)compute_separatrices(gradient, {.periodic = x}); }), for_grids));
  EXPECT_TRUE(has(refusal([&] { (void)compute_segmentation(gradient, {.periodic = x}); }), for_grids));
  EXPECT_TRUE(has(refusal([&] { (void)compute_walls(gradient, {.periodic = x}); }), for_grids));
}

}  // namespace
}  // namespace tessera
