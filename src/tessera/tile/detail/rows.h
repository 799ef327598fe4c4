// The relation kernels: rows of any relation for the elements internal to one tile.
//
// RowMaker goes through the tile's vertices in ascending order and emits the rows of the elements that belong
// to each, which is their canonical order: from its star, or from its half star where that is enough. Entries
// of a row ascend without being sorted, because they are met in the order of their lowest, then second, then
// third vertex; the adjacencies EE, FF and TT merge the rows of an element's sides instead.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/tile/detail/lookup.h>
#include <tessera/tile/detail/merge_rows.h>
#include <tessera/tile/detail/ring_rules.h>
#include <tessera/tile/detail/star.h>
#include <tessera/tile/detail/upper_cells.h>
#include <tessera/tile/relation.h>

namespace tessera::detail {

/// The rows of one tile: row i is values[offsets[i] .. offsets[i + 1]), for the i-th element internal to the
/// tile.
struct TileRows {
  Array<std::uint32_t> offsets;
  Array<std::uint32_t> values;

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t row) const {
    return {values.data() + offsets[row], offsets[row + 1] - offsets[row]};
  }
  [[nodiscard]] std::size_t bytes() const { return 4 * (offsets.capacity() + values.capacity()); }
};

/// Makes the rows of tiles, one after the other, for one worker.
template <int Dim>
class RowMaker {
 public:
  explicit RowMaker(Lookup<Dim>& lookup) : lookup_(&lookup), tiles_(&lookup.tiles()) {}

  template <class R>
  requires PushableOf<R, Dim>
  void fill(TileId tile, TileRows& rows) {
    rows_ = &rows;
    rows.offsets.assign(1, 0);
    written_ = 0;
    if constexpr (R::form == Form::oriented) {
      fill_oriented(tile);
    } else if constexpr (R::form == Form::cyclic) {
      fill_rings(tile);
    } else if constexpr (R::is_boundary) {
      fill_boundary<R>(tile);
    } else if constexpr (R::is_adjacency && R::from != Kind::vertex) {
      fill_adjacency<R>(tile, rows);
    } else if constexpr (R::from != Kind::vertex && R::to == top) {
      fill_cells_around<R::from>(own_enumeration(tile), tile);
    } else {
      fill_from_stars<R>(tile);
    }
    rows_->values.resize(written_);
  }

 private:
  static constexpr Kind top = static_cast<Kind>(Dim);
  static constexpr Kind facet = static_cast<Kind>(Dim - 1);
  using Cell = typename TiledMesh<Dim>::Cell;

  /// Lets add() write `count` values without looking.
  void make_room(std::size_t count) {
    if (rows_->values.size() < written_ + count) rows_->values.resize(2 * (written_ + count));
  }
  void add(std::uint32_t value) { rows_->values[written_++] = value; }
  void end_row() { rows_->offsets.push_back(static_cast<std::uint32_t>(written_)); }

  /// An enumeration with the tile in it that stays while other tiles are looked up.
  const EnumerationPart& own_enumeration(TileId tile) {
    const EnumerationPart& part = lookup_->enumeration_of(tile);
    return lookup_->enumeration().is_explicit() ? part : own_ = part;
  }

  /// Rows of one length: of cells from their corners, of edges and faces from the enumeration.
  template <class R>
  void fill_boundary(TileId tile) {
    if constexpr (R::from == top) {
      const auto cells = tiles_->internal_cells(tile);
      make_room(cells.size() * std::size_t{6});  // a tet has no more of anything
      for (std::uint32_t c = cells.begin; c < cells.end; ++c) emit_cell<R>(tiles_->cells()[c]);
    } else {
      const EnumerationPart& part = own_enumeration(tile);
      const auto owned = tiles_->vertices(tile);
      for (std::uint32_t a = owned.begin; a < owned.end; ++a) {
        const std::uint32_t* edges = part.edge_offsets.data() + (a - part.first_vertex);
        for (std::uint32_t e = edges[0]; e < edges[1]; ++e) emit_edge_or_faces<R>(part, a, e);
      }
    }
  }

