// Geodesic fronts on a device: fronts.h, compiled by nvcc.
#pragma once

#include <cstdint>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/surface/detail/fronts.h>

namespace tessera::detail::cuda {

template <class Real>
[[nodiscard]] std::uint32_t run_fronts(const Exec& exec, const FrontJob<Real>& job, const Monitor& monitor);

}  // namespace tessera::detail::cuda
