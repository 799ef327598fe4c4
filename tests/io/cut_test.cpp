// Cuts of solids and polygons: they fill the cell, and match between neighbours whatever the ids are.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <vector>

#include <tessera/mesh/doctor.h>

#include "io/support.h"

namespace tessera {
namespace {

using testing::TempDir;

struct Solid {
  int type;
  std::vector<std::uint32_t> corners;
};

/// A vtu file of the solids, with the points renamed by `order`: point i of the picture is point order[i] of
/// the file.
std::string make_vtu(const std::vector<Vec3d>& points, const std::vector<Solid>& solids,
                     const std::vector<std::uint32_t>& order) {
  std::vector<Vec3d> moved(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) moved[order[i]] = points[i];
  std::ostringstream out;
  out << "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid><Piece "
         "NumberOfPoints=\""
      << points.size() << "\" NumberOfCells=\"" << solids.size()
      << "\"><CellData><DataArray type=\"Int32\" Name=\"solid\">";
  for (std::size_t i = 0; i < solids.size(); ++i) out << i << ' ';
  out << "</DataArray></CellData><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">";
  for (const Vec3d& p : moved) out << p.x << ' ' << p.y << ' ' << p.z << ' ';
  out << "</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\">";
  for (const Solid& solid : solids) {
    for (const std::uint32_t v : solid.corners) out << order[v] << ' ';
  }
  out << "</DataArray><DataArray type=\"Int32\" Name=\"offsets\">";
  std::size_t end = 0;
  for (const Solid& solid : solids) out << (end += solid.corners.size()) << ' ';
  out << "</DataArray><DataArray type=\"UInt8\" Name=\"types\">";
  for (const Solid& solid : solids) out << solid.type << ' ';
  out << "</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
  return out.str();
}

double signed_volume(const TetMesh& mesh, const TetMesh::Cell& cell) {
  const Vec3d a = mesh.points[cell[0]];
  return dot(cross(mesh.points[cell[1]] - a, mesh.points[cell[2]] - a), mesh.points[cell[3]] - a) / 6;
}

/// How many tetrahedra have each face.
std::map<std::array<VertexId, 3>, int> face_uses(const TetMesh& mesh) {
  std::map<std::array<VertexId, 3>, int> uses;
  for (TetMesh::Cell cell : mesh.cells) {
    std::sort(cell.begin(), cell.end());
    for (int skip = 0; skip < 4; ++skip) {
      std::array<VertexId, 3> face = {};
      int k = 0;
      for (int i = 0; i < 4; ++i) {
        if (i != skip) face[k++] = cell[i];
      }
      ++uses[face];
    }
  }
  return uses;
}

/// Cuts the solids under many orders of the ids; every face is used once (outside) or twice (inside).
void expect_conforming(const std::vector<Vec3d>& points, const std::vector<Solid>& solids, double volume,
                       std::size_t parts, int outer_faces) {
  TempDir directory;
  const auto file = directory / "cut.vtu";
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<std::uint32_t> order(points.size());
    std::iota(order.begin(), order.end(), 0U);
    SplitMix64 random(seed);
    if (seed > 0) std::shuffle(order.begin(), order.end(), random);
    testing::save(file, make_vtu(points, solids, order));
    const TetMesh mesh = read_tets(file, {.simplices = true});
    ASSERT_EQ(mesh.cell_count(), parts);
    double sum = 0;
    for (const auto& cell : mesh.cells) {
      ASSERT_GT(signed_volume(mesh, cell), 1e-9);
      sum += signed_volume(mesh, cell);
    }
    ASSERT_NEAR(sum, volume, 1e-9);
    int outside = 0;
    for (const auto& [face, count] : face_uses(mesh)) {
      ASSERT_LE(count, 2);
      outside += count == 1 ? 1 : 0;
    }
    ASSERT_EQ(outside, outer_faces);
  }
}

// 27 points, 8 cubes of volume 1: 6 tetrahedra each. 6 sides of 4 squares of 2 triangles: 48 outside.
TEST(Cut, BlockOfHexahedra) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 27; ++i) points.push_back({double(i % 3), double(i / 3 % 3), double(i / 9)});
  std::vector<Solid> solids;
  for (const std::uint32_t base : {0U, 1U, 3U, 4U, 9U, 10U, 12U, 13U}) {
    const bool is_voxel = base % 2 == 0;  // the two orders of corners must fit together too
    if (is_voxel) {
      solids.push_back({11, {base, base + 1, base + 3, base + 4, base + 9, base + 10, base + 12, base + 13}});
    } else {
      solids.push_back({12, {base, base + 1, base + 4, base + 3, base + 9, base + 10, base + 13, base + 12}});
    }
  }
  expect_conforming(points, solids, 8, 48, 48);
}

