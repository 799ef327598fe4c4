// Normals against plain sums over triangles, and on surfaces where they are known.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stop_token>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/normals.h>

namespace tessera {
namespace {

std::vector<float> numbers(const Field& field) {
  EXPECT_EQ(field.components(), 3U);
  const auto values = field.as<float>();
  return {values.begin(), values.end()};
}

using Triple = std::array<long double, 3>;

/// What each triangle adds to its three vertices, in extended precision.
std::vector<Triple> summed_normals(const TriMesh& mesh) {
  std::vector<Triple> sums(mesh.vertex_count(), {0, 0, 0});
  for (const auto& cell : mesh.cells) {
    std::array<Triple, 3> p;
    for (int c = 0; c < 3; ++c) {
      const Vec3d at = mesh.points[cell[c]];
      p[c] = {at.x, at.y, at.z};
    }
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      const long double part =
          (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
      for (int c = 0; c < 3; ++c) sums[cell[c].index()][i] += part;
    }
  }
  for (Triple& sum : sums) {
    const long double size = std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    if (size > 0) {
      for (long double& part : sum) part /= size;
    }
  }
  return sums;
}

TEST(Normals, AreTheSumsOverTriangles) {
  for (const TriMesh& mesh : {make_torus(40, 20), make_shuffled(make_ico(4)), make_height_field(30, 50)}) {
    const std::vector<float> normals = numbers(vertex_normals(mesh));
    const std::vector<Triple> expected = summed_normals(mesh);
    ASSERT_EQ(normals.size(), 3 * expected.size());
    for (std::size_t i = 0; i < normals.size(); ++i)
      ASSERT_NEAR(normals[i], static_cast<double>(expected[i / 3][i % 3]), 1e-6) << i;
  }
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
  EXPECT_EQ(numbers(vertex_normals(mesh)), std::vector<float>(12, 0.0F));
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
