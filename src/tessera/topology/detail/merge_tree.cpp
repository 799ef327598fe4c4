#include <tessera/topology/merge_tree.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/detail/lowest_bit.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/exec/detail/host/atomic_bounds.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/count_labels.h>
#include <tessera/topology/detail/field_order.h>
#include <tessera/topology/detail/flatten.h>
#include <tessera/topology/detail/grid_cells.h>
#include <tessera/topology/detail/grow_tree.h>
#include <tessera/topology/detail/key_search.h>

namespace tessera {

using namespace detail;
namespace {

using std::int32_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t none = MergeTree::none;

/// Two leaves whose pieces meet at a vertex, or have met before.
struct Meeting {
  VertexOrderKey key;  ///< of the vertex
  uint32_t a;
  uint32_t b;
};
using Meetings = Array<Meeting>;

/// What a tree is grown with.
struct Growth {
  TreeOrder order;
  Exec exec;
  const Monitor& monitor;
};

/// For each pair of leaves the first vertex where their pieces meet, of those that were added. A table with
/// open addresses.
class FirstMeetings {
 public:
  void add(uint32_t a, uint32_t b, VertexOrderKey key) {
    const uint64_t pair = a < b ? uint64_t{a} << 32 | b : uint64_t{b} << 32 | a;
    Entry& entry = find(pair);
    if (entry.pair == nothing) {
      entry.pair = pair;
      entry.key = key;
      if (++count_ * 2 > entries_.size()) grow();
    } else if (key < entry.key) {
      entry.key = key;
    }
  }
  void add_all(const FirstMeetings& other) {
    for (const Entry& entry : other.entries_) {
      if (entry.pair == nothing) continue;
      add(static_cast<uint32_t>(entry.pair >> 32), static_cast<uint32_t>(entry.pair), entry.key);
    }
  }
  [[nodiscard]] Meetings list() const {
    Meetings meetings;
    meetings.reserve(count_);
    for (const Entry& entry : entries_) {
      if (entry.pair == nothing) continue;
      meetings.push_back(
          {entry.key, static_cast<uint32_t>(entry.pair >> 32), static_cast<uint32_t>(entry.pair)});
    }
    return meetings;
  }

 private:
  static constexpr uint64_t nothing = ~uint64_t{0};
  struct Entry {
    uint64_t pair = nothing;
    VertexOrderKey key = 0;
  };
  [[nodiscard]] Entry& find(uint64_t pair) {
    const size_t mask = entries_.size() - 1;
    for (size_t at = splitmix64(pair) & mask;; at = (at + 1) & mask) {
      if (entries_[at].pair == pair || entries_[at].pair == nothing) return entries_[at];
    }
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.pair != nothing) find(entry.pair) = entry;
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(1 << 10);
  size_t count_ = 0;
};

// Where vertices lie next to each other: for each the first neighbour in the order of the tree, and where
// pieces that are known by their leaves meet.

/// By the cells of a mesh: every neighbour is in a cell.
template <int Dim>
class MeshNeighbours {
 public:
  MeshNeighbours(const SimplexMesh<Dim>& mesh, const Growth& growth) : mesh_(&mesh), growth_(growth) {}

  /// The first of a cell's corners is a neighbour of the others.
  [[nodiscard]] Array<uint32_t> find_first() const {
    const size_t n = mesh_->vertex_count();
    const TreeOrder& order = growth_.order;
    Array<VertexOrderKey> first(n);
    host_for_each(growth_.exec, n, [&](size_t v) { first[v] = order[static_cast<uint32_t>(v)]; });
    host::for_each_until_stopped(growth_.exec, growth_.monitor, mesh_->cells.size(), [&](size_t c) {
      VertexOrderKey key = ~VertexOrderKey{0};
      for (const VertexId v : mesh_->cells[c]) key = std::min(key, order[v.index()]);
      for (const VertexId v : mesh_->cells[c]) host::lower_to(first[v.index()], key);
    });
    Array<uint32_t> down(n);
    host_for_each(growth_.exec, n, [&](size_t v) {
      const uint32_t to = order.vertex(first[v]);
      down[v] = to == v ? root_entry : to;
    });
    return down;
  }
  /// By the edges between vertices of different leaves: of all those between two leaves only the first
  /// matters.
  [[nodiscard]] Meetings find_meetings(const Array<uint32_t>& leaf_of, MergeTreeKind) const {
    auto tables = host::walk(
        mesh_->cells.size(), {growth_.exec, growth_.monitor, 4096}, [](int) { return FirstMeetings(); },
        [&](FirstMeetings& table, size_t c) { add_meetings(mesh_->cells[c], leaf_of, table); });
    FirstMeetings all;
    for (auto& table : tables) {
      if (table == nullptr) continue;
      all.add_all(*table);
      table.reset();
      growth_.monitor.update("growing the tree", 0.5);
    }
    return all.list();
  }

