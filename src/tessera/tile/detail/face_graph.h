// The dual graph of a tiled surface: faces and their neighbours across edges. For partitions alone; relations
// come from tile/materialize.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/for_each.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

/// A face's neighbour across the side opposite each corner, in the tiled numbering. An edge of many faces
/// joins them in a ring of ascending ids, each to the next: all of them to all would take quadratic space,
/// and one patch could swallow a whole fan in a single step. A boundary side leads back to the face.
using FaceNeighbours = std::array<std::uint32_t, 3>;

/// Lists of faces one after the other: list l is faces[offsets[l] .. offsets[l + 1]).
struct FaceLists {
  Array<std::uint32_t> faces;
  Array<std::uint32_t> offsets;

  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t l) const {
    return {faces.data() + offsets[l], offsets[l + 1] - offsets[l]};
  }
  [[nodiscard]] std::span<std::uint32_t> operator[](std::size_t l) {
    return {faces.data() + offsets[l], offsets[l + 1] - offsets[l]};
  }
};

/// The neighbours of every face. O(n), each edge once, tile by tile.
[[nodiscard]] Array<FaceNeighbours> link_faces(const TiledMesh<2>& tiles, const Exec& exec);

/// The faces of each connected component, ascending; components ascend by their lowest face.
[[nodiscard]] FaceLists list_components(std::span<const FaceNeighbours> neighbours, const Exec& exec);

/// The cells around each vertex that a tile owns, ascending; memory is reused from tile to tile.
class FaceStars {
 public:
  void fill(const TiledMesh<2>& tiles, TileId t) {
    owned_ = tiles.vertices(t);
    const auto internal = tiles.internal_cells(t);
    const auto for_each_corner = [&](auto&& f) {
      const auto visit = [&](std::uint32_t cell) {
        for (const tiled::VertexId v : tiles[tiled::FaceId(cell)]) {
          if (v.index() >= owned_.begin && v.index() < owned_.end) f(v.index() - owned_.begin, cell);
        }
      };
      for (const std::uint32_t cell : tiles.external_cells(t)) visit(cell);
      for (std::uint32_t cell = internal.begin; cell < internal.end; ++cell) visit(cell);
    };
    ends_.assign(owned_.size() + 1, 0);
    for_each_corner([&](std::uint32_t v, std::uint32_t) { ++ends_[v + 1]; });
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    cells_.resize(ends_.back());
    // A row's begin moves up to its end, which is the next row's begin.
    for_each_corner([&](std::uint32_t v, std::uint32_t cell) { cells_[ends_[v]++] = cell; });
  }

  [[nodiscard]] std::span<const std::uint32_t> operator[](tiled::VertexId v) const {
    const std::size_t i = v.index() - owned_.begin;
    const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1];
    return {cells_.data() + begin, ends_[i] - begin};
  }

 private:
  TiledMesh<2>::Range owned_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> cells_;
};

/// Calls f(vertex, star, scratch) for every vertex, tile by tile; `Scratch` is one for each worker.
template <class Scratch, class F>
void for_each_star(const TiledMesh<2>& tiles, const Exec& exec, F&& f) {
  struct Worker {
    FaceStars stars;
    Scratch scratch;
  };
  const auto make = [](int) { return Worker{}; };
  host::walk(tiles.tile_count(), {exec}, make, [&](Worker& worker, std::size_t t) {
    const TileId tile(static_cast<std::uint32_t>(t));
    worker.stars.fill(tiles, tile);
    for (std::uint32_t v = tiles.vertices(tile).begin; v < tiles.vertices(tile).end; ++v)
      f(tiled::VertexId(v), worker.stars[tiled::VertexId(v)], worker.scratch);
  });
}

}  // namespace tessera::detail
