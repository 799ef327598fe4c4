#include <tessera/mesh/detail/corner_tree.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::detail {
namespace {

constexpr std::uint32_t leaf_points = 8;

}  // namespace

CornerTree::CornerTree(std::span<const PlanePoint> points)
    : order_(points.size()), place_(points.size()), is_left_(points.size(), 1) {
  if (points.empty()) return;
  std::iota(order_.begin(), order_.end(), 0u);
  nodes_.push_back(
      {.low = {}, .high = {}, .begin = 0, .end = static_cast<std::uint32_t>(points.size()), .left = 0});
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) split(number, points);
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  for (const PlanePoint& p : points) margin_ = std::max({margin_, std::abs(p[0]), std::abs(p[1])});
  margin_ *= 0x1p-40;
}

void CornerTree::split(std::uint32_t number, std::span<const PlanePoint> points) {
  Node node = nodes_[number];
  node.low = node.high = points[order_[node.begin]];
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      node.low[axis] = std::min(node.low[axis], points[order_[i]][axis]);
      node.high[axis] = std::max(node.high[axis], points[order_[i]][axis]);
    }
  }
  node.left = node.end - node.begin;
  if (node.left > leaf_points) {
    const std::size_t axis = node.high[0] - node.low[0] < node.high[1] - node.low[1] ? 1 : 0;
    const std::uint32_t middle = node.begin + node.left / 2;
    std::nth_element(order_.begin() + node.begin, order_.begin() + middle, order_.begin() + node.end,
                     [&](std::uint32_t a, std::uint32_t b) { return points[a][axis] < points[b][axis]; });
    node.children = static_cast<std::uint32_t>(nodes_.size());
    Node child = {.low = {}, .high = {}, .begin = node.begin, .end = middle, .left = 0};
    nodes_.push_back(child);
    child.begin = middle;
    child.end = node.end;
    nodes_.push_back(child);
  }
  nodes_[number] = node;
}

void CornerTree::remove(std::size_t point) {
  is_left_[point] = 0;
  std::uint32_t number = 0;
  for (;;) {
    Node& node = nodes_[number];
    --node.left;
    if (node.children == 0) return;
    number = node.children + (place_[point] < nodes_[node.children].end ? 0 : 1);
  }
}

bool CornerTree::is_apart(const Node& node, const std::array<PlanePoint, 3>& triangle) const {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto [low, high] = std::minmax({triangle[0][axis], triangle[1][axis], triangle[2][axis]});
    if (low > node.high[axis] + margin_ || high < node.low[axis] - margin_) return true;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const PlanePoint& a = triangle[i];
    const PlanePoint& b = triangle[(i + 1) % 3];
    // The corner of the box that is farthest to the left of the edge.
    const double dx = b[0] - a[0];
    const double dy = b[1] - a[1];
    const double x = dy < 0 ? node.high[0] : node.low[0];
    const double y = dx < 0 ? node.low[1] : node.high[1];
    if (dx * (y - a[1]) - dy * (x - a[0]) < -margin_ * (std::abs(dx) + std::abs(dy))) return true;
  }
  return false;
}

}  // namespace tessera::detail
