// Curvature against plain loops, known surfaces under refinement, and the Euler characteristic.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/detail/common/angle.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/surface.h>

#include "surface/odd_surfaces.h"

namespace tessera {

using namespace detail;
namespace {

constexpr double pi = std::numbers::pi;

double sum(const Array<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

TEST(Curvature, OfASphere) {
  TriMesh sphere = make_ico(5, {.displace = false});
  const double radius = 2.5;
  sphere.points.visit([&](auto points) {
    for (auto& p : points) p = static_cast<decltype(p.x)>(radius / length(vec_cast<double>(p))) * p;
  });
  const Curvature found = compute_curvature(sphere);
  for (std::size_t v = 0; v < sphere.vertex_count(); ++v) {
    EXPECT_NEAR(found.gaussian[v], 1 / (radius * radius), 0.02 / (radius * radius));
    EXPECT_NEAR(found.mean[v], 1 / radius, 0.01 / radius);
  }
  EXPECT_NEAR(sum(found.area), test::measure(sphere).area, 1e-6);
  for (auto& cell : sphere.cells) std::swap(cell[0], cell[1]);  // inside out
  const Curvature inverted = compute_curvature(sphere);
  EXPECT_NEAR(inverted.mean[7], -1 / radius, 0.01 / radius);
  EXPECT_NEAR(inverted.gaussian[7], found.gaussian[7], 1e-9);
}

TEST(Curvature, GaussAndBonnetWithAndWithoutBoundary) {
  EXPECT_NEAR(sum(compute_curvature(make_ico(3)).defect), 4 * pi, 1e-4);
  EXPECT_NEAR(sum(compute_curvature(make_height_field(20, 13)).defect), 2 * pi, 1e-4);
  EXPECT_NEAR(sum(compute_curvature(make_small_surface("moebius")).defect), 0, 1e-5);
}

TEST(Curvature, OfAPlaneIsZeroUpToTheBoundary) {
  TriMesh plane = make_height_field(9, 8);
  plane.points.visit([](auto points) {
    for (auto& p : points) p.z = 0;
  });
  const Curvature found = compute_curvature(plane);
  EXPECT_EQ(std::ranges::count(found.is_on_boundary, 1), 2 * (9 + 8) - 4);
  for (std::size_t v = 0; v < plane.vertex_count(); ++v) {
    EXPECT_NEAR(found.gaussian[v], 0, 1e-5);
    EXPECT_NEAR(found.mean[v], 0, 1e-5);
  }
}

TEST(Curvature, OnTheBoundaryIsThatOfTheNeighboursInside) {
  TriMesh cap = make_ico(4, {.displace = false});
  std::erase_if(cap.cells, [&](const TriMesh::Cell& t) { return cap.points[t[0]].z < 0.1; });
  const Curvature found = compute_curvature(cap);
  std::size_t on_boundary = 0;
  for (std::size_t v = 0; v < cap.vertex_count(); ++v) {
    if (found.is_on_boundary[v] == 0 || found.mean[v] == 0) continue;
    ++on_boundary;
    EXPECT_NEAR(found.mean[v], 1, 0.02);
    EXPECT_NEAR(found.gaussian[v], 1, 0.06);
  }
  EXPECT_GT(on_boundary, 40u);
}

TEST(Curvature, CornerAnglesAreThoseOfAtan2) {
  for (int step = 0; step <= 100000; ++step) {
    const double angle = pi * step / 100000;
    for (const double size : {1.0, 3e-200, 7e150}) {
      const double sine = size * std::abs(std::sin(angle));
      const double cosine = size * std::cos(angle);
      ASSERT_NEAR(corner_angle(sine, cosine), std::atan2(sine, cosine), 4.5e-16) << angle;
    }
  }
  EXPECT_EQ(corner_angle(0, 1), 0);
  EXPECT_EQ(corner_angle(0, -1), pi);
  EXPECT_EQ(corner_angle(2, 0), pi / 2);
  EXPECT_NEAR(corner_angle(1e-300, 1), 1e-300, 1e-315);
}

/// The angle at p of any triangle: the three add up to pi.
double naive_angle(const Vec3d& p, const Vec3d& q, const Vec3d& r) {
  if (std::isnan(length(q - p) + length(r - p))) return pi / 3;
  if (p == q && q == r) return pi / 3;
  if (q == r) return 0;
  if (p == q || p == r) return pi / 2;
  return std::atan2(length(cross(q - p, r - p)), dot(q - p, r - p));
}

using Edges = std::map<std::pair<VertexId, VertexId>, int>;

bool names_all_once(const TriMesh::Cell& t) {
  return t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
}

/// The number of triangles of each edge.
Edges naive_edges(const TriMesh& mesh) {
  Edges edges;
  for (const TriMesh::Cell& t : mesh.cells) {
    if (!names_all_once(t)) continue;
    for (int c = 0; c < 3; ++c) ++edges[std::minmax(t[c], t[(c + 1) % 3])];
  }
  return edges;
}

double euler_characteristic(const TriMesh& mesh) {
  const auto sound = std::ranges::count_if(mesh.cells, names_all_once);
  return static_cast<double>(mesh.vertex_count()) - static_cast<double>(naive_edges(mesh).size()) +
         static_cast<double>(sound);
}

/// Plain loops over all triangles for each vertex; edges in a map.
Curvature naive_curvature(const TriMesh& mesh) {
  const std::size_t n = mesh.vertex_count();
  const Array<double> zeros(n, 0);
  Curvature result{zeros, zeros, zeros, zeros, zeros, zeros, Array<std::uint8_t>(n, 0)};
  const Edges edges = naive_edges(mesh);
  std::vector<double> half_turns(n, 2);
  for (const auto& [edge, uses] : edges) {
    --half_turns[edge.first.index()];
    --half_turns[edge.second.index()];
    if (uses == 2) continue;
    result.is_on_boundary[edge.first.index()] = result.is_on_boundary[edge.second.index()] = 1;
  }
  for (std::uint32_t v = 0; v < n; ++v) {
    double angles = 0;
    Vec3d bend = {0, 0, 0};
    Vec3d normal = {0, 0, 0};
    for (const TriMesh::Cell& t : mesh.cells) {
      if (!names_all_once(t)) continue;
      for (int c = 0; c < 3; ++c) {
        if (t[c] != VertexId(v)) continue;
        ++half_turns[v];
        const Vec3d p = mesh.points[t[c]];
        const Vec3d q = mesh.points[t[(c + 1) % 3]];
        const Vec3d r = mesh.points[t[(c + 2) % 3]];
        const double at_p = naive_angle(p, q, r);
        angles += at_p;
        if (!(length(cross(q - p, r - p)) > 0)) continue;
        const double at_q = naive_angle(q, r, p);
        const double at_r = naive_angle(r, p, q);
        const double area = 0.5 * length(cross(q - p, r - p));
        const bool is_obtuse = std::max({at_p, at_q, at_r}) > pi / 2;
        const double voronoi = (dot(q - p, q - p) / std::tan(at_r) + dot(r - p, r - p) / std::tan(at_q)) / 8;
        result.area[v] += !is_obtuse ? voronoi : at_p > pi / 2 ? area / 2 : area / 4;
        bend = bend + (1 / std::tan(at_r)) * (p - q) + (1 / std::tan(at_q)) * (p - r);
        normal = normal + cross(q - p, r - p);
      }
    }
    result.defect[v] = half_turns[v] * pi - angles;
    if (result.is_on_boundary[v] != 0 || result.area[v] == 0) continue;
    result.gaussian[v] = result.defect[v] / result.area[v];
    result.mean[v] = (dot(bend, normal) < 0 ? -1 : 1) * length(bend) / (4 * result.area[v]);
  }
  for (std::uint32_t v = 0; v < n; ++v) {
    double count = 0;
    for (const auto& [edge, uses] : edges) {
      if (result.is_on_boundary[v] == 0) break;
      if (edge.first != VertexId(v) && edge.second != VertexId(v)) continue;
      const std::uint32_t other = edge.first.index() + edge.second.index() - v;
      if (result.is_on_boundary[other] != 0) continue;
      ++count;
      result.gaussian[v] += result.gaussian[other];
      result.mean[v] += result.mean[other];
    }
    if (count > 0) {
      result.gaussian[v] /= count;
      result.mean[v] /= count;
    }
    const double root = std::sqrt(std::max(0.0, result.mean[v] * result.mean[v] - result.gaussian[v]));
    result.minimum[v] = result.mean[v] - root;
    result.maximum[v] = result.mean[v] + root;
  }
  return result;
}

Curvature curvature_of_surface(const TriMesh& mesh, int threads, std::uint32_t most = 64) {
  const Surface surface(mesh, {.exec = Exec::host(threads), .max_vertices = most});
  const SurfaceCurvature found = compute_curvature(positions<double>(surface));
  return {found.gaussian.values(), found.mean.values(), found.minimum.values(),       found.maximum.values(),
          found.defect.values(),   found.area.values(), found.is_on_boundary.values()};
}

void expect_curvature(const Curvature& found, const Curvature& expected) {
  EXPECT_EQ(found.is_on_boundary, expected.is_on_boundary);
  const auto expect_near = [](const char* what, const Array<double>& a, const Array<double>& b,
                              double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t v = 0; v < a.size(); ++v) {
      // NOLINTNEXTLINE: numbers of all sizes
      ASSERT_NEAR(a[v], b[v], tolerance * std::max(1.0, std::abs(b[v]))) << what << " of " << v;
    }
  };
  expect_near("defect", found.defect, expected.defect, 1e-9);
  expect_near("area", found.area, expected.area, 1e-9);
  expect_near("gaussian", found.gaussian, expected.gaussian, 1e-9);
  expect_near("mean", found.mean, expected.mean, 1e-9);
  expect_near("minimum", found.minimum, expected.minimum, 1e-6);  // the root of a difference
  expect_near("maximum", found.maximum, expected.maximum, 1e-6);
}
void expect_curvature(const TriMesh& mesh) {
  expect_curvature(compute_curvature(mesh, {.exec = Exec::host(2)}), naive_curvature(mesh));
}

TEST(Curvature, OfAnyTrianglesIsThatOfPlainLoops) {
  expect_curvature(make_torus(12, 9));
  expect_curvature(make_height_field(11, 13));
  TriMesh mixed = make_ico(2);
  for (std::size_t t = 0; t < mixed.cell_count(); t += 3) std::swap(mixed.cells[t][0], mixed.cells[t][1]);
  expect_curvature(mixed);
  SplitMix64 random(5);
  TriMesh heap;  // degenerate, repeated and non-manifold triangles, and vertices without any
  Array<Vec3d> points(40);
  for (Vec3d& p : points) p = {random.uniform(), random.uniform(), random.uniform()};
  points[7] = {std::numeric_limits<double>::quiet_NaN(), 0, 0};
  heap.points = std::move(points);
  const auto any = [&] { return VertexId(static_cast<std::uint32_t>(random.below(38))); };
  for (int t = 0; t < 90; ++t) heap.cells.push_back({any(), any(), any()});
  for (int t = 0; t < 10; ++t) heap.cells.push_back(heap.cells[static_cast<std::size_t>(t)]);
  expect_curvature(heap);
  TriMesh fan;  // a closed one of many triangles, so that its middle is no boundary
  Array<Vec3d> rim = {{0, 0, 1}};
  constexpr std::uint32_t count = 50;
  for (std::uint32_t i = 0; i < count; ++i) {
    rim.push_back({std::cos(2 * pi * i / count), std::sin(2 * pi * i / count), 0});
    fan.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(1 + (i + 1) % count)});
  }
  fan.points = std::move(rim);
  expect_curvature(fan);
  EXPECT_EQ(compute_curvature(fan).is_on_boundary[0], 0);
}