  template <class R>
  void emit_edge_or_faces(const EnumerationPart& part, std::uint32_t a, std::uint32_t e) {
    const std::uint32_t b = part.edge_hi[e];
    if constexpr (R::from == Kind::edge) {
      make_room(2);
      add(a), add(b);
      end_row();
    } else {
      make_room(3 * (part.face_offsets[e + 1] - part.face_offsets[e]));
      for (std::uint32_t f = part.face_offsets[e]; f < part.face_offsets[e + 1]; ++f) {
        const std::uint32_t c = part.face_hi[f];
        if constexpr (R::to == Kind::vertex) {
          add(a), add(b), add(c);
        } else {
          add(lookup_->edge(a, b)), add(lookup_->edge(a, c)), add(lookup_->edge(b, c));
        }
        end_row();
      }
    }
  }

  template <class R>
  void emit_cell(const Cell& cell) {
    const auto v = [&](std::size_t k) { return cell[k].index(); };
    if constexpr (R::to == Kind::vertex) {
      for (std::size_t i = 0; i <= Dim; ++i) add(v(i));
    } else if constexpr (R::to == Kind::edge) {
      for (std::size_t i = 0; i < Dim; ++i) {
        for (std::size_t j = i + 1; j <= Dim; ++j) add(lookup_->edge(v(i), v(j)));
      }
    } else {
      add(lookup_->face(v(0), v(1), v(2))), add(lookup_->face(v(0), v(1), v(3)));
      add(lookup_->face(v(0), v(2), v(3))), add(lookup_->face(v(1), v(2), v(3)));
    }
    end_row();
  }

  /// Corners of cells in the input's winding.
  void fill_oriented(TileId tile) {
    const auto cells = tiles_->internal_cells(tile);
    make_room(cells.size() * (Dim + std::size_t{1}));
    for (std::uint32_t c = cells.begin; c < cells.end; ++c) {
      const Cell cell = oriented(c);
      for (const tiled::VertexId v : cell) add(v.index());
      end_row();
    }
  }
  [[nodiscard]] Cell oriented(std::uint32_t c) const {
    Cell cell = tiles_->cells()[c];
    if (tiles_->is_turned(typename TiledMesh<Dim>::CellId(c))) std::swap(cell[Dim - 1], cell[Dim]);
    return cell;
  }

  /// Rings around the vertices of a surface (ring_rules.h).
  void fill_rings(TileId tile) {
    view_.load(*tiles_, tile);
    const auto owned = view_.owned();
    for (std::uint32_t v = owned.begin; v < owned.end; ++v) {
      star_.build(view_, tiled::VertexId(v), StarDepth::neighbours);
      const auto neighbours = star_.neighbours();
      ring_.assign(neighbours.size(), ring_end);
      std::uint32_t arcs = 0;
      star_.for_each_cell([&](std::uint32_t c, const std::array<std::uint32_t, Dim>&) {
        const auto [from, to] = arc_around(oriented(c), tiled::VertexId(v));
        add_to_ring(ring_.data(), star_.rank(from.index()), star_.rank(to.index()), arcs);
      });
      const std::uint32_t size = static_cast<std::uint32_t>(neighbours.size());
      if (const std::uint32_t first = find_ring(ring_.data(), size, arcs); first != ring_end) {
        make_room(size);
        std::uint32_t at = first;
        for (std::uint32_t i = 0; i < size; ++i, at = ring_[at]) add(neighbours[at]);
      }
      end_row();
    }
  }

  /// Cells around the edges or faces of the tile's vertices, from their half stars.
  template <Kind K>
  void fill_cells_around(const EnumerationPart& part, TileId tile) {
    auto& around = upper_cells<K>();
    const HalfStars<Dim>& stars = lookup_->stars(tile);
    make_room(K == Kind::edge ? stars.edge_hits() : stars.face_hits());
    const auto owned = tiles_->vertices(tile);
    for (std::uint32_t v = owned.begin; v < owned.end; ++v) {
      around.build(part, stars, v);
      for (std::uint32_t i = 0; i < around.row_count(); ++i) {
        for (const std::uint32_t c : around.row(i)) add(c);
        end_row();
      }
    }
  }

