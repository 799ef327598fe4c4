// Analyses of a mesh without tiles of one's own, and results as poly data: CellIds against an enumeration of
// all cells, what is refused, budgets and cancellation.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stop_token>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/topology/detail/export_parts.h>
#include <tessera/topology/export.h>

#include "topology/meshes.h"
#include "topology/results.h"

namespace tessera {
namespace {

using namespace testing;

template <class F>
void expect_error(ErrorCode code, const F& f) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

template <int Dim>
void check_mesh_overloads(SimplexMesh<Dim> mesh) {
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  const Field& field = mesh.field("rough");
  const TiledMesh<Dim> tiles = tile(mesh);
  const CriticalPoints points = critical_points(tiles, field);
  EXPECT_EQ(critical_points(mesh, field).points, points.points);
  EXPECT_EQ(critical_points(mesh, "rough", {.exec = Exec::host(2)}).counts, points.counts);
  const auto pairs = pairs_of(compute_gradient(tiles, field));
  EXPECT_EQ(pairs_of(compute_gradient(mesh, field)), pairs);
  EXPECT_EQ(pairs_of(compute_gradient(mesh, std::string("rough"))), pairs);
  const auto complex = morse_smale(tiles, field);
  const auto of_mesh = morse_smale(mesh, field);
  EXPECT_EQ(of_mesh.separatrices.ends, complex.separatrices.ends);
  EXPECT_EQ(of_mesh.segmentation.morse_smale, complex.segmentation.morse_smale);
  EXPECT_EQ(morse_smale(mesh, "rough").segmentation.count, complex.segmentation.count);
  expect_error(ErrorCode::not_found, [&] { (void)critical_points(mesh, "smooth"); });
  expect_error(ErrorCode::not_found, [&] { (void)compute_gradient(mesh, "smooth"); });
  expect_error(ErrorCode::not_found, [&] { (void)morse_smale(mesh, "smooth"); });
}

TEST(TopologyOfMeshes, EqualsThatOfTheirTiles) {
  check_mesh_overloads(make_shuffled(make_kuhn(8)));
  check_mesh_overloads(make_kuhn_full(5));
  check_mesh_overloads(make_shuffled(make_torus(14, 11)));
}

/// Copies share the tiles, which live as long as one of them.
TEST(TopologyOfMeshes, GradientsKeepTheirTiles) {
  const TetMesh mesh = make_shuffled(make_kuhn(6));
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const auto copy = [&] {
    const auto gradient = compute_gradient(mesh, field);
    return gradient;  // NOLINT: a copy is what is wanted
  }();
  EXPECT_EQ(copy.vertex_count(), mesh.vertex_count());
  EXPECT_EQ(pairs_of(copy), pairs_of(compute_gradient(mesh, field)));
}

/// Every simplex of a mesh and its place among those of its dimension: of vertices and cells their ids, of
/// others that in the order of their vertices.
template <int Dim>
std::vector<std::map<Simplex, std::int64_t>> number_cells(const SimplexMesh<Dim>& mesh) {
  std::vector<std::map<Simplex, std::int64_t>> numbers(Dim + 1);
  for (std::uint32_t c = 0; c < mesh.cell_count(); ++c) {
    for (unsigned subset = 1; subset < 1u << (Dim + 1); ++subset) {
      Simplex simplex;
      for (unsigned k = 0; k <= Dim; ++k) {
        if ((subset >> k & 1) != 0) simplex.push_back(mesh.cells[c][k].index());
      }
      std::sort(simplex.begin(), simplex.end());
      numbers[simplex.size() - 1][simplex] = c;
    }
  }
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) numbers[0][{v}] = v;
  for (std::size_t d = 1; d < Dim; ++d) {
    std::int64_t next = 0;
    for (auto& [simplex, number] : numbers[d]) number = next++;
  }
  return numbers;
}

std::vector<std::int64_t> ids_in(const PolyData& poly) {
  std::vector<std::int64_t> ids;
  poly.point_data.at("CellId").visit([&](auto values) { ids.assign(values.begin(), values.end()); });
  return ids;
}

template <int Dim>
void check_cell_ids(const SimplexMesh<Dim>& mesh, const Field& field) {
  const auto numbers = number_cells(mesh);
  for (const std::uint32_t size : {3u, 60u, 512u}) {
    const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = size, .order = VertexOrder::morton});
    const auto complex = morse_smale(tiles, field);
    TopologyExporter<Dim> exporter(complex.gradient, mesh, field, {.exec = Exec::host(2)});
    const auto number_of = [&](const CellName& name) {
      return numbers[name.dimension].at(name_to_simplex(complex.gradient, name));
    };
    std::vector<std::int64_t> expected;
    for (const auto& [low, high] : complex.gradient.pairs()) {
      expected.push_back(number_of(low));
      expected.push_back(number_of(high));
    }
    EXPECT_EQ(ids_in(exporter.pairs()), expected);
    expected.clear();
    for (const CellName& name : complex.separatrices.cells) expected.push_back(number_of(name));
    EXPECT_EQ(ids_in(exporter.separatrices(complex.separatrices)), expected);
    expected.clear();
    for (int d = 0; d <= Dim; ++d) {
      for (const CriticalCell& cell : complex.gradient.critical_cells(d))
        expected.push_back(number_of(cell.name));
    }
    EXPECT_EQ(ids_in(exporter.critical_cells()), expected);
  }
}

