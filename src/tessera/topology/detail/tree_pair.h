// The join and the split tree of a field, of which its contour tree is made, and the order they share.
#pragma once

#include <cstdint>

#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/detail/field_order.h>
#include <tessera/topology/merge_tree.h>

namespace tessera::detail {

/// The order in which a tree grows: a split tree is the join tree of the field turned over.
class TreeOrder {
 public:
  TreeOrder(const FieldOrder& order, MergeTreeKind kind)
      : order_(&order), turned_(kind == MergeTreeKind::split ? ~VertexOrderKey{0} : 0) {}
  [[nodiscard]] VertexOrderKey operator[](std::uint32_t v) const { return (*order_)[v] ^ turned_; }
  /// The vertex of a key.
  [[nodiscard]] std::uint32_t vertex(VertexOrderKey key) const {
    return static_cast<std::uint32_t>(key ^ turned_);
  }

 private:
  const FieldOrder* order_;
  VertexOrderKey turned_;
};

/// With labels, and without branches.
struct TreePair {
  MergeTree join;
  MergeTree split;
};

/// Both from one list of critical points. The order is of the field.
template <int Dim>
[[nodiscard]] TreePair grow_trees(const SimplexMesh<Dim>& mesh, const Field& field, const FieldOrder& order,
                                  const ContourTreeOptions& options);
[[nodiscard]] TreePair grow_trees(const Grid& grid, const Field& field, const FieldOrder& order,
                                  const ContourTreeOptions& options);

}  // namespace tessera::detail
