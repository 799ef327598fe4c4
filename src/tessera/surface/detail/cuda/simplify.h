// Simplification on a device: simplify.cu instantiates its loops, too.
#pragma once

#include <tessera/surface/detail/edit/simplify_operators.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>

namespace tessera::detail::cuda {

/// edit() as nvcc compiles it.
EditReport collapse_edges(const DynamicSurface& surface, const QuadricCollapse& op,
                          const EditOptions& options);

}  // namespace tessera::detail::cuda
