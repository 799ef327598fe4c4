#include <tessera/surface/detail/heat_loops.h>
#include <tessera/surface/detail/cuda/run_loop.cuh>

namespace tessera::detail::cuda {

#define TS_INSTANTIATE(Loop) template void run_loop<Loop>(const Exec&, std::size_t, const Loop&);
TS_FOR_EACH_HEAT_LOOP(TS_INSTANTIATE)
#undef TS_INSTANTIATE

}  // namespace tessera::detail::cuda
