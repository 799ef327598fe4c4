#include <tessera/mesh/doctor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/detail/doctor_geometry.h>

#include "doctor_meshes.h"
#include "doctor_oracle.h"

namespace tessera {

using namespace detail;
namespace {

using testing::make_solid;
using testing::make_surface;
using testing::Tuple;
using testing::Tuples;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// The ids of the finding; none if there is no such finding.
Tuples ids_of(const DoctorReport& report, std::string_view kind) {
  const Finding* finding = report.find(kind);
  return finding == nullptr ? Tuples{} : finding->ids;
}

// Single triangle: V - E + F = 3 - 3 + 1.
TEST(DoctorSurface, CountsOneTriangle) {
  const DoctorReport report = diagnose(make_surface(3, {{0, 1, 2}}));
  EXPECT_EQ(report.vertices, 3u);
  EXPECT_EQ(report.used_vertices, 3u);
  EXPECT_EQ(report.edges, 3u);
  EXPECT_EQ(report.faces, 1u);
  EXPECT_EQ(report.cells, 1u);
  EXPECT_EQ(report.components, 1u);
  EXPECT_EQ(report.euler_characteristic, 1);
  EXPECT_EQ(report.boundary_faces, 3u);
  EXPECT_FALSE(report.closed);
  EXPECT_TRUE(report.orientable);
  EXPECT_FALSE(report.has_errors());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, "boundary");
  EXPECT_EQ(report.findings[0].element, ElementKind::edge);
  EXPECT_EQ(report.findings[0].ids, (Tuples{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(DoctorSurface, AcceptsNothing) {
  for (const TriMesh& mesh : {TriMesh{}, make_surface(2, {})}) {
    const DoctorReport report = diagnose(mesh);
    EXPECT_FALSE(report.has_errors());
    EXPECT_EQ(report.components, 0u);
    EXPECT_EQ(report.euler_characteristic, 0);
    EXPECT_FALSE(report.closed);
    EXPECT_EQ(ids_of(report, "isolated_vertex").size(), mesh.vertex_count());
  }
}

TEST(DoctorSurface, SetsBadCellsAside) {
  // 0 is sound; 1 is out of range; 2 and 5 repeat a vertex; 3 and 4 equal 0 in another order. 6 is both out
  // of range and repeated, and counts as the former. Vertex 3 is named by set-aside cells only.
  const DoctorReport report = diagnose(
      make_surface(4, {{0, 1, 2}, {0, 1, 4}, {3, 3, 1}, {2, 0, 1}, {1, 0, 2}, {2, 2, 2}, {9, 9, 0}}));
  EXPECT_TRUE(report.has_errors());
  EXPECT_EQ(ids_of(report, "out_of_range_index"), (Tuples{{1}, {6}}));
  EXPECT_EQ(ids_of(report, "repeated_index"), (Tuples{{2}, {5}}));
  EXPECT_EQ(ids_of(report, "duplicate_cell"), (Tuples{{3}, {4}}));
  EXPECT_EQ(ids_of(report, "isolated_vertex"), (Tuples{{3}}));
  EXPECT_EQ(report.cells, 7u);
  EXPECT_EQ(report.sound_cells, 1u);
  EXPECT_EQ(report.faces, 1u);
  EXPECT_EQ(report.edges, 3u);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    EXPECT_EQ(report.findings[i].severity, i < 3 ? Severity::error : Severity::information);
    EXPECT_EQ(report.findings[i].count, report.findings[i].ids.size());
    EXPECT_FALSE(report.findings[i].explanation.empty());
  }
}

TEST(DoctorSurface, KnowsTheMoebiusStrip) {
  // Five triangles (i, i+1, i+2) mod 5: 5 vertices, 10 edges, of which (i, i+2) are the boundary.
  const DoctorReport report = diagnose(testing::make_moebius());
  EXPECT_EQ(report.edges, 10u);
  EXPECT_EQ(report.euler_characteristic, 0);
  EXPECT_EQ(report.boundary_faces, 5u);
  EXPECT_FALSE(report.orientable);
  EXPECT_EQ(ids_of(report, "non_orientable"), (Tuples{{0}}));
  EXPECT_EQ(report.find("non_manifold_vertex"), nullptr);
  EXPECT_EQ(report.find("non_manifold_edge"), nullptr);
}

TEST(DoctorSurface, KnowsClosedSurfaces) {
  // Octahedron: 6 - 12 + 8. Torus of 4 x 4 quads: 16 - 48 + 32.
  const DoctorReport sphere = diagnose(testing::make_octahedron());
  EXPECT_EQ(sphere.euler_characteristic, 2);
  EXPECT_EQ(sphere.edges, 12u);
  EXPECT_TRUE(sphere.closed);
  EXPECT_TRUE(sphere.findings.empty());
  const DoctorReport torus = diagnose(testing::make_small_torus(4));
  EXPECT_EQ(torus.euler_characteristic, 0);
  EXPECT_EQ(torus.edges, 48u);
  EXPECT_TRUE(torus.closed);
  EXPECT_TRUE(torus.orientable);
  EXPECT_EQ(torus.find("non_manifold_vertex"), nullptr);
}

TEST(DoctorSurface, FindsInconsistentOrientation) {
  // Both triangles go from 1 to 2.
  const DoctorReport report = diagnose(make_surface(4, {{0, 1, 2}, {3, 1, 2}}));
  EXPECT_EQ(ids_of(report, "inconsistent_orientation"), (Tuples{{1, 2}}));
  EXPECT_TRUE(report.orientable);
  EXPECT_EQ(diagnose(make_surface(4, {{0, 1, 2}, {3, 2, 1}})).find("inconsistent_orientation"), nullptr);
}

TEST(DoctorSurface, FindsTheFanOfThree) {
  const DoctorReport report = diagnose(make_surface(5, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}));
  EXPECT_EQ(ids_of(report, "non_manifold_edge"), (Tuples{{0, 1}}));
  EXPECT_EQ(ids_of(report, "non_manifold_vertex"), (Tuples{{0}, {1}}));
  EXPECT_EQ(report.find("inconsistent_orientation"), nullptr);  // only edges of two triangles can clash
  EXPECT_EQ(report.boundary_faces, 6u);
}

TEST(DoctorSurface, FindsTheBowTieAndParts) {
  // Two triangles share vertex 2; a third is apart; vertices 8 and 9 are isolated.
  const DoctorReport report = diagnose(make_surface(10, {{0, 1, 2}, {2, 3, 4}, {5, 6, 7}}));
  EXPECT_EQ(ids_of(report, "non_manifold_vertex"), (Tuples{{2}}));
  EXPECT_EQ(report.find("non_manifold_edge"), nullptr);
  EXPECT_EQ(ids_of(report, "isolated_vertex"), (Tuples{{8}, {9}}));
  EXPECT_EQ(ids_of(report, "components"), (Tuples{{0}, {5}}));
  EXPECT_EQ(report.components, 2u);
  EXPECT_EQ(report.euler_characteristic, 8 - 9 + 3);
}

TEST(DoctorSurface, FindsThePinchedVertex) {
  // Two tetrahedral shells share vertex 0: 7 vertices, closed.
  const DoctorReport report = diagnose(make_surface(
      7, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}, {0, 4, 5}, {0, 5, 6}, {0, 6, 4}, {4, 6, 5}}));
  EXPECT_EQ(ids_of(report, "non_manifold_vertex"), (Tuples{{0}}));
  EXPECT_TRUE(report.closed);
  EXPECT_EQ(report.euler_characteristic, 3);
}

TEST(DoctorSurface, FindsCoordinatesAndValues) {
  TriMesh mesh = make_surface(6, {{0, 1, 2}, {3, 4, 5}});
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {nan, 1, 0}, {-0.0f, 0, 0}, {1, 0, 0}, {0, 0, infinity}};
  mesh.point_data.add(Field("p", Array<float>{0, nan, 1, 2, infinity, 3}));
  mesh.point_data.add(Field("v", Array<double>{0, 0, 0, 0, 0, std::nan(""), 0, 0, 0, 0, 0, 0}, 2));
  mesh.cell_data.add(Field("c", Array<float>{0, -infinity}));
  mesh.cell_data.add(Field("n", Array<std::int32_t>{1, 2, 3}));
  const DoctorReport report = diagnose(mesh);
  EXPECT_EQ(ids_of(report, "non_finite_coordinate"), (Tuples{{2}, {5}}));
  EXPECT_EQ(ids_of(report, "coincident_point"), (Tuples{{3}, {4}}));  // 3 equals 0, with a negative zero
  EXPECT_EQ(report.find("degenerate_cell"), nullptr);  // cells without a place are not measured
  ASSERT_NE(report.find("field_length"), nullptr);
  EXPECT_EQ(report.find("field_length")->field, "n");
  EXPECT_EQ(report.find("field_length")->severity, Severity::error);
  std::vector<std::pair<std::string, Tuples>> values;
  for (const Finding& f : report.findings) {
    if (f.kind == "non_finite_value") values.emplace_back(f.field, f.ids);
  }
  EXPECT_EQ(values,
            (std::vector<std::pair<std::string, Tuples>>{{"p", {{1}, {4}}}, {"v", {{2}}}, {"c", {{1}}}}));
}

