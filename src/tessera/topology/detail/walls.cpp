#include <algorithm>
#include <memory>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/topology/detail/saddle_graph.h>
#include <tessera/topology/detail/star_source.h>
#include <tessera/topology/detail/taken.h>
#include <tessera/topology/morse_smale.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

/// A cell around an edge with its two other vertices.
struct RingCell {
  uint32_t input;                  ///< its input id, which decides where rings begin
  uint32_t cell;                   ///< a local number
  std::array<uint32_t, 2> others;  ///< ascending

  [[nodiscard]] bool has(uint32_t vertex) const { return others[0] == vertex || others[1] == vertex; }
  [[nodiscard]] uint32_t other_than(uint32_t vertex) const {
    return others[0] == vertex ? others[1] : others[0];
  }
};

/// Puts the cells around an edge into cyclic order: from the lowest one at an end if the ring is open, else
/// from the lowest towards the lower of its neighbours.
void sort_ring(std::span<RingCell> ring) {
  if (ring.size() < 2) return;
  const auto neighbour = [&](const RingCell& cell, uint32_t vertex) {
    const auto at = std::find_if(ring.begin(), ring.end(),
                                 [&](const RingCell& c) { return c.cell != cell.cell && c.has(vertex); });
    return at == ring.end() ? GradientData<3>::none : at->input;
  };
  const auto is_open_at = [&](const RingCell& c, size_t k) {
    return neighbour(c, c.others[k]) == GradientData<3>::none;
  };
  auto start = ring.begin();
  bool is_open = false;
  for (auto c = ring.begin(); c != ring.end(); ++c) {
    const bool is_end = is_open_at(*c, 0) || is_open_at(*c, 1);
    if (is_end == is_open ? c->input < start->input : is_end) start = c;
    is_open |= is_end;
  }
  const bool first =
      neighbour(*start, start->others[0]) < neighbour(*start, start->others[1]);  // none is high
  uint32_t leave = start->others[first ? 0 : 1];
  std::swap(*ring.begin(), *start);
  for (auto from = ring.begin() + 1; from != ring.end(); ++from) {
    auto next = std::find_if(from, ring.end(), [&](const RingCell& c) { return c.has(leave); });
    if (next == ring.end()) {  // another piece of a non-manifold edge
      next = std::min_element(from, ring.end(),
                              [](const RingCell& c, const RingCell& d) { return c.input < d.input; });
      leave = next->others[0];
    }
    leave = next->other_than(leave);
    std::swap(*from, *next);
  }
}

/// An edge by its place in a row.
struct RowEdge {
  tiled::VertexId highest;
  uint32_t place;
};

/// The edge of a triangle without its highest vertex, which has `place` and `third` in its row.
RowEdge lowest_edge(const GradientData<3>& gradient, tiled::VertexId highest, uint32_t place,
                    uint32_t third) {
  const auto row = gradient.lower(highest);
  const tiled::VertexId second(row[std::max(place, third)]);
  return {second, gradient.place_of(second, tiled::VertexId(row[std::min(place, third)]))};
}

/// Finds the edges of ascending walls: those with a path down to a critical edge (saddle_graph.h). An edge is
/// settled when the edges below it are. Workers share the sets; it does not matter who settles an edge, or if
/// two do.
class WallEdges {
 public:
  WallEdges(const GradientData<3>& gradient, TakenSet& on_walls, TakenSet& elsewhere)
      : gradient_(gradient), on_walls_(on_walls), elsewhere_(elsewhere) {}

  /// Settles the edges of a row, and what is below them.
  void settle(tiled::VertexId v) {
    const size_t count = gradient_.lower(v).size();
    for (uint32_t place = 1; place < count; ++place) {
      if (look({v, place}) == State::open) settle_open();
    }
  }

 private:
  enum class State : std::uint8_t { on_wall, elsewhere, open };
  struct OpenEdge {
    RowEdge edge;
    RowEdge below = {};  ///< the lower one of the two below it, once it was asked for
  };

