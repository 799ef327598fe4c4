// Structured and rectilinear grids: points in the order of a lattice, which lie anywhere or on given
// coordinates.
#pragma once

#include <array>

#include <tessera/io/detail/cells.h>

namespace tessera::detail::io {

/// The grid's dimensions and fields with one point for each of its places. A Grid if the points are uniform:
/// every coordinate lies within 1e-6 of the step, and the rounding of its type, of where equal steps along
/// the axes of space put it. Otherwise quads or hexahedra.
[[nodiscard]] Dataset make_structured(Grid grid, Points points);

/// The same for points on the coordinates of three axes. Refuses coordinates that stand for far more points
/// than the file has bytes, unless it holds fields for them.
[[nodiscard]] Dataset make_rectilinear(const Input& input, Grid grid, const std::array<Field, 3>& axes);

/// The quads or hexahedra of a grid; refuses as make_rectilinear() does.
[[nodiscard]] RawCells make_grid_cells(const Input& input, Grid grid);

}  // namespace tessera::detail::io
