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

/// Points with equal coordinates. 0 equals -0; NaN equals NaN of the same bits.
///
/// Hashing in two steps: chunks of points are grouped on their own in a table that stays in the cache, which
/// is all there is to do for most points of a soup whose triangles come in some order; the different places
/// of all chunks are dealt into buckets by their hash and joined there. Memory besides the result: 26 bytes
/// (42 for doubles) for each different place of a chunk. O(n), the same for any number of threads.
[[nodiscard]] PointGroups group_equal_points(const Points& points, const Exec& exec);

/// Points within a distance. Going through the points in order, one joins the nearest of the kept points
/// within `tolerance` (the first of several), or else is kept itself. So kept points are farther than the
/// tolerance from each other, no point moves farther than it, and chains of near points do not collapse into
/// one. Points that are not finite join none but their equals. The same for any number of threads
/// (near_points.cpp says how). Memory besides that for equal points, one after the other: 40 bytes for each
/// different point and 60 for each that may have another one near it. Error(bad_option) for a tolerance that
/// is negative or not finite, or so small against the coordinates that they cannot be divided by it.
[[nodiscard]] PointGroups group_near_points(const Points& points, double tolerance, const Exec& exec);

}  // namespace tessera::detail
