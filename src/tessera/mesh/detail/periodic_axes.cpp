#include <tessera/mesh/periodic_axes.h>

#include <string>

#include <tessera/core/error.h>

namespace tessera {

void check_periodic(const Grid& grid, const PeriodicAxes& periodic) {
  for (std::size_t axis = 0; axis < periodic.size(); ++axis) {
    const std::uint32_t n = grid.dims[axis];
    if (!periodic[axis] || n >= least_periodic_points) continue;
    throw Error(ErrorCode::bad_option, std::string("axis ") + "xyz"[axis] + " of the grid has " +
                                           std::to_string(n) + (n == 1 ? " point" : " points") +
                                           "; a periodic axis needs " +
                                           std::to_string(least_periodic_points) + " or more");
  }
}

}  // namespace tessera
