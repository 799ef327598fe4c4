// Isosurfaces of tetrahedra against a naive implementation that knows no table, and against known shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/detail/isosurface/tet_table.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/mesh/make.h>

namespace tessera {

using namespace detail;
namespace {

using test::EdgeName;
using test::TriangleName;

/// The edges of a tet whose ends are on different sides, and triangles between them, oriented by geometry:
/// the normal of each points away from the mean of the high corners.
test::NaiveSurface naive_tets(const TetMesh& mesh, const std::vector<double>& values, double isovalue) {
  test::NaiveSurface result;
  for (const TetMesh::Cell& tet : mesh.cells) {
    std::vector<VertexId> high;
    std::vector<VertexId> low;
    bool is_whole = true;
    for (const VertexId v : tet) {
      is_whole = is_whole && !std::isnan(values[v.index()]);
      (values[v.index()] >= isovalue ? high : low).push_back(v);
    }
    if (!is_whole || high.empty() || low.empty()) continue;
    const auto name = [&](VertexId a, VertexId b) -> EdgeName {
      const EdgeName edge = {std::min(a, b).index(), std::max(a, b).index()};
      result.vertices[edge] = (isovalue - values[edge[0]]) / (values[edge[1]] - values[edge[0]]);
      return edge;
    };
    const auto place = [&](const EdgeName& edge) {
      const Vec3d a = mesh.points[VertexId(static_cast<std::uint32_t>(edge[0]))];
      const Vec3d b = mesh.points[VertexId(static_cast<std::uint32_t>(edge[1]))];
      return a + result.vertices[edge] * (b - a);
    };
    std::vector<EdgeName> loop;  // around the cut
    if (high.size() == 2) {
      loop = {name(high[0], low[0]), name(high[0], low[1]), name(high[1], low[1]), name(high[1], low[0])};
    } else {
      for (const VertexId a : high) {
        for (const VertexId b : low) loop.push_back(name(a, b));
      }
    }
    const Vec3d normal = cross(place(loop[1]) - place(loop[0]), place(loop[2]) - place(loop[0]));
    if (dot(normal, mesh.points[high[0]] - mesh.points[low[0]]) > 0) std::ranges::reverse(loop);
    // A loop by its vertices: how it is cut into triangles is not the oracle's business.
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    for (std::size_t i = 0; i < loop.size(); ++i) {
      result.triangles.insert({loop[i], loop[(i + 1) % loop.size()], EdgeName{loop.size(), 0}});
    }
  }
  return result;
}

/// The borders of each tet's triangles, walked as the triangles walk them, in the oracle's form.
std::multiset<TriangleName> borders_of(const Isosurface& surface) {
  std::multiset<TriangleName> result;
  const auto& cells = surface.mesh.cells;
  for (std::size_t t = 0; t < cells.size();) {
    std::size_t end = t;
    std::multiset<std::array<EdgeName, 2>> walks;
    while (end < cells.size() && surface.provenance.cells[end] == surface.provenance.cells[t]) {
      for (int c = 0; c < 3; ++c) {
        const EdgeName& a = surface.provenance.edges[cells[end][c].index()];
        const EdgeName& b = surface.provenance.edges[cells[end][(c + 1) % 3].index()];
        const auto back = walks.find({b, a});
        if (back != walks.end()) {
          walks.erase(back);
        } else {
          walks.insert({a, b});
        }
      }
      ++end;
    }
    for (const auto& walk : walks) result.insert({walk[0], walk[1], EdgeName{end - t + 2, 0}});
    t = end;
  }
  return result;
}

std::vector<double> noise(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(2 * uniform01(seed, i) - 1);
  return values;
}

Field field_of(const std::vector<double>& values) {
  return {"f", Array<float>(values.begin(), values.end())};
}

Isosurface surface_of(const TetMesh& mesh, const Field& field, double isovalue,
                      IsosurfaceOptions options = {}) {
  options.keep_provenance = true;
  return isosurface(mesh, field, {{isovalue}}, options);
}

void expect_equal_to_naive(const TetMesh& mesh, const std::vector<double>& values, double isovalue) {
  const auto expected = naive_tets(mesh, values, isovalue);
  for (const int threads : {1, 3}) {
    const Isosurface surface = surface_of(mesh, field_of(values), isovalue, {.exec = Exec::host(threads)});
    ASSERT_EQ(surface.mesh.vertex_count(), expected.vertices.size());
    auto next = expected.vertices.begin();  // vertices come in the order of their edges
    for (std::size_t v = 0; v < surface.mesh.vertex_count(); ++v, ++next) {
      ASSERT_EQ(surface.provenance.edges[v], next->first);
      ASSERT_NEAR(surface.provenance.weights[v], next->second, 1e-5);
    }
    ASSERT_EQ(borders_of(surface), expected.triangles);
  }
}

TEST(TetTable, EveryCaseOfAPositiveAndANegativeTet) {
  TetMesh mesh = make_small_solid("one_tet");
  for (int turn = 0; turn < 2; ++turn) {
    for (int high = 0; high < 16; ++high) {
      std::vector<double> values(4);
      for (int c = 0; c < 4; ++c) values[c] = (high >> c & 1) != 0 ? 1 + 0.3 * c : -1 - 0.2 * c;
      expect_equal_to_naive(mesh, values, 0.1);
      const std::uint32_t count[] = {0, 1, 2, 1, 0};
      EXPECT_EQ(tet::cases[high].triangles(), count[std::popcount(static_cast<unsigned>(high))]);
    }
    std::swap(mesh.cells[0][1], mesh.cells[0][2]);
  }
}

TEST(TetIsosurface, EqualsTheNaiveOne) {
  const TetMesh mesh = make_kuhn(12);
  expect_equal_to_naive(mesh, noise(mesh.vertex_count(), 4), 0.1);
  const TetMesh shuffled = make_shuffled(mesh);
  expect_equal_to_naive(shuffled, noise(mesh.vertex_count(), 5), -0.3);
  for (const char* name : {"bow_tie_edge", "three_tet_fan", "isolated_vertices", "cone"}) {
    const TetMesh small = make_small_solid(name);
    expect_equal_to_naive(small, noise(small.vertex_count(), 6), 0.0);
  }
}

TEST(TetIsosurface, NoTriangleTouchesATetWithNaN) {
  const TetMesh mesh = make_kuhn(10);
  std::vector<double> values = noise(mesh.vertex_count(), 9);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (uniform01(7, i) < 0.1) values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  expect_equal_to_naive(mesh, values, 0.0);
}

TEST(TetIsosurface, ABallIsClosedWithItsAreaAndVolume) {
  const Grid grid = make_lattice(33, 33, 33);
  const TetMesh mesh = tetrahedralize(grid).mesh;
  Array<float> values(mesh.vertex_count());
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    values[v] = static_cast<float>(0.4 - length(mesh.points[VertexId(v)] - Vec3d{0.501, 0.502, 0.503}));
  }
  const Field field("depth", std::move(values));
  const TriMesh ball = surface_of(mesh, field, 0, {.normals = SurfaceNormals::gradient}).mesh;
  EXPECT_TRUE(test::is_closed_manifold(ball));
  EXPECT_EQ(test::euler_characteristic(ball), 2);
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(test::measure(ball).area, 4 * pi * 0.16, 0.01);
  EXPECT_NEAR(test::measure(ball).volume, 4 * pi * 0.064 / 3, 0.002);
  const TriMesh averaged = surface_of(mesh, field, 0, {.normals = SurfaceNormals::averaged}).mesh;
  for (const TriMesh* surface : {&ball, &averaged}) {
    const auto n = surface->field("Normals").as<float>();
    for (std::uint32_t v = 0; v < surface->vertex_count(); ++v) {
      const Vec3d out = surface->points[VertexId(v)] - Vec3d{0.501, 0.502, 0.503};
      ASSERT_GT(dot(Vec3d{n[3 * v], n[3 * v + 1], n[3 * v + 2]}, (1 / length(out)) * out), 0.97);
    }
  }
}

TEST(TetIsosurface, NoiseInsideABorderIsAClosedSurface) {
  const Grid grid = make_lattice(14, 14, 14);
  const TetMesh mesh = tetrahedralize(grid).mesh;
  std::vector<double> values = noise(mesh.vertex_count(), 8);
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    const Vec3d p = mesh.points[VertexId(v)];
    const double nearest = std::min({p.x, p.y, p.z, 1 - p.x, 1 - p.y, 1 - p.z});
    if (nearest < 1e-3) values[v] = -1;
  }
  EXPECT_TRUE(test::is_closed_manifold(surface_of(mesh, field_of(values), 0.1).mesh));
}