// A cube (volume 1), a pyramid of height 1 on it (1/3), a wedge that is half a cube beside it (1/2), a
// tetrahedron on the wedge's triangle (1/6): 6 + 2 + 3 + 1 parts. Outside: cube 4 squares (top and right are
// covered) = 8, pyramid 4, wedge 2 squares + 1 triangle = 5, tetrahedron 3.
TEST(Cut, EveryKindTogether) {
  const std::vector<Vec3d> points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},     {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                     {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 2}, {2, 0, 0}, {2, 0, 1}, {1, 0, -1}};
  // VTK's wedge: the triangle of the first three is seen from outside.
  const std::vector<Solid> solids = {
      {12, {0, 1, 2, 3, 4, 5, 6, 7}}, {14, {4, 5, 6, 7, 8}}, {13, {1, 2, 9, 5, 6, 10}}, {10, {1, 2, 9, 11}}};
  expect_conforming(points, solids, 1 + 1.0 / 3 + 0.5 + 1.0 / 6, 12, 8 + 4 + 5 + 3);
}

// A hexahedron whose upper face is collapsed to an edge is a wedge: 3 tetrahedra stay of 6, and the volume.
TEST(Cut, CollapsedHexahedron) {
  TempDir directory;
  const std::vector<Vec3d> points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}};
  testing::save(directory / "wedge.vtu",
                make_vtu(points, {{12, {0, 1, 2, 3, 4, 4, 5, 5}}}, {0, 1, 2, 3, 4, 5}));
  const ReadResult result = read_mesh(directory / "wedge.vtu", {.simplices = true});
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  EXPECT_EQ(mesh.cell_count(), 3U);
  double sum = 0;
  for (const auto& cell : mesh.cells) sum += signed_volume(mesh, cell);
  EXPECT_NEAR(sum, 0.5, 1e-12);
  EXPECT_EQ(result.report.notes.size(), 2U);
}

TEST(Cut, CellDataIsRepeated) {
  TempDir directory;
  std::vector<Vec3d> points;
  for (int i = 0; i < 12; ++i) points.push_back({double(i % 2), double(i / 2 % 2), double(i / 4)});
  std::vector<std::uint32_t> order(12);
  std::iota(order.begin(), order.end(), 0U);
  testing::save(directory / "two.vtu",
                make_vtu(points, {{11, {0, 1, 2, 3, 4, 5, 6, 7}}, {11, {4, 5, 6, 7, 8, 9, 10, 11}}}, order));
  const TetMesh mesh = read_tets(directory / "two.vtu", {.simplices = true});
  const std::vector<std::int32_t> expected = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  const auto values = mesh.cell_data.at("solid").as<std::int32_t>();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
}

/// The polygon as an OFF file, cut; the areas of its parts are positive and sum up to `area`.
void expect_area(const std::vector<Vec3d>& corners, double area) {
  TempDir directory;
  std::ostringstream out;
  out.precision(17);
  out << "OFF\n" << corners.size() << " 1 0\n";
  for (const Vec3d& p : corners) out << p.x << ' ' << p.y << ' ' << p.z << '\n';
  out << corners.size();
  for (std::size_t i = 0; i < corners.size(); ++i) out << ' ' << i;
  testing::save(directory / "polygon.off", out.str());
  const TriMesh mesh = read_triangles(directory / "polygon.off", {.simplices = true});
  ASSERT_EQ(mesh.cell_count(), corners.size() - 2);
  double sum = 0;
  for (const auto& cell : mesh.cells) {
    const Vec3d a = mesh.points[cell[0]];
    const Vec3d normal = cross(mesh.points[cell[1]] - a, mesh.points[cell[2]] - a);
    EXPECT_GE(normal.z, 0);
    sum += normal.z / 2;
  }
  EXPECT_NEAR(sum, area, 1e-9);
}

