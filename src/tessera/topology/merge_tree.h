// Merge trees of a field: how the connected pieces of its sublevel sets (the join tree) or superlevel sets
// (the split tree) begin, meet and end while the level goes up, or down.
//
//   maximum o root
//           |
//    saddle o
//          / \ .
//         /   o saddle
//        /   / \ .
//       o   o   o minima: leaves
//
// A leaf is an extremum, where a piece begins. Pieces meet at saddles. A root is the last vertex of a
// component of the mesh. Each node but a root has an arc to the next one towards the root.
//
// Branches: of the pieces that meet, the one with the oldest leaf goes on, and the branches of the others
// end. The persistence of a branch is the difference between the values at its leaf and at its end.
//
// Every vertex leads down its steepest neighbours to a minimum, its leaf. Where vertices of two leaves are
// neighbours, their pieces meet, and of all such places only the first one matters. On a grid these are
// saddles, which are found first; on a mesh a table keeps the first place of each pair. Pieces are then
// joined in the order of the places (after Lukasczyk, Weiss, Weber and Garth, "Extremum graphs with path
// compression", ICDCS 2023, and Carr, Snoeyink and Axen 2003).
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
#include <tessera/topology/critical_points.h>

namespace tessera {

enum class MergeTreeKind : std::uint8_t {
  join,   ///< of sublevel sets: leaves are minima
  split,  ///< of superlevel sets: leaves are maxima
};

struct MergeTree {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  struct Node {
    VertexId vertex;
    std::uint32_t parent = none;  ///< the node that its arc leads to; none: a root
    std::uint32_t leaf = none;    ///< on whose branch it lies: the oldest leaf behind it
    std::uint32_t size = 0;       ///< how many vertices have its label; 0 in a tree without labels
    friend bool operator==(const Node&, const Node&) = default;
  };
  /// Values are given as double, so differences of 64-bit integers are rounded; which branch ends is decided
  /// by exact comparison.
  struct Branch {
    std::uint32_t leaf = none;
    std::uint32_t end = none;  ///< the node where it meets an older one, or the root
    double birth_value = 0;    ///< of the field, at the leaf
    double death_value = 0;    ///< ... at the end
    [[nodiscard]] double persistence() const {
      if (birth_value == death_value) return 0;  // also where both are infinite
      return birth_value < death_value ? death_value - birth_value : birth_value - death_value;
    }
    friend bool operator==(const Branch&, const Branch&) = default;
  };

  MergeTreeKind kind = MergeTreeKind::join;
  Array<Node> nodes;       ///< from the leaves to the roots: ascending for a join tree, else descending
  Array<Branch> branches;  ///< by leaf
  /// For each vertex the node where the arc that it lies on begins. Empty if it was not asked for.
  Array<std::uint32_t> labels;

  [[nodiscard]] bool is_leaf(std::uint32_t node) const { return nodes[node].leaf == node; }
  [[nodiscard]] bool is_root(std::uint32_t node) const { return nodes[node].parent == none; }
  [[nodiscard]] std::size_t arc_count() const;
  friend bool operator==(const MergeTree&, const MergeTree&) = default;
};

struct MergeTreeOptions {
  MergeTreeKind kind = MergeTreeKind::join;
  bool labels = true;
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;  ///< null: nobody listens
  PeriodicAxes periodic = {};        ///< of a grid, as in GridOptions; Error(bad_option) with a mesh
};

/// O(cells + p log p) for p pairs of leaves whose pieces meet. Takes 21 bytes per vertex besides the labels,
/// and a table of the pairs for each thread. Equal results for any threads. Error(unsupported) for a field as
/// compute_order(), and for an exec on a device.
template <int Dim>
[[nodiscard]] MergeTree merge_tree(const SimplexMesh<Dim>& mesh, const Field& field,
                                   const MergeTreeOptions& options = {});
/// The same for a grid, straight from its values: that of its cut by triangulate().
[[nodiscard]] MergeTree merge_tree(const Grid& grid, const Field& field,
                                   const MergeTreeOptions& options = {});
/// The same for a point field by its name; Error(not_found) lists the names there are.
template <int Dim>
[[nodiscard]] MergeTree merge_tree(const SimplexMesh<Dim>& mesh, std::string_view field,
                                   const MergeTreeOptions& options = {}) {
  return merge_tree(mesh, mesh.field(field), options);
}
[[nodiscard]] inline MergeTree merge_tree(const Grid& grid, std::string_view field,
                                          const MergeTreeOptions& options = {}) {
  return merge_tree(grid, grid.field(field), options);
}

/// Removes the branches that persist less than `threshold`. Their vertices go to the branch they end on; a
/// saddle where only one branch is left is no node any more. The last branch of each component always stays.
/// Error(bad_option) for a threshold that is negative or not a number.
[[nodiscard]] MergeTree prune(const MergeTree& tree, double threshold);

/// A vertex for each node and a line for each arc, with TTK's arrays (docs/merge_trees.md); `RegionSize` if
/// the tree has labels.
template <int Dim>
[[nodiscard]] PolyData make_poly(const MergeTree& tree, const SimplexMesh<Dim>& mesh, const Field& field);
[[nodiscard]] PolyData make_poly(const MergeTree& tree, const Grid& grid, const Field& field);
/// Adds `SegmentationId`, `RegionSize` and `RegionType`, by vertex. Error(bad_option) if the tree has no
/// labels.
void add_labels(FieldSet& point_data, const MergeTree& tree);

/// Estimated memory and time; runs on the host only. Measured on noise, where one vertex in 15 is a leaf.
template <int Dim>
[[nodiscard]] Work merge_tree_work(const SimplexMesh<Dim>& mesh) {
  Work work = work_of(mesh.vertex_count(), 200, 0);
  work.host_bytes = mib(2) + 80 * Bytes{mesh.vertex_count()};
  work.thread_bytes = mib(1) + 8 * Bytes{mesh.vertex_count()};
  return work;
}
[[nodiscard]] inline Work merge_tree_work(const Grid& grid, const Field& field) {
  Work work = detail::grid_work(grid, field, 60, 60);
  work.device_bytes = 0;
  return work;
}

}  // namespace tessera
