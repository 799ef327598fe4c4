// Push: Tessera walks the tiles and calls your function for each element with its rows.
//
//   ts::for_each<ts::VV, ts::VT>(tiles, {.exec = ts::Exec::host(8)},
//                                [&](ts::tiled::VertexId v, auto neighbours, auto tets) { ... });
//
// The function gets tiled ids, which tiles.input(v) turns into the input's. Rows are worked out in the
// worker's own memory and forgotten; nothing is stored. The fastest way for data-parallel work.
//
// A source that nvcc compiles includes push.cuh instead; there the same call also runs on a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <tessera/core/csr.h>
#include <tessera/core/error.h>
#include <tessera/core/id.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/enumeration.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

template <int Dim>
struct PushOptions {
  Exec exec = Exec::host();
  /// For relations that name edges, or faces of tets. Null: an explicit one is made for the time of the call.
  /// A device always uses one of its own, which has the same ids.
  const Enumeration<Dim>* enumeration = nullptr;
  /// Only these elements: tiled ids, ascending. Tiles without any cost nothing.
  std::optional<std::span<const std::uint32_t>> active = std::nullopt;
  const Monitor* monitor = nullptr;
};

namespace detail {

/// The elements of one tile that are visited, ascending, and their rows, one view a relation; row i belongs
/// to the element first + i.
struct TileVisit {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::optional<std::span<const std::uint32_t>> active;
  std::span<const RowsView<std::uint32_t>> rows;
};

/// Calls visit() once for each tile, concurrently, on the host.
template <int Dim>
void walk_tiles(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                const PushOptions<Dim>& options, const std::function<void(const TileVisit&)>& visit);

template <class... R>
using FirstOf = std::tuple_element_t<0, std::tuple<R...>>;

template <class... R>
inline constexpr std::array<RelationKey, sizeof...(R)> keys_of = {key_of<R>...};

template <class... R, int Dim, class F>
void push_on_host(const TiledMesh<Dim>& tiles, const PushOptions<Dim>& options, const F& f) {
  const auto visit = [&](const TileVisit& tile) {
    const auto call = [&](std::uint32_t id) {
      const std::uint32_t row = id - tile.first;
      const auto row_of = [&](const RowsView<std::uint32_t>& rows) {
        return rows.values + rows.offsets[row];
      };
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        f(typename FirstOf<R...>::TiledRow(id),
          IdSpan<typename R::TiledEntry>(row_of(tile.rows[I]), tile.rows[I].size_of(row))...);
      }
      (std::index_sequence_for<R...>{});
    };
    if (tile.active.has_value()) {
      for (const std::uint32_t id : *tile.active) call(id);
    } else {
      for (std::uint32_t id = tile.first; id < tile.first + tile.count; ++id) call(id);
    }
  };
  walk_tiles<Dim>(tiles, keys_of<R...>, options, std::ref(visit));
}

}  // namespace detail

#if !defined(__CUDACC__)

/// Calls f(id, rows...) for every element of the kind that the relations begin with, or for the active ones.
/// Calls run concurrently and in no promised order; rows are valid during the call. Stops with
/// Error(cancelled) between tiles. Error(unsupported) for a device: a host compiler cannot make kernels.
template <class... R, int Dim, class F>
requires(PushableOf<R, Dim>&&...) void for_each(const TiledMesh<Dim>& tiles, const PushOptions<Dim>& options,
                                                const F& f) {
  static_assert(((R::from == detail::FirstOf<R...>::from) && ...),
                "the relations of one walk begin with one kind of element");
  if (options.exec.is_cuda()) {
    throw Error(ErrorCode::unsupported,
                "for_each() was compiled without nvcc and cannot run on a GPU; call it from a .cu file that "
                "includes tessera/tessera.cuh");
  }
  detail::push_on_host<R...>(tiles, options, f);
}

#endif

}  // namespace tessera
