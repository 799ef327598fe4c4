#include <tessera/topology/simplify_field.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/atomic_bounds.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/field_order.h>
#include <tessera/topology/detail/grid_cells.h>
#include <tessera/topology/detail/grow_tree.h>
#include <tessera/topology/detail/region_order.h>
#include <tessera/topology/detail/sortable.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t none = MergeTree::none;

/// The neighbours of some vertices of a mesh.
template <int Dim>
class MeshRows {
 public:
  /// Of those that are flagged. `vertices` are they, ascending.
  MeshRows(const SimplexMesh<Dim>& mesh, const Array<uint8_t>& flags, const Array<uint32_t>& vertices,
           const Exec& exec)
      : row_of_(mesh.vertex_count()), begins_(vertices.size() + 1) {
    host_for_each(exec, vertices.size(), [&](size_t i) { row_of_[vertices[i]] = static_cast<uint32_t>(i); });
    Array<uint64_t> counts(vertices.size(), 0);
    const auto for_each_corner = [&](const auto& f) {
      host_for_each(exec, mesh.cells.size(), [&](size_t c) {
        for (const VertexId v : mesh.cells[c]) {
          if (flags[v.index()] != 0) f(row_of_[v.index()], v, mesh.cells[c]);
        }
      });
    };
    for_each_corner([&](uint32_t row, VertexId, const auto&) {
      std::atomic_ref(counts[row]).fetch_add(Dim, std::memory_order_relaxed);
    });
    exclusive_scan<uint64_t, uint64_t>(exec, counts, begins_);
    neighbours_.resize(begins_[vertices.size()]);
    host_for_each(exec, counts.size(), [&](size_t row) { counts[row] = begins_[row]; });
    for_each_corner([&](uint32_t row, VertexId v, const auto& cell) {
      uint64_t place = std::atomic_ref(counts[row]).fetch_add(Dim, std::memory_order_relaxed);
      const uint64_t end = place + Dim;
      for (const VertexId u : cell) {
        if (u != v) neighbours_[place++] = u.index();
      }
      while (place < end) neighbours_[place++] = v.index();  // a corner that the cell names twice
    });
    ends_.resize(vertices.size());
    host_for_each(exec, ends_.size(), [&](size_t row) {
      const auto begin = neighbours_.begin() + static_cast<std::ptrdiff_t>(begins_[row]);
      const auto end = neighbours_.begin() + static_cast<std::ptrdiff_t>(begins_[row + 1]);
      std::sort(begin, end);
      ends_[row] = static_cast<uint64_t>(std::unique(begin, end) - neighbours_.begin());
    });
  }
  /// Calls f(neighbour), ascending.
  template <class F>
  void for_each(uint32_t v, const F& f) const {
    const uint32_t row = row_of_[v];
    for (uint64_t i = begins_[row]; i < ends_[row]; ++i) {
      if (neighbours_[i] != v) f(neighbours_[i]);
    }
  }

 private:
  Array<uint32_t> row_of_;
  Array<uint64_t> begins_;
  Array<uint64_t> ends_;
  Array<uint32_t> neighbours_;
};

template <int Dim>
class GridRows {
 public:
  explicit GridRows(const GridLattice& lattice) : cells_(lattice) {}
  /// Likewise.
  template <class F>
  void for_each(uint32_t v, const F& f) const {
    const GridPlace& place = cells_.place(v);
    for (const uint8_t k : place.by_id) {
      if (k != GridPlace::itself && (place.present >> k & 1) != 0)
        f(v + static_cast<uint32_t>(place.steps[k]));
    }
  }

 private:
  GridCells<Dim> cells_;
};

template <int Dim, class F>
void with_rows(const SimplexMesh<Dim>& mesh, const PeriodicAxes&, const Array<uint8_t>& flags,
               const Array<uint32_t>& vertices, const Exec& exec, const F& f) {
  f(MeshRows<Dim>(mesh, flags, vertices, exec));
}
template <class F>
void with_rows(const Grid& grid, const PeriodicAxes& periodic, const Array<uint8_t>&, const Array<uint32_t>&,
               const Exec&, const F& f) {
  const GridLattice lattice(grid, periodic);
  lattice.dimension == 3 ? f(GridRows<3>(lattice)) : f(GridRows<2>(lattice));
}

