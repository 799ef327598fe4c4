#include <tessera/topology/detail/contour_branches.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/detail/grow_tree.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

constexpr uint32_t none = ContourTree::none;
constexpr size_t steps_between_looks = 1 << 16;

/// Takes leaf arcs from a contour tree, the least persistent first, and joins the arcs that then pass through
/// a node.
class LeafTaker {
 public:
  LeafTaker(const ContourTree& tree, const Monitor& monitor)
      : tree_(tree),
        monitor_(monitor),
        nodes_(tree.nodes.size()),
        ends_(tree.arcs.size()),
        joined_(tree.arcs.size()),
        removal_of_(tree.arcs.size(), none) {
    for (uint32_t a = 0; a < ends_.size(); ++a) {
      const auto [lower, upper] = ends_[a] = {tree.arcs[a].lower, tree.arcs[a].upper};
      joined_[a] = a;
      ++nodes_[lower].up;
      nodes_[lower].up_xor ^= a;
      ++nodes_[upper].down;
      nodes_[upper].down_xor ^= a;
    }
    for (uint32_t node = 0; node < nodes_.size(); ++node) offer(node);
  }

  struct Removal {
    uint32_t leaf;
    uint32_t end;
    uint32_t arc;  ///< of those that are one, who stands for them
  };

  /// Until the next one persists at least so much, or none is left but the last of each component.
  void run(std::optional<double> threshold = {}) {
    for (size_t step = 1; !queue_.empty(); ++step) {
      if (step % steps_between_looks == 0) {
        monitor_.update("finding branches",
                        static_cast<double>(removals_.size()) / static_cast<double>(ends_.size()));
      }
      const auto [persistence, leaf, arc] = queue_.top();
      if (threshold && persistence >= *threshold) return;
      queue_.pop();
      if (is_current(leaf, arc, persistence) && can_go(leaf, arc)) take(leaf, arc);
    }
  }

  [[nodiscard]] const std::vector<Removal>& removals() const { return removals_; }
  /// Who stands for the arcs that are one with this one.
  [[nodiscard]] uint32_t find(uint32_t arc) {
    while (joined_[arc] != arc) arc = joined_[arc] = joined_[joined_[arc]];
    return arc;
  }
  [[nodiscard]] bool is_taken(uint32_t arc) const { return removal_of_[arc] != none; }
  [[nodiscard]] uint32_t removal_of(uint32_t arc) const { return removal_of_[arc]; }
  [[nodiscard]] std::pair<uint32_t, uint32_t> ends(uint32_t arc) const { return ends_[arc]; }
  /// An arc that goes through the node or ends with it, if it is no node any more.
  [[nodiscard]] uint32_t arc_of(uint32_t node) const { return nodes_[node].arc; }
  [[nodiscard]] bool is_node(uint32_t node) const { return nodes_[node].arc == none; }

 private:
  struct Node {
    uint32_t up = 0;
    uint32_t down = 0;
    uint32_t up_xor = 0;  ///< of the arcs: the arc, where there is one
    uint32_t down_xor = 0;
    uint32_t arc = none;
  };
  using Offer = std::tuple<double, uint32_t, uint32_t>;  ///< persistence, leaf, its arc

  [[nodiscard]] bool is_leaf(uint32_t node) const { return nodes_[node].up + nodes_[node].down == 1; }
  [[nodiscard]] uint32_t leaf_arc(uint32_t leaf) const { return nodes_[leaf].up_xor ^ nodes_[leaf].down_xor; }
  [[nodiscard]] double persistence(uint32_t arc) const {
    const double low = tree_.nodes[ends_[arc].first].value;
    const double high = tree_.nodes[ends_[arc].second].value;
    return low == high ? 0 : high - low;  // also where both are infinite
  }
  void offer(uint32_t node) {
    if (is_leaf(node)) queue_.push({persistence(leaf_arc(node)), node, leaf_arc(node)});
  }
  [[nodiscard]] bool is_current(uint32_t leaf, uint32_t arc, double persistence_then) const {
    return is_node(leaf) && is_leaf(leaf) && leaf_arc(leaf) == arc && persistence(arc) == persistence_then;
  }
  /// Has the other end another arc on this side? If it has not, it may have one when arcs are joined there.
  [[nodiscard]] bool can_go(uint32_t leaf, uint32_t arc) const {
    const auto [lower, upper] = ends_[arc];
    return leaf == upper ? nodes_[lower].up > 1 : nodes_[upper].down > 1;
  }
  void take(uint32_t leaf, uint32_t arc) {
    const auto [lower, upper] = ends_[arc];
    const uint32_t end = leaf == upper ? lower : upper;
    Node& at = nodes_[end];
    if (leaf == upper) {
      --at.up;
      at.up_xor ^= arc;
    } else {
      --at.down;
      at.down_xor ^= arc;
    }
    nodes_[leaf].arc = arc;
    removal_of_[arc] = static_cast<uint32_t>(removals_.size());
    removals_.push_back({leaf, end, arc});
    if (at.up == 1 && at.down == 1) join_arcs(end);
    offer(end);
  }
  void join_arcs(uint32_t node) {
    const uint32_t below = nodes_[node].down_xor;
    const uint32_t above = nodes_[node].up_xor;
    const uint32_t upper = ends_[above].second;
    joined_[above] = below;
    ends_[below].second = upper;
    nodes_[upper].down_xor ^= above ^ below;
    nodes_[node].arc = below;
    offer(ends_[below].first);
    offer(upper);
  }

