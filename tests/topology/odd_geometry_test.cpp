// What moves, measures and cuts complexes that are no manifolds, at places and with fields that are hard on
// arithmetic: an error or a result that counting agrees with, the same for any number of threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/generate/clip.h>
#include <tessera/generate/contour_lines.h>
#include <tessera/generate/slice.h>
#include <tessera/surface/denoise.h>
#include <tessera/surface/flow.h>
#include <tessera/surface/geodesics.h>
#include <tessera/surface/heat_method.h>
#include <tessera/surface/normals.h>
#include <tessera/surface/smooth.h>

#include "topology/odd_inputs.h"

namespace tessera::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// With the field as the third coordinate, so that places are as odd as its values.
TriMesh lift(const TriMesh& mesh, const Field& field) {
  TriMesh lifted = mesh;
  Array<Vec3d> points(mesh.vertex_count());
  field.visit([&](auto values) {
    for (const VertexId v : mesh.vertices()) {
      const Vec3d p = mesh.points[v];
      points[v.index()] = {p.x, p.y, static_cast<double>(values[v.index()])};
    }
  });
  lifted.points = std::move(points);
  return lifted;
}

constexpr auto are_same = [](const auto& a, const auto& b) { return same(a, b); };

/// Means of finite points never leave the box of all points.
void check_motion(const TriMesh& mesh, bool is_finite) {
  for (const auto weights : {SmoothWeights::uniform, SmoothWeights::cotangent}) {
    const auto smoothed = run_on_threads(
        [&](int threads) {
          return smooth(mesh, {.weights = weights, .iterations = 3, .exec = Exec::host(threads)});
        },
        are_same);
    if (!smoothed) continue;
    ASSERT_EQ(smoothed->size(), mesh.vertex_count());
    if (!is_finite) continue;
    for (const auto coordinate : {&Vec3d::x, &Vec3d::y, &Vec3d::z}) {
      double low = infinity;
      double high = -infinity;
      for (const VertexId v : mesh.vertices()) {
        low = std::min(low, mesh.points[v].*coordinate);
        high = std::max(high, mesh.points[v].*coordinate);
      }
      for (const VertexId v : mesh.vertices()) {
        EXPECT_GE((*smoothed)[v].*coordinate, low - 1e-12);
        EXPECT_LE((*smoothed)[v].*coordinate, high + 1e-12);
      }
    }
  }
  const auto flowed = run_on_threads(
      [&](int threads) {
        return flow(mesh, {.steps = 2, .max_iterations = 200, .exec = Exec::host(threads)}).points;
      },
      are_same);
  EXPECT_TRUE(!flowed || flowed->size() == mesh.vertex_count());
  const auto denoised = run_on_threads(
      [&](int threads) { return denoise(mesh, {.iterations = 2, .exec = Exec::host(threads)}); }, are_same);
  EXPECT_TRUE(!denoised || denoised->size() == mesh.vertex_count());
}

/// From vertex 0 along edges.
std::vector<double> find_edge_distances(const TriMesh& mesh) {
  std::vector<double> distance(mesh.vertex_count(), infinity);
  distance[0] = 0;
  for (bool improves = true; improves;) {
    improves = false;
    for (const auto& cell : mesh.cells) {
      for (const VertexId a : cell) {
        for (const VertexId b : cell) {
          const double through = distance[a.index()] + length(mesh.points[b] - mesh.points[a]);
          if (through >= distance[b.index()]) continue;
          distance[b.index()] = through;
          improves = true;
        }
      }
    }
  }
  return distance;
}

struct FoundDistances {
  Field distance;
  Field nearest;
  std::vector<double> path_lengths;

  friend bool operator==(const FoundDistances&, const FoundDistances&) = default;
};