TEST(Curvature, OfSurfacesIsThatOfPlainLoops) {
  for (const TriMesh& mesh : test::odd_surfaces())
    expect_curvature(curvature_of_surface(mesh, 2), naive_curvature(mesh));
}

bool is_same(const Curvature& a, const Curvature& b) {
  return a.gaussian == b.gaussian && a.mean == b.mean && a.minimum == b.minimum && a.maximum == b.maximum &&
         a.defect == b.defect && a.area == b.area && a.is_on_boundary == b.is_on_boundary;
}

TEST(Curvature, IsTheSameForAnyThreadsAndTiles) {
  const TriMesh mesh = make_shuffled(make_height_field(150, 120));
  const Curvature of_mesh = compute_curvature(mesh, {.exec = Exec::host(1)});
  EXPECT_TRUE(is_same(compute_curvature(mesh, {.exec = Exec::host(3)}), of_mesh));
  const Curvature of_surface = curvature_of_surface(mesh, 1, 512);
  EXPECT_TRUE(is_same(curvature_of_surface(mesh, 3, 512), of_surface));
  EXPECT_TRUE(is_same(curvature_of_surface(mesh, 2, 100), of_surface));
}

/// Of any triangles: vertices less edges plus triangles.
TEST(Curvature, DefectsAddUpToTheEulerCharacteristic) {
  std::vector<TriMesh> meshes = test::odd_surfaces();
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    meshes.push_back(test::make_heap(60, 20 + 20 * static_cast<std::uint32_t>(seed), seed));
  for (TriMesh& mesh : meshes) {
    EXPECT_NEAR(sum(curvature_of_surface(mesh, 1).defect), 2 * pi * euler_characteristic(mesh), 1e-9);
    if (mesh.cells.empty()) continue;
    mesh.cells.push_back(mesh.cells.front());                                      // twice
    mesh.cells.push_back({mesh.cells[0][0], mesh.cells[0][0], mesh.cells[0][1]});  // no triangle
    mesh.points.visit([](auto points) { points[0].x = std::numeric_limits<float>::quiet_NaN(); });
    EXPECT_NEAR(sum(compute_curvature(mesh).defect), 2 * pi * euler_characteristic(mesh), 1e-9);
  }
}

