#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/topology/detail/diagram_points.h>
#include <tessera/topology/detail/point_tree.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr double largest_power = 4;

/// The power of a distance, from how far two points are apart along each axis.
struct Cost {
  GroundNorm norm;
  double power;

  [[nodiscard]] double raise(double distance) const {
    return power == 1 ? distance : power == 2 ? distance * distance : std::pow(distance, power);
  }
  template <size_t K>
  double operator()(const std::array<double, K>& apart) const {
    double sum = 0;
    switch (norm) {
      case GroundNorm::euclidean:
        for (const double d : apart) sum += d * d;
        return power == 2 ? sum : raise(std::sqrt(sum));
      case GroundNorm::sum:
        for (const double d : apart) sum += d;
        return raise(sum);
      case GroundNorm::largest: return raise(*std::max_element(apart.begin(), apart.end()));
    }
    return 0;
  }
};

/// How far two points are apart along each axis.
template <size_t K>
std::array<double, K> apart(const std::array<double, K>& p, const std::array<double, K>& q) {
  std::array<double, K> distances;
  for (size_t k = 0; k < K; ++k) distances[k] = std::abs(p[k] - q[k]);
  return distances;
}

/// The finite points of one diagram.
///
/// Every point may go to the diagonal, at a cost. A match saves the costs of both points and takes that of
/// the distance between them.
template <size_t K>
struct Side {
  using Tree = PointTree<K>;

  Side(std::vector<typename Tree::Point> points, std::vector<double> costs)
      : tree(std::move(points), 0), diagonal(std::move(costs)), mates(diagonal.size(), Tree::none) {
    set_shares(std::vector<double>(diagonal.size(), 0));
  }
  [[nodiscard]] size_t size() const { return mates.size(); }

  /// The part that a point keeps of what its match saves: its price for the first side, its profit for the
  /// second. The tree has the share less the cost of the diagonal; the best offer is the least sum of that
  /// and the cost of the distance.
  [[nodiscard]] double share(uint32_t i) const { return tree.number(i) + diagonal[i]; }
  void set_share(uint32_t i, double share) { tree.set_number(i, share - diagonal[i]); }
  void set_shares(const std::vector<double>& shares) {
    tree.set_numbers([&](uint32_t i) { return shares[i] - diagonal[i]; });
  }

  Tree tree;
  std::vector<double> diagonal;  ///< what it costs to go there
  std::vector<uint32_t> mates;   ///< on the other side; none: the diagonal
};

/// Invariants, up to epsilon, when a round has ended:
///   1. the shares of two points are at least what their match would save, and exactly that if it is made
///   2. the share of a point that goes to the diagonal is 0
/// So no matching saves more than all shares together, and ours saves that up to epsilon a match.
template <size_t K>
class Auction {
 public:
  static constexpr uint32_t none = PointTree<K>::none;

  Auction(Side<K>& a, Side<K>& b, const Cost& cost, const Monitor& monitor)
      : a_(a), b_(b), cost_(cost), check_(monitor, "matching diagrams", 0) {}

  struct Bounds {
    double found = 0;  ///< the sum of powers of the matching
    double least = 0;  ///< no matching has less
  };

  /// Until found is at most `factor` times the least, or steps are too small for doubles.
  Bounds run(double factor) {
    constexpr int most_rounds = 19;  // the last step is 1e-13 of the longest distance to the diagonal
    Bounds bounds = {total(a_.diagonal) + total(b_.diagonal), 0};
    if (a_.size() == 0 || b_.size() == 0) return {bounds.found, bounds.found};
    double step = std::max(highest(a_.diagonal), highest(b_.diagonal)) / 4;
    for (int round = 0; round < most_rounds; ++round, step /= 5) {
      run_round(step);
      bounds = {found(), std::max(bounds.least, least())};
      if (bounds.found <= factor * bounds.least) break;
    }
    return bounds;
  }

 private:
  static double highest(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  }
  static double total(const std::vector<double>& values) {
    long double sum = 0;
    for (const double value : values) sum += value;
    return static_cast<double>(sum);
  }

  /// What the matching costs.
  [[nodiscard]] double found() const {
    long double sum = 0;
    for (uint32_t i = 0; i < a_.size(); ++i)
      sum += a_.mates[i] == none ? a_.diagonal[i] : cost_of(i, a_.mates[i]);
    for (uint32_t j = 0; j < b_.size(); ++j) sum += b_.mates[j] == none ? b_.diagonal[j] : 0;
    return static_cast<double>(sum);
  }
  /// The value of the dual problem: for each point of b its diagonal less its price, for each of a the least
  /// cost that is left. Less than that by what rounding may have added.
  [[nodiscard]] double least() const {
    long double sum = 0;
    long double size = 0;
    const auto add = [&](double value) {
      sum += value;
      size += std::abs(value);
    };
    for (uint32_t j = 0; j < b_.size(); ++j) add(-b_.tree.number(j));
    for (uint32_t i = 0; i < a_.size(); ++i) add(b_.tree.find_best(a_.tree[i], a_.diagonal[i], cost_).value);
    constexpr long double rounding = 8 * std::numeric_limits<double>::epsilon();
    return std::max(0.0, static_cast<double>(sum - rounding * size));
  }
  [[nodiscard]] double cost_of(uint32_t i, uint32_t j) const { return cost_(apart(a_.tree[i], b_.tree[j])); }

