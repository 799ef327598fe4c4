// The discrete gradient of a field: every cell is critical or paired with a facet or a coface of its own.
//
// Robins, Wood, Sheppard 2011, on the lower star of each vertex. Vertices and top cells are named by the
// input's ids. A cell of any dimension is named by a CellName, which needs no enumeration of edges and faces;
// the gradient turns it into vertices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/topology/critical_points.h>

namespace tessera {

namespace detail {
template <int Dim>
class GradientData;  // topology/detail/gradient_data.h
template <int Dim>
class GridGradient;  // topology/detail/grid_gradient.h
}  // namespace detail

/// A gradient's own name for a cell: it means something to the gradient that gave it alone, which has
/// simplex() and top_cell() to turn it into the input's ids. The numbers are those of
/// topology/detail/gradient_data.h.
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
  VertexId highest;  ///< the vertex of the cell with the highest value
  friend bool operator==(const CriticalCell&, const CriticalCell&) = default;
};

/// A cell and the one of the next dimension that it is paired with.
struct GradientPair {
  CellName low;
  CellName high;
};

/// Copies share what is stored.
template <int Dim>
class Gradient {
 public:
  using CellId = typename SimplexMesh<Dim>::CellId;

  /// Vertices of a cell, ascending; `size` of them.
  struct Simplex {
    std::array<VertexId, 4> vertices;
    std::uint32_t size = 0;
    friend bool operator==(const Simplex& a, const Simplex& b) {
      return a.size == b.size &&
             std::equal(a.vertices.begin(), a.vertices.begin() + a.size, b.vertices.begin());
    }
  };

  explicit Gradient(std::shared_ptr<const detail::GradientData<Dim>> data) : source_(std::move(data)) {}
  explicit Gradient(std::shared_ptr<const detail::GridGradient<Dim>> data) : source_(std::move(data)) {}

  /// How many vertices, edges and top cells the mesh or the grid has.
  [[nodiscard]] std::size_t vertex_count() const;
  [[nodiscard]] std::size_t edge_count() const;
  [[nodiscard]] std::size_t cell_count() const;
  /// Was it made with keep_paths? That of a grid needs none and always has them.
  [[nodiscard]] bool has_paths() const;

  /// By dimension; vertices and top cells ascend by id, others by their ascending vertices.
  [[nodiscard]] std::span<const CriticalCell> critical_cells(int dimension) const;
  /// The top cells around the critical facet of that number, ascending.
  [[nodiscard]] std::vector<CellId> cofaces(std::size_t facet) const;

  /// The vertices of a cell. O(log vertices).
  [[nodiscard]] Simplex simplex(const CellName& cell) const;
  /// The id of a top cell, which the name must be of.
  [[nodiscard]] CellId top_cell(const CellName& cell) const;

  /// What a cell is paired with; nothing if it is critical. Any cell of the mesh, by its vertices in any
  /// order; Error(not_found) if the mesh has no such cell. Constant time but for faces paired with tets of a
  /// mesh, which load a tile.
  [[nodiscard]] std::optional<Simplex> partner(std::span<const VertexId> cell) const;
  /// All pairs: vertices with edges by ascending vertex, edges with triangles of tetrahedra by their highest
  /// vertex, facets with top cells by ascending cell.
  [[nodiscard]] std::vector<GradientPair> pairs() const;

  /// Of what is stored. On a mesh, the order (8 bytes per vertex) not counted: 4 bytes per vertex, 5 per edge
  /// and 1 per top cell, and with paths 4 per top cell and 4 per vertex more. On a grid 10 bytes per vertex,
  /// and 4 more for values that cannot be compared as they are: those of 1, 2 or 8 bytes, and floats of which
  /// one is -0.
  [[nodiscard]] std::size_t bytes() const;

  /// For the functions of this module: what is stored if it is of a mesh, else null.
  [[nodiscard]] const detail::GradientData<Dim>* on_mesh() const {
    const auto* data = std::get_if<0>(&source_);
    return data == nullptr ? nullptr : data->get();
  }
  /// Calls f with what is stored, of either kind.
  template <class F>
  auto visit(const F& f) const {
    return std::visit([&](const auto& source) { return f(*source); }, source_);
  }

 private:
  std::variant<std::shared_ptr<const detail::GradientData<Dim>>,
               std::shared_ptr<const detail::GridGradient<Dim>>>
      source_;
};

template <int Dim>
struct GradientOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;       ///< null: nobody listens
  const StarStore<Dim>* stars = nullptr;  ///< as in CriticalPointsOptions
  /// Keeps what separatrices, segmentation and persistence follow: 4 bytes per top cell and 4 per vertex.
  bool keep_paths = false;
};

/// O(cells). The tiles must outlive the gradient. Equal results for any threads, tiles and providers. Errors
/// as compute_order().
template <int Dim>
[[nodiscard]] Gradient<Dim> compute_gradient(const TiledMesh<Dim>& tiles, const Field& field,
                                             const GradientOptions<Dim>& options = {});
/// The same for a mesh, which must outlive the gradient. It is tiled inside; the gradient keeps the tiles.
template <int Dim>
[[nodiscard]] Gradient<Dim> compute_gradient(const SimplexMesh<Dim>& mesh, const Field& field,
                                             const GradientOptions<Dim>& options = {});
/// The same for a point field of the mesh by its name; Error(not_found) lists the names there are.
template <int Dim>
[[nodiscard]] Gradient<Dim> compute_gradient(const SimplexMesh<Dim>& mesh, std::string_view field,
                                             const GradientOptions<Dim>& options = {}) {
  return compute_gradient(mesh, mesh.field(field), options);
}
/// The same for a grid, straight from its values: the gradient of triangulate(grid), which is not made, as
/// compute_gradient<3>(grid, field), or 2 for a grid of two axes. The gradient compares the values of the
/// field where they are: the field must outlive it and stay as it is. Errors as critical_points() of a grid,
/// and Error(unsupported) for a grid of other axes or of more than 613 million points.
template <int Dim>
[[nodiscard]] Gradient<Dim> compute_gradient(const Grid& grid, const Field& field,
                                             const GridOptions& options = {});
template <int Dim>
[[nodiscard]] Gradient<Dim> compute_gradient(const Grid& grid, std::string_view field,
                                             const GridOptions& options = {}) {
  return compute_gradient<Dim>(grid, grid.field(field), options);
}
template <int Dim>
Gradient<Dim> compute_gradient(const Grid& grid, Field&& field, const GridOptions& options = {}) = delete;
template <int Dim>
Gradient<Dim> compute_gradient(Grid&& grid, std::string_view field, const GridOptions& options = {}) = delete;
template <int Dim, class F>
Gradient<Dim> compute_gradient(SimplexMesh<Dim>&& mesh, const F& field,
                               const GradientOptions<Dim>& options = {}) = delete;

/// For choose_device(), tiling included.
template <int Dim>
[[nodiscard]] Work gradient_work(const SimplexMesh<Dim>& mesh) {
  return detail::work_with_tiles(mesh, 270, 80, {.of_vertex = 24, .of_cell = Dim == 3 ? 12 : 16});
}

[[nodiscard]] inline Work gradient_work(const Grid& grid, const Field& field) {
  return detail::grid_work(grid, field, 250, 50);
}

}  // namespace tessera
