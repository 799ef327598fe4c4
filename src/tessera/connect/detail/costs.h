// Costs: bytes that a connection takes, from counts. Every formula that knows how the parts of a connection
// lie in memory is here; the tests hold it against what is really taken.
//
//   materialized   enumeration + the rows of every relation; while a relation is made, its rows twice
//   tiles          enumeration + slots + scratch of each worker + rows of tiles
//   both           the map from the input's ids of cells, where relations of cells are asked for by them
//
// How many workers compute at once is a decision (account.h): the formulas take their number.
//
// A worker's scratch is a tile it works on, two stars, the rows it makes and, where it must know about other
// tiles' elements, a few dozen neighbouring tiles (tile/lookup.h). Links are made by a maker of their own,
// with a tile and a star. Enumerations and materialized relations are made from half stars of a few tiles
// together (tile/detail/groups.h), and the latter need an explicit enumeration: a temporary one if there is
// none. Arrays that grow are counted twice; those of an enumeration do not if edges and faces were counted.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <span>

#include <tessera/connect/detail/counts.h>
#include <tessera/core/memory.h>
#include <tessera/tile/enumeration.h>

namespace tessera::detail {

using RelationSet = std::bitset<RelationKey::count>;

/// Bytes that an array takes: small ones have a header and a begun cache line, large ones whole huge pages.
[[nodiscard]] Bytes taken_by_array(Bytes bytes);

class ConnectCosts {
 public:
  ConnectCosts() = default;
  ConnectCosts(const ConnectCounts& counts, int threads, int producers)
      : counts_(counts), threads_(threads), workers_(threads + producers) {}

  [[nodiscard]] const ConnectCounts& counts() const { return counts_; }
  /// Threads that may count, enumerate and materialize.
  [[nodiscard]] int threads() const { return threads_; }
  /// Threads that may compute tiles at the same time: consumers and producers.
  [[nodiscard]] int workers() const { return workers_; }

  [[nodiscard]] bool needs_enumeration(RelationKey key) const;
  [[nodiscard]] bool needs_enumeration(RelationSet set) const;

  [[nodiscard]] Bytes mesh() const;
  [[nodiscard]] Bytes tiled_mesh() const { return counts_.tiled_mesh; }
  [[nodiscard]] Bytes enumeration(Numbering numbering) const;
  /// The edges and faces it will have; what it is made with if they were counted.
  [[nodiscard]] EnumerationSize enumeration_size() const;
  /// While threads make it: its arrays, which grow if nothing was counted.
  [[nodiscard]] Bytes enumeration_peak(Numbering numbering, int threads) const;
  /// What each thread needs that counts.
  [[nodiscard]] Bytes counter() const;

  /// The map from the input's ids of cells, if one of the relations is asked for by them.
  [[nodiscard]] Bytes maps(RelationSet set) const;

  /// One relation as one array.
  [[nodiscard]] Bytes rows(RelationKey key) const;
  /// While threads make it: tiles' rows beside the whole, and each thread's scratch.
  [[nodiscard]] Bytes rows_peak(RelationKey key, Numbering numbering, int threads) const;

  /// The rows of the largest tile.
  [[nodiscard]] Bytes largest_tile(RelationKey key) const;
  /// The slots of relations that are served from tiles.
  [[nodiscard]] Bytes slots(RelationSet set) const;
  /// The scratch of so many workers.
  [[nodiscard]] Bytes scratch(RelationSet set, Numbering numbering, int workers) const;
  /// Tiles that are computed but not yet in the store.
  [[nodiscard]] Bytes in_flight(RelationSet set, int workers) const;
  /// The least useful store: each worker holds two tiles of every relation while it computes another.
  [[nodiscard]] Bytes least_rows(RelationSet set, int workers) const;
  /// A store that never has to let a tile go.
  [[nodiscard]] Bytes all_rows(RelationSet set) const;

 private:
  [[nodiscard]] Bytes view() const;
  [[nodiscard]] Bytes star() const;
  [[nodiscard]] Bytes part() const;
  [[nodiscard]] Bytes maker() const;
  [[nodiscard]] Bytes worker(RelationSet set, Numbering numbering) const;
  template <class F>
  Bytes sum(RelationSet set, F&& f) const;

  ConnectCounts counts_;
  int threads_ = 1;
  int workers_ = 1;
};

[[nodiscard]] RelationSet set_of(std::span<const RelationKey> keys);
/// Of a mesh of the dimension.
[[nodiscard]] constexpr RelationKey key_at(std::size_t index, int dimension) {
  if (index >= 16) {
    const int from = static_cast<int>(index) - 16;
    return {static_cast<Kind>(from), static_cast<Kind>(dimension - 1 - from), true};
  }
  return {static_cast<Kind>(index / 4), static_cast<Kind>(index % 4)};
}

}  // namespace tessera::detail
