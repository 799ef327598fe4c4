#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/saddle_graph.h>
#include <tessera/topology/detail/star_source.h>
#include <tessera/topology/detail/taken.h>
#include <tessera/topology/detail/wall_rings.h>
#include <tessera/topology/morse_smale.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

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

/// Makes the wall of each critical cell of a dimension: append(wall, saddle, worker) puts its cells at the
/// end of an array. Gives the offsets of the walls in `cells`.
template <class T, class F>
Array<uint32_t> make_walls(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options,
                           int dimension, Array<T>& cells, const F& append) {
  const auto saddles = gradient.critical_cells(dimension);
  const int threads = options.exec.threads();
  const Monitor& monitor = monitor_of(options.monitor);
  WorkerLists<T> walls(threads, saddles.size());
  host::for_each_chunk(threads, saddles.size(), 8, [&](host::Range range, int worker) {
    if (monitor.is_stopped()) return;
    for (size_t i = range.begin; i < range.end; ++i)
      walls.make(i, worker, [&](Array<T>& wall) { append(wall, saddles[i], static_cast<size_t>(worker)); });
  });
  monitor.update("building walls", dimension == 2 ? 0.5 : 0.8);
  return walls.join(cells);
}

void find_descending(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options, Walls& walls) {
  std::vector<std::unique_ptr<SaddleSearch<GradientData<3>>>> searches(
      static_cast<size_t>(options.exec.threads()));
  const auto append = [&](Array<CellName>& wall, const CriticalCell& saddle, size_t worker) {
    auto& search = searches[worker];
    if (search == nullptr) search = std::make_unique<SaddleSearch<GradientData<3>>>(gradient);
    search->run(saddle);
    wall.push_back(saddle.name);
    size_t end = 0;  // of those already passed
    for (uint32_t i = 0; i < search->edges().size(); ++i) {
      if (end < search->ends().size() && search->ends()[end] == i) {
        ++end;
      } else {
        wall.push_back(search->triangle_of(search->edges()[i]));
      }
    }
  };
  walls.descending_offsets = make_walls(gradient, options, 2, walls.descending, append);
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

/// Rings of the edges on walls whose highest vertex the tile owns. Gives their sizes to `sizes`, by number.
template <class Stars>
void append_rings(const GradientData<3>& gradient, TileId tile, const TakenNumbers& numbers,
                  WallRings<Stars>& around, Array<TetId>& rings, Array<uint32_t>& sizes) {
  around.load(tile);
  const auto owned = gradient.tiles().vertices(tile);
  for (uint32_t v = owned.begin; v < owned.end; ++v) {
    const auto row = gradient.lower(tiled::VertexId(v));
    bool is_selected = false;
    for (uint32_t place = 1; place < row.size(); ++place) {
      const uint32_t edge = gradient.first_edge(tiled::VertexId(v)) + place;
      if (!numbers.has(edge)) continue;
      if (!std::exchange(is_selected, true)) around.select(tiled::VertexId(v));
      sizes[numbers[edge]] = around.append_ring(row[place], rings);
    }
  }
}

/// `make_stars()` gives each worker its own way to the cells around a vertex.
template <class MakeStars>
void fill_rings(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options,
                const TakenNumbers& numbers, const MakeStars& make_stars, Walls& walls) {
  using Rings = WallRings<decltype(make_stars())>;
  struct Scratch {
    Rings around;
    int worker;
  };
  const size_t tiles = gradient.tiles().tile_count();
  WorkerLists<TetId> rings(options.exec.threads(), tiles);
  const Monitor& monitor = monitor_of(options.monitor);
  Array<uint32_t> sizes(numbers.size());
  host::walk(
      tiles, {options.exec, monitor, 1},
      [&](int worker) {
        return Scratch{Rings(gradient, make_stars()), worker};
      },
      [&](Scratch& mine, size_t t) {
        rings.make(t, mine.worker, [&](Array<TetId>& of_tile) {
          append_rings(gradient, TileId(static_cast<uint32_t>(t)), numbers, mine.around, of_tile, sizes);
        });
      });
  monitor.update("building walls", 1);
  (void)rings.join(walls.rings);
  walls.ring_offsets.resize(sizes.size() + 1);
  walls.ring_offsets[0] = 0;
  std::partial_sum(sizes.begin(), sizes.end(), walls.ring_offsets.begin() + 1);
}

/// Breadth first from each 1-saddle.
void find_ascending(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options,
                    const TakenNumbers& numbers, const WallGraph& graph, Walls& walls) {
  std::vector<std::vector<bool>> seen(static_cast<size_t>(options.exec.threads()));
  const auto append = [&](Array<uint32_t>& wall, const CriticalCell& saddle, size_t worker) {
    std::vector<bool>& is_seen = seen[worker];
    if (is_seen.empty()) is_seen.resize(numbers.size(), false);
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
  };
  walls.ascending_offsets = make_walls(gradient, options, 1, walls.ascending, append);
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
        gradient, options, numbers, [&] { return TileStars<3>(tiles, order); }, walls);
  } else {
    fill_rings(
        gradient, options, numbers, [&] { return PulledStars<3>(tiles, order, *options.stars); }, walls);
  }
}

}  // namespace

Walls compute_walls(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options) {
  const GradientData<3>* data = gradient.on_mesh();
  if (data == nullptr) refuse_walls_of_grids();
  check_stars(data->tiles(), options.stars, options.exec);
  Walls walls;
  find_descending(*data, options, walls);
  find_ascending(*data, options, walls);
  return walls;
}

}  // namespace tessera
