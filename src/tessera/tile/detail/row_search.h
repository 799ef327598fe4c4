// RowSearch: any row upwards, from one element, by searching an explicit enumeration.
//
// Cells, faces and edges are sorted by their ascending vertices, so whatever has v as its lowest vertex is an
// interval. What has v higher up has a lower neighbour u of v as its lowest vertex, and lies in the interval
// of u:
//
//   cells of v      for each lower neighbour u: the cells of u that name v; then the cells of v
//   faces of v      for each lower neighbour u: the faces of u that name v; then the faces of v
//   edges of v      for each lower neighbour u: the edge (u, v); then the edges of v
//
// Intervals hold some six cells or twelve faces, and going through lower neighbours in ascending order meets
// ids in ascending order. Around an edge or a face only the lower neighbours that its vertices share matter,
// a few of a dozen; comparing sixteen at a time finds them before any interval is read.
//
// It needs the lower neighbours (the enumeration transposed) and where each vertex's cells begin: 4 bytes an
// edge and 8 a vertex. Nothing else is kept and nothing is prepared, which suits consumers that jump, or that
// ask for many relations. A vertex with a very long interval makes its neighbours' rows slow to find; such
// rows are refused, and come from a tile. Where no interval is that long, no row is ever refused.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/tile/detail/corners.h>
#include <tessera/tile/detail/enumeration_part.h>
#include <tessera/tile/detail/search.h>
#include <tessera/tile/links.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

/// A row that is being put together; memory is reused from row to row.
class RowBuffer {
 public:
  void clear() { size_ = 0; }
  /// Lets add() and keep() write `count` values without looking.
  void make_room(std::size_t count) {
    if (values_.size() < size_ + count) values_.resize(2 * (size_ + count));
  }
  void add(std::uint32_t value) { values_[size_++] = value; }
  /// Adds a value if it is wanted, without a branch.
  void keep(std::uint32_t value, bool wanted) {
    values_[size_] = value;
    size_ += wanted ? 1 : 0;
  }
  void add_interval(std::uint32_t begin, std::uint32_t end) {
    make_room(end - begin);
    for (std::uint32_t value = begin; value < end; ++value) add(value);
  }
  void assign(std::span<const std::uint32_t> values) {
    values_.assign(values.begin(), values.end());
    size_ = values.size();
  }
  [[nodiscard]] std::span<std::uint32_t> values() { return {values_.data(), size_}; }
  void resize(std::size_t size) { size_ = size; }

 private:
  Array<std::uint32_t> values_;
  std::size_t size_ = 0;
};

/// Rows are the same as everywhere, in the tiled mesh's ids. Threads may search at the same time, each with
/// its own buffer.
template <int Dim>
class RowSearch {
 public:
  static constexpr Kind top = Dim == 3 ? Kind::tet : Kind::face;

  RowSearch() = default;
  /// All must outlive it, and the enumeration must be explicit. O(edges + cells).
  RowSearch(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration, const Corners& corners);

  /// Puts a row into the buffer. Refuses, with false, if a neighbour's interval is longer than `longest`.
  /// Relations: VV, VE, VF, VT, EF, ET, FT, the adjacency of cells, and the links.
  template <class R>
  [[nodiscard]] bool try_fill(std::uint32_t id, RowBuffer& row) const {
    row.clear();
    if constexpr (is_link<R>) {
      return try_fill_link<R>(id, row);
    } else if constexpr (R::from == top) {
      return try_fill_cell_neighbours(id, row);
    } else if constexpr (R::from == Kind::vertex) {
      return try_fill_vertex<R>(id, row);
    } else if constexpr (R::to == top) {
      if constexpr (R::from == Kind::edge) return add_cells(corners_->edge(id), row);
      if constexpr (R::from == Kind::face) return add_cells(corners_->face(id), row);
    } else {
      return try_fill_edge_faces(id, row);
    }
  }

  /// Is no row ever refused?
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  [[nodiscard]] std::size_t bytes() const {
    return 4 * (first_cell_.size() + lower_offsets_.size() + lower_.size());
  }

 private:
  static constexpr std::uint32_t longest = 512;
  static constexpr std::uint32_t compared = 16;
  using Cell = typename TiledMesh<Dim>::Cell;