/// Lengths whose squares and products leave the range of numbers.
TEST(Curvature, DefectsAddUpAtEveryScale) {
  for (const double scale : {1e-200, 1e-90, 1e-71, 1e-60, 1e60, 1e74, 1e76, 1e160, 1e300}) {
    TriMesh mesh = test::make_heap(60, 200, 5);
    Array<Vec3d> points;
    for (const VertexId v : mesh.vertices()) points.push_back(scale * mesh.points[v]);
    mesh.points = std::move(points);
    EXPECT_NEAR(sum(compute_curvature(mesh).defect), 2 * pi * euler_characteristic(mesh), 1e-9) << scale;
  }
}

/// A grid of quads, cut into triangles, on place(u, v) with u and v in [0, 1); closed in u, perhaps in v.
template <class Place>
TriMesh make_tube(std::uint32_t nu, std::uint32_t nv, bool is_closed, const Place& place) {
  TriMesh mesh;
  Array<Vec3d> points;
  for (std::uint32_t i = 0; i < nu; ++i) {
    for (std::uint32_t j = 0; j < nv; ++j) {
      points.push_back(place(double(i) / nu, double(j) / nv));
      if (!is_closed && j + 1 == nv) continue;
      const auto id = [&](std::uint32_t a, std::uint32_t b) {
        return VertexId((i + a) % nu * nv + (j + b) % nv);
      };
      mesh.cells.push_back({id(0, 0), id(1, 0), id(1, 1)});
      mesh.cells.push_back({id(0, 0), id(1, 1), id(0, 1)});
    }
  }
  mesh.points = std::move(points);
  return mesh;
}

