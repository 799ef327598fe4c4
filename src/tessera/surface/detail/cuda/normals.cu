#include <tessera/surface/detail/cuda/normals.h>

#include <span>
#include <type_traits>

#include <tessera/surface/detail/normals_loops.h>
#include <tessera/exec/detail/side.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {
namespace {

const std::uint32_t* numbers_of(const Buffer<TriMesh::Cell>& cells) {
  return reinterpret_cast<const std::uint32_t*>(cells.data());
}

}  // namespace

Array<float> vertex_normals(const TriMesh& mesh, NormalWeights weights, const Exec& exec) {
  const std::size_t vertices = mesh.vertex_count();
  const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
  const std::span<const TriMesh::Cell> cell_span = cells.span();
  const RowBuffers<std::uint32_t> around = group_items(exec, corners_of(cell_span), vertices);
  Buffer<float> normals(exec, 3 * vertices);
  mesh.points.visit([&](auto values) {
    using Point = std::remove_const_t<typename decltype(values)::element_type>;
    const Buffer<Point> points(exec, values);
    make_vertex_normals(DeviceSide{exec}, vertices, CornerStars{around.view(), numbers_of(cells)},
                        points.data(), reinterpret_cast<Vec3f*>(normals.data()), weights);
  });
  return normals.to_host();
}

Array<float> face_normals(const TriMesh& mesh, const Exec& exec) {
  const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
  Buffer<float> normals(exec, 3 * mesh.cell_count());
  mesh.points.visit([&](auto values) {
    using Point = std::remove_const_t<typename decltype(values)::element_type>;
    const Buffer<Point> points(exec, values);
    cuda::for_each(exec, mesh.cell_count(),
                   FaceNormals<Point, float>{numbers_of(cells), points.data(),
                                             reinterpret_cast<Vec3f*>(normals.data())});
  });
  return normals.to_host();
}

template <class Real>
void fill_vertex_normals(const VertexAttribute<Vec3<Real>>& positions, VertexAttribute<Vec3<Real>>& normals,
                         NormalWeights weights) {
  make_vertex_normals(DeviceSide{positions.surface().exec()}, positions, normals, weights);
}
template <class Real>
void fill_face_normals(const VertexAttribute<Vec3<Real>>& positions, FaceAttribute<Vec3<Real>>& normals) {
  make_face_normals(DeviceSide{positions.surface().exec()}, positions, normals);
}

template void fill_vertex_normals(const VertexAttribute<Vec3f>&, VertexAttribute<Vec3f>&, NormalWeights);
template void fill_vertex_normals(const VertexAttribute<Vec3d>&, VertexAttribute<Vec3d>&, NormalWeights);
template void fill_face_normals(const VertexAttribute<Vec3f>&, FaceAttribute<Vec3f>&);
template void fill_face_normals(const VertexAttribute<Vec3d>&, FaceAttribute<Vec3d>&);

}  // namespace tessera::detail::cuda
