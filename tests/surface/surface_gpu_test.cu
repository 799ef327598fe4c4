// Surfaces on a device: the host's rows and attributes, byte for byte.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/surface.cuh>

#include "surface/on_both_sides.h"
#include "surface/surface_meshes.h"
#include "surface/surface_rows.h"
#include "tile/oracle.h"

namespace tessera {
namespace {

using test::lists_of;
using test::make_confetti;
using test::make_fan;

class SurfaceOnDevice : public test::OnDevice {};

/// Calls f(mesh) with a copy of a mesh in a device's memory.
template <class F>
void with_resident(const TriMesh& mesh, const Exec& exec, const F& f) {
  mesh.points.visit([&](auto points) {
    using Point = std::remove_const_t<typename decltype(points)::element_type>;
    const Buffer<Point> there(exec, points);
    const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
    f(ResidentMesh<2, decltype(Point::x)>{there.span(), cells.span()});
  });
}

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
    with_resident(mesh, exec, [&](const auto& resident) {
      const Surface made(resident, {.exec = exec, .order = order});
      expect_same_rows(made, host, name + " on the device");
      EXPECT_EQ(positions<double>(made).values(), positions<double>(host).values());
    });
  }
  const Partition partition = test::scatter_vertices(mesh, 5);
  for (const SurfaceOptions& options : {SurfaceOptions{.max_vertices = 100, .order = VertexOrder::lloyd},
                                        SurfaceOptions{.partition = &partition}}) {
    SurfaceOptions on_device = options;
    on_device.exec = Exec::cuda(0, 2);
    expect_same_rows(Surface(mesh, on_device), Surface(mesh, options), name + " in tiles of the host");
  }
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

TEST_F(SurfaceOnDevice, ManyComponents) {
  const TriMesh mesh = make_shuffled(make_confetti(100000));
  const Surface device(mesh, {.exec = Exec::cuda(0, 2)});
  EXPECT_EQ(device.edge_count(), 300000u);
  expect_same_rows(device, Surface(mesh), "confetti");
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
  with_resident(mesh, exec, [&](const auto& resident) {
    EXPECT_EQ(words([&] { (void)Surface(resident, {.exec = exec}); }), expected);
  });
}

template <class F>
void expect_error(ErrorCode code, const F& f) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

// What the host cuts needs the mesh there.
TEST_F(SurfaceOnDevice, ResidentMeshesHaveNoTilesOfTheHost) {
  const TriMesh mesh = make_torus(20, 15);
  const Partition partition = test::scatter_vertices(mesh, 5);
  const Exec exec = Exec::cuda(0, 2);
  with_resident(mesh, exec, [&](const auto& resident) {
    expect_error(ErrorCode::bad_option,
                 [&] { (void)Surface(resident, {.exec = exec, .order = VertexOrder::lloyd}); });
    expect_error(ErrorCode::bad_option,
                 [&] { (void)Surface(resident, {.exec = exec, .partition = &partition}); });
    expect_error(ErrorCode::bad_option, [&] { (void)Surface(resident, {.exec = Exec::host()}); });
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

TEST_F(SurfaceOnDevice, HugeStars) {
  const TriMesh mesh = make_fan(100000);
  const Surface device(mesh, {.exec = Exec::cuda(0, 2)});
  const Surface host(mesh);
  EXPECT_TRUE(lists_of<VF>(device) == lists_of<VF>(host));
  EXPECT_TRUE(lists_of<VV>(device) == lists_of<VV>(host));
  EXPECT_TRUE(lists_of<EF>(device) == lists_of<EF>(host));
  EXPECT_TRUE(lists_of<CyclicVV>(device) == lists_of<CyclicVV>(host));
  EXPECT_EQ(sum_rows(device, std::nullopt), sum_rows(host, std::nullopt));
  EXPECT_EQ(max(valences(device)).value, 100000u);
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

/// As sum_rows(), where a predicate holds; -1 elsewhere.
Array<std::int64_t> sum_rows_where(const Surface& surface, std::uint32_t modulus) {
  EdgeAttribute<std::int64_t> sums(surface, -1);
  const auto out = sums.view();
  for_each_if<EV, EF>(
      surface, TS_LAMBDA(tiled::EdgeId e) { return e.index() % modulus == modulus - 1; },
      TS_LAMBDA(tiled::EdgeId e, IdSpan<tiled::VertexId> ends, IdSpan<tiled::FaceId> faces) {
        std::int64_t sum = 0;
        for (const tiled::VertexId v : ends) sum = 31 * sum + v.index();
        for (const tiled::FaceId f : faces) sum = 37 * sum + f.index();
        out[e] = sum;
      });
  return sums.values();
}

/// A surface whose rows do not fit.
Surface make_tight(const TriMesh& mesh, SurfaceOptions options) {
  const SurfaceBytes own = Surface(mesh, options).bytes();
  options.memory = own.structure + own.input_ids + 100;
  return Surface(mesh, options);
}

TEST_F(SurfaceOnDevice, PredicatesMakeActiveSets) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const Surface device(mesh, {.exec = Exec::cuda(0, 2)});
  const Surface host(mesh);
  const Surface tight = make_tight(mesh, {.exec = Exec::cuda(0, 2)});
  const Surface tight_host = make_tight(mesh, {});
  EXPECT_FALSE((tight.can_keep<EV, EF>()));
  for (const std::uint32_t modulus : {1u, 1000u, 1000000u}) {  // all, some, none
    const Array<std::int64_t> expected = sum_rows_where(host, modulus);
    EXPECT_EQ(sum_rows_where(device, modulus), expected) << modulus;
    EXPECT_EQ(sum_rows_where(tight, modulus), expected) << modulus;
    EXPECT_EQ(sum_rows_where(tight_host, modulus), expected) << modulus;
  }
}

/// One launch for vertices, edges and faces: thread i takes the i-th of each kind.
__global__ void count_rows(SurfaceRows<VV> vv, SurfaceRows<EF> ef, SurfaceRows<OrientedFV> fv,
                           std::uint32_t* valence, std::uint32_t* faces, std::uint32_t* around) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < vv.size()) valence[i] = static_cast<std::uint32_t>(vv[tiled::VertexId(i)].size());
  if (i < ef.size()) faces[i] = static_cast<std::uint32_t>(ef[tiled::EdgeId(i)].size());
  if (i >= fv.size()) return;
  std::uint32_t sum = 0;
  for (const tiled::VertexId v : fv[tiled::FaceId(i)]) sum += static_cast<std::uint32_t>(vv[v].size());
  around[i] = sum;
}

TEST_F(SurfaceOnDevice, OneKernelTakesRowsOfSeveralKinds) {
  const TriMesh mesh = make_shuffled(make_height_field(70, 50));
  const Exec exec = Exec::cuda(0, 2);
  const Surface surface(mesh, {.exec = exec});
  VertexAttribute<std::uint32_t> valence(surface);
  EdgeAttribute<std::uint32_t> faces(surface);
  FaceAttribute<std::uint32_t> around(surface);
  const auto rows = surface.rows<VV, EF, OrientedFV>();
  const auto blocks = static_cast<unsigned>(surface.edge_count() / 128 + 1);
  count_rows<<<blocks, 128, 0, cuda_stream(exec)>>>(rows.get<VV>(), rows.get<EF>(), rows.get<OrientedFV>(),
                                                    valence.view().data(), faces.view().data(),
                                                    around.view().data());
  check_launch(exec, "counting rows");
  const Surface host(mesh);
  const auto vv = lists_of<VV>(host);
  const auto ef = lists_of<EF>(host);
  const auto fv = lists_of<OrientedFV>(host);
  for (std::size_t v = 0; v < vv.size(); ++v) ASSERT_EQ(valence.on_host()[v], vv[v].size());
  for (std::size_t e = 0; e < ef.size(); ++e) ASSERT_EQ(faces.on_host()[e], ef[e].size());
  for (std::size_t f = 0; f < fv.size(); ++f) {
    std::size_t sum = 0;
    for (const std::uint32_t v : fv[f]) sum += vv[v].size();
    ASSERT_EQ(around.on_host()[f], sum);
  }
}

/// d1 of the signs of FE, and those of OrientedFE beside them.
Array<std::array<int, 6>> signs_of(const Surface& surface) {
  FaceAttribute<std::array<int, 6>> signs(surface);
  int* out = reinterpret_cast<int*>(signs.view().data());
  for_each<OrientedFV>(
      surface, TS_LAMBDA(tiled::FaceId f, IdSpan<tiled::VertexId> corners) {
        for (std::size_t k = 0; k < 3; ++k) {
          out[6 * f.index() + k] = edge_sign<FE>(corners, k);
          out[6 * f.index() + 3 + k] = edge_sign<OrientedFE>(corners, k);
        }
      });
  return signs.values();
}

TEST_F(SurfaceOnDevice, SignsAreTheHosts) {
  const TriMesh mesh = make_shuffled(make_torus(30, 20));
  EXPECT_EQ(signs_of(Surface(mesh, {.exec = Exec::cuda(0, 2)})), signs_of(Surface(mesh)));
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

/// Values with rounding errors in their sums where T has them.
template <class T>
Array<T> make_values(std::size_t size) {
  using Scalar = typename detail::FieldTraits<T>::Scalar;
  SplitMix64 random(5);
  Array<T> values(size);
  auto* numbers = reinterpret_cast<Scalar*>(values.data());
  for (std::size_t i = 0; i < size * detail::FieldTraits<T>::components; ++i)
    numbers[i] = static_cast<Scalar>(200 * random.uniform() - (std::is_signed_v<Scalar> ? 100 : 0));
  return values;
}

template <class T>
void expect_same_reductions(const Surface& device, const Surface& host) {
  const Array<T> values = make_values<T>(host.vertex_count());
  const VertexAttribute<T> there(device, values);
  const VertexAttribute<T> here(host, values);
  EXPECT_EQ(sum(there), sum(here));
  EXPECT_EQ(dot(there, there), dot(here, here));
  EXPECT_EQ(norm(there), norm(here));
  if constexpr (ReducibleNumber<T>) {
    EXPECT_EQ(min(there).value, min(here).value);
    EXPECT_EQ(min(there).place, min(here).place);
    EXPECT_EQ(max(there).value, max(here).value);
    EXPECT_EQ(max(there).place, max(here).place);
  }
}

TEST_F(SurfaceOnDevice, ReductionsAreTheHosts) {
  const TriMesh mesh = make_shuffled(make_torus(200, 150));
  const Surface device(mesh, {.exec = Exec::cuda(0, 2)});
  const Surface host(mesh);
  expect_same_reductions<std::int8_t>(device, host);
  expect_same_reductions<std::uint8_t>(device, host);
  expect_same_reductions<std::int16_t>(device, host);
  expect_same_reductions<std::uint16_t>(device, host);
  expect_same_reductions<std::int32_t>(device, host);
  expect_same_reductions<std::uint32_t>(device, host);
  expect_same_reductions<std::int64_t>(device, host);
  expect_same_reductions<std::uint64_t>(device, host);
  expect_same_reductions<float>(device, host);
  expect_same_reductions<double>(device, host);
  expect_same_reductions<Vec3f>(device, host);
  expect_same_reductions<Vec3d>(device, host);
  expect_same_reductions<std::array<float, 5>>(device, host);
  expect_same_reductions<std::array<std::uint8_t, 4>>(device, host);
  EXPECT_EQ(sum(boundary_flags<VertexId>(device)), 0u);
  const TriMesh nothing;
  EXPECT_EQ(sum(VertexAttribute<Vec3f>(Surface(nothing, {.exec = Exec::cuda(0, 2)}))), (Vec3f{0, 0, 0}));
}

TEST_F(SurfaceOnDevice, WhatDoesNotFitIsWorkedOutTileByTile) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const Exec exec = Exec::cuda(0, 2);
  const std::vector<std::uint32_t> list = {800, 3, 17};
  const Buffer<std::uint32_t> there(exec, std::span<const std::uint32_t>(list));
  const auto expect_same_sums = [&](const Surface& tight, const Surface& host) {
    EXPECT_FALSE(tight.can_keep<VV>());
    EXPECT_EQ(sum_rows(tight, std::nullopt), sum_rows(host, std::nullopt));
    EXPECT_EQ(sum_rows(tight, there.span()), sum_rows(host, list));
  };
  expect_same_sums(make_tight(mesh, {.exec = exec}), Surface(mesh));
  expect_same_sums(make_tight(mesh, {.exec = exec, .order = VertexOrder::lloyd}),
                   Surface(mesh, {.order = VertexOrder::lloyd}));
  Partition partition = test::scatter_vertices(mesh, 9);
  const Surface host(mesh, {.partition = &partition});
  const Surface tight = make_tight(mesh, {.exec = exec, .partition = &partition});
  partition = {};  // a surface does not need it any more
  expect_same_sums(tight, host);
}

void ask_for_diamonds(const Surface& surface) {
  for_each<Diamond>(surface, TS_LAMBDA(tiled::EdgeId, IdSpan<tiled::VertexId>){});
}
void ask_for_oriented_edges(const Surface& surface) {
  for_each<OrientedFE>(surface, TS_LAMBDA(tiled::FaceId, IdSpan<tiled::EdgeId>){});
}

TEST_F(SurfaceOnDevice, WhatTilesDoNotMakeMustFit) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const Exec exec = Exec::cuda(0, 2);
  const Surface tight = make_tight(mesh, {.exec = exec});
  expect_error(ErrorCode::out_of_device_memory, [&] { ask_for_diamonds(tight); });
  expect_error(ErrorCode::out_of_device_memory, [&] { ask_for_oriented_edges(tight); });
  expect_error(ErrorCode::out_of_device_memory, [&] { (void)tight.rows<VV>(); });
  with_resident(mesh, exec, [&](const auto& resident) {
    const SurfaceBytes own = Surface(resident, {.exec = exec}).bytes();
    const Surface there(resident, {.exec = exec, .memory = own.structure + own.input_ids + 100});
    expect_error(ErrorCode::unsupported, [&] { (void)sum_rows(there, std::nullopt); });
    expect_error(ErrorCode::unsupported, [&] { (void)there.tiles(); });
    expect_error(ErrorCode::out_of_device_memory, [&] { ask_for_diamonds(there); });
  });
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

/// Each face adds its number to its corners, which has one result in any order.
template <class T>
Array<T> add_numbers(const Surface& surface) {
  VertexAttribute<T> sums(surface);
  const auto out = sums.view();
  for_each<FV>(
      surface, TS_LAMBDA(tiled::FaceId f, IdSpan<tiled::VertexId> corners) {
        for (const tiled::VertexId v : corners) out.add(v, static_cast<T>(f.index()));
      });
  return sums.values();
}

TEST_F(SurfaceOnDevice, AtomicAddsOfIntegersAreTheHosts) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const Surface device(mesh, {.exec = Exec::cuda(0, 2)});
  const Surface host(mesh);
  EXPECT_EQ(add_numbers<std::int32_t>(device), add_numbers<std::int32_t>(host));
  EXPECT_EQ(add_numbers<std::uint32_t>(device), add_numbers<std::uint32_t>(host));
  EXPECT_EQ(add_numbers<std::int64_t>(device), add_numbers<std::int64_t>(host));
  EXPECT_EQ(add_numbers<std::uint64_t>(device), add_numbers<std::uint64_t>(host));
  EXPECT_EQ(add_numbers<double>(device), add_numbers<double>(host));
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
