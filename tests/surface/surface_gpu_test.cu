// Surfaces on a device: the host's rows and attributes, byte for byte.
#include <gtest/gtest.h>

#include <string>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/surface.cuh>

#include "surface/surface_rows.h"
#include "tile/oracle.h"

namespace tessera {
namespace {

using test::lists_of;

class SurfaceOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

void expect_same_rows(const Surface& device, const Surface& host, const std::string& name) {
  EXPECT_EQ(device.edge_count(), host.edge_count()) << name;
  test::for_each_surface_relation([&]<class R>(R, std::string_view relation) {
    EXPECT_TRUE(lists_of<R>(device) == lists_of<R>(host)) << name << ", " << relation;
  });
}

void expect_same(const TriMesh& mesh, const std::string& name) {
  for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
    const Exec exec = Exec::cuda(0, 2);
    const Surface device(mesh, {.exec = exec, .order = order});
    const Surface host(mesh, {.order = order});
    expect_same_rows(device, host, name);
    mesh.points.visit([&](auto points) {
      using Point = std::remove_const_t<typename decltype(points)::element_type>;
      const Buffer<Point> there(exec, points);
      const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
      const ResidentMesh<2, decltype(Point::x)> resident = {there.span(), cells.span()};
      const Surface made(resident, {.exec = exec, .order = order});
      expect_same_rows(made, host, name + " on the device");
      EXPECT_EQ(positions<double>(made).values(), positions<double>(host).values());
    });
  }
}

TriMesh make_fan(std::uint32_t count) {
  Array<Vec3f> points(count + 1);
  TriMesh mesh;
  for (std::uint32_t i = 0; i < count; ++i) {
    points[i + 1] = {static_cast<float>(i), static_cast<float>(i % 7), 1};
    mesh.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(1 + (i + 1) % count)});
  }
  points[0] = {0, 0, 0};
  mesh.points = std::move(points);
  return mesh;
}

TEST_F(SurfaceOnDevice, RowsAreTheHosts) {
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"}) {
    expect_same(make_small_surface(name), name);
  }
  expect_same(make_shuffled(make_torus(130, 70)), "torus");
  expect_same(make_height_field(90, 80), "height field");
  expect_same(make_ico(6), "ico 6");
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    expect_same(oracle::random_mesh<2>(60, 20 + 300 * seed, seed), "random " + std::to_string(seed));
  expect_same(make_fan(33), "a fan just too large for one thread");
  expect_same(make_fan(32), "a fan just small enough");
  expect_same(TriMesh{}, "empty");
}

TEST_F(SurfaceOnDevice, HugeStars) {
  const TriMesh mesh = make_fan(100000);
  const Surface device(mesh, {.exec = Exec::cuda(0, 2)});
  const Surface host(mesh);
  EXPECT_TRUE(lists_of<VF>(device) == lists_of<VF>(host));
  EXPECT_TRUE(lists_of<VV>(device) == lists_of<VV>(host));
  EXPECT_TRUE(lists_of<EF>(device) == lists_of<EF>(host));
  EXPECT_TRUE(lists_of<CyclicVV>(device) == lists_of<CyclicVV>(host));
}