TEST(DoctorSurface, FindsZeroAreaExactly) {
  // 0.1, 0.2 and 0.3 times one direction are not on one line in binary; (0,0,0), (1,1,1), (3,3,3) are.
  TriMesh mesh = make_surface(6, {{0, 1, 2}, {3, 4, 5}});
  mesh.points = Array<Vec3d>{{0.1, 0.3, 0}, {0.2, 0.6, 0}, {0.3, 0.9, 0}, {0, 0, 0}, {1, 1, 1}, {3, 3, 3}};
  EXPECT_EQ(ids_of(diagnose(mesh), "degenerate_cell"), (Tuples{{1}}));
}

TEST(DoctorSolid, CountsOneTetrahedron) {
  // 4 - 6 + 4 - 1.
  const DoctorReport report = diagnose(make_solid(4, {{0, 1, 2, 3}}));
  EXPECT_EQ(report.edges, 6u);
  EXPECT_EQ(report.faces, 4u);
  EXPECT_EQ(report.euler_characteristic, 1);
  EXPECT_EQ(report.boundary_faces, 4u);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].ids, (Tuples{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}));
}

TEST(DoctorSolid, TellsHowTwoTetrahedraTouch) {
  // By a face: 5 - 9 + 7 - 2. By an edge: 6 - 11 + 8 - 2. By a vertex: 7 - 12 + 8 - 2.
  const DoctorReport face = diagnose(make_solid(5, {{0, 1, 2, 3}, {1, 2, 3, 4}}));
  EXPECT_EQ(face.euler_characteristic, 1);
  EXPECT_EQ(face.boundary_faces, 6u);
  EXPECT_EQ(face.find("non_manifold_edge"), nullptr);
  EXPECT_EQ(face.find("non_manifold_vertex"), nullptr);
  const DoctorReport edge = diagnose(make_solid(6, {{0, 1, 2, 3}, {0, 1, 4, 5}}));
  EXPECT_EQ(edge.euler_characteristic, 1);
  EXPECT_EQ(ids_of(edge, "non_manifold_edge"), (Tuples{{0, 1}}));
  EXPECT_EQ(ids_of(edge, "non_manifold_vertex"), (Tuples{{0}, {1}}));
  const DoctorReport vertex = diagnose(make_solid(7, {{0, 1, 2, 3}, {3, 4, 5, 6}}));
  EXPECT_EQ(vertex.euler_characteristic, 1);
  EXPECT_EQ(vertex.components, 1u);
  EXPECT_EQ(vertex.find("non_manifold_edge"), nullptr);
  EXPECT_EQ(ids_of(vertex, "non_manifold_vertex"), (Tuples{{3}}));
}