/// The vertices of leaves that persist so long, and of the oldest one of each component.
Array<VertexId> persistent_leaves(const MergeTree& tree, double threshold) {
  Array<VertexId> leaves;
  for (const MergeTree::Branch& branch : tree.branches) {
    if (branch.persistence() >= threshold || tree.nodes[branch.end].leaf == branch.leaf)
      leaves.push_back(tree.nodes[branch.leaf].vertex);
  }
  return leaves;
}

const char* name_of(MergeTreeKind kind) {
  return kind == MergeTreeKind::join ? "minimum" : "maximum";
}

/// The pieces of a merge tree that no chosen leaf is in, as large as they can be.
struct Regions {
  Array<uint32_t> of_node;   ///< none: it stays
  Array<uint32_t> exits;     ///< by region: the vertex where it ends
  Array<uint32_t> begins;    ///< of its vertices
  Array<uint32_t> vertices;  ///< ascending in each; later in their new order
};

/// How many steps there are in double between two values that follow each other in a type.
template <class T>
constexpr uint32_t room_of() {
  if constexpr (std::is_same_v<T, float>) return (1u << 29) - 1;
  if constexpr (sizeof(T) == 4) return (1u << 20) - 1;
  return std::numeric_limits<uint32_t>::max() - 1;
}

/// The field while it is changed: vertex v lies at the value of vertex source[v], `steps[v]` steps above it.
/// Vertices are ordered by (base, steps, id).
struct Levels {
  Array<uint32_t> base;  ///< compares like the value
  Array<uint32_t> steps;
  Array<uint32_t> source;
};

template <class Domain>
class FieldSimplifier {
 public:
  FieldSimplifier(const Domain& domain, const Field& field, const SimplifyFieldOptions& options)
      : domain_(domain),
        field_(field),
        options_(options),
        monitor_(monitor_of(options.monitor)),
        exec_(host_for(options.exec, field.size())),
        order_(field, exec_) {}

  SimplifiedField run(const ChosenExtrema& keep) {
    return flatten_both(keep, grow(MergeTreeKind::split, field_, order_), nullptr);
  }
  /// Both trees tell which extrema persist; one of them is grown again if the other changes the field.
  SimplifiedField run(double threshold) {
    GrownTree split = grow(MergeTreeKind::split, field_, order_);
    GrownTree join = grow(MergeTreeKind::join, field_, order_);
    const ChosenExtrema keep = {persistent_leaves(join.tree, threshold),
                                persistent_leaves(split.tree, threshold)};
    return flatten_both(keep, std::move(split), &join);
  }

 private:
  /// `join`: of the field as it was, if it is known.
  SimplifiedField flatten_both(const ChosenExtrema& keep, GrownTree split, GrownTree* join) {
    flatten(split, order_, keep);
    split = {};
    if (is_changed_) {
      if (join != nullptr) *join = {};
      const Field ranks = make_ranks();
      const FieldOrder order(ranks, exec_);
      flatten(grow(MergeTreeKind::join, ranks, order), order, keep);
    } else {
      flatten(join != nullptr ? *join : grow(MergeTreeKind::join, field_, order_), order_, keep);
    }
    SimplifiedField result{Field(field_.name(), ScalarType::f64, 0)};
    make_values(result);
    return result;
  }
  [[nodiscard]] GrownTree grow(MergeTreeKind kind, const Field& field, const FieldOrder& order) const {
    return grow_tree(domain_, field, order,
                     {.kind = kind,
                      .labels = false,
                      .exec = options_.exec,
                      .monitor = options_.monitor,
                      .periodic = options_.periodic});
  }