  template <Kind K>
  UpperCells<Dim, K>& upper_cells() {
    auto& made = std::get<std::optional<UpperCells<Dim, K>>>(upper_cells_);
    if (!made.has_value()) made.emplace(*tiles_);
    return *made;
  }

  /// The others around each side of an element. The rows of a side come from the tile that owns it; they are
  /// worked out for a tile at a time and kept for its neighbours.
  template <class R>
  void fill_adjacency(TileId tile, TileRows& rows) {
    constexpr Kind side = static_cast<Kind>(static_cast<int>(R::from) - 1);
    if (sides_of_ != R::from) sides_.clear();
    sides_of_ = R::from;
    std::size_t written = 0;
    OthersAround<std::uint32_t, static_cast<int>(R::from) + 1> others;
    for_each_element<R::from>(tile, [&](std::uint32_t id, const auto& corners) {
      std::array<std::span<const std::uint32_t>, static_cast<int>(R::from) + 1> around;
      std::size_t most = 0;
      for (std::size_t k = 0; k < corners.size(); ++k) {
        std::array<std::uint32_t, static_cast<int>(side) + 1> without;
        std::size_t n = 0;
        for (std::size_t j = 0; j < corners.size(); ++j) {
          if (j != k) without[n++] = corners[j];
        }
        around[k] = rows_around<side>(without);
        most += around[k].size();
      }
      if (rows.values.size() < written + most) rows.values.resize(2 * (written + most));
      std::uint32_t* out = rows.values.data() + written;
      written += static_cast<std::size_t>(others.write(around, id, out, out + most) - out);
      rows.offsets.push_back(static_cast<std::uint32_t>(written));
    });
    rows_ = &rows;
    written_ = written;
  }

  /// Calls f(id, corners) for the elements of a kind that are internal to the tile.
  template <Kind K, class F>
  void for_each_element(TileId tile, F&& f) {
    if constexpr (K == top) {
      const auto cells = tiles_->internal_cells(tile);
      for (std::uint32_t c = cells.begin; c < cells.end; ++c) {
        std::array<std::uint32_t, Dim + 1> corners;
        for (std::size_t k = 0; k <= Dim; ++k) corners[k] = tiles_->cells()[c][k].index();
        f(c, corners);
      }
    } else {
      TileRows corners_of;
      fill<Relation<K, Kind::vertex>>(tile, corners_of);
      std::uint32_t id =
          K == Kind::edge ? lookup_->enumeration().first_edge(tile) : lookup_->enumeration().first_face(tile);
      for (std::size_t i = 0; i < corners_of.size(); ++i) {
        std::array<std::uint32_t, static_cast<int>(K) + 1> corners;
        std::ranges::copy(corners_of[i], corners.begin());
        f(id++, corners);
      }
    }
  }

  /// The elements around a side. Those of facets are found without an enumeration of the mesh.
  template <Kind Side, std::size_t N>
  std::span<const std::uint32_t> rows_around(const std::array<std::uint32_t, N>& corners) {
    const TileId tile = tiles_->tile_of(tiled::VertexId(corners[0]));
    const Sides& sides = sides_.at(tile, [&](Sides& made) {
      if constexpr (Side == facet) {
        made.part = lookup_->part(tile);
        made.rows.offsets.assign(1, 0);
        rows_ = &made.rows;
        written_ = 0;
        fill_cells_around<facet>(made.part, tile);
        made.rows.values.resize(written_);
      } else {
        fill<Relation<Side, static_cast<Kind>(static_cast<int>(Side) + 1)>>(tile, made.rows);
      }
    });
    if constexpr (Side == Kind::vertex) {
      return sides.rows[corners[0] - tiles_->vertices(tile).begin];
    } else if constexpr (Side != facet) {
      return sides.rows[lookup_->edge(corners[0], corners[1]) - lookup_->enumeration().first_edge(tile)];
    } else if constexpr (Side == Kind::edge) {
      return sides.rows[sides.part.edge_id(corners[0], corners[1])];
    } else {
      return sides.rows[sides.part.face_id(corners[0], corners[1], corners[2])];
    }
  }

