#include <tessera/surface/detail/cuda/edit_apps.h>

#include <tessera/surface/detail/edit/delaunay_operator.h>
#include <tessera/surface/edit.cuh>

namespace tessera::detail::cuda {

template <class Operator>
EditReport edit_surface(const DynamicSurface& surface, const Operator& op, const EditOptions& options) {
  return edit(surface, op, options);
}

template EditReport edit_surface(const DynamicSurface&, const DelaunayFlip&, const EditOptions&);

}  // namespace tessera::detail::cuda