TEST(DoctorSolid, FindsThreeTetrahedraAtAFace) {
  const DoctorReport report = diagnose(make_solid(6, {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 5}}));
  EXPECT_EQ(ids_of(report, "non_manifold_face"), (Tuples{{0, 1, 2}}));
  EXPECT_EQ(ids_of(report, "non_manifold_edge"), (Tuples{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(ids_of(report, "non_manifold_vertex"), (Tuples{{0}, {1}, {2}}));
}

TEST(DoctorSolid, FindsConesOverRings) {
  // The link of 0 is a ring of six triangles between circles 1 2 3 and 4 5 6: an annulus, neither disk nor
  // sphere. Every edge at 0 has one fan, so only the vertex is at fault.
  std::vector<std::vector<std::uint32_t>> cells;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::uint32_t j = (i + 1) % 3;
    cells.push_back({0, 1 + i, 1 + j, 4 + i});
    cells.push_back({0, 1 + j, 4 + i, 4 + j});
  }
  const DoctorReport report = diagnose(make_solid(7, cells));
  EXPECT_EQ(ids_of(report, "non_manifold_vertex"), (Tuples{{0}}));
  EXPECT_EQ(report.find("non_manifold_edge"), nullptr);
}

TEST(DoctorSolid, FindsInvertedAndFlatCells) {
  // Cell 0 is positive, 1 negative; 2 equals 1 and is set aside; the points of 3 lie in the plane y = 0.
  TetMesh mesh = make_solid(5, {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 4}, {0, 1, 3, 4}});
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 2}};
  const DoctorReport report = diagnose(mesh);
  EXPECT_EQ(ids_of(report, "duplicate_cell"), (Tuples{{2}}));
  EXPECT_EQ(ids_of(report, "inverted_cell"), (Tuples{{1}}));
  EXPECT_EQ(ids_of(report, "degenerate_cell"), (Tuples{{3}}));
  EXPECT_EQ(ids_of(report, "inconsistent_orientation"), (Tuples{{1}}));
}