TEST(TopologyExport, CellIdsAreThoseOfAnEnumeration) {
  const auto check = [](const auto& mesh) {
    check_cell_ids(mesh, make_random_field(mesh.vertex_count(), 7));
  };
  check(make_shuffled(make_kuhn(8)));
  check(make_kuhn_full(5));
  check(make_shuffled(make_torus(14, 11)));
  check(make_ball(60, 5));  // a star of more than 64 neighbours
  check(oracle::random_mesh<3>(30, 120, 1));
  check(oracle::random_mesh<2>(30, 70, 1));
  check(make_small_solid("isolated_vertices"));
  check(TetMesh{});
}

TEST(TopologyExport, CriticalPointsAndManifolds) {
  TriMesh mesh = make_shuffled(make_torus(14, 11));
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  const Field& field = mesh.field("rough");
  const CriticalPoints points = critical_points(mesh, field);
  const PolyData poly = make_poly(points, mesh, field);
  ASSERT_EQ(poly.vertex_count(), points.points.size());
  const auto vertices = poly.point_data.at("ttkVertexScalarField").as<std::int32_t>();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    EXPECT_EQ(vertices[i], static_cast<std::int32_t>(points.points[i].vertex.index()));
    EXPECT_EQ(poly.points[VertexId(static_cast<std::uint32_t>(i))], mesh.points[points.points[i].vertex]);
  }
  const auto complex = morse_smale(mesh, field);
  const auto persistence = compute_persistence(complex.gradient, field);
  const auto simplified = simplify(complex, persistence, persistence.part_of_range(0.1));
  const Segmentation left = number_remaining<2>(simplified.segmentation, simplified);
  FieldSet fields;
  add_manifolds(fields, left);
  EXPECT_EQ(fields.names(),
            (std::vector<std::string>{"AscendingManifold", "DescendingManifold", "MorseSmaleManifold"}));
  std::set<std::int32_t> minima(left.descending.begin(), left.descending.end());
  EXPECT_EQ(minima.size(), simplified.critical[0].size());
  EXPECT_EQ(*minima.rbegin() + 1, static_cast<std::int32_t>(simplified.critical[0].size()));
  // A manifold's size is given for the extrema that are left, by the labels of all.
  TopologyExporter<2> exporter(complex.gradient, mesh, field);
  const PolyData cells =
      exporter.critical_cells({.segmentation = &simplified.segmentation, .simplified = &simplified});
  const auto sizes = cells.point_data.at("ManifoldSize").as<std::int32_t>();
  for (std::size_t i = 0; i < simplified.critical[0].size(); ++i) {
    EXPECT_EQ(sizes[i], std::count(left.descending.begin(), left.descending.end(), static_cast<int>(i)));
  }
}

