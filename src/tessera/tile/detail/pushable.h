// What push knows about relations whose names arrive as values, on either side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <tessera/tile/enumeration.h>
#include <tessera/tile/links.h>
#include <tessera/tile/relation.h>

namespace tessera::detail {

/// Calls f(R{}) with the relation or link of that key.
template <int Dim, class F>
void visit_pushable(const RelationKey& key, const F& f) {
  const auto offer = [&]<class R>(R relation) {
    if (key == key_of<R>) f(relation);
  };
  for_each_relation<Dim>([&]<class R>(R relation, std::string_view) { offer(relation); });
  offer(VertexLink<Dim>{});
  offer(EdgeLink<Dim>{});
  if constexpr (Dim == 3) {
    offer(FaceLink<3>{});
    offer(OrientedTV{});
  } else {
    offer(OrientedFV{});
    offer(CyclicVV{});
  }
}

/// Does it name edges, or faces of tets, which only an enumeration numbers?
template <int Dim>
[[nodiscard]] constexpr bool names_enumerated(const RelationKey& key) {
  const auto is_enumerated = [](Kind kind) { return kind != Kind::vertex && static_cast<int>(kind) != Dim; };
  return is_enumerated(key.from) || is_enumerated(key.to);
}

/// The elements of a kind that are internal to a tile, as an interval of ids.
template <int Dim>
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> internal_ids(Kind kind, const TiledMesh<Dim>& tiles,
                                                                   const Enumeration<Dim>* enumeration,
                                                                   TileId tile) {
  if (kind == Kind::vertex) return {tiles.vertices(tile).begin, tiles.vertices(tile).end};
  if (static_cast<int>(kind) == Dim)
    return {tiles.internal_cells(tile).begin, tiles.internal_cells(tile).end};
  const TileId next(tile.index() + 1);
  if (kind == Kind::edge) return {enumeration->first_edge(tile), enumeration->first_edge(next)};
  return {enumeration->first_face(tile), enumeration->first_face(next)};
}

/// Those of an ascending list from `begin` up to `end`.
[[nodiscard]] inline std::span<const std::uint32_t> elements_between(std::span<const std::uint32_t> ascending,
                                                                     std::uint32_t begin, std::uint32_t end) {
  const auto first = std::ranges::lower_bound(ascending, begin);
  return {first, std::ranges::lower_bound(first, ascending.end(), end)};
}

}  // namespace tessera::detail