  void run_round(double step) {
    std::fill(a_.mates.begin(), a_.mates.end(), none);
    std::fill(b_.mates.begin(), b_.mates.end(), none);
    std::vector<uint32_t> waiting(a_.size());
    for (uint32_t i = 0; i < a_.size(); ++i) waiting[i] = static_cast<uint32_t>(a_.size()) - 1 - i;
    std::vector<double> profits(a_.size(), 0);
    bid(a_, b_, waiting, step, [&](uint32_t i, double profit) { profits[i] = std::max(0.0, profit); });
    a_.set_shares(profits);
    waiting.clear();
    for (uint32_t j = 0; j < b_.size(); ++j) {
      if (b_.mates[j] == none && b_.share(j) > 0) waiting.push_back(j);
    }
    bid(b_, a_, waiting, step, [&](uint32_t j, double price) { b_.set_share(j, std::max(0.0, price)); });
  }

  /// Points of `side` that wait take what saves most, and give it so much that the next best would do as
  /// well. Who loses its mate waits again, unless it has no share to lose. keep(point, share) is called for
  /// every point that has bid.
  template <class Keep>
  void bid(Side<K>& side, Side<K>& other, std::vector<uint32_t>& waiting, double step, const Keep& keep) {
    const bool is_first = &side == &a_;
    while (!waiting.empty()) {
      check_();
      const uint32_t i = waiting.back();
      waiting.pop_back();
      const auto best = other.tree.find_best(side.tree[i], side.diagonal[i], cost_);
      if (best.point == none) {
        keep(i, 0);
        continue;
      }
      const double share = std::max(side.diagonal[i] - best.second - step, is_first ? -step : 0.0);
      other.set_share(best.point, other.share(best.point) + (side.diagonal[i] - best.value) - share);
      keep(i, share);
      const uint32_t rival = other.mates[best.point];
      if (rival != none) {
        side.mates[rival] = none;
        if (is_first || side.share(rival) > 0) waiting.push_back(rival);
      }
      other.mates[best.point] = i;
      side.mates[i] = best.point;
    }
  }

  Side<K>& a_;
  Side<K>& b_;
  Cost cost_;
  StopCheck check_;
};

void check_options(const WassersteinOptions& options) {
  const auto expect = [](bool is_good, const char* what, double value) {
    if (is_good) return;
    throw Error(ErrorCode::bad_option, std::string(what) + ", not " + std::to_string(value));
  };
  expect(options.power >= 1 && options.power <= largest_power, "the power must be from 1 to 4",
         options.power);
  expect(options.error > 0 && std::isfinite(options.error), "the error must be above 0", options.error);
  expect(options.place_weight >= 0 && std::isfinite(options.place_weight),
         "the weight of places must not be negative", options.place_weight);
}

/// The norm of many distances: (sum of powers)^(1/power), without overflow.
double combine(std::span<const double> distances, double power) {
  double longest = 0;
  for (const double distance : distances) longest = std::max(longest, distance);
  if (longest == 0 || longest == DiagramPoint::never) return longest;
  double sum = 0;
  for (const double distance : distances) sum += std::pow(distance / longest, power);
  return longest * std::pow(sum, 1 / power);
}

/// Two diagrams, one dimension after the other.
class Comparison {
 public:
  Comparison(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second,
             const WassersteinOptions& options)
      : first_(first),
        second_(second),
        options_(options),
        monitor_(monitor_of(options.monitor)),
        cost_{options.norm, options.power} {}

  DiagramDistance run() {
    std::array<double, diagram_dimensions> least = {};
    for (uint32_t d = 0; d < diagram_dimensions; ++d) {
      monitor_.update("matching diagrams", static_cast<double>(d) / diagram_dimensions);
      const DiagramSide a = choose_dimension(first_, d);
      const DiagramSide b = choose_dimension(second_, d);
      std::vector<double> found;
      const size_t before = result_.matches.size();
      if (!match_essential(first_, second_, a, b, result_.matches)) found.push_back(DiagramPoint::never);
      for (size_t i = before; i < result_.matches.size(); ++i) found.push_back(result_.matches[i].distance);
      std::vector<double> proven = found;
      const auto [distance, at_least] =
          options_.place_weight == 0 ? match<2>(a.finite, b.finite) : match<5>(a.finite, b.finite);
      found.push_back(distance);
      proven.push_back(at_least);
      result_.by_dimension[d] = combine(found, options_.power);
      least[d] = combine(proven, options_.power);
    }
    complete_matches(first_, second_, options_.norm, result_.matches);
    result_.distance = combine(result_.by_dimension, options_.power);
    result_.at_least = std::min(result_.distance, combine(least, options_.power));
    monitor_.update("matching diagrams", 1);
    return std::move(result_);
  }