  void flatten(const GrownTree& grown, const FieldOrder& order, const ChosenExtrema& keep) {
    const bool is_join = grown.tree.kind == MergeTreeKind::join;
    Regions regions = find_regions(grown.tree, is_join ? keep.minima : keep.maxima);
    if (regions.exits.empty()) return;
    monitor_.update("flattening", 0.2);
    if (!is_changed_) set_levels();
    list_vertices(grown, TreeOrder(order, grown.tree.kind), regions);
    if (is_join) refuse_lost_maxima(keep.maxima);
    sort_regions(grown.tree.kind, regions);
    monitor_.update("flattening", 0.7);
    place_regions(grown.tree.kind, regions);
    monitor_.update("flattening", 1);
    is_changed_ = true;
  }
  /// Minima that lie in a piece which was lowered are missed by find_kept().
  void refuse_lost_maxima(const Array<VertexId>& maxima) const {
    for (const VertexId v : maxima) {
      if (is_inside_[v.index()] == 0) continue;
      throw Error(ErrorCode::bad_option,
                  "vertex " + std::to_string(v.index()) +
                      " cannot be kept as a maximum: it lies in the piece of a minimum that goes");
    }
  }

  void set_levels() {
    const size_t n = field_.size();
    levels_.base.resize(n);
    levels_.steps.assign(n, 0);
    levels_.source.resize(n);
    host_for_each(exec_, n, [&](size_t v) {
      levels_.base[v] = order_.value(static_cast<uint32_t>(v));
      levels_.source[v] = static_cast<uint32_t>(v);
    });
  }

  /// The order of the changed field, as a field.
  Field make_ranks() const {
    const Array<uint32_t> sorted = sort_vertices();
    monitor_.update("flattening", 1);
    Field ranks("order", ScalarType::u32, sorted.size());
    const auto values = ranks.as<uint32_t>();
    host_for_each(exec_, sorted.size(), [&](size_t i) { values[sorted[i]] = static_cast<uint32_t>(i); });
    return ranks;
  }
  [[nodiscard]] Array<uint32_t> sort_vertices() const {
    const size_t n = field_.size();
    Array<uint64_t> keys(n);
    Array<uint32_t> ids(n);
    host_for_each(exec_, n, [&](size_t v) {
      keys[v] = uint64_t{levels_.base[v]} << 32 | levels_.steps[v];
      ids[v] = static_cast<uint32_t>(v);
    });
    sort_pairs<uint64_t, uint32_t>(exec_, keys, ids);
    return ids;
  }

  /// Which nodes have a chosen leaf behind them. Error(bad_option) for a vertex that is no leaf.
  [[nodiscard]] Array<uint8_t> find_kept(const MergeTree& tree, const Array<VertexId>& chosen) const {
    Array<uint8_t> is_chosen(field_.size(), 0);
    for (const VertexId v : chosen) {
      if (v.index() >= field_.size()) {
        throw Error(ErrorCode::bad_option, "there is no vertex " + std::to_string(v.index()) +
                                               ", which is to be kept as a " + name_of(tree.kind));
      }
      is_chosen[v.index()] = 1;
    }
    Array<uint8_t> is_kept(tree.nodes.size(), 0);
    size_t found = 0;
    for (uint32_t node = 0; node < is_kept.size(); ++node) {
      const uint8_t is_here = tree.is_leaf(node) ? is_chosen[tree.nodes[node].vertex.index()] : 0;
      found += is_here;
      is_kept[node] |= is_here;
      if (!tree.is_root(node)) is_kept[tree.nodes[node].parent] |= is_kept[node];
    }
    const auto count = static_cast<size_t>(std::ranges::count(is_chosen, 1));
    if (found == count) return is_kept;
    for (uint32_t node = 0; node < is_kept.size(); ++node) {
      if (tree.is_leaf(node)) is_chosen[tree.nodes[node].vertex.index()] = 0;
    }
    const auto first = static_cast<size_t>(std::ranges::find(is_chosen, 1) - is_chosen.begin());
    throw Error(
        ErrorCode::bad_option,
        "vertex " + std::to_string(first) + " cannot be kept as a " + name_of(tree.kind) +
            (is_changed_ ? ": it lies in the piece of a maximum that goes, or it is none" : ": it is none"));
  }

