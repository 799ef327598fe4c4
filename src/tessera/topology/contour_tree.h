// The contour tree of a field: how the connected pieces of its level sets begin, split, meet and end while
// the level goes up.
//
//   maximum o     o maximum
//            \   /
//             \ /
//              o saddle
//              |
//              o saddle
//             / \ .
//   minimum  o   o minimum
//
// A leaf is an extremum. At the other nodes contours meet or split. An arc is a family of contours that pass
// into each other; the vertices of the mesh that they sweep over are its region.
//
// The tree is made of the join tree and the split tree, which know where sublevel sets and superlevel sets
// meet. A leaf of one that is no saddle of the other is a leaf of the contour tree. It is taken out of both
// and leaves an arc (Carr, Snoeyink and Axen, "Computing contour trees in all dimensions", 2003).
//
// Branches: the leaf arc with the smallest difference of values goes first, if its saddle has another arc on
// the same side. Arcs that pass through what was a saddle then are one (Pascucci, Cole-McLaughlin and
// Scorzelli, "Multi-resolution computation and presentation of contour trees", 2004).
//
// On a mesh with tunnels, or a grid with periodic axes, contours may split and meet again. A tree cannot
// represent that; it keeps one of the paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/merge_tree.h>

namespace tessera {

struct ContourTree {
  static constexpr std::uint32_t none = MergeTree::none;

  struct Node {
    VertexId vertex;
    double value = 0;             ///< of the field
    std::uint32_t up_arcs = 0;    ///< how many lead to higher nodes
    std::uint32_t down_arcs = 0;  ///< ... to lower ones
    friend bool operator==(const Node&, const Node&) = default;
  };
  struct Arc {
    std::uint32_t lower = none;  ///< nodes
    std::uint32_t upper = none;
    std::uint32_t branch = none;
    std::uint32_t size = 0;  ///< how many vertices have its label
    friend bool operator==(const Arc&, const Arc&) = default;
  };
  /// From a leaf to the node where it ends on an older branch; the last one of a component from its lower
  /// end to its upper one.
  using Branch = MergeTree::Branch;

  Array<Node> nodes;               ///< ascending
  Array<Arc> arcs;                 ///< by their nodes, the lower one first
  Array<Branch> branches;          ///< by leaf
  Array<std::uint32_t> branch_of;  ///< by node: the branch that goes through it, or ends at its leaf
  /// For each vertex the arc whose contours sweep over it; for a node the first of its arcs, and none for a
  /// vertex that is a component of its own.
  Array<std::uint32_t> labels;

  [[nodiscard]] bool is_leaf(std::uint32_t node) const {
    return nodes[node].up_arcs + nodes[node].down_arcs <= 1;
  }
  friend bool operator==(const ContourTree&, const ContourTree&) = default;
};

struct ContourTreeOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;  ///< null: nobody listens
  PeriodicAxes periodic = {};        ///< of a grid, as in GridOptions; Error(bad_option) with a mesh
};

/// As merge_tree() twice, and O(vertices + nodes log nodes). Takes 8 bytes per vertex more. Equal results for
/// any threads. Errors as merge_tree().
template <int Dim>
[[nodiscard]] ContourTree contour_tree(const SimplexMesh<Dim>& mesh, const Field& field,
                                       const ContourTreeOptions& options = {});
/// The same for a grid, straight from its values: that of its cut by triangulate().
[[nodiscard]] ContourTree contour_tree(const Grid& grid, const Field& field,
                                       const ContourTreeOptions& options = {});
/// The same for a point field by its name; Error(not_found) lists the names there are.
template <int Dim>
[[nodiscard]] ContourTree contour_tree(const SimplexMesh<Dim>& mesh, std::string_view field,
                                       const ContourTreeOptions& options = {}) {
  return contour_tree(mesh, mesh.field(field), options);
}
[[nodiscard]] inline ContourTree contour_tree(const Grid& grid, std::string_view field,
                                              const ContourTreeOptions& options = {}) {
  return contour_tree(grid, grid.field(field), options);
}

/// Takes branches away, in the order above, until the next one persists at least `threshold` or is the last
/// of its component. Their vertices go to the arc on which they end, or to the first arc of the node where
/// they end. Error(bad_option) for a threshold that is negative or not a number.
[[nodiscard]] ContourTree prune(const ContourTree& tree, double threshold);

/// A vertex for each node and a line for each arc, with TTK's arrays (docs/merge_trees.md).
template <int Dim>
[[nodiscard]] PolyData make_poly(const ContourTree& tree, const SimplexMesh<Dim>& mesh, const Field& field);
[[nodiscard]] PolyData make_poly(const ContourTree& tree, const Grid& grid, const Field& field);
/// Adds `SegmentationId` (-1: no arc), `RegionSize` and `RegionType`, by vertex.
void add_labels(FieldSet& point_data, const ContourTree& tree);

/// Estimated memory and time; runs on the host only.
template <int Dim>
[[nodiscard]] Work contour_tree_work(const SimplexMesh<Dim>& mesh) {
  Work work = merge_tree_work(mesh);
  work.host_bytes += 16 * Bytes{mesh.vertex_count()};
  return work;
}
[[nodiscard]] inline Work contour_tree_work(const Grid& grid, const Field& field) {
  Work work = merge_tree_work(grid, field);
  // Noise on two axes has a node for every third vertex.
  work.host_bytes += (dimension(grid) == 2 ? 110 : 40) * Bytes{grid.vertex_count()};
  return work;
}

}  // namespace tessera
