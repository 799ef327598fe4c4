// Curvature on a device: a thread adds up the corners at a vertex, in their order.
#include <tessera/surface/detail/cuda/curvature.h>

#include <type_traits>

#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {
namespace {

struct CurvatureBuffers {
  Buffer<double> gaussian, mean, minimum, maximum, defect, area;
  Buffer<std::uint8_t> is_on_boundary;

  CurvatureBuffers(const Exec& exec, std::size_t vertices)
      : gaussian(exec, vertices),
        mean(exec, vertices),
        minimum(exec, vertices),
        maximum(exec, vertices),
        defect(exec, vertices),
        area(exec, vertices),
        is_on_boundary(exec, vertices) {}

  [[nodiscard]] CurvatureViews views() {
    return {gaussian.data(), mean.data(), minimum.data(),       maximum.data(),
            defect.data(),   area.data(), is_on_boundary.data()};
  }
  [[nodiscard]] Curvature to_host() const {
    return {gaussian.to_host(), mean.to_host(), minimum.to_host(),       maximum.to_host(),
            defect.to_host(),   area.to_host(), is_on_boundary.to_host()};
  }
};

template <class Stars, class Point>
void fill(const Exec& exec, std::size_t vertices, std::size_t corners, const Stars& stars,
          const Point* points, const CurvatureViews& out) {
  Buffer<std::uint32_t> ends(exec, 2 * corners);
  tessera::for_each(exec, vertices, SumCorners<Stars, Point>{stars, points, ends.data(), out});
  tessera::for_each(exec, vertices, ExtendToBoundary<Stars>{stars, ends.data(), out});
}

}  // namespace

Curvature compute_curvature(const TriMesh& mesh, const Exec& exec) {
  const std::size_t vertices = mesh.vertex_count();
  const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
  const std::span<const TriMesh::Cell> cell_span = cells.span();
  const RowBuffers<std::uint32_t> around = group_items(exec, corners_of(cell_span), vertices);
  CurvatureBuffers result(exec, vertices);
  mesh.points.visit([&](auto values) {
    using Point = std::remove_const_t<typename decltype(values)::element_type>;
    const Buffer<Point> points(exec, values);
    fill(exec, vertices, around.values.size(),
         CornerStars{around.view(), reinterpret_cast<const std::uint32_t*>(cells.data())}, points.data(),
         result.views());
  });
  return result.to_host();
}

template <class Real>
void fill_curvature(const VertexAttribute<Vec3<Real>>& positions, const CurvatureViews& out) {
  const Surface& surface = positions.surface();
  const auto rows = surface.rows<VF, OrientedFV>();
  fill(surface.exec(), positions.size(), 3 * surface.face_count(), FaceStars(rows), positions.view().data(),
       out);
}
template void fill_curvature<float>(const VertexAttribute<Vec3f>&, const CurvatureViews&);
template void fill_curvature<double>(const VertexAttribute<Vec3d>&, const CurvatureViews&);

}  // namespace tessera::detail::cuda
