// Every operation on complexes that are no manifolds, with fields that are hard on arithmetic: an error or a
// result that counting agrees with, the same for any number of threads.
//
// The oracles list simplices in sets and share nothing with the library.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/generate/coarsen.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/subdivide.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/generate/weld.h>
#include <tessera/mesh/boundary.h>
#include <tessera/mesh/doctor.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/dual.h>
#include <tessera/surface/normals.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/persistence.h>

#include "topology/oracle.h"

namespace tessera {
namespace {

constexpr std::array<int, 3> thread_counts = {1, 2, 7};

/// All simplices of a complex, by dimension, with the top cells at each.
template <int Dim>
struct Counted {
  std::array<std::map<std::vector<std::uint32_t>, std::size_t>, 4> simplices;
  std::size_t components = 0;

  explicit Counted(const SimplexMesh<Dim>& mesh) {
    std::vector<std::uint32_t> root(mesh.vertex_count());
    std::iota(root.begin(), root.end(), 0U);
    const std::function<std::uint32_t(std::uint32_t)> find = [&](std::uint32_t v) {
      return root[v] == v ? v : root[v] = find(root[v]);
    };
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) simplices[0][{v}] = 0;
    for (const auto& cell : mesh.cells) {
      for (unsigned bits = 1; bits < 1U << (Dim + 1); ++bits) {
        std::vector<std::uint32_t> part;
        for (unsigned k = 0; k <= Dim; ++k) {
          if ((bits >> k & 1) != 0) part.push_back(cell[k].index());
        }
        std::ranges::sort(part);
        ++simplices[part.size() - 1][part];
      }
      for (const VertexId v : cell) root[find(v.index())] = find(cell[0].index());
    }
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) components += find(v) == v ? 1 : 0;
  }

  [[nodiscard]] std::ptrdiff_t euler_characteristic() const {
    std::ptrdiff_t sum = 0;
    for (std::size_t d = 0; d < 4; ++d)
      sum += (d % 2 == 0 ? 1 : -1) * static_cast<std::ptrdiff_t>(simplices[d].size());
    return sum;
  }
  [[nodiscard]] std::size_t facets_of(std::size_t cells) const {
    std::size_t count = 0;
    for (const auto& [facet, around] : simplices[Dim - 1]) count += around == cells ? 1 : 0;
    return count;
  }
};

template <class Count>
std::ptrdiff_t alternating_sum(int dimensions, const Count& count) {
  std::ptrdiff_t sum = 0;
  for (int d = 0; d <= dimensions; ++d) sum += (d % 2 == 0 ? 1 : -1) * static_cast<std::ptrdiff_t>(count(d));
  return sum;
}

/// Values that a careless comparison, sum or difference gets wrong.
std::vector<Field> make_odd_fields(std::size_t n, std::uint64_t seed) {
  using Limits = std::numeric_limits<double>;
  const auto filled = [&](const char* name, const std::function<double(std::size_t)>& value) {
    Array<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
    return Field(name, std::move(values));
  };
  SplitMix64 random(seed);
  std::vector<Field> fields = {
      filled("constant", [](std::size_t) { return 1.5; }),
      filled("random", [&](std::size_t) { return random.uniform(); }),
      filled("all nan", [](std::size_t) { return Limits::quiet_NaN(); }),
      filled("some nan", [](std::size_t i) { return i % 5 == 3 ? Limits::quiet_NaN() : double(i); }),
      filled("infinite",
             [](std::size_t i) {
               return i % 3 == 0 ? Limits::infinity() : i % 3 == 1 ? -Limits::infinity() : 0;
             }),
      filled("denormal", [](std::size_t i) { return Limits::denorm_min() * double(i % 4); }),
      filled("alternating", [](std::size_t i) { return i % 2 == 0 ? Limits::max() : Limits::lowest(); }),
      filled("zeros", [](std::size_t i) { return i % 2 == 0 ? 0.0 : -0.0; })};
  const auto limits = [&]<class T>(T) {
    Array<T> values(n);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = i % 3 == 0   ? std::numeric_limits<T>::lowest()
                  : i % 3 == 1 ? std::numeric_limits<T>::max()
                               : T(i % 2);
    fields.emplace_back("limits", std::move(values));
  };
  limits(std::int8_t{});
  limits(std::uint8_t{});
  limits(std::int32_t{});
  limits(std::int64_t{});
  limits(std::uint64_t{});
  limits(float{});
  return fields;
}

