// Isosurfaces of grids against a naive implementation, and against what is known of shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/detail/isosurface/lattice_bits.h>
#include <tessera/mesh/make.h>

namespace tessera {

using namespace detail;
namespace {

using test::naive_isosurface;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

Grid make_grid(const std::array<std::uint32_t, 3>& dims) {
  Grid grid;
  grid.dims = dims;
  return grid;
}

/// Numbers between -1 and 1.
std::vector<double> noise(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(2 * uniform01(seed, i) - 1);
  return values;
}

template <class T>
Field field_of(const std::vector<double>& values) {
  Array<T> numbers(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) numbers[i] = static_cast<T>(values[i]);
  return {"f", std::move(numbers)};
}

template <class F>
Field sampled(const Grid& grid, F&& f) {
  Array<double> values;
  for (std::uint32_t k = 0; k < grid.dims[2]; ++k) {
    for (std::uint32_t j = 0; j < grid.dims[1]; ++j) {
      for (std::uint32_t i = 0; i < grid.dims[0]; ++i) values.push_back(f(grid.point(i, j, k)));
    }
  }
  return {"f", std::move(values)};
}

Isosurface surface_of(const Grid& grid, const Field& field, double isovalue, IsosurfaceOptions options = {}) {
  options.keep_provenance = true;
  return isosurface(grid, field, {{isovalue}}, options);
}

void expect_equal_to_naive(const Grid& grid, const std::vector<double>& values, const Field& field,
                           double isovalue) {
  const auto expected = naive_isosurface(grid.dims, values, isovalue);
  for (const int threads : {1, 3}) {
    const Isosurface surface = surface_of(grid, field, isovalue, {.exec = Exec::host(threads)});
    ASSERT_EQ(surface.mesh.vertex_count(), expected.vertices.size());
    ASSERT_EQ(surface.provenance.edges.size(), expected.vertices.size());
    for (std::size_t v = 0; v < surface.provenance.edges.size(); ++v) {
      const auto found = expected.vertices.find(surface.provenance.edges[v]);
      ASSERT_NE(found, expected.vertices.end()) << "vertex " << v << " is on no crossed edge";
      ASSERT_NEAR(surface.provenance.weights[v], found->second, 1e-5);
    }
    ASSERT_EQ(test::triangle_names(surface), expected.triangles);
  }
}

TEST(GridIsosurface, EqualsTheNaiveOneForRowsOfEveryLength) {
  for (const std::uint32_t nx : {2u, 3u, 63u, 64u, 65u, 66u, 127u, 128u, 129u, 200u}) {
    const Grid grid = make_grid({nx, 5, 4});
    const std::vector<double> values = noise(grid.vertex_count(), nx);
    expect_equal_to_naive(grid, values, field_of<float>(values), 0.1);
  }
  for (const std::array<std::uint32_t, 3> dims :
       {std::array<std::uint32_t, 3>{2, 2, 2}, {2, 9, 2}, {2, 2, 9}, {20, 21, 22}}) {
    const Grid grid = make_grid(dims);
    const std::vector<double> values = noise(grid.vertex_count(), dims[1]);
    expect_equal_to_naive(grid, values, field_of<double>(values), -0.2);
  }
}

TEST(GridIsosurface, EveryCaseOfOneCell) {
  const Grid grid = make_grid({2, 2, 2});
  for (int high = 0; high < 256; ++high) {
    std::vector<double> values(8);
    for (int c = 0; c < 8; ++c) values[c] = (high >> c & 1) != 0 ? 1 + 0.1 * c : -1 - 0.07 * c;
    expect_equal_to_naive(grid, values, field_of<float>(values), 0.25);
  }
}

template <class T>
class GridTypes : public testing::Test {};
using AllTypes = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(GridTypes, AllTypes);

TYPED_TEST(GridTypes, EqualTheNaiveOne) {
  const Grid grid = make_grid({70, 6, 5});
  std::vector<double> values = noise(grid.vertex_count(), 11);
  for (double& v : values) v = std::floor(60 * v + 61);  // 1 to 120
  for (const double isovalue : {60.0, 60.5, 61.0, 1.0}) {
    expect_equal_to_naive(grid, values, field_of<TypeParam>(values), isovalue);
  }
  for (const double beyond : {-1e30, 0.5, 120.5, 1e30}) {
    const Isosurface none = surface_of(grid, field_of<TypeParam>(values), beyond);
    EXPECT_EQ(none.mesh.vertex_count(), 0u) << beyond;
    EXPECT_EQ(none.mesh.cell_count(), 0u) << beyond;
  }
}

TEST(GridIsosurface, IsovaluesBetweenFloatsCutWhereDoublesDo) {
  // 0.15 is no float: the float next to it from below is low, the one from above is high.
  const auto above = 0.15f;
  const auto below = std::nextafter(above, 0.0f);
  ASSERT_GT(static_cast<double>(above), 0.15);
  std::vector<double> values(8, static_cast<double>(below));
  const Grid grid = make_grid({2, 2, 2});
  EXPECT_EQ(surface_of(grid, field_of<float>(values), 0.15).mesh.cell_count(), 0u);
  values[3] = static_cast<double>(above);
  EXPECT_EQ(surface_of(grid, field_of<float>(values), 0.15).mesh.cell_count(), 1u);
}

TEST(GridIsosurface, NoTriangleTouchesACellWithNaN) {
  for (const std::uint32_t nx : {7u, 64u, 130u}) {
    const Grid grid = make_grid({nx, 6, 7});
    std::vector<double> values = noise(grid.vertex_count(), 5);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (uniform01(99, i) < 0.08) values[i] = nan_value;
    }
    expect_equal_to_naive(grid, values, field_of<float>(values), 0.0);
    expect_equal_to_naive(grid, values, field_of<double>(values), 0.0);
  }
  const Grid grid = make_grid({5, 5, 5});
  EXPECT_EQ(surface_of(grid, field_of<float>(std::vector<double>(125, nan_value)), 0).mesh.cell_count(), 0u);
}

TEST(GridIsosurface, InfiniteValuesGiveFinitePoints) {
  const Grid grid = make_grid({9, 9, 9});
  std::vector<double> values = noise(grid.vertex_count(), 3);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); i += 5) values[i] = i % 2 == 0 ? infinity : -infinity;
  const Isosurface surface =
      surface_of(grid, field_of<float>(values), 0, {.normals = SurfaceNormals::gradient});
  ASSERT_GT(surface.mesh.cell_count(), 0u);
  for (std::uint32_t v = 0; v < surface.mesh.vertex_count(); ++v) {
    const Vec3d p = surface.mesh.points[VertexId(v)];
    ASSERT_TRUE(p.x >= 0 && p.x <= 8 && p.y >= 0 && p.y <= 8 && p.z >= 0 && p.z <= 8);
  }
}

