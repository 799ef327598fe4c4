// Slices against areas and lengths that are known, and against plain geometry of one cell after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <vector>

#include <generate/complexes.h>
#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/generate/slice.h>
#include <tessera/mesh/doctor.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

using test::code_of;

using test::make_random_complex;
using test::measure;

/// The area as the normal sees it: negative where a triangle faces the other way.
double facing_area(const TriMesh& mesh, Vec3d normal) {
  double area = 0;
  for (const TriMesh::Cell& cell : mesh.cells) {
    const Vec3d a = mesh.points[cell[0]];
    area += 0.5 * dot(cross(mesh.points[cell[1]] - a, mesh.points[cell[2]] - a), normal) / length(normal);
  }
  return area;
}

/// The area of the convex hull of points in a plane: they are sorted around their middle.
double hull_area(std::vector<Vec3d> points, Vec3d normal) {
  if (points.size() < 3) return 0;
  Vec3d middle = {0, 0, 0};
  for (const Vec3d& p : points) middle = middle + 1.0 / static_cast<double>(points.size()) * p;
  const Vec3d u = points[0] - middle;
  const Vec3d v = cross(normal, u);
  std::ranges::sort(points, {}, [&](Vec3d p) { return std::atan2(dot(p - middle, v), dot(p - middle, u)); });
  double area = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    area += 0.5 * length(cross(points[i] - middle, points[(i + 1) % points.size()] - middle));
  return area;
}

/// What one cell has of a plane: its points on the plane and those of its edges that cross it.
template <int Dim>
std::vector<Vec3d> naive_cut(const SimplexMesh<Dim>& mesh, const typename SimplexMesh<Dim>::Cell& cell,
                             const Plane& plane) {
  std::vector<Vec3d> found;
  const auto distance = [&](VertexId v) { return dot(plane.normal, mesh.points[v] - plane.origin); };
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (distance(cell[i]) == 0) found.push_back(mesh.points[cell[i]]);
    for (std::size_t j = i + 1; j < cell.size(); ++j) {
      const double a = distance(cell[i]);
      const double b = distance(cell[j]);
      if (a * b < 0)
        found.push_back(mesh.points[cell[i]] + a / (a - b) * (mesh.points[cell[j]] - mesh.points[cell[i]]));
    }
  }
  return found;
}

const std::vector<Plane> planes = {{{0, 0, 0}, {0, 0, 1}},        {{0.25, 0, 0}, {-3, 0, 0}},
                                   {{0, 0.3, 0}, {0, 1, 0}},      {{0, 0, 0}, {1, 1, 0}},
                                   {{0.125, 0.5, 0}, {1, -1, 1}}, {{0.1, 0.2, 0.3}, {0.7, -0.2, 0.4}}};

TEST(Slice, CellsHaveTheAreaOfTheirHulls) {
  const TetMesh mesh = make_random_complex<3>(400, 500, 3);
  for (const Plane& plane : planes) {
    const Isosurface cut = slice(mesh, plane, {.keep_provenance = true});
    std::map<std::uint64_t, double> areas;
    for (std::size_t t = 0; t < cut.mesh.cell_count(); ++t) {
      TriMesh one;
      one.points = cut.mesh.points;
      one.cells = {cut.mesh.cells[t]};
      areas[cut.provenance.cells[t]] += measure(one).area;
    }
    for (std::uint32_t c = 0; c < mesh.cell_count(); ++c) {
      int before = 0;
      int behind = 0;
      for (const VertexId v : mesh.cells[c]) {
        const double d = dot(plane.normal, mesh.points[v] - plane.origin);
        before += d > 0 ? 1 : 0;
        behind += d < 0 ? 1 : 0;
      }
      const double area = before > 0 ? hull_area(naive_cut(mesh, mesh.cells[c], plane), plane.normal) : 0;
      EXPECT_NEAR(areas.contains(c) ? areas[c] : 0, area, 1e-5) << c << ' ' << before << ' ' << behind;
    }
    for (const VertexId v : cut.mesh.vertices())
      EXPECT_NEAR(dot(plane.normal, cut.mesh.points[v] - plane.origin), 0, 1e-6);
  }
}

