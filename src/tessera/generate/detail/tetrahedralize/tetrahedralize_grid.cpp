#include <array>
#include <string>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/blend.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/isosurface/grid_surface.h>
#include <tessera/generate/detail/tetrahedralize/cuda/tetrahedralize.h>
#include <tessera/generate/detail/tetrahedralize/lattice_tets.h>
#include <tessera/generate/tetrahedralize.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

using lattice::Numbering;
using lattice::parts_of;

void check_grid(const Grid& grid, TetMethod method) {
  const auto dims = grid.dims;
  if (dims[0] < 2 || dims[1] < 2 || dims[2] < 2) {
    throw Error(ErrorCode::unsupported, "a grid of " + std::to_string(dims[0]) + " x " +
                                            std::to_string(dims[1]) + " x " + std::to_string(dims[2]) +
                                            " points has no volume to be cut into tetrahedra");
  }
  const double points = 1.0 * dims[0] * dims[1] * dims[2];
  const double cells = 1.0 * (dims[0] - 1) * (dims[1] - 1) * (dims[2] - 1);
  expect_ids(cells * static_cast<double>(parts_of(method)), "tetrahedra");
  expect_ids(method == TetMethod::face_centred ? 5 * points : points, "points");
}

bool is_float(double x) {
  return static_cast<double>(static_cast<float>(x)) == x;
}

/// Can floats hold every coordinate, those in the middle between points too? Only looked for along the axes,
/// which is enough if they are not turned.
bool fits_float(const Grid& grid, bool with_middles) {
  if (grid.direction != Grid{}.direction) return false;
  const auto fits = [&](uint32_t n, double origin, double spacing) {
    for (uint32_t i = 0; i < 2 * n - 1; i += with_middles ? 1 : 2) {
      if (!is_float(origin + spacing * (0.5 * i))) return false;
    }
    return true;
  };
  return fits(grid.dims[0], grid.origin.x, grid.spacing.x) &&
         fits(grid.dims[1], grid.origin.y, grid.spacing.y) &&
         fits(grid.dims[2], grid.origin.z, grid.spacing.z);
}

template <class T>
Points list_points(const Grid& grid, const Numbering& numbers, const Exec& exec) {
  Array<Vec3<T>> points(numbers.vertices());
  const LatticeFrame frame = lattice::frame_of(grid);
  const size_t rows = numbers.points[1] * numbers.points[2];
  host::for_each_share(
      exec.threads(), rows,
      [&](host::Range range) {
        for (size_t row = range.begin; row < range.end; ++row) {
          const auto y = static_cast<double>(row % numbers.points[1]);
          const auto z = static_cast<double>(row / numbers.points[1]);
          Vec3<T>* to = points.data() + row * numbers.points[0];
          for (size_t i = 0; i < numbers.points[0]; ++i)
            to[i] = vec_cast<T>(lattice::turned_at(frame, static_cast<double>(i), y, z));
        }
      },
      16);
  const size_t before = numbers.first[0];
  host_for_each(exec, points.size() - before, [&](size_t v) {
    const Numbering::Place p = numbers.place_of(before + v);
    points[before + v] = vec_cast<T>(lattice::turned_at(frame, p.middle(0), p.middle(1), p.middle(2)));
  });
  return points;
}

/// Does the lattice turn right-handed axes into left-handed ones?
bool is_mirrored(const Grid& grid) {
  const auto& d = grid.direction;
  const double turn = dot(cross(Vec3d{d[0], d[3], d[6]}, Vec3d{d[1], d[4], d[7]}), Vec3d{d[2], d[5], d[8]});
  return turn * grid.spacing.x * grid.spacing.y * grid.spacing.z < 0;
}

