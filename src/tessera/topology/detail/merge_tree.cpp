#include <tessera/topology/merge_tree.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/detail/lowest_bit.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/atomic_bounds.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/count_labels.h>
#include <tessera/topology/detail/field_order.h>
#include <tessera/topology/detail/flatten.h>
#include <tessera/topology/detail/grid_cells.h>
#include <tessera/topology/detail/tree_pair.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t none = MergeTree::none;

/// Which pieces may meet at which saddles: the saddle's place among them above the number of the leaf.
using Meetings = Array<uint64_t>;

/// Those that one worker finds, each once.
class MeetingList {
 public:
  void add(uint32_t place, uint32_t leaf) {
    meetings_.push_back(uint64_t{place} << 32 | leaf);
    if (meetings_.size() >= limit_) tidy();
  }
  void tidy() {
    std::ranges::sort(meetings_);
    meetings_.erase(std::unique(meetings_.begin(), meetings_.end()), meetings_.end());
    limit_ = std::max<size_t>(1 << 16, 2 * meetings_.size());
  }
  [[nodiscard]] const Meetings& meetings() const { return meetings_; }

 private:
  Meetings meetings_;
  size_t limit_ = 1 << 16;
};

/// All of them, sorted; some may be there twice.
Meetings gather(std::vector<std::unique_ptr<MeetingList>>& lists, size_t saddles, const Exec& exec) {
  size_t count = 0;
  for (const auto& list : lists) {
    if (list == nullptr) continue;
    list->tidy();
    count += list->meetings().size();
  }
  Meetings all;
  all.reserve(count);
  for (auto& list : lists) {
    if (list == nullptr) continue;
    all.insert(all.end(), list->meetings().begin(), list->meetings().end());
    list.reset();
  }
  sort_keys<uint64_t>(exec, all, 32 + bits_in_use(saddles));
  return all;
}

/// Vertices that may be nodes, ascending by id, and their places in the order of the tree.
struct Saddles {
  Array<uint32_t> vertices;
  Array<uint32_t> places;
};

/// What a tree is grown with.
struct Growth {
  TreeOrder order;
  Exec exec;
  const Monitor& monitor;
};

// Where vertices lie next to each other: for each the first neighbour in the order of the tree, and the
// leaves behind the neighbours of saddles.

/// By the cells of a mesh: the first of a cell's corners is a neighbour of the others, and every neighbour is
/// in a cell.
template <int Dim>
class MeshNeighbours {
 public:
  explicit MeshNeighbours(const SimplexMesh<Dim>& mesh) : mesh_(&mesh) {}

  [[nodiscard]] Array<uint32_t> find_first(const Growth& growth) const {
    const auto& [order, exec, monitor] = growth;
    const size_t n = mesh_->vertex_count();
    Array<VertexOrderKey> first(n);
    host_for_each(exec, n, [&, &order = order](size_t v) { first[v] = order[static_cast<uint32_t>(v)]; });
    host::for_each_until_stopped(exec, monitor, mesh_->cells.size(), [&, &order = order](size_t c) {
      VertexOrderKey key = ~VertexOrderKey{0};
      for (const VertexId v : mesh_->cells[c]) key = std::min(key, order[v.index()]);
      for (const VertexId v : mesh_->cells[c]) host::lower_to(first[v.index()], key);
    });
    Array<uint32_t> down(n);
    host_for_each(exec, n, [&, &order = order](size_t v) {
      const uint32_t to = order.vertex(first[v]);
      down[v] = to == v ? root_entry : to;
    });
    return down;
  }
  /// `leaf_of[v]`: behind v.
  [[nodiscard]] Meetings find_meetings(const Growth& growth, const Saddles& saddles,
                                       const Array<uint32_t>& leaf_of) const {
    Array<uint32_t> place_of(mesh_->vertex_count(), none);
    host_for_each(growth.exec, saddles.vertices.size(),
                  [&](size_t i) { place_of[saddles.vertices[i]] = saddles.places[i]; });
    auto lists = host::walk(
        mesh_->cells.size(), {growth.exec, growth.monitor, 4096}, [](int) { return MeetingList(); },
        [&](MeetingList& list, size_t c) {
          for (const VertexId v : mesh_->cells[c]) {
            const uint32_t place = place_of[v.index()];
            if (place == none) continue;
            for (const VertexId u : mesh_->cells[c]) {
              if (growth.order[u.index()] < growth.order[v.index()]) list.add(place, leaf_of[u.index()]);
            }
          }
        });
    return gather(lists, saddles.vertices.size(), growth.exec);
  }