  [[nodiscard]] Regions find_regions(const MergeTree& tree, const Array<VertexId>& chosen) const {
    const Array<uint8_t> is_kept = find_kept(tree, chosen);
    Regions regions;
    regions.of_node.resize(tree.nodes.size());
    for (auto node = static_cast<uint32_t>(tree.nodes.size()); node-- > 0;) {
      regions.of_node[node] = none;
      if (is_kept[node] != 0) continue;
      if (tree.is_root(node)) {
        if (tree.is_leaf(node)) continue;  // an isolated vertex
        throw Error(ErrorCode::bad_option, std::string("no ") + name_of(tree.kind) +
                                               " is kept in the component of vertex " +
                                               std::to_string(tree.nodes[node].vertex.index()));
      }
      const uint32_t parent = tree.nodes[node].parent;
      if (is_kept[parent] == 0) {
        regions.of_node[node] = regions.of_node[parent];
      } else {
        regions.of_node[node] = static_cast<uint32_t>(regions.exits.size());
        regions.exits.push_back(tree.nodes[parent].vertex.index());
      }
    }
    return regions;
  }

  /// The vertices of the regions, by region. The way to the first neighbour never leaves a region, so a
  /// vertex is in that of its leaf if it comes before the exit.
  void list_vertices(const GrownTree& grown, const TreeOrder& order, Regions& regions) {
    const size_t n = field_.size();
    Array<uint32_t> of_leaf(grown.leaf_nodes.size());
    for (size_t leaf = 0; leaf < of_leaf.size(); ++leaf)
      of_leaf[leaf] = regions.of_node[grown.leaf_nodes[leaf]];
    is_inside_.resize(n);
    host_for_each(exec_, n, [&](size_t v) {
      const uint32_t region = of_leaf[grown.leaf_of[v]];
      is_inside_[v] =
          region != none && order[static_cast<uint32_t>(v)] < order[regions.exits[region]] ? 1 : 0;
    });
    inside_.resize(n);
    inside_.resize(compact_indices(exec_, is_inside_, inside_));
    const size_t count = inside_.size();
    Array<uint32_t> region_of(count);
    regions.vertices.resize(count);
    host_for_each(exec_, count, [&](size_t i) {
      region_of[i] = of_leaf[grown.leaf_of[inside_[i]]];
      regions.vertices[i] = inside_[i];
    });
    sort_pairs<uint32_t, uint32_t>(exec_, region_of, regions.vertices, bits_in_use(regions.exits.size()));
    regions.begins.assign(regions.exits.size() + 1, 0);
    for (const uint32_t region : region_of) ++regions.begins[region + 1];
    std::partial_sum(regions.begins.begin(), regions.begins.end(), regions.begins.begin());
  }

  struct Scratch {
    RegionGraph graph;
    RegionSorter sorter;
    std::vector<uint64_t> keys;
  };

  /// Brings the vertices of each region into the order in which their values are to ascend.
  void sort_regions(MergeTreeKind kind, Regions& regions) {
    place_.resize(field_.size());
    host_for_each(exec_, regions.exits.size(), [&](size_t region) {
      for (uint32_t i = regions.begins[region]; i < regions.begins[region + 1]; ++i)
        place_[regions.vertices[i]] = i - regions.begins[region];
    });
    const bool is_turned = kind == MergeTreeKind::split;
    uint32_t failed = none;  // the first region without an order
    with_rows(domain_, options_.periodic, is_inside_, inside_, exec_, [&](const auto& rows) {
      (void)host::walk(
          regions.exits.size(), {exec_, monitor_}, [](int) { return Scratch(); },
          [&](Scratch& scratch, size_t region) {
            const std::span<uint32_t> vertices(regions.vertices.data() + regions.begins[region],
                                               regions.vertices.data() + regions.begins[region + 1]);
            make_graph(rows, vertices, regions.exits[region], scratch.graph);
            if (scratch.sorter.sort(scratch.graph, is_turned, monitor_)) {
              sort_by_levels(scratch, vertices, is_turned);
            } else if (!monitor_.is_stopped()) {
              std::swap(vertices[0], vertices[scratch.sorter.failed()]);
              host::lower_to(failed, static_cast<uint32_t>(region));
            }
          });
    });
    monitor_.update("flattening", 0.6);
    if (failed == none) return;
    throw Error(ErrorCode::unsupported, std::string("a ") + name_of(kind) + " cannot be removed: vertex " +
                                            std::to_string(regions.exits[failed]) +
                                            " or one behind it cuts its piece off, and vertex " +
                                            std::to_string(regions.vertices[regions.begins[failed]]) +
                                            " would be an extremum again");
  }