  [[nodiscard]] uint32_t number_of(const RowEdge& edge) const {
    return gradient_.first_edge(edge.highest) + edge.place;
  }
  /// An edge that is open is put before those that wait for it.
  [[nodiscard]] State look(const RowEdge& edge) {
    if (edge.place == 0) return State::elsewhere;  // paired with a vertex
    const uint32_t number = number_of(edge);
    if (on_walls_.has(number)) return State::on_wall;
    if (elsewhere_.has(number)) return State::elsewhere;
    open_.push_back({edge});
    return State::open;
  }
  [[nodiscard]] State follow(size_t open) {
    const auto [edge, below] = open_[open];
    if (below.highest.is_valid()) return look(below);
    const uint32_t third = gradient_.triangle_of(edge.highest, edge.place);
    if (third == GradientData<3>::none) return State::on_wall;
    const State beside = look({edge.highest, third});
    if (beside != State::elsewhere) return beside;
    const RowEdge lowest = lowest_edge(gradient_, edge.highest, edge.place, third);
    open_[open].below = lowest;
    return look(lowest);
  }
  void settle_open() {
    while (!open_.empty()) {
      const State state = follow(open_.size() - 1);
      if (state == State::open) continue;
      (void)(state == State::on_wall ? on_walls_ : elsewhere_).take(number_of(open_.back().edge));
      open_.pop_back();
    }
  }

  const GradientData<3>& gradient_;
  TakenSet& on_walls_;
  TakenSet& elsewhere_;
  std::vector<OpenEdge> open_;
};

/// The cells around each edge of ascending walls, tile by tile. One for each worker.
template <class Stars>
class WallRings {
 public:
  WallRings(const GradientData<3>& gradient, const TakenSet& on_walls, Stars stars)
      : gradient_(gradient), on_walls_(on_walls), stars_(std::move(stars)) {}

  /// Of the edges whose highest vertex the tile owns.
  void find(TileId tile, ListPart<TetId>& rings) {
    if constexpr (requires { stars_.load(tile); }) stars_.load(tile);
    const auto owned = gradient_.tiles().vertices(tile);
    for (uint32_t v = owned.begin; v < owned.end; ++v) {
      const auto row = gradient_.lower(tiled::VertexId(v));
      bool is_selected = false;
      for (uint32_t place = 1; place < row.size(); ++place) {
        if (!on_walls_.has(gradient_.first_edge(tiled::VertexId(v)) + place)) continue;
        if (!std::exchange(is_selected, true)) select(tiled::VertexId(v));
        collect_ring(row[place]);
        sort_ring(ring_);
        for (const RingCell& cell : ring_) rings.items.push_back(TetId(cell.input));
        rings.sizes.push_back(static_cast<uint32_t>(ring_.size()));
      }
    }
  }

 private:
  /// Cells of a large star are sorted by their vertices, so that nobody looks at all of them for each edge.
  void select(tiled::VertexId v) {
    constexpr size_t large_star = 256;
    stars_.select(v);
    by_vertex_.clear();
    if (stars_.star().size() <= large_star) return;
    for (uint32_t i = 0; i < stars_.star().size(); ++i) {
      for (const uint32_t vertex : stars_.star()[i].others)
        by_vertex_.emplace_back(stars_.vertex_id(vertex), i);
    }
    std::sort(by_vertex_.begin(), by_vertex_.end());
  }

  void collect_ring(uint32_t low) {
    ring_.clear();
    if (by_vertex_.empty()) {
      for (const auto& cell : stars_.star()) add_if_around(cell, low);
      return;
    }
    for (auto at = std::lower_bound(by_vertex_.begin(), by_vertex_.end(), std::pair{low, 0U});
         at != by_vertex_.end() && at->first == low; ++at)
      add_if_around(stars_.star()[at->second], low);
  }

  void add_if_around(const StarCell<3>& cell, uint32_t low) {
    std::array<uint32_t, 3> ids = {};
    for (size_t k = 0; k < 3; ++k) ids[k] = stars_.vertex_id(cell.others[k]);
    for (size_t k = 0; k < 3; ++k) {
      if (ids[k] != low) continue;
      const auto [a, b] = std::minmax(ids[(k + 1) % 3], ids[(k + 2) % 3]);
      ring_.push_back({gradient_.to_input_cell(stars_.cell_id(cell.cell)).index(), cell.cell, {a, b}});
    }
  }

  const GradientData<3>& gradient_;
  const TakenSet& on_walls_;
  Stars stars_;
  std::vector<std::pair<uint32_t, uint32_t>> by_vertex_;  ///< of a large star: (vertex, place in the star)
  std::vector<RingCell> ring_;                            ///< of the current edge
};

