// The published sizes of large isosurfaces.
#include <gtest/gtest.h>

#include <variant>

#include <tessera/generate/isosurface.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

TEST(LargeIsosurfaces, HaveThePublishedCounts) {
  const Grid grid256 = make_lattice(256, 256, 256);
  const TriMesh mri = isosurface(grid256, make_mri_field(grid256), {{0.15}}).mesh;
  EXPECT_EQ(mri.vertex_count(), 5'037'591u);
  EXPECT_EQ(mri.cell_count(), 9'872'976u);
  const Grid grid512 = make_lattice(512, 512, 512);
  const TriMesh sphere = isosurface(grid512, make_sphere_field(grid512), {{0.4}}).mesh;
  EXPECT_EQ(sphere.vertex_count(), 787'498u);
  EXPECT_EQ(sphere.cell_count(), 1'574'992u);
}

TEST(LargeIsosurfaces, OfTetsHaveThePublishedCounts) {
  const Grid grid = make_lattice(128, 128, 128);
  const TetMesh mesh = tetrahedralize(grid).mesh;
  const TriMesh mri = isosurface(mesh, make_mri_field(grid), {{0.15}}).mesh;
  EXPECT_EQ(mri.vertex_count(), 1'999'031u);
  EXPECT_EQ(mri.cell_count(), 3'984'884u);
  const TriMesh sphere = isosurface(mesh, make_sphere_field(grid), {{0.4}}).mesh;
  EXPECT_EQ(sphere.vertex_count(), 145'518u);
  EXPECT_EQ(sphere.cell_count(), 291'032u);
}

}  // namespace
}  // namespace tessera
