// Edits with the library's own operators on a device.
#pragma once

#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>

namespace tessera::detail::cuda {

/// edit() as nvcc compiles it; edit_apps.cu instantiates it for each operator.
template <class Operator>
EditReport edit_surface(const DynamicSurface& surface, const Operator& op, const EditOptions& options);

}  // namespace tessera::detail::cuda