TEST(GridIsosurface, HasThePublishedCounts) {
  const Grid grid128 = make_lattice(128, 128, 128);
  const Isosurface mri = isosurface(grid128, make_mri_field(grid128), {{0.15}});
  EXPECT_EQ(mri.mesh.vertex_count(), 790'184u);
  EXPECT_EQ(mri.mesh.cell_count(), 1'553'966u);
  const Grid grid256 = make_lattice(256, 256, 256);
  const Isosurface sphere = isosurface(grid256, make_sphere_field(grid256), {{0.4}});
  EXPECT_EQ(sphere.mesh.vertex_count(), 196'154u);
  EXPECT_EQ(sphere.mesh.cell_count(), 392'304u);
}

TEST(GridIsosurface, NoiseInsideABorderIsAClosedSurface) {
  // Every ambiguous configuration occurs; each edge must still have exactly two triangles.
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Grid grid = make_grid({24, 25, 26});
    std::vector<double> values = noise(grid.vertex_count(), seed);
    for (std::size_t p = 0; p < values.size(); ++p) {
      const std::size_t i = p % 24;
      const std::size_t j = p / 24 % 25;
      const std::size_t k = p / 24 / 25;
      if (i == 0 || j == 0 || k == 0 || i == 23 || j == 24 || k == 25) values[p] = -1;
    }
    EXPECT_TRUE(test::is_closed_manifold(surface_of(grid, field_of<float>(values), 0.2).mesh));
  }
}

TEST(GridIsosurface, ShapesHaveTheirGenusAreaAndVolume) {
  Grid grid = make_lattice(48, 48, 48);
  const Vec3d center = {0.501, 0.502, 0.503};
  const TriMesh ball =
      surface_of(grid, sampled(grid, [&](Vec3d p) { return 0.4 - length(p - center); }), 0).mesh;
  EXPECT_TRUE(test::is_closed_manifold(ball));
  EXPECT_EQ(test::euler_characteristic(ball), 2);
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(test::measure(ball).area, 4 * pi * 0.16, 0.01);
  EXPECT_NEAR(test::measure(ball).volume, 4 * pi * 0.064 / 3, 0.002);  // positive: normals point outwards

  const auto torus_of = [&](Vec3d p) {
    const Vec3d q = p - center;
    const double ring = std::sqrt(q.x * q.x + q.y * q.y) - 0.28;
    return 0.12 - std::sqrt(ring * ring + q.z * q.z);
  };
  const TriMesh torus = surface_of(grid, sampled(grid, torus_of), 0).mesh;
  EXPECT_TRUE(test::is_closed_manifold(torus));
  EXPECT_EQ(test::euler_characteristic(torus), 0);
  EXPECT_NEAR(test::measure(torus).area, 4 * pi * pi * 0.28 * 0.12, 0.015);
  EXPECT_NEAR(test::measure(torus).volume, 2 * pi * pi * 0.28 * 0.0144, 0.002);

  const auto two_balls = [&](Vec3d p) {
    return std::max(0.15 - length(p - Vec3d{0.25, 0.5, 0.5}), 0.15 - length(p - Vec3d{0.75, 0.5, 0.5}));
  };
  EXPECT_EQ(test::euler_characteristic(surface_of(grid, sampled(grid, two_balls), 0).mesh), 4);
}

TEST(GridIsosurface, FollowsOriginSpacingAndDirection) {
  // The plane x' = 1.75 of a grid turned by a quarter: lattice x goes along y.
  Grid grid = make_grid({5, 3, 3});
  grid.origin = {10, 20, 30};
  grid.spacing = {0.5, 2, 3};
  grid.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  const Field field = sampled(grid, [](Vec3d p) { return p.y; });
  const TriMesh mesh = surface_of(grid, field, 20.875, {.normals = SurfaceNormals::gradient}).mesh;
  ASSERT_EQ(mesh.cell_count(), 8u);
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    EXPECT_DOUBLE_EQ(mesh.points[VertexId(v)].y, 20.875);
    EXPECT_EQ(mesh.field("Normals").as<float>()[3 * v + 1], -1.0f);
  }
}

TEST(GridIsosurface, IsTheSameForAnyNumberOfThreads) {
  Grid grid = make_lattice(70, 40, 50);
  grid.point_data.add(make_sphere_field(grid));
  const Field field = make_mri_field(grid);
  const std::vector<double> isovalues = {0.15, -0.3, 0.4};
  for (const auto normals : {SurfaceNormals::averaged, SurfaceNormals::gradient}) {
    IsosurfaceOptions options{.normals = normals, .merge_exact = true, .keep_provenance = true};
    options.exec = Exec::host(1);
    const Isosurface expected = isosurface(grid, field, isovalues, options);
    for (const int threads : {2, 3, 8}) {
      options.exec = Exec::host(threads);
      const Isosurface surface = isosurface(grid, field, isovalues, options);
      EXPECT_EQ(surface.mesh, expected.mesh) << threads;
      EXPECT_EQ(surface.provenance, expected.provenance) << threads;
    }
  }
}

TEST(GridIsosurface, SeveralIsovaluesAreTheSurfacesOneAfterTheOther) {
  const Grid grid = make_lattice(30, 31, 32);
  const Field field = make_mri_field(grid);
  const Isosurface both = isosurface(grid, field, {{0.3, -0.1}}, {.keep_provenance = true});
  const Isosurface first = surface_of(grid, field, 0.3);
  const Isosurface second = surface_of(grid, field, -0.1);
  const std::size_t v = first.mesh.vertex_count();
  ASSERT_EQ(both.mesh.vertex_count(), v + second.mesh.vertex_count());
  ASSERT_EQ(both.mesh.cell_count(), first.mesh.cell_count() + second.mesh.cell_count());
  const auto values = both.mesh.field("mri").as<float>();
  for (std::uint32_t i = 0; i < both.mesh.vertex_count(); ++i) {
    const bool is_first = i < v;
    const auto& part = is_first ? first : second;
    const std::uint32_t own = is_first ? i : i - static_cast<std::uint32_t>(v);
    ASSERT_EQ(both.mesh.points[VertexId(i)], part.mesh.points[VertexId(own)]);
    ASSERT_EQ(values[i], is_first ? 0.3f : -0.1f);
  }
  for (std::size_t t = 0; t < second.mesh.cell_count(); ++t) {
    const TriMesh::Cell& cell = both.mesh.cells[first.mesh.cell_count() + t];
    for (int c = 0; c < 3; ++c) ASSERT_EQ(cell[c].index() - v, second.mesh.cells[t][c].index());
  }
}

TEST(GridIsosurface, GridsWithoutVolumeHaveNone) {
  for (const std::array<std::uint32_t, 3> dims :
       {std::array<std::uint32_t, 3>{1, 1, 1}, {9, 1, 1}, {9, 9, 1}, {1, 9, 9}, {9, 1, 9}}) {
    const Grid grid = make_grid(dims);
    const Isosurface surface = surface_of(grid, field_of<float>(noise(grid.vertex_count(), 1)), 0);
    EXPECT_EQ(surface.mesh.vertex_count(), 0u);
    EXPECT_EQ(surface.mesh.cell_count(), 0u);
  }
}

TEST(GridIsosurface, ExactVerticesAreMergedWhereAsked) {
  // Whole numbers around the isovalue 2: most vertices lie on points.
  const Grid grid = make_grid({12, 13, 14});
  std::vector<double> values = noise(grid.vertex_count(), 21);
  for (std::size_t p = 0; p < values.size(); ++p) {
    const std::size_t i = p % 12;
    const std::size_t j = p / 12 % 13;
    const std::size_t k = p / 12 / 13;
    const bool is_border = i == 0 || j == 0 || k == 0 || i == 11 || j == 12 || k == 13;
    values[p] = is_border ? 0 : std::floor(2 * values[p] + 2.5);
  }
  const Field field = field_of<std::uint8_t>(values);
  const Isosurface plain = surface_of(grid, field, 2);
  const Isosurface merged = surface_of(grid, field, 2, {.merge_exact = true});
  EXPECT_LT(merged.mesh.vertex_count(), plain.mesh.vertex_count());
  std::set<std::array<double, 3>> places;
  for (std::uint32_t v = 0; v < merged.mesh.vertex_count(); ++v) {
    const Vec3d p = merged.mesh.points[VertexId(v)];
    EXPECT_TRUE(places.insert({p.x, p.y, p.z}).second) << "two vertices in one place";
  }
  for (const TriMesh::Cell& cell : merged.mesh.cells) {
    EXPECT_TRUE(cell[0] != cell[1] && cell[1] != cell[2] && cell[2] != cell[0]);
  }
  for (const auto& [edge, uses] : test::edge_uses(merged.mesh)) EXPECT_EQ(uses[0], uses[1]);
  EXPECT_NEAR(test::measure(merged.mesh).volume, test::measure(plain.mesh).volume, 1e-6);
  EXPECT_EQ(merged.provenance.cells.size(), merged.mesh.cell_count());
}

TEST(GridIsosurface, CarriesDataAndProvenance) {
  Grid grid = make_lattice(9, 10, 11);
  grid.point_data.add(sampled(grid, [](Vec3d p) { return 3 * p.x - p.y + 2 * p.z; }));
  Array<std::uint16_t> numbers(grid.cell_count());
  for (std::size_t c = 0; c < numbers.size(); ++c) numbers[c] = static_cast<std::uint16_t>(c);
  grid.cell_data.add(Field("number", std::move(numbers)));
  Array<std::int32_t> labels(2 * grid.vertex_count());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i);
  grid.point_data.add(Field("labels", std::move(labels), 2));

  const Field distance = make_sphere_field(grid);
  const Isosurface surface = surface_of(grid, distance, 0.3);
  const TriMesh& mesh = surface.mesh;
  ASSERT_GT(mesh.cell_count(), 0u);
  EXPECT_EQ(mesh.field("labels").components(), 2u);
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3d p = mesh.points[VertexId(v)];
    EXPECT_NEAR(mesh.field("f").as<double>()[v], 3 * p.x - p.y + 2 * p.z, 1e-6);
    EXPECT_EQ(mesh.field("sphere").as<float>()[v], 0.3f);
    const auto [a, b] = surface.provenance.edges[v];
    const double w = surface.provenance.weights[v];
    const double label = 2 * ((1 - w) * static_cast<double>(a) + w * static_cast<double>(b));
    EXPECT_NEAR(mesh.field("labels").as<std::int32_t>()[2 * v], label, 0.501);
  }
  for (std::size_t t = 0; t < mesh.cell_count(); ++t) {
    const auto cell = mesh.cell_data.at("number").as<std::uint16_t>()[t];
    EXPECT_EQ(cell, surface.provenance.cells[t]);
    const std::uint64_t i = cell % 8;
    const std::uint64_t j = cell / 8 % 9;
    const std::uint64_t k = cell / 72;
    for (const VertexId v : mesh.cells[t]) {  // lies in that cell
      const Vec3d p = 10.0 * mesh.points[v];
      EXPECT_TRUE(p.x >= i - 1e-5 && p.x <= i + 1.00001 && p.y >= j - 1e-5 && p.y <= j + 1.00001 &&
                  p.z >= k - 1e-5 && p.z <= k + 1.00001);
    }
  }
  EXPECT_TRUE(isosurface(grid, distance, {{0.3}}).provenance.edges.empty());
  EXPECT_TRUE(isosurface(grid, distance, {{0.3}}, {.transfer_data = false}).mesh.point_data.empty());
}