/// Random cells; cells around an edge; two parts that share a vertex; a vertex of nothing.
template <int Dim>
SimplexMesh<Dim> make_odd_mesh(std::uint64_t seed) {
  const std::size_t vertices = 7 + seed % 8;
  SimplexMesh<Dim> mesh = oracle::random_mesh<Dim>(vertices, 3 + 3 * (seed % 5), seed);
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < vertices; ++v) points.push_back(vec_cast<double>(mesh.points[VertexId(v)]));
  const auto add_point = [&] {
    const double i = static_cast<double>(points.size());
    points.push_back({std::cos(i), std::sin(i), i / 10});
    return VertexId(static_cast<std::uint32_t>(points.size() - 1));
  };
  for (std::uint64_t i = 0; i < seed % 6; ++i) {  // a book on the edge (0, 1)
    typename SimplexMesh<Dim>::Cell cell{};
    cell[0] = VertexId(0);
    cell[1] = VertexId(1);
    for (std::size_t k = 2; k <= Dim; ++k) cell[k] = add_point();
    mesh.cells.push_back(cell);
  }
  for (std::uint64_t i = 0; i < seed % 3; ++i) {  // pinched at vertex 2
    typename SimplexMesh<Dim>::Cell cell{};
    cell[0] = VertexId(2);
    for (std::size_t k = 1; k <= Dim; ++k) cell[k] = add_point();
    mesh.cells.push_back(cell);
  }
  add_point();
  mesh.points = std::move(points);
  return mesh;
}

template <class Mesh>
bool same(const Mesh& a, const Mesh& b) {
  const bool same_points = a.points.visit([&](auto from) {
    return b.points.visit([&](auto to) {
      return from.size_bytes() == to.size_bytes() &&
             (from.empty() || std::memcmp(from.data(), to.data(), to.size_bytes()) == 0);
    });
  });
  return same_points && a.cells == b.cells && a.point_data == b.point_data && a.cell_data == b.cell_data;
}

