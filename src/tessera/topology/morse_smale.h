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
  Array<std::uint32_t> offsets = {0};     ///< path s is cells[offsets[s] .. offsets[s + 1])
  Array<CellName> cells;                  ///< from the source to the destination, dimensions alternating
  std::array<std::size_t, 3> count = {};  ///< by type

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
  /// The edges of ascending walls, which share many: each once, ascending.
  Array<std::uint32_t> edges;
  /// For each of those the cells around it in cyclic order (open at the boundary); tiled ids.
  Array<std::uint32_t> ring_offsets = {0};
  Array<std::uint32_t> rings;

  /// Of the i-th entry of `ascending`.
  [[nodiscard]] CellName ascending_edge(std::size_t i) const { return {edges[ascending[i]], 0, 1}; }
  [[nodiscard]] std::span<const std::uint32_t> ring(std::size_t i) const {
    const std::uint32_t begin = ring_offsets[ascending[i]];
    return {rings.data() + begin, ring_offsets[ascending[i] + 1] - begin};
  }
};

/// Labels by input vertex id; -1 where there is none.
struct Segmentation {
  Array<std::int32_t> ascending;          ///< number of the maximum
  Array<std::int32_t> descending;         ///< number of the minimum
  Array<std::int32_t> morse_smale;        ///< of the pair, counted by (minimum, maximum)
  std::array<std::size_t, 3> count = {};  ///< of regions: ascending, descending, both
};

template <int Dim>
struct MorseSmaleOptions : TopologyOptions<Dim> {
  bool separatrices = true;  ///< descending and ascending ones
  bool connectors = true;    ///< between saddles of tetrahedra
  bool walls = false;        ///< of saddles of tetrahedra
  bool segmentation = true;
  bool keep_paths = true;  ///< the gradient keeps next(), which persistence needs: 8 bytes a cell at the peak
};

template <int Dim>
struct MorseSmaleComplex {
  Gradient<Dim> gradient;  ///< with next() if keep_paths is set
  Separatrices separatrices;
  Walls walls;
  Segmentation segmentation;
};

/// The parts, for those who have a gradient already; it must have been made with keep_paths.
template <int Dim>
[[nodiscard]] Separatrices compute_separatrices(const Gradient<Dim>& gradient,
                                                const MorseSmaleOptions<Dim>& options = {});
[[nodiscard]] Walls compute_walls(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options = {});
/// Takes 4 bytes a cell for its work.
template <int Dim>
[[nodiscard]] Segmentation compute_segmentation(const Gradient<Dim>& gradient,
                                                const MorseSmaleOptions<Dim>& options = {});

/// The same in place of the array that Gradient::take_next() gave, which it takes over.
template <int Dim>
[[nodiscard]] Segmentation compute_segmentation(const Gradient<Dim>& gradient, Array<std::uint32_t> next,
                                                const MorseSmaleOptions<Dim>& options);

/// The tiles must outlive the complex. Errors as compute_order().
template <int Dim>
[[nodiscard]] MorseSmaleComplex<Dim> morse_smale(const TiledMesh<Dim>& tiles, const Field& field,
                                                 const MorseSmaleOptions<Dim>& options = {});

}  // namespace tessera
