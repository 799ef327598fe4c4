// Duals by Euler's formula and against a walk over maps; curvature against sphere, torus and Gauss-Bonnet.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/detail/common/angle.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/dual.h>

namespace tessera {

using namespace detail;
namespace {

constexpr double pi = std::numbers::pi;

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
  const Curvature one = compute_curvature(mesh, {.exec = Exec::host(1)});
  const Curvature more = compute_curvature(mesh, {.exec = Exec::host(3)});
  EXPECT_EQ(one.gaussian, more.gaussian);
  EXPECT_EQ(one.mean, more.mean);
}

double sum(const Array<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

TEST(Curvature, OfASphere) {
  TriMesh sphere = make_ico(5, {.displace = false});
  const double radius = 2.5;
  sphere.points.visit([&](auto points) {
    for (auto& p : points) p = static_cast<decltype(p.x)>(radius / length(vec_cast<double>(p))) * p;
  });
  const Curvature found = compute_curvature(sphere);
  for (std::size_t v = 0; v < sphere.vertex_count(); ++v) {
    EXPECT_NEAR(found.gaussian[v], 1 / (radius * radius), 0.02 / (radius * radius));
    EXPECT_NEAR(found.mean[v], 1 / radius, 0.01 / radius);
  }
  EXPECT_NEAR(sum(found.area), test::measure(sphere).area, 1e-6);
  for (auto& cell : sphere.cells) std::swap(cell[0], cell[1]);  // inside out
  const Curvature inverted = compute_curvature(sphere);
  EXPECT_NEAR(inverted.mean[7], -1 / radius, 0.01 / radius);
  EXPECT_NEAR(inverted.gaussian[7], found.gaussian[7], 1e-9);
}

/// With radii R and r: K = cos(t) / (r (R + r cos t)), H = (R + 2 r cos t) / (2 r (R + r cos t)).
TEST(Curvature, OfATorus) {
  const double large = 2;
  const double small = 0.7;
  const std::uint32_t nu = 160;
  const std::uint32_t nv = 90;
  TriMesh torus;
  Array<Vec3d> points;
  for (std::uint32_t i = 0; i < nu; ++i) {
    for (std::uint32_t j = 0; j < nv; ++j) {
      const double u = 2 * pi * i / nu;
      const double t = 2 * pi * j / nv;
      const double ring = large + small * std::cos(t);
      points.push_back({ring * std::cos(u), ring * std::sin(u), small * std::sin(t)});
      const auto id = [&](std::uint32_t a, std::uint32_t b) {
        return VertexId((i + a) % nu * nv + (j + b) % nv);
      };
      torus.cells.push_back({id(0, 0), id(1, 0), id(1, 1)});
      torus.cells.push_back({id(0, 0), id(1, 1), id(0, 1)});
    }
  }
  torus.points = std::move(points);
  const Curvature found = compute_curvature(torus);
  for (std::uint32_t v = 0; v < torus.vertex_count(); ++v) {
    const double c = std::cos(2 * pi * (v % nv) / nv);
    EXPECT_NEAR(found.gaussian[v], c / (small * (large + small * c)), 0.01);
    EXPECT_NEAR(found.mean[v], (large + 2 * small * c) / (2 * small * (large + small * c)), 0.005);
  }
  EXPECT_NEAR(sum(found.defect), 0, 1e-8);
}

TEST(Curvature, GaussAndBonnetWithAndWithoutBoundary) {
  EXPECT_NEAR(sum(compute_curvature(make_ico(3)).defect), 4 * pi, 1e-4);
  EXPECT_NEAR(sum(compute_curvature(make_height_field(20, 13)).defect), 2 * pi, 1e-4);
  EXPECT_NEAR(sum(compute_curvature(make_small_surface("moebius")).defect), 0, 1e-5);
}

TEST(Curvature, OfAPlaneIsZeroUpToTheBoundary) {
  TriMesh plane = make_height_field(9, 8);
  plane.points.visit([](auto points) {
    for (auto& p : points) p.z = 0;
  });
  const Curvature found = compute_curvature(plane);
  EXPECT_EQ(std::ranges::count(found.is_on_boundary, 1), 2 * (9 + 8) - 4);
  for (std::size_t v = 0; v < plane.vertex_count(); ++v) {
    EXPECT_NEAR(found.gaussian[v], 0, 1e-5);
    EXPECT_NEAR(found.mean[v], 0, 1e-5);
  }
}

TEST(Curvature, OnTheBoundaryIsThatOfTheNeighboursInside) {
  TriMesh cap = make_ico(4, {.displace = false});
  std::erase_if(cap.cells, [&](const TriMesh::Cell& t) { return cap.points[t[0]].z < 0.1; });
  const Curvature found = compute_curvature(cap);
  std::size_t on_boundary = 0;
  for (std::size_t v = 0; v < cap.vertex_count(); ++v) {
    if (found.is_on_boundary[v] == 0 || found.mean[v] == 0) continue;
    ++on_boundary;
    EXPECT_NEAR(found.mean[v], 1, 0.02);
    EXPECT_NEAR(found.gaussian[v], 1, 0.06);
  }
  EXPECT_GT(on_boundary, 40u);
}

TEST(Curvature, CornerAnglesAreThoseOfAtan2) {
  for (int step = 0; step <= 100000; ++step) {
    const double angle = pi * step / 100000;
    for (const double size : {1.0, 3e-200, 7e150}) {
      const double sine = size * std::abs(std::sin(angle));
      const double cosine = size * std::cos(angle);
      ASSERT_NEAR(corner_angle(sine, cosine), std::atan2(sine, cosine), 4.5e-16) << angle;
    }
  }
  EXPECT_EQ(corner_angle(0, 1), 0);
  EXPECT_EQ(corner_angle(0, -1), pi);
  EXPECT_EQ(corner_angle(2, 0), pi / 2);
  EXPECT_NEAR(corner_angle(1e-300, 1), 1e-300, 1e-315);
}

/// Plain loops over all triangles for each vertex; edges in a map.
Curvature naive_curvature(const TriMesh& mesh) {
  const std::size_t n = mesh.vertex_count();
  Curvature result{Array<double>(n, 0), Array<double>(n, 0), Array<double>(n, 0), Array<double>(n, 0),
                   Array<std::uint8_t>(n, 0)};
  std::map<std::pair<VertexId, VertexId>, int> edges;
  for (const TriMesh::Cell& t : mesh.cells) {
    for (int c = 0; c < 3; ++c) ++edges[std::minmax(t[c], t[(c + 1) % 3])];
  }
  for (const auto& [edge, uses] : edges) {
    if (uses == 2) continue;
    result.is_on_boundary[edge.first.index()] = result.is_on_boundary[edge.second.index()] = 1;
  }
  for (std::uint32_t v = 0; v < n; ++v) {
    double angles = 0;
    Vec3d bend = {0, 0, 0};
    Vec3d normal = {0, 0, 0};
    for (const TriMesh::Cell& t : mesh.cells) {
      for (int c = 0; c < 3; ++c) {
        if (t[c] != VertexId(v)) continue;
        const Vec3d p = mesh.points[t[c]];
        const Vec3d q = mesh.points[t[(c + 1) % 3]];
        const Vec3d r = mesh.points[t[(c + 2) % 3]];
        const auto angle_at = [](const Vec3d& o, const Vec3d& a, const Vec3d& b) {
          return std::atan2(length(cross(a - o, b - o)), dot(a - o, b - o));
        };
        if (!(length(cross(q - p, r - p)) > 0)) continue;
        const double at_p = angle_at(p, q, r);
        const double at_q = angle_at(q, r, p);
        const double at_r = angle_at(r, p, q);
        angles += at_p;
        const double area = 0.5 * length(cross(q - p, r - p));
        const bool is_obtuse = std::max({at_p, at_q, at_r}) > pi / 2;
        const double voronoi = (dot(q - p, q - p) / std::tan(at_r) + dot(r - p, r - p) / std::tan(at_q)) / 8;
        result.area[v] += !is_obtuse ? voronoi : at_p > pi / 2 ? area / 2 : area / 4;
        bend = bend + (1 / std::tan(at_r)) * (p - q) + (1 / std::tan(at_q)) * (p - r);
        normal = normal + cross(q - p, r - p);
      }
    }
    if (angles == 0) continue;
    const bool is_open = result.is_on_boundary[v] != 0;
    result.defect[v] = (is_open ? pi : 2 * pi) - angles;
    if (is_open) continue;
    result.gaussian[v] = result.defect[v] / result.area[v];
    result.mean[v] = (dot(bend, normal) < 0 ? -1 : 1) * length(bend) / (4 * result.area[v]);
  }
  for (std::uint32_t v = 0; v < n; ++v) {
    if (result.is_on_boundary[v] == 0) continue;
    double count = 0;
    for (const auto& [edge, uses] : edges) {
      if (edge.first != VertexId(v) && edge.second != VertexId(v)) continue;
      const std::uint32_t other = edge.first.index() + edge.second.index() - v;
      if (result.is_on_boundary[other] != 0) continue;
      ++count;
      result.gaussian[v] += result.gaussian[other];
      result.mean[v] += result.mean[other];
    }
    if (count == 0) continue;
    result.gaussian[v] /= count;
    result.mean[v] /= count;
  }
  return result;
}

void expect_curvature(const TriMesh& mesh) {
  const Curvature expected = naive_curvature(mesh);
  const Curvature found = compute_curvature(mesh, {.exec = Exec::host(2)});
  EXPECT_EQ(found.is_on_boundary, expected.is_on_boundary);
  const auto expect_near = [](const Array<double>& a, const Array<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t v = 0; v < a.size(); ++v) {
      // NOLINTNEXTLINE: numbers of all sizes
      ASSERT_NEAR(a[v], b[v], 1e-9 * std::max(1.0, std::abs(b[v]))) << v;
    }
  };
  expect_near(found.defect, expected.defect);
  expect_near(found.area, expected.area);
  expect_near(found.gaussian, expected.gaussian);
  expect_near(found.mean, expected.mean);
}

TEST(Curvature, OfAnyTrianglesIsThatOfPlainLoops) {
  expect_curvature(make_torus(12, 9));
  expect_curvature(make_height_field(11, 13));
  TriMesh mixed = make_ico(2);
  for (std::size_t t = 0; t < mixed.cell_count(); t += 3) std::swap(mixed.cells[t][0], mixed.cells[t][1]);
  expect_curvature(mixed);
  SplitMix64 random(5);
  TriMesh heap;  // degenerate, repeated and non-manifold triangles, and vertices without any
  Array<Vec3d> points(40);
  for (Vec3d& p : points) p = {random.uniform(), random.uniform(), random.uniform()};
  points[7] = {std::numeric_limits<double>::quiet_NaN(), 0, 0};
  heap.points = std::move(points);
  const auto any = [&] { return VertexId(static_cast<std::uint32_t>(random.below(38))); };
  for (int t = 0; t < 90; ++t) heap.cells.push_back({any(), any(), any()});
  for (int t = 0; t < 10; ++t) heap.cells.push_back(heap.cells[static_cast<std::size_t>(t)]);
  expect_curvature(heap);
  TriMesh fan;  // a closed one of many triangles, so that its middle is no boundary
  Array<Vec3d> rim = {{0, 0, 1}};
  constexpr std::uint32_t count = 50;
  for (std::uint32_t i = 0; i < count; ++i) {
    rim.push_back({std::cos(2 * pi * i / count), std::sin(2 * pi * i / count), 0});
    fan.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(1 + (i + 1) % count)});
  }
  fan.points = std::move(rim);
  expect_curvature(fan);
  EXPECT_EQ(compute_curvature(fan).is_on_boundary[0], 0);
}

TEST(Curvature, BadMeshesAreRefused) {
  TriMesh bad = make_small_surface("octahedron");
  bad.cells[2][0] = VertexId(77);
  for (const auto& work : {+[](const TriMesh& mesh) { (void)compute_curvature(mesh); },
                           +[](const TriMesh& mesh) { (void)make_dual(mesh); }}) {
    try {
      work(bad);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
      EXPECT_NE(std::string(error.what()).find("triangle 2 names point 77"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tessera