  const ContourTree& tree_;
  const Monitor& monitor_;
  Array<Node> nodes_;
  Array<std::pair<uint32_t, uint32_t>> ends_;  ///< lower and upper node
  Array<uint32_t> joined_;
  Array<uint32_t> removal_of_;
  std::vector<Removal> removals_;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> queue_;
};

/// The tree that is left, and where the vertices of the arcs go that are not.
class Pruner {
 public:
  Pruner(const ContourTree& tree, double threshold) : tree_(tree), left_(tree, monitor_of(nullptr)) {
    left_.run(threshold);
  }

  ContourTree run() {
    number_nodes();
    number_arcs();
    find_targets();
    const size_t n = tree_.labels.size();
    pruned_.labels.resize(n);
    for (size_t v = 0; v < n; ++v) {
      const uint32_t label = tree_.labels[v];
      pruned_.labels[v] = label == none ? none : target_[left_.find(label)];
    }
    label_nodes(pruned_);
    count_sizes(pruned_, Exec::host(1));
    add_branches(pruned_, monitor_of(nullptr));
    return std::move(pruned_);
  }

 private:
  void number_nodes() {
    number_.resize(tree_.nodes.size());
    for (uint32_t node = 0; node < number_.size(); ++node) {
      number_[node] = none;
      if (!left_.is_node(node)) continue;
      number_[node] = static_cast<uint32_t>(pruned_.nodes.size());
      pruned_.nodes.push_back({tree_.nodes[node].vertex, tree_.nodes[node].value, 0, 0});
    }
  }
  void number_arcs() {
    std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> arcs;  // by their nodes
    for (uint32_t arc = 0; arc < tree_.arcs.size(); ++arc) {
      if (left_.find(arc) != arc || left_.is_taken(arc)) continue;
      const auto [lower, upper] = left_.ends(arc);
      arcs.emplace_back(number_[lower], number_[upper], arc);
    }
    std::ranges::sort(arcs);
    target_.resize(tree_.arcs.size());
    first_arc_.resize(pruned_.nodes.size());
    std::ranges::fill(first_arc_, none);
    for (const auto& [lower, upper, arc] : arcs) {
      const auto number = static_cast<uint32_t>(pruned_.arcs.size());
      target_[arc] = number;
      pruned_.arcs.push_back({lower, upper, none, 0});
      ++pruned_.nodes[lower].up_arcs;
      ++pruned_.nodes[upper].down_arcs;
      for (const uint32_t node : {lower, upper}) first_arc_[node] = std::min(first_arc_[node], number);
    }
  }
  /// Arcs that were taken away later are known when they are asked for.
  void find_targets() {
    for (size_t i = left_.removals().size(); i-- > 0;) {
      const auto [leaf, end, arc] = left_.removals()[i];
      target_[arc] = left_.is_node(end) ? first_arc_[number_[end]] : target_[left_.find(left_.arc_of(end))];
    }
  }

  const ContourTree& tree_;
  LeafTaker left_;
  ContourTree pruned_;
  Array<uint32_t> number_;     ///< of nodes that are left
  Array<uint32_t> target_;     ///< by arc: the new arc that its vertices go to
  Array<uint32_t> first_arc_;  ///< by new node
};

}  // namespace

void detail::add_branches(ContourTree& tree, const Monitor& monitor) {
  monitor.update("finding branches", 0);
  LeafTaker taker(tree, monitor);
  taker.run();
  std::vector<ContourTree::Branch> branches;
  const auto add = [&](uint32_t leaf, uint32_t end) {
    branches.push_back({leaf, end, tree.nodes[leaf].value, tree.nodes[end].value});
  };
  for (const auto& removal : taker.removals()) add(removal.leaf, removal.end);
  for (uint32_t arc = 0; arc < tree.arcs.size(); ++arc) {
    if (taker.find(arc) == arc && !taker.is_taken(arc)) add(taker.ends(arc).first, taker.ends(arc).second);
  }
  std::ranges::sort(branches, {}, &ContourTree::Branch::leaf);
  tree.branches = Array<ContourTree::Branch>(branches.begin(), branches.end());
  Array<uint32_t> of_leaf(tree.nodes.size(), none);
  for (uint32_t b = 0; b < branches.size(); ++b) of_leaf[branches[b].leaf] = b;
  const auto branch_of_arc = [&](uint32_t arc) {
    const uint32_t one = taker.find(arc);
    return of_leaf[taker.is_taken(one) ? taker.removals()[taker.removal_of(one)].leaf
                                       : taker.ends(one).first];
  };
  StopCheck check(monitor, "finding branches", 1);
  for (uint32_t arc = 0; arc < tree.arcs.size(); ++arc) {
    check();
    tree.arcs[arc].branch = branch_of_arc(arc);
  }
  tree.branch_of.resize(tree.nodes.size());
  for (uint32_t node = 0; node < tree.nodes.size(); ++node) {
    check();
    tree.branch_of[node] = taker.is_node(node) ? none : branch_of_arc(taker.arc_of(node));
  }
  for (uint32_t arc = 0; arc < tree.arcs.size(); ++arc) {  // the ends of the last ones are nodes still
    if (taker.find(arc) != arc || taker.is_taken(arc)) continue;
    const auto [lower, upper] = taker.ends(arc);
    tree.branch_of[lower] = tree.branch_of[upper] = of_leaf[lower];
  }
}

ContourTree prune(const ContourTree& tree, double threshold) {
  check_threshold(threshold);
  return Pruner(tree, threshold).run();
}

}  // namespace tessera