  template <class Rows>
  void make_graph(const Rows& rows, std::span<const uint32_t> vertices, uint32_t exit, RegionGraph& graph) {
    const size_t n = vertices.size();
    graph.begins.assign(1, 0);
    graph.neighbours.clear();
    graph.is_at_exit.assign(n, 0);
    graph.is_at_border.assign(n, 0);
    for (size_t i = 0; i < n; ++i) {
      rows.for_each(vertices[i], [&](uint32_t u) {
        // Pieces do not touch each other: a neighbour inside is of this one.
        if (u == exit) {
          graph.is_at_exit[i] = 1;
        } else if (is_inside_[u] != 0) {
          graph.neighbours.push_back(place_[u]);
        } else {
          graph.is_at_border[i] = 1;
        }
      });
      graph.begins.push_back(graph.neighbours.size());
    }
  }

  static void sort_by_levels(Scratch& scratch, std::span<uint32_t> vertices, bool is_turned) {
    const std::vector<uint32_t>& levels = scratch.sorter.levels();
    scratch.keys.resize(vertices.size());
    for (size_t i = 0; i < vertices.size(); ++i) {
      const uint32_t level = is_turned ? ~levels[i] : levels[i];
      scratch.keys[i] = uint64_t{level} << 32 | vertices[i];
    }
    std::ranges::sort(scratch.keys);
    for (size_t i = 0; i < vertices.size(); ++i) vertices[i] = static_cast<uint32_t>(scratch.keys[i]);
  }

  /// Gives the regions the values of their exits, and steps to all vertices at these values: a region comes
  /// next to its exit, behind it in the order of the tree.
  void place_regions(MergeTreeKind kind, const Regions& regions) {
    Array<uint64_t> at_exit(regions.exits.size());  // exit and region
    for (uint32_t r = 0; r < at_exit.size(); ++r) at_exit[r] = uint64_t{regions.exits[r]} << 32 | r;
    std::ranges::sort(at_exit);
    const Array<uint32_t> others = list_at_bases_of(regions.exits);
    uint32_t base = 0;
    uint32_t last = none;  // vertex, of this base
    uint32_t steps = 0;
    const uint32_t room = field_.visit([]<class T>(std::span<const T>) { return room_of<T>(); });
    const auto put = [&](uint32_t v) {
      if (last != none && v < last && ++steps > room) {
        throw Error(
            ErrorCode::unsupported,
            "double has no room for the order of the vertices at the value of vertex " + std::to_string(v));
      }
      last = v;
      levels_.steps[v] = steps;
    };
    const auto put_regions_of = [&](uint32_t exit) {
      auto one = std::ranges::lower_bound(at_exit, uint64_t{exit} << 32);
      for (; one != at_exit.end() && *one >> 32 == exit; ++one) {
        const auto region = static_cast<uint32_t>(*one);
        for (uint32_t i = regions.begins[region]; i < regions.begins[region + 1]; ++i) {
          const uint32_t v = regions.vertices[i];
          put(v);
          levels_.base[v] = levels_.base[exit];
          levels_.source[v] = levels_.source[exit];
        }
      }
    };
    StopCheck check(monitor_, "flattening", 0.9);
    for (const uint32_t v : others) {
      check();
      if (last == none || levels_.base[v] != base) {
        base = levels_.base[v];
        last = none;
        steps = 0;
      }
      if (kind == MergeTreeKind::split) put_regions_of(v);
      put(v);
      if (kind == MergeTreeKind::join) put_regions_of(v);
    }
  }

