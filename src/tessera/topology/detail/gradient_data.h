// What a gradient stores, in tiled ids: the functions of this module work on it, Gradient is its public face.
//
// A list of edges by their higher ends names all pairs without ids of edges and faces:
//
//   edges of v   lower[offsets[v] .. offsets[v + 1])    its lower neighbours, lowest first
//                partners[the same]                     edge 0: v itself is paired with it
//                                                       other edges: the place in this row of the third
//                                                       vertex of the triangle it is paired with, or
//                                                       `critical`
//   cells        opposite[c]                            the corner opposite to the facet the cell is paired
//                                                       with, or `critical`
//
// A triangle of tets is paired with an edge if that edge says so, with a tet if the tet says so, and is
// critical otherwise. 4 bytes a vertex, 5 an edge and 1 a cell: about 7 bytes a tet and 4 a vertex.
//
// A CellName is
//
//   vertex, top cell   id: its tiled id
//   edge               id: its number, which is its place in all rows
//   triangle of tets   id: the number of the edge to its second highest vertex, low: the place of its lowest
//                      vertex in that row
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/error.h>
#include <tessera/topology/gradient.h>
#include <tessera/topology/order.h>

namespace tessera::detail {

/// Error(not_found): no cell has these vertices.
[[noreturn]] void refuse_cell(std::span<const VertexId> cell);

/// A cell of a non-manifold mesh from which ascending paths could go on in several others; tiled ids.
struct Branch {
  std::uint32_t cell;                 ///< paired with a facet ...
  std::vector<std::uint32_t> others;  ///< ... that these cells share, at least two, ascending
};

/// An edge by its highest vertex and the place of the other in the row of that one.
struct RowEdge {
  tiled::VertexId highest;
  std::uint32_t place;
};

/// A triangle of tetrahedra by its highest vertex and the places of the others in the row of that one.
struct RowTriangle {
  tiled::VertexId highest;
  std::uint32_t high;
  std::uint32_t low;
};

namespace cuda {
template <int Dim>
struct DeviceGradient;  // topology/detail/cuda/analyses.h
}
template <int Dim>
class GradientBuilder;

/// A gradient on the cells of tiles.
template <int Dim>
class GradientData {
 public:
  static constexpr int dim = Dim;
  static constexpr std::uint8_t critical = 255;
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  using CellId = typename SimplexMesh<Dim>::CellId;
  using Simplex = typename Gradient<Dim>::Simplex;

  [[nodiscard]] const TiledMesh<Dim>& tiles() const { return *tiles_; }
  [[nodiscard]] const OrderArray& order() const { return order_; }

  // A GradientSource, as are the public functions below.
  [[nodiscard]] std::size_t vertex_count() const { return tiles_->vertex_count(); }
  [[nodiscard]] std::size_t cell_end() const { return tiles_->cell_count(); }
  [[nodiscard]] std::size_t edge_end() const { return lower_.size(); }
  [[nodiscard]] std::size_t cell_count() const { return tiles_->cell_count(); }
  [[nodiscard]] std::size_t edge_count() const { return lower_.size(); }
  [[nodiscard]] VertexOrderKey order(VertexId v) const { return order_[to_tiled(v)]; }
  [[nodiscard]] VertexOrderKey order(tiled::VertexId v) const { return order_[v]; }