TEST(Cut, Polygons) {
  expect_area({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}}, 2);
  // Concave at its second corner, so the diagonal of the smallest id is the wrong one. The triangle of 2 x 2
  // / 2 less one of 2 x 0.5 / 2.
  expect_area({{0, 0, 0}, {1, 0.5, 0}, {2, 0, 0}, {1, 2, 0}}, 1.5);
  // An L of three unit squares, and a comb of 3 teeth: base 5 x 1 and three teeth of 1 x 2.
  expect_area({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}}, 3);
  expect_area({{0, 0, 0},
               {5, 0, 0},
               {5, 3, 0},
               {4, 3, 0},
               {4, 1, 0},
               {3, 1, 0},
               {3, 3, 0},
               {2, 3, 0},
               {2, 1, 0},
               {1, 1, 0},
               {1, 3, 0},
               {0, 3, 0}},
              11);
}

// A star of 2 * 50 corners between the radii 1 and 2: 100 triangles of area 1/2 * 1 * 2 * sin(2 pi / 100)
// from its middle.
TEST(Cut, Star) {
  std::vector<Vec3d> corners;
  constexpr double pi = 3.14159265358979323846;
  for (int i = 0; i < 100; ++i) {
    const double radius = i % 2 == 0 ? 1 : 2;
    corners.push_back({radius * std::cos(pi * i / 50), radius * std::sin(pi * i / 50), 0});
  }
  expect_area(corners, 100 * std::sin(pi / 50));
}

/// One polygon through the points, in their order.
CellMesh make_polygon(Array<Vec3d> points) {
  CellMesh mesh;
  std::vector<VertexId> corners;
  for (std::uint32_t i = 0; i < points.size(); ++i) corners.emplace_back(i);
  mesh.cells.add(corners);
  mesh.types = {CellType::polygon};
  mesh.points = std::move(points);
  return mesh;
}

/// The places in a plane that is not that of two axes.
Array<Vec3d> tilt(const std::vector<std::array<double, 2>>& places) {
  const Vec3d u = {0.6, 0.8, 0};
  const Vec3d v = {0.48, -0.36, -0.8};
  Array<Vec3d> points;
  for (const auto& [x, y] : places) points.push_back(Vec3d{3, -2, 1} + x * u + y * v);
  return points;
}

std::vector<std::array<double, 2>> make_comb(int teeth) {
  std::vector<std::array<double, 2>> places;
  for (int i = 0; i < teeth; ++i) {
    places.push_back({2.0 * i, 0});
    places.push_back({2.0 * i + 1, 50 + 10 * std::sin(i)});
  }
  places.push_back({2.0 * teeth, 0});
  places.push_back({2.0 * teeth, -1});
  places.push_back({0, -1});
  return places;
}

/// A band between two spirals.
std::vector<std::array<double, 2>> make_spiral(int steps) {
  std::vector<std::array<double, 2>> places;
  const auto add = [&](int i, double more) {
    const double angle = 0.1 * i;
    places.push_back({(angle + more) * std::cos(angle), (angle + more) * std::sin(angle)});
  };
  for (int i = 10; i < steps; ++i) add(i, 0);
  for (int i = steps; i-- > 10;) add(i, 2);
  return places;
}

// An oracle without triangles: the area of a polygon is half the sum of the cross products of its edges.
TEST(Cut, ConcavePolygonsAreFilledWithoutOverlap) {
  for (const auto& places : {make_comb(3), make_comb(12000), make_spiral(60), make_spiral(4000)}) {
    SCOPED_TRACE(places.size());
    double area = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [x, y] = places[i];
      const auto& [z, w] = places[(i + 1) % places.size()];
      area += (x * w - y * z) / 2;
    }
    const SimplexCut cut = cut_into_simplices(make_polygon(tilt(places)));
    const TriMesh& mesh = std::get<TriMesh>(cut.mesh);
    ASSERT_EQ(mesh.cell_count(), places.size() - 2);
    const Vec3d facing = cross(Vec3d{0.6, 0.8, 0}, Vec3d{0.48, -0.36, -0.8});
    double sum = 0;
    for (const TriMesh::Cell& cell : mesh.cells) {
      const Vec3d a = mesh.points[cell[0]];
      const double part = dot(cross(mesh.points[cell[1]] - a, mesh.points[cell[2]] - a), facing) / 2;
      EXPECT_GT(part * area, 0);
      sum += part;
    }
    EXPECT_NEAR(sum, area, 1e-9 * std::abs(area));
  }
}

