// Critical points of a grid in a file, slab by slab.
#pragma once

#include <string_view>

#include <tessera/distribute/slabs.h>
#include <tessera/io/grid_file.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/topology/critical_points.h>

namespace tessera {

/// What critical_points() finds on the grid in memory, equal to the bit for any slabs and threads. Reads the
/// field once. Holds a slab with one ghost on each side, and 24 bytes for each critical point, 16 of them in
/// the result. Errors as critical_points() and GridFile::read(); a field that is not a number somewhere is
/// refused with the same sentence, after another pass over the file.
[[nodiscard]] CriticalPoints critical_points(const GridFile& file, std::string_view field,
                                             const SlabOptions& options = {});

/// Without the points that are found.
[[nodiscard]] SlabCost critical_points_slab_cost(const GridFile& file, const StoredField& field);

/// The points as make_poly() makes them of the grid in memory. Reads the layers that have points.
[[nodiscard]] PolyData make_poly(const CriticalPoints& points, const GridFile& file, std::string_view field,
                                 const Monitor* monitor = nullptr);

}  // namespace tessera