TEST(GridIsosurface, NormalsPointToLowerValues) {
  const Grid grid = make_lattice(40, 40, 40);
  const Field distance = make_sphere_field(grid);  // lower inside
  for (const auto normals : {SurfaceNormals::averaged, SurfaceNormals::gradient}) {
    const TriMesh mesh = surface_of(grid, distance, 0.4, {.normals = normals}).mesh;
    const auto n = mesh.field("Normals").as<float>();
    ASSERT_EQ(n.size(), 3 * mesh.vertex_count());
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const Vec3d out = mesh.points[VertexId(v)] - Vec3d{0.5001, 0.5003, 0.5007};
      const Vec3d normal = {n[3 * v], n[3 * v + 1], n[3 * v + 2]};
      ASSERT_NEAR(length(normal), 1, 1e-5);
      ASSERT_LT(dot(normal, (1 / length(out)) * out), normals == SurfaceNormals::gradient ? -0.998 : -0.98);
    }
  }
}

// A mirror image of a grid turns what is counter-clockwise; triangles face lower values all the same.
TEST(GridIsosurface, MirroredGridsFaceTheSameWay) {
  const Grid plain = make_lattice(20, 20, 20);
  const Field distance = make_sphere_field(plain);
  std::vector<Grid> grids(4, plain);
  grids[1].spacing.x *= -1;
  grids[2].spacing = {-plain.spacing.x, -plain.spacing.y, -plain.spacing.z};
  grids[3].direction = {0, 1, 0, 1, 0, 0, 0, 0, 1};  // x and y exchanged
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const Isosurface surface =
        isosurface(grids[g], distance, {{0.4}}, {.normals = SurfaceNormals::gradient, .exec = Exec::host(2)});
    const auto normals = surface.mesh.point_data.at("Normals").as<float>();
    ASSERT_GT(surface.mesh.cell_count(), 100U);
    for (const FaceId f : surface.mesh.cell_ids()) {
      const auto& cell = surface.mesh[f];
      const Vec3d a = surface.mesh.points[cell[0]];
      const Vec3d facing = cross(surface.mesh.points[cell[1]] - a, surface.mesh.points[cell[2]] - a);
      if (!(length(facing) > 1e-9)) continue;
      const float* const n = normals.data() + 3 * cell[0].index();
      ASSERT_GT(dot(facing, Vec3d{n[0], n[1], n[2]}), 0) << "grid " << g << " triangle " << f.index();
    }
  }
}

