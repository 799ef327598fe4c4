// The store of a surface on a device.
#pragma once

#include <memory>

#include <tessera/surface/detail/surface_store.h>

namespace tessera::detail::cuda {

[[nodiscard]] std::shared_ptr<SurfaceStore> make_device_surface(const TriMesh& mesh,
                                                                const SurfaceOptions& options);

template <class Real>
[[nodiscard]] std::shared_ptr<SurfaceStore> make_device_surface(const ResidentMesh<2, Real>& mesh,
                                                                const SurfaceOptions& options);

}  // namespace tessera::detail::cuda
