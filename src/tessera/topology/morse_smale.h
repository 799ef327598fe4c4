// The Morse-Smale complex of a field: critical cells, the paths and walls between them, and the regions they
// bound.
//
// Names follow TTK. A descending separatrix goes from a 1-saddle (critical edge) down to a minimum, an
// ascending one from a (Dim - 1)-saddle up to a maximum, a connector from a 1-saddle up to a 2-saddle
// (tetrahedra only). Paths that leave through the boundary end nowhere and are dropped. The ascending
// manifold of a vertex is the number of the maximum that the cell around it with the lowest input id flows up
// to, the descending manifold that of the minimum that the vertex flows down to.
//
// Everything is independent of tiles, threads and providers. Where a choice is free, ours is:
//   - critical cells are numbered by ascending input ids (vertices and cells) or input vertices (edges,
//   faces);
//   - of the paths between two saddles the connector is the one that a breadth-first search from the 2-saddle
//     finds first, trying the edges of a triangle from its highest vertices to its lowest;
//   - where several cells share a facet of a non-manifold mesh, a path goes on in the one with the lowest
//     input id.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/csr.h>
#include <tessera/topology/gradient.h>

namespace tessera {

/// Numbered as TTK's SeparatrixType.
enum class SeparatrixType : std::uint8_t { descending = 0, connector = 1, ascending = 2 };

/// Paths between critical cells, each from its source to its destination.
struct Separatrices {
  struct Ends {
    SeparatrixType type;
    std::uint32_t source;       ///< number among the critical cells of its dimension
    std::uint32_t destination;  ///< likewise
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  Array<Ends> ends;  ///< descending ones, then connectors (by their 2-saddles), then ascending ones
  Array<std::uint32_t> offsets = {0};      ///< path s is cells[offsets[s] .. offsets[s + 1])
  Array<CellName> cells;                   ///< from the source to the destination, dimensions alternating
  std::array<std::size_t, 3> counts = {};  ///< by type

  [[nodiscard]] std::size_t count(SeparatrixType type) const {
    return counts[static_cast<std::size_t>(type)];
  }
  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::span<const CellName> path(std::size_t s) const {
    return {cells.data() + offsets[s], offsets[s + 1] - offsets[s]};
  }
};

/// Surfaces that saddles span (tetrahedra).
struct Walls {
  /// Triangles of the mesh that flow down from each 2-saddle, itself first.
  Array<std::uint32_t> descending_offsets = {0};
  Array<CellName> descending;
  /// Edges that flow down to each 1-saddle, itself first, as places in `edges`; the dual polygon of an edge
  /// is a piece of the wall.
  Array<std::uint32_t> ascending_offsets = {0};
  Array<std::uint32_t> ascending;
  /// The edges of ascending walls, which share many: the id of each name once, ascending.
  Array<std::uint32_t> edges;
  /// For each of those the tetrahedra around it in cyclic order (open at the boundary); of a grid, those of
  /// triangulate().
  Array<std::uint32_t> ring_offsets = {0};
  Array<TetId> rings;

  /// Of the i-th entry of `ascending`.
  [[nodiscard]] CellName ascending_edge(std::size_t i) const { return {edges[ascending[i]], 0, 1}; }
  [[nodiscard]] std::span<const TetId> ring(std::size_t i) const {
    const std::uint32_t begin = ring_offsets[ascending[i]];
    return {rings.data() + begin, ring_offsets[ascending[i] + 1] - begin};
  }
};

/// Labels by vertex; -1 where there is none.
struct Segmentation {
  Array<std::int32_t> ascending;    ///< number of the maximum
  Array<std::int32_t> descending;   ///< number of the minimum
  Array<std::int32_t> morse_smale;  ///< of the pair, counted by (minimum, maximum)

