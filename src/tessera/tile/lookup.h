// Lookup: answers about elements that another tile owns, for one worker.
//
// A tile's relation names edges and faces of its neighbours, and EE, FF and the adjacency of cells need a
// neighbour's stars. With an explicit enumeration ids are a search in it. Otherwise, and for stars, the
// neighbour's part is worked out and kept in a small cache with least-recently-used eviction; workers share
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tessera/tile/enumeration.h>
#include <tessera/tile/star.h>

namespace tessera {

template <int Dim>
class Lookup {
 public:
  /// `enumeration` may be null if only stars are asked for. Keeps at most `kept_tiles` neighbours.
  Lookup(const TiledMesh<Dim>& tiles, const Enumeration<Dim>* enumeration, std::size_t kept_tiles = 48)
      : tiles_(&tiles), enumeration_(enumeration), kept_(kept_tiles) {}

  [[nodiscard]] const TiledMesh<Dim>& tiles() const { return *tiles_; }
  [[nodiscard]] const Enumeration<Dim>& enumeration() const { return *enumeration_; }

  /// The id of the edge a < b.
  [[nodiscard]] std::uint32_t edge(std::uint32_t a, std::uint32_t b) {
    if (enumeration_->is_explicit()) return enumeration_->whole().edge_id(a, b);
    return part_of(VertexId(a)).edge_id(a, b);
  }
  /// The id of the face a < b < c.
  [[nodiscard]] std::uint32_t face(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (enumeration_->is_explicit()) return enumeration_->whole().face_id(a, b, c);
    return part_of(VertexId(a)).face_id(a, b, c);
  }
  /// The tile that owns v, loaded; valid until the next call.
  [[nodiscard]] const TileView<Dim>& view_of(VertexId v) { return entry(tiles_->tile_of(v)).view; }

 private:
  struct Entry {
    TileId tile;
    std::uint64_t last_use = 0;
    bool has_part = false;
    TileView<Dim> view;
    EnumerationPart part;
  };

  Entry& entry(TileId tile) {
    if (recent_ != nullptr && recent_->tile == tile) return *recent_;
    Entry* oldest = nullptr;
    for (const auto& candidate : entries_) {
      if (candidate->tile == tile) return use(*candidate);
      if (oldest == nullptr || candidate->last_use < oldest->last_use) oldest = candidate.get();
    }
    if (entries_.size() < kept_) oldest = entries_.emplace_back(std::make_unique<Entry>()).get();
    oldest->tile = tile;
    oldest->has_part = false;
    oldest->view.load(*tiles_, tile);
    return use(*oldest);
  }

  Entry& use(Entry& entry) {
    entry.last_use = ++clock_;
    recent_ = &entry;
    return entry;
  }

  const EnumerationPart& part_of(VertexId v) {
    Entry& found = entry(tiles_->tile_of(v));
    if (!found.has_part) {
      if (!star_.has_value()) star_.emplace(*tiles_);
      half_stars_.load(*tiles_, found.tile, TileId(found.tile.index() + 1));
      fill_part(half_stars_, *star_, found.part);
      found.part.first_edge = enumeration_->first_edge(found.tile);
      found.part.first_face = enumeration_->first_face(found.tile);
      found.has_part = true;
    }
    return found.part;
  }

  const TiledMesh<Dim>* tiles_;
  const Enumeration<Dim>* enumeration_;
  std::size_t kept_;
  std::vector<std::unique_ptr<Entry>> entries_;
  Entry* recent_ = nullptr;
  std::uint64_t clock_ = 0;
  HalfStars<Dim> half_stars_;
  std::optional<UpperStar<Dim>> star_;  ///< made when it is needed
};

}  // namespace tessera
