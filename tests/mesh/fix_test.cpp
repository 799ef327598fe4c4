#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/core/error.h>
#include <tessera/mesh/doctor.h>

#include "doctor_meshes.h"

namespace tessera {
namespace {

using testing::make_solid;
using testing::make_surface;
using Changes = std::vector<FixReport::Change>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Fields that say which input element each element was.
template <int Dim>
void label(SimplexMesh<Dim>& mesh) {
  Array<std::int32_t> points(mesh.vertex_count()), cells(mesh.cell_count());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<std::int32_t>(i);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int32_t>(i);
  mesh.point_data.add(Field("point", std::move(points)));
  mesh.cell_data.add(Field("cell", std::move(cells)));
}

std::vector<std::int32_t> numbers(const FieldSet& fields, std::string_view name) {
  const auto values = fields.at(name).as<std::int32_t>();
  return {values.begin(), values.end()};
}

using Numbers = std::vector<std::int32_t>;

TEST(Fix, LeavesAGoodMeshAlone) {
  TriMesh mesh = testing::make_octahedron();
  label(mesh);
  const TriMesh before = mesh;
  EXPECT_EQ(fix(mesh, {.weld = true}), FixReport{});
  EXPECT_EQ(mesh, before);
}

TEST(Fix, AcceptsNothing) {
  TriMesh nothing;
  EXPECT_EQ(fix(nothing, {.weld = true}), FixReport{});
  TetMesh points = make_solid(3, {});
  EXPECT_EQ(fix(points).changes, (Changes{{"dropped_isolated_points", 3}}));
  EXPECT_EQ(points.vertex_count(), 0u);
}

TEST(Fix, DropsAndFieldsFollow) {
  // Cells: 0 out of range, 1 sound, 2 repeated, 3 a copy of 1, 4 at the point without a place (5), 5 sound.
  // Points: 5 is not finite, 6 is used by nothing, 7 by the repeated cell only.
  TetMesh mesh =
      make_solid(9, {{0, 1, 2, 99}, {0, 1, 2, 3}, {7, 7, 1, 2}, {3, 2, 1, 0}, {1, 2, 3, 5}, {1, 2, 3, 8}});
  mesh.points.visit([](auto p) { p[5].y = nan; });
  label(mesh);
  mesh.point_data.add(Field("short", Array<float>{1}));
  const FixReport report = fix(mesh);
  EXPECT_EQ(report.changes, (Changes{{"dropped_out_of_range_cells", 1},
                                     {"dropped_repeated_index_cells", 1},
                                     {"dropped_duplicate_cells", 1},
                                     {"dropped_non_finite_cells", 1},
                                     {"dropped_non_finite_points", 1},
                                     {"dropped_isolated_points", 3},
                                     {"dropped_fields_of_wrong_length", 1}}));
  EXPECT_EQ(numbers(mesh.cell_data, "cell"), (Numbers{1, 5}));
  EXPECT_EQ(numbers(mesh.point_data, "point"), (Numbers{0, 1, 2, 3, 8}));
  EXPECT_FALSE(mesh.point_data.has("short"));
  EXPECT_EQ(mesh.cells[1], (TetMesh::Cell{VertexId(1), VertexId(2), VertexId(3), VertexId(4)}));
  EXPECT_EQ(mesh.points[VertexId(4)], (Vec3d{8, 64, 512}));
  EXPECT_FALSE(diagnose(mesh).has_errors());
}

TEST(Fix, DropsCellsOfZeroSizeAndKeepsSlivers) {
  TriMesh mesh = make_surface(6, {{0, 1, 2}, {3, 4, 5}, {0, 1, 3}});
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 1e-30f, 0}, {1, 1, 2}, {2, 2, 4}};
  label(mesh);
  TriMesh kept = mesh;
  EXPECT_EQ(fix(mesh).changes, (Changes{{"dropped_degenerate_cells", 1}, {"dropped_isolated_points", 1}}));
  EXPECT_EQ(numbers(mesh.cell_data, "cell"), (Numbers{1, 2}));
  EXPECT_TRUE(fix(kept, {.drop = false, .orient = false}).changes.empty());
  EXPECT_EQ(kept.cell_count(), 3u);
}

