// Edits of surface tracking on a device.
#pragma once

#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>

namespace tessera::detail::cuda {

/// edit() as nvcc compiles it; track.cu instantiates it for each operator.
template <class Operator>
EditReport track_edit(const DynamicSurface& surface, const Operator& op, const EditOptions& options);

}  // namespace tessera::detail::cuda