TEST_F(SurfaceOnDevice, BadMeshesAreRefusedWithTheHostsWords) {
  TriMesh mesh = make_small_surface("two_triangles");
  mesh.cells.push_back(mesh.cells[0]);
  const auto words = [&](const auto& make) -> std::string {
    try {
      make();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const Exec exec = Exec::cuda(0, 2);
  const std::string expected = words([&] { (void)Surface(mesh); });
  EXPECT_NE(expected, "no error");
  EXPECT_EQ(words([&] { (void)Surface(mesh, {.exec = exec}); }), expected);
  mesh.points.visit([&](auto points) {
    using Point = std::remove_const_t<typename decltype(points)::element_type>;
    const Buffer<Point> there(exec, points);
    const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
    const ResidentMesh<2, decltype(Point::x)> resident = {there.span(), cells.span()};
    EXPECT_EQ(words([&] { (void)Surface(resident, {.exec = exec}); }), expected);
  });
}

/// Sums over rows of two relations, on either side.
Array<std::uint64_t> sum_rows(const Surface& surface, std::optional<std::span<const std::uint32_t>> active) {
  VertexAttribute<std::uint64_t> sums(surface);
  const auto out = sums.view();
  for_each<VV, VF>(
      surface, {.active = active},
      TS_LAMBDA(tiled::VertexId v, IdSpan<tiled::VertexId> around, IdSpan<tiled::FaceId> faces) {
        std::uint64_t sum = 1;
        for (const tiled::VertexId u : around) sum = 31 * sum + u.index();
        for (const tiled::FaceId f : faces) sum = 37 * sum + f.index();
        out[v] = sum;
      });
  return sums.values();
}

TEST_F(SurfaceOnDevice, QueriesVisitAllOrTheActive) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const Exec exec = Exec::cuda(0, 2);
  const Surface device(mesh, {.exec = exec});
  const Surface host(mesh);
  EXPECT_EQ(sum_rows(device, std::nullopt), sum_rows(host, std::nullopt));
  const std::vector<std::uint32_t> list = {5, 17, 2999, 4};
  const Buffer<std::uint32_t> there(exec, std::span<const std::uint32_t>(list));
  EXPECT_EQ(sum_rows(device, there.span()), sum_rows(host, list));
}

void double_values(VertexAttribute<float>& value) {
  const auto view = value.view();
  for_each<VV>(
      value.surface(), TS_LAMBDA(tiled::VertexId v, IdSpan<tiled::VertexId>) { view[v] = 2 * view[v]; });
}

TEST_F(SurfaceOnDevice, AttributesMoveWhenTheyMust) {
  const TriMesh mesh = make_shuffled(make_torus(30, 20));
  const Surface surface(mesh, {.exec = Exec::cuda(0, 2), .order = VertexOrder::morton});
  VertexAttribute<float> value(surface, 2.0F);
  value.edit_on_host()[7] = 5;
  double_values(value);
  EXPECT_EQ(value.on_host()[7], 10);
  EXPECT_EQ(value.on_host()[8], 4);
  EXPECT_EQ(max(value).place, 7u);
  Array<std::array<std::uint8_t, 3>> odd(mesh.cell_count());
  for (std::size_t f = 0; f < odd.size(); ++f) odd[f] = {1, static_cast<std::uint8_t>(f), 3};
  const FaceAttribute<std::array<std::uint8_t, 3>> colour(surface, odd);
  EXPECT_EQ(colour.values(), odd);
  struct Wide {
    double values[11];
  };
  Wide wide = {};
  wide.values[10] = 4;
  const EdgeAttribute<Wide> filled(surface, wide);
  EXPECT_EQ(filled.on_host()[100].values[10], 4);
}

TEST_F(SurfaceOnDevice, ReductionsAreTheHosts) {
  const TriMesh mesh = make_shuffled(make_torus(200, 150));
  const Surface device(mesh, {.exec = Exec::cuda(0, 2)});
  const Surface host(mesh);
  Array<float> values(mesh.vertex_count());
  for (std::size_t v = 0; v < values.size(); ++v) values[v] = 1.0F / static_cast<float>(v + 1);
  const VertexAttribute<float> there(device, values);
  const VertexAttribute<float> here(host, values);
  EXPECT_EQ(sum(there), sum(here));
  EXPECT_EQ(dot(there, there), dot(here, here));
  EXPECT_EQ(min(there).place, min(here).place);
}

TEST_F(SurfaceOnDevice, WhatDoesNotFitIsWorkedOutTileByTile) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const Exec exec = Exec::cuda(0, 2);
  const Surface host(mesh);
  const SurfaceBytes own = Surface(mesh, {.exec = exec}).bytes();
  const Surface tight(mesh, {.exec = exec, .memory = own.structure + own.input_ids + 100});
  EXPECT_FALSE(tight.can_keep<VV>());
  EXPECT_EQ(sum_rows(tight, std::nullopt), sum_rows(host, std::nullopt));
  const std::vector<std::uint32_t> list = {800, 3, 17};
  const Buffer<std::uint32_t> there(exec, std::span<const std::uint32_t>(list));
  EXPECT_EQ(sum_rows(tight, there.span()), sum_rows(host, list));
}

TEST_F(SurfaceOnDevice, FlagsAndValencesAreTheHosts) {
  const TriMesh mesh = make_shuffled(make_height_field(70, 50));
  const Surface device(mesh, {.exec = Exec::cuda(0, 2)});
  const Surface host(mesh);
  EXPECT_EQ(boundary_flags<VertexId>(device).values(), boundary_flags<VertexId>(host).values());
  EXPECT_EQ(boundary_flags<EdgeId>(device).values(), boundary_flags<EdgeId>(host).values());
  EXPECT_EQ(boundary_flags<FaceId>(device).values(), boundary_flags<FaceId>(host).values());
  EXPECT_EQ(valences(device).values(), valences(host).values());
  EXPECT_EQ(select(boundary_flags<VertexId>(device)).to_host(),
            select(boundary_flags<VertexId>(host)).to_host());
}

/// Vertex normals by faces, as in the thesis.
void add_normals(const VertexAttribute<Vec3f>& position, VertexAttribute<Vec3f>& normal) {
  const auto p = position.view();
  const auto n = normal.view();
  for_each<OrientedFV>(
      position.surface(), TS_LAMBDA(tiled::FaceId, IdSpan<tiled::VertexId> c) {
        const Vec3f area = cross(p[c[1]] - p[c[0]], p[c[2]] - p[c[0]]);
        for (int k = 0; k < 3; ++k) n.add(c[k], area);
      });
}

// The order of the sums is open, but they come close to the gathered form.
TEST_F(SurfaceOnDevice, AtomicAddsComeClose) {
  const TriMesh mesh = make_ico(5);
  const Surface surface(mesh, {.exec = Exec::cuda(0, 2)});
  const auto position = positions<float>(surface);
  VertexAttribute<Vec3f> normal(surface);
  add_normals(position, normal);
  const auto normals = normal.values();
  const auto places = position.values();
  for (std::size_t v = 0; v < normals.size(); ++v) EXPECT_GT(dot(normals[v], places[v]), 0);
}

}  // namespace
}  // namespace tessera
