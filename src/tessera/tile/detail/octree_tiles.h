// How an octree's leaves become tiles: shared by partition_octree() and the tiler on a device.
#pragma once

#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/detail/morton.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// The box grown to a cube, so that leaves are not drawn out along short axes.
[[nodiscard]] Box cube_around(const Box& box);
/// The cube whose octree partition_octree() cuts.
[[nodiscard]] Box octree_cube(const Points& points, const Exec& exec = Exec::host());
/// Where the tiles of partition_octree() begin, and their end, from the same of its leaves: runs of small
/// leaves become one tile.
[[nodiscard]] Array<std::uint32_t> join_leaves(std::span<const std::uint32_t> leaves,
                                               std::uint32_t max_vertices);

}  // namespace tessera::detail
