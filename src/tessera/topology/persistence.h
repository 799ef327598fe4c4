// Persistence of a field: which critical cells are born and die together as the sublevel set grows.
//
// The lower-star filtration adds cells in the order of their highest vertex, then of their second highest,
// and so on. A class of dimension d is born with a critical d-cell and dies with a critical (d + 1)-cell; one
// that never dies is essential, and essential classes are counted by the Betti numbers of the mesh (over
// Z/2). Homology is found on the critical cells of the discrete gradient alone (after Guillou, Vidal, Tierny,
// "Discrete Morse Sandwich", TVCG 2023), outermost dimensions first, since those are graphs:
//
//   0         minima and critical edges: sets are joined, edges ascending
//   Dim - 1   critical facets and maxima: the same from above, with one more "maximum" outside the boundary;
//             where more than two cells share a facet it is no graph, and columns of maxima are reduced
//   1 of 3    the rest of the critical edges and triangles: the boundary of a triangle is a chain of edges
//             that is pushed down the gradient until its highest edge is critical
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/core/array.h>
#include <tessera/topology/gradient.h>

namespace tessera {

/// A class of homology of the sublevel sets, from its birth to its death.
struct PersistencePair {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  std::uint32_t dimension = 0;  ///< of the class
  std::uint32_t birth = 0;      ///< number among the critical cells of this dimension
  std::uint32_t death = none;   ///< number among those of the next dimension; none: it never dies
  VertexId birth_vertex;        ///< the highest of the cell
  VertexId death_vertex;  ///< the highest of the cell, or of the whole mesh (as TTK does) if it never dies
  double birth_value = 0;
  double death_value = 0;

  [[nodiscard]] bool is_finite() const { return death != none; }
  /// What the field rises from birth to death. Values of equal infinities make no difference.
  [[nodiscard]] double persistence() const {
    return death_value == birth_value ? 0 : death_value - birth_value;
  }
  friend bool operator==(const PersistencePair&, const PersistencePair&) = default;
};

/// Every critical cell is in exactly one pair.
struct Persistence {
  Array<PersistencePair> pairs;               ///< by dimension, then as they are born in the filtration
  std::array<std::size_t, 4> finite = {};     ///< how many, by dimension
  std::array<std::size_t, 4> essential = {};  ///< Betti numbers
  double lowest = 0;                          ///< value of the field; 0 without vertices
  double highest = 0;

  /// A part of the field's range: what a threshold in percent means.
  [[nodiscard]] double part_of_range(double part) const {
    return highest == lowest ? 0 : part * (highest - lowest);
  }
  friend bool operator==(const Persistence&, const Persistence&) = default;
};

struct PersistenceOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;  ///< null: nobody listens
  PeriodicAxes periodic = {};        ///< for compute_persistence() of a grid: as in GridOptions
};

/// `field` is the one the gradient was made of, and the gradient must have been made with keep_paths. Values
/// are given as double; pairing itself compares exactly. O(critical cells log) and the paths between them;
/// the worst case of dimension 1 of tetrahedra is cubic in the critical cells. Equal results for any threads,
/// tiles and providers. Error(bad_option) if the gradient has no paths, Error(unsupported) if the field does
/// not have one component per vertex, Error(cancelled) if the monitor says so.
template <int Dim>
[[nodiscard]] Persistence compute_persistence(const Gradient<Dim>& gradient, const Field& field,
                                              const PersistenceOptions& options = {});
/// The same for a mesh, whose gradient is computed inside: `birth` and `death` number its critical cells.
template <int Dim>
[[nodiscard]] Persistence compute_persistence(const SimplexMesh<Dim>& mesh, const Field& field,
                                              const PersistenceOptions& options = {}) {
  const Gradient<Dim> gradient = compute_gradient<Dim>(
      mesh, field, {.exec = options.exec, .monitor = options.monitor, .keep_paths = true});
  return compute_persistence(gradient, field, options);
}
/// The same for a point field of the mesh by its name; Error(not_found) lists the names there are.
template <int Dim>
[[nodiscard]] Persistence compute_persistence(const SimplexMesh<Dim>& mesh, std::string_view field,
                                              const PersistenceOptions& options = {}) {
  return compute_persistence(mesh, mesh.field(field), options);
}

/// The same for a grid, straight from its values: <3>, or <2> for a grid of two axes.
template <int Dim>
[[nodiscard]] Persistence compute_persistence(const Grid& grid, const Field& field,
                                              const PersistenceOptions& options = {}) {
  const Gradient<Dim> gradient = compute_gradient<Dim>(
      grid, field, {.exec = options.exec, .monitor = options.monitor, .periodic = options.periodic});
  return compute_persistence(gradient, field, {.exec = options.exec, .monitor = options.monitor});
}
template <int Dim>
[[nodiscard]] Persistence compute_persistence(const Grid& grid, std::string_view field,
                                              const PersistenceOptions& options = {}) {
  return compute_persistence<Dim>(grid, grid.field(field), options);
}

/// For choose_device(), tiling included.
template <int Dim>
[[nodiscard]] Work persistence_work(const SimplexMesh<Dim>& mesh) {
  return detail::work_with_tiles(mesh, 500, 90, {.of_vertex = 40, .of_cell = Dim == 3 ? 20 : 24});
}

[[nodiscard]] inline Work persistence_work(const Grid& grid, const Field& field) {
  return detail::grid_work(grid, field, 1000, 112);
}

}  // namespace tessera