TEST(TetIsosurface, IsTheSameForAnyNumberOfThreads) {
  TetMesh mesh = make_shuffled(make_kuhn(24));
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::smooth));
  const std::vector<double> isovalues = {0.2, -0.5};
  for (const auto normals : {SurfaceNormals::averaged, SurfaceNormals::gradient}) {
    IsosurfaceOptions options{.normals = normals, .merge_exact = true, .keep_provenance = true};
    options.exec = Exec::host(1);
    const Isosurface expected = isosurface(mesh, field, isovalues, options);
    ASSERT_GT(expected.mesh.cell_count(), 0u);
    for (const int threads : {2, 5}) {
      options.exec = Exec::host(threads);
      const Isosurface surface = isosurface(mesh, field, isovalues, options);
      EXPECT_EQ(surface.mesh, expected.mesh) << threads;
      EXPECT_EQ(surface.provenance, expected.provenance) << threads;
    }
  }
}

TEST(TetIsosurface, SeveralIsovaluesAreTheSurfacesOneAfterTheOther) {
  const TetMesh mesh = make_kuhn(10);
  const Field field = make_wave_field(mesh.points, WaveField::smooth);
  const Isosurface both = isosurface(mesh, field, {{0.4, 0.0}}, {.keep_provenance = true});
  const Isosurface first = surface_of(mesh, field, 0.4);
  const Isosurface second = surface_of(mesh, field, 0.0);
  const auto v = static_cast<std::uint32_t>(first.mesh.vertex_count());
  ASSERT_EQ(both.mesh.vertex_count(), v + second.mesh.vertex_count());
  ASSERT_EQ(both.mesh.cell_count(), first.mesh.cell_count() + second.mesh.cell_count());
  for (std::size_t t = 0; t < second.mesh.cell_count(); ++t) {
    for (int c = 0; c < 3; ++c) {
      const VertexId corner = both.mesh.cells[first.mesh.cell_count() + t][c];
      ASSERT_EQ(corner.index(), second.mesh.cells[t][c].index() + v);
      ASSERT_EQ(both.mesh.points[corner], second.mesh.points[second.mesh.cells[t][c]]);
      ASSERT_EQ(both.mesh.field("smooth").as<float>()[corner.index()], 0.0f);
    }
  }
}