TEST(DoctorSolid, IsNotInconsistentWhenAllAreInverted) {
  TetMesh mesh = make_solid(4, {{0, 2, 1, 3}});
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const DoctorReport report = diagnose(mesh);
  EXPECT_EQ(ids_of(report, "inverted_cell"), (Tuples{{0}}));
  EXPECT_EQ(report.find("inconsistent_orientation"), nullptr);
}

TEST(DoctorGeometry, SignsAreExactWhereRoundingIsNot) {
  using doctor::volume_sign;
  // Four points of the plane x + y = z far from the origin, then one moved by the smallest step there is.
  const double far = 0x1.0p52;
  const Vec3d a{far, 1, far + 1}, b{far + 1, 3, far + 4}, c{far + 2, 1, far + 3};
  const double step = std::nextafter(0.3, 1.0);
  EXPECT_EQ(volume_sign(a, b, c, Vec3d{0.5, 0.25, 0.75}), 0);
  EXPECT_EQ(volume_sign(a, b, c, Vec3d{0.0, 0.3, 0.3}), 0);
  EXPECT_EQ(volume_sign(a, b, c, Vec3d{0.0, 0.3, step}), -volume_sign(a, b, c, Vec3d{0.0, step, 0.3}));
  EXPECT_NE(volume_sign(a, b, c, Vec3d{0.0, 0.3, step}), 0);
  EXPECT_EQ(volume_sign({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), 1);
  EXPECT_EQ(volume_sign({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}), -1);
}

TEST(DoctorGeometry, SignsSurviveExtremeScales) {
  for (const double scale : {0x1.0p-1000, 0x1.0p-500, 0x1.0p-300, 1.0, 0x1.0p300, 0x1.0p500, 0x1.0p1000}) {
    const double s = scale;
    EXPECT_EQ(doctor::volume_sign({0, 0, 0}, {s, 0, 0}, {0, s, 0}, {0, 0, s}), 1) << scale;
    EXPECT_EQ(doctor::volume_sign({s, s, s}, {2 * s, s, s}, {s, 2 * s, s}, {s, s, s}), 0) << scale;
    EXPECT_FALSE(doctor::has_zero_area({0, 0, 0}, {s, 0, 0}, {0, s, 0})) << scale;
    EXPECT_TRUE(doctor::has_zero_area({0, 0, 0}, {s, s, s}, {3 * s, 3 * s, 3 * s})) << scale;
  }
}

TEST(DoctorGrid, FindsWhatCanNotBeUsed) {
  Grid grid;
  grid.dims = {3, 3, 2};
  grid.point_data.add(Field("p", Array<float>(18, 1.0f)));
  grid.cell_data.add(Field("c", Array<float>{1, 2, nan, 4}));
  const DoctorReport good = diagnose(grid);
  // 18 - 33 + 20 - 4 = 1; the box has 2 * (4 + 2 + 2) outer quads.
  EXPECT_FALSE(good.has_errors());
  EXPECT_EQ(good.edges, 33u);
  EXPECT_EQ(good.faces, 20u);
  EXPECT_EQ(good.boundary_faces, 16u);
  EXPECT_EQ(good.euler_characteristic, 1);
  EXPECT_EQ(ids_of(good, "non_finite_value"), (Tuples{{2}}));

  Grid bad = grid;
  bad.spacing = {1, 0, 1};
  EXPECT_NE(diagnose(bad).find("bad_spacing"), nullptr);
  bad.spacing = {1, std::nan(""), 1};
  EXPECT_NE(diagnose(bad).find("bad_spacing"), nullptr);
  bad = grid;
  bad.origin.y = std::nan("");
  EXPECT_NE(diagnose(bad).find("bad_origin"), nullptr);
  bad = grid;
  bad.direction = {1, 0, 0, 2, 0, 0, 0, 0, 1};
  EXPECT_NE(diagnose(bad).find("bad_direction"), nullptr);
  bad = grid;
  bad.dims = {3, 0, 2};
  EXPECT_NE(diagnose(bad).find("bad_dimensions"), nullptr);
  bad.dims = {4000000000u, 4000000000u, 4000000000u};
  EXPECT_NE(diagnose(bad).find("bad_dimensions"), nullptr);
  bad = grid;
  bad.point_data.add(Field("short", Array<float>(17, 0.0f)));
  ASSERT_NE(diagnose(bad).find("field_length"), nullptr);
  EXPECT_EQ(diagnose(bad).find("field_length")->field, "short");
}

TEST(DoctorGrid, MayBeFlat) {
  Grid grid;
  grid.dims = {3, 2, 1};
  grid.spacing = {1, 1, 0};
  const DoctorReport report = diagnose(grid);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.boundary_faces, 6u);  // 2 * (2 + 1) edges around two pixels
}

