// What is refused as a source of a distance.
#pragma once

#include <span>

#include <tessera/surface/geodesic_source.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

/// Error(bad_option) without a source, and for weights that are not as FacePoint says; Error(not_found) for
/// an id that is out of range; Error(unsupported) for a FacePoint if the mesh lies on a device.
void check_sources(const Surface& surface, std::span<const GeodesicSource> sources);

}  // namespace tessera::detail
