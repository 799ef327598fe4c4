// Push: Tessera walks the tiles and calls your function for each element with its rows.
//
//   ts::for_each<ts::VV, ts::VT>(tiles, {.exec = ts::Exec::host(8)}, [&](ts::VertexId v, auto vv, auto vt) {
//   ... });
//
// Rows are worked out in the worker's own memory and forgotten; nothing is stored. The fastest way for
// data-parallel work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/macros.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/host/parallel.h>
#include <tessera/tile/rows.h>

namespace tessera {

template <int Dim>
struct PushOptions {
  Exec exec = Exec::host();
  const Enumeration<Dim>* enumeration = nullptr;  ///< for relations that name edges, or faces of tets
  std::optional<std::span<const std::uint32_t>> active = std::nullopt;  ///< only these elements, ascending
  const Monitor* monitor = nullptr;
};

namespace detail {

/// The elements of a kind that are internal to a tile, as an interval of ids.
template <Kind K, int Dim>
std::pair<std::uint32_t, std::uint32_t> internal_ids(const TiledMesh<Dim>& tiles,
                                                     const Enumeration<Dim>* enumeration, TileId tile) {
  if constexpr (K == Kind::vertex) {
    return {tiles.vertices(tile).begin, tiles.vertices(tile).end};
  } else if constexpr (static_cast<int>(K) == Dim) {
    return {tiles.internal_cells(tile).begin, tiles.internal_cells(tile).end};
  } else {
    const TileId next(tile.index() + 1);
    if constexpr (K == Kind::edge) return {enumeration->first_edge(tile), enumeration->first_edge(next)};
    return {enumeration->first_face(tile), enumeration->first_face(next)};
  }
}

}  // namespace detail

/// Calls f(id, rows...) for every element of the kind that the relations begin with, or for the active ones.
/// Calls run concurrently and in no promised order; rows are valid during the call. Stops with
/// Error(cancelled) between tiles.
template <class... R, int Dim, class F>
requires(RelationOf<R, Dim>&&...) void for_each(const TiledMesh<Dim>& tiles, const PushOptions<Dim>& options,
                                                const F& f) {
  using First = std::tuple_element_t<0, std::tuple<R...>>;
  static_assert(((R::from == First::from) && ...),
                "the relations of one walk begin with one kind of element");
  TS_EXPECTS(options.enumeration != nullptr || !(needs_enumeration<R, Dim> || ...));
  struct Worker : RowWorker<Dim> {
    using RowWorker<Dim>::RowWorker;
    std::array<TileRows, sizeof...(R)> rows_of;
  };
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < options.exec.threads(); ++i)
    workers.push_back(std::make_unique<Worker>(tiles, options.enumeration));
  host::for_each_chunk(
      options.exec.threads(), tiles.tile_count(), tiles_at_once, [&](host::Range range, int index) {
        Worker& worker = *workers[static_cast<std::size_t>(index)];
        for (std::size_t t = range.begin; t < range.end; ++t) {
          if (options.monitor != nullptr && options.monitor->is_stopped()) return;
          const TileId tile(static_cast<std::uint32_t>(t));
          const auto [begin, end] = detail::internal_ids<First::from>(tiles, options.enumeration, tile);
          std::span<const std::uint32_t> active;
          if (options.active.has_value()) {
            const auto first = std::ranges::lower_bound(*options.active, begin);
            active = {first, std::ranges::lower_bound(*options.active, end)};
            if (active.empty()) continue;
          }
          std::size_t k = 0;
          (worker.maker.template fill<R>(tile, worker.rows_of[k++]), ...);
          const auto call = [&, first = begin](std::uint32_t id) {
            [&]<std::size_t... I>(std::index_sequence<I...>) {
              f(typename First::Row(id), IdSpan<typename R::Entry>(worker.rows_of[I][id - first])...);
            }
            (std::index_sequence_for<R...>{});
          };
          if (options.active.has_value()) {
            for (const std::uint32_t id : active) call(id);
          } else {
            for (std::uint32_t id = begin; id < end; ++id) call(id);
          }
        }
      });
  if (options.monitor != nullptr) options.monitor->update("walking the tiles", 1);
}

}  // namespace tessera
