// The steps of marching cubes on a lattice, host side; isosurface() puts them together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/exec.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/detail/isosurface/lattice_bits.h>
#include <tessera/generate/provenance.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::lattice {

/// Bits of a lattice for one isovalue, and where each row's vertices and triangles begin.
struct Level {
  Array<std::uint64_t> high;
  Array<RowCounts> first;  ///< of each row, and the ends
};

/// How many rows a worker takes at once: enough points that small grids stay on one thread.
[[nodiscard]] inline std::size_t rows_at_once(const View& view) {
  constexpr std::size_t points = 65536;
  return std::max<std::size_t>(8, points / view.nx);
}

/// The frame of a grid's points.
[[nodiscard]] LatticeFrame frame_of(const Grid& grid);
/// Bits without values yet: which words, how many.
[[nodiscard]] View view_of(const Grid& grid);

/// Writes the high bits of every level in one pass over the values; says whether there is a NaN.
template <class T>
[[nodiscard]] bool fill_high_bits(std::span<const T> values, const View& shape, Isovalues<T> isovalues,
                                  std::span<Level> levels, const Exec& exec);
/// A bit for each cell none of whose corners is NaN.
template <class T>
[[nodiscard]] Array<std::uint64_t> find_whole_cells(std::span<const T> values, const View& shape,
                                                    const Exec& exec);

struct Totals {
  std::uint64_t vertices = 0;
  std::uint64_t triangles = 0;
};
/// Counts every row and sums up, beginning at `begin`; returns the end, which 32 bits may not hold.
[[nodiscard]] Totals number_rows(const View& view, Totals begin, Array<RowCounts>& first, const Exec& exec);

/// What vertices are written to; what is empty is not wanted.
template <class Real>
struct VertexOutput {
  std::span<Vec3<Real>> points;
  std::span<Vec3f> normals;
  std::span<std::array<std::uint64_t, 2>> edges;
  std::span<double> weights;
};

/// Rows whose vertices and triangles are written, with the numbers of all rows. The lattice may be a part of
/// the one that the output is of: layers from `first_layer` on.
struct NumberedRows {
  const View& view;
  std::span<const RowCounts> first;
  host::Range range;
  std::uint32_t first_layer = 0;
};

template <class T, class Real>
void fill_vertices(const LatticeValues<T>& field, const LatticeFrame& frame, const NumberedRows& rows,
                   const Isovalue<T>& isovalue, const VertexOutput<Real>& out, const Exec& exec);
void fill_triangles(const NumberedRows& rows, std::span<std::array<VertexId, 3>> triangles,
                    std::span<std::uint64_t> cells, const Exec& exec);

}  // namespace tessera::detail::lattice
