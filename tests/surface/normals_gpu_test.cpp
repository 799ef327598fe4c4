// Normals of a device are those of the host, byte for byte.
#include <gtest/gtest.h>

#include <vector>

#include <tessera/exec/exec.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/normals.h>
#include <tessera/surface/surface.h>

#include "surface/on_both_sides.h"

namespace tessera {
namespace {

class DeviceNormals : public test::OnDevice {};

constexpr NormalWeights all_weights[] = {NormalWeights::area, NormalWeights::angle, NormalWeights::uniform};

TEST_F(DeviceNormals, OfMeshesAreTheHosts) {
  for (const TriMesh& mesh : test::surfaces_of_both()) {
    for (const NormalWeights weights : all_weights) {
      EXPECT_TRUE(vertex_normals(mesh, {.weights = weights, .exec = Exec::cuda(0)}) ==
                  vertex_normals(mesh, {.weights = weights}));
    }
    EXPECT_TRUE(face_normals(mesh, {.exec = Exec::cuda(0)}) == face_normals(mesh));
  }
}

template <class Real>
void expect_same_of_surfaces(const TriMesh& mesh) {
  const Surface host(mesh, {.max_vertices = 256});
  const Surface device(mesh, {.exec = Exec::cuda(0), .max_vertices = 256});
  const auto make = [](const Surface& surface, NormalWeights weights) {
    VertexAttribute<Vec3<Real>> normals(surface);
    fill_vertex_normals(positions<Real>(surface), normals, weights);
    return normals.values();
  };
  for (const NormalWeights weights : all_weights)
    test::expect_same_bytes(make(device, weights), make(host, weights));
  const auto make_of_faces = [](const Surface& surface) {
    FaceAttribute<Vec3<Real>> normals(surface);
    fill_face_normals(positions<Real>(surface), normals);
    return normals.values();
  };
  test::expect_same_bytes(make_of_faces(device), make_of_faces(host));
}

TEST_F(DeviceNormals, OfSurfacesAreTheHosts) {
  for (const TriMesh& mesh : test::surfaces_of_both()) {
    expect_same_of_surfaces<float>(mesh);
    expect_same_of_surfaces<double>(mesh);
  }
}

}  // namespace
}  // namespace tessera
