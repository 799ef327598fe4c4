// Push (push.h) on host threads or on a GPU, for translation units that nvcc compiles.
//
//   ts::for_each<ts::VF>(tiles, {.exec = ts::Exec::cuda()},
//                        TS_LAMBDA(ts::tiled::VertexId v, ts::IdSpan<ts::tiled::FaceId> faces) { ... });
//
// The types of the parameters are written out because nvcc has no generic extended lambdas. On a device the
// rows of a few thousand tiles at a time are made in its memory, and one thread visits each element. Link
// tessera::kernels for the flags that this needs, tessera::reproducible for results that are bitwise equal to
// the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/tile/push.h>
#include <tessera/exec/for_each.cuh>

namespace tessera {

namespace detail {

/// Elements that a device visits, with their rows in its memory, one view a relation: the i-th is ids[i],
/// with row places[i], or first + i with row i where there are no lists.
struct DeviceVisit {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  const std::uint32_t* ids = nullptr;
  const std::uint32_t* places = nullptr;
  std::span<const RowsView<std::uint32_t>> rows;
};

/// Calls visit() for one batch of tiles after the other. What it launches on exec's stream may use the rows.
template <int Dim>
void walk_tiles_on_device(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                          const PushOptions<Dim>& options,
                          const std::function<void(const DeviceVisit&)>& visit);

template <class F, class Relations, class Indices>
struct PushCall;

/// What one thread does: a named type, because it holds the views by value.
template <class F, class... R, std::size_t... I>
struct PushCall<F, std::tuple<R...>, std::index_sequence<I...>> {
  F f;
  std::uint32_t first;
  const std::uint32_t* ids;
  const std::uint32_t* places;
  RowsView<std::uint32_t> rows[sizeof...(R)];

  __device__ void operator()(std::size_t i) const {
    const std::uint32_t id = ids != nullptr ? ids[i] : first + static_cast<std::uint32_t>(i);
    const std::size_t place = places != nullptr ? places[i] : i;
    f(typename FirstOf<R...>::TiledRow(id),
      IdSpan<typename R::TiledEntry>(rows[I].values + rows[I].offsets[place], rows[I].size_of(place))...);
  }
};

}  // namespace detail

inline namespace both_sides {

/// As for_each() of push.h, and on a device if the Exec is one. On a device f may be for devices only; calls
/// are queued on the Exec's stream.
template <class... R, int Dim, class F>
requires(PushableOf<R, Dim>&&...) void for_each(const TiledMesh<Dim>& tiles, const PushOptions<Dim>& options,
                                                const F& f) {
  static_assert(((R::from == detail::FirstOf<R...>::from) && ...),
                "the relations of one walk begin with one kind of element");
  if (!options.exec.is_cuda()) return detail::push_on_host<R...>(tiles, options, f);
  using Call = detail::PushCall<F, std::tuple<R...>, std::index_sequence_for<R...>>;
  const auto visit = [&](const detail::DeviceVisit& batch) {
    Call call = {f, batch.first, batch.ids, batch.places, {}};
    for (std::size_t k = 0; k < sizeof...(R); ++k) call.rows[k] = batch.rows[k];
    detail::cuda::for_each(options.exec, batch.count, call);
  };
  detail::walk_tiles_on_device<Dim>(tiles, detail::keys_of<R...>, options, std::ref(visit));
}

}  // namespace both_sides
}  // namespace tessera
