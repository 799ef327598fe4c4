// Matrices of surfaces against their definitions, worked out triangle by triangle over maps.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/sparse.h>

namespace tessera {
namespace {

using Entries = std::map<std::pair<std::size_t, std::size_t>, double>;

std::vector<Vec3d> points_of(const TriMesh& mesh) {
  std::vector<Vec3d> points;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) points.push_back(mesh.points[VertexId(v)]);
  return points;
}

Entries entries_of(const CsrMatrix& a) {
  Entries entries;
  EXPECT_EQ(a.offsets.size(), a.rows + 1);
  for (std::size_t row = 0; row < a.rows; ++row) {
    for (std::uint32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      EXPECT_LT(a.column_ids[k], a.columns);
      if (k > a.offsets[row]) {
        EXPECT_LT(a.column_ids[k - 1], a.column_ids[k]);
      }
      entries[{row, a.column_ids[k]}] = a.values[k];
    }
  }
  return entries;
}

Entries product(const Entries& a, const Entries& b) {
  std::map<std::size_t, std::vector<std::pair<std::size_t, double>>> rows;
  for (const auto& [at, value] : b) rows[at.first].push_back({at.second, value});
  Entries result;
  for (const auto& [at, value] : a) {
    for (const auto& [column, other] : rows[at.second]) result[{at.first, column}] += value * other;
  }
  return result;
}

Entries transposed(const Entries& a) {
  Entries result;
  for (const auto& [at, value] : a) result[{at.second, at.first}] = value;
  return result;
}

double largest(const Entries& a) {
  double most = 0;
  for (const auto& [at, value] : a) most = std::max(most, std::abs(value));
  return most;
}

double difference(Entries a, const Entries& b, double factor = 1) {
  for (const auto& [at, value] : b) a[at] -= factor * value;
  return largest(a);
}

/// By angles: half the cotangents at the corners opposite.
Entries naive_laplacian(const TriMesh& mesh) {
  const auto p = points_of(mesh);
  Entries result;
  for (const auto& cell : mesh.cells) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t i = cell[(k + 1) % 3].index();
      const std::uint32_t j = cell[(k + 2) % 3].index();
      const Vec3d a = p[i] - p[cell[k].index()];
      const Vec3d b = p[j] - p[cell[k].index()];
      const double angle = std::acos(dot(a, b) / (length(a) * length(b)));
      const double weight = 0.5 / std::tan(angle);
      result[{i, j}] -= weight, result[{j, i}] -= weight;
      result[{i, i}] += weight, result[{j, j}] += weight;
    }
  }
  return result;
}

double area_of(const TriMesh& mesh) {
  const auto p = points_of(mesh);
  double sum = 0;
  for (const auto& c : mesh.cells)
    sum += length(cross(p[c[1].index()] - p[c[0].index()], p[c[2].index()] - p[c[0].index()])) / 2;
  return sum;
}

std::vector<std::pair<std::string, TriMesh>> meshes() {
  std::vector<std::pair<std::string, TriMesh>> all;
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"})
    all.emplace_back(name, make_small_surface(name));
  all.emplace_back("ico", make_ico(3));
  all.emplace_back("torus", make_shuffled(make_torus(24, 17)));
  all.emplace_back("height field", make_height_field(21, 30));
  return all;
}

TEST(Sparse, IncidenceIsThatOfTheInput) {
  for (const auto& [name, mesh] : meshes()) {
    SCOPED_TRACE(name);
    const Surface surface(mesh);
    const Entries d0 = entries_of(in_input_order(surface, make_d0(surface)));
    std::map<std::size_t, std::vector<std::size_t>> ends;
    std::map<std::size_t, double> sums;
    for (const auto& [at, value] : d0) {
      ends[at.first].push_back(at.second);
      sums[at.first] += value;
      EXPECT_EQ(std::abs(value), 1);
    }
    std::set<std::pair<std::size_t, std::size_t>> edges;
    for (const auto& [edge, vertices] : ends) {
      ASSERT_EQ(vertices.size(), 2u);
      EXPECT_EQ(sums[edge], 0);
      edges.insert({vertices[0], vertices[1]});
    }
    std::set<std::pair<std::size_t, std::size_t>> wanted;
    for (const auto& c : mesh.cells) {
      for (int k = 0; k < 3; ++k) {
        const std::size_t a = c[k].index();
        const std::size_t b = c[(k + 1) % 3].index();
        wanted.insert({std::min(a, b), std::max(a, b)});
      }
    }
    EXPECT_EQ(edges, wanted);

    // Around a triangle as the input winds it: d1 of a row picks edges whose d0 lead from corner to corner.
    const Entries d1 = entries_of(in_input_order(surface, make_d1(surface)));
    EXPECT_EQ(d1.size(), 3 * mesh.cell_count());
    for (const auto& [at, sign] : d1) {
      const auto& cell = mesh.cells[at.first];
      bool is_found = false;
      for (int k = 0; k < 3; ++k) {
        const std::size_t from = cell[k].index();
        const std::size_t to = cell[(k + 1) % 3].index();
        const auto tail = d0.find({at.second, from});
        const auto head = d0.find({at.second, to});
        if (tail == d0.end() || head == d0.end()) continue;
        is_found = true;
        EXPECT_EQ(sign * tail->second, -1);
        EXPECT_EQ(sign * head->second, 1);
      }
      EXPECT_TRUE(is_found);
    }
    EXPECT_EQ(largest(product(d1, d0)), 0);
  }
}

