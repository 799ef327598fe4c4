// Operations on meshes that are large enough for several threads give the same for any number of them.
#include <gtest/gtest.h>

#include <tessera/generate/coarsen.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/subdivide.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/generate/weld.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/dual.h>
#include <tessera/surface/normals.h>

#include "generate/soups.h"

namespace tessera {
namespace {

constexpr int some_threads[] = {2, 5, 16};

/// f(exec) must return the same for all.
template <class F>
void expect_same(const char* what, const F& f) {
  const auto expected = f(Exec::host(1));
  for (const int threads : some_threads)
    EXPECT_TRUE(f(Exec::host(threads)) == expected) << what << ", " << threads << " threads";
}

TriMesh make_surface() {
  return make_shuffled(make_torus(200, 200));  // 80,000 triangles
}

TEST(Threads, SurfacesAreTheSameForAnyNumber) {
  const TriMesh mesh = make_surface();
  expect_same("normals", [&](const Exec& exec) { return vertex_normals(mesh, {.exec = exec}); });
  expect_same("mean curvature",
              [&](const Exec& exec) { return compute_curvature(mesh, {.exec = exec}).mean; });
  expect_same("curvature",
              [&](const Exec& exec) { return compute_curvature(mesh, {.exec = exec}).gaussian; });
  expect_same("dual", [&](const Exec& exec) { return make_dual(mesh, {.exec = exec}); });
  for (const auto scheme : {SubdivisionScheme::linear, SubdivisionScheme::loop}) {
    expect_same("subdivision",
                [&](const Exec& exec) { return subdivide(mesh, {.scheme = scheme, .exec = exec}).mesh; });
  }
}

TEST(Threads, SoupsAreWeldedTheSameForAnyNumber) {
  const TriMesh soup = test::make_soup(make_surface());
  for (const double tolerance : {0.0, 1e-6}) {
    expect_same("weld",
                [&](const Exec& exec) { return weld(soup, {.tolerance = tolerance, .exec = exec}).mesh; });
  }
}

TEST(Threads, SolidsAreTheSameForAnyNumber) {
  const TetMesh tets = make_shuffled(make_kuhn_full(24));  // 73,002 tetrahedra
  const Field field = make_wave_field(tets.points, WaveField::rough);
  const double isovalue = 0.1;
  expect_same("finer tetrahedra", [&](const Exec& exec) { return subdivide(tets, {.exec = exec}).mesh; });
  expect_same("surface in tetrahedra", [&](const Exec& exec) {
    return isosurface(tets, field, {&isovalue, 1}, {.normals = SurfaceNormals::gradient, .exec = exec}).mesh;
  });
  const Grid grid = make_lattice(41, 41, 41);
  for (const auto method : {TetMethod::five, TetMethod::six, TetMethod::face_centred}) {
    expect_same("tetrahedra of voxels", [&](const Exec& exec) {
      return tetrahedralize(grid, {.method = method, .exec = exec}).mesh;
    });
  }
}

TEST(Threads, CoarseSurfacesAreTheSameForAnyNumber) {
  const Grid grid = make_lattice(65, 65, 65);
  const double isovalue = 0.15;
  const Isosurface fine = isosurface(grid, make_mri_field(grid), {&isovalue, 1}, {.keep_provenance = true});
  ASSERT_GT(fine.mesh.cell_count(), 100'000u);
  expect_same("coarser surface",
              [&](const Exec& exec) { return coarsen(fine.mesh, fine.provenance, {.exec = exec}).mesh; });
}

}  // namespace
}  // namespace tessera