TEST(TopologyExport, RefusesWhatIsOfAnotherMesh) {
  const TetMesh mesh = make_kuhn(8);
  const TetMesh small = make_small_solid("two_tets");
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const Field small_field("f", Array<float>{0, 4, 1, 3, 2});
  const auto complex = morse_smale(mesh, field, {.walls = true});
  const auto gradient = compute_gradient(small, small_field);
  expect_error(ErrorCode::bad_mesh, [&] { (void)TopologyExporter<3>(gradient, mesh, field); });
  expect_error(ErrorCode::unsupported, [&] { (void)TopologyExporter<3>(gradient, small, field); });
  expect_error(ErrorCode::unsupported, [&] { (void)make_poly(CriticalPoints{}, mesh, small_field); });
  expect_error(ErrorCode::bad_option,
               [&] { (void)make_poly(critical_points(mesh, field), small, small_field); });
  TopologyExporter<3> exporter(gradient, small, small_field);
  expect_error(ErrorCode::bad_option, [&] { (void)exporter.separatrices(complex.separatrices); });
  Separatrices foreign;  // a path of cells that are there between critical cells that are not
  foreign.ends.push_back({SeparatrixType::descending, 1000, 0});
  foreign.cells = {{0, 0, 1}, {0, 0, 0}};
  foreign.offsets.push_back(2);
  expect_error(ErrorCode::bad_option, [&] { (void)exporter.separatrices(foreign); });
  expect_error(ErrorCode::bad_option, [&] { (void)exporter.walls(complex.walls); });
  expect_error(ErrorCode::bad_option,
               [&] { (void)exporter.critical_cells({.segmentation = &complex.segmentation}); });
}

// Walls with the right number of saddles and cells beyond the mesh.
TEST(TopologyExport, RefusesWallsOfAnotherMesh) {
  const TetMesh mesh = make_kuhn(8);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const auto complex = morse_smale(mesh, field, {.walls = true});
  TopologyExporter<3> exporter(complex.gradient, mesh, field);
  EXPECT_GT(exporter.walls(complex.walls).polygons.size(), 0u);
  Walls walls = complex.walls;
  walls.rings[0] = TetId(1000000);
  expect_error(ErrorCode::bad_option, [&] { (void)exporter.walls(walls); });
  walls = complex.walls;
  walls.edges.back() = 1000000;
  expect_error(ErrorCode::bad_option, [&] { (void)exporter.walls(walls); });
  walls = complex.walls;
  walls.descending[0] = {1000000, 0, 2};
  expect_error(ErrorCode::bad_option, [&] { (void)exporter.walls(walls); });
}

TEST(TopologyExport, ObeysBudgetAndMonitor) {
  const TetMesh mesh = make_shuffled(make_kuhn(8));
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const auto gradient = compute_gradient(mesh, field);
  MemoryBudget none(1000);
  expect_error(ErrorCode::out_of_memory,
               [&] { (void)TopologyExporter<3>(gradient, mesh, field, {.memory = &none}); });
  MemoryBudget some(16 * mesh.vertex_count());
  TopologyExporter<3> small(gradient, mesh, field, {.memory = &some});
  EXPECT_EQ(some.used(), 8 * (mesh.vertex_count() + 1));
  EXPECT_GT(small.critical_cells().vertex_count(), 0u);
  expect_error(ErrorCode::out_of_memory, [&] { (void)small.pairs(); });
  for (int last = 1; last < 4; ++last) {
    std::stop_source source;
    int seen = 0;
    const Monitor monitor{[&](std::string_view, double) {
                            if (++seen == last) source.request_stop();
                          },
                          source.get_token()};
    expect_error(ErrorCode::cancelled, [&] {
      TopologyExporter<3> exporter(gradient, mesh, field, {.monitor = &monitor});
      (void)exporter.pairs();
    });
  }
}

// 127 - (-128) is no signed byte.
TEST(Export, DifferencesOfIntegersDoNotOverflow) {
  FieldSet fields;
  const Field values("f", Array<std::int8_t>{-128, 127, 5});
  detail::add_function_range(fields, values, {VertexId(1), VertexId(2)}, {VertexId(0), VertexId(2)});
  const auto difference = fields.at("SeparatrixFunctionDifference").as<std::uint8_t>();
  EXPECT_EQ(difference[0], 255);
  EXPECT_EQ(difference[1], 0);
  EXPECT_EQ(fields.at("SeparatrixFunctionMaximum").as<std::int8_t>()[0], 127);
}

}  // namespace
}  // namespace tessera
