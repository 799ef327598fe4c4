// Push: Tessera walks the tiles and calls your function for each element with its rows.
//
//   ts::for_each<ts::VV, ts::VT>(tiles, {.exec = ts::Exec::host(8)}, [&](ts::VertexId v, auto vv, auto vt) {
//   ... });
//
// Rows are worked out in the worker's own memory and forgotten; nothing is stored. The fastest way for
// data-parallel work.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <tessera/core/csr.h>
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
  const Enumeration<Dim>* enumeration = nullptr;  ///< for relations that name edges, or faces of tets
  std::optional<std::span<const std::uint32_t>> active = std::nullopt;  ///< only these elements, ascending
  const Monitor* monitor = nullptr;
};

namespace detail {

/// The elements of one tile that are visited, ascending, and their rows, one RowsView a relation; row i
/// belongs to the element first + i.
struct TileVisit {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::optional<std::span<const std::uint32_t>> active;
  std::span<const RowsView<std::uint32_t>> rows;
};

/// Calls visit() once for each tile, concurrently.
template <int Dim>
void walk_tiles(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                const PushOptions<Dim>& options, const std::function<void(const TileVisit&)>& visit);

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
  constexpr std::array<RelationKey, sizeof...(R)> keys = {key_of<R>...};
  detail::walk_tiles<Dim>(tiles, keys, options, [&](const detail::TileVisit& tile) {
    const auto call = [&](std::uint32_t id) {
      const std::uint32_t row = id - tile.first;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        f(typename First::Row(id),
          IdSpan<typename R::Entry>(tile.rows[I].values + tile.rows[I].offsets[row],
                                    tile.rows[I].offsets[row + 1] - tile.rows[I].offsets[row])...);
      }
      (std::index_sequence_for<R...>{});
    };
    if (tile.active.has_value()) {
      for (const std::uint32_t id : *tile.active) call(id);
    } else {
      for (std::uint32_t id = tile.first; id < tile.first + tile.count; ++id) call(id);
    }
  });
}

}  // namespace tessera