 private:
  void add_meetings(const typename SimplexMesh<Dim>::Cell& cell, const Array<uint32_t>& leaf_of,
                    FirstMeetings& table) const {
    std::array<uint32_t, Dim + 1> leaves;
    bool is_mixed = false;
    for (size_t i = 0; i <= Dim; ++i) {
      leaves[i] = leaf_of[cell[i].index()];
      is_mixed = is_mixed || leaves[i] != leaves[0];
    }
    if (!is_mixed) return;
    for (size_t i = 1; i <= Dim; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (leaves[i] == leaves[j]) continue;
        table.add(leaves[i], leaves[j],
                  std::max(growth_.order[cell[i].index()], growth_.order[cell[j].index()]));
      }
    }
  }

  const SimplexMesh<Dim>* mesh_;
  Growth growth_;
};

/// By arithmetic, and by critical points, which cost little on a grid: pieces meet where the lower link has
/// several.
template <int Dim>
class GridNeighbours {
 public:
  GridNeighbours(const GridLattice& lattice, const CriticalPoints& points, const Growth& growth)
      : cells_(lattice), points_(&points), growth_(growth) {}

  [[nodiscard]] Array<uint32_t> find_first() const {
    Array<uint32_t> down(cells_.vertex_count());
    (void)host::walk(
        cells_.lattice().rows(), {growth_.exec, growth_.monitor}, [](int) { return Row(); },
        [&](Row& scratch, size_t row) { find_first_in_row(row, scratch, down); });
    return down;
  }
  [[nodiscard]] Meetings find_meetings(const Array<uint32_t>& leaf_of, MergeTreeKind kind) const {
    const auto lists = host::walk(
        points_->points.size(), {growth_.exec, growth_.monitor, 1024}, [](int) { return Meetings(); },
        [&](Meetings& list, size_t i) {
          const CriticalPoint& point = points_->points[i];
          const uint32_t pieces = kind == MergeTreeKind::join ? point.lower_pieces : point.upper_pieces;
          if (pieces > 1) add_meetings(point.vertex.index(), leaf_of, list);
        });
    Meetings all;
    for (const auto& list : lists) {
      if (list != nullptr) all.insert(all.end(), list->begin(), list->end());
    }
    return all;
  }

 private:
  void add_meetings(uint32_t v, const Array<uint32_t>& leaf_of, Meetings& list) const {
    const VertexOrderKey key = growth_.order[v];
    std::array<uint32_t, grid_neighbours> leaves;
    size_t count = 0;
    for (uint32_t left = cells_.around(v).present; left != 0; left &= left - 1) {
      const uint32_t u = cells_.neighbour(v, lowest_bit(left));
      if (growth_.order[u] < key) leaves[count++] = leaf_of[u];
    }
    const auto end = leaves.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(leaves.begin(), end);
    const auto last = std::unique(leaves.begin(), end);
    for (auto leaf = leaves.begin() + 1; leaf < last; ++leaf) list.push_back({key, leaves[0], *leaf});
  }

  /// So many vertices of a row at a time as stay in a core's first cache.
  static constexpr uint32_t block = 1024;
  struct Row {
    std::array<int32_t, block> value;  ///< of the first neighbour so far
    std::array<int32_t, block> step;   ///< ... from the vertex
  };
  void find_first_in_row(size_t row, Row& scratch, Array<uint32_t>& down) const {
    const GridLattice& lattice = cells_.lattice();
    const uint32_t nx = lattice.dims[0];
    const auto y = static_cast<uint32_t>(row % lattice.dims[1]);
    const auto z = static_cast<uint32_t>(row / lattice.dims[1]);
    const auto begin = static_cast<uint32_t>(row * nx);
    // Only the ends of the row have other neighbours.
    for (uint32_t x = 0; x < nx;) {
      const uint32_t count = x == 0 || x + 1 == nx ? 1 : std::min(block, nx - 1 - x);
      find_first_of(begin + x, count, cells_.places().at(x, y, z), scratch);
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t v = begin + x + i;
        down[v] = scratch.step[i] == 0 ? root_entry : v + static_cast<uint32_t>(scratch.step[i]);
      }
      x += count;
    }
  }
  /// Of `count` vertices of the same kind of place. Neighbours come in the order of their ids, with the
  /// vertex among them, so that of equal values the first one stays.
  void find_first_of(uint32_t v, uint32_t count, const GridPlace& place, Row& row) const {
    bool is_first = true;
    const auto look_at = [&](int32_t step) {
      const SignedValues values = growth_.order.values_from(v + static_cast<uint32_t>(step));
      int32_t* const best = row.value.data();
      int32_t* const step_to = row.step.data();
      if (std::exchange(is_first, false)) {
        for (uint32_t i = 0; i < count; ++i) best[i] = values[i];
        std::fill_n(step_to, count, step);
        return;
      }
      for (uint32_t i = 0; i < count; ++i) {
        const int32_t value = values[i];
        const bool is_better = value < best[i];
        best[i] = is_better ? value : best[i];
        step_to[i] = is_better ? step : step_to[i];
      }
    };
    for (size_t i = 0; i < place.by_id.size(); ++i) {
      const uint32_t k = place.by_id[growth_.order.is_turned() ? place.by_id.size() - 1 - i : i];
      if (k == GridPlace::itself)
        look_at(0);
      else if ((place.present >> k & 1) != 0)
        look_at(static_cast<int32_t>(place.steps[k]));
    }
  }

