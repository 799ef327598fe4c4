// PR octree over points: a cube is cut at its midpoints until no leaf holds more than so many points.
//
// The tree is never stored. Points are sorted by their Morton code (x lowest); a node is a range of the
// sorted codes that share a prefix, so cutting a node is a search in its range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/detail/morton.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// The smallest box around the finite points; the unit cube when there are none.
[[nodiscard]] Box bounding_box(const Points& points, const Exec& exec = Exec::host());

struct OctreeOptions {
  Box box;                          ///< of the root; points outside count as on its border
  std::uint32_t max_points = 1000;  ///< a leaf holds at most this many
  bool input_order =
      true;  ///< inside a leaf: the points' order, or else the Morton order, the same for any leaf size
  Exec exec = Exec::host();
};

/// Leaves in Morton order.
struct OctreeLeaves {
  Array<std::uint32_t> order;    ///< point numbers, leaf by leaf
  Array<std::uint32_t> offsets;  ///< leaf l is order[offsets[l] .. offsets[l + 1])

  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
};

/// A range of points whose codes share the bits of its level.
struct OctreeNode {
  std::uint32_t begin, end;

  /// The lowest code of a child of a node of `level` that holds `code`.
  [[nodiscard]] static TS_HD std::uint64_t lowest_code(std::uint64_t code, int level, std::uint32_t child) {
    const int shift = 3 * (octree_levels - level - 1);
    return ((code >> (shift + 3) << 3) | child) << shift;
  }
};

/// Splits nodes of a level: where the 8 children of each begin.
using SplitNodes = std::function<Array<std::uint32_t>(std::span<const OctreeNode> nodes, int level)>;

/// Where the leaves of so many points begin, and their end. `split` knows the codes, which ascend; it is
/// called once a level.
[[nodiscard]] Array<std::uint32_t> find_octree_leaves(std::uint32_t points, std::uint32_t max_points,
                                                      const SplitNodes& split);

/// O(n) by radix sort; 24 bytes a point and some 40 a leaf of temporary memory. Points that coincide beyond
/// the last level are cut into leaves by number. Non-finite coordinates count as the box's low corner.
[[nodiscard]] OctreeLeaves make_octree_leaves(const Points& points, const OctreeOptions& options);

}  // namespace tessera::detail
