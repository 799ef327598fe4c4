// Queries (surface.h) on host threads or on a GPU, for translation units that nvcc compiles.
//
//   ts::for_each<ts::VF>(surface, TS_LAMBDA(ts::tiled::VertexId v, ts::IdSpan<ts::tiled::FaceId> faces) { ...
//   });
//
// The types of the parameters are written out because nvcc has no generic extended lambdas. A kernel of one's
// own takes SurfaceRows by value and asks them for rows; the RowsOf that they come from must outlive it. Link
// tessera::kernels for the flags that this needs, tessera::reproducible for results that are bitwise equal to
// the host's.
#pragma once

#include <cstddef>

#include <tessera/surface/surface.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/tile/push.cuh>

namespace tessera {

namespace detail {

/// Runs a loop at exec's place.
struct RunOnEitherSide {
  template <class F>
  void operator()(const Exec& exec, std::size_t n, const F& f) const {
    if (!exec.is_cuda()) return host_for_each(exec, n, f);
    cuda::for_each(exec, n, f);
  }
};

}  // namespace detail

inline namespace both_sides {

/// As for_each() of surface.h; on a device it is one kernel, queued on the stream of the surface's Exec, and
/// f may be for devices only.
template <class... R, class F>
requires(SurfaceRelation<R>&&...) void for_each(const Surface& surface, const QueryOptions& options,
                                                const F& f) {
  detail::query<R...>(surface, options, f, detail::RunOnEitherSide{},
                      [&](const auto& tiles, const auto& by_tile) { for_each<R...>(tiles, by_tile, f); });
}
template <class... R, class F>
requires(SurfaceRelation<R>&&...) void for_each(const Surface& surface, const F& f) {
  for_each<R...>(surface, QueryOptions{}, f);
}
/// Only where predicate(id) holds, which is asked once for each element; a TS_LAMBDA as f is one.
template <class... R, class Predicate, class F>
requires(SurfaceRelation<R>&&...) void for_each_if(const Surface& surface, const Predicate& predicate,
                                                   const F& f) {
  detail::query_if<R...>(
      surface, predicate, f, detail::RunOnEitherSide{},
      [&](const QueryOptions& options, const auto& call) { for_each<R...>(surface, options, call); });
}

}  // namespace both_sides
}  // namespace tessera
