// Edits of remeshing on a device.
#pragma once

#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>

namespace tessera::detail::cuda {

/// edit() as nvcc compiles it; remesh.cu instantiates it for each operator.
template <class Operator>
EditReport remesh_edit(const DynamicSurface& surface, const Operator& op, const EditOptions& options);

}  // namespace tessera::detail::cuda