TEST(Sparse, LaplacianIsThatOfCotangents) {
  for (const auto& [name, mesh] : meshes()) {
    SCOPED_TRACE(name);
    const Surface surface(mesh);
    const Entries l = entries_of(in_input_order(surface, make_laplacian(surface)));
    const double scale = largest(l);
    EXPECT_LT(difference(l, naive_laplacian(mesh)), 1e-11 * scale);
    EXPECT_EQ(difference(l, transposed(l)), 0);
    std::map<std::size_t, double> sums;
    for (const auto& [at, value] : l) sums[at.first] += value;
    for (const auto& [row, sum] : sums) EXPECT_NEAR(sum, 0, 1e-13 * scale);

    const Entries d0 = entries_of(in_input_order(surface, make_d0(surface)));
    const Entries star1 = entries_of(in_input_order(surface, make_star1(surface)));
    EXPECT_LT(difference(l, product(transposed(d0), product(star1, d0))), 1e-13 * scale);
    const Entries gradient = entries_of(in_input_order(surface, make_gradient(surface)));
    const Entries divergence = entries_of(in_input_order(surface, make_divergence(surface)));
    EXPECT_LT(difference(l, product(divergence, gradient), -1), 1e-12 * scale);
  }
}

TEST(Sparse, MassAddsUpToTheArea) {
  for (const auto& [name, mesh] : meshes()) {
    SCOPED_TRACE(name);
    const Surface surface(mesh);
    for (const Mass kind : {Mass::barycentric, Mass::voronoi}) {
      double sum = 0;
      for (const double value : in_input_order(surface, make_mass(surface, kind)).values) {
        EXPECT_GE(value, 0);
        sum += value;
      }
      EXPECT_NEAR(sum, area_of(mesh), 1e-12 * area_of(mesh));
    }
  }
}

/// A right triangle with legs 1: the Voronoi cell of the right angle is half of it (a square of 1/4).
TEST(Sparse, VoronoiAreasByHand) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}};
  const Surface surface(mesh);
  const CsrMatrix voronoi = in_input_order(surface, make_mass(surface, Mass::voronoi));
  EXPECT_DOUBLE_EQ(voronoi.values[0], 0.25);
  EXPECT_DOUBLE_EQ(voronoi.values[1], 0.125);
  EXPECT_DOUBLE_EQ(voronoi.values[2], 0.125);
  const CsrMatrix third = in_input_order(surface, make_mass(surface));
  EXPECT_DOUBLE_EQ(third.values[0], 1. / 6);
  mesh.points = Array<Vec3d>{{0, 0, 0}, {2, 1, 0}, {-2, 1, 0}};  // obtuse at 0: area 2
  const Surface obtuse(mesh);
  const CsrMatrix mixed = in_input_order(obtuse, make_mass(obtuse, Mass::voronoi));
  EXPECT_DOUBLE_EQ(mixed.values[0], 1);
  EXPECT_DOUBLE_EQ(mixed.values[1], 0.5);
}

TriMesh make_plane(std::uint32_t n) {
  TriMesh mesh = make_height_field(n, n);
  mesh.points.visit([](auto points) {
    for (auto& p : points) p.z = 0;
  });
  return mesh;
}

/// A linear function has its own gradient everywhere and no Laplacian inside.
TEST(Sparse, LinearFunctionsOnThePlane) {
  const TriMesh mesh = make_plane(17);
  const Surface surface(mesh);
  const auto p = positions<double>(surface);
  VertexAttribute<double> x(surface);
  for (std::size_t v = 0; v < x.size(); ++v)
    x.edit_on_host()[v] = 3 * p.on_host()[v].x - 2 * p.on_host()[v].y + 7;
  const SparseMatrix gradient = make_gradient(surface);
  Array<double> g(3 * surface.face_count());
  multiply(gradient, x.view().data(), g.data());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    EXPECT_NEAR(g[3 * f], 3, 1e-10);
    EXPECT_NEAR(g[3 * f + 1], -2, 1e-10);
    EXPECT_NEAR(g[3 * f + 2], 0, 1e-10);
  }
  std::vector<std::uint8_t> is_inner(x.size(), 1);
  const auto rows = surface.rows<EV, EF>();
  for (std::uint32_t e = 0; e < surface.edge_count(); ++e) {
    if (rows.get<EF>()[tiled::EdgeId(e)].size() == 2) continue;
    for (const auto v : rows.get<EV>()[tiled::EdgeId(e)]) is_inner[v.index()] = 0;
  }
  VertexAttribute<double> y(surface);
  multiply(make_laplacian(surface), x.view().data(), y.view().data());
  VertexAttribute<double> free(surface);
  LaplacianOperator(surface).apply(x.view().data(), free.view().data());
  std::size_t inner = 0;
  for (std::size_t v = 0; v < y.size(); ++v) {
    EXPECT_NEAR(y.on_host()[v], free.on_host()[v], 1e-10);
    if (is_inner[v] == 0) continue;
    EXPECT_NEAR(y.on_host()[v], 0, 1e-10);
    ++inner;
  }
  EXPECT_EQ(inner, 15u * 15u);
}

