// A gradient on the cells of a grid. Nothing of the grid is stored but what cells are paired with:
//
//   rows_[v]    a word a vertex: 4 bits for each of its 14 neighbours (grid_star.h), and its lowest one
//
//                 bits 4 k .. 4 k + 3   of a lower neighbour k: which neighbour is the third vertex of the
//                                       triangle that the edge to k is paired with; 15: the edge is
//                                       critical, or paired with v
//                 bits 56 .. 59         the lowest neighbour, with the edge to which v is paired; 15: none
//
//   tops_[v]    a digit of base 5 for each top cell that has v as its lowest vertex (grid_cells.h)
//
//                 0 .. 3   the corner opposite to the facet it is paired with
//                 4        it is critical
//
// 10 bytes a vertex, where tiles take about 46. A place in the row of a vertex (gradient_source.h) is which
// neighbour it is; a CellName is
//
//   vertex, top cell, edge   id: its number (grid_cells.h)
//   triangle of tets         id: the number of the edge to its second highest vertex, low: which neighbour of
//                            the highest vertex the lowest is
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/topology/detail/field_order.h>
#include <tessera/topology/detail/gradient_source.h>
#include <tessera/topology/detail/grid_cells.h>
#include <tessera/topology/detail/grid_lower_star.h>

namespace tessera::detail {

template <int Dim>
class GridGradient {
 public:
  static constexpr int dim = Dim;
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  using CellId = typename SimplexMesh<Dim>::CellId;
  using Simplex = typename Gradient<Dim>::Simplex;

  GridGradient(const GridLattice& lattice, FieldOrder order) : cells_(lattice), order_(std::move(order)) {}

  [[nodiscard]] const GridCells<Dim>& cells() const { return cells_; }
  [[nodiscard]] const FieldOrder& order() const { return order_; }
  [[nodiscard]] std::size_t bytes() const {
    return rows_.size() * sizeof(rows_[0]) + tops_.size() * sizeof(tops_[0]) + order_.bytes();
  }

  // A GradientSource, as are the public functions below.
  [[nodiscard]] std::size_t vertex_count() const { return cells_.vertex_count(); }
  [[nodiscard]] std::size_t cell_count() const { return cells_.top_count(); }
  [[nodiscard]] std::size_t edge_count() const { return cells_.edge_count(); }
  [[nodiscard]] std::size_t cell_end() const { return vertex_count() * GridCells<Dim>::kinds; }
  [[nodiscard]] std::size_t edge_end() const { return vertex_count() * edges_of_vertex; }
  [[nodiscard]] VertexOrderKey order(VertexId v) const { return order_[v.index()]; }
  [[nodiscard]] VertexOrderKey order(tiled::VertexId v) const { return order_[v.index()]; }
  [[nodiscard]] VertexId to_input(tiled::VertexId v) const { return VertexId(v.index()); }
  [[nodiscard]] tiled::VertexId to_tiled(VertexId v) const { return tiled::VertexId(v.index()); }
  [[nodiscard]] CellId to_input_cell(std::uint32_t cell) const {
    return CellId(static_cast<std::uint32_t>(cells_.rank_of_top(cell)));
  }