template <class T>
bool same(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <int Dim>
void expect_valid(const SimplexMesh<Dim>& mesh) {
  for (const auto& cell : mesh.cells) {
    for (const VertexId v : cell) ASSERT_LT(v.index(), mesh.vertex_count());
  }
  for (const Field& field : mesh.point_data) ASSERT_EQ(field.size(), mesh.vertex_count());
  for (const Field& field : mesh.cell_data) ASSERT_EQ(field.size(), mesh.cell_count());
}

/// What work(threads) returns for all numbers of threads, or nothing if it refuses for all of them.
template <class Work, class Same>
auto run_on_threads(const Work& work, const Same& is_same) {
  std::optional<decltype(work(1))> first;
  std::string refusal;
  for (const int threads : thread_counts) {
    std::string error;
    try {
      auto result = work(threads);
      if (!first) {
        EXPECT_TRUE(threads == 1) << "refused for one thread only: " << refusal;
        first.emplace(std::move(result));
      } else {
        EXPECT_TRUE(is_same(*first, result)) << threads << " threads";
      }
    } catch (const Error& caught) {
      error = caught.what();
      EXPECT_FALSE(error.empty());
      EXPECT_FALSE(first) << error;
    }
    EXPECT_TRUE(threads == 1 || error == refusal) << error;
    refusal = error;
  }
  return first;
}

bool has_nan(const Field& field) {
  return field.visit([](auto values) {
    for (const auto x : values) {
      if (x != x) return true;
    }
    return false;
  });
}

template <int Dim>
void check_topology(const SimplexMesh<Dim>& mesh, const Field& field) {
  const Counted<Dim> counted(mesh);
  const auto points = run_on_threads(
      [&](int threads) { return critical_points<Dim>(mesh, field, {.exec = Exec::host(threads)}); },
      [](const CriticalPoints& a, const CriticalPoints& b) {
        return a.points == b.points && a.counts == b.counts;
      });
  EXPECT_EQ(points.has_value(), !has_nan(field));
  const auto complex = run_on_threads(
      [&](int threads) {
        return morse_smale<Dim>(mesh, field, {.exec = Exec::host(threads), .walls = Dim == 3});
      },
      [](const MorseSmaleComplex<Dim>& a, const MorseSmaleComplex<Dim>& b) {
        return a.separatrices.ends == b.separatrices.ends && a.separatrices.cells == b.separatrices.cells &&
               a.separatrices.offsets == b.separatrices.offsets &&
               a.segmentation.morse_smale == b.segmentation.morse_smale;
      });
  ASSERT_EQ(complex.has_value(), !has_nan(field));
  if (!complex) return;
  EXPECT_EQ(alternating_sum(Dim, [&](int d) { return complex->gradient.critical_cells(d).size(); }),
            counted.euler_characteristic());
  const auto persistence = run_on_threads(
      [&](int threads) { return compute_persistence<Dim>(mesh, field, {.exec = Exec::host(threads)}); },
      [](const Persistence& a, const Persistence& b) { return same(a.pairs, b.pairs) || a == b; });
  ASSERT_TRUE(persistence);
  EXPECT_EQ(alternating_sum(Dim, [&](int d) { return persistence->essential[static_cast<std::size_t>(d)]; }),
            counted.euler_characteristic());
  EXPECT_EQ(persistence->essential[0], counted.components);
}

template <int Dim>
void check_shapes(const SimplexMesh<Dim>& mesh) {
  const Counted<Dim> counted(mesh);
  for (const auto scheme : {SubdivisionScheme::linear, SubdivisionScheme::loop}) {
    if (Dim == 3 && scheme == SubdivisionScheme::loop) continue;
    const auto fine = run_on_threads(
        [&](int threads) { return subdivide(mesh, {.scheme = scheme, .exec = Exec::host(threads)}).mesh; },
        [](const auto& a, const auto& b) { return same(a, b); });
    ASSERT_TRUE(fine);
    expect_valid(*fine);
    EXPECT_EQ(fine->cell_count(), mesh.cell_count() << Dim);
    EXPECT_EQ(fine->vertex_count(), mesh.vertex_count() + counted.simplices[1].size());
    EXPECT_EQ(Counted<Dim>(*fine).euler_characteristic(), counted.euler_characteristic());
  }
  const auto welded =
      run_on_threads([&](int threads) { return weld(mesh, {.exec = Exec::host(threads)}).mesh; },
                     [](const auto& a, const auto& b) { return same(a, b); });
  ASSERT_TRUE(welded);
  EXPECT_EQ(welded->cells, mesh.cells);  // all points differ
  const auto report = run_on_threads(
      [&](int threads) { return diagnose(mesh, {.exec = Exec::host(threads)}); }, std::equal_to<>());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->edges, counted.simplices[1].size());
  EXPECT_EQ(report->boundary_faces, counted.facets_of(1));
  const auto fixed =
      run_on_threads([&](int threads) { return defect_mesh(mesh, {.exec = Exec::host(threads)}); },
                     [](const auto& a, const auto& b) { return same(a, b); });
  ASSERT_TRUE(fixed);
  expect_valid(*fixed);
}