TEST(GridIsosurface, MergedSurfacesHaveNoUnusedVertices) {
  Grid grid = make_lattice(12, 12, 12);
  SplitMix64 random(5);
  Array<std::int8_t> values(grid.vertex_count());
  for (std::int8_t& value : values)
    value = static_cast<std::int8_t>(random.below(3));  // many equal the isovalue
  const Field field("f", std::move(values));
  const Isosurface surface = isosurface(grid, field, {{1.0}}, {.merge_exact = true, .keep_provenance = true});
  std::vector<bool> is_used(surface.mesh.vertex_count());
  for (const auto& cell : surface.mesh.cells) {
    for (const VertexId v : cell) is_used[v.index()] = true;
  }
  EXPECT_EQ(std::ranges::count(is_used, false), 0);
  EXPECT_EQ(surface.provenance.edges.size(), surface.mesh.vertex_count());
  EXPECT_EQ(surface.mesh.point_data.at("f").size(), surface.mesh.vertex_count());
}

TEST(GridIsosurface, NormalsAreTheOnesAskedFor) {
  Grid grid = make_lattice(16, 16, 16);
  Array<float> up(3 * grid.vertex_count(), 0.0F);
  for (std::size_t i = 0; i < grid.vertex_count(); ++i) {
    const double angle = 0.7 * static_cast<double>(i);
    up[3 * i] = static_cast<float>(std::cos(angle));
    up[3 * i + 1] = static_cast<float>(std::sin(angle));
  }
  grid.point_data.add(Field("Normals", std::move(up), 3));
  const Field distance = make_sphere_field(grid);
  const Isosurface asked = isosurface(grid, distance, {{0.4}}, {.normals = SurfaceNormals::averaged});
  const Isosurface plain =
      isosurface(make_lattice(16, 16, 16), distance, {{0.4}}, {.normals = SurfaceNormals::averaged});
  EXPECT_TRUE(asked.mesh.point_data.at("Normals") == plain.mesh.point_data.at("Normals"));
  // Without asking they are those of the input, blended, and of length 1 again.
  const Isosurface carried = isosurface(grid, distance, {{0.4}});
  const auto normals = carried.mesh.point_data.at("Normals").as<float>();
  for (std::size_t v = 0; v < normals.size() / 3; ++v) {
    const double size = std::hypot(normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]);
    ASSERT_NEAR(size, 1, 1e-5) << v;
  }
}