template <TetMethod Method>
Array<TetMesh::Cell> cut_voxels(const lattice::TetPlan& plan, const Exec& exec) {
  constexpr size_t parts = parts_of(Method);
  const Numbering& numbers = plan.numbers;
  const size_t in_row = numbers.cells[0];
  const size_t rows_in_layer = numbers.cells[1];
  Array<TetMesh::Cell> cells(in_row * rows_in_layer * numbers.cells[2] * parts);
  const auto cut_row = [&](size_t row) {
    const size_t j = row % rows_in_layer;
    const size_t k = row / rows_in_layer;
    std::array<uint32_t, 8> corner;
    for (size_t c = 0; c < 8; ++c) corner[c] = numbers.point(c & 1, j + (c >> 1 & 1), k + (c >> 2));
    TetMesh::Cell* to = cells.data() + row * in_row * parts;
    for (size_t i = 0; i < in_row; ++i) {
      const auto at = [&](std::uint8_t c) { return corner[c]; };
      if constexpr (Method == TetMethod::face_centred) {
        const VertexId centre(numbers.between(3, {i, j, k}));
        for (size_t f = 0; f < 6; ++f) {
          const VertexId middle = lattice::middle_of(numbers, {i, j, k}, f);
          for (size_t e = 0; e < 4; ++e)
            *to++ = lattice::centred_part(plan.is_mirrored, f, e, middle, centre, at);
        }
      } else {
        for (size_t p = 0; p < parts; ++p)
          *to++ = lattice::part_of(Method, plan.is_mirrored, {i, j, k}, p, at);
      }
      for (uint32_t& c : corner) ++c;
    }
  };
  host::for_each_chunk(exec.threads(), rows_in_layer * numbers.cells[2], 16, [&](host::Range range, int) {
    for (size_t row = range.begin; row < range.end; ++row) cut_row(row);
  });
  return cells;
}

TetMesh cut_on_host(const Grid& grid, const lattice::TetPlan& plan, const Exec& exec) {
  TetMesh mesh;
  const Numbering& numbers = plan.numbers;
  mesh.points =
      plan.in_float ? list_points<float>(grid, numbers, exec) : list_points<double>(grid, numbers, exec);
  switch (plan.method) {
    case TetMethod::five: mesh.cells = cut_voxels<TetMethod::five>(plan, exec); break;
    case TetMethod::six: mesh.cells = cut_voxels<TetMethod::six>(plan, exec); break;
    case TetMethod::face_centred:
      mesh.cells = cut_voxels<TetMethod::face_centred>(plan, exec);
      mesh.point_data = blend(grid.point_data, numbers.vertices(), lattice::CornerRule{numbers}, exec);
      break;
  }
  return mesh;
}

}  // namespace

Tetrahedralization tetrahedralize(const Grid& grid, const TetrahedralizeOptions& options) {
  check_grid(grid, options.method);
  expect_tuples(grid.point_data, grid.vertex_count(), "points");
  expect_tuples(grid.cell_data, grid.cell_count(), "cells");
  const Exec exec = host_for(options.exec, grid.cell_count());
  const bool centred = options.method == TetMethod::face_centred;
  const lattice::TetPlan plan{Numbering(grid, options.method), options.method, fits_float(grid, centred),
                              is_mirrored(grid)};
  monitor_of(options.monitor).update("cutting cells", 0);
  Tetrahedralization result;
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda())
      result.mesh = cuda::cut_voxels(grid, plan, stoppable(options.exec, options.monitor));
  }
  if (!options.exec.is_cuda()) result.mesh = cut_on_host(grid, plan, exec);
  monitor_of(options.monitor).update("bringing data over", 0.5);
  if (!centred) result.mesh.point_data = grid.point_data;
  const size_t parts = parts_of(options.method);
  result.mesh.cell_data = repeat(grid.cell_data, grid.cell_count(), parts);
  result.mesh.field_data = grid.field_data;
  if (options.keep_provenance) {
    result.cells.resize(result.mesh.cell_count());
    host_for_each(exec, result.cells.size(),
                  [&](size_t t) { result.cells[t] = static_cast<uint32_t>(t / parts); });
  }
  return result;
}

Bytes tetrahedralization_bytes(const Grid& grid, TetMethod method) {
  check_grid(grid, method);
  return Numbering(grid, method).vertices() * sizeof(Vec3d) +
         grid.cell_count() * parts_of(method) * sizeof(TetMesh::Cell);
}

Work tetrahedralization_work(const Grid& grid, TetMethod method) {
  const Bytes bytes = tetrahedralization_bytes(grid, method);
  return {0.4e-9 * static_cast<double>(bytes), bytes + grid.bytes()};
}

}  // namespace tessera
