// Grids as simplices: every voxel cut into six tetrahedra around a diagonal (Kuhn 1960, Freudenthal 1942),
// every pixel into two triangles. The diagonals are TTK's.
//
//   voxel at p, steps x < y < z along the axes: one tetrahedron for each order of the steps -x, y and z,
//
//     p + x, p, p + y, p + y + z            all six share the diagonal from p + x to p + y + z,
//     p + x, p, p + z, p + y + z            and neighbouring voxels cut the square between them
//     p + x, p + x + y, ...                 by the same diagonal
//
// An axis of one point counts as none: a pixel at p is cut from p + x to p + y, whichever its axes are.
// Vertices keep the order of the lattice. Corners ascend, and so do cells, so that tile() needs no copy and
// the place of a cell is its canonical id.
//
// On a periodic axis there are as many voxels as points: those of the last point end at the first one.
// Vertices stay where they are, so the cells of these voxels reach across the whole grid.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/periodic_axes.h>

namespace tessera {

/// Axes with more than one point.
[[nodiscard]] int dimension(const Grid& grid);

/// What triangulate() takes for points and cells; fields come on top: point data once, cell data for each
/// part. Errors as triangulate().
[[nodiscard]] Bytes triangulation_bytes(const Grid& grid, const PeriodicAxes& periodic = {});

/// A TetMesh of a grid with three axes, a TriMesh of one with two, in any direction. Points are floats if
/// that loses nothing, else doubles. Point data is carried, cell data repeated for the parts of a cell, which
/// do not follow each other. With periodic axes cell data is left out: the voxels at the seam have none.
/// O(n), the same bytes for any number of threads. Before memory is taken: Error(unsupported) if the grid has
/// fewer axes or more points or parts than ids, Error(bad_option) as check_periodic().
[[nodiscard]] AnyMesh triangulate(const Grid& grid, const Exec& exec = Exec::host(),
                                  const PeriodicAxes& periodic = {});
/// The same on all host threads.
[[nodiscard]] inline AnyMesh triangulate(const Grid& grid, const PeriodicAxes& periodic) {
  return triangulate(grid, Exec::host(), periodic);
}

/// The points that triangulate() makes, where they are needed. The grid must outlive it.
class GridPoints {
 public:
  explicit GridPoints(const Grid& grid);

  [[nodiscard]] bool is_double() const { return is_double_; }
  [[nodiscard]] Vec3d operator[](VertexId v) const;
  /// By its place along the axes, which may be behind the last one.
  [[nodiscard]] Vec3d at(const std::array<std::uint32_t, 3>& place) const;
  [[nodiscard]] Points gather(std::span<const std::uint32_t> vertices) const;

 private:
  const Grid& grid_;
  bool is_double_;
};

}  // namespace tessera