/// All the numbers and ids of both reports.
template <int Dim>
void expect_same(const testing::MessyMesh<Dim>& messy) {
  const DoctorReport report = diagnose(messy.mesh);
  testing::OracleReport expected = testing::Oracle(messy.points, messy.cells).run();
  EXPECT_EQ(report.edges, expected.edges);
  EXPECT_EQ(report.faces, expected.faces);
  EXPECT_EQ(report.sound_cells, expected.sound_cells);
  EXPECT_EQ(report.used_vertices, expected.used_vertices);
  EXPECT_EQ(report.components, expected.components);
  EXPECT_EQ(report.boundary_faces, expected.boundary_faces);
  EXPECT_EQ(report.euler_characteristic, expected.euler_characteristic);
  std::map<std::string, Tuples> found;
  for (const Finding& f : report.findings) {
    found[f.kind] = f.ids;
    EXPECT_EQ(f.count, f.ids.size());
  }
  std::erase_if(expected.findings, [](const auto& entry) { return entry.second.empty(); });
  for (auto& [kind, ids] : expected.findings) std::sort(ids.begin(), ids.end());
  EXPECT_EQ(found, expected.findings);
}

TEST(DoctorOracle, AgreesOnMessySurfaces) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(testing::make_messy<2>(seed));
    expect_same(testing::make_eroded<2>(seed));
    if (HasFailure()) return;
  }
}

TEST(DoctorOracle, AgreesOnMessySolids) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(testing::make_messy<3>(seed));
    expect_same(testing::make_eroded<3>(seed));
    if (HasFailure()) return;
  }
}

/// How many of the oracle's meshes have a finding of each kind; a kind that never occurs would not be tested.
template <int Dim>
std::map<std::string, int> count_kinds() {
  std::map<std::string, int> kinds;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    for (const SimplexMesh<Dim>& mesh :
         {testing::make_messy<Dim>(seed).mesh, testing::make_eroded<Dim>(seed).mesh}) {
      const DoctorReport report = diagnose(mesh);
      for (const Finding& f : report.findings) ++kinds[f.kind];
      ++kinds[report.closed ? "closed" : "open"];
      if (report.find("non_manifold_vertex") == nullptr) ++kinds["manifold"];
    }
  }
  return kinds;
}

TEST(DoctorOracle, SawEveryKindOften) {
  std::map<std::string, int> surfaces = count_kinds<2>();
  std::map<std::string, int> solids = count_kinds<3>();
  for (const char* kind : {"out_of_range_index", "repeated_index", "duplicate_cell", "degenerate_cell",
                           "inconsistent_orientation", "non_manifold_vertex", "non_manifold_edge",
                           "isolated_vertex", "coincident_point", "boundary", "components", "manifold"}) {
    EXPECT_GE(surfaces[kind], 20) << kind;
    EXPECT_GE(solids[kind], 20) << kind;
  }
  EXPECT_GE(surfaces["non_orientable"], 20);
  EXPECT_GE(surfaces["closed"], 20);
  EXPECT_GE(solids["non_manifold_face"], 20);
  EXPECT_GE(solids["inverted_cell"], 20);
}

