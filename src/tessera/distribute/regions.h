// The regions of a Morse-Smale complex of a grid in a file, slab by slab.
//
// A slab follows its vertices down and its cells up until they end or leave. What leaves into the next slab
// waits for it; what leaves into the last one is known there already. So the first pass writes labels that
// are either final or names of what waits, and the second one looks those up.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include <tessera/distribute/slabs.h>
#include <tessera/io/grid_file.h>
#include <tessera/io/io.h>
#include <tessera/topology/morse_smale.h>

namespace tessera {

/// What is known of a complex beside the labels.
struct RegionSummary {
  std::array<std::size_t, 4> critical_cells = {};  ///< by dimension
  Segmentation::Counts regions;
};

struct SlabRegionOptions {
  SlabOptions slabs;
  /// Where labels are written to, as write_mesh() writes: an open file must be readable, too.
  /// Error(bad_option) for text and compression.
  WriteOptions write;
  /// The file is the grid with its fields and regions. Without it, the file is only used to count regions,
  /// and is not finished.
  bool keeps_file = true;
};

/// Writes the grid of a file with the fields that add_manifolds() adds: the bytes that write_mesh() writes of
/// the grid in memory with the labels of compute_segmentation(), for any slabs and threads. The file appears
/// complete or not at all; its name must end in .vti. Reads every field once, and computes the gradient once.
/// Holds a slab with ghosts, two before and one after, about 5 bytes for each vertex of each border between
/// slabs, and 20 for each pair of labels. Errors as compute_gradient() of a grid and GridFile::read(), and
/// those of GridWriter; a grid may have as many points as ids can name, a slab 613 million.
RegionSummary write_regions(const GridFile& file, std::string_view field, const std::filesystem::path& output,
                            const SlabRegionOptions& options = {});

[[nodiscard]] SlabCost regions_slab_cost(const GridFile& file, const StoredField& field);

}  // namespace tessera
