// Coarsening against maps, on a sphere, and the measure of quality on triangles that are known.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/generate/coarsen.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/quality.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

Isosurface sphere_surface(std::uint32_t n, int threads = 0) {
  Grid grid = make_lattice(n, n, n);
  const Field field = make_sphere_field(grid);
  grid.point_data.add(make_mri_field(grid));
  return isosurface(grid, field, {{0.4}}, {.keep_provenance = true, .exec = Exec::host(threads)});
}

TEST(Coarsen, JoinsTheVerticesNearAnInputPoint) {
  const Isosurface surface = sphere_surface(20);
  std::map<std::uint64_t, std::vector<std::uint32_t>> near;
  for (std::uint32_t v = 0; v < surface.mesh.vertex_count(); ++v) {
    const auto& edge = surface.provenance.edges[v];
    near[surface.provenance.weights[v] <= 0.5 ? edge[0] : edge[1]].push_back(v);
  }
  const Coarsened coarse = coarsen(surface.mesh, surface.provenance);
  ASSERT_EQ(coarse.mesh.vertex_count(), near.size());
  const auto values = surface.mesh.field("mri").as<float>();
  std::uint32_t id = 0;  // the map and the outputs both ascend
  for (const auto& [point, members] : near) {
    Vec3d mean = {0, 0, 0};
    double value = 0;
    for (const std::uint32_t v : members) {
      ASSERT_EQ(coarse.vertices[v], VertexId(id));
      mean = mean + (1.0 / static_cast<double>(members.size())) * surface.mesh.points[VertexId(v)];
      value += values[v] / static_cast<double>(members.size());
    }
    EXPECT_LT(length(coarse.mesh.points[VertexId(id)] - mean), 1e-6);
    EXPECT_NEAR(coarse.mesh.field("mri").as<float>()[id], value, 1e-5);
    ++id;
  }
  std::size_t kept = 0;
  std::size_t dropped = 0;
  for (std::uint32_t t = 0; t < surface.mesh.cell_count(); ++t) {
    TriMesh::Cell cell;
    for (int c = 0; c < 3; ++c) cell[c] = coarse.vertices[surface.mesh.cells[t][c].index()];
    if (cell[0] == cell[1] || cell[1] == cell[2] || cell[2] == cell[0]) {
      ASSERT_EQ(coarse.dropped[dropped++], t);
    } else {
      ASSERT_EQ(coarse.mesh.cells[kept++], cell);
    }
  }
  EXPECT_EQ(kept, coarse.mesh.cell_count());
  EXPECT_EQ(dropped, coarse.dropped.size());
}

TEST(Coarsen, HalvesASphereAndMakesItsTrianglesBetter) {
  const Isosurface surface = sphere_surface(48);
  const Coarsened coarse = coarsen(surface.mesh, surface.provenance);
  EXPECT_LT(coarse.mesh.cell_count(), 0.6 * static_cast<double>(surface.mesh.cell_count()));
  EXPECT_TRUE(test::is_closed_manifold(coarse.mesh));
  EXPECT_EQ(test::euler_characteristic(coarse.mesh), 2);
  EXPECT_NEAR(test::measure(coarse.mesh).area, 4 * std::numbers::pi * 0.16,
              0.01 * 4 * std::numbers::pi * 0.16);
  const double volume = 4.0 / 3 * std::numbers::pi * 0.064;
  EXPECT_NEAR(-test::measure(coarse.mesh).volume, volume, 0.02 * volume);  // normals point to low values
  const QualitySummary before = summarize_quality(surface.mesh);
  const QualitySummary after = summarize_quality(coarse.mesh);
  EXPECT_GT(after.median, before.median + 0.05);
  EXPECT_GT(after.acceptable, before.acceptable + 0.1);
  EXPECT_GT(after.median, 0.8);  // the paper: about 0.85
}

TEST(Coarsen, IsTheSameForAnyNumberOfThreads) {
  const Isosurface surface = sphere_surface(40);
  const Coarsened one = coarsen(surface.mesh, surface.provenance, {.exec = Exec::host(1)});
  const Coarsened more = coarsen(surface.mesh, surface.provenance, {.exec = Exec::host(4)});
  EXPECT_EQ(one.mesh, more.mesh);
  EXPECT_EQ(one.vertices, more.vertices);
  EXPECT_EQ(summarize_quality(one.mesh, Exec::host(1)).mean, summarize_quality(one.mesh, Exec::host(4)).mean);
}

TEST(Coarsen, NeedsTheProvenanceOfEveryVertex) {
  Isosurface surface = sphere_surface(10);
  surface.provenance.edges.pop_back();
  try {
    (void)coarsen(surface.mesh, surface.provenance);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    EXPECT_NE(std::string(error.what()).find("provenance"), std::string::npos);
  }
}

TEST(Quality, OfKnownTriangles) {
  const Vec3d o = {0, 0, 0};
  EXPECT_NEAR(triangle_quality(o, {1, 0, 0}, {0.5, std::sqrt(0.75), 0}), 1, 1e-12);
  EXPECT_NEAR(triangle_quality(o, {3, 0, 0}, {0, 3, 0}), std::numbers::sqrt3 / 2, 1e-12);  // 2 sqrt3 9 / 36
  EXPECT_EQ(triangle_quality(o, {1, 0, 0}, {2, 0, 0}), 0);
  EXPECT_EQ(triangle_quality(o, o, o), 0);
  EXPECT_EQ(triangle_quality(o, {std::numeric_limits<double>::quiet_NaN(), 0, 0}, {0, 1, 0}), 0);
}

TEST(Quality, SummaryCountsEveryTriangleOnce) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(0.75), 0}, {0, 1, 0}, {2, 0, 0}};
  const auto id = [](std::uint32_t i) { return VertexId(i); };
  mesh.cells = {{id(0), id(1), id(2)}, {id(0), id(1), id(3)}, {id(0), id(1), id(4)}};
  const QualitySummary summary = summarize_quality(mesh);
  EXPECT_EQ(summary.triangles, 3u);
  EXPECT_EQ(summary.histogram[0], 1u);
  EXPECT_EQ(summary.histogram[17], 1u);  // 0.866
  EXPECT_EQ(summary.histogram[19], 1u);
  EXPECT_NEAR(summary.median, 0.866, 1e-3);
  EXPECT_NEAR(summary.mean, (1 + 0.8660254) / 3, 1e-6);
  EXPECT_NEAR(summary.acceptable, 2.0 / 3, 1e-12);
  EXPECT_EQ(summarize_quality(TriMesh{}).triangles, 0u);
}

}  // namespace
}  // namespace tessera