TEST(DoctorThreads, DoNotChangeTheReport) {
  const TetMesh solid = testing::make_big_messy<3>(20000, 7);
  const TriMesh surface = testing::make_big_messy<2>(20000, 8);
  const DoctorReport solid_one = diagnose(solid, {.exec = Exec::host(1)});
  const DoctorReport surface_one = diagnose(surface, {.exec = Exec::host(1)});
  EXPECT_TRUE(solid_one.has_errors());
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(diagnose(solid, {.exec = Exec::host(threads)}), solid_one) << threads;
    EXPECT_EQ(diagnose(surface, {.exec = Exec::host(threads)}), surface_one) << threads;
  }
}

TEST(DoctorOptions, LimitIds) {
  const TetMesh mesh = testing::make_big_messy<3>(5000, 9);
  const DoctorReport all = diagnose(mesh, {.max_ids = 1000000});
  const DoctorReport few = diagnose(mesh, {.max_ids = 3});
  const DoctorReport none = diagnose(mesh, {.max_ids = 0});
  ASSERT_EQ(all.findings.size(), few.findings.size());
  for (std::size_t i = 0; i < all.findings.size(); ++i) {
    const Finding& f = all.findings[i];
    EXPECT_EQ(f.ids.size(), f.count);
    EXPECT_TRUE(std::is_sorted(f.ids.begin(), f.ids.end())) << f.kind;
    EXPECT_EQ(few.findings[i].count, f.count);
    const std::size_t kept = std::min<std::size_t>(3, f.ids.size());
    EXPECT_EQ(few.findings[i].ids, Tuples(f.ids.begin(), f.ids.begin() + static_cast<std::ptrdiff_t>(kept)));
    EXPECT_TRUE(none.findings[i].ids.empty());
  }
}

TEST(DoctorOptions, MonitorIsToldAndHeard) {
  const TetMesh mesh = testing::make_big_messy<3>(2000, 10);
  std::set<std::string> stages;
  Monitor monitor;
  monitor.report = [&](std::string_view stage, double fraction) {
    stages.emplace(stage);
    EXPECT_GE(fraction, 0.0);
    EXPECT_LE(fraction, 1.0);
  };
  EXPECT_FALSE(diagnose(mesh, {.monitor = &monitor}).findings.empty());
  EXPECT_EQ(stages.count("examining links"), 1u);

  for (const std::string& last : stages) {
    std::stop_source stop;
    Monitor impatient;
    impatient.stop = stop.get_token();
    impatient.report = [&](std::string_view stage, double) {
      if (stage == last) stop.request_stop();
    };
    try {
      (void)diagnose(mesh, {.monitor = &impatient});
      ADD_FAILURE() << "was not cancelled while " << last;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
  }
}

TEST(DoctorLargeStars, AreExaminedInTime) {
  // A fan of 100000 tetrahedra around the edge (0, 1), closed: the links of 0 and 1 are disks around 1 and 0.
  constexpr std::uint32_t n = 100000;
  std::vector<std::vector<std::uint32_t>> cells;
  for (std::uint32_t i = 0; i < n; ++i) cells.push_back({0, 1, 2 + i, 2 + (i + 1) % n});
  const DoctorReport report = diagnose(make_solid(n + 2, cells));
  EXPECT_EQ(report.find("non_manifold_vertex"), nullptr);
  EXPECT_EQ(report.find("non_manifold_edge"), nullptr);
  EXPECT_EQ(report.boundary_faces, 2u * n);
  EXPECT_EQ(report.euler_characteristic, 1);
}

TEST(CheckMesh, NamesTheFirstCulprit) {
  const auto message = [](const auto& mesh) -> std::string {
    try {
      check_mesh(mesh, "engine.vtu");
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
      return error.what();
    }
  };
  EXPECT_EQ(message(make_solid(4, {{0, 1, 2, 3}})), "");
  EXPECT_EQ(message(make_solid(4, {{0, 1, 2, 3}, {0, 1, 2, 9}, {7, 7, 7, 7}})),
            "engine.vtu: tetrahedron 1 names vertex 9, but there are only 4 vertices");
  EXPECT_EQ(message(make_surface(4, {{0, 1, 2}, {3, 1, 3}})),
            "engine.vtu: triangle 1 names vertex 3 more than once");
  TriMesh mesh = make_surface(3, {{0, 1, 2}});
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, nan, 0}, {0, 1, 0}};
  EXPECT_EQ(message(mesh), "engine.vtu: vertex 1 lies at (1, nan, 0), which is no place");
  mesh = make_surface(3, {{0, 1, 2}});
  mesh.point_data.add(Field("p", Array<float>{1, 2}));
  EXPECT_EQ(message(mesh), "engine.vtu: point field 'p' has 2 values, but there are 3 points");
  mesh.point_data = {};
  mesh.cell_data.add(Field("c", Array<float>{1, 2}));
  EXPECT_EQ(message(mesh), "engine.vtu: cell field 'c' has 2 values, but there are 1 cells");
}