void check_surface(const TriMesh& mesh) {
  const auto curvature =
      run_on_threads([&](int threads) { return compute_curvature(mesh, {.exec = Exec::host(threads)}); },
                     [](const Curvature& a, const Curvature& b) {
                       return same(a.gaussian, b.gaussian) && same(a.mean, b.mean) && same(a.area, b.area);
                     });
  ASSERT_TRUE(curvature);
  double defects = 0;
  for (const double defect : curvature->defect) defects += defect;
  const Counted<2> counted(mesh);  // which has a triangle that is there twice once
  const double euler = static_cast<double>(counted.simplices[0].size()) -
                       static_cast<double>(counted.simplices[1].size()) +
                       static_cast<double>(mesh.cell_count());
  EXPECT_NEAR(defects, 2 * std::acos(-1.0) * euler, 1e-8 * static_cast<double>(mesh.cell_count() + 1));
  const auto dual = run_on_threads(
      [&](int threads) { return make_dual(mesh, {.exec = Exec::host(threads)}); }, std::equal_to<>());
  ASSERT_TRUE(dual);
  EXPECT_EQ(dual->vertex_count(), mesh.cell_count());
}

void check_solid(const TetMesh& mesh, const Field& field) {
  EXPECT_EQ(compute_boundary(mesh).cell_count(), Counted<3>(mesh).facets_of(1));
  constexpr std::array<double, 4> values = {0, 0.5, 1e308, -1};
  for (const bool merges : {false, true}) {
    const auto surface = run_on_threads(
        [&](int threads) {
          return isosurface(mesh, field, values,
                            {.merge_exact = merges, .keep_provenance = true, .exec = Exec::host(threads)});
        },
        [](const Isosurface& a, const Isosurface& b) { return same(a.mesh, b.mesh); });
    if (!surface) continue;
    expect_valid(surface->mesh);
    const auto coarse = run_on_threads(
        [&](int threads) {
          return coarsen(surface->mesh, surface->provenance, {.exec = Exec::host(threads)}).mesh;
        },
        [](const TriMesh& a, const TriMesh& b) { return same(a, b); });
    if (coarse) expect_valid(*coarse);
  }
}

TEST(OddInputs, Surfaces) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TriMesh mesh = make_odd_mesh<2>(seed);
    check_shapes<2>(mesh);
    check_surface(mesh);
    for (const Field& field : make_odd_fields(mesh.vertex_count(), seed)) {
      SCOPED_TRACE(field.name());
      check_topology<2>(mesh, field);
    }
    mesh.cells.push_back(mesh.cells[0]);  // what a file may hold twice
    check_surface(mesh);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(OddInputs, Solids) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TetMesh mesh = make_odd_mesh<3>(seed);
    check_shapes<3>(mesh);
    for (const Field& field : make_odd_fields(mesh.vertex_count(), seed)) {
      SCOPED_TRACE(field.name());
      check_topology<3>(mesh, field);
      check_solid(mesh, field);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(OddInputs, Grids) {
  for (const std::array<std::uint32_t, 3> dims :
       {std::array{2U, 2U, 2U}, {5U, 2U, 3U}, {7U, 1U, 4U}, {1U, 1U, 9U}, {1U, 1U, 1U}}) {
    Grid grid;
    grid.dims = dims;
    constexpr std::array<double, 3> values = {0, 0.5, -1};
    for (const Field& field : make_odd_fields(grid.vertex_count(), 3)) {
      SCOPED_TRACE(field.name());
      const auto surface = run_on_threads(
          [&](int threads) { return isosurface(grid, field, values, {.exec = Exec::host(threads)}).mesh; },
          [](const TriMesh& a, const TriMesh& b) { return same(a, b); });
      if (surface) expect_valid(*surface);
    }
    const auto tets =
        run_on_threads([&](int threads) { return tetrahedralize(grid, {.exec = Exec::host(threads)}).mesh; },
                       [](const TetMesh& a, const TetMesh& b) { return same(a, b); });
    EXPECT_EQ(tets.has_value(), dims[0] > 1 && dims[1] > 1 && dims[2] > 1);
    EXPECT_TRUE(!tets || Counted<3>(*tets).euler_characteristic() == 1);
  }
}

}  // namespace
}  // namespace tessera
