// Partitions: which vertex lies in which tile, before anything is renumbered.
#pragma once

#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// The vertices tile by tile.
struct Partition {
  Array<std::uint32_t>
      order;  ///< input vertex ids: those of tile 0, then those of tile 1, ...; empty: 0, 1, ...
  Array<std::uint32_t> offsets;  ///< tile t is order[offsets[t] .. offsets[t + 1])

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

/// Leaves of a PR octree over the points' bounding cube, neighbours in Morton order joined while they fit one
/// tile. Vertices are in Morton order throughout, equal codes by input id, so that the numbering is the same
/// for any size of tiles.
[[nodiscard]] Partition partition_octree(const Points& points, std::uint32_t max_vertices,
                                         const Exec& exec = Exec::host());

/// The input's order cut into runs of `max_vertices`, for meshes whose order is local already.
[[nodiscard]] Partition partition_in_order(std::size_t vertices, std::uint32_t max_vertices);

/// The caller's own tiles: `tile_of[v]` for each vertex. Tiles are taken in ascending order of their number;
/// numbers that are not used make no tile. Error(bad_mesh) if the array does not fit the points.
[[nodiscard]] Partition partition_given(std::span<const std::uint32_t> tile_of, std::size_t vertices,
                                        const Exec& exec = Exec::host());

}  // namespace tessera