 private:
  const SimplexMesh<Dim>* mesh_;
};

/// By arithmetic.
template <int Dim>
class GridNeighbours {
 public:
  explicit GridNeighbours(const Grid& grid) : cells_(GridLattice(grid)) {}

  [[nodiscard]] Array<uint32_t> find_first(const Growth& growth) const {
    Array<uint32_t> down(cells_.vertex_count());
    const auto of_row = [&](size_t row) { find_first_in_row(growth.order, row, down); };
    (void)host::walk(
        cells_.lattice().rows(), {growth.exec, growth.monitor}, [](int) { return 0; },
        [&](int, size_t row) { of_row(row); });
    return down;
  }
  [[nodiscard]] Meetings find_meetings(const Growth& growth, const Saddles& saddles,
                                       const Array<uint32_t>& leaf_of) const {
    auto lists = host::walk(
        saddles.vertices.size(), {growth.exec, growth.monitor, 1024}, [](int) { return MeetingList(); },
        [&](MeetingList& list, size_t i) {
          const uint32_t v = saddles.vertices[i];
          std::array<uint32_t, 14> leaves;
          size_t count = 0;
          for (uint32_t left = cells_.around(v).present; left != 0; left &= left - 1) {
            const uint32_t u = cells_.neighbour(v, lowest_bit(left));
            if (growth.order[u] < growth.order[v]) leaves[count++] = leaf_of[u];
          }
          const auto end = leaves.begin() + count;
          std::sort(leaves.begin(), end);
          const auto last = std::unique(leaves.begin(), end);
          if (last - leaves.begin() < 2) return;  // one piece, which has met itself before
          for (auto leaf = leaves.begin(); leaf != last; ++leaf) list.add(saddles.places[i], *leaf);
        });
    return gather(lists, saddles.vertices.size(), growth.exec);
  }

 private:
  void find_first_in_row(const TreeOrder& order, size_t row, Array<uint32_t>& down) const {
    const GridLattice& lattice = cells_.lattice();
    const uint32_t nx = lattice.dims[0];
    const AxisPlace y(static_cast<uint32_t>(row % lattice.dims[1]), lattice.dims[1]);
    const AxisPlace z(static_cast<uint32_t>(row / lattice.dims[1]), lattice.dims[2]);
    uint32_t present = 0;
    for (uint32_t x = 0; x < nx; ++x) {
      // Only the ends of the row have other neighbours.
      if (x <= 1 || x + 1 == nx) present = GridSurrounding(AxisPlace(x, nx), y, z).present;
      const auto v = static_cast<uint32_t>(row * nx + x);
      VertexOrderKey first = order[v];
      for (uint32_t left = present; left != 0; left &= left - 1)
        first = std::min(first, order[cells_.neighbour(v, lowest_bit(left))]);
      const uint32_t to = order.vertex(first);
      down[v] = to == v ? root_entry : to;
    }
  }

  GridCells<Dim> cells_;
};

/// The pieces while they meet: a forest of leaves in which smaller pieces hang below larger ones, with the
/// time at which they were hung there. Its paths are short, so it also answers which piece a leaf belonged to
/// at any time.
class Pieces {
 public:
  explicit Pieces(size_t leaves) : links_(leaves), sizes_(leaves, 1) {}

  /// Who stands for the piece of a leaf at a time.
  [[nodiscard]] uint32_t find(uint32_t leaf, VertexOrderKey time = ~VertexOrderKey{0}) const {
    while (links_[leaf].up != none && links_[leaf].time <= time) leaf = links_[leaf].up;
    return leaf;
  }
  /// Joins two pieces, named by who stands for them. Returns who stands for both.
  uint32_t join(uint32_t a, uint32_t b, VertexOrderKey time) {
    if (sizes_[a] < sizes_[b]) std::swap(a, b);
    links_[b] = {a, time};
    sizes_[a] += sizes_[b];
    return a;
  }

