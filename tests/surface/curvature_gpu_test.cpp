// Curvature of surfaces on a device is the host's, byte for byte. (That of meshes: generators_gpu_test.cpp.)
#include <gtest/gtest.h>

#include <tessera/exec/exec.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/surface.h>

#include "surface/on_both_sides.h"

namespace tessera {
namespace {

class DeviceSurfaceCurvature : public test::OnDevice {};

template <class Real>
SurfaceCurvature curvature_of(const TriMesh& mesh, const Exec& exec) {
  const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
  return compute_curvature(positions<Real>(surface));
}

template <class Real>
void expect_same_curvature(const TriMesh& mesh) {
  const SurfaceCurvature device = curvature_of<Real>(mesh, Exec::cuda(0));
  const SurfaceCurvature host = curvature_of<Real>(mesh, Exec::host());
  const auto expect_same = [](const auto& a, const auto& b) {
    test::expect_same_bytes(a.values(), b.values());
  };
  expect_same(device.gaussian, host.gaussian);
  expect_same(device.mean, host.mean);
  expect_same(device.minimum, host.minimum);
  expect_same(device.maximum, host.maximum);
  expect_same(device.defect, host.defect);
  expect_same(device.area, host.area);
  expect_same(device.is_on_boundary, host.is_on_boundary);
}

TEST_F(DeviceSurfaceCurvature, IsTheHosts) {
  for (const TriMesh& mesh : test::surfaces_of_both()) {
    expect_same_curvature<float>(mesh);
    expect_same_curvature<double>(mesh);
  }
}

}  // namespace
}  // namespace tessera