TEST(Slice, CubesHaveTheAreasOfGeometry) {
  const TetMesh tets = make_kuhn_full(9);  // eighths
  Grid grid = make_lattice(9, 9, 9);
  grid.cell_data.add(Field("cell", Array<std::int32_t>(512, 3)));
  const Vec3d middle = {0.5, 0.5, 0.5};
  const std::vector<std::pair<Plane, double>> known = {
      {{{0, 0, 0.3}, {0, 0, 1}}, 1},
      {{{0, 0, 0.5}, {0, 0, -2}}, 1},
      {{{0, 0, 0}, {0, 0, 1}}, 1},
      {{{0, 0, 1}, {0, 0, 1}}, 1},
      {{{0, 0, 0}, {0, 0, -1}}, 1},
      {{{1, 0, 0}, {-1, 0, 0}}, 1},
      {{middle, {1, 1, 0}}, std::numbers::sqrt2},
      {{middle, {1, -1, 0}}, std::numbers::sqrt2},
      {{middle, {1, 1, 1}}, 0.75 * std::numbers::sqrt3},
      {{middle, {1 / std::sqrt(3), 1 / std::sqrt(3), 1 / std::sqrt(3)}}, 0.75 * std::numbers::sqrt3},
      {{{0, 0, 1.5}, {0, 0, 1}}, 0}};
  for (const auto& [plane, area] : known) {
    for (const bool of_tets : {true, false}) {
      const TriMesh cut = of_tets ? slice(tets, plane).mesh : slice(grid, plane).mesh;
      EXPECT_NEAR(facing_area(cut, plane.normal), area, 1e-6);
      EXPECT_NEAR(measure(cut).area, area, 1e-6);
      const auto uses = test::edge_uses(cut);
      EXPECT_TRUE(std::ranges::all_of(
          uses, [](const auto& use) { return use.second[0] <= 1 && use.second[1] <= 1; }));
      EXPECT_EQ(test::euler_characteristic(cut), area > 0 ? 1 : 0);
      for (const TriMesh::Cell& cell : cut.cells) {
        const Vec3d a = cut.points[cell[0]];
        EXPECT_GT(length(cross(cut.points[cell[1]] - a, cut.points[cell[2]] - a)), 1e-6);
      }
    }
  }
  // A lattice plane takes the lattice's points and nothing else.
  EXPECT_EQ(slice(tets, {{0, 0, 0.5}, {0, 0, 1}}).mesh.vertex_count(), 81u);
  EXPECT_EQ(slice(tets, {{0, 0, 0.5}, {0, 0, 1}}).mesh.cell_count(), 128u);
  EXPECT_EQ(slice(grid, {{0, 0, 0.5}, {0, 0, 1}}).mesh.cell_count(), 128u);
  EXPECT_EQ(slice(grid, known[0].first).mesh.cell_data.at("cell").as<std::int32_t>()[7], 3);
  // Tenths are no floats; planes through them count as such all the same.
  EXPECT_EQ(slice(make_kuhn_full(11), {{0, 0.3, 0}, {0, 1, 0}}).mesh.vertex_count(), 121u);
}

TEST(Slice, MirroredGridsFaceTheNormal) {
  Grid grid = make_lattice(5, 5, 5);
  grid.spacing.y *= -1;
  EXPECT_NEAR(facing_area(slice(grid, {{0, 0, 0.4}, {0, 0, 1}}).mesh, {0, 0, 1}), 1, 1e-9);
  grid.dims = {5, 5, 1};
  EXPECT_EQ(slice(grid, {}).mesh.cell_count(), 0u);
}

TEST(Slice, DataFollows) {
  TetMesh mesh = make_kuhn_full(6);
  const std::size_t points = mesh.vertex_count();
  Array<double> plain(points);
  Array<float> normals(3 * points);
  Array<std::int32_t> rounded(points);
  for (std::uint32_t v = 0; v < points; ++v) {
    const Vec3d p = mesh.points[VertexId(v)];
    plain[v] = 2 * p.x - p.y + 4;
    rounded[v] = static_cast<std::int32_t>(std::lround(1000 * p.x));
    const bool is_even = v % 2 == 0;
    normals[3 * v] = is_even ? 1 : 0;
    normals[3 * v + 1] = is_even ? 0 : 1;
    normals[3 * v + 2] = 0;
  }
  mesh.point_data.add(Field("distance", std::move(plain)));  // the name that slice would have taken
  mesh.point_data.add(Field("Normals", std::move(normals), 3));
  mesh.point_data.add(Field("rounded", std::move(rounded)));
  Array<std::uint16_t> ids(mesh.cell_count());
  for (std::size_t c = 0; c < ids.size(); ++c) ids[c] = static_cast<std::uint16_t>(c);
  mesh.cell_data.add(Field("id", std::move(ids)));
  const Isosurface cut = slice(mesh, {{0, 0, 0.37}, {0.2, 0.1, 1}}, {.keep_provenance = true});
  ASSERT_EQ(cut.mesh.point_data.names(), (std::vector<std::string>{"distance", "Normals", "rounded"}));
  for (std::uint32_t v = 0; v < cut.mesh.vertex_count(); ++v) {
    const Vec3d p = cut.mesh.points[VertexId(v)];
    EXPECT_NEAR(cut.mesh.field("distance").as<double>()[v], 2 * p.x - p.y + 4, 1e-5);
    EXPECT_NEAR(cut.mesh.field("rounded").as<std::int32_t>()[v], 1000 * p.x, 0.51);
    const auto n = cut.mesh.field("Normals").as<float>();
    EXPECT_NEAR(n[3 * v] * n[3 * v] + n[3 * v + 1] * n[3 * v + 1], 1, 1e-5);
  }
  for (std::size_t t = 0; t < cut.mesh.cell_count(); ++t)
    EXPECT_EQ(cut.mesh.cell_data.at("id").as<std::uint16_t>()[t], cut.provenance.cells[t]);
  EXPECT_TRUE(slice(mesh, {}).provenance.edges.empty());
}

using Place = std::array<double, 3>;

Place rounded(Vec3d p) {
  const auto one = [](double x) { return std::floor(x * 1e5 + 0.3); };  // no cut is near a third of a step
  return {one(p.x), one(p.y), one(p.z)};
}

