// The corners of a polygon that are left, as a tree over the plane: is one of them in a triangle?
//
// A k-d tree: each node has a box and the number of its corners that are left. A query goes into boxes that
// the triangle may meet, about the square root of all of them at worst, and a few for a triangle that is
// small or whose border most boxes are far from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::detail {

using PlanePoint = std::array<double, 2>;

class CornerTree {
 public:
  explicit CornerTree(std::span<const PlanePoint> points);

  void remove(std::size_t point);

  /// Calls is_hit(point) for points that are left and may lie in the triangle, which is counter-clockwise,
  /// until it is true for one; whether it was is returned. No point in the triangle or within rounding of it
  /// is passed over.
  template <class IsHit>
  [[nodiscard]] bool any_near(const std::array<PlanePoint, 3>& triangle, const IsHit& is_hit) const {
    if (nodes_.empty()) return false;
    std::array<std::uint32_t, 64> open{};  // deeper than any tree of 32-bit numbers
    std::size_t count = 0;
    open[count++] = 0;
    while (count > 0) {
      const std::uint32_t number = open[--count];
      const Node& node = nodes_[number];
      if (node.left == 0 || is_apart(node, triangle)) continue;
      if (node.children != 0) {
        open[count++] = node.children;
        open[count++] = node.children + 1;
        continue;
      }
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        if (is_left_[order_[i]] != 0 && is_hit(std::size_t{order_[i]})) return true;
      }
    }
    return false;
  }

 private:
  struct Node {
    PlanePoint low, high;
    std::uint32_t begin, end;    ///< of order_
    std::uint32_t left;          ///< corners of it that were not removed
    std::uint32_t children = 0;  ///< the first of two; 0: it is a leaf
  };

  void split(std::uint32_t number, std::span<const PlanePoint> points);
  /// Is the box beyond an edge of the triangle, or beside its box?
  [[nodiscard]] bool is_apart(const Node& node, const std::array<PlanePoint, 3>& triangle) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;  ///< points, leaf by leaf
  std::vector<std::uint32_t> place_;  ///< of each point in order_
  std::vector<std::uint8_t> is_left_;
  double margin_ = 0;  ///< rounding of coordinates
};

}  // namespace tessera::detail
