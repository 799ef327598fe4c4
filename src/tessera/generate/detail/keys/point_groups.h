// Points that lie near each other, by their coordinates alone.
#pragma once

#include <tessera/exec/exec.h>
#include <tessera/mesh/detail/equal_points.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// Points within a distance. Going through the points in order, one joins the nearest of the kept points
/// within `tolerance` (the first of several), or else is kept itself. So kept points are farther than the
/// tolerance from each other, no point moves farther than it, and chains of near points do not collapse into
/// one. Points that are not finite join none but their equals. The same for any number of threads
/// (near_points.cpp says how). Memory besides that for equal points, one after the other: 40 bytes for each
/// different point and 60 for each that may have another one near it. Error(bad_option) for a tolerance that
/// is negative or not finite, or so small against the coordinates that they cannot be divided by it.
[[nodiscard]] PointGroups group_near_points(const Points& points, double tolerance, const Exec& exec);

}  // namespace tessera::detail
