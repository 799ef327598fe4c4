#include <tessera/topology/contour_tree.h>

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/contour_branches.h>
#include <tessera/topology/detail/count_labels.h>
#include <tessera/topology/detail/grow_tree.h>
#include <tessera/topology/detail/key_search.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr uint32_t none = ContourTree::none;
constexpr uint32_t never = 0xFFFFFFFFu;
constexpr std::string_view stage = "merging the trees";

/// How many elements are taken between two looks at the monitor.
constexpr size_t steps_between_looks = 1 << 16;

/// A merge tree on the nodes of both trees, those of the other one in between, while leaves of the contour
/// tree are taken from it.
class Half {
 public:
  /// `nodes`: the vertices of both, in the direction of this tree; number(i) is the node of the i-th.
  template <class Number>
  Half(const MergeTree& tree, const TreeOrder& order, const Array<uint32_t>& nodes, const Number& number,
       StopCheck check)
      : order_(order), arcs_(nodes.size()) {
    const size_t arc_count = tree.nodes.size();
    Array<uint32_t> begins(arc_count + 1, 0);
    for (const uint32_t v : nodes) ++begins[tree.labels[v] + 1];
    for (size_t a = 0; a < arc_count; ++a) begins[a + 1] += begins[a];
    Array<VertexOrderKey> keys(nodes.size());
    chain_.resize(nodes.size());
    Array<uint32_t> next(begins.begin(), begins.end() - 1);
    for (size_t i = 0; i < nodes.size(); ++i) {
      check();
      const uint32_t place = next[tree.labels[nodes[i]]]++;
      chain_[place] = number(i);
      keys[place] = order_[nodes[i]];
    }
    for (uint32_t a = 0; a < arc_count; ++a) {
      check();
      for (uint32_t i = begins[a]; i + 1 < begins[a + 1]; ++i) hang(chain_[i], chain_[i + 1]);
      const uint32_t parent = tree.nodes[a].parent;
      if (parent != MergeTree::none) hang(chain_[begins[a + 1] - 1], chain_[begins[parent]]);
    }
    search_ = KeySearch(std::move(keys), begins);
  }

  [[nodiscard]] uint32_t child_count(uint32_t node) const { return arcs_[node].children; }
  [[nodiscard]] uint32_t parent(uint32_t node) const { return arcs_[node].parent; }

  /// Takes a leaf away, and with it its arc at that time.
  void cut(uint32_t leaf, uint32_t time) {
    Arc& arc = arcs_[leaf];
    arc.cut_at = time;
    if (arc.parent != none) {
      --arcs_[arc.parent].children;
      arcs_[arc.parent].child_xor ^= leaf;
    }
  }
  /// Takes a node with one child out of its path: the arc above it goes on the arc below.
  void splice(uint32_t node) {
    Arc& arc = arcs_[node];
    const uint32_t child = arc.child_xor;
    arc.joined = child;
    arcs_[child].parent = arc.parent;
    if (arc.parent != none) arcs_[arc.parent].child_xor ^= node ^ child;
  }

  /// When the arc that begins at each node was taken away; `order` is that in which nodes were.
  void settle(const Array<uint32_t>& order, StopCheck check) {
    for (size_t i = order.size(); i-- > 0;) {
      check();
      Arc& arc = arcs_[order[i]];
      if (arc.joined != none) arc.cut_at = arcs_[arc.joined].cut_at;
    }
  }
  /// ... of the arc on which a vertex of the tree's arc `label` lies.
  [[nodiscard]] uint32_t cut_time(uint32_t label, uint32_t vertex) const {
    return arcs_[chain_[search_.begin(label) + search_.count_up_to(label, order_[vertex]) - 1]].cut_at;
  }

 private:
  struct Arc {
    uint32_t parent = none;
    uint32_t children = 0;
    uint32_t child_xor = 0;  ///< of the children: the child, where there is one
    uint32_t joined = none;  ///< the node whose arc goes on through this one, which is out
    uint32_t cut_at = never;
  };
  void hang(uint32_t child, uint32_t parent) {
    arcs_[child].parent = parent;
    ++arcs_[parent].children;
    arcs_[parent].child_xor ^= child;
  }

  TreeOrder order_;
  Array<Arc> arcs_;  ///< by the node where they begin
  // The nodes on each arc of the tree as it was, from its beginning on.
  Array<uint32_t> chain_;
  KeySearch search_;
};

