// Coarsening against maps, on a sphere, and the measure of quality on triangles that are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
#include <tessera/generate/coarsen.h>
#include <tessera/generate/isosurface.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/quality.h>

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

/// A closed surface with sheets thinner than a cell: noise, low at the border of its lattice.
Isosurface noisy_surface(std::uint32_t n) {
  const Grid grid = make_lattice(n, n, n);
  Field field = make_mri_field(grid);
  const auto values = field.as<float>();
  for (std::uint32_t i = 0; i < n * n * n; ++i) {
    const auto is_border = [n](std::uint32_t at) { return at == 0 || at == n - 1; };
    if (is_border(i % n) || is_border(i / n % n) || is_border(i / n / n)) values[i] = -1;
  }
  return isosurface(grid, field, {{0.15}}, {.keep_provenance = true});
}

TEST(Coarsen, DropsFoldedTrianglesAndVerticesWithoutAny) {
  const Isosurface surface = noisy_surface(24);
  struct Folded {
    std::vector<std::uint32_t> up, down;  // triangles by direction
  };
  const auto point_of = [&](VertexId v) {
    const auto& edge = surface.provenance.edges[v.index()];
    return surface.provenance.weights[v.index()] <= 0.5 ? edge[0] : edge[1];
  };
  std::map<std::set<std::uint64_t>, Folded> by_points;
  std::set<std::uint64_t> all;
  for (std::uint32_t t = 0; t < surface.mesh.cell_count(); ++t) {
    std::array<std::uint64_t, 3> points;
    for (int c = 0; c < 3; ++c) all.insert(points[c] = point_of(surface.mesh.cells[t][c]));
    const std::set<std::uint64_t> key(points.begin(), points.end());
    if (key.size() < 3) continue;
    int falls = 0;  // one fall on the way around: the points ascend
    for (int c = 0; c < 3; ++c) falls += points[c] > points[(c + 1) % 3] ? 1 : 0;
    (falls == 1 ? by_points[key].up : by_points[key].down).push_back(t);
  }
  std::set<std::uint32_t> left;
  std::set<std::uint64_t> used;
  std::size_t folded = 0;
  for (const auto& [key, same] : by_points) {
    const std::size_t count = same.up.size() + same.down.size();
    folded += count - count % 2;
    if (count % 2 == 0) continue;
    left.insert((same.up.size() > same.down.size() ? same.up : same.down).front());
    used.insert(key.begin(), key.end());
  }
  ASSERT_GT(folded, 10u);
  ASSERT_LT(used.size(), all.size());
  const Coarsened coarse = coarsen(surface.mesh, surface.provenance, {.exec = Exec::host(3)});
  EXPECT_EQ(coarse.folded.size(), folded);
  EXPECT_EQ(coarse.isolated, all.size() - used.size());
  EXPECT_EQ(coarse.mesh.vertex_count(), used.size());
  ASSERT_EQ(coarse.mesh.cell_count(), left.size());
  EXPECT_EQ(coarse.mesh.cell_count() + coarse.folded.size() + coarse.dropped.size(),
            surface.mesh.cell_count());
  std::map<std::uint64_t, VertexId> number;
  for (const std::uint64_t point : used)
    number.emplace(point, VertexId(static_cast<std::uint32_t>(number.size())));
  std::size_t cell = 0;
  for (const std::uint32_t t : left) {
    EXPECT_FALSE(std::ranges::binary_search(coarse.folded, t));
    for (int c = 0; c < 3; ++c)
      ASSERT_EQ(coarse.mesh.cells[cell][c], number.at(point_of(surface.mesh.cells[t][c])));
    ++cell;
  }
  for (std::uint32_t v = 0; v < surface.mesh.vertex_count(); ++v) {
    const auto found = number.find(point_of(VertexId(v)));
    ASSERT_EQ(coarse.vertices[v], found == number.end() ? VertexId() : found->second);
  }
  std::map<std::pair<VertexId, VertexId>, int> uses;  // a closed surface stays closed
  for (const TriMesh::Cell& t : coarse.mesh.cells) {
    for (int c = 0; c < 3; ++c) ++uses[std::minmax(t[c], t[(c + 1) % 3])];
  }
  for (const auto& [edge, count] : uses) EXPECT_EQ(count % 2, 0);
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
  const Isosurface surface = noisy_surface(40);
  const Coarsened one = coarsen(surface.mesh, surface.provenance, {.exec = Exec::host(1)});
  const Coarsened more = coarsen(surface.mesh, surface.provenance, {.exec = Exec::host(4)});
  EXPECT_EQ(one.mesh, more.mesh);
  EXPECT_EQ(one.vertices, more.vertices);
  EXPECT_EQ(one.folded, more.folded);
  EXPECT_EQ(summarize_quality(one.mesh, Exec::host(1)).mean, summarize_quality(one.mesh, Exec::host(4)).mean);
}

TEST(Coarsen, WhatCollapsesAsAWholeLeavesNothing) {
  const Grid grid = make_lattice(3, 3, 3);
  Array<float> values(27, 0);
  values[13] = 1;  // the surface lies around this point
  const Isosurface surface =
      isosurface(grid, Field("f", std::move(values)), {{0.9}}, {.keep_provenance = true});
  ASSERT_EQ(surface.mesh.cell_count(), 8u);
  const Coarsened coarse = coarsen(surface.mesh, surface.provenance);
  EXPECT_EQ(coarse.mesh.vertex_count(), 0u);
  EXPECT_EQ(coarse.mesh.cell_count(), 0u);
  EXPECT_EQ(coarse.dropped.size(), 8u);
  EXPECT_EQ(coarse.isolated, 1u);
  EXPECT_EQ(coarsen({}, {}).mesh.vertex_count(), 0u);
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
