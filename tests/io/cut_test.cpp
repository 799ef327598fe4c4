// Cuts of solids and polygons: they fill the cell, and match between neighbours whatever the ids are.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <vector>

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

TEST(Cut, RefusesConcavePolygonsOfTooManyCorners) {
  TempDir directory;
  std::ostringstream out;
  constexpr int size = 30000;  // a zigzag
  out << "OFF\n" << size << " 1 0\n";
  for (int i = 0; i < size; ++i) out << i << ' ' << (i % 2 == 0 ? 0 : 1) << " 0\n";
  out << size;
  for (int i = 0; i < size; ++i) out << ' ' << i;
  testing::save(directory / "zigzag.off", out.str());
  testing::expect_error(ErrorCode::unsupported, {"zigzag.off", "cell 0", "30000 corners"},
                        [&] { return read_triangles(directory / "zigzag.off", {.simplices = true}); });
}

}  // namespace
}  // namespace tessera
