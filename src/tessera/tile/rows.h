// The relation kernels: rows of any relation for the elements internal to one tile.
//
// RowMaker goes through the tile's vertices in ascending order, builds each vertex's star and emits the rows
// of the elements that belong to it, which is their canonical order. Entries of a row ascend without being
// sorted, because they are met in the order of their lowest, then second, then third vertex; the adjacencies
// EE, FF and TT merge the rows of two or more elements instead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/tile/lookup.h>
#include <tessera/tile/relation.h>

namespace tessera {

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

/// The entries of a row as ids.
template <class Entry>
class IdSpan {
 public:
  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(const std::uint32_t* at) : at_(at) {}
    Entry operator*() const { return Entry(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const std::uint32_t* at_ = nullptr;
  };

  IdSpan() = default;
  explicit IdSpan(std::span<const std::uint32_t> values) : values_(values) {}
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] Entry operator[](std::size_t i) const { return Entry(values_[i]); }
  [[nodiscard]] Iterator begin() const { return Iterator(values_.data()); }
  [[nodiscard]] Iterator end() const { return Iterator(values_.data() + values_.size()); }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return values_; }

 private:
  std::span<const std::uint32_t> values_;
};

/// Does a relation name edges or faces that only an enumeration numbers?
template <class R, int Dim>
inline constexpr bool needs_enumeration = (R::from != Kind::vertex && static_cast<int>(R::from) != Dim) ||
                                          (R::to != Kind::vertex && static_cast<int>(R::to) != Dim);

/// Makes the rows of tiles, one after the other, for one worker.
template <int Dim>
class RowMaker {
 public:
  explicit RowMaker(Lookup<Dim>& lookup) : lookup_(&lookup), tiles_(&lookup.tiles()) {}

  template <class R>
  requires RelationOf<R, Dim>
  void fill(TileId tile, TileRows& rows) {
    rows_ = &rows;
    rows.offsets.assign(1, 0);
    written_ = 0;
    if constexpr (R::from == top) {
      const auto cells = tiles_->internal_cells(tile);
      for (std::uint32_t c = cells.begin; c < cells.end; ++c) emit_cell<R>(c);
    } else {
      view_.load(*tiles_, tile);
      const auto owned = view_.owned();
      for (std::uint32_t v = owned.begin; v < owned.end; ++v) {
        const auto star = view_.star(VertexId(v));
        make_room(9 * star.size() +
                  1);  // the most that any coboundary of a vertex, of its edges or of its faces takes
        if constexpr (R::from == Kind::vertex && R::to == top) {
          for (const std::uint32_t c : star) add(view_.cell_id(c));
          end_row();
        } else {
          star_.build(view_, VertexId(v), depth<R>());
          emit_vertex<R>();
        }
      }
    }
    rows.values.resize(written_);
  }

 private:
  static constexpr Kind top = Dim == 3 ? Kind::tet : Kind::face;
  using Cell = typename TiledMesh<Dim>::Cell;

  /// What a relation needs to know of a star.
  template <class R>
  static constexpr StarDepth depth() {
    if (Dim == 2 || (R::to == Kind::vertex && R::from < Kind::face) ||
        (R::from < Kind::face && R::to == Kind::edge) || (R::from == Kind::edge && R::to == top)) {
      return StarDepth::neighbours;
    }
    return R::from == Kind::face && R::to != Kind::face ? StarDepth::upper_links
           : R::from == Kind::vertex                    ? StarDepth::upper_links
                                                        : StarDepth::links;
  }

  /// Lets add() write `count` values without looking.
  void make_room(std::size_t count) {
    if (rows_->values.size() < written_ + count) rows_->values.resize(2 * (written_ + count));
  }
  void add(std::uint32_t value) { rows_->values[written_++] = value; }
  void end_row() { rows_->offsets.push_back(static_cast<std::uint32_t>(written_)); }

  [[nodiscard]] std::uint32_t id(std::uint32_t rank) const { return star_.neighbours()[rank]; }