void check_geodesics(const TriMesh& mesh, bool is_finite) {
  constexpr std::array<GeodesicSource, 1> sources = {VertexId(0)};
  for (const auto schedule : {FrontSchedule::bands, FrontSchedule::hops}) {
    const auto found = run_on_threads(
        [&](int threads) {
          const Surface surface(mesh, {.exec = Exec::host(threads)});
          const auto geodesics = compute_geodesics<double>(surface, sources, {.schedule = schedule});
          const GeodesicPaths paths(geodesics);
          FoundDistances result = {to_field(geodesics.distance, "d"), to_field(geodesics.nearest, "n"), {}};
          for (std::uint32_t v = 0; v < std::min<std::size_t>(100, mesh.vertex_count()); ++v) {
            const double size = paths.trace(VertexId(v)).length;
            result.path_lengths.push_back(std::isnan(size) ? -1 : size);
          }
          return result;
        },
        std::equal_to<>());
    if (!found || !is_finite) continue;
    const std::vector<double> most = find_edge_distances(mesh);
    const auto distance = found->distance.as<double>();
    for (std::size_t v = 0; v < most.size(); ++v) {
      EXPECT_EQ(std::isfinite(distance[v]), std::isfinite(most[v])) << v;
      EXPECT_LE(distance[v], most[v] * (1 + 1e-5)) << v;
    }
  }
}

void check_heat(const TriMesh& mesh, bool is_finite) {
  constexpr std::array<GeodesicSource, 1> sources = {VertexId(0)};
  for (const auto solver : {HeatSolver::iterative, HeatSolver::direct}) {
    const auto found = run_on_threads(
        [&](int threads) {
          const Surface surface(mesh, {.exec = Exec::host(threads)});
          return HeatMethod(surface, {.solver = solver}).distances(sources);
        },
        are_same);
    if (!found || !is_finite) continue;
    const std::vector<double> most = find_edge_distances(mesh);
    for (std::size_t v = 0; v < most.size(); ++v)
      EXPECT_EQ(std::isfinite((*found)[v]), std::isfinite(most[v])) << v;
    EXPECT_EQ((*found)[0], 0);
  }
}

void check_normals(const TriMesh& mesh) {
  for (const auto weights : {NormalWeights::area, NormalWeights::angle, NormalWeights::uniform}) {
    const auto normals = run_on_threads(
        [&](int threads) { return vertex_normals(mesh, {.weights = weights, .exec = Exec::host(threads)}); },
        std::equal_to<>());
    EXPECT_TRUE(!normals || normals->size() == mesh.vertex_count());
  }
}

constexpr std::array<double, 4> isovalues = {0, 0.5, 1e308, -1};

/// The lines of a level, each by the edges or points that it ends on. A corner that has the value is an end.
template <class Values>
std::size_t count_lines(const TriMesh& mesh, const Values& values, double isovalue) {
  using End = std::pair<std::uint32_t, std::uint32_t>;
  std::set<std::set<End>> lines;
  for (const auto& cell : mesh.cells) {
    std::array<double, 3> apart = {};
    for (std::size_t k = 0; k < 3; ++k) apart[k] = static_cast<double>(values[cell[k].index()]) - isovalue;
    if (!std::ranges::all_of(apart, [](double x) { return std::isfinite(x); })) continue;
    std::set<End> ends;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      const std::uint32_t v = cell[k].index();
      const std::uint32_t w = cell[next].index();
      if (apart[k] == 0) ends.insert({v, v});
      if (std::min(apart[k], apart[next]) < 0 && std::max(apart[k], apart[next]) > 0)
        ends.insert({std::min(v, w), std::max(v, w)});
    }
    if (ends.size() == 2) lines.insert(ends);
  }
  return lines.size();
}

void check_contours(const TriMesh& mesh, const Field& field) {
  const auto contours = run_on_threads(
      [&](int threads) { return contour_lines(mesh, field, isovalues, {.exec = Exec::host(threads)}).lines; },
      are_same);
  if (!contours) return;
  std::size_t lines = 0;
  field.visit([&](auto values) {
    for (const double isovalue : isovalues) lines += count_lines(mesh, values, isovalue);
  });
  EXPECT_EQ(contours->lines.size(), lines);
  for (const VertexId v : contours->lines.corners) ASSERT_LT(v.index(), contours->vertex_count());
}