/// Calls f(saddle, worker, chunk) for the critical cells of a dimension.
template <class F>
void for_each_saddle(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options, int dimension,
                     const F& f) {
  constexpr size_t chunk = 8;
  const auto saddles = gradient.critical_cells(dimension);
  const Monitor& monitor = monitor_of(options.monitor);
  host::for_each_chunk(options.exec.threads(), saddles.size(), chunk, [&](host::Range range, int worker) {
    if (monitor.is_stopped()) return;
    for (size_t i = range.begin; i < range.end; ++i) f(saddles[i], static_cast<size_t>(worker), i / chunk);
  });
  monitor.update("building walls", dimension == 2 ? 0.5 : 0.8);
}

void find_descending(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options, Walls& walls) {
  std::vector<ListPart<CellName>> parts(gradient.critical_cells(2).size() / 8 + 1);
  std::vector<std::unique_ptr<SaddleSearch>> searches(static_cast<size_t>(options.exec.threads()));
  for_each_saddle(gradient, options, 2, [&](const CriticalCell& saddle, size_t worker, size_t chunk) {
    auto& search = searches[worker];
    if (search == nullptr) search = std::make_unique<SaddleSearch>(gradient);
    search->run(saddle);
    ListPart<CellName>& part = parts[chunk];
    const size_t begin = part.items.size();
    part.items.push_back(saddle.name);
    size_t end = 0;  // of those already passed
    for (uint32_t i = 0; i < search->edges().size(); ++i) {
      if (end < search->ends().size() && search->ends()[end] == i) {
        ++end;
      } else {
        part.items.push_back(search->triangle_of(search->edges()[i]));
      }
    }
    part.sizes.push_back(static_cast<uint32_t>(part.items.size() - begin));
  });
  join_lists(parts, walls.descending_offsets, walls.descending);
}

/// The edges of all ascending walls.
TakenSet find_wall_edges(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options) {
  constexpr size_t together = 2048;
  TakenSet on_walls(gradient.edge_count());
  TakenSet elsewhere(gradient.edge_count());
  const Monitor& monitor = monitor_of(options.monitor);
  host::walk(
      gradient.tiles().vertex_count(), {options.exec, monitor, together},
      [&](int) { return WallEdges(gradient, on_walls, elsewhere); },
      [](WallEdges& edges, size_t v) { edges.settle(tiled::VertexId(static_cast<uint32_t>(v))); });
  monitor.update("building walls", 0.6);
  return on_walls;
}

/// For each edge of ascending walls, by its number, the edges above it: those that are paired with another
/// triangle around it, by the order of the triangle's third vertex. saddle_graph.h backwards.
using WallGraph = Csr<EdgeId, uint32_t>;

/// An edge of a wall, and the edges below it on walls, by their numbers.
struct WallEdge {
  tiled::VertexId highest;
  std::array<uint32_t, 2> below = {GradientData<3>::none, GradientData<3>::none};
};

Array<WallEdge> find_below(const GradientData<3>& gradient, int threads, const TakenSet& on_walls,
                           const TakenNumbers& numbers) {
  Array<WallEdge> edges(numbers.size());
  const auto number_on_wall = [&](const RowEdge& edge) {
    const uint32_t id = gradient.first_edge(edge.highest) + edge.place;
    return edge.place > 0 && on_walls.has(id) ? numbers[id] : GradientData<3>::none;
  };
  host::for_each_share(threads, gradient.tiles().vertex_count(), [&](host::Range share) {
    for (size_t i = share.begin; i < share.end; ++i) {
      const tiled::VertexId v(static_cast<uint32_t>(i));
      const size_t count = gradient.lower(v).size();
      for (uint32_t place = 1; place < count; ++place) {
        if (!on_walls.has(gradient.first_edge(v) + place)) continue;
        WallEdge edge = {v};
        const uint32_t third = gradient.triangle_of(v, place);
        if (third != GradientData<3>::none)
          edge.below = {number_on_wall({v, third}), number_on_wall(lowest_edge(gradient, v, place, third))};
        edges[numbers[gradient.first_edge(v) + place]] = edge;
      }
    }
  });
  return edges;
}