/// The vertices of the nodes of both trees, ascending.
Array<uint32_t> unite(const TreePair& trees, const FieldOrder& order, StopCheck check) {
  Array<uint32_t> vertices;
  vertices.reserve(trees.join.nodes.size() + trees.split.nodes.size());
  const auto& up = trees.join.nodes;
  const auto& down = trees.split.nodes;
  size_t i = 0;
  size_t j = down.size();
  while (i < up.size() || j > 0) {
    check();
    const uint32_t a = i < up.size() ? up[i].vertex.index() : none;
    const uint32_t b = j > 0 ? down[j - 1].vertex.index() : none;
    const bool takes_a = b == none || (a != none && order[a] <= order[b]);
    vertices.push_back(takes_a ? a : b);
    if (takes_a) ++i;
    if (a == b || !takes_a) --j;
  }
  return vertices;
}

class TreeMerger {
 public:
  TreeMerger(TreePair trees, const FieldOrder& order, const Exec& exec, const Monitor& monitor)
      : trees_(std::move(trees)),
        vertices_(unite(trees_, order, StopCheck(monitor, stage, 0))),
        exec_(exec),
        monitor_(monitor),
        join_(
            trees_.join, TreeOrder(order, MergeTreeKind::join), vertices_,
            [](size_t i) { return static_cast<uint32_t>(i); }, StopCheck(monitor, stage, 0)),
        split_(
            trees_.split, TreeOrder(order, MergeTreeKind::split),
            Array<uint32_t>(vertices_.rbegin(), vertices_.rend()),
            [&](size_t i) { return static_cast<uint32_t>(vertices_.size() - 1 - i); },
            StopCheck(monitor, stage, 0)) {}

  ContourTree run() {
    take_leaves();
    number_arcs();
    label_vertices();
    return std::move(tree_);
  }

 private:
  [[nodiscard]] bool is_lower_leaf(uint32_t node) const {
    return join_.child_count(node) == 0 && split_.child_count(node) <= 1;
  }
  [[nodiscard]] bool is_upper_leaf(uint32_t node) const {
    return split_.child_count(node) == 0 && join_.child_count(node) == 1;
  }

  /// There is always a leaf: each tree has an arc less than nodes, and if no node were a leaf, each would
  /// have at least two arcs in the two trees together.
  void take_leaves() {
    const auto count = static_cast<uint32_t>(vertices_.size());
    std::deque<uint32_t> leaves;
    for (uint32_t node = 0; node < count; ++node) {
      if (is_lower_leaf(node) || is_upper_leaf(node)) leaves.push_back(node);
    }
    Array<std::uint8_t> is_out(count, 0);
    for (size_t step = 0; !leaves.empty(); ++step) {
      if (step % steps_between_looks == 0) monitor_.update(stage, static_cast<double>(out_.size()) / count);
      const uint32_t node = leaves.front();
      leaves.pop_front();
      const bool is_lower = is_lower_leaf(node);
      const uint32_t end = is_lower ? join_.parent(node) : split_.parent(node);
      if (is_out[node] != 0 || end == none) continue;  // the last of a component stays
      is_out[node] = 1;
      const uint32_t other = take(node, is_lower);
      for (const uint32_t next : {end, other}) {
        if (next != none && is_out[next] == 0 && (is_lower_leaf(next) || is_upper_leaf(next)))
          leaves.push_back(next);
      }
    }
    join_.settle(out_, StopCheck(monitor_, stage, 1));
    split_.settle(out_, StopCheck(monitor_, stage, 1));
  }
  /// Takes a leaf out of both trees. Returns a node that has lost an arc besides the one where the leaf's
  /// ends.
  uint32_t take(uint32_t node, bool is_lower) {
    const auto time = static_cast<uint32_t>(out_.size());
    out_.push_back(node);
    Half& of_leaf = is_lower ? join_ : split_;
    Half& other = is_lower ? split_ : join_;
    const uint32_t end = of_leaf.parent(node);
    ends_.push_back(is_lower ? std::pair(node, end) : std::pair(end, node));
    of_leaf.cut(node, time);
    if (other.child_count(node) > 0) {
      other.splice(node);
      return none;
    }
    other.cut(node, time);  // a leaf of both, where the mesh has tunnels
    return other.parent(node);
  }