TEST(GridIsosurface, RefusesWhatHasNoIsosurface) {
  const Grid grid = make_grid({3, 3, 3});
  const Field good = field_of<float>(noise(27, 1));
  const auto refusal = [&](const Field& field, double isovalue) {
    try {
      (void)isosurface(grid, field, {{isovalue}});
      return std::string("accepted");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option);
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal(Field("v", Array<float>(81, 0.0f), 3), 0),
            "the field 'v' has 3 components; an isosurface needs one");
  EXPECT_EQ(refusal(field_of<float>(noise(26, 1)), 0),
            "the field 'f' has 26 values, but there are 27 points");
  EXPECT_EQ(refusal(good, nan_value), "an isovalue must be a finite number");
  EXPECT_EQ(isosurface(grid, good, {}).mesh.vertex_count(), 0u);
}

TEST(GridIsosurface, RefusesFieldsOfAnotherLength) {
  const Field good = field_of<float>(noise(27, 1));
  const auto refusal = [&](const Grid& grid) {
    try {
      (void)isosurface(grid, good, {{0.0}});
      return std::string("accepted");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
      return std::string(error.what());
    }
  };
  Grid grid = make_grid({3, 3, 3});
  grid.point_data.add(Field("p", Array<float>(26, 0.0f)));
  EXPECT_EQ(refusal(grid), "the field 'p' has 26 values, but there are 27 points");
  grid.point_data = {};
  grid.cell_data.add(Field("c", Array<float>(9, 0.0f)));
  EXPECT_EQ(refusal(grid), "the field 'c' has 9 values, but there are 8 cells");
}