 private:
  struct Link {
    uint32_t up = none;
    VertexOrderKey time = 0;
  };
  std::vector<Link> links_;
  std::vector<uint32_t> sizes_;
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const Growth& growth)
      : growth_(growth), order_(growth.order), exec_(growth.exec), monitor_(growth.monitor) {}

  template <class Neighbours>
  MergeTree run(const Neighbours& neighbours, const CriticalPoints& points, const MergeTreeOptions& options) {
    find_leaves(neighbours);
    report(0.4);
    const Saddles saddles = find_saddles(points, options.kind);
    report(0.5);
    meetings_ = neighbours.find_meetings(growth_, saddles, leaf_of_);
    report(0.6);
    join_pieces();
    report(0.8);
    add_roots();
    number_nodes();
    report(0.9);
    if (options.labels) label_vertices();
    tree_.kind = options.kind;
    report(1);
    return std::move(tree_);
  }

 private:
  /// A node before nodes are numbered: leaves first, then saddles, then roots, as they are found.
  struct Found {
    VertexOrderKey key;
    uint32_t parent = none;
    uint32_t leaf;
  };

  void report(double fraction) const { monitor_.update("growing the tree", fraction); }

  template <class Neighbours>
  void find_leaves(const Neighbours& neighbours) {
    leaf_of_ = neighbours.find_first(growth_);
    report(0.2);
    flatten(leaf_of_, exec_);
    const size_t n = leaf_of_.size();
    Array<uint8_t> is_leaf(n);
    host_for_each(exec_, n, [&](size_t v) { is_leaf[v] = leaf_of_[v] == root_entry ? 1 : 0; });
    leaves_.resize(n);
    leaves_.resize(compact_indices(exec_, is_leaf, leaves_));
    // Vertices of leaves become their numbers, first for the leaves themselves.
    host_for_each(exec_, leaves_.size(),
                  [&](size_t leaf) { leaf_of_[leaves_[leaf]] = static_cast<uint32_t>(leaf); });
    host_for_each(exec_, n, [&](size_t v) {
      if (is_leaf[v] == 0) leaf_of_[v] = leaf_of_[leaf_of_[v]];
    });
  }

  /// Where the lower link is one piece, its leaves have met before.
  Saddles find_saddles(const CriticalPoints& points, MergeTreeKind kind) {
    Saddles saddles;
    for (const CriticalPoint& point : points.points) {
      const uint32_t pieces = kind == MergeTreeKind::join ? point.lower_pieces : point.upper_pieces;
      if (pieces > 1) saddles.vertices.push_back(point.vertex.index());
    }
    const size_t count = saddles.vertices.size();
    saddle_keys_.resize(count);
    Array<uint32_t> sorted(count);
    host_for_each(exec_, count, [&](size_t i) {
      saddle_keys_[i] = order_[saddles.vertices[i]];
      sorted[i] = static_cast<uint32_t>(i);
    });
    sort_pairs<uint64_t, uint32_t>(exec_, saddle_keys_, sorted);
    saddles.places.resize(count);
    host_for_each(exec_, count,
                  [&](size_t place) { saddles.places[sorted[place]] = static_cast<uint32_t>(place); });
    return saddles;
  }

  void join_pieces() {
    pieces_ = Pieces(leaves_.size());
    top_.resize(leaves_.size());
    for (uint32_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      found_.push_back({order_[leaves_[leaf]], none, leaf});
      top_[leaf] = leaf;
    }
    std::vector<uint32_t> meeting;
    size_t next_look = 0;
    for (size_t i = 0; i < meetings_.size();) {
      if (i >= next_look) {
        report(0.6 + 0.2 * static_cast<double>(i) / static_cast<double>(meetings_.size()));
        next_look = i + (1 << 16);
      }
      const uint64_t saddle = meetings_[i] >> 32;
      meeting.clear();
      for (; i < meetings_.size() && meetings_[i] >> 32 == saddle; ++i)
        meeting.push_back(pieces_.find(static_cast<uint32_t>(meetings_[i])));
      std::ranges::sort(meeting);
      meeting.erase(std::unique(meeting.begin(), meeting.end()), meeting.end());
      if (meeting.size() > 1) join_at(saddle_keys_[saddle], meeting);
    }
    meetings_ = {};
  }
  void join_at(VertexOrderKey time, const std::vector<uint32_t>& meeting) {
    const auto node = static_cast<uint32_t>(found_.size());
    uint32_t oldest = none;
    uint32_t joined = meeting.front();
    for (const uint32_t piece : meeting) {
      found_[top_[piece]].parent = node;
      const uint32_t leaf = found_[top_[piece]].leaf;
      if (oldest == none || found_[leaf].key < found_[oldest].key) oldest = leaf;
      if (piece != joined) joined = pieces_.join(joined, piece, time);
    }
    found_.push_back({time, none, oldest});
    top_[joined] = node;
    events_.push_back({joined, node});
  }

  /// The last vertex of each component, unless it is a node already.
  void add_roots() {
    Array<VertexOrderKey> last(leaves_.size(), 0);
    Array<uint32_t> component(leaves_.size());
    host_for_each(exec_, leaves_.size(),
                  [&](size_t leaf) { component[leaf] = pieces_.find(static_cast<uint32_t>(leaf)); });
    host::for_each_until_stopped(exec_, monitor_, leaf_of_.size(), [&](size_t v) {
      host::raise_to(last[component[leaf_of_[v]]], order_[static_cast<uint32_t>(v)]);
    });
    monitor_.update("growing the tree", 0.85);
    for (uint32_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      if (component[leaf] != leaf || found_[top_[leaf]].key == last[leaf]) continue;
      found_[top_[leaf]].parent = static_cast<uint32_t>(found_.size());
      events_.push_back({leaf, static_cast<uint32_t>(found_.size())});
      found_.push_back({last[leaf], none, found_[top_[leaf]].leaf});
    }
  }

  void number_nodes() {
    const size_t count = found_.size();
    Array<VertexOrderKey> keys(count);
    Array<uint32_t> places(count);
    host_for_each(exec_, count, [&](size_t i) {
      keys[i] = found_[i].key;
      places[i] = static_cast<uint32_t>(i);
    });
    sort_pairs<uint64_t, uint32_t>(exec_, keys, places);
    numbers_.resize(count);
    host_for_each(exec_, count, [&](size_t i) { numbers_[places[i]] = static_cast<uint32_t>(i); });
    tree_.nodes.resize(count);
    host_for_each(exec_, count, [&](size_t i) {
      const Found& one = found_[places[i]];
      tree_.nodes[i] = {VertexId(order_.vertex(one.key)), one.parent == none ? none : numbers_[one.parent],
                        numbers_[one.leaf], 0};
    });
  }

  /// A vertex lies behind the last event of its piece at its own time.
  void label_vertices() {
    Array<uint32_t> begins(leaves_.size() + 1, 0);
    for (const auto& [leaf, node] : events_) ++begins[leaf + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    Array<uint32_t> nodes(events_.size());
    Array<uint32_t> next(begins.begin(), begins.end() - 1);
    for (const auto& [leaf, node] : events_) nodes[next[leaf]++] = node;  // in the order of time
    const auto label_of = [&](size_t v) {
      const VertexOrderKey time = order_[static_cast<uint32_t>(v)];
      const uint32_t piece = pieces_.find(leaf_of_[v], time);
      const auto begin = nodes.begin() + begins[piece];
      const auto after =
          std::upper_bound(begin, nodes.begin() + begins[piece + 1], time,
                           [&](VertexOrderKey t, uint32_t node) { return t < found_[node].key; });
      return numbers_[after == begin ? piece : *(after - 1)];
    };
    tree_.labels.resize(leaf_of_.size());
    host::for_each_until_stopped(exec_, monitor_, leaf_of_.size(),
                                 [&](size_t v) { tree_.labels[v] = label_of(v); });
    report(0.95);
    count_labels(exec_, tree_.labels, none,
                 [&](uint32_t node) -> uint32_t& { return tree_.nodes[node].size; });
  }

  Growth growth_;
  TreeOrder order_;
  Exec exec_;
  const Monitor& monitor_;
  MergeTree tree_;
  Array<uint32_t> leaf_of_;            ///< by vertex: that of the steepest way
  Array<uint32_t> leaves_;             ///< vertices
  Array<VertexOrderKey> saddle_keys_;  ///< of vertices that may be nodes, ascending
  Meetings meetings_;
  Pieces pieces_{0};
  std::vector<Found> found_;
  std::vector<uint32_t> top_;                          ///< the last node of each piece
  std::vector<std::pair<uint32_t, uint32_t>> events_;  ///< who stood for a piece when it got which node
  Array<uint32_t> numbers_;
};

