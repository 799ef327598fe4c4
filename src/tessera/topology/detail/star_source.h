// Star sources: the cells around a vertex in small local numbers, pushed tile by tile or pulled row by row.
//
// The kernels of this module (link_components.h, lower_star.h) are written once against a source:
//
//   star()            the cells around the center: their local numbers and their vertices but the center
//   corners(c)        local numbers of a cell's vertices
//   order(l), vertex_id(l), cell_id(c), own() (the center's local number), vertex_count()
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/progress.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/detail/star.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/order.h>
#include <tessera/topology/star_store.h>

namespace tessera::detail {

/// A cell of a star, in local numbers. Its vertices come along: to look them up would take longer than
/// anything that is done with them.
template <int Dim>
struct StarCell {
  std::array<std::uint32_t, Dim> others;  ///< its vertices but the center, in any order
  std::uint32_t cell;
};

/// Stars of the vertices of one tile after the other.
template <int Dim>
class TileStars {
 public:
  TileStars(const TiledMesh<Dim>& tiles, const OrderArray& order) : tiles_(&tiles), order_of_(&order) {}

  void load(TileId tile) {
    view_.load_cells(*tiles_, tile);
    view_.fill_stars(stars_, [](std::uint32_t c, const auto& corners, auto k) {
      StarCell<Dim> cell;
      for (std::size_t i = 0; i < Dim; ++i) cell.others[i] = corners[(k + 1 + i) % (Dim + 1)];
      cell.cell = c;
      return cell;
    });
    ids_.resize(view_.vertex_count());
    order_.resize(view_.vertex_count());
    for (std::uint32_t l = 0; l < order_.size(); ++l) {
      ids_[l] = view_.vertex_id(l);
      order_[l] = (*order_of_)[tiled::VertexId(ids_[l])];
    }
  }
  [[nodiscard]] auto owned() const { return view_.owned(); }
  void select(tiled::VertexId center) {
    center_ = center;
    star_ = view_.star(center, stars_);
  }

  [[nodiscard]] tiled::VertexId center() const { return center_; }
  [[nodiscard]] std::uint32_t own() const { return center_.index() - view_.owned().begin; }
  [[nodiscard]] std::size_t vertex_count() const { return order_.size(); }
  [[nodiscard]] std::span<const StarCell<Dim>> star() const { return star_; }
  [[nodiscard]] const auto& corners(std::uint32_t cell) const { return view_.cell(cell); }
  [[nodiscard]] std::uint64_t order(std::uint32_t local) const { return order_[local]; }
  [[nodiscard]] std::uint32_t vertex_id(std::uint32_t local) const { return ids_[local]; }
  [[nodiscard]] std::uint32_t cell_id(std::uint32_t cell) const { return view_.cell_id(cell); }

 private:
  const TiledMesh<Dim>* tiles_;
  const OrderArray* order_of_;
  TileView<Dim> view_;
  Array<StarCell<Dim>> stars_;
  Array<std::uint32_t> ids_;
  Array<std::uint64_t> order_;
  tiled::VertexId center_;
  std::span<const StarCell<Dim>> star_;
};

/// Stars pulled one by one through a connectivity, numbered afresh for each center. One for each thread.
template <int Dim>
class PulledStars {
 public:
  PulledStars(const TiledMesh<Dim>& tiles, const OrderArray& order, const StarStore<Dim>& stars)
      : tiles_(&tiles), order_of_(&order), reader_(stars.tiled_rows().reader()) {}

  void select(tiled::VertexId center) {
    center_ = center;
    ++round_;
    ids_.assign(1, center.index());
    cells_.clear();
    star_.clear();
    corners_.clear();
    for (const auto pulled : reader_[VertexId(center.index())]) {
      const typename TiledMesh<Dim>::CellId cell(pulled.index());
      auto& corners = corners_.emplace_back();
      auto& added = star_.emplace_back();
      added.cell = static_cast<std::uint32_t>(cells_.size());
      cells_.push_back(cell.index());
      std::size_t others = 0;
      for (std::size_t k = 0; k <= Dim; ++k) {
        corners[k] = local_number((*tiles_)[cell][k].index());
        if (corners[k] != 0) added.others[others++] = corners[k];
      }
    }
    order_.resize(ids_.size());
    for (std::size_t l = 0; l < ids_.size(); ++l) order_[l] = (*order_of_)[tiled::VertexId(ids_[l])];
  }

  [[nodiscard]] tiled::VertexId center() const { return center_; }
  [[nodiscard]] static std::uint32_t own() { return 0; }
  [[nodiscard]] std::size_t vertex_count() const { return ids_.size(); }
  [[nodiscard]] std::span<const StarCell<Dim>> star() const { return star_; }
  [[nodiscard]] const auto& corners(std::uint32_t cell) const { return corners_[cell]; }
  [[nodiscard]] std::uint64_t order(std::uint32_t local) const { return order_[local]; }
  [[nodiscard]] std::uint32_t vertex_id(std::uint32_t local) const { return ids_[local]; }
  [[nodiscard]] std::uint32_t cell_id(std::uint32_t cell) const { return cells_[cell]; }