  /// The face with these three vertices, in any order.
  std::uint32_t face_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (b < a) std::swap(a, b);
    if (c < b) std::swap(b, c);
    if (b < a) std::swap(a, b);
    return lookup_->face(a, b, c);
  }
  std::uint32_t edge_of(std::uint32_t a, std::uint32_t b) {
    return a < b ? lookup_->edge(a, b) : lookup_->edge(b, a);
  }

  template <class R>
  void emit_vertex() {
    if constexpr (R::from == Kind::vertex) {
      emit_vertex_row<R>(star_);
      end_row();
    } else if constexpr (R::to == top) {
      emit_star_rows<R>();
    } else {
      for (std::uint32_t p = star_.lower(); p < star_.neighbours().size(); ++p) {
        if constexpr (R::from == Kind::edge) {
          emit_edge<R>(p);
          end_row();
        } else {
          star_.for_each_upper_link(p, [&](std::uint32_t q, bool) {
            emit_face<R>(p, q);
            end_row();
          });
        }
      }
    }
  }

  template <class R>
  void emit_vertex_row(const VertexStar<Dim>& star) {
    const std::uint32_t v = star.center().index();
    const auto neighbours = star.neighbours();
    if constexpr (R::to == Kind::vertex) {
      for (const std::uint32_t u : neighbours) add(u);
    } else if constexpr (R::to == Kind::edge) {
      for (const std::uint32_t u : neighbours) add(edge_of(u, v));
    } else {
      for (std::uint32_t p = 0; p < neighbours.size(); ++p) {
        star.for_each_upper_link(
            p, [&](std::uint32_t q, bool) { add(face_of(v, neighbours[p], neighbours[q])); });
      }
    }
  }

  template <class R>
  void emit_edge(std::uint32_t p) {
    const std::uint32_t a = star_.center().index();
    const std::uint32_t b = id(p);
    if constexpr (R::to == Kind::vertex) {
      add(a);
      add(b);
    } else if constexpr (R::to == Kind::face) {
      star_.for_each_link(p, [&](std::uint32_t q, bool) { add(face_of(a, b, id(q))); });
    } else {  // EE: the edges of both ends but this one
      other_star_.build(lookup_->view_of(VertexId(b)), VertexId(b), StarDepth::neighbours);
      make_room(star_.neighbours().size() + other_star_.neighbours().size());
      const std::size_t begin = written_;
      emit_vertex_row<VE>(star_);
      const std::size_t middle = written_;
      emit_vertex_row<VE>(other_star_);
      merge({begin, middle}, edge_of(a, b));
    }
  }

  template <class R>
  void emit_face(std::uint32_t p, std::uint32_t q) {
    const std::uint32_t a = star_.center().index();
    const std::uint32_t b = id(p);
    const std::uint32_t c = id(q);
    if constexpr (R::to == Kind::vertex) {
      add(a), add(b), add(c);
    } else if constexpr (R::to == Kind::edge) {
      add(edge_of(a, b)), add(edge_of(a, c)), add(edge_of(b, c));
    } else {  // FF: the faces of its three edges but this one
      other_star_.build(lookup_->view_of(VertexId(b)), VertexId(b), StarDepth::links);
      const auto others = other_star_.neighbours();
      make_room(2 * star_.neighbours().size() + others.size());
      const std::size_t begin = written_;
      emit_edge<EF>(p);
      const std::size_t second = written_;
      emit_edge<EF>(q);
      const std::size_t third = written_;
      other_star_.for_each_link(other_star_.rank(c),
                                [&](std::uint32_t r, bool) { add(face_of(b, c, others[r])); });
      merge({begin, second, third}, face_of(a, b, c));
    }
  }

  /// Rows of cells for all edges or faces of the star's center at once: count, scan, fill.
  template <class R>
  void emit_star_rows() {
    first_of_edge_.assign(
        1, 0);  // the first element with each upper neighbour: edges themselves, or the faces they begin
    for (std::uint32_t p = star_.lower(); p < star_.neighbours().size(); ++p) {
      std::uint32_t elements = 1;
      if constexpr (R::from == Kind::face) elements = star_.upper_link_count(p);
      first_of_edge_.push_back(first_of_edge_.back() + elements);
    }
    const std::size_t base = rows_->offsets.size();
    rows_->offsets.resize(base + first_of_edge_.back());
    std::uint32_t* count = rows_->offsets.data() + base;
    std::fill_n(count, first_of_edge_.back(), 0);
    for_each_incidence<R>([&](std::uint32_t element, std::uint32_t) { ++count[element]; });
    std::uint32_t next = static_cast<std::uint32_t>(written_);
    for (std::uint32_t i = 0; i < first_of_edge_.back(); ++i) next += std::exchange(count[i], next);
    written_ = next;
    // Filling leaves each entry at its row's end, which is what offsets hold.
    for_each_incidence<R>(
        [&](std::uint32_t element, std::uint32_t c) { rows_->values[count[element]++] = c; });
  }

  /// Calls f(element, cell) for the edges or faces of the center and the cells of its star that have them,
  /// cells ascending.
  template <class R, class F>
  void for_each_incidence(F&& f) {
    star_.for_each_cell([&](std::uint32_t c, const std::array<std::uint32_t, Dim>& ranks) {
      for (std::size_t i = 0; i < Dim; ++i) {
        if (ranks[i] < star_.lower()) continue;
        const std::uint32_t first = first_of_edge_[ranks[i] - star_.lower()];
        if constexpr (R::from == Kind::edge) {
          f(first, c);
        } else {
          for (std::size_t j = i + 1; j < Dim; ++j) f(first + star_.upper_link_place(ranks[i], ranks[j]), c);
        }
      }
    });
  }

  template <class R>
  void emit_cell(std::uint32_t c) {
    const Cell& cell = tiles_->cells()[c];
    make_room(6);  // a tet has no more of anything
    if constexpr (R::to == Kind::vertex) {
      for (const VertexId v : cell) add(v.index());
    } else if constexpr (R::to == Kind::edge) {
      for (std::size_t i = 0; i < cell.size(); ++i) {
        for (std::size_t j = i + 1; j < cell.size(); ++j)
          add(lookup_->edge(cell[i].index(), cell[j].index()));
      }
    } else if constexpr (R::to != top) {
      add(lookup_->face(cell[0].index(), cell[1].index(), cell[2].index()));
      add(lookup_->face(cell[0].index(), cell[1].index(), cell[3].index()));
      add(lookup_->face(cell[0].index(), cell[2].index(), cell[3].index()));
      add(lookup_->face(cell[1].index(), cell[2].index(), cell[3].index()));
    } else {
      emit_cell_neighbours(c);
    }
    end_row();
  }

  /// Cells that share all corners but one: those around the two lowest corners, since a facet misses only one
  /// of them.
  void emit_cell_neighbours(std::uint32_t c) {
    const Cell& cell = tiles_->cells()[c];
    const std::size_t begin = written_;
    const auto add_around = [&](VertexId v) {
      const TileView<Dim>& view = lookup_->view_of(v);
      make_room(view.star(v).size());
      for (const std::uint32_t local : view.star(v)) {
        const std::uint32_t other = view.cell_id(local);
        std::size_t shared = 0;
        for (const VertexId corner : tiles_->cells()[other])
          shared += std::ranges::find(cell, corner) != cell.end() ? 1 : 0;
        if (shared == cell.size() - 1) add(other);
      }
    };
    add_around(cell[0]);
    const std::size_t middle = written_;
    add_around(cell[1]);
    merge({begin, middle}, c);
  }

  /// Merges the ascending pieces of the current row that begin at `pieces` into one without repeats and
  /// without `self`.
  void merge(std::initializer_list<std::size_t> pieces, std::uint32_t self) {
    std::uint32_t* values = rows_->values.data();
    std::uint32_t* begin = values + *pieces.begin();
    for (const std::size_t& piece : pieces) {
      const bool is_last = &piece + 1 == pieces.end();
      std::inplace_merge(begin, values + piece, values + (is_last ? written_ : *(&piece + 1)));
    }
    std::uint32_t* end = std::unique(begin, values + written_);
    written_ = static_cast<std::size_t>(std::remove(begin, end, self) - values);
  }

  Lookup<Dim>* lookup_;
  const TiledMesh<Dim>* tiles_;
  TileView<Dim> view_;
  VertexStar<Dim> star_;
  VertexStar<Dim> other_star_;
  std::vector<std::uint32_t> first_of_edge_;
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

}  // namespace tessera