/// Branches and their values.
void add_branches(MergeTree& tree, const Field& field) {
  const auto count = static_cast<uint32_t>(tree.nodes.size());
  Array<uint32_t> branch_of(count, none);  // by leaf
  for (uint32_t i = 0; i < count; ++i) {
    if (!tree.is_leaf(i)) continue;
    branch_of[i] = static_cast<uint32_t>(tree.branches.size());
    tree.branches.push_back({i, none, 0, 0});
  }
  for (uint32_t i = 0; i < count; ++i) {
    const MergeTree::Node& node = tree.nodes[i];
    if (node.parent == none)
      tree.branches[branch_of[node.leaf]].end = i;
    else if (tree.nodes[node.parent].leaf != node.leaf)
      tree.branches[branch_of[node.leaf]].end = node.parent;
  }
  field.visit([&](const auto& values) {
    for (MergeTree::Branch& branch : tree.branches) {
      branch.birth_value = static_cast<double>(values[tree.nodes[branch.leaf].vertex.index()]);
      branch.death_value = static_cast<double>(values[tree.nodes[branch.end].vertex.index()]);
    }
  });
}

template <class Neighbours>
MergeTree grow(const Neighbours& neighbours, const FieldOrder& order, const CriticalPoints& points,
               const MergeTreeOptions& options) {
  return TreeBuilder({TreeOrder(order, options.kind), options.exec, monitor_of(options.monitor)})
      .run(neighbours, points, options);
}

