// Normals against plain sums over triangles, and on surfaces where they are known.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <stop_token>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/normals.h>
#include <tessera/surface/surface.h>

#include "surface/odd_surfaces.h"

namespace tessera {
namespace {

std::vector<float> numbers(const Field& field) {
  EXPECT_EQ(field.components(), 3U);
  const auto values = field.as<float>();
  return {values.begin(), values.end()};
}

using Triple = std::array<long double, 3>;

Triple cross_of(const std::array<Triple, 3>& p, int c) {
  const auto& o = p[static_cast<std::size_t>(c)];
  const auto& q = p[static_cast<std::size_t>((c + 1) % 3)];
  const auto& r = p[static_cast<std::size_t>((c + 2) % 3)];
  return {(q[1] - o[1]) * (r[2] - o[2]) - (q[2] - o[2]) * (r[1] - o[1]),
          (q[2] - o[2]) * (r[0] - o[0]) - (q[0] - o[0]) * (r[2] - o[2]),
          (q[0] - o[0]) * (r[1] - o[1]) - (q[1] - o[1]) * (r[0] - o[0])};
}
long double size_of(const Triple& a) {
  return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}
void make_unit(Triple& a) {
  const long double size = size_of(a);
  for (long double& part : a) part = size > 0 ? part / size : 0;
}
std::array<Triple, 3> corners_at(const TriMesh& mesh, const TriMesh::Cell& cell) {
  std::array<Triple, 3> p;
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3d at = mesh.points[cell[c]];
    p[c] = {at.x, at.y, at.z};
  }
  return p;
}
long double angle_at(const std::array<Triple, 3>& p, int c) {
  long double cosine = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const long double o = p[static_cast<std::size_t>(c)][i];
    cosine +=
        (p[static_cast<std::size_t>((c + 1) % 3)][i] - o) * (p[static_cast<std::size_t>((c + 2) % 3)][i] - o);
  }
  return std::atan2(size_of(cross_of(p, c)), cosine);
}

/// What each triangle adds to its three vertices, in extended precision.
std::vector<Triple> summed_normals(const TriMesh& mesh, NormalWeights weights) {
  std::vector<Triple> sums(mesh.vertex_count(), {0, 0, 0});
  for (const auto& cell : mesh.cells) {
    const std::array<Triple, 3> p = corners_at(mesh, cell);
    for (int c = 0; c < 3; ++c) {
      Triple share = cross_of(p, c);
      if (size_of(share) == 0) continue;
      if (weights != NormalWeights::area) make_unit(share);
      const long double weight = weights == NormalWeights::angle ? angle_at(p, c) : 1;
      for (std::size_t i = 0; i < 3; ++i)
        sums[cell[static_cast<std::size_t>(c)].index()][i] += weight * share[i];
    }
  }
  for (Triple& sum : sums) make_unit(sum);
  return sums;
}

constexpr std::array all_weights = {NormalWeights::area, NormalWeights::angle, NormalWeights::uniform};

TEST(Normals, AreTheSumsOverTriangles) {
  for (const TriMesh& mesh : {make_torus(40, 20), make_shuffled(make_ico(4)), make_height_field(30, 50)}) {
    for (const NormalWeights weights : all_weights) {
      const std::vector<float> normals = numbers(vertex_normals(mesh, {.weights = weights}));
      const std::vector<Triple> expected = summed_normals(mesh, weights);
      ASSERT_EQ(normals.size(), 3 * expected.size());
      for (std::size_t i = 0; i < normals.size(); ++i)
        ASSERT_NEAR(normals[i], static_cast<double>(expected[i / 3][i % 3]), 1e-6) << i;
    }
  }
}

