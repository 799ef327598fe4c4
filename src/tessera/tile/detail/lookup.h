// Lookup: answers about elements that another tile owns, for one worker.
//
// A tile's relation names edges and faces of its neighbours. With an explicit enumeration ids are a search in
// it. Otherwise the neighbour's part is worked out and kept in a small cache with least-recently-used
// eviction; workers share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tessera/tile/detail/enumeration_part.h>
#include <tessera/tile/detail/half_star.h>

namespace tessera::detail {

/// A few values by tile, the least recently used of which makes room for a new one.
template <class Value>
class TileCache {
 public:
  /// Keeps at most `kept` values.
  explicit TileCache(std::size_t kept) : kept_(kept) {}

  /// The tile's value, valid until others have been asked for as many times as there are values. If it is not
  /// there, fill(value) makes it out of an old one.
  template <class Fill>
  [[nodiscard]] Value& at(TileId tile, Fill&& fill) {
    if (recent_ != nullptr && recent_->tile == tile) return recent_->value;
    Entry* oldest = nullptr;
    for (const auto& entry : entries_) {
      if (entry->tile == tile) return use(*entry);
      if (oldest == nullptr || entry->last_use < oldest->last_use) oldest = entry.get();
    }
    if (entries_.size() < kept_) oldest = entries_.emplace_back(std::make_unique<Entry>()).get();
    oldest->tile = TileId();  // nobody's if filling fails
    recent_ = nullptr;
    fill(oldest->value);
    oldest->tile = tile;
    return use(*oldest);
  }
  /// Forgets whose the values are and keeps their memory.
  void clear() {
    for (const auto& entry : entries_) entry->tile = TileId();
    recent_ = nullptr;
  }

 private:
  struct Entry {
    TileId tile;
    std::uint64_t last_use = 0;
    Value value;
  };

  Value& use(Entry& entry) {
    entry.last_use = ++clock_;
    recent_ = &entry;
    return entry.value;
  }

  std::size_t kept_;
  std::vector<std::unique_ptr<Entry>> entries_;
  Entry* recent_ = nullptr;
  std::uint64_t clock_ = 0;
};

template <int Dim>
class Lookup {
 public:
  /// `enumeration` may be null if no ids of edges, or of faces of tets, are asked for. Keeps the parts of at
  /// most `kept_tiles` tiles.
  Lookup(const TiledMesh<Dim>& tiles, const Enumeration<Dim>* enumeration, std::size_t kept_tiles = 48)
      : tiles_(&tiles), enumeration_(enumeration), parts_(kept_tiles) {}

  [[nodiscard]] const TiledMesh<Dim>& tiles() const { return *tiles_; }
  [[nodiscard]] const Enumeration<Dim>& enumeration() const { return *enumeration_; }

  /// The id of the edge a < b.
  [[nodiscard]] std::uint32_t edge(std::uint32_t a, std::uint32_t b) {
    if (enumeration_->is_explicit()) return enumeration_->whole().edge_id(a, b);
    const TileId tile = tiles_->tile_of(tiled::VertexId(a));
    return enumeration_->first_edge(tile) + part(tile).edge_id(a, b);
  }
  /// The id of the face a < b < c.
  [[nodiscard]] std::uint32_t face(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (enumeration_->is_explicit()) return enumeration_->whole().face_id(a, b, c);
    const TileId tile = tiles_->tile_of(tiled::VertexId(a));
    return enumeration_->first_face(tile) + part(tile).face_id(a, b, c);
  }

  /// A tile's own part, numbered from 0. Does not look at the enumeration. Valid until the next call.
  [[nodiscard]] const EnumerationPart& part(TileId tile) {
    return parts_.at(tile, [&](EnumerationPart& part) {
      if (!star_.has_value()) star_.emplace(*tiles_);
      fill_part(stars(tile), *star_, part);
    });
  }
  /// An enumeration that has the tile in it: the whole one, or the tile's part.
  [[nodiscard]] const EnumerationPart& enumeration_of(TileId tile) {
    return enumeration_->is_explicit() ? enumeration_->whole() : part(tile);
  }
  /// The half stars of a tile. Valid until the next call of anything.
  [[nodiscard]] const HalfStars<Dim>& stars(TileId tile) {
    stars_.load(*tiles_, tile, TileId(tile.index() + 1));
    return stars_;
  }

 private:
  const TiledMesh<Dim>* tiles_;
  const Enumeration<Dim>* enumeration_;
  TileCache<EnumerationPart> parts_;
  HalfStars<Dim> stars_;
  std::optional<UpperStar<Dim>> star_;  ///< made when it is needed
};

}  // namespace tessera::detail