/// Calls f(neighbours) for a mesh or a grid of either dimension.
template <int Dim, class F>
auto with_neighbours(const SimplexMesh<Dim>& mesh, const F& f) {
  return f(MeshNeighbours<Dim>(mesh));
}
template <class F>
auto with_neighbours(const Grid& grid, const F& f) {
  return GridLattice(grid).dimension == 3 ? f(GridNeighbours<3>(grid)) : f(GridNeighbours<2>(grid));
}

template <class Domain>
MergeTree make_tree(const Domain& domain, const Field& field, const MergeTreeOptions& options) {
  (void)host_only(options.exec, "merge_tree()");
  const CriticalPoints points =
      critical_points(domain, field, {.exec = options.exec, .monitor = options.monitor});
  const FieldOrder order(field, options.exec);
  MergeTreeOptions of_tree = options;
  of_tree.exec = host_for(options.exec, field.size());
  MergeTree tree = with_neighbours(
      domain, [&](const auto& neighbours) { return grow(neighbours, order, points, of_tree); });
  add_branches(tree, field);
  return tree;
}

template <class Domain>
TreePair make_pair(const Domain& domain, const Field& field, const FieldOrder& order,
                   const ContourTreeOptions& options) {
  const CriticalPoints points =
      critical_points(domain, field, {.exec = options.exec, .monitor = options.monitor});
  return with_neighbours(domain, [&](const auto& neighbours) {
    MergeTreeOptions of_tree;
    of_tree.exec = host_for(options.exec, field.size());
    of_tree.monitor = options.monitor;
    TreePair pair;
    pair.join = grow(neighbours, order, points, of_tree);
    of_tree.kind = MergeTreeKind::split;
    pair.split = grow(neighbours, order, points, of_tree);
    return pair;
  });
}

}  // namespace

size_t MergeTree::arc_count() const {
  return static_cast<size_t>(
      std::ranges::count_if(nodes, [](const Node& node) { return node.parent != none; }));
}

template <int Dim>
MergeTree merge_tree(const SimplexMesh<Dim>& mesh, const Field& field, const MergeTreeOptions& options) {
  return make_tree(mesh, field, options);
}
MergeTree merge_tree(const Grid& grid, const Field& field, const MergeTreeOptions& options) {
  return make_tree(grid, field, options);
}

template <int Dim>
TreePair detail::grow_trees(const SimplexMesh<Dim>& mesh, const Field& field, const FieldOrder& order,
                            const ContourTreeOptions& options) {
  return make_pair(mesh, field, order, options);
}
TreePair detail::grow_trees(const Grid& grid, const Field& field, const FieldOrder& order,
                            const ContourTreeOptions& options) {
  return make_pair(grid, field, order, options);
}

template MergeTree merge_tree(const TriMesh&, const Field&, const MergeTreeOptions&);
template MergeTree merge_tree(const TetMesh&, const Field&, const MergeTreeOptions&);
template TreePair detail::grow_trees(const TriMesh&, const Field&, const FieldOrder&,
                                     const ContourTreeOptions&);
template TreePair detail::grow_trees(const TetMesh&, const Field&, const FieldOrder&,
                                     const ContourTreeOptions&);

}  // namespace tessera
