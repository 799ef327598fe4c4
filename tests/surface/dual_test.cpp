// Duals by Euler's formula and against a walk over maps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/dual.h>

namespace tessera {

using namespace detail;
namespace {

/// The triangles after each other around a vertex of a closed, oriented surface: from t through the edge that
/// ends at v, whose other triangle walks it the other way.
std::vector<std::uint32_t> naive_fan(const TriMesh& mesh, std::uint32_t v) {
  std::map<std::uint32_t, std::uint32_t> by_next;      // the corner after v -> triangle
  std::map<std::uint32_t, std::uint32_t> previous_of;  // triangle -> the corner before v
  std::uint32_t lowest = 0xFFFFFFFF;
  for (std::uint32_t t = 0; t < mesh.cell_count(); ++t) {
    for (int c = 0; c < 3; ++c) {
      if (mesh.cells[t][c].index() != v) continue;
      by_next[mesh.cells[t][(c + 1) % 3].index()] = t;
      previous_of[t] = mesh.cells[t][(c + 2) % 3].index();
      lowest = std::min(lowest, t);
    }
  }
  std::vector<std::uint32_t> fan;
  std::uint32_t t = lowest;
  do {
    fan.push_back(t);
    t = by_next.at(previous_of.at(t));
  } while (t != lowest);
  return fan;
}

std::vector<std::uint32_t> numbers(std::span<const VertexId> ids) {
  std::vector<std::uint32_t> result;
  for (const VertexId id : ids) result.push_back(id.index());
  return result;
}

TEST(Dual, OfAClosedSurfaceHasAPolygonForEachVertex) {
  for (const TriMesh& mesh :
       {make_ico(2), make_torus(9, 7), make_shuffled(make_torus(6, 5)), make_small_surface("octahedron")}) {
    const PolyData dual = make_dual(mesh);
    ASSERT_EQ(dual.vertex_count(), mesh.cell_count());
    ASSERT_EQ(dual.polygons.size(), mesh.vertex_count());
    EXPECT_TRUE(dual.lines.empty());
    EXPECT_TRUE(dual.vertices.empty());
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v)
      ASSERT_EQ(numbers(dual.polygons[v]), naive_fan(mesh, v)) << v;
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;  // V - E + F of the dual
    for (std::size_t p = 0; p < dual.polygons.size(); ++p) {
      const auto ids = numbers(dual.polygons[p]);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::uint32_t a = ids[i];
        const std::uint32_t b = ids[(i + 1) % ids.size()];
        ++edges[{std::min(a, b), std::max(a, b)}];
      }
    }
    for (const auto& [edge, uses] : edges) EXPECT_EQ(uses, 2);
    EXPECT_EQ(static_cast<long>(dual.vertex_count() + dual.polygons.size()) - static_cast<long>(edges.size()),
              test::euler_characteristic(mesh));
  }
}

CellMesh as_cells(const TriMesh& mesh) {
  CellMesh cells;
  cells.points = mesh.points;
  cells.point_data = mesh.point_data;
  cells.cell_data = mesh.cell_data;
  for (const TriMesh::Cell& cell : mesh.cells) {
    cells.types.push_back(CellType::triangle);
    cells.cells.add(cell);
  }
  return cells;
}

TEST(Dual, OfTrianglesAsPolygonsIsThatOfTriangles) {
  for (const char* name :
       {"triangle", "two_triangles", "three_face_fan", "moebius", "bow_tie", "octahedron"}) {
    TriMesh mesh = make_small_surface(name);
    mesh.cell_data.add(Field("c", Array<std::int32_t>(mesh.cell_count(), 4)));
    EXPECT_EQ(make_dual(as_cells(mesh)), make_dual(mesh)) << name;
  }
  EXPECT_EQ(make_dual(as_cells(make_height_field(70, 60))), make_dual(make_height_field(70, 60)));
}

/// The dual of a dual of a closed surface is the surface: its triangles again, in their order.
TEST(Dual, OfADualIsTheSurface) {
  for (const TriMesh& mesh : {make_ico(2), make_torus(9, 7), make_shuffled(make_torus(6, 5))}) {
    const PolyData dual = make_dual(mesh);
    CellMesh polygons;
    polygons.points = dual.points;
    polygons.cells = dual.polygons;
    polygons.types.assign(dual.polygons.size(), CellType::polygon);
    const PolyData again = make_dual(polygons, {.exec = Exec::host(3)});
    ASSERT_EQ(again.polygons.size(), mesh.cell_count());
    EXPECT_EQ(again.vertex_count(), mesh.vertex_count());
    for (std::size_t t = 0; t < mesh.cell_count(); ++t) {
      std::vector<std::uint32_t> found = numbers(again.polygons[t]);
      std::vector<std::uint32_t> wanted = numbers(mesh.cells[t]);
      std::rotate(found.begin(), std::ranges::min_element(found), found.end());
      std::rotate(wanted.begin(), std::ranges::min_element(wanted), wanted.end());
      ASSERT_EQ(found, wanted) << t;
    }
  }
}