  /// How many regions there are.
  struct Counts {
    std::size_t ascending = 0;
    std::size_t descending = 0;
    std::size_t morse_smale = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  Counts count;
};

template <int Dim>
struct MorseSmaleOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;       ///< null: nobody listens
  const StarStore<Dim>* stars = nullptr;  ///< as in CriticalPointsOptions
  bool separatrices = true;               ///< descending and ascending ones
  bool connectors = true;                 ///< between saddles of tetrahedra
  bool walls = false;                     ///< of saddles of tetrahedra
  bool segmentation = true;
  bool keep_paths = true;      ///< the gradient keeps what persistence needs: 8 bytes per cell at the peak
  PeriodicAxes periodic = {};  ///< for morse_smale() of a grid: as in GridOptions
};

template <int Dim>
struct MorseSmaleComplex {
  Gradient<Dim> gradient;  ///< with paths if keep_paths is set
  Separatrices separatrices;
  Walls walls;
  Segmentation segmentation;
};

/// The parts, for those who have a gradient already. Error(bad_option) if it was made without keep_paths and
/// the part needs them: connectors and walls do not. Of the gradient of a grid on host threads only:
/// Error(unsupported) for a device, Error(bad_option) for stars.
template <int Dim>
[[nodiscard]] Separatrices compute_separatrices(const Gradient<Dim>& gradient,
                                                const MorseSmaleOptions<Dim>& options = {});
[[nodiscard]] Walls compute_walls(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options = {});
/// Takes 4 bytes per cell for its work, on a grid 4 per vertex.
template <int Dim>
[[nodiscard]] Segmentation compute_segmentation(const Gradient<Dim>& gradient,
                                                const MorseSmaleOptions<Dim>& options = {});

/// The tiles must outlive the complex. Errors as compute_order().
template <int Dim>
[[nodiscard]] MorseSmaleComplex<Dim> morse_smale(const TiledMesh<Dim>& tiles, const Field& field,
                                                 const MorseSmaleOptions<Dim>& options = {});
/// The same for a mesh, which must outlive the complex. It is tiled inside; the gradient keeps the tiles.
template <int Dim>
[[nodiscard]] MorseSmaleComplex<Dim> morse_smale(const SimplexMesh<Dim>& mesh, const Field& field,
                                                 const MorseSmaleOptions<Dim>& options = {});
/// The same for a point field of the mesh by its name; Error(not_found) lists the names there are.
template <int Dim>
[[nodiscard]] MorseSmaleComplex<Dim> morse_smale(const SimplexMesh<Dim>& mesh, std::string_view field,
                                                 const MorseSmaleOptions<Dim>& options = {}) {
  return morse_smale(mesh, mesh.field(field), options);
}
/// The same for a grid, straight from its values: the complex of triangulate(grid), which is not made, as
/// morse_smale<3>(grid, field), or 2 for a grid of two axes. A device makes the gradient; host threads follow
/// it. The field must outlive the complex and stay as it is. Errors as compute_gradient() of a grid;
/// Error(bad_option) with stars.
template <int Dim>
[[nodiscard]] MorseSmaleComplex<Dim> morse_smale(const Grid& grid, const Field& field,
                                                 const MorseSmaleOptions<Dim>& options = {});
template <int Dim>
[[nodiscard]] MorseSmaleComplex<Dim> morse_smale(const Grid& grid, std::string_view field,
                                                 const MorseSmaleOptions<Dim>& options = {}) {
  return morse_smale<Dim>(grid, grid.field(field), options);
}
template <int Dim>
MorseSmaleComplex<Dim> morse_smale(const Grid& grid, Field&& field,
                                   const MorseSmaleOptions<Dim>& options = {}) = delete;
template <int Dim>
MorseSmaleComplex<Dim> morse_smale(Grid&& grid, std::string_view field,
                                   const MorseSmaleOptions<Dim>& options = {}) = delete;
template <int Dim, class F>
MorseSmaleComplex<Dim> morse_smale(SimplexMesh<Dim>&& mesh, const F& field,
                                   const MorseSmaleOptions<Dim>& options = {}) = delete;

/// For choose_device(), tiling included.
template <int Dim>
[[nodiscard]] Work morse_smale_work(const SimplexMesh<Dim>& mesh) {
  return detail::work_with_tiles(mesh, 400, 140, {.of_vertex = 60, .of_cell = Dim == 3 ? 36 : 32});
}

[[nodiscard]] inline Work morse_smale_work(const Grid& grid, const Field& field) {
  return detail::grid_work(grid, field, 1400, 480);
}

}  // namespace tessera
