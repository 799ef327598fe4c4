#include <tessera/surface/detail/cuda/simplify.h>

#include <tessera/surface/detail/cuda/run_loop.cuh>
#include <tessera/surface/edit.cuh>

namespace tessera::detail::cuda {

EditReport collapse_edges(const DynamicSurface& surface, const QuadricCollapse& op,
                          const EditOptions& options) {
  return edit(surface, op, options);
}

template void run_loop(const Exec&, std::size_t, const FindFeatures&);
template void run_loop(const Exec&, std::size_t, const MakeQuadrics&);
template void run_loop(const Exec&, std::size_t, const MakeCosts&);
template void run_loop(const Exec&, std::size_t, const SampleCosts&);
template void run_loop(const Exec&, std::size_t, const FlagCheap&);
template void run_loop(const Exec&, std::size_t, const ForgetChoice&);
template void run_loop(const Exec&, std::size_t, const OfferEdges&);
template void run_loop(const Exec&, std::size_t, const KeepBest&);
template void run_loop(const Exec&, std::size_t, const TakeAround&);
template void run_loop(const Exec&, std::size_t, const JudgeListed&);
template void run_loop(const Exec&, std::size_t, const Pardon&);
template void run_loop(const Exec&, std::size_t, const RefuseListed&);
template void run_loop(const Exec&, std::size_t, const GatherCosts&);
template void run_loop(const Exec&, std::size_t, const CountVerdict&);

}  // namespace tessera::detail::cuda
