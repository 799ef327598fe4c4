#include <tessera/surface/detail/cuda/track.h>

#include <tessera/surface/detail/edit/track_operators.h>
#include <tessera/surface/detail/cuda/run_loop.cuh>
#include <tessera/surface/edit.cuh>

namespace tessera::detail::cuda {

template <class Operator>
EditReport track_edit(const DynamicSurface& surface, const Operator& op, const EditOptions& options) {
  return edit(surface, op, options);
}

template EditReport track_edit(const DynamicSurface&, const TrackSplit&, const EditOptions&);
template EditReport track_edit(const DynamicSurface&, const TrackFlip&, const EditOptions&);
template EditReport track_edit(const DynamicSurface&, const TrackCollapse&, const EditOptions&);

#define TS_INSTANTIATE(LOOP) template void run_loop<LOOP>(const Exec&, std::size_t, const LOOP&);
TS_INSTANTIATE(AdvectLoop<TrackVelocity>)
TS_INSTANTIATE(MarkPlaces)
TS_INSTANTIATE(NullSpaceSmooth)
TS_INSTANTIATE(StoreSmoothed)
TS_INSTANTIATE(EulerStep)
TS_INSTANTIATE(MeasureFaces)
TS_INSTANTIATE(TakeCoordinate)
#undef TS_INSTANTIATE

}  // namespace tessera::detail::cuda