  [[nodiscard]] std::uint32_t lowest(tiled::VertexId v) const {
    const auto row = lower(v);
    return row.empty() ? none : row[0];
  }
  [[nodiscard]] CellName lowest_edge(tiled::VertexId v) const { return {first_edge(v), 0, 1}; }
  [[nodiscard]] bool is_lowest(tiled::VertexId /*v*/, std::uint32_t place) const { return place == 0; }
  [[nodiscard]] std::uint32_t neighbour(tiled::VertexId v, std::uint32_t place) const {
    return lower_[offsets_[v.index()] + place];
  }
  [[nodiscard]] std::uint32_t edge(tiled::VertexId v, std::uint32_t place) const {
    return first_edge(v) + place;
  }
  [[nodiscard]] std::uint32_t place_of_edge(tiled::VertexId v, std::uint32_t edge) const {
    return edge - first_edge(v);
  }
  [[nodiscard]] bool is_lower_place(tiled::VertexId /*v*/, std::uint32_t a, std::uint32_t b) const {
    return a < b;
  }
  template <class F>
  void for_each_place(tiled::VertexId v, const F& f) const {
    const auto count = static_cast<std::uint32_t>(lower(v).size());
    for (std::uint32_t place = 1; place < count; ++place) f(place);
  }
  [[nodiscard]] RowTriangle row_triangle(tiled::VertexId v, std::uint32_t place, std::uint32_t other) const {
    return {v, std::max(place, other), std::min(place, other)};
  }
  [[nodiscard]] RowTriangle row_triangle(const CriticalCell& cell) const {
    return {highest(cell), place(cell), cell.name.low};
  }
  [[nodiscard]] RowEdge lowest_edge_of(const RowTriangle& t) const {
    const tiled::VertexId second(neighbour(t.highest, t.high));
    return {second, place_of(second, tiled::VertexId(neighbour(t.highest, t.low)))};
  }
  [[nodiscard]] bool is_name(const CellName& cell) const {
    constexpr std::uint32_t top = Dim;
    if (cell.dimension > top) return false;
    return cell.id < (cell.dimension == 0 ? vertex_count() : cell.dimension == top ? cell_end() : edge_end());
  }
  [[nodiscard]] CellName name_of(const RowTriangle& t) const {
    return {first_edge(t.highest) + t.high, t.low, 2};
  }
  [[nodiscard]] bool is_critical(std::uint32_t cell) const { return opposite_[cell] == critical; }
  [[nodiscard]] CellName next_facet(std::uint32_t cell) const { return facet_of(cell, opposite_[cell]); }
  [[nodiscard]] std::uint32_t next_cell(std::uint32_t cell) const { return next_[cell]; }
  [[nodiscard]] std::array<VertexOrderKey, Dim + 1> corner_orders(std::uint32_t cell) const {
    std::array<VertexOrderKey, Dim + 1> orders;
    for (std::size_t k = 0; k <= Dim; ++k)
      orders[k] = order_[tiled::VertexId(tiles_->cells()[cell][k].index())];
    std::sort(orders.rbegin(), orders.rend());
    return orders;
  }

  [[nodiscard]] VertexId to_input(tiled::VertexId v) const { return tiles_->input(v); }
  [[nodiscard]] tiled::VertexId to_tiled(VertexId v) const { return tiles_->tiled(v); }
  [[nodiscard]] CellId to_input_cell(std::uint32_t cell) const {
    return tiles_->input(typename TiledMesh<Dim>::CellId(cell));
  }

  /// The lower neighbours of a vertex, lowest first; tiled ids.
  [[nodiscard]] std::span<const std::uint32_t> lower(tiled::VertexId v) const {
    return {lower_.data() + offsets_[v.index()], offsets_[v.index() + 1] - offsets_[v.index()]};
  }
  /// Edges are numbered row by row: the number of a vertex's first one, and of all.
  [[nodiscard]] std::uint32_t first_edge(tiled::VertexId v) const { return offsets_[v.index()]; }
  /// Place in its row of the edge from a to the lower b, or none.
  [[nodiscard]] std::uint32_t place_of(tiled::VertexId a, tiled::VertexId b) const;

  /// For an edge that is not the first of its row: the place of the third vertex of its triangle; none:
  /// critical.
  [[nodiscard]] std::uint32_t triangle_of(tiled::VertexId v, std::uint32_t place) const;
  /// The corner (0 to Dim) opposite to the facet the cell is paired with, or `critical`.
  [[nodiscard]] std::uint8_t opposite(std::uint32_t cell) const { return opposite_[cell]; }

  /// Was it made with keep_paths, and has nobody taken next()?
  [[nodiscard]] bool has_paths() const { return next_.size() == tiles_->cell_count(); }
  /// Error(bad_option) unless it has.
  void expect_paths() const {
    if (!has_paths())
      throw Error(ErrorCode::bad_option, "the gradient has no paths; compute it with keep_paths");
  }
  /// Where ascending paths go on from a cell: across the facet it is paired with. none: it is critical, or
  /// the path leaves through the boundary. Empty without keep_paths.
  [[nodiscard]] std::span<const std::uint32_t> next() const { return next_; }
  /// Cells whose next() was chosen among several, ascending; empty for a manifold, or without keep_paths.
  [[nodiscard]] const std::vector<Branch>& branches() const { return branches_; }
  /// The cell around a vertex with the lowest input id, none without cells. Empty without keep_paths.
  [[nodiscard]] std::span<const std::uint32_t> first_cells() const { return first_cells_; }
  /// Gives that memory back, or lets the caller use it for something else.
  [[nodiscard]] Array<std::uint32_t> take_next() { return std::exchange(next_, {}); }

