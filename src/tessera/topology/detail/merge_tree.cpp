#include <tessera/topology/merge_tree.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <tessera/core/detail/lowest_bit.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/field_order.h>
#include <tessera/topology/detail/flatten.h>
#include <tessera/topology/detail/grid_cells.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t none = MergeTree::none;

/// The order in which a tree grows: a split tree is the join tree of the field turned over.
class TreeOrder {
 public:
  TreeOrder(const FieldOrder& order, MergeTreeKind kind)
      : order_(&order), turned_(kind == MergeTreeKind::split ? ~VertexOrderKey{0} : 0) {}
  [[nodiscard]] VertexOrderKey operator[](uint32_t v) const { return (*order_)[v] ^ turned_; }
  /// The vertex of a key.
  [[nodiscard]] uint32_t vertex(VertexOrderKey key) const { return static_cast<uint32_t>(key ^ turned_); }

 private:
  const FieldOrder* order_;
  VertexOrderKey turned_;
};

/// Writes the smaller key; threads may meet.
void lower_to(VertexOrderKey& key, VertexOrderKey to) {
  const std::atomic_ref<VertexOrderKey> at(key);
  for (VertexOrderKey known = at.load(std::memory_order_relaxed);
       to < known && !at.compare_exchange_weak(known, to, std::memory_order_relaxed);) {
  }
}

/// Saddles with the leaves of the pieces that may meet there: the place of the saddle above the leaf.
using Meetings = Array<uint64_t>;

// Where vertices lie next to each other: for each the first neighbour in the order of the tree, and the
// leaves behind the neighbours of saddles.

/// By the cells of a mesh: the first of a cell's corners is a neighbour of the others, and every neighbour is
/// in a cell.
template <int Dim>
class MeshNeighbours {
 public:
  explicit MeshNeighbours(const SimplexMesh<Dim>& mesh) : mesh_(&mesh) {}

  [[nodiscard]] Array<uint32_t> find_first(const TreeOrder& order, const Exec& exec) const {
    const size_t n = mesh_->vertex_count();
    Array<VertexOrderKey> first(n);
    host_for_each(exec, n, [&](size_t v) { first[v] = order[static_cast<uint32_t>(v)]; });
    host_for_each(exec, mesh_->cells.size(), [&](size_t c) {
      VertexOrderKey key = ~VertexOrderKey{0};
      for (const VertexId v : mesh_->cells[c]) key = std::min(key, order[v.index()]);
      for (const VertexId v : mesh_->cells[c]) lower_to(first[v.index()], key);
    });
    Array<uint32_t> down(n);
    host_for_each(exec, n, [&](size_t v) {
      const uint32_t to = order.vertex(first[v]);
      down[v] = to == v ? root_entry : to;
    });
    return down;
  }
  /// `leaf_of(v)`: behind v.
  template <class LeafOf>
  [[nodiscard]] Meetings find_meetings(const TreeOrder& order, std::span<const uint32_t> saddles,
                                       const LeafOf& leaf_of, const Exec& exec) const {
    Array<uint32_t> place_of(mesh_->vertex_count(), none);
    host_for_each(exec, saddles.size(),
                  [&](size_t place) { place_of[saddles[place]] = static_cast<uint32_t>(place); });
    std::vector<Meetings> parts(static_cast<size_t>(exec.threads()));
    host::for_each_chunk(exec.threads(), mesh_->cells.size(), 4096, [&](host::Range range, int worker) {
      Meetings& part = parts[static_cast<size_t>(worker)];
      for (size_t c = range.begin; c < range.end; ++c) {
        for (const VertexId v : mesh_->cells[c]) {
          const uint32_t place = place_of[v.index()];
          if (place == none) continue;
          for (const VertexId u : mesh_->cells[c]) {
            if (order[u.index()] < order[v.index()])
              part.push_back(uint64_t{place} << 32 | leaf_of(u.index()));
          }
        }
      }
    });
    Meetings all;
    for (Meetings& part : parts) {
      all.insert(all.end(), part.begin(), part.end());
      part = {};
    }
    return all;
  }