  [[nodiscard]] std::span<const std::uint32_t> lower(std::uint32_t v) const {
    return {lower_.data() + lower_offsets_[v], lower_offsets_[v + 1] - lower_offsets_[v]};
  }
  /// Is u a lower neighbour of v? Where v has more than `compared`, every u counts as one.
  [[nodiscard]] bool may_be_lower(std::uint32_t u, std::uint32_t v) const {
    const std::uint32_t begin = lower_offsets_[v];
    return lower_offsets_[v + 1] - begin > compared || equal_among_16(lower_.data() + begin, u) != 0;
  }
  /// Calls f(u) for the lower neighbours u of v that may be lower neighbours of at least `least` of the
  /// others too; false as soon as f returns false. They are selected before the first call, without branches
  /// that could be guessed wrong.
  template <std::size_t N, class F>
  [[nodiscard]] bool for_each_lower(std::uint32_t v, const std::array<std::uint32_t, N>& others,
                                    std::size_t least, const F& f) const {
    constexpr std::size_t at_once = 32;
    for (auto row = lower(v); !row.empty(); row = row.subspan(std::min(at_once, row.size()))) {
      std::uint32_t wanted = 0;
      for (std::size_t i = 0; i < std::min(at_once, row.size()); ++i) {
        std::size_t count = 0;
        for (const std::uint32_t other : others) count += may_be_lower(row[i], other) ? 1 : 0;
        wanted |= (count >= least ? 1u : 0u) << i;
      }
      for (; wanted != 0; wanted &= wanted - 1) {
        if (!f(row[static_cast<std::size_t>(std::countr_zero(wanted))])) return false;
      }
    }
    return true;
  }
  [[nodiscard]] const Cell& cell(std::uint32_t c) const { return cells_[c]; }

  template <class R>
  [[nodiscard]] bool try_fill_vertex(std::uint32_t v, RowBuffer& row) const {
    const EnumerationPart& part = *part_;
    const std::uint32_t begin = part.edge_offsets[v];
    const std::uint32_t end = part.edge_offsets[v + 1];
    if constexpr (R::to == top) {
      return add_cells(std::array{v}, row);
    } else if constexpr (R::to == Kind::face) {
      for (const std::uint32_t u : lower(v)) {
        if (!add_faces_of(u, v, row)) return false;
      }
      row.add_interval(part.face_offsets[begin], part.face_offsets[end]);
    } else if constexpr (R::to == Kind::edge) {
      row.make_room(lower(v).size());
      for (const std::uint32_t u : lower(v)) row.add(part.edge_id(u, v));
      row.add_interval(begin, end);
    } else {
      row.make_room(lower(v).size() + end - begin);
      for (const std::uint32_t u : lower(v)) row.add(u);
      for (std::uint32_t e = begin; e < end; ++e) row.add(part.edge_hi[e]);
    }
    return true;
  }

  /// The faces with u lowest that have v: (u, b, v) with b < v, then those of the edge (u, v).
  [[nodiscard]] bool add_faces_of(std::uint32_t u, std::uint32_t v, RowBuffer& row) const {
    const EnumerationPart& part = *part_;
    const std::uint32_t e = part.edge_id(u, v);
    const std::uint32_t begin = part.face_offsets[part.edge_offsets[u]];
    const std::uint32_t middle = part.face_offsets[e];
    if (middle - begin > longest) return false;
    row.make_room(middle - begin + 1);
    for (std::uint32_t f = begin; f < middle; ++f) row.keep(f, part.face_hi[f] == v);
    row.add_interval(middle, part.face_offsets[e + 1]);
    return true;
  }

  /// The faces of the edge (a, b): (d, a, b), (a, x, b), (a, b, c), in this order.
  [[nodiscard]] bool try_fill_edge_faces(std::uint32_t e, RowBuffer& row) const {
    const EnumerationPart& part = *part_;
    const auto [a, b] = corners_->edge(e);
    row.make_room(lower(a).size() + 1);
    const bool is_found = for_each_lower(a, std::array{b}, 1, [&, a = a, b = b](std::uint32_t d) {
      const std::uint32_t below = part.edge_id(d, a);
      const std::uint32_t end = part.face_offsets[below + 1];
      std::uint32_t f = part.face_offsets[below];
      if (end - f > longest) return false;
      while (f < end && part.face_hi[f] < b) ++f;
      row.keep(f, f < end && part.face_hi[f] == b);
      return true;
    });
    if (!is_found) return false;
    const std::uint32_t begin = part.face_offsets[part.edge_offsets[a]];
    const std::uint32_t middle = part.face_offsets[e];
    if (middle - begin > longest) return false;
    row.make_room(middle - begin + 1);
    for (std::uint32_t f = begin; f < middle; ++f) row.keep(f, part.face_hi[f] == b);
    row.add_interval(middle, part.face_offsets[e + 1]);
    return true;
  }

  /// Adds the cells that have all of the ascending vertices.
  template <std::size_t N>
  [[nodiscard]] bool add_cells(const std::array<std::uint32_t, N>& corners, RowBuffer& row) const {
    const std::uint32_t a = corners[0];
    std::array<std::uint32_t, N - 1> others;
    std::copy(corners.begin() + 1, corners.end(), others.begin());
    const auto add = [&](std::uint32_t u) {
      return add_cells_of(u, row, [&](const Cell& c) { return count_above(c, corners) == N; });
    };
    if (!for_each_lower(a, others, N - 1, add)) return false;
    if constexpr (N == 1) {
      row.add_interval(first_cell_[a], first_cell_[a + 1]);
      return true;
    }
    return add_cells_of(a, row, [&](const Cell& c) { return count_above(c, corners) == N - 1; });
  }