WallGraph turn_around(const Array<WallEdge>& edges, const OrderArray& order, int threads) {
  WallGraph graph;
  graph.offsets.assign(edges.size() + 1, 0);
  const auto for_each_below = [&](const auto& f) {
    for (uint32_t n = 0; n < edges.size(); ++n) {
      for (const uint32_t below : edges[n].below) {
        if (below != GradientData<3>::none) f(below, n);
      }
    }
  };
  for_each_below([&](uint32_t below, uint32_t) { ++graph.offsets[below + 1]; });
  for (size_t n = 0; n < edges.size(); ++n)
    graph.offsets[n + 1] = checked_offset(std::uint64_t{graph.offsets[n]} + graph.offsets[n + 1]);
  graph.values.resize(graph.offsets.back());
  Array<uint32_t> next = graph.offsets;
  for_each_below([&](uint32_t below, uint32_t n) { graph.values[next[below]++] = n; });
  host::for_each_share(threads, edges.size(), [&](host::Range share) {
    for (size_t n = share.begin; n < share.end; ++n) {
      // In a row of edges they ascend by the lower vertex. The others have a third vertex above the edge.
      const auto key = [&](uint32_t above) {
        const tiled::VertexId highest = edges[above].highest;
        return highest == edges[n].highest ? std::pair{std::uint64_t{0}, above}
                                           : std::pair{order[highest], 0U};
      };
      std::sort(graph.values.begin() + graph.offsets[n], graph.values.begin() + graph.offsets[n + 1],
                [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    }
  });
  return graph;
}

/// `make_stars()` gives each worker its own way to the cells around a vertex.
template <class MakeStars>
void fill_rings(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options,
                const TakenSet& on_walls, const MakeStars& make_stars, Walls& walls) {
  using Rings = WallRings<decltype(make_stars())>;
  const size_t tiles = gradient.tiles().tile_count();
  std::vector<ListPart<TetId>> parts(tiles);
  const Monitor& monitor = monitor_of(options.monitor);
  host::walk(
      tiles, {options.exec, monitor, 1}, [&](int) { return Rings(gradient, on_walls, make_stars()); },
      [&](Rings& rings, size_t t) { rings.find(TileId(static_cast<uint32_t>(t)), parts[t]); });
  monitor.update("building walls", 1);
  join_lists(parts, walls.ring_offsets, walls.rings);
}

/// Breadth first from each 1-saddle.
void find_ascending(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options,
                    const TakenNumbers& numbers, const WallGraph& graph, Walls& walls) {
  std::vector<ListPart<uint32_t>> parts(gradient.critical_cells(1).size() / 8 + 1);
  std::vector<std::vector<bool>> seen(static_cast<size_t>(options.exec.threads()));
  for_each_saddle(gradient, options, 1, [&](const CriticalCell& saddle, size_t worker, size_t chunk) {
    std::vector<bool>& is_seen = seen[worker];
    if (is_seen.empty()) is_seen.resize(numbers.size(), false);
    std::vector<uint32_t>& wall = parts[chunk].items;
    const size_t begin = wall.size();
    const auto meet = [&](uint32_t edge) {
      if (is_seen[edge]) return;
      is_seen[edge] = true;
      wall.push_back(edge);
    };
    meet(numbers[saddle.name.id]);
    for (size_t i = begin; i < wall.size(); ++i) {
      for (const uint32_t edge : graph[EdgeId(wall[i])]) meet(edge);
    }
    for (size_t i = begin; i < wall.size(); ++i) is_seen[wall[i]] = false;
    parts[chunk].sizes.push_back(static_cast<uint32_t>(wall.size() - begin));
  });
  join_lists(parts, walls.ascending_offsets, walls.ascending);
}

/// A wall shares most of its edges with others: what is around an edge is found once.
void find_ascending(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options, Walls& walls) {
  const int threads = options.exec.threads();
  const TakenSet on_walls = find_wall_edges(gradient, options);
  const TakenNumbers numbers(on_walls);
  walls.edges.resize(numbers.size());
  numbers.for_each(threads, [&](uint32_t edge, uint32_t number) { walls.edges[number] = edge; });
  find_ascending(gradient, options, numbers,
                 turn_around(find_below(gradient, threads, on_walls, numbers), gradient.order(), threads),
                 walls);
  const TiledMesh<3>& tiles = gradient.tiles();
  const OrderArray& order = gradient.order();
  if (options.stars == nullptr) {
    fill_rings(
        gradient, options, on_walls, [&] { return TileStars<3>(tiles, order); }, walls);
  } else {
    fill_rings(
        gradient, options, on_walls, [&] { return PulledStars<3>(tiles, order, *options.stars); }, walls);
  }
}

}  // namespace

Walls compute_walls(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options) {
  check_stars(gradient.tiles(), options.stars, options.exec);
  Walls walls;
  find_descending(gradient.data(), options, walls);
  find_ascending(gradient.data(), options, walls);
  return walls;
}

}  // namespace tessera
