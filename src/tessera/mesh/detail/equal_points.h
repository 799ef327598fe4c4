// Points that lie together, by their coordinates alone.
#pragma once

#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// Groups are numbered by their first point. Invariant: connections[first[g]] is g, and no earlier point's.
struct PointGroups {
  Array<VertexId> connections;  ///< for each point: its group
  Array<std::uint32_t> first;   ///< for each group: its first point

  [[nodiscard]] std::size_t size() const { return first.size(); }
};

/// Points with equal coordinates, fewer than 2^32 - 1. 0 equals -0; NaN equals NaN of the same bits.
///
/// Hashing in two steps: chunks of points are grouped on their own in a table that stays in the cache, which
/// is all there is to do for most points of a soup whose triangles come in some order; the different places
/// of all chunks are dealt into buckets by their hash and joined there. Memory besides the result: 26 bytes
/// (42 for doubles) for each different place of a chunk. O(n), the same for any number of threads.
[[nodiscard]] PointGroups group_equal_points(const Points& points, const Exec& exec);

}  // namespace tessera::detail