 private:
  const SimplexMesh<Dim>* mesh_;
};

/// By arithmetic.
template <int Dim>
class GridNeighbours {
 public:
  explicit GridNeighbours(const Grid& grid) : cells_(GridLattice(grid)) {}

  [[nodiscard]] Array<uint32_t> find_first(const TreeOrder& order, const Exec& exec) const {
    const GridLattice& lattice = cells_.lattice();
    const uint32_t nx = lattice.dims[0];
    Array<uint32_t> down(cells_.vertex_count());
    host_for_each(exec, lattice.rows(), [&](size_t row) {
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
    });
    return down;
  }
  template <class LeafOf>
  [[nodiscard]] Meetings find_meetings(const TreeOrder& order, std::span<const uint32_t> saddles,
                                       const LeafOf& leaf_of, const Exec& exec) const {
    std::vector<Meetings> parts(static_cast<size_t>(exec.threads()));
    host::for_each_chunk(exec.threads(), saddles.size(), 1024, [&](host::Range range, int worker) {
      Meetings& part = parts[static_cast<size_t>(worker)];
      for (size_t place = range.begin; place < range.end; ++place) {
        const uint32_t v = saddles[place];
        for (uint32_t left = cells_.around(v).present; left != 0; left &= left - 1) {
          const uint32_t u = cells_.neighbour(v, lowest_bit(left));
          if (order[u] < order[v]) part.push_back(uint64_t{place} << 32 | leaf_of(u));
        }
      }
    });
    Meetings all;
    for (Meetings& part : parts) {
      all.insert(all.end(), part.begin(), part.end());
      part = {};
    }
    return all;
  }

 private:
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
  TreeBuilder(const TreeOrder& order, const Exec& exec, const Monitor& monitor)
      : order_(order), exec_(exec), monitor_(monitor) {}