  /// The vertices outside of regions that lie at the values of exits, in their order.
  [[nodiscard]] Array<uint32_t> list_at_bases_of(const Array<uint32_t>& exits) const {
    Array<uint32_t> bases;
    for (const uint32_t exit : exits) bases.push_back(levels_.base[exit]);
    std::ranges::sort(bases);
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    std::vector<uint64_t> sieve(1 << 12, 0);  // most values are none of them
    const auto hash = [](uint32_t value) { return value * 2654435769u >> 14; };
    for (const uint32_t value : bases) sieve[hash(value) / 64] |= uint64_t{1} << hash(value) % 64;
    const size_t n = field_.size();
    Array<uint8_t> flags(n);
    host_for_each(exec_, n, [&](size_t v) {
      const uint32_t value = levels_.base[v];
      const bool may_be = is_inside_[v] == 0 && (sieve[hash(value) / 64] >> hash(value) % 64 & 1) != 0;
      flags[v] = may_be && std::ranges::binary_search(bases, value) ? 1 : 0;
    });
    Array<uint32_t> vertices(n);
    vertices.resize(compact_indices(exec_, flags, vertices));
    Array<uint64_t> keys(vertices.size());
    host_for_each(exec_, keys.size(), [&](size_t i) {
      keys[i] = uint64_t{levels_.base[vertices[i]]} << 32 | levels_.steps[vertices[i]];
    });
    sort_pairs<uint64_t, uint32_t>(exec_, keys, vertices);
    return vertices;
  }

  void make_values(SimplifiedField& result) const {
    const size_t n = field_.size();
    Array<double> values(n);
    field_.visit([&]<class T>(std::span<const T> old) {
      if constexpr (std::is_integral_v<T> && sizeof(T) == 8) refuse_large(old);
      if (!is_changed_) {
        host_for_each(exec_, n, [&](size_t v) { values[v] = static_cast<double>(old[v]); });
        return;
      }
      host_for_each(exec_, n, [&](size_t v) {
        values[v] = raise(static_cast<double>(old[levels_.source[v]]), levels_.steps[v]);
      });
      if constexpr (sizeof(T) == 8) keep_order(values);
      if constexpr (std::is_floating_point_v<T>) refuse_new_infinities(old, values);
      count_changes(old, values, result);
    });
    result.field = Field(field_.name(), std::move(values));
  }
  template <class T>
  static void refuse_large(std::span<const T> values) {
    constexpr auto most = T{1} << 53;
    const auto found = std::ranges::find_if(
        values, [](T value) { return value > most || (std::is_signed_v<T> && value < T{0} - most); });
    if (found == values.end()) return;
    throw Error(ErrorCode::unsupported, "the simplified field is double, which cannot hold " +
                                            std::to_string(*found) + " at vertex " +
                                            std::to_string(found - values.begin()));
  }
  static double raise(double value, uint32_t steps) {
    if (steps == 0) return value;
    constexpr uint64_t sign = uint64_t{1} << 63;
    const uint64_t bits = sortable(value) + steps;
    return std::bit_cast<double>((bits & sign) != 0 ? bits ^ sign : ~bits);
  }
  /// Values of 8 bytes may lie so close to each other that steps lead past the next one.
  void keep_order(Array<double>& values) const {
    StopCheck check(monitor_, "flattening", 1);
    uint32_t last = none;
    for (const uint32_t v : sort_vertices()) {
      check();
      if (last != none) {
        values[v] = std::max(values[v], values[last]);
        if (values[v] == values[last] && v < last) values[v] = raise(values[v], 1);
      }
      last = v;
    }
  }
  /// Steps must not lead over the largest finite value, or back from an infinite one.
  template <class T>
  void refuse_new_infinities(std::span<const T> old, const Array<double>& values) const {
    for (size_t v = 0; v < values.size(); ++v) {
      const double from = static_cast<double>(old[levels_.source[v]]);
      if (std::isfinite(from) ? std::isfinite(values[v]) : values[v] == from) continue;
      throw Error(
          ErrorCode::unsupported,
          "a piece cannot be flattened at the end of what double can hold, at vertex " + std::to_string(v));
    }
  }
  template <class T>
  void count_changes(std::span<const T> old, const Array<double>& values, SimplifiedField& result) const {
    double largest = 0;
    std::atomic<size_t> count = 0;
    host::for_each_share(exec_.threads(), values.size(), [&](host::Range share) {
      double most = 0;
      size_t changed = 0;
      for (size_t v = share.begin; v < share.end; ++v) {
        const auto before = static_cast<double>(old[v]);
        changed += old[levels_.source[v]] != old[v] ? 1 : 0;
        most = std::max(most, before == values[v] ? 0 : std::abs(values[v] - before));
      }
      host::raise_to(largest, most);
      count += changed;
    });
    result.changed_vertices = count;
    result.largest_change = largest;
  }

