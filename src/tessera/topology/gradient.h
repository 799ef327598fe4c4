// The discrete gradient of a field: every cell is critical or paired with a facet or a coface of its own.
//
// Robins, Wood, Sheppard 2011, on the lower star of each vertex (lower_star.h). Stored as a list of edges by
// their higher ends, which names all pairs without ids of edges and faces:
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
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/order.h>

namespace tessera {

/// A cell of any dimension by numbers that need no enumeration; tiled ids.
///
///   vertex, top cell   id: its id
///   edge               id: its number, which is its place in all rows
///   triangle of tets   id: the number of the edge to its second highest vertex, low: the place of its lowest
///                      vertex in that row
struct CellName {
  std::uint32_t id = 0;
  std::uint32_t low = 0;
  std::uint32_t dimension = 0;
  friend bool operator==(const CellName&, const CellName&) = default;
};

/// Paths are long arrays of them, which are written at once.
template <>
inline constexpr bool starts_unset<CellName> = true;

struct CriticalCell {
  CellName name;
  VertexId highest;  ///< its highest vertex; tiled id
  std::vector<std::uint32_t>
      cofaces;  ///< the cells around it, if it is a facet; tiled ids, ascending by input id
};

/// A cell of a non-manifold mesh from which ascending paths could go on in several others.
struct Branch {
  std::uint32_t cell;                 ///< paired with a facet ...
  std::vector<std::uint32_t> others;  ///< ... that these cells share, at least two, ascending; tiled ids
};

namespace detail::cuda {
template <int Dim>
struct DeviceGradient;  // topology/cuda/analyses.h
}

template <int Dim>
class Gradient {
 public:
  static constexpr std::uint8_t critical = 255;

  /// Vertices of a cell, ascending input ids; `size` of them.
  struct Simplex {
    std::array<VertexId, 4> vertices;
    std::uint32_t size = 0;
    friend bool operator==(const Simplex& a, const Simplex& b) {
      return a.size == b.size &&
             std::equal(a.vertices.begin(), a.vertices.begin() + a.size, b.vertices.begin());
    }
  };

  [[nodiscard]] const TiledMesh<Dim>& tiles() const { return *tiles_; }
  [[nodiscard]] const OrderArray& order() const { return order_; }

  /// The lower neighbours of a vertex, lowest first; tiled ids.
  [[nodiscard]] std::span<const std::uint32_t> lower(VertexId v) const {
    return {lower_.data() + offsets_[v.index()], offsets_[v.index() + 1] - offsets_[v.index()]};
  }
  /// Edges are numbered row by row: the number of a vertex's first one, and of all.
  [[nodiscard]] std::uint32_t first_edge(VertexId v) const { return offsets_[v.index()]; }
  [[nodiscard]] std::size_t edge_count() const { return lower_.size(); }
  /// Place in its row of the edge from a to the lower b, or none.
  [[nodiscard]] std::uint32_t place_of(VertexId a, VertexId b) const;

  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  /// For an edge that is not the first of its row: the place of the third vertex of its triangle; none:
  /// critical.
  [[nodiscard]] std::uint32_t triangle_of(VertexId v, std::uint32_t place) const;
  /// The corner (0 to Dim) opposite to the facet the cell is paired with, or `critical`.
  [[nodiscard]] std::uint8_t opposite(std::uint32_t cell) const { return opposite_[cell]; }
  /// Where ascending paths go on from a cell: across the facet it is paired with. none: it is critical, or
  /// the path leaves through the boundary. Empty unless it was asked for (keep_paths).
  [[nodiscard]] std::span<const std::uint32_t> next() const { return next_; }
  /// Cells whose next() was chosen among several, ascending; empty for a manifold, or unless it was asked
  /// for.
  [[nodiscard]] const std::vector<Branch>& branches() const { return branches_; }
  /// The cell around a vertex with the lowest input id, none without cells. Empty unless it was asked for.
  [[nodiscard]] std::span<const std::uint32_t> first_cells() const { return first_cells_; }
  /// Gives that memory back, or lets the caller use it for something else.
  [[nodiscard]] Array<std::uint32_t> take_next() { return std::exchange(next_, {}); }

  /// By dimension; vertices and cells ascend by input id, others by their ascending input vertices.
  [[nodiscard]] std::span<const CriticalCell> critical_cells(int dimension) const {
    return critical_[static_cast<std::size_t>(dimension)];
  }
  /// The name of an edge or triangle whose vertices are joined; tiled ids in any order.
  [[nodiscard]] CellName name_of(std::span<const std::uint32_t> vertices) const;
  /// The name of the facet of a cell opposite to one of its corners.
  [[nodiscard]] CellName facet_of(std::uint32_t cell, std::size_t corner) const;
  /// The name of the triangle with these places in the row of v.
  [[nodiscard]] CellName triangle(VertexId v, std::uint32_t place, std::uint32_t other) const {
    return {first_edge(v) + std::max(place, other), std::min(place, other), 2};
  }
  /// The vertices of a cell.
  [[nodiscard]] Simplex simplex(const CellName& cell) const;
  /// The highest vertex of an edge. O(log vertices).
  [[nodiscard]] VertexId highest_of_edge(std::uint32_t edge) const {
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), edge);
    return VertexId(static_cast<std::uint32_t>(after - offsets_.begin()) - 1);
  }

  /// What a cell is paired with; nothing if it is critical. Any cell of the mesh, by its input vertices in
  /// any order. Constant time but for faces paired with tets, which load a tile.
  [[nodiscard]] std::optional<Simplex> partner(std::span<const VertexId> cell) const;

  /// The same arrays on the device that computed them, if it keeps paths and no vertex has more than 254
  /// lower neighbours; else null.
  [[nodiscard]] const std::shared_ptr<const detail::cuda::DeviceGradient<Dim>>& on_device() const {
    return device_;
  }

  /// Of what is stored, the order (8 bytes a vertex) not counted.
  [[nodiscard]] std::size_t bytes() const;

 private:
  template <int D>
  friend class GradientBuilder;

  [[nodiscard]] Simplex to_input(std::span<const std::uint32_t> vertices) const;
  [[nodiscard]] std::optional<Simplex> partner_of_facet(std::span<const std::uint32_t> vertices) const;
  [[nodiscard]] std::optional<std::uint32_t> find_cell(std::span<const std::uint32_t> vertices) const;

  const TiledMesh<Dim>* tiles_ = nullptr;
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
  std::shared_ptr<const detail::cuda::DeviceGradient<Dim>> device_;
};

template <int Dim>
struct GradientOptions : TopologyOptions<Dim> {
  bool keep_paths = false;  ///< next(), branches() and first_cells(): 4 bytes a cell and 4 a vertex more
  bool fetch_paths = true;  ///< false: a device that computes them all keeps them for itself, in on_device()
};

/// O(cells). The tiles must outlive the gradient. Equal results for any threads, tiles and providers. Errors
/// as compute_order().
template <int Dim>
[[nodiscard]] Gradient<Dim> compute_gradient(const TiledMesh<Dim>& tiles, const Field& field,
                                             const GradientOptions<Dim>& options = {});

}  // namespace tessera