  [[nodiscard]] std::uint32_t lowest(tiled::VertexId v) const {
    const std::uint32_t place = lowest_place(v);
    return place == no_place ? none : neighbour(v, place);
  }
  [[nodiscard]] CellName lowest_edge(tiled::VertexId v) const { return {edge(v, lowest_place(v)), 0, 1}; }
  [[nodiscard]] bool is_lowest(tiled::VertexId v, std::uint32_t place) const {
    return place == lowest_place(v);
  }
  [[nodiscard]] std::uint32_t neighbour(tiled::VertexId v, std::uint32_t place) const {
    return cells_.neighbour(v.index(), place);
  }
  [[nodiscard]] bool is_lower_place(tiled::VertexId v, std::uint32_t a, std::uint32_t b) const {
    return order_[neighbour(v, a)] < order_[neighbour(v, b)];
  }
  template <class F>
  void for_each_place(tiled::VertexId v, const F& f) const {
    const VertexOrderKey own = order(v);
    for (std::uint32_t left = cells_.around(v.index()).present; left != 0; left &= left - 1) {
      const auto place = static_cast<std::uint32_t>(std::countr_zero(left));
      const bool is_lower = nibble(v, place) != no_place || order_[neighbour(v, place)] < own;
      if (is_lower && !is_lowest(v, place)) f(place);
    }
  }
  [[nodiscard]] std::uint32_t edge(tiled::VertexId v, std::uint32_t place) const {
    return cells_.edge(v.index(), place);
  }
  [[nodiscard]] std::uint32_t place_of_edge(tiled::VertexId v, std::uint32_t edge) const {
    return cells_.neighbour_along(v.index(), edge);
  }
  [[nodiscard]] tiled::VertexId highest_of_edge(std::uint32_t edge) const {
    const std::uint32_t low = edge / edges_of_vertex;
    const std::uint32_t high = cells_.neighbour(low, first_higher_neighbour + edge % edges_of_vertex);
    return tiled::VertexId(order_[low] > order_[high] ? low : high);
  }

  [[nodiscard]] std::uint32_t triangle_of(tiled::VertexId v, std::uint32_t place) const {
    const std::uint32_t third = nibble(v, place);
    return third == no_place ? none : third;
  }
  [[nodiscard]] RowTriangle row_triangle(tiled::VertexId v, std::uint32_t place, std::uint32_t other) const {
    return is_lower_place(v, place, other) ? RowTriangle{v, other, place} : RowTriangle{v, place, other};
  }
  [[nodiscard]] RowTriangle row_triangle(const CriticalCell& cell) const {
    return {highest(cell), place(cell), cell.name.low};
  }
  [[nodiscard]] RowEdge lowest_edge_of(const RowTriangle& t) const {
    return {tiled::VertexId(neighbour(t.highest, t.high)), grid_between[t.high][t.low]};
  }
  [[nodiscard]] CellName name_of(const RowTriangle& t) const { return {edge(t.highest, t.high), t.low, 2}; }

  [[nodiscard]] bool is_critical(std::uint32_t cell) const { return opposite(cell) == critical; }
  [[nodiscard]] CellName next_facet(std::uint32_t cell) const { return facet_of(cell, opposite(cell)); }
  [[nodiscard]] std::uint32_t next_cell(std::uint32_t cell) const {
    return cells_.beyond(cells_.top(cell), opposite(cell));
  }
  [[nodiscard]] std::array<VertexOrderKey, Dim + 1> corner_orders(std::uint32_t cell) const {
    std::array<VertexOrderKey, Dim + 1> orders;
    const auto top = cells_.top(cell);
    for (std::size_t k = 0; k <= Dim; ++k) orders[k] = order_[cells_.corner(top, k)];
    std::sort(orders.rbegin(), orders.rend());
    return orders;
  }
  /// A grid is a manifold.
  [[nodiscard]] const std::vector<Branch>& branches() const { return branches_; }
  /// Paths need nothing that is not there.
  void expect_paths() const {}
  [[nodiscard]] bool has_paths() const { return true; }

  [[nodiscard]] std::span<const CriticalCell> critical_cells(int of_dimension) const {
    return critical_[static_cast<std::size_t>(of_dimension)];
  }
  [[nodiscard]] tiled::VertexId highest(const CriticalCell& cell) const { return to_tiled(cell.highest); }
  [[nodiscard]] std::uint32_t place(const CriticalCell& cell) const {
    return place_of_edge(highest(cell), cell.name.id);
  }
  [[nodiscard]] std::span<const std::uint32_t> cofaces(std::size_t facet) const {
    return {cofaces_.data() + coface_offsets_[facet], coface_offsets_[facet + 1] - coface_offsets_[facet]};
  }