double size_of_cells(const TriMesh& mesh) {
  double sum = 0;
  for (const auto& cell : mesh.cells) {
    const Vec3d a = mesh.points[cell[0]];
    sum += length(cross(mesh.points[cell[1]] - a, mesh.points[cell[2]] - a)) / 2;
  }
  return sum;
}
double size_of_cells(const TetMesh& mesh) {
  double sum = 0;
  for (const auto& cell : mesh.cells) {
    const Vec3d a = mesh.points[cell[0]];
    sum +=
        std::abs(dot(cross(mesh.points[cell[1]] - a, mesh.points[cell[2]] - a), mesh.points[cell[3]] - a)) /
        6;
  }
  return sum;
}

/// Both sides of a cut together are as large as the whole. `cut(invert, threads)` clips.
template <int Dim, class Cut>
void check_sides(const SimplexMesh<Dim>& mesh, bool is_exact, const Cut& cut) {
  double sum = 0;
  for (const bool invert : {false, true}) {
    const auto side = run_on_threads([&](int threads) { return cut(invert, threads).mesh; }, are_same);
    if (!side) return;
    for (const auto& cell : side->cells) {
      for (const VertexId v : cell) ASSERT_LT(v.index(), side->vertex_count());
    }
    sum += size_of_cells(*side);
  }
  EXPECT_TRUE(!is_exact || std::abs(sum - size_of_cells(mesh)) < 1e-9 * (1 + sum))
      << sum << " " << size_of_cells(mesh);
}

/// Planes through points and between them.
template <int Dim>
void check_planes(const SimplexMesh<Dim>& mesh, bool is_finite) {
  for (const Plane& plane : {Plane{{0, 0, 0.25}, {0, 0, 1}}, Plane{mesh.points[VertexId(1)], {1, -2, 3}},
                             Plane{{0.3, 0.3, 0.3}, {1e-200, 1e-200, 0}}}) {
    const auto cut = run_on_threads(
        [&](int threads) {
          const SliceOptions options = {.exec = Exec::host(threads)};
          if constexpr (Dim == 3) {
            return slice(mesh, plane, options).mesh;
          } else {
            return slice(mesh, plane, options).lines;
          }
        },
        are_same);
    if constexpr (Dim == 3) {
      if (cut) expect_valid(*cut);
    }
    check_sides(mesh, is_finite, [&](bool invert, int threads) {
      return clip(mesh, plane, {.invert = invert, .exec = Exec::host(threads)});
    });
  }
}

template <int Dim>
void check_clips(const SimplexMesh<Dim>& mesh, const Field& field, bool is_exact) {
  for (const double value : isovalues) {
    check_sides(mesh, is_exact, [&](bool invert, int threads) {
      return clip(mesh, field, value, {.invert = invert, .exec = Exec::host(threads)});
    });
  }
}

/// Enough cells that several threads share them, between points that are close: as odd as the small ones.
template <int Dim>
SimplexMesh<Dim> make_large_odd_mesh(std::uint64_t seed) {
  constexpr std::uint32_t side = Dim == 2 ? 150 : 28;
  SplitMix64 random(seed);
  SimplexMesh<Dim> mesh;
  Array<Vec3d> points;
  for (std::uint32_t z = 0; z < (Dim == 2 ? 1 : side); ++z) {
    for (std::uint32_t y = 0; y < side; ++y) {
      for (std::uint32_t x = 0; x < side; ++x)
        points.push_back({x + random.uniform() / 2, y + random.uniform() / 2, z + random.uniform() / 2});
    }
  }
  std::set<typename SimplexMesh<Dim>::Cell> cells;
  const std::array<std::uint32_t, 3> steps = {1, side, side * side};
  while (cells.size() < 40000) {
    typename SimplexMesh<Dim>::Cell cell = {
        VertexId(static_cast<std::uint32_t>(random.below(points.size())))};
    for (std::size_t k = 0; k < Dim; ++k)
      cell[k + 1] = VertexId(cell[random.below(k + 1)].index() + steps[k] +
                             static_cast<std::uint32_t>(random.below(2)));
    std::ranges::sort(cell);
    if (std::ranges::adjacent_find(cell) == cell.end() && cell[Dim].index() < points.size())
      cells.insert(cell);
  }
  mesh.points = std::move(points);
  mesh.cells.assign(cells.begin(), cells.end());
  return mesh;
}

