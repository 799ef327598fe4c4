// advect() (track.h) on host threads or on a GPU, for translation units that nvcc compiles.
#pragma once

#include <tessera/surface/track.h>
#include <tessera/surface/surface.cuh>

namespace tessera {

inline namespace both_sides {

/// As advect() of track.h; on a device it is one kernel.
template <PointVelocity Velocity>
void advect(const DynamicSurface& surface, const Velocity& velocity, const AdvectOptions& options) {
  detail::run_advect(surface, velocity, options, detail::RunOnEitherSide{});
}

}  // namespace both_sides
}  // namespace tessera