  void number_arcs() {
    const size_t count = ends_.size();
    Array<uint64_t> keys(count);
    Array<uint32_t> times(count);
    for (size_t time = 0; time < count; ++time) {
      keys[time] = uint64_t{ends_[time].first} << 32 | ends_[time].second;
      times[time] = static_cast<uint32_t>(time);
    }
    sort_pairs<uint64_t, uint32_t>(exec_, keys, times);
    arc_at_.resize(count);
    tree_.arcs.resize(count);
    tree_.nodes.resize(vertices_.size());
    for (size_t node = 0; node < vertices_.size(); ++node)
      tree_.nodes[node].vertex = VertexId(vertices_[node]);
    StopCheck check(monitor_, stage, 1);
    for (uint32_t arc = 0; arc < count; ++arc) {
      check();
      arc_at_[times[arc]] = arc;
      const auto [lower, upper] = ends_[times[arc]];
      tree_.arcs[arc] = {lower, upper, none, 0};
      ++tree_.nodes[lower].up_arcs;
      ++tree_.nodes[upper].down_arcs;
    }
  }

  /// A vertex goes with the first arc that is taken from around it.
  void label_vertices() {
    monitor_.update("labelling the arcs", 0);
    const size_t n = trees_.join.labels.size();
    tree_.labels.resize(n);
    host::for_each_until_stopped(exec_, monitor_, n, [&](size_t v) {
      const auto vertex = static_cast<uint32_t>(v);
      const uint32_t time = std::min(join_.cut_time(trees_.join.labels[v], vertex),
                                     split_.cut_time(trees_.split.labels[v], vertex));
      tree_.labels[v] = time == never ? none : arc_at_[time];
    });
    monitor_.update("labelling the arcs", 0.7);
    label_nodes(tree_);
    count_sizes(tree_, exec_);
  }

  TreePair trees_;
  Array<uint32_t> vertices_;  ///< of nodes, ascending
  Exec exec_;
  const Monitor& monitor_;
  Half join_;
  Half split_;
  Array<uint32_t> out_;                              ///< nodes, in the order in which they were taken out
  std::vector<std::pair<uint32_t, uint32_t>> ends_;  ///< of the arc that went with each
  Array<uint32_t> arc_at_;                           ///< arcs by time
  ContourTree tree_;
};

template <class Domain>
ContourTree make_tree(const Domain& domain, const Field& field, const ContourTreeOptions& options) {
  (void)host_only(options.exec, "contour_tree()");
  check_domain(domain, field);
  const Monitor& monitor = monitor_of(options.monitor);
  const FieldOrder order(field, options.exec);
  TreePair trees = grow_trees(domain, field, order, options);
  ContourTree tree = TreeMerger(std::move(trees), order, host_for(options.exec, field.size()), monitor).run();
  field.visit([&](const auto& values) {
    for (ContourTree::Node& node : tree.nodes) node.value = static_cast<double>(values[node.vertex.index()]);
  });
  add_branches(tree, monitor);
  return tree;
}

}  // namespace

void detail::label_nodes(ContourTree& tree) {
  for (const ContourTree::Node& node : tree.nodes) tree.labels[node.vertex.index()] = none;
  for (size_t arc = tree.arcs.size(); arc-- > 0;) {
    for (const uint32_t node : {tree.arcs[arc].lower, tree.arcs[arc].upper})
      tree.labels[tree.nodes[node].vertex.index()] = static_cast<uint32_t>(arc);
  }
}

void detail::count_sizes(ContourTree& tree, const Exec& exec) {
  count_labels(exec, tree.labels, none, [&](uint32_t arc) -> uint32_t& { return tree.arcs[arc].size; });
}

template <int Dim>
ContourTree contour_tree(const SimplexMesh<Dim>& mesh, const Field& field,
                         const ContourTreeOptions& options) {
  return make_tree(mesh, field, options);
}
ContourTree contour_tree(const Grid& grid, const Field& field, const ContourTreeOptions& options) {
  return make_tree(grid, field, options);
}

template ContourTree contour_tree(const TriMesh&, const Field&, const ContourTreeOptions&);
template ContourTree contour_tree(const TetMesh&, const Field&, const ContourTreeOptions&);

}  // namespace tessera
