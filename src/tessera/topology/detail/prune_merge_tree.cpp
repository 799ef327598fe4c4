#include <tessera/topology/detail/grow_tree.h>
#include <tessera/topology/merge_tree.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

constexpr uint32_t none = MergeTree::none;

/// Which branches and nodes are left, and which node has the vertices of each.
class Pruner {
 public:
  Pruner(const MergeTree& tree, double threshold)
      : tree_(tree), branch_stays_(tree.nodes.size(), 0), stays_(tree.nodes.size(), 0) {
    for (const MergeTree::Branch& branch : tree.branches) {
      const bool is_last = tree.nodes[branch.end].leaf == branch.leaf;  // of its component
      branch_stays_[branch.leaf] = is_last || branch.persistence() >= threshold ? 1 : 0;
    }
    choose_nodes();
    find_owners();
  }

  [[nodiscard]] MergeTree run() const {
    MergeTree pruned;
    pruned.kind = tree_.kind;
    const auto count = static_cast<uint32_t>(tree_.nodes.size());
    Array<uint32_t> number(count, none);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (stays_[i] != 0) number[i] = next++;
    }
    pruned.nodes.resize(next);
    Array<uint32_t> up(count, none);  // the first node that stays, itself or towards the root
    for (uint32_t i = count; i-- > 0;) {
      const MergeTree::Node& node = tree_.nodes[i];
      const uint32_t above = node.parent == none ? none : up[node.parent];
      up[i] = stays_[i] != 0 ? i : above;
      if (stays_[i] == 0) continue;
      pruned.nodes[number[i]] = {node.vertex, above == none ? none : number[above], number[node.leaf], 0};
    }
    for (uint32_t i = 0; i < count; ++i) pruned.nodes[number[owner_[i]]].size += tree_.nodes[i].size;
    for (MergeTree::Branch branch : tree_.branches) {
      if (branch_stays_[branch.leaf] == 0) continue;
      branch.leaf = number[branch.leaf];
      branch.end = number[branch.end];
      pruned.branches.push_back(branch);
    }
    pruned.labels.resize(tree_.labels.size());
    for (size_t v = 0; v < pruned.labels.size(); ++v) pruned.labels[v] = number[owner_[tree_.labels[v]]];
    return pruned;
  }

 private:
  /// A saddle stays where a branch that stays ends on another. That one stays, too, because it is older.
  void choose_nodes() {
    for (const MergeTree::Branch& branch : tree_.branches) {
      if (branch_stays_[branch.leaf] != 0) stays_[branch.leaf] = stays_[branch.end] = 1;
    }
  }
  void find_owners() {
    const auto count = static_cast<uint32_t>(tree_.nodes.size());
    owner_.resize(count);
    Array<uint32_t> before(count, none);  // on the same branch
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t parent = tree_.nodes[i].parent;
      if (parent != none && tree_.nodes[parent].leaf == tree_.nodes[i].leaf) before[parent] = i;
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (branch_stays_[tree_.nodes[i].leaf] != 0) owner_[i] = stays_[i] != 0 ? i : owner_[before[i]];
    }
    for (uint32_t i = count; i-- > 0;) {
      if (branch_stays_[tree_.nodes[i].leaf] == 0) owner_[i] = owner_[tree_.nodes[i].parent];
    }
  }

  const MergeTree& tree_;
  Array<uint8_t> branch_stays_;  ///< by leaf
  Array<uint8_t> stays_;         ///< by node
  Array<uint32_t> owner_;
};

}  // namespace

MergeTree prune(const MergeTree& tree, double threshold) {
  check_threshold(threshold);
  return Pruner(tree, threshold).run();
}

}  // namespace tessera
