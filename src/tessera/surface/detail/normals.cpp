#include <tessera/surface/normals.h>

#include <span>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/side.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/surface/detail/cuda/normals.h>
#include <tessera/surface/detail/normals_loops.h>

namespace tessera {

using namespace detail;
namespace {

constexpr const char* stage = "averaging normals";

const std::uint32_t* numbers_of(std::span<const VertexId> corners) {
  static_assert(sizeof(VertexId) == sizeof(std::uint32_t));
  return reinterpret_cast<const std::uint32_t*>(corners.data());
}

/// Checks the mesh and makes the numbers on the side that was asked for.
template <class OnDevice, class OnHost>
Field make_normals(const TriMesh& mesh, const NormalsOptions& options, const OnDevice& on_device,
                   const OnHost& on_host) {
  const Exec host = host_for(options.exec, mesh.cell_count());
  const Monitor& monitor = monitor_of(options.monitor);
  monitor.update(stage, 0);
  expect_usable(mesh, host);
  Array<float> numbers;
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) numbers = on_device(stoppable(options.exec, options.monitor));
  }
  if (!options.exec.is_cuda()) numbers = on_host(host);
  monitor.update(stage, 1);
  return {"Normals", std::move(numbers), 3};
}

}  // namespace

Field vertex_normals(const TriMesh& mesh, const NormalsOptions& options) {
  return make_normals(
      mesh, options, [&](const Exec& exec) { return cuda::vertex_normals(mesh, options.weights, exec); },
      [&](const Exec& exec) {
        Array<float> numbers(3 * mesh.vertex_count());
        const auto corners = corners_of(mesh.cells);
        const auto around = group_items(corners, mesh.vertex_count(), exec);
        mesh.points.visit([&](auto points) {
          make_vertex_normals(HostSide{exec}, points.size(), CornerStars{around.view(), numbers_of(corners)},
                              points.data(), reinterpret_cast<Vec3f*>(numbers.data()), options.weights);
        });
        return numbers;
      });
}

Field face_normals(const TriMesh& mesh, const NormalsOptions& options) {
  return make_normals(
      mesh, options, [&](const Exec& exec) { return cuda::face_normals(mesh, exec); },
      [&](const Exec& exec) {
        Array<float> numbers(3 * mesh.cell_count());
        mesh.points.visit([&]<class Point>(std::span<const Point> points) {
          host_for_each(exec, mesh.cell_count(),
                        FaceNormals<Point, float>{numbers_of(corners_of(mesh.cells)), points.data(),
                                                  reinterpret_cast<Vec3f*>(numbers.data())});
        });
        return numbers;
      });
}

template <class Real>
void fill_vertex_normals(const VertexAttribute<Vec3<Real>>& positions, VertexAttribute<Vec3<Real>>& normals,
                         NormalWeights weights) {
  const Exec& exec = positions.surface().exec();
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::fill_vertex_normals(positions, normals, weights);
  }
  make_vertex_normals(HostSide{exec}, positions, normals, weights);
}

template <class Real>
void fill_face_normals(const VertexAttribute<Vec3<Real>>& positions, FaceAttribute<Vec3<Real>>& normals) {
  const Exec& exec = positions.surface().exec();
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::fill_face_normals(positions, normals);
  }
  make_face_normals(HostSide{exec}, positions, normals);
}

template void fill_vertex_normals(const VertexAttribute<Vec3f>&, VertexAttribute<Vec3f>&, NormalWeights);
template void fill_vertex_normals(const VertexAttribute<Vec3d>&, VertexAttribute<Vec3d>&, NormalWeights);
template void fill_face_normals(const VertexAttribute<Vec3f>&, FaceAttribute<Vec3f>&);
template void fill_face_normals(const VertexAttribute<Vec3d>&, FaceAttribute<Vec3d>&);

}  // namespace tessera