  template <class Neighbours>
  MergeTree run(const Neighbours& neighbours, const CriticalPoints& points, const MergeTreeOptions& options) {
    find_leaves(neighbours);
    report(0.4);
    find_saddles(points, options.kind);
    meetings_ = neighbours.find_meetings(
        order_, saddles_, [&](uint32_t v) { return leaf_of_[v]; }, exec_);
    sort_keys<uint64_t>(exec_, meetings_);
    report(0.6);
    join_pieces();
    add_roots();
    report(0.7);
    number_nodes();
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
    leaf_of_ = neighbours.find_first(order_, exec_);
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

  /// In the order of the tree. Where the lower link is one piece, its leaves have met before.
  void find_saddles(const CriticalPoints& points, MergeTreeKind kind) {
    Array<VertexOrderKey> keys;
    for (const CriticalPoint& point : points.points) {
      const uint32_t pieces = kind == MergeTreeKind::join ? point.lower_pieces : point.upper_pieces;
      if (pieces > 1) keys.push_back(order_[point.vertex.index()]);
    }
    sort_keys<uint64_t>(exec_, keys);
    saddles_.resize(keys.size());
    host_for_each(exec_, keys.size(), [&](size_t i) { saddles_[i] = order_.vertex(keys[i]); });
  }

  void join_pieces() {
    pieces_ = Pieces(leaves_.size());
    top_.resize(leaves_.size());
    for (uint32_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      found_.push_back({order_[leaves_[leaf]], none, leaf});
      top_[leaf] = leaf;
    }
    std::vector<uint32_t> meeting;
    for (size_t i = 0; i < meetings_.size();) {
      const uint64_t saddle = meetings_[i] >> 32;
      meeting.clear();
      for (; i < meetings_.size() && meetings_[i] >> 32 == saddle; ++i) {
        const uint32_t piece = pieces_.find(static_cast<uint32_t>(meetings_[i]));
        if (std::ranges::find(meeting, piece) == meeting.end()) meeting.push_back(piece);
      }
      if (meeting.size() > 1) join_at(order_[saddles_[saddle]], meeting);
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
    host_for_each(exec_, leaf_of_.size(), [&](size_t v) {
      const VertexOrderKey key = order_[static_cast<uint32_t>(v)];
      const std::atomic_ref<VertexOrderKey> at(last[component[leaf_of_[v]]]);
      for (VertexOrderKey known = at.load(std::memory_order_relaxed);
           known < key && !at.compare_exchange_weak(known, key, std::memory_order_relaxed);) {
      }
    });
    for (uint32_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      if (component[leaf] != leaf || found_[top_[leaf]].key == last[leaf]) continue;
      found_[top_[leaf]].parent = static_cast<uint32_t>(found_.size());
      events_.push_back({leaf, static_cast<uint32_t>(found_.size())});
      found_.push_back({last[leaf], none, found_[top_[leaf]].leaf});
    }
  }

  void number_nodes() {
    const size_t count = found_.size();
    if (count >= none)
      throw Error(ErrorCode::unsupported, "a merge tree of " + std::to_string(count) + " nodes is too large");
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
    host::for_each_chunk(exec_.threads(), leaf_of_.size(), 4096, [&](host::Range range, int) {
      uint32_t last = none;  // neighbours mostly have the same label
      uint32_t count = 0;
      const auto add = [&] {
        if (last != none) std::atomic_ref(tree_.nodes[last].size).fetch_add(count, std::memory_order_relaxed);
      };
      for (size_t v = range.begin; v < range.end; ++v) {
        const uint32_t label = tree_.labels[v] = label_of(v);
        if (label != last) {
          add();
          last = label;
          count = 0;
        }
        ++count;
      }
      add();
    });
  }

  TreeOrder order_;
  Exec exec_;
  const Monitor& monitor_;
  MergeTree tree_;
  Array<uint32_t> leaf_of_;  ///< by vertex: that of the steepest way
  Array<uint32_t> leaves_;   ///< vertices
  Array<uint32_t> saddles_;  ///< vertices that may be nodes
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
MergeTree grow(const Neighbours& neighbours, const Field& field, const CriticalPoints& points,
               const MergeTreeOptions& options) {
  const Monitor& monitor = monitor_of(options.monitor);
  const FieldOrder order(field, options.exec);
  MergeTree tree = TreeBuilder(TreeOrder(order, options.kind), host_for(options.exec, field.size()), monitor)
                       .run(neighbours, points, options);
  add_branches(tree, field);
  return tree;
}

}  // namespace

size_t MergeTree::arc_count() const {
  return static_cast<size_t>(
      std::ranges::count_if(nodes, [](const Node& node) { return node.parent != none; }));
}

template <int Dim>
MergeTree merge_tree(const SimplexMesh<Dim>& mesh, const Field& field, const MergeTreeOptions& options) {
  (void)host_only(options.exec, "merge_tree()");
  const CriticalPoints points =
      critical_points(mesh, field, {.exec = options.exec, .monitor = options.monitor});
  return grow(MeshNeighbours<Dim>(mesh), field, points, options);
}

MergeTree merge_tree(const Grid& grid, const Field& field, const MergeTreeOptions& options) {
  (void)host_only(options.exec, "merge_tree()");
  const CriticalPoints points =
      critical_points(grid, field, {.exec = options.exec, .monitor = options.monitor});
  return GridLattice(grid).dimension == 3 ? grow(GridNeighbours<3>(grid), field, points, options)
                                          : grow(GridNeighbours<2>(grid), field, points, options);
}

template MergeTree merge_tree(const TriMesh&, const Field&, const MergeTreeOptions&);
template MergeTree merge_tree(const TetMesh&, const Field&, const MergeTreeOptions&);

}  // namespace tessera
