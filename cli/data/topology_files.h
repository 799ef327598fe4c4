// Results of topology as poly data with TTK's array names. docs/topology.md lists the arrays.
//
// Vertices lie at themselves, other cells at their barycentres.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tessera/mesh/poly_data.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/gradient.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/simplification.h>

#include "data/cell_numbers.h"

namespace tessera::cli {

/// The critical cells of a dimension as files describe them.
struct CriticalList {
  Array<std::uint32_t> ids;      ///< CellId
  Array<std::uint32_t> highest;  ///< vertices of the input
  Array<std::uint32_t> lowest;
  Array<std::int8_t> on_boundary;  ///< TTK's rule: is the highest vertex?
};

/// All that is written about a gradient or a complex refers to its critical cells.
template <int Dim>
struct CriticalTable {
  std::array<CriticalList, Dim + 1> of;  ///< by dimension
};

template <int Dim>
[[nodiscard]] CriticalTable<Dim> make_critical_table(Session& session, const Domain<Dim>& domain,
                                                     const Gradient<Dim>& gradient,
                                                     const CellNumbers<Dim>& numbers);

template <int Dim>
[[nodiscard]] PolyData make_point_poly(const Domain<Dim>& domain, const CriticalPoints& points);

struct CellPolyOptions {
  const Segmentation* segmentation = nullptr;     ///< gives the sizes of the extrema's manifolds
  const SimplifiedComplex* simplified = nullptr;  ///< only cells that are left are written
};

template <int Dim>
[[nodiscard]] PolyData make_cell_poly(const Domain<Dim>& domain, const Gradient<Dim>& gradient,
                                      const CriticalTable<Dim>& table, const CellPolyOptions& options = {});

/// A line from each cell to the one it is paired with.
template <int Dim>
[[nodiscard]] PolyData make_pair_poly(Session& session, const Domain<Dim>& domain,
                                      const Gradient<Dim>& gradient, const CellNumbers<Dim>& numbers);

/// A polyline for each separatrix.
template <int Dim>
[[nodiscard]] PolyData make_separatrix_poly(Session& session, const Domain<Dim>& domain,
                                            const MorseSmaleComplex<Dim>& complex,
                                            const CriticalTable<Dim>& table, const CellNumbers<Dim>& numbers);

/// Triangles of descending walls, then polygons of ascending ones.
[[nodiscard]] PolyData make_wall_poly(const Domain<3>& domain, const MorseSmaleComplex<3>& complex,
                                      const CriticalTable<3>& table);

/// `SeparatrixFunctionMaximum`, `Minimum` and `Difference`: values of the field at the highest and the lowest
/// vertex of each cell.
void add_function_range(FieldSet& fields, const Field& field, const Array<std::uint32_t>& highest,
                        const Array<std::uint32_t>& lowest);

}  // namespace tessera::cli