  const Domain& domain_;
  const Field& field_;
  SimplifyFieldOptions options_;
  const Monitor& monitor_;
  Exec exec_;
  FieldOrder order_;  ///< of the field as it was
  bool is_changed_ = false;
  Levels levels_;
  Array<uint8_t> is_inside_;  ///< is a vertex in a region?
  Array<uint32_t> inside_;    ///< those that are
  Array<uint32_t> place_;     ///< in its region
};

template <class Domain>
ChosenExtrema find_persistent(const Domain& domain, const Field& field, double threshold,
                              const SimplifyFieldOptions& options) {
  check_threshold(threshold);
  const auto leaves_of = [&](MergeTreeKind kind) {
    return persistent_leaves(merge_tree(domain, field,
                                        {.kind = kind,
                                         .labels = false,
                                         .exec = options.exec,
                                         .monitor = options.monitor,
                                         .periodic = options.periodic}),
                             threshold);
  };
  return {leaves_of(MergeTreeKind::join), leaves_of(MergeTreeKind::split)};
}

/// `what`: the extrema to keep, or the threshold.
template <class Domain, class What>
SimplifiedField simplify(const Domain& domain, const Field& field, const What& what,
                         const SimplifyFieldOptions& options) {
  (void)host_only(options.exec, "simplify_field()");
  check_domain(domain, field);
  return FieldSimplifier<Domain>(domain, field, options).run(what);
}

}  // namespace

template <int Dim>
ChosenExtrema persistent_extrema(const SimplexMesh<Dim>& mesh, const Field& field, double threshold,
                                 const SimplifyFieldOptions& options) {
  return find_persistent(mesh, field, threshold, options);
}
ChosenExtrema persistent_extrema(const Grid& grid, const Field& field, double threshold,
                                 const SimplifyFieldOptions& options) {
  return find_persistent(grid, field, threshold, options);
}

template <int Dim>
SimplifiedField simplify_field(const SimplexMesh<Dim>& mesh, const Field& field, const ChosenExtrema& keep,
                               const SimplifyFieldOptions& options) {
  return simplify(mesh, field, keep, options);
}
SimplifiedField simplify_field(const Grid& grid, const Field& field, const ChosenExtrema& keep,
                               const SimplifyFieldOptions& options) {
  return simplify(grid, field, keep, options);
}

template <int Dim>
SimplifiedField simplify_field(const SimplexMesh<Dim>& mesh, const Field& field, double threshold,
                               const SimplifyFieldOptions& options) {
  check_threshold(threshold);
  return simplify(mesh, field, threshold, options);
}
SimplifiedField simplify_field(const Grid& grid, const Field& field, double threshold,
                               const SimplifyFieldOptions& options) {
  check_threshold(threshold);
  return simplify(grid, field, threshold, options);
}

template ChosenExtrema persistent_extrema(const TriMesh&, const Field&, double, const SimplifyFieldOptions&);
template ChosenExtrema persistent_extrema(const TetMesh&, const Field&, double, const SimplifyFieldOptions&);
template SimplifiedField simplify_field(const TriMesh&, const Field&, const ChosenExtrema&,
                                        const SimplifyFieldOptions&);
template SimplifiedField simplify_field(const TetMesh&, const Field&, const ChosenExtrema&,
                                        const SimplifyFieldOptions&);
template SimplifiedField simplify_field(const TriMesh&, const Field&, double, const SimplifyFieldOptions&);
template SimplifiedField simplify_field(const TetMesh&, const Field&, double, const SimplifyFieldOptions&);

}  // namespace tessera