TEST(Normals, OfSurfacesAreThoseOfTheirMeshes) {
  for (const TriMesh& mesh : test::odd_surfaces()) {
    for (const int threads : {1, 3}) {
      const Surface surface(mesh, {.exec = Exec::host(threads), .max_vertices = 64});
      const auto at = positions<double>(surface);
      VertexAttribute<Vec3d> normals(surface);
      for (const NormalWeights weights : all_weights) {
        fill_vertex_normals(at, normals, weights);
        const std::vector<Triple> expected = summed_normals(mesh, weights);
        const Array<Vec3d> found = normals.values();
        for (std::size_t v = 0; v < expected.size(); ++v) {
          // Where triangles nearly cancel out, rounding decides.
          const long double size = std::abs(size_of(expected[v]) - length(found[v]));
          if (size > 0.5) continue;
          EXPECT_NEAR(found[v].x, static_cast<double>(expected[v][0]), 1e-6);
          EXPECT_NEAR(found[v].y, static_cast<double>(expected[v][1]), 1e-6);
          EXPECT_NEAR(found[v].z, static_cast<double>(expected[v][2]), 1e-6);
        }
      }
    }
  }
}

TEST(Normals, OfTrianglesAreTheirs) {
  for (const TriMesh& mesh : test::odd_surfaces()) {
    const std::vector<float> of_mesh = numbers(face_normals(mesh));
    const Surface surface(mesh);
    const auto at = positions<double>(surface);
    FaceAttribute<Vec3d> normals(surface);
    fill_face_normals(at, normals);
    const Array<Vec3d> of_surface = normals.values();
    ASSERT_EQ(of_mesh.size(), 3 * mesh.cell_count());
    for (std::size_t f = 0; f < mesh.cell_count(); ++f) {
      Triple expected = cross_of(corners_at(mesh, mesh.cells[f]), 0);
      make_unit(expected);
      const auto& found = of_surface[f];
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(of_mesh[3 * f + i], static_cast<double>(expected[i]), 1e-6);
      EXPECT_NEAR(found.x, of_mesh[3 * f], 1e-6);
      EXPECT_NEAR(found.y, of_mesh[3 * f + 1], 1e-6);
      EXPECT_NEAR(found.z, of_mesh[3 * f + 2], 1e-6);
    }
  }
}

TEST(Normals, DoNotDependOnTilesAndThreads) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const auto with = [&](int threads, std::uint32_t most) {
    const Surface surface(mesh, {.exec = Exec::host(threads), .max_vertices = most});
    VertexAttribute<Vec3f> normals(surface);
    fill_vertex_normals(positions<float>(surface), normals, NormalWeights::angle);
    return normals.values();
  };
  const Array<Vec3f> one = with(1, 512);
  EXPECT_EQ(with(2, 512), one);
  EXPECT_EQ(with(5, 64), one);
}

TEST(Normals, OfASpherePointOutward) {
  const TriMesh sphere = make_ico(5, {.displace = false});
  const std::vector<float> normals = numbers(vertex_normals(sphere));
  for (const VertexId v : sphere.vertices()) {
    const Vec3d at = sphere.points[v];
    const float* const n = normals.data() + 3 * v.index();
    const Vec3d normal = {n[0], n[1], n[2]};
    EXPECT_GT(dot(at, normal) / length(at), 0.999);
  }
}

TEST(Normals, AreTheSameForAnyNumberOfThreads) {
  const TriMesh mesh = make_shuffled(make_torus(400, 200));
  const auto with = [&](int threads) { return numbers(vertex_normals(mesh, {.exec = Exec::host(threads)})); };
  const std::vector<float> one = with(1);
  for (const int threads : {2, 5, 16}) EXPECT_EQ(with(threads), one);
}

TEST(Normals, WithoutADirectionAreZero) {
  TriMesh mesh;
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}, {VertexId(0), VertexId(2), VertexId(1)}};
  for (const NormalWeights weights : all_weights)
    EXPECT_EQ(numbers(vertex_normals(mesh, {.weights = weights})), std::vector<float>(12, 0.0F));
  EXPECT_EQ(vertex_normals(TriMesh{}).size(), 0U);
}

TEST(Normals, BadMeshesAreRefused) {
  TriMesh mesh = make_ico(1);
  mesh.cells[7][1] = VertexId(static_cast<std::uint32_t>(mesh.vertex_count()));
  try {
    (void)vertex_normals(mesh);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
  }
}

TEST(Normals, CanBeCancelled) {
  std::stop_source source;
  source.request_stop();
  const Monitor monitor = {.report = {}, .stop = source.get_token()};
  EXPECT_THROW((void)vertex_normals(make_ico(2), {.monitor = &monitor}), Error);
}

}  // namespace
}  // namespace tessera
