#include <tessera/surface/detail/cuda/sparse.h>

#include <tessera/exec/for_each.cuh>

namespace tessera::detail::cuda {

template <class Loop>
void run_loop(const Exec& exec, std::size_t n, const Loop& loop) {
  cuda::for_each(exec, n, loop);
}

#define TS_INSTANTIATE(Loop) template void run_loop<Loop>(const Exec&, std::size_t, const Loop&);
TS_FOR_EACH_SPARSE_LOOP(TS_INSTANTIATE)
#undef TS_INSTANTIATE

}  // namespace tessera::detail::cuda
