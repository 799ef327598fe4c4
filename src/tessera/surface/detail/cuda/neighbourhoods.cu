#include <tessera/surface/detail/cuda/neighbourhoods.h>

#include <tessera/exec/detail/side.cuh>

namespace tessera::detail::cuda {

Neighbourhoods make_neighbourhoods(const Exec& exec, const RingJob& job) {
  return detail::make_neighbourhoods(DeviceSide{exec}, job);
}

}  // namespace tessera::detail::cuda