/// The greatest error at each of three resolutions must fall by about 4 each time.
void expect_second_order(const std::array<double, 3>& errors) {
  EXPECT_GT(errors[0] / errors[1], 3.2) << errors[0] << " " << errors[1] << " " << errors[2];
  EXPECT_GT(errors[1] / errors[2], 3.2) << errors[0] << " " << errors[1] << " " << errors[2];
}

/// With radii R and r: K = cos(t) / (r (R + r cos t)), H = (R + 2 r cos t) / (2 r (R + r cos t)).
TEST(Curvature, OfATorusConvergesQuadratically) {
  const double large = 2;
  const double small = 0.7;
  std::array<double, 3> gaussian = {};
  std::array<double, 3> mean = {};
  for (std::size_t level = 0; level < 3; ++level) {
    const std::uint32_t nv = 20U << level;
    const TriMesh torus = make_tube(2 * nv, nv, true, [&](double u, double v) {
      const double ring = large + small * std::cos(2 * pi * v);
      return Vec3d{ring * std::cos(2 * pi * u), ring * std::sin(2 * pi * u), small * std::sin(2 * pi * v)};
    });
    const Curvature found = curvature_of_surface(torus, 2);
    for (std::uint32_t v = 0; v < torus.vertex_count(); ++v) {
      const double c = std::cos(2 * pi * (v % nv) / nv);
      const double k = c / (small * (large + small * c));
      const double h = (large + 2 * small * c) / (2 * small * (large + small * c));
      gaussian[level] = std::max(gaussian[level], std::abs(found.gaussian[v] - k));
      mean[level] = std::max(mean[level], std::abs(found.mean[v] - h));
    }
  }
  expect_second_order(gaussian);
  expect_second_order(mean);
}