TEST(Slice, LinesOfTrianglesAreThoseOfGeometry) {
  TriMesh mesh = make_random_complex<2>(300, 500, 4);
  Array<Vec3d> exact;
  for (const VertexId v : mesh.vertices()) exact.push_back(mesh.points[v]);
  mesh.points = std::move(exact);
  for (const Plane& plane : planes) {
    std::set<std::set<Place>> expected;
    for (const TriMesh::Cell& cell : mesh.cells) {
      std::set<Place> ends;
      for (const Vec3d p : naive_cut(mesh, cell, plane)) ends.insert(rounded(p));
      if (ends.size() == 2) expected.insert(ends);
    }
    const ContourLines cut = slice(mesh, plane, {.keep_provenance = true});
    std::set<std::set<Place>> found;
    for (std::size_t l = 0; l < cut.lines.lines.size(); ++l) {
      const auto ends = cut.lines.lines[l];
      ASSERT_EQ(ends.size(), 2u);
      const Vec3d a = cut.lines.points[ends[0]];
      const Vec3d b = cut.lines.points[ends[1]];
      found.insert({rounded(a), rounded(b)});
      // The normal's side is on the left of the line, seen from the front.
      const TriMesh::Cell& cell = mesh.cells[cut.provenance.cells[l]];
      const Vec3d p = mesh.points[cell[0]];
      const Vec3d front = cross(mesh.points[cell[1]] - p, mesh.points[cell[2]] - p);
      EXPECT_GT(dot(cross(front, b - a), plane.normal), 0);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(cut.lines.point_data.names(), mesh.point_data.names());
    EXPECT_EQ(cut.lines.cell_data.at("label").size(), cut.lines.cell_count());
  }
}

TEST(Slice, SpheresGiveCircles) {
  const TriMesh sphere = make_ico(5, {.displace = false});
  for (const Plane& plane :
       {Plane{{0, 0, 0}, {0, 0, 1}}, Plane{{0, 0, 0}, {1, 0, 0}}, Plane{{0.3, 0, 0}, {1, 2, 3}}}) {
    const PolyData lines = slice(sphere, plane).lines;
    std::vector<int> degree(lines.vertex_count());
    double total = 0;
    for (std::size_t l = 0; l < lines.lines.size(); ++l) {
      const auto ends = lines.lines[l];
      total += length(lines.points[ends[1]] - lines.points[ends[0]]);
      ++degree[ends[0].index()];
      ++degree[ends[1].index()];
    }
    EXPECT_TRUE(std::ranges::all_of(degree, [](int d) { return d == 2; }));
    const double h = dot(plane.normal, plane.origin) / length(plane.normal);
    const double radius = length(sphere.points[VertexId(0)]);
    EXPECT_NEAR(total, 2 * std::numbers::pi * std::sqrt(radius * radius - h * h), 0.01 * radius);
  }
}

TEST(Slice, ThreadsDoNotShow) {
  TetMesh tets = make_kuhn_full(20);
  tets.point_data.add(make_wave_field(tets.points, WaveField::rough));
  TriMesh surface = make_ico(6);
  surface.point_data.add(make_wave_field(surface.points, WaveField::rough));
  const Plane plane = {{0.5, 0.5, 0.5}, {1, 2, -1}};
  const Plane through = {{0.4, 0, 0}, {1, 0, 0}};
  const auto run = [&](const Plane& p, int threads) {
    const SliceOptions options{.keep_provenance = true, .exec = Exec::host(threads)};
    return std::pair(slice(tets, p, options), slice(surface, p, options));
  };
  for (const Plane& p : {plane, through}) {
    const auto one = run(p, 1);
    for (const int threads : {2, 3, 8}) {
      const auto several = run(p, threads);
      EXPECT_EQ(several.first.mesh, one.first.mesh);
      EXPECT_EQ(several.first.provenance, one.first.provenance);
      EXPECT_EQ(several.second.lines, one.second.lines);
      EXPECT_EQ(several.second.provenance, one.second.provenance);
    }
  }
}

TEST(Slice, RefusesWhatHasNoPlaneOrMesh) {
  TetMesh tets = make_small_solid("two_tets");
  TriMesh surface = make_small_surface("octahedron");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(code_of([&] { return slice(tets, {{0, 0, 0}, {0, 0, 0}}); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return slice(surface, {{nan, 0, 0}, {0, 0, 1}}); }), ErrorCode::bad_option);
  surface.cells[0][0] = VertexId(77);
  EXPECT_EQ(code_of([&] { return slice(surface, {}); }), ErrorCode::bad_mesh);
  tets.cells[0][0] = VertexId(77);
  EXPECT_EQ(code_of([&] { return slice(tets, {}); }), ErrorCode::bad_mesh);
  EXPECT_EQ(slice(TriMesh{}, {}).lines.cell_count(), 0u);
  EXPECT_EQ(slice(TetMesh{}, {}).mesh.cell_count(), 0u);
}

TEST(Slice, CellsWithoutAPlaceAreNotCut) {
  TriMesh mesh = make_small_surface("two_triangles");
  const Plane plane = {mesh.points[mesh.cells[0][0]], {1, 1, 1}};
  Array<Vec3d> points;
  for (const VertexId v : mesh.vertices()) points.push_back(mesh.points[v]);
  points[mesh.cells[0][0].index()].x = std::numeric_limits<double>::infinity();
  mesh.points = std::move(points);
  for (const VertexId v : slice(mesh, plane).lines.lines.corners)
    EXPECT_TRUE(std::isfinite(slice(mesh, plane).lines.points[v].x));
}

}  // namespace
}  // namespace tessera