template <class R>
void expect_relation(const Surface& surface) {
  const SparseMatrix a = make_relation_matrix<R>(surface);
  ASSERT_EQ(a.rows.size, surface.count(R::from));
  ASSERT_EQ(a.columns.size, surface.count(R::to));
  const auto rows = surface.rows<R>();
  std::size_t k = 0;
  for (std::uint32_t row = 0; row < a.rows.size; ++row) {
    ASSERT_EQ(a.offsets.data()[row], k);
    for (const auto entry : rows.template get<R>()[typename R::TiledRow(row)]) {
      ASSERT_EQ(a.column_ids.data()[k], entry.index());
      ASSERT_EQ(a.values.data()[k++], 1);
    }
  }
  EXPECT_EQ(a.entry_count(), k);
}

TEST(Sparse, RelationsAsMatrices) {
  for (const auto& [name, mesh] : meshes()) {
    SCOPED_TRACE(name);
    const Surface surface(mesh);
    for_each_relation<2>([&]<class R>(R, std::string_view) { expect_relation<R>(surface); });
    // FV in the input's order is the input.
    const CsrMatrix fv = in_input_order(surface, make_relation_matrix<FV>(surface));
    for (std::size_t f = 0; f < mesh.cell_count(); ++f) {
      std::set<std::uint32_t> wanted;
      for (const VertexId v : mesh.cells[f]) wanted.insert(v.index());
      const std::set<std::uint32_t> found(fv.column_ids.begin() + static_cast<std::ptrdiff_t>(3 * f),
                                          fv.column_ids.begin() + static_cast<std::ptrdiff_t>(3 * f + 3));
      EXPECT_EQ(found, wanted);
    }
  }
}

TEST(Sparse, TheSameBytesForAnyNumberOfThreads) {
  const TriMesh mesh = make_shuffled(make_ico(4));
  const Surface one(mesh, {.exec = Exec::host(1)});
  const Surface three(mesh, {.exec = Exec::host(3)});
  const SparseMatrix a = make_laplacian(one);
  const SparseMatrix b = make_laplacian(three);
  EXPECT_EQ(a.column_ids.to_host(), b.column_ids.to_host());
  EXPECT_EQ(a.values.to_host(), b.values.to_host());
}

/// Corners on a line, and on one point: entries stay finite, rows add up to 0, x^T L x is not negative.
TEST(Sparse, DegenerateTriangles) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0.25, 0, 0}, {1, 1, 0}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)},
                {VertexId(0), VertexId(1), VertexId(3)},
                {VertexId(4), VertexId(5), VertexId(6)}};
  const Surface surface(mesh);
  const CsrMatrix l = in_input_order(surface, make_laplacian(surface));
  for (const double value : l.values) ASSERT_TRUE(std::isfinite(value));
  EXPECT_LT(difference(entries_of(l), transposed(entries_of(l))), 1e-30);
  EXPECT_NE(entries_of(l).at({4, 5}), 0);
  SplitMix64 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    double energy = 0;
    std::vector<double> x(7);
    for (double& value : x) value = 2 * random.uniform() - 1;
    for (const auto& [at, value] : entries_of(l)) energy += x[at.first] * value * x[at.second];
    EXPECT_GT(energy, -1e-9);
  }
  for (const double value : make_gradient(surface).values.to_host()) EXPECT_TRUE(std::isfinite(value));
  const auto mass = in_input_order(surface, make_mass(surface, Mass::voronoi));
  EXPECT_EQ(mass.values[2], 0);
  EXPECT_EQ(mass.values[4], 0);
  EXPECT_DOUBLE_EQ(mass.values[0] + mass.values[1] + mass.values[3], 0.5);
}

TEST(Sparse, MeshWithoutTriangles) {
  TriMesh mesh;
  const Surface empty(mesh);
  EXPECT_EQ(make_laplacian(empty).entry_count(), 0u);
  EXPECT_EQ(make_gradient(empty).rows.size, 0u);
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}};
  const Surface points(mesh);
  EXPECT_EQ(make_laplacian(points).values.to_host(), (Array<double>{0, 0}));
  EXPECT_EQ(make_divergence(points).entry_count(), 0u);
}

}  // namespace
}  // namespace tessera