  /// Rows of vertices, and those of edges that need lower neighbours too, from whole stars.
  template <class R>
  void fill_from_stars(TileId tile) {
    view_.load(*tiles_, tile);
    const auto owned = view_.owned();
    for (std::uint32_t v = owned.begin; v < owned.end; ++v) {
      const auto star = view_.star(tiled::VertexId(v));
      make_room(9 * star.size() + 1);  // the most that a coboundary of a vertex or of its edges takes
      if constexpr (R::to == top) {
        for (const std::uint32_t c : star) add(view_.cell_id(c));
        end_row();
      } else if constexpr (R::from == Kind::vertex) {
        star_.build(view_, tiled::VertexId(v),
                    R::to == Kind::face ? StarDepth::upper_links : StarDepth::neighbours);
        emit_vertex<R>(v);
        end_row();
      } else {
        star_.build(view_, tiled::VertexId(v), StarDepth::links);
        emit_faces_of_edges(v);
      }
    }
  }

  template <class R>
  void emit_vertex(std::uint32_t v) {
    const auto neighbours = star_.neighbours();
    if constexpr (R::to == Kind::vertex) {
      for (const std::uint32_t u : neighbours) add(u);
    } else if constexpr (R::to == Kind::edge) {
      for (const std::uint32_t u : neighbours) add(lookup_->edge(std::min(u, v), std::max(u, v)));
    } else {
      for (std::uint32_t p = 0; p < neighbours.size(); ++p) {
        star_.for_each_upper_link(
            p, [&](std::uint32_t q, bool) { add(face_of(v, neighbours[p], neighbours[q])); });
      }
    }
  }

  void emit_faces_of_edges(std::uint32_t a) {
    const auto neighbours = star_.neighbours();
    for (std::uint32_t p = star_.lower(); p < neighbours.size(); ++p) {
      star_.for_each_link(p, [&](std::uint32_t q, bool) { add(face_of(a, neighbours[p], neighbours[q])); });
      end_row();
    }
  }

  /// The face with these three vertices, in any order.
  std::uint32_t face_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (b < a) std::swap(a, b);
    if (c < b) std::swap(b, c);
    if (b < a) std::swap(a, b);
    return lookup_->face(a, b, c);
  }

  /// What a tile keeps for its neighbours: the rows of its sides and, for facets, their places.
  struct Sides {
    EnumerationPart part;
    TileRows rows;
  };

  Lookup<Dim>* lookup_;
  const TiledMesh<Dim>* tiles_;
  TileView<Dim> view_;
  VertexStar<Dim> star_;
  EnumerationPart own_;
  std::tuple<std::optional<UpperCells<Dim, Kind::edge>>, std::optional<UpperCells<Dim, Kind::face>>>
      upper_cells_;
  TileCache<Sides> sides_{48};
  Kind sides_of_ = Kind::vertex;  ///< whose sides they are
  Array<std::uint32_t> ring_;     ///< by neighbour: the next one around the vertex
  TileRows* rows_ = nullptr;
  std::size_t written_ = 0;  ///< values of the current rows; their array may be larger meanwhile
};

/// What one worker needs to make rows; workers share nothing.
template <int Dim>
struct RowWorker {
  RowWorker(const TiledMesh<Dim>& tiles, const Enumeration<Dim>* enumeration)
      : lookup(tiles, enumeration), maker(lookup) {}
  RowWorker(const RowWorker&) = delete;  // the maker knows where the lookup is
  RowWorker& operator=(const RowWorker&) = delete;

  Lookup<Dim> lookup;
  RowMaker<Dim> maker;
  TileRows rows;
};

}  // namespace tessera::detail
