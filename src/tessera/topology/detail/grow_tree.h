// How merge trees are grown for others: with what is known of vertices besides their labels, and both kinds
// at once. Also the order that they grow in.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/error.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/field_order.h>
#include <tessera/topology/merge_tree.h>

namespace tessera::detail {

/// Error(bad_option) for a threshold of persistence that is negative or not a number.
inline void check_threshold(double threshold) {
  if (!(threshold >= 0))
    throw Error(ErrorCode::bad_option, "the threshold of persistence must be a number of at least 0");
}

/// Error(unsupported) unless trees can be grown of the field.
template <int Dim>
void check_domain(const SimplexMesh<Dim>& mesh, const Field& field) {
  check_field(field, mesh.vertex_count());
}
inline void check_domain(const Grid& grid, const Field& field) {
  check_grid(grid);
  check_field(field, grid.vertex_count());
}

/// 32 bits a vertex that compare like the values in the order of a tree, as signed numbers, from a vertex on:
/// loops over them can use wide registers.
struct SignedValues {
  FieldOrderView view;
  std::int32_t turned = 0;
  [[nodiscard]] std::int32_t operator[](std::uint32_t i) const { return view.signed_value(i) ^ turned; }
};

/// The order in which a tree grows: a split tree is the join tree of the field turned over.
class TreeOrder {
 public:
  TreeOrder(const FieldOrder& order, MergeTreeKind kind)
      : order_(&order), turned_(kind == MergeTreeKind::split ? ~VertexOrderKey{0} : 0) {}
  [[nodiscard]] VertexOrderKey operator[](std::uint32_t v) const { return (*order_)[v] ^ turned_; }
  [[nodiscard]] SignedValues values_from(std::uint32_t v) const {
    FieldOrderView view = order_->view();
    view.values += v;
    return {view, static_cast<std::int32_t>(turned_)};
  }
  [[nodiscard]] bool is_turned() const { return turned_ != 0; }
  /// The vertex of a key.
  [[nodiscard]] std::uint32_t vertex(VertexOrderKey key) const {
    return static_cast<std::uint32_t>(key ^ turned_);
  }

 private:
  const FieldOrder* order_;
  VertexOrderKey turned_;
};

/// A tree, and the leaf that each vertex leads to, always to the first neighbour. The order is of the field.
struct GrownTree {
  MergeTree tree;
  Array<std::uint32_t> leaf_of;     ///< by vertex: the number of its leaf
  Array<std::uint32_t> leaf_nodes;  ///< by that number
};
template <int Dim>
[[nodiscard]] GrownTree grow_tree(const SimplexMesh<Dim>& mesh, const Field& field, const FieldOrder& order,
                                  const MergeTreeOptions& options);
[[nodiscard]] GrownTree grow_tree(const Grid& grid, const Field& field, const FieldOrder& order,
                                  const MergeTreeOptions& options);

/// With labels, and without branches.
struct TreePair {
  MergeTree join;
  MergeTree split;
};

/// The order is of the field.
template <int Dim>
[[nodiscard]] TreePair grow_trees(const SimplexMesh<Dim>& mesh, const Field& field, const FieldOrder& order,
                                  const ContourTreeOptions& options);
[[nodiscard]] TreePair grow_trees(const Grid& grid, const Field& field, const FieldOrder& order,
                                  const ContourTreeOptions& options);

}  // namespace tessera::detail