 private:
  struct Slot {
    std::uint64_t round = 0;  // of the center it was taken for; free for all others
    std::uint32_t local = 0;
  };

  /// The slot that holds an id, or the free one where it belongs.
  [[nodiscard]] std::size_t slot_of(std::uint32_t id) const {
    std::size_t at = (id * 2654435761u) & (slots_.size() - 1);
    while (slots_[at].round == round_ && ids_[slots_[at].local] != id) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::uint32_t local_number(std::uint32_t id) {
    if (id == center_.index()) return 0;
    const std::size_t at = slot_of(id);
    if (slots_[at].round == round_) return slots_[at].local;
    const std::uint32_t local = static_cast<std::uint32_t>(ids_.size());
    slots_[at] = {round_, local};
    ids_.push_back(id);
    if (2 * ids_.size() > slots_.size()) grow();
    return local;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), Slot{});
    for (std::uint32_t l = 1; l < ids_.size(); ++l) slots_[slot_of(ids_[l])] = {round_, l};
  }

  const TiledMesh<Dim>* tiles_;
  const OrderArray* order_of_;
  typename Rows<typename StarStore<Dim>::Relation, Dim>::Reader reader_;
  tiled::VertexId center_;
  std::uint64_t round_ = 0;
  std::vector<std::uint32_t> ids_;
  std::vector<StarCell<Dim>> star_;
  std::vector<std::uint32_t> cells_;
  std::vector<std::array<std::uint32_t, Dim + 1>> corners_;
  std::vector<std::uint64_t> order_;
  std::vector<Slot> slots_ = std::vector<Slot>(256);
};

/// Error(bad_option) unless the store, if there is one, can be of these tiles, and the host is to pull.
template <int Dim>
void check_stars(const TiledMesh<Dim>& tiles, const StarStore<Dim>* stars, const Exec& exec) {
  if (stars == nullptr) return;
  if (exec.is_cuda())
    throw Error(ErrorCode::bad_option, "stars are pulled by the host; leave them out to compute on a device");
  if (!stars->can_be_of(tiles)) {
    throw Error(ErrorCode::bad_option,
                "the stars are those of other tiles, of " + std::to_string(stars->tiled_rows().size()) +
                    " vertices; the tiles have " + std::to_string(tiles.vertex_count()));
  }
}

/// Vertices that follow each other in one tile.
struct VertexRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Calls f(worker, stars) with every vertex of range_at(0), ..., range_at(count - 1) selected once. Workers
/// are numbered from 0 to exec.threads(). Stops when the monitor says so.
template <int Dim, class RangeAt, class F>
void for_each_star_of(const TiledMesh<Dim>& tiles, const OrderArray& order, std::size_t count,
                      const RangeAt& range_at, const Exec& exec, const Monitor& monitor, const F& f) {
  struct Scratch {
    TileStars<Dim> stars;
    int worker;
  };
  const auto make = [&](int worker) { return Scratch{TileStars<Dim>(tiles, order), worker}; };
  host::walk(count, {exec, monitor, 1}, make, [&](Scratch& mine, std::size_t i) {
    const VertexRange range = range_at(i);
    mine.stars.load(tiles.tile_of(tiled::VertexId(range.begin)));
    for (std::uint32_t v = range.begin; v < range.end; ++v) {
      mine.stars.select(tiled::VertexId(v));
      f(mine.worker, mine.stars);
    }
  });
}

/// For some vertices.
template <int Dim, class F>
void for_each_star(const TiledMesh<Dim>& tiles, const OrderArray& order, const Array<VertexRange>& ranges,
                   const Exec& exec, const Monitor& monitor, const F& f) {
  for_each_star_of(
      tiles, order, ranges.size(), [&](std::size_t i) { return ranges[i]; }, exec, monitor, f);
}

/// For every vertex of the mesh: tile by tile, or by pulling where a store is given.
template <int Dim, class F>
void for_each_star(const TiledMesh<Dim>& tiles, const OrderArray& order, const StarStore<Dim>* stars,
                   const Exec& exec, const Monitor& monitor, const F& f) {
  if (stars == nullptr) {
    const auto tile_at = [&](std::size_t t) {
      const auto owned = tiles.vertices(TileId(static_cast<std::uint32_t>(t)));
      return VertexRange{owned.begin, owned.end};
    };
    return for_each_star_of(tiles, order, tiles.tile_count(), tile_at, exec, monitor, f);
  }
  struct Scratch {
    PulledStars<Dim> stars;
    int worker;
  };
  const auto make = [&](int worker) { return Scratch{PulledStars<Dim>(tiles, order, *stars), worker}; };
  // Each thread stays in one place for long, so that whoever works ahead of it is not in vain.
  const std::size_t chunk =
      std::max<std::size_t>(4096, tiles.vertex_count() / (4 * static_cast<std::size_t>(exec.threads())));
  host::walk(tiles.vertex_count(), {exec, monitor, chunk}, make, [&](Scratch& mine, std::size_t v) {
    mine.stars.select(tiled::VertexId(static_cast<std::uint32_t>(v)));
    f(mine.worker, mine.stars);
  });
}

}  // namespace tessera::detail