 private:
  struct Distances {
    double found;
    double least;
  };

  /// A power of two that brings the longest persistence near 1, so that powers neither overflow nor vanish.
  [[nodiscard]] double find_scale(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) const {
    double longest = 0;
    for (const uint32_t i : a) longest = std::max(longest, first_[i].death - first_[i].birth);
    for (const uint32_t i : b) longest = std::max(longest, second_[i].death - second_[i].birth);
    return longest == 0 ? 1 : std::ldexp(1.0, -std::clamp(std::ilogb(longest), -1000, 1000));
  }

  template <size_t K>
  [[nodiscard]] Side<K> make_side(std::span<const DiagramPoint> points, const std::vector<uint32_t>& chosen,
                                  double scale) const {
    std::vector<std::array<double, K>> places;
    std::vector<double> costs;
    for (const uint32_t i : chosen) {
      const DiagramPoint& point = points[i];
      std::array<double, K> place = {point.birth * scale, point.death * scale};
      if constexpr (K == 5) {
        const Vec3d lifted = (options_.place_weight * scale) * point.place;
        place[2] = lifted.x;
        place[3] = lifted.y;
        place[4] = lifted.z;
      }
      for (const double coordinate : place) {
        if (!(std::abs(coordinate) < 1e75))  // its fourth power is finite
          throw Error(ErrorCode::unsupported, "point " + std::to_string(i) +
                                                  " has a value or a place that is not finite, or too large "
                                                  "beside the longest persistence");
      }
      places.push_back(place);
      costs.push_back(cost_.raise(diagonal_distance(point, options_.norm) * scale));
    }
    return {std::move(places), std::move(costs)};
  }

  template <size_t K>
  Distances match(const std::vector<uint32_t>& chosen_a, const std::vector<uint32_t>& chosen_b) {
    const double scale = find_scale(chosen_a, chosen_b);
    Side<K> a = make_side<K>(first_, chosen_a, scale);
    Side<K> b = make_side<K>(second_, chosen_b, scale);
    if (match_equal(chosen_a, chosen_b, a, b)) return {0, 0};
    const auto bounds = Auction<K>(a, b, cost_, monitor_).run(std::pow(1 + options_.error, options_.power));
    const Cost distance = {options_.norm, 1};
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (a.mates[i] != Auction<K>::none)
        result_.matches.push_back(
            {chosen_a[i], chosen_b[a.mates[i]], distance(apart(a.tree[i], b.tree[a.mates[i]])) / scale});
    }
    const auto root = [&](double sum) { return std::pow(sum, 1 / options_.power) / scale; };
    return {root(bounds.found), root(bounds.least)};
  }

  /// Matches the points of two sides that are the same, in whatever order; false if they are not.
  template <size_t K>
  bool match_equal(const std::vector<uint32_t>& chosen_a, const std::vector<uint32_t>& chosen_b,
                   const Side<K>& a, const Side<K>& b) {
    if (a.size() != b.size()) return false;
    const auto ranked = [](const Side<K>& side) {
      std::vector<uint32_t> order(side.size());
      for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
      std::stable_sort(order.begin(), order.end(),
                       [&](uint32_t i, uint32_t j) { return side.tree[i] < side.tree[j]; });
      return order;
    };
    const auto order_a = ranked(a);
    const auto order_b = ranked(b);
    for (size_t k = 0; k < order_a.size(); ++k) {
      if (a.tree[order_a[k]] != b.tree[order_b[k]]) return false;
    }
    for (size_t k = 0; k < order_a.size(); ++k)
      result_.matches.push_back({chosen_a[order_a[k]], chosen_b[order_b[k]], 0});
    return true;
  }

  std::span<const DiagramPoint> first_;
  std::span<const DiagramPoint> second_;
  const WassersteinOptions& options_;
  const Monitor& monitor_;
  Cost cost_;
  DiagramDistance result_;
};

}  // namespace

DiagramDistance wasserstein_distance(std::span<const DiagramPoint> first,
                                     std::span<const DiagramPoint> second,
                                     const WassersteinOptions& options) {
  check_options(options);
  check_diagrams(first, second);
  return Comparison(first, second, options).run();
}

}  // namespace tessera
