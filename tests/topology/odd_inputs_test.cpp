// Every operation on complexes that are no manifolds, with fields that are hard on arithmetic: an error or a
// result that counting agrees with, the same for any number of threads.
#include <array>
#include <cmath>
#include <functional>
#include <string>

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

#include "topology/odd_inputs.h"

namespace tessera::testing {
namespace {

template <class Count>
std::ptrdiff_t alternating_sum(int dimensions, const Count& count) {
  std::ptrdiff_t sum = 0;
  for (int d = 0; d <= dimensions; ++d) sum += (d % 2 == 0 ? 1 : -1) * static_cast<std::ptrdiff_t>(count(d));
  return sum;
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
}  // namespace tessera::testing
