// Neighbours from the sides that meet at the lower vertex of their edge.
//
// Faces ascend by their corners a < b < c. Those that have a vertex as `a` are therefore a run, and give it
// the sides ab and ac. Only the side bc has to be brought to its lower vertex b.
#include <tessera/tile/detail/face_graph.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/exec/detail/host/walk.h>

namespace tessera::detail {
namespace {

using std::size_t;

/// Links the faces of one tile after the other; memory is reused.
class Linker {
 public:
  Linker(const TiledMesh<2>& tiles, Array<FaceNeighbours>& neighbours)
      : tiles_(tiles), neighbours_(neighbours) {}

  void link(TileId t) {
    owned_ = tiles_.vertices(t);
    internal_ = tiles_.internal_cells(t);
    external_ = tiles_.external_cells(t);
    bring_third_sides();
    uint32_t face = internal_.begin;
    for (uint32_t v = owned_.begin; v < owned_.end; ++v) {
      sides_.clear();
      for (; face < internal_.end && tiles_.cells()[face][0].index() == v; ++face) {
        add_side(tiles_.cells()[face][1], place_of(face));
        add_side(tiles_.cells()[face][2], place_of(face));
      }
      const uint32_t i = v - owned_.begin;
      for (uint32_t k = i == 0 ? 0 : ends_[i - 1]; k < ends_[i]; ++k)
        add_side(tiles_.cells()[face_at(third_[k])][2], third_[k]);
      join_sides(tiled::VertexId(v));
    }
  }

 private:
  /// A face's place among those the tile sees, external ones first, which ascends with its id.
  [[nodiscard]] uint32_t place_of(uint32_t face) const {
    return static_cast<uint32_t>(external_.size()) + face - internal_.begin;
  }
  [[nodiscard]] uint32_t face_at(uint32_t place) const {
    return place < external_.size() ? external_[place]
                                    : internal_.begin + place - static_cast<uint32_t>(external_.size());
  }

  /// For each vertex that the tile owns, the faces that have it as their middle corner.
  void bring_third_sides() {
    const uint32_t seen = place_of(internal_.end);
    const auto for_each_middle = [&](auto&& f) {
      for (uint32_t place = 0; place < seen; ++place) {
        const uint32_t middle = tiles_.cells()[face_at(place)][1].index() - owned_.begin;
        if (middle < owned_.size()) f(middle, place);
      }
    };
    ends_.assign(owned_.size() + 1, 0);
    for_each_middle([&](uint32_t middle, uint32_t) { ++ends_[middle + 1]; });
    for (size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    third_.resize(ends_.back());
    // A row's begin moves up to its end, which is the next row's begin.
    for_each_middle([&](uint32_t middle, uint32_t place) { third_[ends_[middle]++] = place; });
  }

  /// A side compares by its edge's higher vertex, then by face.
  void add_side(tiled::VertexId higher, uint32_t place) {
    sides_.push_back(uint64_t{higher.index()} << 32 | place);
  }

  /// Joins the sides of each edge in a ring; v is the lower vertex of all of them.
  void join_sides(tiled::VertexId v) {
    sort_sides();
    const size_t count = sides_.size();
    for (size_t first = 0, i = 0; i < count; ++i) {
      const auto higher = static_cast<uint32_t>(sides_[i] >> 32);
      const bool is_last = i + 1 == count || sides_[i + 1] >> 32 != higher;
      const uint32_t face = face_at(static_cast<uint32_t>(sides_[i]));
      const TiledMesh<2>::Cell& corners = tiles_.cells()[face];
      const size_t opposite = corners[0] != v ? 0 : corners[1].index() != higher ? 1 : 2;
      neighbours_[face][opposite] = face_at(static_cast<uint32_t>(sides_[is_last ? first : i + 1]));
      if (is_last) first = i + 1;
    }
  }

  /// There are six of them as a rule.
  void sort_sides() {
    constexpr size_t few = 24;
    if (sides_.size() > few) {
      std::ranges::sort(sides_);
      return;
    }
    for (size_t i = 1; i < sides_.size(); ++i) {
      const uint64_t side = sides_[i];
      size_t j = i;
      for (; j > 0 && side < sides_[j - 1]; --j) sides_[j] = sides_[j - 1];
      sides_[j] = side;
    }
  }

  const TiledMesh<2>& tiles_;
  Array<FaceNeighbours>& neighbours_;
  TiledMesh<2>::Range owned_;
  TiledMesh<2>::Range internal_;
  std::span<const uint32_t> external_;
  std::vector<uint32_t> ends_;
  std::vector<uint32_t> third_;
  std::vector<uint64_t> sides_;
};

}  // namespace

Array<FaceNeighbours> link_faces(const TiledMesh<2>& tiles, const Exec& exec) {
  Array<FaceNeighbours> neighbours(tiles.cell_count());
  const auto make = [&](int) { return Linker(tiles, neighbours); };
  host::walk(tiles.tile_count(), {exec}, make,
             [](Linker& linker, size_t t) { linker.link(TileId(static_cast<uint32_t>(t))); });
  return neighbours;
}

}  // namespace tessera::detail
