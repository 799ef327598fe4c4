// Critical points of some rows of a lattice. Those of a grid are those of all its rows, joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/detail/grid_neighbours.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/topology/critical_points.h>

namespace tessera::detail {

/// Rows of a lattice whose vertices are looked at. The values at hand are those of whole rows, from
/// `first_value` on, and of all neighbours of these vertices.
struct LatticeRows {
  GridLattice lattice;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t first_value = 0;
};

/// A critical point while it is not known how many there are.
struct FoundPoint {
  std::uint32_t vertex;
  CriticalType type;
  bool is_on_boundary;
  std::uint8_t lower_pieces;
  std::uint8_t upper_pieces;

  [[nodiscard]] CriticalPoint point() const {
    return {VertexId(vertex), type, is_on_boundary, lower_pieces, upper_pieces};
  }
};

struct FoundPoints {
  std::vector<std::vector<FoundPoint>> chunks;  ///< ascending by vertex, one after the other
  bool has_nan = false;                         ///< is a value of these rows not a number?
};

[[nodiscard]] FoundPoints find_critical_points(const LatticeRows& rows, const Field& values, const Exec& exec,
                                               const Monitor& monitor);

/// The points of chunks that follow each other, which are given back on the way.
[[nodiscard]] CriticalPoints join_points(std::vector<std::vector<FoundPoint>> found, const Exec& exec);

/// make_poly() with the values of the field at the points alone. The grid may have no fields.
[[nodiscard]] PolyData make_poly_with_values(const CriticalPoints& points, const Grid& grid, Field values);

}  // namespace tessera::detail