  GridCells<Dim> cells_;
  const CriticalPoints* points_;
  Growth growth_;
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
      : order_(growth.order), exec_(growth.exec), monitor_(growth.monitor) {}

  template <class Neighbours>
  GrownTree run(const Neighbours& neighbours, const MergeTreeOptions& options) {
    find_leaves(neighbours);
    report(0.4);
    Meetings meetings = neighbours.find_meetings(leaf_of_, options.kind);
    report(0.6);
    join_pieces(std::move(meetings));
    report(0.8);
    add_roots();
    number_nodes();
    report(0.9);
    if (options.labels) label_vertices();
    tree_.kind = options.kind;
    numbers_.resize(leaves_.size());
    report(1);
    return {std::move(tree_), std::move(leaf_of_), std::move(numbers_)};
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
    leaf_of_ = neighbours.find_first();
    report(0.2);
    flatten(leaf_of_, exec_);
    report(0.3);
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

  void join_pieces(Meetings meetings) {
    pieces_ = Pieces(leaves_.size());
    top_.resize(leaves_.size());
    for (uint32_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      found_.push_back({order_[leaves_[leaf]], none, leaf});
      top_[leaf] = leaf;
    }
    const size_t count = meetings.size();
    if (count >= none)
      throw Error(ErrorCode::unsupported, "the pieces of the field meet in too many places for a merge tree");
    Array<VertexOrderKey> keys(count);
    Array<uint32_t> sorted(count);
    host_for_each(exec_, count, [&](size_t i) {
      keys[i] = meetings[i].key;
      sorted[i] = static_cast<uint32_t>(i);
    });
    sort_pairs<uint64_t, uint32_t>(exec_, keys, sorted);
    std::vector<uint32_t> meeting;
    size_t next_look = 0;
    for (size_t i = 0; i < count;) {
      if (i >= next_look) {
        report(0.6 + 0.2 * static_cast<double>(i) / static_cast<double>(count));
        next_look = i + (1 << 16);
      }
      const VertexOrderKey time = keys[i];
      meeting.clear();
      for (; i < count && keys[i] == time; ++i) {
        const Meeting& one = meetings[sorted[i]];
        const uint32_t a = pieces_.find(one.a);
        const uint32_t b = pieces_.find(one.b);
        if (a != b) meeting.insert(meeting.end(), {a, b});
      }
      if (meeting.empty()) continue;
      std::ranges::sort(meeting);
      meeting.erase(std::unique(meeting.begin(), meeting.end()), meeting.end());
      join_at(time, meeting);
    }
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
    Array<VertexOrderKey> times(events_.size());
    Array<uint32_t> labels(events_.size());
    Array<uint32_t> next(begins.begin(), begins.end() - 1);
    for (const auto& [leaf, node] : events_) {  // in the order of time
      times[next[leaf]] = found_[node].key;
      labels[next[leaf]++] = numbers_[node];
    }
    const KeySearch search(std::move(times), begins);
    tree_.labels.resize(leaf_of_.size());
    host::for_each_until_stopped(exec_, monitor_, leaf_of_.size(), [&](size_t v) {
      const VertexOrderKey time = order_[static_cast<uint32_t>(v)];
      const uint32_t piece = pieces_.find(leaf_of_[v], time);
      const uint32_t before = search.count_up_to(piece, time);
      tree_.labels[v] = before == 0 ? numbers_[piece] : labels[search.begin(piece) + before - 1];
    });
    report(0.95);
    count_labels(exec_, tree_.labels, none,
                 [&](uint32_t node) -> uint32_t& { return tree_.nodes[node].size; });
  }

  TreeOrder order_;
  Exec exec_;
  const Monitor& monitor_;
  MergeTree tree_;
  Array<uint32_t> leaf_of_;  ///< by vertex: that of the steepest way
  Array<uint32_t> leaves_;   ///< vertices
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
GrownTree grow(const Neighbours& neighbours, const Growth& growth, const MergeTreeOptions& options) {
  return TreeBuilder(growth).run(neighbours, options);
}

/// Calls f(make), where make(growth) makes the neighbours that trees are grown with. Whatever is wrong with
/// the field is noticed before.
template <int Dim, class F>
auto with_neighbours(const SimplexMesh<Dim>& mesh, const Field& field, const MergeTreeOptions& options,
                     const F& f) {
  (void)field;
  refuse_periodic(options);
  return f([&](const Growth& growth) { return MeshNeighbours<Dim>(mesh, growth); });
}
template <class F>
auto with_neighbours(const Grid& grid, const Field& field, const MergeTreeOptions& options, const F& f) {
  const CriticalPoints points = critical_points(
      grid, field, {.exec = options.exec, .monitor = options.monitor, .periodic = options.periodic});
  const GridLattice lattice(grid, options.periodic);
  return lattice.dimension == 3
             ? f([&](const Growth& growth) { return GridNeighbours<3>(lattice, points, growth); })
             : f([&](const Growth& growth) { return GridNeighbours<2>(lattice, points, growth); });
}

template <class Domain>
GrownTree grow_one(const Domain& domain, const Field& field, const FieldOrder& order,
                   const MergeTreeOptions& options) {
  return with_neighbours(domain, field, options, [&](const auto& make) {
    const Growth growth{TreeOrder(order, options.kind), host_for(options.exec, field.size()),
                        monitor_of(options.monitor)};
    GrownTree grown = grow(make(growth), growth, options);
    add_branches(grown.tree, field);
    return grown;
  });
}

template <class Domain>
TreePair grow_both(const Domain& domain, const Field& field, const FieldOrder& order,
                   const ContourTreeOptions& options) {
  const MergeTreeOptions of_tree{
      .exec = options.exec, .monitor = options.monitor, .periodic = options.periodic};
  return with_neighbours(domain, field, of_tree, [&](const auto& make) {
    const auto grow_kind = [&](MergeTreeKind kind) {
      const Growth growth{TreeOrder(order, kind), host_for(options.exec, field.size()),
                          monitor_of(options.monitor)};
      MergeTreeOptions of_kind = of_tree;
      of_kind.kind = kind;
      return grow(make(growth), growth, of_kind).tree;
    };
    TreePair pair;
    pair.join = grow_kind(MergeTreeKind::join);
    pair.split = grow_kind(MergeTreeKind::split);
    return pair;
  });
}

template <class Domain>
MergeTree make_tree(const Domain& domain, const Field& field, const MergeTreeOptions& options) {
  (void)host_only(options.exec, "merge_tree()");
  check_domain(domain, field);
  const FieldOrder order(field, options.exec);
  return grow_one(domain, field, order, options).tree;
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
  return grow_both(mesh, field, order, options);
}
TreePair detail::grow_trees(const Grid& grid, const Field& field, const FieldOrder& order,
                            const ContourTreeOptions& options) {
  return grow_both(grid, field, order, options);
}

template <int Dim>
GrownTree detail::grow_tree(const SimplexMesh<Dim>& mesh, const Field& field, const FieldOrder& order,
                            const MergeTreeOptions& options) {
  return grow_one(mesh, field, order, options);
}
GrownTree detail::grow_tree(const Grid& grid, const Field& field, const FieldOrder& order,
                            const MergeTreeOptions& options) {
  return grow_one(grid, field, order, options);
}

template MergeTree merge_tree(const TriMesh&, const Field&, const MergeTreeOptions&);
template MergeTree merge_tree(const TetMesh&, const Field&, const MergeTreeOptions&);
template TreePair detail::grow_trees(const TriMesh&, const Field&, const FieldOrder&,
                                     const ContourTreeOptions&);
template TreePair detail::grow_trees(const TetMesh&, const Field&, const FieldOrder&,
                                     const ContourTreeOptions&);

template GrownTree detail::grow_tree(const TriMesh&, const Field&, const FieldOrder&,
                                     const MergeTreeOptions&);
template GrownTree detail::grow_tree(const TetMesh&, const Field&, const FieldOrder&,
                                     const MergeTreeOptions&);

}  // namespace tessera
