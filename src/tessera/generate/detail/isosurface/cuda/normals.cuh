// Normals of isosurfaces in the memory of a device.
#pragma once

#include <tessera/generate/detail/isosurface/normals.h>
#include <tessera/generate/resident.h>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {

template <class Vector>
struct AverageNormal {
  const Vector* points;
  const TriMesh::Cell* cells;
  RowsView<FaceId> around;
  Vec3f* normals;
  TS_HD void operator()(std::size_t v) const { normals[v] = averaged_normal(points, cells, around[v]); }
};
/// Gives a surface the normals of its triangles. 28 bytes a corner for a moment.
template <class Real>
void average_normals(const Exec& exec, SurfaceBuffers<Real>& surface) {
  using Vector = Vec3<Real>;
  const RowBuffers<FaceId> around =
      vertex_incidence<FaceId, 3>(exec, std::as_const(surface.cells).span(), surface.points.size());
  surface.normals = Buffer<Vec3f>(exec, surface.points.size());
  tessera::for_each(exec, surface.points.size(),
                    AverageNormal<Vector>{surface.points.data(), surface.cells.data(), around.view(),
                                          surface.normals.data()});
}

template <class T, class Vector>
struct PointGradient {
  const Vector* points;
  const T* values;
  const TetMesh::Cell* tets;
  RowsView<TetId> around;
  Vec3d* gradients;
  TS_HD void operator()(std::size_t v) const {
    gradients[v] = point_gradient(points, values, tets, around[v]);
  }
};
/// The point_gradient() of each point.
template <class T, class Real>
[[nodiscard]] Buffer<Vec3d> point_gradients(const Exec& exec, const ResidentTets<Real>& mesh,
                                            const T* values) {
  const RowBuffers<TetId> around = vertex_incidence<TetId, 4>(exec, mesh.cells, mesh.points.size());
  Buffer<Vec3d> gradients(exec, mesh.points.size());
  tessera::for_each(exec, mesh.points.size(),
                    PointGradient<T, Vec3<Real>>{mesh.points.data(), values, mesh.cells.data(), around.view(),
                                                 gradients.data()});
  return gradients;
}

}  // namespace tessera::detail::cuda