  [[nodiscard]] std::span<const CriticalCell> critical_cells(int dimension) const {
    return critical_[static_cast<std::size_t>(dimension)];
  }
  [[nodiscard]] tiled::VertexId highest(const CriticalCell& cell) const { return to_tiled(cell.highest); }
  /// The place in its row of a critical edge, or of the higher edge of a critical triangle.
  [[nodiscard]] std::uint32_t place(const CriticalCell& cell) const {
    return cell.name.id - first_edge(highest(cell));
  }
  /// The cells around the critical facet of that number; tiled ids, ascending by input id.
  [[nodiscard]] std::span<const std::uint32_t> cofaces(std::size_t facet) const {
    return {cofaces_.data() + coface_offsets_[facet], coface_offsets_[facet + 1] - coface_offsets_[facet]};
  }

  /// The name of an edge or triangle whose vertices are joined; tiled ids in any order.
  [[nodiscard]] CellName name_of(std::span<const std::uint32_t> vertices) const;
  /// The name of the facet of a cell opposite to one of its corners.
  [[nodiscard]] CellName facet_of(std::uint32_t cell, std::size_t corner) const;
  /// The name of the triangle with these places in the row of v.
  [[nodiscard]] CellName triangle(tiled::VertexId v, std::uint32_t place, std::uint32_t other) const {
    return {first_edge(v) + std::max(place, other), std::min(place, other), 2};
  }
  [[nodiscard]] Simplex simplex(const CellName& cell) const;
  /// The highest vertex of an edge. O(log vertices).
  [[nodiscard]] tiled::VertexId highest_of_edge(std::uint32_t edge) const {
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), edge);
    return tiled::VertexId(static_cast<std::uint32_t>(after - offsets_.begin()) - 1);
  }

  [[nodiscard]] std::optional<Simplex> partner(std::span<const VertexId> cell) const;
  [[nodiscard]] std::vector<GradientPair> pairs() const;
  [[nodiscard]] std::size_t bytes() const;

  /// The same arrays on the device that computed them, if it keeps paths and no vertex has more than 254
  /// lower neighbours; else null.
  [[nodiscard]] const std::shared_ptr<const cuda::DeviceGradient<Dim>>& on_device() const { return device_; }

 private:
  template <int D>
  friend class GradientBuilder;

  static constexpr std::uint32_t far_place = 254;  // from here on places are kept aside

  [[nodiscard]] Simplex to_simplex(std::span<const std::uint32_t> vertices) const;
  [[nodiscard]] std::optional<Simplex> partner_of_facet(std::span<const std::uint32_t> vertices) const;
  [[nodiscard]] std::optional<std::uint32_t> find_cell(std::span<const std::uint32_t> vertices) const;

  std::shared_ptr<const TiledMesh<Dim>> tiles_;
  OrderArray order_;
  Array<std::uint32_t> offsets_ = {0};
  Array<std::uint32_t> lower_;
  Array<std::uint8_t> partners_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> far_partners_;  // (edge, place): places above 253
  Array<std::uint8_t> opposite_;
  Array<std::uint32_t> next_;
  std::vector<Branch> branches_;
  Array<std::uint32_t> first_cells_;
  std::array<Array<CriticalCell>, 4> critical_;
  Array<std::uint32_t> coface_offsets_ = {0};
  Array<std::uint32_t> cofaces_;
  std::shared_ptr<const cuda::DeviceGradient<Dim>> device_;
};

/// Tiles that somebody else keeps.
template <int Dim>
[[nodiscard]] std::shared_ptr<const TiledMesh<Dim>> borrow(const TiledMesh<Dim>& tiles) {
  return {std::shared_ptr<void>(), &tiles};
}

/// The tiles of a mesh, for options with exec and monitor.
template <int Dim, class Options>
[[nodiscard]] std::shared_ptr<const TiledMesh<Dim>> make_tiles(const SimplexMesh<Dim>& mesh,
                                                               const Options& options) {
  return std::make_shared<const TiledMesh<Dim>>(
      tile(mesh, {.max_vertices = pushed_tile_vertices, .exec = options.exec, .monitor = options.monitor}));
}

/// `fetch_paths`: false lets a device that computes all paths keep them for itself, in on_device().
template <int Dim>
[[nodiscard]] std::shared_ptr<GradientData<Dim>> build_gradient(std::shared_ptr<const TiledMesh<Dim>> tiles,
                                                                const Field& field,
                                                                const GradientOptions<Dim>& options,
                                                                bool fetch_paths = true);

}  // namespace tessera::detail