TEST(TetIsosurface, ExactVerticesAreMergedWhereAsked) {
  const Grid grid = make_lattice(9, 9, 9);
  const TetMesh mesh = tetrahedralize(grid).mesh;
  Array<std::int16_t> values(mesh.vertex_count());
  for (std::uint32_t v = 0; v < values.size(); ++v) {  // a diamond whose corners and edges lie on points
    const Vec3d p = 8.0 * mesh.points[VertexId(v)];
    values[v] =
        static_cast<std::int16_t>(std::lround(std::abs(p.x - 4) + std::abs(p.y - 4) + std::abs(p.z - 4)));
  }
  const Field field("distance", std::move(values));
  const TriMesh plain = surface_of(mesh, field, 3).mesh;
  const Isosurface surface = surface_of(mesh, field, 3, {.merge_exact = true});
  const auto is_exact = [](double weight) { return weight == 0 || weight == 1; };
  // The points at distance 3 are 4 * 3^2 + 2, and each is one vertex.
  EXPECT_EQ(std::ranges::count_if(surface.provenance.weights, is_exact), 4 * 9 + 2);
  const TriMesh& merged = surface.mesh;
  EXPECT_LT(merged.vertex_count(), plain.vertex_count());
  EXPECT_TRUE(test::is_closed_manifold(merged));
  EXPECT_EQ(test::euler_characteristic(merged), 2);
}

TEST(TetIsosurface, CarriesDataAndRefusesBadMeshes) {
  TetMesh mesh = make_kuhn(8);
  Array<std::uint32_t> numbers(mesh.cell_count());
  for (std::uint32_t t = 0; t < numbers.size(); ++t) numbers[t] = t;
  mesh.cell_data.add(Field("number", std::move(numbers)));
  const Field field = make_wave_field(mesh.points, WaveField::smooth);
  const Isosurface surface = surface_of(mesh, field, 0.1);
  ASSERT_GT(surface.mesh.cell_count(), 0u);
  const auto carried = surface.mesh.cell_data.at("number").as<std::uint32_t>();
  for (std::size_t t = 0; t < carried.size(); ++t) ASSERT_EQ(carried[t], surface.provenance.cells[t]);
  EXPECT_EQ(surface_of(mesh, field, 1e9).mesh.cell_count(), 0u);
  EXPECT_EQ(surface_of(TetMesh{}, Field("f", Array<float>{}), 0).mesh.vertex_count(), 0u);

  EXPECT_EQ(isosurface(mesh, field, {}, {.normals = SurfaceNormals::gradient}).mesh.vertex_count(), 0u);

  mesh.cells[3][2] = VertexId(12345);
  try {
    (void)surface_of(mesh, field, 0.1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    EXPECT_EQ(error.what(),
              "tet 3 names the point 12345, but there are " + std::to_string(mesh.vertex_count()));
  }
}

}  // namespace
}  // namespace tessera
