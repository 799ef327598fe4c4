#include <algorithm>
#include <cmath>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/topology/detail/diagram_points.h>
#include <tessera/topology/detail/point_tree.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

using Tree = PointTree<2>;
constexpr uint32_t none = Tree::none;

double distance_between(const Tree::Point& p, const Tree::Point& q) {
  return std::max(std::abs(p[0] - q[0]), std::abs(p[1] - q[1]));
}

/// The finite points of one diagram.
struct Side {
  explicit Side(std::span<const DiagramPoint> all, const std::vector<uint32_t>& chosen)
      : tree(list(all, chosen), 0), mates(chosen.size(), none) {
    for (const uint32_t i : chosen) diagonal.push_back(diagonal_distance(all[i], GroundNorm::largest));
  }
  [[nodiscard]] size_t size() const { return mates.size(); }

  Tree tree;
  std::vector<double> diagonal;
  std::vector<uint32_t> mates;  ///< on the other side; none: the diagonal

 private:
  static std::vector<Tree::Point> list(std::span<const DiagramPoint> all,
                                       const std::vector<uint32_t>& chosen) {
    std::vector<Tree::Point> points;
    points.reserve(chosen.size());
    for (const uint32_t i : chosen) points.push_back({all[i].birth, all[i].death});
    return points;
  }
};

/// Matches the points of two sides so that nothing is matched over more than some reach.
///
/// A point farther than that from the diagonal needs a partner. If the points of one side that do can be
/// matched, and those of the other side can, then all of them can at once.
class Matcher {
 public:
  Matcher(Side& a, Side& b, const Monitor& monitor) : a_(a), b_(b), check_(monitor, "matching diagrams", 0) {}

  /// The least reach there is; mates are left so.
  double run() {
    const double least = least_reach();
    if (covers(least)) return reach_used();
    double fails = least;
    double works = std::max(highest(a_.diagonal), highest(b_.diagonal));
    std::vector<uint32_t> best_a(a_.size(), none);
    std::vector<uint32_t> best_b(b_.size(), none);
    while (true) {
      const double middle = fails + (works - fails) / 2;
      if (middle <= fails || middle >= works) break;
      if (covers(middle)) {
        works = reach_used();
        best_a = a_.mates;
        best_b = b_.mates;
      } else {
        fails = middle;
      }
    }
    a_.mates = best_a;
    b_.mates = best_b;
    return works;
  }

 private:
  static double highest(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  }

  /// The reach must be that of the diagonal or of the nearest point for every point.
  [[nodiscard]] double least_reach() const {
    double reach = 0;
    const auto largest = [](const Tree::Point& apart) { return std::max(apart[0], apart[1]); };
    const auto raise = [&](const Side& from, const Side& to) {
      for (uint32_t i = 0; i < from.size(); ++i)
        reach = std::max(reach, to.tree.find_best(from.tree[i], from.diagonal[i], largest).value);
    };
    raise(a_, b_);
    raise(b_, a_);
    return reach;
  }

  [[nodiscard]] double reach_used() const {
    double reach = 0;
    for (uint32_t i = 0; i < a_.size(); ++i) {
      const uint32_t mate = a_.mates[i];
      reach = std::max(reach, mate == none ? a_.diagonal[i] : distance_between(a_.tree[i], b_.tree[mate]));
    }
    for (uint32_t i = 0; i < b_.size(); ++i)
      reach = std::max(reach, b_.mates[i] == none ? b_.diagonal[i] : 0);
    return reach;
  }

  bool covers(double reach) {
    for (uint32_t i = 0; i < a_.size(); ++i) {
      const uint32_t mate = a_.mates[i];
      if (mate == none || distance_between(a_.tree[i], b_.tree[mate]) <= reach) continue;
      a_.mates[i] = b_.mates[mate] = none;
    }
    return cover(a_, b_, reach) && cover(b_, a_, reach);
  }

  /// Matches all points of a side that are too far from the diagonal.
  bool cover(Side& side, Side& other, double reach) {
    std::vector<uint32_t> waiting;
    for (uint32_t i = 0; i < side.size(); ++i) {
      if (side.mates[i] == none && side.diagonal[i] > reach) waiting.push_back(i);
    }
    while (!waiting.empty()) {
      other.tree.set_numbers([](uint32_t) { return 0.0; });
      const size_t before = waiting.size();
      std::erase_if(waiting, [&](uint32_t i) { return find_mate(side, other, i, reach); });
      if (waiting.size() == before) return false;
    }
    return true;
  }

  /// Follows a path from a point without a mate, over points and the mates that they would give up, to a
  /// point that is free or to a mate that the diagonal is good enough for. No point of the other side is
  /// tried twice.
  bool find_mate(Side& side, Side& other, uint32_t start, double reach) {
    path_.assign(1, {start, none});
    while (!path_.empty()) {
      check_();
      const uint32_t wanted = other.tree.take_within(side.tree[path_.back().point], reach);
      path_.back().wanted = wanted;
      if (wanted == none) {
        path_.pop_back();
        continue;
      }
      const uint32_t rival = other.mates[wanted];
      if (rival != none && side.diagonal[rival] > reach) {
        path_.push_back({rival, none});
        continue;
      }
      if (rival != none) side.mates[rival] = none;
      for (const Step& step : path_) {
        side.mates[step.point] = step.wanted;
        other.mates[step.wanted] = step.point;
      }
      return true;
    }
    return false;
  }

  struct Step {
    uint32_t point;
    uint32_t wanted;
  };

  Side& a_;
  Side& b_;
  StopCheck check_;
  std::vector<Step> path_;
};

}  // namespace

DiagramDistance bottleneck_distance(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second,
                                    const BottleneckOptions& options) {
  const Monitor& monitor = monitor_of(options.monitor);
  check_diagrams(first, second);
  DiagramDistance result;
  for (uint32_t d = 0; d < diagram_dimensions; ++d) {
    monitor.update("matching diagrams", static_cast<double>(d) / diagram_dimensions);
    const DiagramSide chosen_a = choose_dimension(first, d);
    const DiagramSide chosen_b = choose_dimension(second, d);
    const size_t before = result.matches.size();
    const bool is_infinite = !match_essential(first, second, chosen_a, chosen_b, result.matches);
    Side a(first, chosen_a.finite);
    Side b(second, chosen_b.finite);
    double& distance = result.by_dimension[d];
    distance = Matcher(a, b, monitor).run();
    for (size_t i = before; i < result.matches.size(); ++i)
      distance = std::max(distance, result.matches[i].distance);
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (a.mates[i] == none) continue;
      result.matches.push_back(
          {chosen_a.finite[i], chosen_b.finite[a.mates[i]], distance_between(a.tree[i], b.tree[a.mates[i]])});
    }
    if (is_infinite) distance = DiagramPoint::never;
    result.distance = std::max(result.distance, distance);
  }
  complete_matches(first, second, GroundNorm::largest, result.matches);
  result.at_least = result.distance;
  monitor.update("matching diagrams", 1);
  return result;
}

}  // namespace tessera