TEST(Fix, DropsFlatTetrahedra) {
  TetMesh mesh = make_solid(5, {{0, 1, 2, 3}, {0, 1, 2, 4}});
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {7, 3, 0}, {0, 0, 1e-20f}};
  label(mesh);
  EXPECT_EQ(fix(mesh).changes, (Changes{{"dropped_degenerate_cells", 1}, {"dropped_isolated_points", 1}}));
  EXPECT_EQ(numbers(mesh.cell_data, "cell"), (Numbers{1}));
  EXPECT_EQ(diagnose(mesh).find("degenerate_cell"), nullptr);
}

TEST(Fix, WeldsEqualPoints) {
  // A strip of two triangles given corner by corner, and a triangle that is flat once its points 6 and 7 are
  // one.
  TriMesh mesh = make_surface(9, {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}});
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, -0.0f, 0}, {1, 1, 0},
                             {0, 1, 0}, {5, 5, 5}, {5, 5, 5}, {6, 5, 5}};
  label(mesh);
  const FixReport report = fix(mesh, {.drop = false, .weld = true});
  EXPECT_EQ(report.changes, (Changes{{"welded_points", 3}, {"dropped_collapsed_cells", 1}}));
  EXPECT_EQ(numbers(mesh.point_data, "point"), (Numbers{0, 1, 2, 4, 6, 8}));
  EXPECT_EQ(numbers(mesh.cell_data, "cell"), (Numbers{0, 1}));
  EXPECT_EQ(mesh.cells[1], (TriMesh::Cell{VertexId(1), VertexId(3), VertexId(2)}));
  EXPECT_EQ(diagnose(mesh).edges, 5u);
  EXPECT_EQ(fix(mesh, {.weld = true}).changes, (Changes{{"dropped_isolated_points", 2}}));
}

TEST(Fix, WeldLeavesBadCellsForDrop) {
  // Without drop the cell that was bad before stays, out of range still.
  TriMesh mesh = make_surface(4, {{0, 1, 2}, {0, 1, 4}});
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
  EXPECT_EQ(fix(mesh, {.drop = false, .weld = true}).changes, (Changes{{"welded_points", 1}}));
  EXPECT_EQ(mesh.cell_count(), 2u);
  EXPECT_EQ(diagnose(mesh).find("out_of_range_index")->count, 1u);
}

TEST(Fix, TurnsTheMinorityOfTriangles) {
  TriMesh mesh = testing::make_octahedron();
  for (const std::size_t f : {0u, 2u, 7u}) std::swap(mesh.cells[f][0], mesh.cells[f][1]);
  EXPECT_NE(diagnose(mesh).find("inconsistent_orientation"), nullptr);
  const std::vector<TriMesh::Cell> before(mesh.cells.begin(), mesh.cells.end());
  EXPECT_EQ(fix(mesh).changes, (Changes{{"turned_cells", 3}}));
  EXPECT_EQ(mesh.cells[1], before[1]);  // one of the five that agreed
  EXPECT_EQ(diagnose(mesh).find("inconsistent_orientation"), nullptr);
}

TEST(Fix, KeepsTheFirstTriangleOfATie) {
  TriMesh mesh = make_surface(4, {{0, 1, 2}, {3, 1, 2}});
  EXPECT_EQ(fix(mesh).changes, (Changes{{"turned_cells", 1}}));
  EXPECT_EQ(mesh.cells[0], (TriMesh::Cell{VertexId(0), VertexId(1), VertexId(2)}));
  EXPECT_EQ(mesh.cells[1], (TriMesh::Cell{VertexId(3), VertexId(2), VertexId(1)}));
}

TEST(Fix, LeavesOneSidedSheetsAndSaysSo) {
  TriMesh mesh = testing::make_moebius();
  const TriMesh before = mesh;
  const FixReport report = fix(mesh);
  EXPECT_TRUE(report.changes.empty());
  EXPECT_EQ(report.left, (Changes{{"non_orientable_components", 1}}));
  EXPECT_EQ(mesh, before);
}

TEST(Fix, TurnsInvertedTetrahedra) {
  TetMesh mesh = make_solid(5, {{0, 1, 2, 3}, {1, 2, 4, 3}});
  ASSERT_NE(diagnose(mesh).find("inverted_cell"), nullptr);
  EXPECT_EQ(fix(mesh).changes, (Changes{{"turned_cells", 1}}));
  EXPECT_EQ(mesh.cells[1], (TetMesh::Cell{VertexId(1), VertexId(2), VertexId(3), VertexId(4)}));
  EXPECT_EQ(diagnose(mesh).find("inverted_cell"), nullptr);
}