  [[nodiscard]] bool is_name(const CellName& cell) const;
  [[nodiscard]] Simplex simplex(const CellName& cell) const;
  [[nodiscard]] std::optional<Simplex> partner(std::span<const VertexId> cell) const;
  [[nodiscard]] std::vector<GradientPair> pairs() const;

  /// Is a vertex on the border, and what is the CellId of a cell in files? O(1).
  [[nodiscard]] bool is_on_border(VertexId v) const { return cells_.around(v.index()).is_on_border; }
  [[nodiscard]] std::uint32_t id_of(const CellName& cell) const {
    return static_cast<std::uint32_t>(rank_of(cell));
  }

 private:
  template <int D>
  friend class GridGradientBuilder;

  static constexpr std::uint32_t no_place = 15;
  static constexpr std::uint32_t critical = critical_top;
  static constexpr std::uint32_t lowest_shift = 4 * grid_neighbours;

  [[nodiscard]] std::uint32_t nibble(tiled::VertexId v, std::uint32_t place) const {
    return static_cast<std::uint32_t>(rows_[v.index()] >> (4 * place)) & 15;
  }
  [[nodiscard]] std::uint32_t lowest_place(tiled::VertexId v) const { return nibble(v, grid_neighbours); }
  [[nodiscard]] std::uint32_t opposite(std::uint32_t cell) const {
    const auto top = cells_.top(cell);
    return tops_[top.lowest] / top_digits[top.kind] % 5;
  }
  [[nodiscard]] CellName facet_of(std::uint32_t cell, std::size_t corner) const;
  /// Its place among the cells of its dimension, which may be more than ids.
  [[nodiscard]] std::size_t rank_of(const CellName& cell) const;
  [[nodiscard]] Simplex to_simplex(std::span<const std::uint32_t> vertices) const;
  [[nodiscard]] Simplex simplex_of_row(tiled::VertexId v, std::span<const std::uint32_t> places) const;
  [[nodiscard]] std::optional<Simplex> partner_above(tiled::VertexId v,
                                                     std::span<const std::uint32_t> places) const;
  [[nodiscard]] std::vector<std::uint32_t> sorted_row(tiled::VertexId v) const;

  GridCells<Dim> cells_;
  FieldOrder order_;
  Array<std::uint64_t> rows_;
  Array<std::uint16_t> tops_;
  std::array<Array<CriticalCell>, 4> critical_;
  Array<std::uint32_t> coface_offsets_ = {0};
  Array<std::uint32_t> cofaces_;
  std::vector<Branch> branches_;
};

/// Error(unsupported) as critical_points() of a grid, if the grid is not of this dimension or has too many
/// points for the numbers of its edges.
template <int Dim>
[[nodiscard]] std::shared_ptr<const GridGradient<Dim>> build_gradient(const Grid& grid, const Field& field,
                                                                      const GridOptions& options);

/// A gradient around the vertices of some rows of a lattice. What it says of cells whose highest vertex lies
/// in other rows means nothing.
template <int Dim>
struct PartGradient {
  std::shared_ptr<const GridGradient<Dim>> gradient;  ///< knows of critical vertices and top cells alone
  std::array<std::size_t, 4> saddles = {};  ///< how many critical cells of other dimensions there are
};

/// Rows of vertices: pairs are made of the lower stars of some; saddles are counted if their highest vertex
/// lies in others among them.
struct PartRows {
  host::Range paired;
  host::Range counted;
};

/// Of a lattice with its values, that may be a part of another one. Errors as build_gradient().
template <int Dim>
[[nodiscard]] PartGradient<Dim> build_part_gradient(const Grid& part, const Field& field,
                                                    const PartRows& rows, const Exec& exec,
                                                    const Monitor& monitor);

}  // namespace tessera::detail