/// The sides of a cube, with a line and a broken quad beside them that take no part.
TEST(Dual, OfACubeIsAnOctahedron) {
  CellMesh cube;
  cube.points =
      Array<Vec3d>{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
  const auto add = [&](CellType type, std::initializer_list<std::uint32_t> ids) {
    cube.types.push_back(type);
    for (const std::uint32_t v : ids) cube.cells.corners.push_back(VertexId(v));
    cube.cells.offsets.push_back(cube.cells.corners.size());
  };
  add(CellType::line, {0, 6});
  add(CellType::quad, {0, 3, 2, 1});
  add(CellType::quad, {4, 5, 6, 7});
  add(CellType::quad, {0, 1, 5, 4});
  add(CellType::quad, {1, 2, 6, 5});
  add(CellType::quad, {2, 3, 7, 6});
  add(CellType::quad, {3, 0, 4, 7});
  add(CellType::quad, {0, 1, 1, 2});
  cube.cell_data.add(Field("row", Array<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  cube.point_data.add(Field("id", Array<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  const PolyData dual = make_dual(cube);
  EXPECT_EQ(dual.vertex_count(), 7u);  // the broken quad has a middle, too
  ASSERT_EQ(dual.polygons.size(), 8u);
  EXPECT_TRUE(dual.lines.empty());
  EXPECT_EQ(dual.points[VertexId(0)], (Vec3d{1, 1, 0}));
  EXPECT_EQ(dual.points[VertexId(3)], (Vec3d{2, 1, 1}));
  EXPECT_EQ(dual.point_data.at("row"), Field("row", Array<std::int32_t>{1, 2, 3, 4, 5, 6, 7}));
  for (std::uint32_t v = 0; v < 8; ++v) {
    const auto ids = dual.polygons[v];
    ASSERT_EQ(ids.size(), 3u);
    const Vec3d a = dual.points[ids[0]];
    const Vec3d normal = cross(dual.points[ids[1]] - a, dual.points[ids[2]] - a);
    EXPECT_GT(dot(normal, cube.points[VertexId(v)] - Vec3d{1, 1, 1}), 0) << "turned inward at " << v;
    EXPECT_EQ(dual.cell_data.at("id").as<std::int32_t>()[v], static_cast<std::int32_t>(v));
  }
}

TEST(Dual, RefusesBrokenPolygons) {
  CellMesh mesh = as_cells(make_small_surface("octahedron"));
  mesh.cells.corners[4] = VertexId(6);
  try {
    (void)make_dual(mesh);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    EXPECT_NE(std::string(error.what()).find("cell 1 names point 6"), std::string::npos) << error.what();
  }
  mesh = as_cells(make_small_surface("octahedron"));
  mesh.cell_data.add(Field("short", Array<float>(3)));
  EXPECT_THROW((void)make_dual(mesh), Error);
}

TEST(Dual, IsOpenAtTheBoundary) {
  TriMesh mesh = make_height_field(6, 5);
  mesh.cell_data.add(Field("c", Array<std::int32_t>(mesh.cell_count(), 4)));
  mesh.point_data.add(Field("id", [&] {
    Array<std::int32_t> ids(mesh.vertex_count());
    for (std::size_t v = 0; v < ids.size(); ++v) ids[v] = static_cast<std::int32_t>(10 * v);
    return ids;
  }()));
  const PolyData dual = make_dual(mesh);
  EXPECT_EQ(dual.polygons.size(), 4u * 3);
  EXPECT_EQ(dual.vertices.size(), 2u);  // two corners have one triangle
  EXPECT_EQ(dual.lines.size(), 2u * (6 + 5) - 4 - 2);
  EXPECT_EQ(dual.point_data.at("c").size(), mesh.cell_count());
  const auto owners = dual.cell_data.at("InputVertex").as<std::int64_t>();
  const auto ids = dual.cell_data.at("id").as<std::int32_t>();
  ASSERT_EQ(owners.size(), dual.cell_count());
  std::set<std::int64_t> seen(owners.begin(), owners.end());
  EXPECT_EQ(seen.size(), mesh.vertex_count());
  for (std::size_t c = 0; c < owners.size(); ++c) EXPECT_EQ(ids[c], 10 * owners[c]);
  // Neighbours in a line share an edge of the surface.
  for (std::size_t l = 0; l < dual.lines.size(); ++l) {
    const auto line = dual.lines[l];
    for (std::size_t i = 1; i < line.size(); ++i) {
      const auto& a = mesh.cells[line[i - 1].index()];
      const auto& b = mesh.cells[line[i].index()];
      EXPECT_EQ(std::ranges::count_if(a, [&](VertexId v) { return std::ranges::count(b, v) > 0; }), 2);
    }
  }
}

/// The fans of small meshes, counted by hand.
TEST(Dual, OfMeshesThatAreNoManifold) {
  const auto counts = [](const char* name) {
    const PolyData dual = make_dual(make_small_surface(name));
    return std::array{dual.vertices.size(), dual.lines.size(), dual.polygons.size()};
  };
  using Counts = std::array<std::size_t, 3>;
  EXPECT_EQ(counts("triangle"), (Counts{3, 0, 0}));
  EXPECT_EQ(counts("two_triangles"), (Counts{2, 2, 0}));
  EXPECT_EQ(counts("three_face_fan"), (Counts{9, 0, 0}));  // an edge of three triangles parts all fans
  EXPECT_EQ(counts("moebius"), (Counts{0, 10, 0}));        // each vertex has a fan of three, however turned
  const PolyData pinched = make_dual(make_small_surface("bow_tie"));
  EXPECT_EQ(pinched.cell_count(), 6u);  // the shared vertex has two fans
}

TEST(Dual, IsTheSameForAnyNumberOfThreads) {
  TriMesh mesh = make_shuffled(make_height_field(150, 120));
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  EXPECT_EQ(make_dual(mesh, {.exec = Exec::host(1)}), make_dual(mesh, {.exec = Exec::host(3)}));
}

TEST(Dual, OfBadMeshesIsRefused) {
  TriMesh bad = make_small_surface("octahedron");
  bad.cells[2][0] = VertexId(77);
  try {
    (void)make_dual(bad);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    EXPECT_NE(std::string(error.what()).find("triangle 2 names point 77"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera
