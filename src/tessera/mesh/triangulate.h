// Grids as simplices: every voxel cut into six tetrahedra around its diagonal (Kuhn 1960, Freudenthal 1942),
// every pixel into two triangles.
//
//   voxel at p, steps dx < dy < dz along the axes: one tetrahedron for each order of the axes,
//
//     p, p + dx, p + dx + dy, p + dx + dy + dz      all six share p and the diagonal to p + dx + dy + dz,
//     p, p + dx, p + dx + dz, p + dx + dy + dz      and neighbouring voxels cut the square between them
//     p, p + dy, ...                                by the same diagonal
//
// Vertices keep the order of the lattice. Corners ascend, and so do cells, so that tile() needs no copy.
#pragma once

#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// Axes with more than one point.
[[nodiscard]] int dimension(const Grid& grid);

/// What triangulate() takes for points and cells; fields come on top: point data once, cell data for each
/// part. Error(unsupported) as triangulate().
[[nodiscard]] Bytes triangulation_bytes(const Grid& grid);

/// A TetMesh of a grid with three axes, a TriMesh of one with two, in any direction. Points are floats if
/// that loses nothing, else doubles. Point data is carried, cell data repeated for the parts of a cell. O(n),
/// the same bytes for any number of threads. Error(unsupported), before memory is taken, if the grid has
/// fewer axes or more points or parts than ids.
[[nodiscard]] AnyMesh triangulate(const Grid& grid, const Exec& exec = Exec::host());

}  // namespace tessera
