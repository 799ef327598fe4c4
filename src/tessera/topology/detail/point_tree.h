// A k-d tree over points that stay: for each node the box of its points and the least of a number that each
// point has and that may change. Points can be taken out by making their number infinite.
//
//   nodes    a heap: the children of i are 2 i + 1 and 2 i + 2; all leaves are of one depth
//   order    node p of depth d has the points order[p n >> d .. (p + 1) n >> d)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace tessera::detail {

template <std::size_t K>
class PointTree {
 public:
  using Point = std::array<double, K>;
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  PointTree(std::vector<Point> points, double number) : points_(std::move(points)) {
    order_.resize(points_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    while ((points_.size() >> depth_) > leaf_size) ++depth_;
    const std::size_t nodes = (std::size_t{2} << depth_) - 1;
    boxes_.resize(nodes);
    least_.assign(nodes, infinite);
    split(0, 0);
    rank_.resize(points_.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
    numbers_.assign(points_.size(), number);
    refresh();
  }

  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] const Point& operator[](std::uint32_t i) const { return points_[i]; }
  [[nodiscard]] double number(std::uint32_t i) const { return numbers_[rank_[i]]; }

  void set_number(std::uint32_t i, double number) {
    const std::size_t rank = rank_[i];
    numbers_[rank] = number;
    std::size_t node = leaf_of(rank);
    least_[node] = least_in_leaf(node);
    while (node > 0) {
      node = (node - 1) / 2;
      const double least = std::min(least_[2 * node + 1], least_[2 * node + 2]);
      if (least_[node] == least) return;
      least_[node] = least;
    }
  }
  template <class F>
  void set_numbers(const F& number_of) {
    for (std::size_t rank = 0; rank < order_.size(); ++rank) numbers_[rank] = number_of(order_[rank]);
    refresh();
  }

  struct Best {
    std::uint32_t point = 0xFFFFFFFFu;
    double value = infinite;   ///< cost and number of the point
    double second = infinite;  ///< the next one's
  };
  /// The two points with the least sum of a cost and their number, if it is below `limit`; `limit` is the
  /// value of those that are not found. cost(apart) is that of a point so far away along each axis, and grows
  /// with each.
  template <class Cost>
  [[nodiscard]] Best find_best(const Point& query, double limit, const Cost& cost) const {
    Best best{.value = limit, .second = limit};
    if (!points_.empty()) search(0, query, cost, best);
    return best;
  }

  /// A point whose number is finite within `reach` of the query along every axis, or none. Its number becomes
  /// infinite.
  [[nodiscard]] std::uint32_t take_within(const Point& query, double reach) {
    return points_.empty() ? none : take(0, query, reach);
  }

  static constexpr std::uint32_t none = 0xFFFFFFFFu;

 private:
  static constexpr std::size_t leaf_size = 8;

  struct Box {
    Point low;
    Point high;
  };

  [[nodiscard]] std::size_t first_leaf() const { return (std::size_t{1} << depth_) - 1; }
  [[nodiscard]] std::size_t begin_of(std::size_t place, std::size_t depth) const {
    return (place * points_.size()) >> depth;
  }
  [[nodiscard]] std::size_t begin_of_leaf(std::size_t leaf) const { return begin_of(leaf, depth_); }
  [[nodiscard]] std::size_t leaf_of(std::size_t rank) const {
    std::size_t leaf = (rank << depth_) / points_.size();
    while (begin_of_leaf(leaf + 1) <= rank) ++leaf;
    return first_leaf() + leaf;
  }

  void split(std::size_t place, std::size_t depth) {
    const std::size_t begin = begin_of(place, depth);
    const std::size_t end = begin_of(place + 1, depth);
    Box& box = boxes_[(std::size_t{1} << depth) - 1 + place];
    box.low.fill(infinite);
    box.high.fill(-infinite);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < K; ++k) {
        box.low[k] = std::min(box.low[k], points_[order_[i]][k]);
        box.high[k] = std::max(box.high[k], points_[order_[i]][k]);
      }
    }
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    if (depth == depth_) return std::sort(at(begin), at(end));  // so that ties do not depend on nth_element
    std::size_t axis = 0;
    for (std::size_t k = 1; k < K; ++k) {
      if (box.high[k] - box.low[k] > box.high[axis] - box.low[axis]) axis = k;
    }
    const std::size_t middle = begin_of(2 * place + 1, depth + 1);
    std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
      return points_[a][axis] != points_[b][axis] ? points_[a][axis] < points_[b][axis] : a < b;
    });
    split(2 * place, depth + 1);
    split(2 * place + 1, depth + 1);
  }

  [[nodiscard]] double least_in_leaf(std::size_t node) const {
    const std::size_t leaf = node - first_leaf();
    double least = infinite;
    for (std::size_t i = begin_of_leaf(leaf); i < begin_of_leaf(leaf + 1); ++i)
      least = std::min(least, numbers_[i]);
    return least;
  }
  void refresh() {
    for (std::size_t node = least_.size(); node-- > 0;) {
      least_[node] =
          node >= first_leaf() ? least_in_leaf(node) : std::min(least_[2 * node + 1], least_[2 * node + 2]);
    }
  }

  /// How far the box is from the query, by axis.
  [[nodiscard]] Point gap(std::size_t node, const Point& query) const {
    Point gap;
    for (std::size_t k = 0; k < K; ++k) {
      gap[k] = std::max({0.0, boxes_[node].low[k] - query[k], query[k] - boxes_[node].high[k]});
    }
    return gap;
  }

  template <class Cost>
  void search(std::size_t node, const Point& query, const Cost& cost, Best& best) const {
    if (node >= first_leaf()) return search_leaf(node - first_leaf(), query, cost, best);
    const std::array<std::size_t, 2> children = {2 * node + 1, 2 * node + 2};
    std::array<double, 2> bounds = {};
    for (std::size_t i = 0; i < 2; ++i) bounds[i] = cost(gap(children[i], query)) + least_[children[i]];
    const std::size_t first = bounds[1] < bounds[0] ? 1 : 0;
    for (const std::size_t i : {first, 1 - first}) {
      if (bounds[i] < best.second) search(children[i], query, cost, best);
    }
  }
  template <class Cost>
  void search_leaf(std::size_t leaf, const Point& query, const Cost& cost, Best& best) const {
    for (std::size_t i = begin_of_leaf(leaf); i < begin_of_leaf(leaf + 1); ++i) {
      const Point& point = points_[order_[i]];
      Point apart;
      for (std::size_t k = 0; k < K; ++k)
        apart[k] = point[k] < query[k] ? query[k] - point[k] : point[k] - query[k];
      const double value = cost(apart) + numbers_[i];
      if (value < best.value) {
        best.second = best.value;
        best.value = value;
        best.point = order_[i];
      } else if (value < best.second) {
        best.second = value;
      }
    }
  }

  std::uint32_t take(std::size_t node, const Point& query, double reach) {
    if (least_[node] == infinite) return none;
    const Point away = gap(node, query);
    if (*std::max_element(away.begin(), away.end()) > reach) return none;
    if (node >= first_leaf()) return take_from_leaf(node - first_leaf(), query, reach);
    const std::uint32_t found = take(2 * node + 1, query, reach);
    return found != none ? found : take(2 * node + 2, query, reach);
  }
  std::uint32_t take_from_leaf(std::size_t leaf, const Point& query, double reach) {
    for (std::size_t i = begin_of_leaf(leaf); i < begin_of_leaf(leaf + 1); ++i) {
      if (numbers_[i] == infinite) continue;
      const Point& point = points_[order_[i]];
      bool is_near = true;
      for (std::size_t k = 0; k < K; ++k) {
        is_near = is_near && (point[k] < query[k] ? query[k] - point[k] : point[k] - query[k]) <= reach;
      }
      if (!is_near) continue;
      set_number(order_[i], infinite);
      return order_[i];
    }
    return none;
  }

  std::vector<Point> points_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> rank_;  ///< place of a point in order_
  std::size_t depth_ = 0;            ///< of the leaves
  std::vector<Box> boxes_;
  std::vector<double> numbers_;  ///< by place in order_
  std::vector<double> least_;    ///< by node
};

}  // namespace tessera::detail
