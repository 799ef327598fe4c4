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
// ids in ascending order. It needs the lower neighbours (the enumeration transposed) and where each vertex's
// cells begin: 4 bytes an edge and 8 a vertex. Nothing else is kept and nothing is prepared, which suits
// consumers that jump, or that ask for many relations. A vertex with a very long interval makes its
// neighbours' rows slow to find; such rows are refused, and come from a tile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/tile/detail/corners.h>
#include <tessera/tile/detail/enumeration_part.h>
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

  [[nodiscard]] std::size_t bytes() const {
    return 4 * (first_cell_.size() + lower_offsets_.size() + lower_.size());
  }

 private:
  static constexpr std::uint32_t longest = 512;
  using Cell = typename TiledMesh<Dim>::Cell;

  [[nodiscard]] std::span<const std::uint32_t> lower(std::uint32_t v) const {
    return {lower_.data() + lower_offsets_[v], lower_offsets_[v + 1] - lower_offsets_[v]};
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
    for (const std::uint32_t d : lower(a)) {
      const std::uint32_t below = part.edge_id(d, a);
      const std::uint32_t end = part.face_offsets[below + 1];
      std::uint32_t f = part.face_offsets[below];
      if (end - f > longest) return false;
      while (f < end && part.face_hi[f] < b) ++f;
      row.keep(f, f < end && part.face_hi[f] == b);
    }
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
    for (const std::uint32_t u : lower(a)) {
      if (!add_cells_of<0>(u, corners, row)) return false;
    }
    if constexpr (N == 1) {
      row.add_interval(first_cell_[a], first_cell_[a + 1]);
      return true;
    }
    return add_cells_of<1>(a, corners, row);
  }

  /// Adds the cells with u lowest that have the vertices from the First on.
  template <std::size_t First, std::size_t N>
  [[nodiscard]] bool add_cells_of(std::uint32_t u, const std::array<std::uint32_t, N>& corners,
                                  RowBuffer& row) const {
    const std::uint32_t begin = first_cell_[u];
    const std::uint32_t end = first_cell_[u + 1];
    if (end - begin > longest) return false;
    row.make_room(end - begin + 1);
    if constexpr (N - First == Dim) {  // all but u
      Cell whole;
      whole[0] = tiled::VertexId(u);
      for (std::size_t i = 0; i < N; ++i) whole[i + 1] = tiled::VertexId(corners[i]);
      for (std::uint32_t c = begin; c < end; ++c) row.keep(c, cell(c) == whole);
    } else {
      for (std::uint32_t c = begin; c < end; ++c) row.keep(c, has<First>(cell(c), corners));
    }
    return true;
  }

  template <std::size_t First, std::size_t N>
  static bool has(const Cell& cell, const std::array<std::uint32_t, N>& corners) {
    bool all = true;
    for (std::size_t i = First; i < N; ++i) {
      bool found = false;
      for (std::size_t k = 1; k <= Dim; ++k) found |= cell[k].index() == corners[i];
      all &= found;
    }
    return all;
  }

  /// The cells that share all corners of (a, b, ...) but one, in three parts: with u and a lowest, with a
  /// lowest, and without a.
  [[nodiscard]] bool try_fill_cell_neighbours(std::uint32_t id, RowBuffer& row) const {
    std::array<std::uint32_t, Dim + 1> corners;
    for (std::size_t i = 0; i <= Dim; ++i) corners[i] = cell(id)[i].index();
    const std::uint32_t a = corners[0];
    for (const std::uint32_t u : lower(a)) {
      if (first_cell_[u + 1] - first_cell_[u] > longest) return false;
      row.make_room(first_cell_[u + 1] - first_cell_[u] + 1);
      for (std::uint32_t c = first_cell_[u]; c < first_cell_[u + 1]; ++c)
        row.keep(c, cell(c)[1].index() == a && shared(cell(c), corners) == Dim - 1);
    }
    if (first_cell_[a + 1] - first_cell_[a] > longest) return false;
    row.make_room(first_cell_[a + 1] - first_cell_[a] + 1);
    for (std::uint32_t c = first_cell_[a]; c < first_cell_[a + 1]; ++c)
      row.keep(c, shared(cell(c), corners) == Dim - 1);
    std::array<std::uint32_t, Dim> facet;
    std::copy(corners.begin() + 1, corners.end(), facet.begin());
    if (!add_cells(facet, row)) return false;
    const auto found = row.values();
    std::sort(found.begin(), found.end());
    row.resize(static_cast<std::size_t>(std::remove(found.begin(), found.end(), id) - found.begin()));
    return true;
  }

  /// How many of the corners after the first a cell has among its own after the first.
  static std::size_t shared(const Cell& cell, const std::array<std::uint32_t, Dim + 1>& corners) {
    std::size_t count = 0;
    for (std::size_t i = 1; i <= Dim; ++i) {
      for (std::size_t k = 1; k <= Dim; ++k) count += cell[k].index() == corners[i] ? 1 : 0;
    }
    return count;
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
  lower_.resize(part_->edge_hi.size());
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (std::uint32_t e = part_->edge_offsets[v]; e < part_->edge_offsets[v + 1]; ++e)
      lower_[lower_offsets_[part_->edge_hi[e]]++] = v;
  }
  // Filling moved every offset to its row's end, which is where the next row begins.
  std::copy_backward(lower_offsets_.begin(), lower_offsets_.end() - 1, lower_offsets_.end());
  lower_offsets_[0] = 0;
}

}  // namespace tessera::detail