/// Rows of equal quads around it: the formulas are exact there.
TEST(Curvature, OfACylinderIsExact) {
  const double radius = 0.5;
  const TriMesh cylinder = make_tube(60, 20, false, [&](double u, double v) {
    return Vec3d{radius * std::cos(2 * pi * u), radius * std::sin(2 * pi * u), v};
  });
  const Curvature found = curvature_of_surface(cylinder, 2);
  for (std::size_t v = 0; v < cylinder.vertex_count(); ++v) {
    EXPECT_NEAR(found.gaussian[v], 0, 1e-11);
    EXPECT_NEAR(found.minimum[v], 0, 1e-10);
    EXPECT_NEAR(found.mean[v], 0.5 / radius, 1e-11);
    EXPECT_NEAR(found.maximum[v], 1 / radius, 1e-10);
  }
}

/// On the average over the vertices.
TEST(Curvature, OfASphereConvergesQuadratically) {
  std::array<double, 3> gaussian = {};
  std::array<double, 3> mean = {};
  for (std::size_t level = 0; level < 3; ++level) {
    TriMesh sphere = make_ico(static_cast<int>(level) + 2, {.displace = false});
    Array<Vec3d> points;
    for (const VertexId v : sphere.vertices())
      points.push_back((1 / length(sphere.points[v])) * sphere.points[v]);
    sphere.points = std::move(points);
    const Curvature found = curvature_of_surface(sphere, 2);
    const auto count = static_cast<double>(sphere.vertex_count());
    for (std::size_t v = 0; v < sphere.vertex_count(); ++v) {
      gaussian[level] += std::abs(found.gaussian[v] - 1) / count;
      mean[level] += std::abs(found.mean[v] - 1) / count;
    }
  }
  expect_second_order(gaussian);
  expect_second_order(mean);
}

TEST(Curvature, BadMeshesAreRefused) {
  TriMesh bad = make_small_surface("octahedron");
  bad.cells[2][0] = VertexId(77);
  try {
    (void)compute_curvature(bad);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    EXPECT_NE(std::string(error.what()).find("triangle 2 names point 77"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera
