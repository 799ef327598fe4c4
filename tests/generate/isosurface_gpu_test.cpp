// Isosurfaces made on a device are those of the host, byte for byte.
#include <gtest/gtest.h>

#include <limits>
#include <variant>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/resident.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Noise between -100 and 100, some of it NaN if asked for.
template <class T>
Field make_noise(std::size_t count, double nan_part = 0) {
  Array<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = 200 * uniform01(3, i) - 100;
    values[i] = static_cast<T>(std::is_unsigned_v<T> ? value + 100 : value);
    if (uniform01(4, i) < nan_part) values[i] = static_cast<T>(nan_value);
  }
  return {"noise", std::move(values)};
}

template <class Mesh>
void expect_same(const Mesh& mesh, const Field& field, const std::vector<double>& isovalues) {
  for (const auto normals : {SurfaceNormals::none, SurfaceNormals::gradient, SurfaceNormals::averaged}) {
    IsosurfaceOptions options{.normals = normals, .keep_provenance = true};
    const Isosurface host = isosurface(mesh, field, isovalues, options);
    options.exec = Exec::cuda(0);
    const Isosurface device = isosurface(mesh, field, isovalues, options);
    ASSERT_EQ(device.mesh.vertex_count(), host.mesh.vertex_count());
    ASSERT_EQ(device.mesh.cells, host.mesh.cells);
    ASSERT_EQ(device.mesh.points, host.mesh.points);
    ASSERT_EQ(device.provenance, host.provenance);
    ASSERT_EQ(device.mesh, host.mesh);
  }
}

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

class DeviceIsosurfaces : public OnDevice {};

template <class T>
class DeviceIsosurface : public OnDevice {};
using AllTypes = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(DeviceIsosurface, AllTypes);

TYPED_TEST(DeviceIsosurface, OfGridsIsTheHosts) {
  for (const std::array<std::uint32_t, 3> dims : {std::array<std::uint32_t, 3>{2, 2, 2},
                                                  {5, 4, 3},
                                                  {64, 7, 9},
                                                  {65, 12, 5},
                                                  {131, 9, 6},
                                                  {700, 3, 4}}) {
    Grid grid;
    grid.dims = dims;
    grid.spacing = {0.5, 0.25, 2};
    grid.origin = {1, -2, 3};
    expect_same(grid, make_noise<TypeParam>(grid.vertex_count()), {10.0, 42.5, 1e9});
  }
}

TYPED_TEST(DeviceIsosurface, OfTetsIsTheHosts) {
  const TetMesh mesh = make_shuffled(make_kuhn(14));
  expect_same(mesh, make_noise<TypeParam>(mesh.vertex_count()), {10.0, 1e9, 42.5});
}

TEST_F(DeviceIsosurfaces, LeaveOutNaNAsTheHostDoes) {
  Grid grid = make_lattice(90, 20, 20);
  grid.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  expect_same(grid, make_noise<float>(grid.vertex_count(), 0.05), {0.0});
  expect_same(grid, make_noise<double>(grid.vertex_count(), 0.05), {0.0});
  const TetMesh mesh = make_kuhn(12);
  expect_same(mesh, make_noise<float>(mesh.vertex_count(), 0.05), {0.0});
}

TEST_F(DeviceIsosurfaces, KeepDoubleCoordinates) {
  TetMesh mesh = make_kuhn(10);
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) points.push_back(mesh.points[VertexId(v)]);
  mesh.points = Points(std::move(points));
  expect_same(mesh, make_noise<float>(mesh.vertex_count()), {5.0});
}

TEST_F(DeviceIsosurfaces, FlatGridsHaveNone) {
  Grid grid;
  grid.dims = {9, 9, 1};
  expect_same(grid, make_noise<float>(grid.vertex_count()), {5.0});
}

TEST_F(DeviceIsosurfaces, OfResidentDataHaveThePublishedCounts) {
  const Exec exec = Exec::cuda(0);
  const Grid grid = make_lattice(256, 256, 256);
  const Buffer<float> mri(exec, make_mri_field(grid).as<float>());
  const auto surface =
      resident_isosurface<float>(exec, grid, mri.data(), 0.15, {.normals = SurfaceNormals::gradient});
  EXPECT_EQ(surface.points.size(), 5'037'591u);
  EXPECT_EQ(surface.normals.size(), 5'037'591u);
  EXPECT_EQ(surface.cells.size(), 9'872'976u);

  const Grid smaller = make_lattice(128, 128, 128);
  const TetMesh mesh = tetrahedralize(smaller).mesh;
  mesh.points.visit([&](auto points) {
    using Real = std::remove_const_t<decltype(points[0].x)>;
    const Buffer<Vec3<Real>> device_points(exec, points);
    const Buffer<TetMesh::Cell> cells(exec, std::span<const TetMesh::Cell>(mesh.cells));
    const Buffer<float> values(exec, make_mri_field(smaller).as<float>());
    const ResidentTets<Real> tets{device_points.span(), cells.span()};
    const auto cut = resident_isosurface<float, Real>(exec, tets, values.data(), 0.15);
    EXPECT_EQ(cut.points.size(), 1'999'031u);
    EXPECT_EQ(cut.cells.size(), 3'984'884u);
  });
}

TEST_F(DeviceIsosurfaces, RefuseTetsWithoutPoints) {
  TetMesh mesh = make_kuhn(8);
  const Field field = make_noise<float>(mesh.vertex_count());
  mesh.cells[5][1] = VertexId(99999);
  try {
    (void)isosurface(mesh, field, {{0.0}}, {.exec = Exec::cuda(0)});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
  }
}

}  // namespace
}  // namespace tessera
