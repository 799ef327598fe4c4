#include <algorithm>
#include <array>
#include <cmath>
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

constexpr double largest_power = 64;

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

/// The finite points of one diagram.
///
/// Every point may go to the diagonal, at a cost. A point of one side offers another one what that would
/// save: both ways to the diagonal less the way between them.
template <size_t K>
struct Side {
  using Tree = PointTree<K>;

  Side(std::vector<typename Tree::Point> points, std::vector<double> ways)
      : tree(std::move(points), 0), diagonal(std::move(ways)), mates(diagonal.size(), Tree::none) {
    set_shares(std::vector<double>(diagonal.size(), 0));
  }
  [[nodiscard]] size_t size() const { return mates.size(); }

  /// What a point keeps of what its match saves: its price for the first side, its profit for the second. The
  /// tree has it less the way to the diagonal, so that the best offer is the least sum of a cost and that.
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
/// So no matching saves more than all shares together, and ours saves that up to epsilon for each match.
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

  /// Until found is at most `factor` times the least.
  Bounds run(double factor) {
    const double all_ways = total(a_.diagonal) + total(b_.diagonal);
    if (a_.size() == 0 || b_.size() == 0) return {all_ways, all_ways};
    double step = std::max(highest(a_.diagonal), highest(b_.diagonal)) / 4;
    const double smallest_step = step * 1e-13;  // prices are doubles
    Bounds best = {all_ways, 0};
    for (;; step /= 5) {
      run_round(step);
      best = {found(), std::max(best.least, all_ways - total_shares())};
      if (best.found <= factor * best.least || step < smallest_step) return best;
    }
  }

 private:
  static double highest(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  }
  static double total(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }

  /// What the matching costs.
  [[nodiscard]] double found() const {
    double sum = 0;
    for (uint32_t i = 0; i < a_.size(); ++i)
      sum += a_.mates[i] == none ? a_.diagonal[i] : way(i, a_.mates[i]);
    for (uint32_t j = 0; j < b_.size(); ++j) sum += b_.mates[j] == none ? b_.diagonal[j] : 0;
    return sum;
  }
  /// The prices of all points of b, and what each of a could save beyond them.
  [[nodiscard]] double total_shares() const {
    double sum = 0;
    for (uint32_t j = 0; j < b_.size(); ++j) sum += b_.share(j);
    for (uint32_t i = 0; i < a_.size(); ++i)
      sum += a_.diagonal[i] - b_.tree.find_best(a_.tree[i], a_.diagonal[i], cost_).value;
    return sum;
  }
  [[nodiscard]] double way(uint32_t i, uint32_t j) const {
    std::array<double, K> apart;
    for (size_t k = 0; k < K; ++k) apart[k] = std::abs(a_.tree[i][k] - b_.tree[j][k]);
    return cost_(apart);
  }

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
  expect(options.power >= 1 && options.power <= largest_power, "the power must be from 1 to 64",
         options.power);
  expect(options.error > 0 && std::isfinite(options.error), "the error must be above 0", options.error);
  expect(options.place_weight >= 0 && std::isfinite(options.place_weight),
         "the weight of places must not be negative", options.place_weight);
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
        scale_(find_scale()),
        cost_{options.norm, options.power} {}

  DiagramDistance run() {
    const uint32_t dimensions = dimension_end(first_, second_);
    bool is_infinite = false;
    for (uint32_t d = 0; d < dimensions; ++d) {
      monitor_.update("matching diagrams", static_cast<double>(d) / dimensions);
      const DiagramSide a = choose_dimension(first_, d);
      const DiagramSide b = choose_dimension(second_, d);
      const size_t before = result_.matches.size();
      is_infinite = !match_essential(first_, second_, a, b, result_.matches) || is_infinite;
      for (size_t i = before; i < result_.matches.size(); ++i) {
        const double power = cost_.raise(result_.matches[i].distance * scale_);
        found_ += power;
        least_ += power;
      }
      options_.place_weight == 0 ? match<2>(a.finite, b.finite) : match<5>(a.finite, b.finite);
    }
    complete_matches(first_, second_, options_.norm, result_.matches);
    result_.distance = is_infinite ? DiagramPoint::never : root(found_);
    result_.at_least = is_infinite ? DiagramPoint::never : std::min(result_.distance, root(least_));
    monitor_.update("matching diagrams", 1);
    return std::move(result_);
  }

 private:
  [[nodiscard]] double root(double sum) const { return std::pow(sum, 1 / options_.power) / scale_; }

  /// A power of two that brings distances near 1, so that their powers neither overflow nor vanish.
  [[nodiscard]] double find_scale() const {
    double largest = 0;
    for (const auto& points : {first_, second_}) {
      for (const DiagramPoint& point : points) {
        if (point.is_finite()) largest = std::max(largest, point.death - point.birth);
      }
    }
    if (largest == 0) return 1;
    return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -900, 900));
  }

  template <size_t K>
  [[nodiscard]] Side<K> make_side(std::span<const DiagramPoint> points,
                                  const std::vector<uint32_t>& chosen) const {
    std::vector<std::array<double, K>> places;
    std::vector<double> ways;
    for (const uint32_t i : chosen) {
      const DiagramPoint& point = points[i];
      std::array<double, K> place = {point.birth * scale_, point.death * scale_};
      if constexpr (K == 5) {
        const double weight = options_.place_weight * scale_;
        place[2] = point.place.x * weight;
        place[3] = point.place.y * weight;
        place[4] = point.place.z * weight;
      }
      places.push_back(place);
      ways.push_back(cost_.raise(diagonal_distance(point, options_.norm) * scale_));
    }
    return {std::move(places), std::move(ways)};
  }

  template <size_t K>
  void match(const std::vector<uint32_t>& chosen_a, const std::vector<uint32_t>& chosen_b) {
    Side<K> a = make_side<K>(first_, chosen_a);
    Side<K> b = make_side<K>(second_, chosen_b);
    const auto bounds = Auction<K>(a, b, cost_, monitor_).run(std::pow(1 + options_.error, options_.power));
    found_ += bounds.found;
    least_ += bounds.least;
    constexpr Cost plain = {GroundNorm::euclidean, 1};
    for (uint32_t i = 0; i < a.size(); ++i) {
      const uint32_t mate = a.mates[i];
      if (mate == Auction<K>::none) continue;
      std::array<double, K> apart;
      for (size_t k = 0; k < K; ++k) apart[k] = std::abs(a.tree[i][k] - b.tree[mate][k]);
      result_.matches.push_back(
          {chosen_a[i], chosen_b[mate], Cost{options_.norm, plain.power}(apart) / scale_});
    }
  }

  std::span<const DiagramPoint> first_;
  std::span<const DiagramPoint> second_;
  const WassersteinOptions& options_;
  const Monitor& monitor_;
  double scale_;
  Cost cost_;
  double found_ = 0;
  double least_ = 0;
  DiagramDistance result_;
};

}  // namespace

DiagramDistance wasserstein_distance(std::span<const DiagramPoint> first,
                                     std::span<const DiagramPoint> second,
                                     const WassersteinOptions& options) {
  check_options(options);
  check_diagram(first, "first");
  check_diagram(second, "second");
  return Comparison(first, second, options).run();
}

}  // namespace tessera