TEST(GridIsosurface, StopsWhenAsked) {
  const Grid grid = make_lattice(20, 20, 20);
  std::stop_source source;
  Monitor monitor;
  monitor.stop = source.get_token();
  monitor.report = [&](std::string_view stage, double) {
    if (stage == "writing triangles") source.request_stop();
  };
  EXPECT_THROW((void)isosurface(grid, make_mri_field(grid), {{0.15}}, {.monitor = &monitor}), Error);
}

TEST(LatticeKeys, HoldMoreThan2To31Points) {
  // A lattice of 4096 x 4096 x 4096 points: 2^36 of them, keys beyond 2^37.
  constexpr std::uint64_t nx = 4096;
  constexpr std::uint64_t last_row = std::uint64_t{4096} * 4096 - 1;
  const std::uint64_t key = lattice::edge_key(nx, last_row, 2, 4095);
  EXPECT_EQ(key, std::uint64_t{3} * 4096 * 4096 * 4096 - 1);
  const lattice::EdgePlace place = lattice::edge_place(nx, key);
  EXPECT_EQ(place.row, last_row);
  EXPECT_EQ(place.axis, 2u);
  EXPECT_EQ(place.i, 4095u);
  lattice::View view;
  view.nx = view.ny = view.nz = 65536;  // rows beyond 2^31
  EXPECT_EQ(view.row(65535, 65535), std::size_t{65536} * 65536 - 1);
  const LatticeValues<float> values{nullptr, 65536, 65536, 65536};
  EXPECT_EQ(values.index(65535, 65535, 65535), (std::size_t{1} << 48) - 1);
}

}  // namespace
}  // namespace tessera
