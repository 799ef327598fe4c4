// Matrices of surfaces on a device have the host's bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/surface/sparse.h>

#include "surface/on_both_sides.h"

namespace tessera {
namespace {

class SparseGpu : public test::OnDevice {};

std::vector<TriMesh> meshes() {
  std::vector<TriMesh> all;
  for (const char* name : {"triangle", "moebius", "pinched_vertex", "three_face_fan", "isolated_vertices"})
    all.push_back(make_small_surface(name));
  all.push_back(make_shuffled(make_ico(5)));
  all.push_back(make_height_field(70, 81));
  return all;
}

void expect_equal(const SparseMatrix& host, const SparseMatrix& device) {
  EXPECT_EQ(host.offsets.to_host(), device.offsets.to_host());
  EXPECT_EQ(host.column_ids.to_host(), device.column_ids.to_host());
  EXPECT_EQ(host.values.to_host(), device.values.to_host());
}

template <class Make>
void expect_equal_on_both(const Make& make) {
  for (const TriMesh& mesh : meshes()) {
    const SurfaceOptions options = {.max_vertices = 256};
    SurfaceOptions on_device = options;
    on_device.exec = Exec::cuda();
    expect_equal(make(Surface(mesh, options)), make(Surface(mesh, on_device)));
  }
}

TEST_F(SparseGpu, MatricesAreTheHosts) {
  expect_equal_on_both([](const Surface& s) { return make_d0(s); });
  expect_equal_on_both([](const Surface& s) { return make_d1(s); });
  expect_equal_on_both([](const Surface& s) { return make_star1(s); });
  expect_equal_on_both([](const Surface& s) { return make_laplacian(s); });
  expect_equal_on_both([](const Surface& s) { return make_mass(s, Mass::barycentric); });
  expect_equal_on_both([](const Surface& s) { return make_mass(s, Mass::voronoi); });
  expect_equal_on_both([](const Surface& s) { return make_gradient(s); });
  expect_equal_on_both([](const Surface& s) { return make_divergence(s); });
  expect_equal_on_both([](const Surface& s) { return make_relation_matrix<VV>(s); });
  expect_equal_on_both([](const Surface& s) { return make_relation_matrix<FE>(s); });
}

Array<double> products(const TriMesh& mesh, const Exec& exec) {
  const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
  VertexAttribute<double> x(surface), y(surface), z(surface);
  for (std::size_t v = 0; v < x.size(); ++v) x.edit_on_host()[v] = 1.0 / static_cast<double>(v + 1);
  multiply(make_laplacian(surface), x.view().data(), y.view().data());
  LaplacianOperator(surface).apply(y.view().data(), z.view().data());
  return z.values();
}

TEST_F(SparseGpu, ProductsAreTheHosts) {
  for (const TriMesh& mesh : meshes()) EXPECT_EQ(products(mesh, Exec::host()), products(mesh, Exec::cuda()));
}

TEST_F(SparseGpu, InTheInputsOrder) {
  const TriMesh mesh = make_shuffled(make_ico(3));
  const Surface surface(mesh, {.exec = Exec::cuda(), .max_vertices = 256});
  const CsrMatrix fv = in_input_order(surface, make_relation_matrix<FV>(surface));
  for (std::size_t f = 0; f < mesh.cell_count(); ++f) {
    for (const VertexId v : mesh.cells[f]) {
      EXPECT_NE(std::find(fv.column_ids.begin() + static_cast<std::ptrdiff_t>(3 * f),
                          fv.column_ids.begin() + static_cast<std::ptrdiff_t>(3 * f + 3), v.index()),
                fv.column_ids.begin() + static_cast<std::ptrdiff_t>(3 * f + 3));
    }
  }
}

}  // namespace
}  // namespace tessera