TEST(Cut, PolygonsThatCrossThemselvesAreCutSomehow) {
  std::vector<std::array<double, 2>> zigzag;
  for (int i = 0; i < 3000; ++i) zigzag.push_back({1.0 * i, i % 2 == 0 ? 0.0 : 1.0});
  for (const double far : {0.0, HUGE_VAL, std::nan("")}) {
    zigzag.back()[1] = far;
    const SimplexCut cut = cut_into_simplices(make_polygon(tilt(zigzag)));
    EXPECT_EQ(std::get<TriMesh>(cut.mesh).cell_count(), 2998U);
  }
}

TEST(Cut, RefusesConcavePolygonsOfTooManyCorners) {
  Array<Vec3d> points(1000001);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = {1.0 * static_cast<double>(i), i % 2 == 0 ? 0.0 : 1.0, 0};
  testing::expect_error(ErrorCode::unsupported, {"cell 0", "1000001 corners", "1000000"},
                        [&] { return cut_into_simplices(make_polygon(std::move(points))); });
}

/// Hexahedra: a cube, one that two equal corners make a wedge, one that is flat, one whose corners are two
/// points; and a flat pyramid.
TEST(Cut, DoctorSeesCellsThatAreDegenerate) {
  CellMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                             {1, 1, 1}, {0, 1, 1}, {2, 0, 0}, {3, 0, 0}, {3, 1, 0}, {2, 1, 0}};
  const auto add = [&](CellType type, std::initializer_list<std::uint32_t> ids) {
    std::vector<VertexId> corners;
    for (const std::uint32_t id : ids) corners.emplace_back(id);
    mesh.cells.add(corners);
    mesh.types.push_back(type);
  };
  add(CellType::hexahedron, {0, 1, 2, 3, 4, 5, 6, 7});
  add(CellType::hexahedron, {0, 1, 2, 2, 4, 5, 6, 6});
  add(CellType::hexahedron, {0, 1, 2, 3, 8, 9, 10, 11});
  add(CellType::hexahedron, {0, 1, 0, 1, 0, 1, 0, 1});
  add(CellType::pyramid, {0, 1, 2, 3, 8});
  add(CellType::tetrahedron, {0, 1, 2, 3});
  const std::vector<Finding> findings = diagnose_cut(cut_into_simplices(mesh));
  using Ids = std::vector<std::vector<std::uint32_t>>;
  const auto ids_of = [&](std::string_view kind) {
    const auto found = std::ranges::find(findings, kind, &Finding::kind);
    if (found == findings.end()) return Ids{};
    EXPECT_EQ(found->severity, Severity::information);
    EXPECT_EQ(found->element, ElementKind::cell);
    EXPECT_EQ(found->count, found->ids.size());
    return found->ids;
  };
  EXPECT_EQ(ids_of("repeated_corner"), (Ids{{1}, {3}}));
  EXPECT_EQ(ids_of("degenerate_cell"), (Ids{{2}, {3}, {4}, {5}}));
  EXPECT_TRUE(ids_of("flat_part").empty());
  EXPECT_EQ(diagnose_cut(cut_into_simplices(mesh), {.max_ids = 1}).back().ids.size(), 1U);
}

// The last corner of the bottom lies on the diagonal that the bottom is cut at.
TEST(Cut, DoctorSeesPartsThatAreFlat) {
  CellMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0.5, 0.5, 0}, {1, 0, 1}};
  mesh.cells.add(std::vector<VertexId>{VertexId(0), VertexId(1), VertexId(2), VertexId(3), VertexId(4)});
  mesh.types = {CellType::pyramid};
  const std::vector<Finding> findings = diagnose_cut(cut_into_simplices(mesh));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "flat_part");
  EXPECT_EQ(findings[0].ids, (std::vector<std::vector<std::uint32_t>>{{0}}));
}

}  // namespace
}  // namespace tessera
