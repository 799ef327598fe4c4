// Critical points of a grid in a file, slab by slab.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include <tessera/distribute/slabs.h>
#include <tessera/io/grid_file.h>
#include <tessera/io/io.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/topology/critical_points.h>

namespace tessera {

/// What critical_points() finds on the grid in memory, equal to the bit for any slabs and threads. Reads the
/// field once. Holds a slab with one ghost on each side, and 24 bytes for each critical point, 16 of them in
/// the result. Errors as critical_points() and GridFile::read(); a field that is not a number somewhere is
/// refused with the same sentence, after another pass over the file.
[[nodiscard]] CriticalPoints critical_points(const GridFile& file, std::string_view field,
                                             const SlabOptions& options = {});

/// The points as make_poly() makes them of the grid in memory. Reads the layers that have points.
[[nodiscard]] PolyData make_poly(const CriticalPoints& points, const GridFile& file, std::string_view field,
                                 const Monitor* monitor = nullptr);

/// How many there are of each type, minimum to degenerate. Holds a slab, and 8 bytes for each of its points.
[[nodiscard]] std::array<std::size_t, 5> count_critical_points(const GridFile& file, std::string_view field,
                                                               const SlabOptions& options = {});

struct SlabPointsOptions {
  SlabOptions slabs;
  WriteOptions write;  ///< as write_poly(); Error(bad_option) for text and compression
};

/// Writes what write_poly() writes of make_poly(), the same bytes, however many points there are: it reads
/// the field twice, to count and to write, and holds what count_critical_points() does. The file is a vtp
/// file and appears complete or not at all. Gives the counts.
std::array<std::size_t, 5> write_critical_points(const GridFile& file, std::string_view field,
                                                 const std::filesystem::path& output,
                                                 const SlabPointsOptions& options = {});

/// Of the functions above, without points that they keep.
[[nodiscard]] SlabCost critical_points_slab_cost(const GridFile& file, const StoredField& field);

}  // namespace tessera
