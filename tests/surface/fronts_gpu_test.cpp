// Geodesic distances and neighbourhoods are the same bytes on host and device.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/surface/geodesics.h>
#include <tessera/surface/heat_method.h>
#include <tessera/surface/neighbourhoods.h>

#include "surface/on_both_sides.h"
#include "surface/recorded_monitor.h"

namespace tessera {
namespace {

class FrontsGpu : public test::OnDevice {};

std::vector<TriMesh> some_meshes() {
  std::vector<TriMesh> meshes = test::surfaces_of_both();
  // A fan of 3,000 triangles, a hub that is told in many rounds.
  TriMesh fan;
  Array<Vec3d> points = {{0, 0, 0}};
  for (std::uint32_t i = 0; i <= 3000; ++i) points.push_back({1.0 + 1e-3 * (i % 7), 1e-3 * i, 0});
  fan.points = Points(std::move(points));
  for (std::uint32_t i = 1; i <= 3000; ++i) fan.cells.push_back({VertexId(0), VertexId(i), VertexId(i + 1)});
  meshes.push_back(std::move(fan));
  // So small and so large that products of lengths leave the range of floats.
  for (const double scale : {0x1p-60, 0x1p60}) {
    TriMesh ico = make_ico(4);
    Array<Vec3d> scaled;
    for (std::uint32_t v = 0; v < ico.vertex_count(); ++v) scaled.push_back(scale * ico.points[VertexId(v)]);
    ico.points = Points(std::move(scaled));
    meshes.push_back(std::move(ico));
  }
  return meshes;
}

template <class Real>
void expect_same_geodesics(const TriMesh& mesh, const GeodesicOptions& options) {
  const auto vertices = static_cast<std::uint32_t>(mesh.vertex_count());
  const auto faces = static_cast<std::uint32_t>(mesh.cell_count());
  std::vector<GeodesicSource> sources = {VertexId(vertices / 3), VertexId(vertices - 1)};
  if (faces > 0) sources.emplace_back(FacePoint{FaceId(faces / 2), {0.5, 0.25, 0.25}});
  const auto run = [&](const Exec& exec) {
    const auto result = compute_geodesics<Real>(Surface(mesh, {.exec = exec}), sources, options);
    return std::tuple(result.distance.values(), result.nearest.values(), result.level.values(),
                      result.rounds);
  };
  EXPECT_TRUE(run(Exec::cuda()) == run(Exec::host()));
}

TEST_F(FrontsGpu, GeodesicsAreTheHosts) {
  for (const TriMesh& mesh : some_meshes()) {
    if (mesh.vertex_count() == 0) continue;
    for (const FrontShape shape : {FrontShape::circular, FrontShape::planar}) {
      for (const FrontSchedule schedule : {FrontSchedule::bands, FrontSchedule::hops}) {
        expect_same_geodesics<float>(mesh, {.shape = shape, .schedule = schedule});
        expect_same_geodesics<double>(mesh, {.shape = shape, .schedule = schedule});
      }
    }
  }
}

/// A hub whose neighbours wait for each other for long, and one that fronts pass on their way round.
TEST_F(FrontsGpu, GeodesicsOfHubsAreTheHosts) {
  for (const double spread : {0.0, 1.0}) {
    TriMesh star = test::make_star(20000);
    SplitMix64 random(3);
    Array<Vec3d> points = {{0, 0, 1}};
    for (std::uint32_t v = 1; v < star.vertex_count(); ++v)
      points.push_back((1 + spread * random.uniform()) * star.points[VertexId(v)]);
    star.points = std::move(points);
    for (const FrontSchedule schedule : {FrontSchedule::bands, FrontSchedule::hops}) {
      expect_same_geodesics<float>(star, {.schedule = schedule});
      expect_same_geodesics<double>(star, {.schedule = schedule});
    }
  }
}

TEST_F(FrontsGpu, SayHowFarTheyAre) {
  const TriMesh mesh = make_torus(200, 150);
  const std::vector<GeodesicSource> sources = {VertexId(0)};
  const Surface surface(mesh, {.exec = Exec::cuda()});
  const test::RecordedMonitor recorded;
  (void)compute_geodesics<float>(surface, sources, {.monitor = recorded.get()});
  recorded.expect_progress("running fronts", 2);
  for (const double from : {-1.0, 0.1}) {
    test::expect_cancelled("running fronts", from, [&](const Monitor* monitor) {
      (void)compute_geodesics<float>(surface, sources, {.monitor = monitor});
    });
  }
}

void expect_same_paths(const GeodesicPaths& on_host, const GeodesicPaths& on_device) {
  EXPECT_EQ(on_host.nearest(), on_device.nearest());
  for (std::uint32_t v = 0; v < on_host.nearest().size(); v += 10) {
    const GeodesicPath expected = on_host.trace(VertexId(v));
    const GeodesicPath found = on_device.trace(VertexId(v));
    ASSERT_EQ(expected.source, found.source) << v;
    ASSERT_EQ(expected.length, found.length) << v;
    ASSERT_EQ(expected.points, found.points) << v;
  }
}

TEST_F(FrontsGpu, PathsAreTheHosts) {
  for (const TriMesh& mesh : {make_shuffled(make_ico(5)), make_height_field(60, 50)}) {
    const std::vector<GeodesicSource> sources = {VertexId(7), VertexId(1000),
                                                 FacePoint{FaceId(90), {0.25, 0.25, 0.5}}};
    const Surface host(mesh);
    const Surface device(mesh, {.exec = Exec::cuda()});
    expect_same_paths(GeodesicPaths(compute_geodesics<float>(host, sources)),
                      GeodesicPaths(compute_geodesics<float>(device, sources)));
    const Array<double> by_heat = HeatMethod(device).distances(sources);
    expect_same_paths(GeodesicPaths(host, by_heat, sources), GeodesicPaths(device, by_heat, sources));
  }
}

TEST_F(FrontsGpu, NeighbourhoodsAreTheHosts) {
  for (const TriMesh& mesh : some_meshes()) {
    // Of the first elements: tiled ids differ where tiles do.
    const SurfaceOptions tiles = {.exec = Exec::host(), .max_vertices = 256};
    SurfaceOptions on_device = tiles;
    on_device.exec = Exec::cuda();
    const Surface host(mesh, tiles);
    const Surface device(mesh, on_device);
    const auto first = [&](Kind kind) {
      std::vector<std::uint32_t> ids;
      for (std::uint32_t i = 0; i < std::min<std::size_t>(500, host.count(kind)); ++i) ids.push_back(i);
      return ids;
    };
    for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
      const std::vector<std::uint32_t> ids = first(kind);
      const Buffer<std::uint32_t> there(device.exec(), ids);
      const Neighbourhoods expected = compute_k_rings(host, kind, 2, {.elements = ids});
      const Neighbourhoods found = compute_k_rings(device, kind, 2, {.elements = there.span()});
      EXPECT_EQ(found.offsets().to_host(), expected.offsets().to_host());
      EXPECT_EQ(found.values().to_host(), expected.values().to_host());
    }
    const std::vector<std::uint32_t> ids = first(Kind::vertex);
    const Buffer<std::uint32_t> there(device.exec(), ids);
    const Neighbourhoods expected = compute_neighbourhoods(host, 0.02, {.elements = ids});
    const Neighbourhoods found = compute_neighbourhoods(device, 0.02, {.elements = there.span()});
    EXPECT_EQ(found.offsets().to_host(), expected.offsets().to_host());
    EXPECT_EQ(found.values().to_host(), expected.values().to_host());
  }
}

}  // namespace
}  // namespace tessera