TEST(CheckMesh, FindsTheFirstOfManyWithAnyThread) {
  TetMesh mesh = testing::make_big_messy<3>(50000, 11);
  std::uint32_t first = 0;
  while (std::all_of(mesh.cells[first].begin(), mesh.cells[first].end(),
                     [&](VertexId v) { return v.index() < mesh.vertex_count(); }) &&
         std::set<VertexId>(mesh.cells[first].begin(), mesh.cells[first].end()).size() == 4) {
    ++first;
  }
  try {
    check_mesh(mesh, "m");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("tetrahedron " + std::to_string(first) + " "),
              std::string::npos);
  }
}

TEST(DefectMesh, ShowsWhatIsWrong) {
  // Triangle 0 is fine and not shown; 1, 2, 3 make a fan of three at (3, 4); 4 is out of range and cannot be
  // drawn; 5 equals 1; vertex 8 is isolated, vertex 9 has no place.
  TriMesh mesh = make_surface(10, {{0, 1, 2}, {3, 4, 5}, {3, 4, 6}, {3, 4, 7}, {0, 1, 99}, {5, 4, 3}});
  mesh.points.visit([](auto points) { points[9].x = nan; });
  mesh.cell_data.add(Field("label", Array<std::int32_t>{10, 11, 12, 13, 14, 15}));
  mesh.point_data.add(Field("wrong_length", Array<float>{1}));
  const TriMesh shown = defect_mesh(mesh);
  const auto numbers = [](const FieldSet& fields, std::string_view name) {
    std::vector<std::int64_t> result;
    fields.at(name).visit([&](auto values) { result.assign(values.begin(), values.end()); });
    return result;
  };
  using Numbers = std::vector<std::int64_t>;
  const auto edge = static_cast<std::int64_t>(Defect::non_manifold_edge);
  const auto vertex = static_cast<std::int64_t>(Defect::non_manifold_vertex);
  const auto duplicate = static_cast<std::int64_t>(Defect::duplicate_cell);
  const auto isolated = static_cast<std::int64_t>(Defect::isolated_vertex);
  EXPECT_EQ(numbers(shown.cell_data, "InputId"), (Numbers{1, 2, 3, 5}));
  EXPECT_EQ(numbers(shown.cell_data, "label"), (Numbers{11, 12, 13, 15}));
  EXPECT_EQ(numbers(shown.cell_data, "DefectKind"),
            (Numbers{edge | vertex, edge | vertex, edge | vertex, edge | vertex | duplicate}));
  EXPECT_EQ(numbers(shown.point_data, "InputId"), (Numbers{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(numbers(shown.point_data, "DefectKind"),
            (Numbers{edge | vertex, edge | vertex, 0, 0, 0, isolated}));
  EXPECT_FALSE(shown.point_data.has("wrong_length"));
  EXPECT_EQ(shown.cells[3], (TriMesh::Cell{VertexId(2), VertexId(1), VertexId(0)}));
  EXPECT_NO_THROW(check_mesh(shown, "shown"));
  EXPECT_EQ(defect_mesh(testing::make_octahedron()).cell_count(), 0u);
}

TEST(DefectMesh, IsAlwaysDrawable) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    TetMesh shown = defect_mesh(testing::make_messy<3>(seed).mesh);
    for (const auto& cell : shown.cells) {
      for (const VertexId v : cell) EXPECT_LT(v.index(), shown.vertex_count());
    }
  }
}

}  // namespace
}  // namespace tessera
