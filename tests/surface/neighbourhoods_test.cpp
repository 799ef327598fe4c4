// Rings and neighbourhoods against searches over sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/neighbourhoods.h>

namespace tessera {
namespace {

using Sets = std::vector<std::vector<std::uint32_t>>;

Sets rows_of(const Neighbourhoods& found) {
  const auto offsets = found.offsets().to_host();
  const auto values = found.values().to_host();
  EXPECT_EQ(offsets.back(), values.size());
  Sets rows;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    rows.emplace_back(values.begin() + offsets[r], values.begin() + offsets[r + 1]);
  return rows;
}

/// The corners of the tiled faces, by way of the input, and what they make adjacent.
struct Plain {
  std::vector<std::array<std::uint32_t, 3>> faces;
  std::vector<std::set<std::uint32_t>> adjacent;
  std::vector<Vec3d> at;

  Plain(const TriMesh& mesh, const Surface& surface)
      : adjacent(mesh.vertex_count()), at(mesh.vertex_count()) {
    const auto vertices = surface.to_input(Kind::vertex);
    const auto cells = surface.to_input(Kind::face);
    std::vector<std::uint32_t> tiled(mesh.vertex_count());
    for (std::uint32_t v = 0; v < tiled.size(); ++v) {
      const std::uint32_t input = vertices.empty() ? v : vertices[v];
      tiled[input] = v;
      at[v] = mesh.points[VertexId(input)];
    }
    for (std::uint32_t f = 0; f < mesh.cell_count(); ++f) {
      const TriMesh::Cell& cell = mesh.cells[cells.empty() ? f : cells[f]];
      faces.push_back({tiled[cell[0].index()], tiled[cell[1].index()], tiled[cell[2].index()]});
      for (const std::uint32_t a : faces.back()) {
        for (const std::uint32_t b : faces.back()) {
          if (a != b) adjacent[a].insert(b);
        }
      }
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> search(const std::vector<std::uint32_t>& own, std::uint32_t steps,
                                                  double radius, bool with_own) const {
    std::set<std::uint32_t> seen(own.begin(), own.end());
    std::vector<std::uint32_t> front = own;
    for (std::uint32_t k = 0; k < steps && !front.empty(); ++k) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t v : front) {
        for (const std::uint32_t u : adjacent[v]) {
          const Vec3d apart = at[u] - at[own[0]];
          if (dot(apart, apart) <= radius * radius && seen.insert(u).second) next.push_back(u);
        }
      }
      front = next;
    }
    for (const std::uint32_t v : own) {
      if (!with_own) seen.erase(v);
    }
    return {seen.begin(), seen.end()};
  }
};

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<TriMesh> some_meshes() {
  TriMesh apart = make_shuffled(make_torus(12, 12));
  // Besides a torus three triangles in one edge, and a vertex without any.
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < apart.vertex_count(); ++v) points.push_back(apart.points[VertexId(v)]);
  const auto n = static_cast<std::uint32_t>(points.size());
  for (const Vec3d& p : {Vec3d{5, 0, 0}, {5, 0, 1}, {6, 0, 0}, {5, 1, 0}, {4, 0, 0}, {9, 9, 9}})
    points.push_back(p);
  apart.points = Points(std::move(points));
  for (std::uint32_t k = 2; k < 5; ++k)
    apart.cells.push_back({VertexId(n), VertexId(n + 1), VertexId(n + k)});
  std::vector<TriMesh> meshes;
  meshes.push_back(std::move(apart));
  meshes.push_back(make_shuffled(make_ico(3)));
  meshes.push_back(make_height_field(9, 14));
  return meshes;
}

TEST(KRings, AreWhatASearchFinds) {
  for (const TriMesh& mesh : some_meshes()) {
    const Surface surface(mesh, {.max_vertices = 32});
    const Plain plain(mesh, surface);
    for (std::uint32_t k = 0; k < 4; ++k) {
      for (const bool with_own : {false, true}) {
        const Sets found = rows_of(compute_k_rings(surface, Kind::vertex, k, {.with_own = with_own}));
        ASSERT_EQ(found.size(), mesh.vertex_count());
        for (std::uint32_t v = 0; v < found.size(); ++v)
          ASSERT_EQ(found[v], plain.search({v}, k, infinity, with_own)) << v << ", " << k;
      }
    }
  }
}

TEST(KRings, StartAtEdgesAndFaces) {
  for (const TriMesh& mesh : some_meshes()) {
    const Surface surface(mesh);
    const Plain plain(mesh, surface);
    const Sets of_faces = rows_of(compute_k_rings(surface, Kind::face, 2));
    for (std::uint32_t f = 0; f < of_faces.size(); ++f) {
      const auto& c = plain.faces[f];
      ASSERT_EQ(of_faces[f], plain.search({c[0], c[1], c[2]}, 2, infinity, false));
    }
    const auto ends = surface.rows<EV>();
    const Sets of_edges = rows_of(compute_k_rings(surface, Kind::edge, 2));
    ASSERT_EQ(of_edges.size(), surface.edge_count());
    for (std::uint32_t e = 0; e < of_edges.size(); ++e) {
      const auto row = ends.get<EV>()[tiled::EdgeId(e)];
      ASSERT_EQ(of_edges[e], plain.search({row[0].index(), row[1].index()}, 2, infinity, false));
    }
  }
}

TEST(Neighbourhoods, AreConnectedWithinTheRadius) {
  for (const TriMesh& mesh : some_meshes()) {
    const Surface surface(mesh, {.max_vertices = 64});
    const Plain plain(mesh, surface);
    for (const double radius : {0.0, 0.3, 1.1}) {
      const Sets found = rows_of(compute_neighbourhoods(surface, radius));
      for (std::uint32_t v = 0; v < found.size(); ++v)
        ASSERT_EQ(found[v], plain.search({v}, 0xFFFFFFFF, radius, false)) << v << ", " << radius;
    }
  }
}

TEST(Neighbourhoods, AreTheSameForListsBatchesAndThreads) {
  const TriMesh mesh = make_shuffled(make_torus(40, 40));
  const Surface surface(mesh, {.exec = Exec::host(1)});
  const Sets all = rows_of(compute_k_rings(surface, Kind::vertex, 3));
  EXPECT_EQ(rows_of(compute_k_rings(surface, Kind::vertex, 3, {.memory = 20000})), all) << "in small batches";
  EXPECT_EQ(rows_of(compute_k_rings(surface, Kind::vertex, 3, {.memory = 0})), all) << "without a bound";
  EXPECT_EQ(rows_of(compute_k_rings(Surface(mesh, {.exec = Exec::host(3)}), Kind::vertex, 3)), all);
  const std::vector<std::uint32_t> some = {17, 3, 3, 1599, 0};
  const Sets listed = rows_of(compute_k_rings(surface, Kind::vertex, 3, {.elements = some}));
  ASSERT_EQ(listed.size(), some.size());
  for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(listed[i], all[some[i]]);
  const std::vector<std::uint32_t> none;
  EXPECT_EQ(compute_k_rings(surface, Kind::vertex, 3, {.elements = none}).size(), 0u);
}

TEST(Neighbourhoods, HaveNoBoundOnTheirSize) {
  // A fan of 100,000 triangles around one vertex.
  constexpr std::uint32_t n = 100000;
  TriMesh mesh;
  Array<Vec3d> points = {{0, 0, 0}};
  for (std::uint32_t i = 0; i <= n; ++i) points.push_back({std::cos(1e-5 * i), std::sin(1e-5 * i), 0});
  mesh.points = Points(std::move(points));
  for (std::uint32_t i = 1; i <= n; ++i) mesh.cells.push_back({VertexId(0), VertexId(i), VertexId(i + 1)});
  const Surface surface(mesh);
  const auto order = surface.to_input(Kind::vertex);
  const auto hub =
      order.empty() ? 0u : static_cast<std::uint32_t>(std::ranges::find(order, 0u) - order.begin());
  const std::vector<std::uint32_t> some = {hub, hub == 5 ? 6u : 5u};
  for (const std::uint32_t k : {1u, 2u}) {
    const Sets found = rows_of(compute_k_rings(surface, Kind::vertex, k, {.elements = some}));
    EXPECT_EQ(found[0].size(), n + 1);
    EXPECT_EQ(found[1].size() > 3, k == 2);
  }
  try {
    (void)compute_k_rings(surface, Kind::vertex, 1, {.elements = some, .memory = 100000});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("the neighbourhood of one element takes"), std::string::npos);
  }
}

TEST(Neighbourhoods, OfNothingAreEmpty) {
  const TriMesh mesh;
  const Surface surface(mesh);
  EXPECT_EQ(compute_k_rings(surface, Kind::vertex, 2).size(), 0u);
  EXPECT_EQ(compute_k_rings(surface, Kind::face, 2).size(), 0u);
  EXPECT_EQ(compute_neighbourhoods(surface, 1).size(), 0u);
}

TEST(Neighbourhoods, RefuseWhatMakesNoSense) {
  const TriMesh mesh = make_ico(1);
  const Surface surface(mesh);
  EXPECT_THROW((void)compute_neighbourhoods(surface, -1), Error);
  EXPECT_THROW((void)compute_neighbourhoods(surface, std::nan("")), Error);
  EXPECT_THROW((void)compute_k_rings(surface, Kind::tet, 1), Error);
}

}  // namespace
}  // namespace tessera
