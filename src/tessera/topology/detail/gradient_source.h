// What the algorithms of this module ask of a gradient: one on tiles (gradient_data.h), or one on a grid,
// whose cells are arithmetic (grid_gradient.h).
//
// Every vertex has a row: its lower neighbours, each at a place. An edge is its highest vertex with the place
// of the other one, or a number; a triangle of tetrahedra is its highest vertex with two places
// (RowTriangle). Top cells have ids that ascend as those of the input.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/topology/detail/gradient_data.h>

namespace tessera::detail {

template <class G, int Dim>
concept GradientSource = G::dim == Dim&& requires(const G& gradient, VertexId input, tiled::VertexId v,
                                                  std::uint32_t place, std::uint32_t cell,
                                                  const CriticalCell& critical, const RowTriangle& triangle) {
  { gradient.vertex_count() } -> std::same_as<std::size_t>;
  { gradient.cell_count() } -> std::same_as<std::size_t>;
  { gradient.edge_count() } -> std::same_as<std::size_t>;
  { gradient.cell_end() } -> std::same_as<std::size_t>;  // above all ids of top cells
  { gradient.edge_end() } -> std::same_as<std::size_t>;  // above all numbers of edges
  { gradient.order(input) } -> std::same_as<VertexOrderKey>;
  { gradient.order(v) } -> std::same_as<VertexOrderKey>;
  { gradient.to_input(v) } -> std::same_as<VertexId>;
  { gradient.to_tiled(input) } -> std::same_as<tiled::VertexId>;
  { gradient.to_input_cell(cell) } -> std::same_as<typename SimplexMesh<Dim>::CellId>;

  // The lowest neighbour, with the edge to which the vertex is paired; none at a minimum.
  { gradient.lowest(v) } -> std::same_as<std::uint32_t>;
  { gradient.lowest_edge(v) } -> std::same_as<CellName>;
  { gradient.is_lowest(v, place) } -> std::same_as<bool>;
  { gradient.neighbour(v, place) } -> std::same_as<std::uint32_t>;
  { gradient.is_lower_place(v, place, place) } -> std::same_as<bool>;  // the first one's vertex
  { gradient.edge(v, place) } -> std::same_as<std::uint32_t>;
  { gradient.place_of_edge(v, cell) } -> std::same_as<std::uint32_t>;
  { gradient.highest_of_edge(cell) } -> std::same_as<tiled::VertexId>;
  gradient.for_each_place(v, [](std::uint32_t) {});  // of lower neighbours, but for the lowest

  // The place of the third vertex of the triangle that an edge is paired with; none: it is critical.
  { gradient.triangle_of(v, place) } -> std::same_as<std::uint32_t>;
  { gradient.row_triangle(v, place, place) } -> std::same_as<RowTriangle>;
  { gradient.row_triangle(critical) } -> std::same_as<RowTriangle>;
  { gradient.lowest_edge_of(triangle) } -> std::same_as<RowEdge>;  // that without its highest vertex
  { gradient.name_of(triangle) } -> std::same_as<CellName>;

  // The facet that a top cell is paired with, and the cell beyond it; none: outside.
  { gradient.is_critical(cell) } -> std::same_as<bool>;
  { gradient.next_facet(cell) } -> std::same_as<CellName>;
  { gradient.next_cell(cell) } -> std::same_as<std::uint32_t>;
  {gradient.corner_orders(cell)};  // of its vertices, descending
  { gradient.branches() } -> std::same_as<const std::vector<Branch>&>;

  { gradient.critical_cells(Dim) } -> std::same_as<std::span<const CriticalCell>>;
  { gradient.highest(critical) } -> std::same_as<tiled::VertexId>;
  { gradient.place(critical) } -> std::same_as<std::uint32_t>;
  { gradient.cofaces(std::size_t{}) } -> std::same_as<std::span<const std::uint32_t>>;
  { gradient.simplex(CellName{}) } -> std::same_as<typename Gradient<Dim>::Simplex>;
  gradient.expect_paths();
};

}  // namespace tessera::detail
