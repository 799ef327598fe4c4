#include <algorithm>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/grid_gradient.h>
#include <tessera/topology/detail/grid_rings.h>
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

/// Finds the edges of ascending walls: those with a path down to a critical edge (saddle_graph.h). An edge is
/// settled when the edges below it are. Workers share the sets; it does not matter who settles an edge, or if
/// two do.
template <class Source>
class WallEdges {
 public:
  WallEdges(const Source& gradient, TakenSet& on_walls, TakenSet& elsewhere)
      : gradient_(gradient), on_walls_(on_walls), elsewhere_(elsewhere) {}

  /// Settles the edges of a row, and what is below them.
  void settle(tiled::VertexId v) {
    gradient_.for_each_place(v, [&](uint32_t place) {
      if (look({v, place}) == State::open) settle_open();
    });
  }

 private:
  enum class State : std::uint8_t { on_wall, elsewhere, open };
  struct OpenEdge {
    RowEdge edge;
    RowEdge below = {};  ///< the lower one of the two below it, once it was asked for
  };

  [[nodiscard]] uint32_t number_of(const RowEdge& edge) const {
    return gradient_.edge(edge.highest, edge.place);
  }
  /// An edge that is open is put before those that wait for it.
  [[nodiscard]] State look(const RowEdge& edge) {
    if (gradient_.is_lowest(edge.highest, edge.place)) return State::elsewhere;  // paired with a vertex
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
    if (third == Source::none) return State::on_wall;
    const State beside = look({edge.highest, third});
    if (beside != State::elsewhere) return beside;
    const RowEdge lowest = gradient_.lowest_edge_of(gradient_.row_triangle(edge.highest, edge.place, third));
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

  const Source& gradient_;
  TakenSet& on_walls_;
  TakenSet& elsewhere_;
  std::vector<OpenEdge> open_;
};

/// Makes the wall of each critical cell of a dimension: append(wall, saddle, worker) puts its cells at the
/// end of an array. Gives the offsets of the walls in `cells`.
template <class Source, class T, class F>
Array<uint32_t> make_walls(const Source& gradient, const MorseSmaleOptions<3>& options, int dimension,
                           Array<T>& cells, const F& append) {
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

template <class Source>
void find_descending(const Source& gradient, const MorseSmaleOptions<3>& options, Walls& walls) {
  std::vector<std::unique_ptr<SaddleSearch<Source>>> searches(static_cast<size_t>(options.exec.threads()));
  const auto append = [&](Array<CellName>& wall, const CriticalCell& saddle, size_t worker) {
    auto& search = searches[worker];
    if (search == nullptr) search = std::make_unique<SaddleSearch<Source>>(gradient);
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
template <class Source>
TakenSet find_wall_edges(const Source& gradient, const MorseSmaleOptions<3>& options) {
  constexpr size_t together = 2048;
  TakenSet on_walls(gradient.edge_end());
  TakenSet elsewhere(gradient.edge_end());
  const Monitor& monitor = monitor_of(options.monitor);
  host::walk(
      gradient.vertex_count(), {options.exec, monitor, together},
      [&](int) { return WallEdges(gradient, on_walls, elsewhere); },
      [](WallEdges<Source>& edges, size_t v) { edges.settle(tiled::VertexId(static_cast<uint32_t>(v))); });
  monitor.update("building walls", 0.6);
  return on_walls;
}

/// For each edge of ascending walls, by its number, the edges above it: those that are paired with another
/// triangle around it, by the order of the triangle's third vertex. saddle_graph.h backwards.
struct WallGraph : Csr<EdgeId, uint32_t> {
  static constexpr uint32_t none = 0xFFFFFFFFu;
};

/// An edge of a wall, and the edges below it on walls, by their numbers.
struct EdgeOnWall {
  tiled::VertexId highest;
  uint32_t place = 0;
  std::array<uint32_t, 2> below = {WallGraph::none, WallGraph::none};
};

template <class Source>
Array<EdgeOnWall> find_below(const Source& gradient, int threads, const TakenSet& on_walls,
                             const TakenNumbers& numbers) {
  Array<EdgeOnWall> edges(numbers.size());
  const auto number_on_wall = [&](const RowEdge& edge) {
    const uint32_t id = gradient.edge(edge.highest, edge.place);
    return on_walls.has(id) ? numbers[id] : WallGraph::none;
  };
  host::for_each_share(threads, gradient.vertex_count(), [&](host::Range share) {
    for (size_t i = share.begin; i < share.end; ++i) {
      const tiled::VertexId v(static_cast<uint32_t>(i));
      gradient.for_each_place(v, [&](uint32_t place) {
        const uint32_t id = gradient.edge(v, place);
        if (!on_walls.has(id)) return;
        EdgeOnWall edge = {v, place};
        const uint32_t third = gradient.triangle_of(v, place);
        if (third != Source::none) {
          edge.below = {number_on_wall({v, third}),
                        number_on_wall(gradient.lowest_edge_of(gradient.row_triangle(v, place, third)))};
        }
        edges[numbers[id]] = edge;
      });
    }
  });
  return edges;
}

template <class Source>
WallGraph turn_around(const Source& gradient, const Array<EdgeOnWall>& edges, int threads) {
  WallGraph graph;
  graph.offsets.assign(edges.size() + 1, 0);
  const auto for_each_below = [&](const auto& f) {
    for (uint32_t n = 0; n < edges.size(); ++n) {
      for (const uint32_t below : edges[n].below) {
        if (below != WallGraph::none) f(below, n);
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
      const auto key = [&](uint32_t above) {  // the third vertex
        const auto& [highest, place, below] = edges[above];
        return gradient.order(
            highest == edges[n].highest ? tiled::VertexId(gradient.neighbour(highest, place)) : highest);
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

/// Rings that workers made, of `sizes` cells by number.
void join_rings(WorkerLists<TetId>& rings, const Array<uint32_t>& sizes, const Monitor& monitor,
                Walls& walls) {
  monitor.update("building walls", 1);
  (void)rings.join(walls.rings);
  walls.ring_offsets.resize(sizes.size() + 1);
  walls.ring_offsets[0] = 0;
  std::partial_sum(sizes.begin(), sizes.end(), walls.ring_offsets.begin() + 1);
}

/// Of tiles; `make_stars()` gives each worker its own way to the cells around a vertex.
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
  join_rings(rings, sizes, monitor, walls);
}

void fill_rings(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options,
                const TakenNumbers& numbers, Walls& walls) {
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

/// Of a grid.
void fill_rings(const GridGradient<3>& gradient, const MorseSmaleOptions<3>& options,
                const TakenNumbers& numbers, Walls& walls) {
  constexpr size_t together = 4096;
  struct Scratch {
    GridRings around;
    int worker;
  };
  const size_t parts = (numbers.size() + together - 1) / together;
  WorkerLists<TetId> rings(options.exec.threads(), parts);
  const Monitor& monitor = monitor_of(options.monitor);
  Array<uint32_t> sizes(numbers.size());
  host::walk(
      parts, {options.exec, monitor, 1},
      [&](int worker) {
        return Scratch{GridRings(gradient.cells()), worker};
      },
      [&](Scratch& mine, size_t part) {
        rings.make(part, mine.worker, [&](Array<TetId>& of_part) {
          const size_t end = std::min(numbers.size(), (part + 1) * together);
          for (size_t i = part * together; i < end; ++i)
            sizes[i] = mine.around.append(walls.edges[i], of_part);
        });
      });
  join_rings(rings, sizes, monitor, walls);
}

/// Breadth first from each 1-saddle.
template <class Source>
void find_ascending(const Source& gradient, const MorseSmaleOptions<3>& options, const TakenNumbers& numbers,
                    const WallGraph& graph, Walls& walls) {
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
template <class Source>
void find_ascending(const Source& gradient, const MorseSmaleOptions<3>& options, Walls& walls) {
  const int threads = options.exec.threads();
  const TakenSet on_walls = find_wall_edges(gradient, options);
  const TakenNumbers numbers(on_walls);
  walls.edges.resize(numbers.size());
  numbers.for_each(threads, [&](uint32_t edge, uint32_t number) { walls.edges[number] = edge; });
  find_ascending(gradient, options, numbers,
                 turn_around(gradient, find_below(gradient, threads, on_walls, numbers), threads), walls);
  fill_rings(gradient, options, numbers, walls);
}

}  // namespace

Walls compute_walls(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options) {
  refuse_periodic(options);
  return gradient.visit([&]<class Source>(const Source& source) {
    if constexpr (std::is_same_v<Source, GradientData<3>>)
      check_stars(source.tiles(), options.stars, options.exec);
    else
      check_grid_options(options, "compute_walls()");
    Walls walls;
    find_descending(source, options, walls);
    find_ascending(source, options, walls);
    return walls;
  });
}

}  // namespace tessera
