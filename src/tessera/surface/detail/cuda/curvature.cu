// Curvature on a device: a thread adds up the corners at a vertex, in their order.
#include <tessera/surface/detail/cuda/curvature.h>

#include <type_traits>

#include <tessera/generate/detail/common/small_sort.h>
#include <tessera/surface/detail/curvature_rules.h>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {
namespace {

struct CurvatureBuffers {
  Buffer<double> gaussian, mean, defect, area;
  Buffer<std::uint8_t> is_on_boundary;

  CurvatureBuffers(const Exec& exec, std::size_t vertices)
      : gaussian(exec, vertices),
        mean(exec, vertices),
        defect(exec, vertices),
        area(exec, vertices),
        is_on_boundary(exec, vertices) {}
};

template <class Vector>
struct SumCorners {
  const TriMesh::Cell* cells;
  const Vector* points;
  RowsView<std::uint32_t> around;
  std::uint32_t* ends;  ///< of each vertex the next and the previous ones of its corners, ascending at last
  double *gaussian, *mean, *defect, *area;
  std::uint8_t* is_on_boundary;

  TS_HD void operator()(std::size_t v) const {
    CurvatureShare sum;
    const std::size_t first = 2 * std::size_t{around.offsets[v]};
    std::uint32_t* end = ends + first;
    for (const std::uint32_t item : around[v]) {
      const TriMesh::Cell cell = cells[item / 3];
      const VertexId corner[3] = {cell[item % 3], cell[(item % 3 + 1) % 3], cell[(item % 3 + 2) % 3]};
      const auto at = [&](int c) { return vec_cast<double>(points[corner[c].index()]); };
      sum.add(CurvatureCorner(at(0), at(1), at(2)).share());
      *end++ = corner[1].index();
      *end++ = corner[2].index();
    }
    sort_few(ends + first, end);
    const bool is_open = has_open_edge(static_cast<std::uint32_t>(v),
                                       {ends + first, static_cast<std::size_t>(end - ends) - first});
    const VertexCurvature here(sum, is_open);
    gaussian[v] = here.gaussian;
    mean[v] = here.mean;
    defect[v] = here.defect;
    area[v] = sum.area;
    is_on_boundary[v] = is_open ? 1 : 0;
  }
};

/// Gives a vertex on the boundary the mean of its neighbours inside, in ascending order.
struct ExtendToBoundary {
  RowsView<std::uint32_t> around;
  const std::uint32_t* ends;
  const std::uint8_t* is_on_boundary;
  double *gaussian, *mean;

  TS_HD void operator()(std::size_t v) const {
    if (is_on_boundary[v] == 0) return;
    const std::size_t first = 2 * std::size_t{around.offsets[v]};
    const std::size_t last = 2 * std::size_t{around.offsets[v + 1]};
    double count = 0;
    double gaussian_sum = gaussian[v];
    double mean_sum = mean[v];
    for (std::size_t i = first; i < last; ++i) {
      if ((i > first && ends[i] == ends[i - 1]) || is_on_boundary[ends[i]] != 0) continue;
      gaussian_sum += gaussian[ends[i]];
      mean_sum += mean[ends[i]];
      ++count;
    }
    if (count == 0) return;
    gaussian[v] = gaussian_sum / count;
    mean[v] = mean_sum / count;
  }
};

}  // namespace

Curvature compute_curvature(const TriMesh& mesh, const Exec& exec) {
  const std::size_t vertices = mesh.vertex_count();
  const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
  const std::span<const TriMesh::Cell> cell_span = cells.span();
  const RowBuffers<std::uint32_t> around = group_items(exec, corners_of(cell_span), vertices);
  Buffer<std::uint32_t> ends(exec, 2 * around.values.size());
  CurvatureBuffers result(exec, vertices);
  mesh.points.visit([&](auto values) {
    using Vector = std::remove_const_t<typename decltype(values)::element_type>;
    const Buffer<Vector> points(exec, values);
    tessera::for_each(exec, vertices,
                      SumCorners<Vector>{cells.data(), points.data(), around.view(), ends.data(),
                                         result.gaussian.data(), result.mean.data(), result.defect.data(),
                                         result.area.data(), result.is_on_boundary.data()});
  });
  tessera::for_each(exec, vertices,
                    ExtendToBoundary{around.view(), ends.data(), result.is_on_boundary.data(),
                                     result.gaussian.data(), result.mean.data()});
  return {result.gaussian.to_host(), result.mean.to_host(), result.defect.to_host(), result.area.to_host(),
          result.is_on_boundary.to_host()};
}

}  // namespace tessera::detail::cuda
