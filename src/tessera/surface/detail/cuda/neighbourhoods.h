// Neighbourhoods on a device: neighbourhood_rows.h, compiled by nvcc.
#pragma once

#include <tessera/exec/exec.h>
#include <tessera/surface/detail/neighbourhood_rows.h>

namespace tessera::detail::cuda {

[[nodiscard]] Neighbourhoods make_neighbourhoods(const Exec& exec, const RingJob& job);

}  // namespace tessera::detail::cuda
