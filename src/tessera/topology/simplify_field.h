// Simplified fields: the values are changed so that the field has just the chosen minima and maxima.
//
// The pieces of superlevel sets that no chosen maximum is in end at a saddle. Such a piece is lowered to the
// value of its saddle, and in the same way pieces of sublevel sets are raised:
//
//        o   <- a maximum that goes
//       / \ .
//      /   o saddle ...          its piece lies at the value of the saddle now, and falls away from it
//     o
//
// On a flat piece, the order of the vertices decides what is an extremum. Each vertex needs a lower and a
// higher neighbour. Layers around the saddle mostly do; where they do not, an st-numbering of the piece does
// (Lempel, Even and Cederbaum 1967, by Tarjan's algorithm of 1986). It exists unless the piece is cut off by
// a single vertex, so there is nothing to iterate. The numbering goes into the lowest bits of the values,
// which are double.
//
// No value changes by more than the threshold, but for these bits: values of 8 bytes that follow each other
// without room in between are moved up one after the other. Saddles are not chosen: on surfaces their number
// follows from that of the extrema, in volumes pairs of saddles may stay or come.
#pragma once

#include <cstddef>
#include <string_view>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/topology/merge_tree.h>

namespace tessera {

/// The extrema that a field is to have: vertices that are extrema of it.
struct ChosenExtrema {
  Array<VertexId> minima;
  Array<VertexId> maxima;
};

struct SimplifyFieldOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;  ///< null: nobody listens
  PeriodicAxes periodic = {};        ///< of a grid, as in GridOptions; Error(bad_option) with a mesh
};

/// Those that persist at least `threshold`, and the lowest and the highest vertex of each component.
/// Error(bad_option) for a threshold that is negative or not a number, else as merge_tree().
template <int Dim>
[[nodiscard]] ChosenExtrema persistent_extrema(const SimplexMesh<Dim>& mesh, const Field& field,
                                               double threshold, const SimplifyFieldOptions& options = {});
[[nodiscard]] ChosenExtrema persistent_extrema(const Grid& grid, const Field& field, double threshold,
                                               const SimplifyFieldOptions& options = {});

struct SimplifiedField {
  Field field;                       ///< double, of the same name
  std::size_t changed_vertices = 0;  ///< which lie at the value of another vertex now
  double largest_change = 0;
};

/// O(cells + vertices log vertices). Takes some 90 bytes per vertex besides what merge_tree() takes, and the
/// neighbours of the vertices that change. Equal results for any threads. Isolated vertices always stay and
/// need not be chosen. Error(bad_option) if a chosen vertex is no extremum, a component has none chosen of a
/// kind, or a chosen vertex lies in a piece that is flattened for others. Error(unsupported) where one vertex
/// cuts a piece off, so that its extremum must stay; where the field is infinite and would have to change;
/// for integers that double cannot hold; else as merge_tree().
template <int Dim>
[[nodiscard]] SimplifiedField simplify_field(const SimplexMesh<Dim>& mesh, const Field& field,
                                             const ChosenExtrema& keep,
                                             const SimplifyFieldOptions& options = {});
/// The same for a grid, straight from its values: that of its cut by triangulate().
[[nodiscard]] SimplifiedField simplify_field(const Grid& grid, const Field& field, const ChosenExtrema& keep,
                                             const SimplifyFieldOptions& options = {});

/// The same with persistent_extrema(), in less time.
template <int Dim>
[[nodiscard]] SimplifiedField simplify_field(const SimplexMesh<Dim>& mesh, const Field& field,
                                             double threshold, const SimplifyFieldOptions& options = {});
[[nodiscard]] SimplifiedField simplify_field(const Grid& grid, const Field& field, double threshold,
                                             const SimplifyFieldOptions& options = {});

/// Estimated memory and time if all vertices change; runs on the host only.
template <int Dim>
[[nodiscard]] Work simplify_field_work(const SimplexMesh<Dim>& mesh) {
  Work work = merge_tree_work(mesh);
  work.host_bytes += 340 * Bytes{mesh.vertex_count()};
  return work;
}
[[nodiscard]] inline Work simplify_field_work(const Grid& grid, const Field& field) {
  Work work = merge_tree_work(grid, field);
  work.host_bytes += 90 * Bytes{grid.vertex_count()};
  return work;
}

}  // namespace tessera