/// Random values, `every` one of them this one; 0: none.
Field make_random_field(std::size_t n, std::size_t every, double value) {
  SplitMix64 random(n);
  Array<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = every > 0 && i % every == 0 ? value : random.uniform();
  return {"random", std::move(values)};
}

TEST(OddGeometry, SurfacesThatMove) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TriMesh mesh = make_odd_mesh<2>(seed);
    check_motion(mesh, true);
    check_normals(mesh);
    for (const Field& field : make_odd_fields(mesh.vertex_count(), seed)) {
      SCOPED_TRACE(field.name());
      check_motion(lift(mesh, field), false);
      check_normals(lift(mesh, field));
    }
    mesh.cells.push_back(mesh.cells[0]);  // what a file may hold twice
    check_motion(mesh, true);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(OddGeometry, Distances) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TriMesh mesh = make_odd_mesh<2>(seed);
    check_geodesics(mesh, true);
    check_heat(mesh, true);
    for (const Field& field : make_odd_fields(mesh.vertex_count(), seed)) {
      SCOPED_TRACE(field.name());
      check_geodesics(lift(mesh, field), false);
      check_heat(lift(mesh, field), false);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(OddGeometry, CutSurfaces) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TriMesh mesh = make_odd_mesh<2>(seed);
    check_planes(mesh, true);
    for (const Field& field : make_odd_fields(mesh.vertex_count(), seed)) {
      SCOPED_TRACE(field.name());
      TriMesh with_data = mesh;
      with_data.point_data.add(field);
      check_contours(with_data, field);
      check_clips(with_data, field, field.name() == "random" || field.name() == "constant");
      check_planes(lift(mesh, field), false);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(OddGeometry, CutSolids) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TetMesh mesh = make_odd_mesh<3>(seed);
    check_planes(mesh, true);
    for (const Field& field : make_odd_fields(mesh.vertex_count(), seed)) {
      SCOPED_TRACE(field.name());
      TetMesh with_data = mesh;
      with_data.point_data.add(field);
      check_clips(with_data, field, field.name() == "random" || field.name() == "constant");
    }
    if (::testing::Test::HasFailure()) return;
  }
}

// Huge coordinates are left to the small meshes: all vertices are neighbours of each other for denoise()
// then.
TEST(OddGeometry, LargeSurfacesThatMove) {
  const TriMesh mesh = make_large_odd_mesh<2>(1);
  check_motion(mesh, true);
  check_normals(mesh);
  const TriMesh lifted = lift(mesh, make_random_field(mesh.vertex_count(), 0, 0));
  check_motion(lifted, false);
  check_normals(lifted);
}

TEST(OddGeometry, LargeDistances) {
  const TriMesh mesh = make_large_odd_mesh<2>(2);
  check_geodesics(mesh, true);
  check_heat(mesh, true);
  const TriMesh lifted = lift(mesh, make_random_field(mesh.vertex_count(), 101, std::nan("")));
  check_geodesics(lifted, false);
  check_heat(lifted, false);
}

template <int Dim>
void check_large_cuts() {
  const SimplexMesh<Dim> mesh = make_large_odd_mesh<Dim>(3);
  check_planes(mesh, true);
  for (const double value : {0.5, std::nan(""), infinity, std::numeric_limits<double>::max()}) {
    SimplexMesh<Dim> with_data = mesh;
    with_data.point_data.add(make_random_field(mesh.vertex_count(), value == 0.5 ? 0 : 11, value));
    const Field& field = with_data.field("random");
    if constexpr (Dim == 2) check_contours(with_data, field);
    check_clips(with_data, field, value == 0.5);
  }
}

TEST(OddGeometry, LargeCutSurfaces) {
  check_large_cuts<2>();
}

TEST(OddGeometry, LargeCutSolids) {
  check_large_cuts<3>();
}

}  // namespace
}  // namespace tessera::testing