/// What fix() promises, on meshes with everything wrong.
template <int Dim>
void expect_mended(SimplexMesh<Dim> mesh, bool weld) {
  label(mesh);
  const FixOptions options{.weld = weld};
  fix(mesh, options);
  const DoctorReport report = diagnose(mesh);
  EXPECT_FALSE(report.has_errors());
  EXPECT_EQ(report.find("isolated_vertex"), nullptr);
  EXPECT_EQ(report.find("inverted_cell"), nullptr);
  EXPECT_EQ(report.find("degenerate_cell"), nullptr);
  EXPECT_TRUE(!weld || report.find("coincident_point") == nullptr);
  EXPECT_TRUE(!report.orientable || report.find("inconsistent_orientation") == nullptr);
  const SimplexMesh<Dim> once = mesh;
  EXPECT_TRUE(fix(mesh, options).changes.empty());
  EXPECT_EQ(mesh, once);
}

TEST(Fix, MendsMessyMeshesForGood) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    expect_mended<2>(testing::make_messy<2>(seed).mesh, seed % 2 == 0);
    expect_mended<3>(testing::make_messy<3>(seed).mesh, seed % 2 == 0);
    expect_mended<2>(testing::make_eroded<2>(seed).mesh, seed % 2 == 0);
    expect_mended<3>(testing::make_eroded<3>(seed).mesh, seed % 2 == 0);
    if (HasFailure()) return;
  }
}

TEST(Fix, CellsKeepTheirPlaces) {
  // Cells name other ids afterwards, but the same places; turning changes only the order of corners.
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    TetMesh mesh = testing::make_messy<3>(seed).mesh;
    label(mesh);
    const TetMesh before = mesh;
    fix(mesh, {.weld = true});
    const Numbers origin = numbers(mesh.cell_data, "cell");
    const auto places = [](const TetMesh& m, std::size_t c) {
      std::vector<std::array<double, 3>> result;
      for (const VertexId v : m.cells[c]) result.push_back({m.points[v].x, m.points[v].y, m.points[v].z});
      std::sort(result.begin(), result.end());
      return result;
    };
    for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
      EXPECT_EQ(places(mesh, c), places(before, static_cast<std::size_t>(origin[c])));
    }
  }
}

TEST(Fix, DoesNotDependOnThreads) {
  for (const bool weld : {false, true}) {
    TetMesh solid = testing::make_big_messy<3>(20000, 21);
    TriMesh surface = testing::make_big_messy<2>(20000, 22);
    const TetMesh solid_input = solid;
    const TriMesh surface_input = surface;
    const FixReport solid_report = fix(solid, {.weld = weld, .exec = Exec::host(1)});
    const FixReport surface_report = fix(surface, {.weld = weld, .exec = Exec::host(1)});
    for (const int threads : {2, 3, 7}) {
      TetMesh other_solid = solid_input;
      TriMesh other_surface = surface_input;
      EXPECT_EQ(fix(other_solid, {.weld = weld, .exec = Exec::host(threads)}), solid_report);
      EXPECT_EQ(fix(other_surface, {.weld = weld, .exec = Exec::host(threads)}), surface_report);
      EXPECT_EQ(other_solid, solid);
      EXPECT_EQ(other_surface, surface);
    }
  }
}

TEST(Fix, LeavesTheMeshWhenCancelled) {
  TetMesh mesh = testing::make_big_messy<3>(2000, 23);
  const TetMesh before = mesh;
  for (const std::string_view last : {"checking indices", "welding points", "turning cells"}) {
    std::stop_source stop;
    Monitor monitor;
    monitor.stop = stop.get_token();
    monitor.report = [&](std::string_view stage, double fraction) {
      if (stage == last && fraction == 1.0) stop.request_stop();
    };
    try {
      fix(mesh, {.weld = true, .monitor = &monitor});
      ADD_FAILURE() << last;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
    EXPECT_EQ(mesh, before);
  }
}

}  // namespace
}  // namespace tessera