  /// Adds the cells with u lowest that pass a test.
  template <class Test>
  [[nodiscard]] bool add_cells_of(std::uint32_t u, RowBuffer& row, const Test& test) const {
    const std::uint32_t begin = first_cell_[u];
    const std::uint32_t end = first_cell_[u + 1];
    if (end - begin > longest) return false;
    row.make_room(end - begin + 1);
    for (std::uint32_t c = begin; c < end; ++c) row.keep(c, test(cell(c)));
    return true;
  }

  /// How many of the vertices a cell has above its lowest one.
  template <std::size_t N>
  static std::size_t count_above(const Cell& cell, const std::array<std::uint32_t, N>& vertices) {
    const std::uint32_t places = any_equal<Dim + 1>(reinterpret_cast<const std::uint32_t*>(&cell), vertices);
    return static_cast<std::size_t>(std::popcount(places >> 1));
  }

  /// The cells that share all corners of (a, b, ...) but one, in three parts: with u and a lowest, with a
  /// lowest, and without a.
  [[nodiscard]] bool try_fill_cell_neighbours(std::uint32_t id, RowBuffer& row) const {
    const std::uint32_t a = cell(id)[0].index();
    std::array<std::uint32_t, Dim> facet;
    for (std::size_t i = 0; i < Dim; ++i) facet[i] = cell(id)[i + 1].index();
    const auto add = [&](std::uint32_t u) {
      return add_cells_of(
          u, row, [&](const Cell& c) { return c[1].index() == a && count_above(c, facet) == Dim - 1; });
    };
    if (!for_each_lower(a, facet, Dim - 1, add)) return false;
    if (!add_cells_of(a, row, [&](const Cell& c) { return count_above(c, facet) == Dim - 1; })) return false;
    if (!add_cells(facet, row)) return false;
    const auto found = row.values();
    std::sort(found.begin(), found.end());
    row.resize(static_cast<std::size_t>(std::remove(found.begin(), found.end(), id) - found.begin()));
    return true;
  }

  /// What is left of each cell of the star without the element's own vertices; the order stays.
  template <class L>
  [[nodiscard]] bool try_fill_link(std::uint32_t id, RowBuffer& row) const {
    const auto own = [&] {
      if constexpr (L::from == Kind::vertex) return std::array{id};
      if constexpr (L::from == Kind::edge) return corners_->edge(id);
      if constexpr (L::from == Kind::face) return corners_->face(id);
    }();
    if (!add_cells(own, row)) return false;
    for (std::uint32_t& entry : row.values()) {
      std::array<std::uint32_t, 4> left{};
      std::size_t n = 0;
      for (const tiled::VertexId corner : cell(entry)) {
        if (std::find(own.begin(), own.end(), corner.index()) == own.end()) left[n++] = corner.index();
      }
      if constexpr (L::to == Kind::vertex) entry = left[0];
      if constexpr (L::to == Kind::edge) entry = part_->edge_id(left[0], left[1]);
      if constexpr (L::to == Kind::face) entry = part_->face_id(left[0], left[1], left[2]);
    }
    return true;
  }

  const EnumerationPart* part_ = nullptr;
  std::span<const Cell> cells_;
  const Corners* corners_ = nullptr;
  Array<std::uint32_t> first_cell_;     // by vertex: its cells as lowest vertex
  Array<std::uint32_t> lower_offsets_;  // by vertex: its lower neighbours, ascending
  Array<std::uint32_t> lower_;
  bool is_complete_ = false;
};

template <int Dim>
RowSearch<Dim>::RowSearch(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration,
                          const Corners& corners)
    : part_(&enumeration.whole()), cells_(tiles.cells()), corners_(&corners) {
  const std::uint32_t vertices = static_cast<std::uint32_t>(tiles.vertex_count());
  first_cell_.assign(vertices + 1, 0);
  for (const Cell& c : cells_) ++first_cell_[c[0].index() + 1];
  for (std::uint32_t v = 0; v < vertices; ++v) first_cell_[v + 1] += first_cell_[v];
  lower_offsets_.assign(vertices + 1, 0);
  for (const std::uint32_t hi : part_->edge_hi) ++lower_offsets_[hi];
  std::uint32_t sum = 0;
  for (std::uint32_t& offset : lower_offsets_) sum += std::exchange(offset, sum);
  lower_.resize(part_->edge_hi.size() + compared);
  std::fill(lower_.end() - compared, lower_.end(), 0);  // may_be_lower() reads beyond the last row
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (std::uint32_t e = part_->edge_offsets[v]; e < part_->edge_offsets[v + 1]; ++e)
      lower_[lower_offsets_[part_->edge_hi[e]]++] = v;
  }
  // Filling moved every offset to its row's end, which is where the next row begins.
  std::copy_backward(lower_offsets_.begin(), lower_offsets_.end() - 1, lower_offsets_.end());
  lower_offsets_[0] = 0;
  is_complete_ = true;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    is_complete_ &= first_cell_[v + 1] - first_cell_[v] <= longest;
    if constexpr (Dim == 3) {
      const std::uint32_t* first_edge = part_->edge_offsets.data() + v;
      is_complete_ &= part_->face_offsets[first_edge[1]] - part_->face_offsets[first_edge[0]] <= longest;
    }
  }
}

}  // namespace tessera::detail
