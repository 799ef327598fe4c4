// Can a grid be analysed?
#pragma once

#include <string>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/periodic_axes.h>
#include <tessera/mesh/triangulate.h>

namespace tessera::detail {

/// Error(unsupported) unless the grid has so many axes, or two or three for 0, and its points have ids.
inline void check_grid(const Grid& grid, int axes = 0) {
  const std::string size = std::to_string(grid.dims[0]) + " x " + std::to_string(grid.dims[1]) + " x " +
                           std::to_string(grid.dims[2]) + " points";
  if (dimension(grid) < 2) {
    throw Error(ErrorCode::unsupported, "a grid of " + size +
                                            (dimension(grid) == 1 ? " has one axis" : " has no axis") +
                                            "; topology needs two or three");
  }
  // As integers the counts may overflow.
  if (1.0 * grid.dims[0] * grid.dims[1] * grid.dims[2] >= 4294967295.0)
    throw Error(ErrorCode::unsupported, "a grid of " + size + " is too large: ids end at 4294967294");
  if (axes != 0 && axes != dimension(grid)) {
    throw Error(ErrorCode::unsupported, "a grid of " + size + " has " + std::to_string(dimension(grid)) +
                                            " axes, not " + std::to_string(axes));
  }
}

/// As tessera::check_periodic(), and Error(unsupported) for a device.
inline void check_periodic(const Grid& grid, const PeriodicAxes& periodic, const Exec& exec) {
  tessera::check_periodic(grid, periodic);
  if (is_any_periodic(periodic) && exec.is_cuda())
    throw Error(ErrorCode::unsupported,
                "grids with periodic axes are analysed on host threads, not on a GPU");
}

/// Error(bad_option) for periodic axes of anything but a grid.
template <class Options>
void refuse_periodic(const Options& options) {
  if (is_any_periodic(options.periodic))
    throw Error(ErrorCode::bad_option,
                "periodic axes can be asked for with a grid, not with a mesh or a gradient");
}

/// Error(bad_option) for stars.
template <class Options>
void refuse_stars(const Options& options) {
  if (options.stars != nullptr)
    throw Error(ErrorCode::bad_option, "a grid has no stars to be pulled; leave the star store out");
}

/// For functions that trace the gradient of a grid on host threads: also Error(unsupported) for a device.
template <class Options>
void check_grid_options(const Options& options, const char* function) {
  (void)host_only(options.exec, std::string(function) + " of a grid");
  refuse_stars(options);
}

}  // namespace tessera::detail
