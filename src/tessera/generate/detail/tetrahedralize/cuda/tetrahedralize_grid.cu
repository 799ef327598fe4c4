// Grids cut into tetrahedra on a device: a thread for each point, a thread for each part.
#include <tessera/generate/detail/tetrahedralize/cuda/tetrahedralize.h>

#include <tessera/generate/detail/isosurface/grid_surface.h>
#include <tessera/generate/detail/common/blend.cuh>

namespace tessera::detail::cuda {
namespace {

using lattice::Numbering;

template <class T>
struct PlacePoint {
  Numbering numbers;
  LatticeFrame frame;
  Vec3<T>* points;
  TS_HD void operator()(std::size_t v) const {
    const Numbering::Place p = numbers.place_of(v);
    points[v] = vec_cast<T>(lattice::turned_at(frame, p.middle(0), p.middle(1), p.middle(2)));
  }
};

struct CutPart {
  lattice::TetPlan plan;
  TetMesh::Cell* cells;
  TS_HD void operator()(std::size_t t) const {
    const Numbering& numbers = plan.numbers;
    const std::size_t parts = lattice::parts_of(plan.method);
    const auto row = static_cast<std::uint32_t>(t / parts / numbers.cells[0]);  // ids are 32 bits
    const Numbering::Index3 at = {t / parts % numbers.cells[0], row % numbers.cells[1],
                                  row / numbers.cells[1]};
    const std::size_t p = t % parts;
    const auto corner = [&](std::uint8_t c) {
      return numbers.point(at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2));
    };
    cells[t] =
        plan.method == TetMethod::face_centred
            ? lattice::centred_part(plan.is_mirrored, p / 4, p % 4, lattice::middle_of(numbers, at, p / 4),
                                    VertexId(numbers.between(3, at)), corner)
            : lattice::part_of(plan.method, plan.is_mirrored, at, p, corner);
  }
};

template <class T>
Points place_points(const Exec& exec, const Grid& grid, const Numbering& numbers) {
  Buffer<Vec3<T>> points(exec, numbers.vertices());
  tessera::for_each(exec, points.size(), PlacePoint<T>{numbers, lattice::frame_of(grid), points.data()});
  return points.to_host();
}

}  // namespace

TetMesh cut_voxels(const Grid& grid, const lattice::TetPlan& plan, const Exec& exec) {
  TetMesh mesh;
  const Numbering& numbers = plan.numbers;
  mesh.points =
      plan.in_float ? place_points<float>(exec, grid, numbers) : place_points<double>(exec, grid, numbers);
  Buffer<TetMesh::Cell> cells(exec, grid.cell_count() * lattice::parts_of(plan.method));
  tessera::for_each(exec, cells.size(), CutPart{plan, cells.data()});
  mesh.cells = cells.to_host();
  if (plan.method == TetMethod::face_centred)
    mesh.point_data = cuda::blend(exec, grid.point_data, numbers.vertices(), lattice::CornerRule{numbers});
  return mesh;
}

}  // namespace tessera::detail::cuda
