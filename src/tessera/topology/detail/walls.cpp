#include <algorithm>
#include <memory>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/tile/materialize.h>
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
  uint32_t input;  ///< its input id, which decides where rings begin
  uint32_t cell;
  std::array<uint32_t, 2> others;

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

/// What one worker finds out about edges of ascending walls: for each the cells around it and the edges above
/// it, those that are paired with another triangle around it. saddle_graph.h backwards.
class WallEdges {
 public:
  explicit WallEdges(const GradientData<3>& gradient) : gradient_(gradient) {}

  struct Record {
    uint32_t edge;
    uint32_t ring;   ///< how many cells
    uint32_t above;  ///< how many edges
  };
  std::vector<Record> records;
  std::vector<TetId> rings;
  std::vector<uint32_t> above;

  /// Looks at all edges above a saddle that nobody has taken. `cells_of(v)` gives the cells around a vertex.
  template <class CellsOf>
  void explore(const CriticalCell& saddle, CellsOf& cells_of, TakenSet& taken) {
    if (taken.take(saddle.name.id)) open_.push_back({saddle.name.id, gradient_.highest(saddle)});
    while (!open_.empty()) {
      const OpenEdge at = open_.back();
      open_.pop_back();
      const uint32_t place = at.edge - gradient_.first_edge(at.highest);
      const uint32_t low = gradient_.lower(at.highest)[place];
      ring_.clear();
      for (const uint32_t cell : cells_of(at.highest)) add_if_around(cell, at.highest.index(), low);
      sort_ring(ring_);
      for (const RingCell& cell : ring_) rings.push_back(TetId(cell.input));
      const size_t before = above.size();
      find_above(at, place, low, taken);
      records.push_back(
          {at.edge, static_cast<uint32_t>(ring_.size()), static_cast<uint32_t>(above.size() - before)});
    }
  }

 private:
  struct OpenEdge {
    uint32_t edge;
    tiled::VertexId highest;
  };

  void add_if_around(uint32_t id, uint32_t a, uint32_t b) {
    const auto& corners = gradient_.tiles().cells()[id];
    bool is_around = false;
    for (const tiled::VertexId corner : corners) is_around |= corner.index() == b;
    if (!is_around) return;
    RingCell cell{gradient_.to_input_cell(id).index(), id, {}};
    size_t others = 0;
    for (const tiled::VertexId corner : corners) {
      if (corner.index() != a && corner.index() != b) cell.others[others++] = corner.index();
    }
    ring_.push_back(cell);
  }

  /// The third vertices of the triangles around the current edge, by their order.
  void collect_thirds() {
    const OrderArray& order = gradient_.order();
    thirds_.clear();
    for (const RingCell& cell : ring_) {
      for (const uint32_t vertex : cell.others) {
        const std::uint64_t key = order[tiled::VertexId(vertex)];
        auto at = thirds_.end();
        while (at != thirds_.begin() && key < (at - 1)->first) --at;
        if (at == thirds_.begin() || (at - 1)->first != key) thirds_.insert(at, {key, vertex});
      }
    }
  }

  void find_above(const OpenEdge& at, uint32_t place, uint32_t low, TakenSet& taken) {
    collect_thirds();
    const std::uint64_t own = gradient_.order()[at.highest];
    for (const auto& [key, third] : thirds_) {
      const bool is_highest = own < key;
      const tiled::VertexId top = is_highest ? tiled::VertexId(third) : at.highest;
      const uint32_t p = gradient_.place_of(top, is_highest ? at.highest : tiled::VertexId(third));
      const uint32_t q = is_highest ? gradient_.place_of(top, tiled::VertexId(low)) : place;
      for (const auto& [edge, other] : {std::pair{p, q}, std::pair{q, p}}) {
        const uint32_t number = gradient_.first_edge(top) + edge;
        if (edge == 0 || number == at.edge || gradient_.triangle_of(top, edge) != other) continue;
        above.push_back(number);
        if (taken.take(number)) open_.push_back({number, top});
      }
    }
  }

  const GradientData<3>& gradient_;
  std::vector<OpenEdge> open_;
  std::vector<RingCell> ring_;                              ///< of the current edge
  std::vector<std::pair<std::uint64_t, uint32_t>> thirds_;  ///< (order, vertex)
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
  monitor.update("building walls", dimension == 2 ? 0.5 : 1.0);
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

/// The edges of all ascending walls and which of them lie above which, by their numbers.
struct WallGraph {
  Array<uint32_t> above_offsets;
  Array<uint32_t> above;
};

/// Puts together what the workers found: who took an edge does not matter.
WallGraph join_edges(std::vector<std::unique_ptr<WallEdges>>& found, const TakenNumbers& numbers,
                     Walls& walls) {
  WallGraph graph;
  walls.edges.resize(numbers.size());
  walls.ring_offsets.assign(numbers.size() + 1, 0);
  graph.above_offsets.assign(numbers.size() + 1, 0);
  for (const auto& worker : found) {
    for (const auto& record : worker->records) {
      const uint32_t n = numbers[record.edge];
      walls.edges[n] = record.edge;
      walls.ring_offsets[n + 1] = record.ring;
      graph.above_offsets[n + 1] = record.above;
    }
  }
  for (size_t n = 0; n < numbers.size(); ++n) {
    walls.ring_offsets[n + 1] =
        checked_offset(std::uint64_t{walls.ring_offsets[n]} + walls.ring_offsets[n + 1]);
    graph.above_offsets[n + 1] =
        checked_offset(std::uint64_t{graph.above_offsets[n]} + graph.above_offsets[n + 1]);
  }
  walls.rings.resize(walls.ring_offsets.back());
  graph.above.resize(graph.above_offsets.back());
  host::run_workers(static_cast<int>(found.size()), [&](int w) {
    std::unique_ptr<WallEdges>& worker = found[static_cast<size_t>(w)];
    size_t ring = 0;
    size_t above = 0;
    for (const auto& record : worker->records) {
      const uint32_t n = numbers[record.edge];
      std::copy_n(worker->rings.begin() + static_cast<std::ptrdiff_t>(ring), record.ring,
                  walls.rings.begin() + walls.ring_offsets[n]);
      for (uint32_t i = 0; i < record.above; ++i)
        graph.above[graph.above_offsets[n] + i] = numbers[worker->above[above + i]];
      ring += record.ring;
      above += record.above;
    }
    worker.reset();
  });
  return graph;
}

/// `make_cells_of()` gives each worker its own way to the cells around a vertex.
template <class MakeCellsOf>
std::vector<std::unique_ptr<WallEdges>> explore_edges(const GradientData<3>& gradient,
                                                      const MorseSmaleOptions<3>& options,
                                                      const MakeCellsOf& make_cells_of, TakenSet& taken) {
  std::vector<std::unique_ptr<WallEdges>> found;
  std::vector<decltype(make_cells_of())> cells_of;
  for (int w = 0; w < options.exec.threads(); ++w) {
    found.push_back(std::make_unique<WallEdges>(gradient));
    cells_of.push_back(make_cells_of());
  }
  for_each_saddle(gradient, options, 1, [&](const CriticalCell& saddle, size_t worker, size_t) {
    found[worker]->explore(saddle, cells_of[worker], taken);
  });
  return found;
}

std::vector<std::unique_ptr<WallEdges>> explore_edges(const GradientData<3>& gradient,
                                                      const MorseSmaleOptions<3>& options, TakenSet& taken) {
  if (options.stars != nullptr) {
    return explore_edges(
        gradient, options,
        [&] {
          return [reader = options.stars->tiled_rows().reader()](tiled::VertexId v) mutable {
            return reader[VertexId(v.index())].indices();
          };
        },
        taken);
  }
  const auto vt =
      materialize<VT>(gradient.tiles(), Enumeration<3>{}, {.exec = Exec::host(options.exec.threads())});
  return explore_edges(
      gradient, options,
      [&] {
        return [&](tiled::VertexId v) {
          const auto row = vt[v];
          return std::span(reinterpret_cast<const uint32_t*>(row.data()), row.size());
        };
      },
      taken);
}

/// Breadth first from each 1-saddle. A wall shares most of its edges with others: rings and neighbours of all
/// of them were found before, once.
void find_ascending(const GradientData<3>& gradient, const MorseSmaleOptions<3>& options, Walls& walls) {
  TakenSet taken(gradient.edge_count());
  auto found = explore_edges(gradient, options, taken);
  const TakenNumbers numbers(taken);
  const WallGraph graph = join_edges(found, numbers, walls);
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
      for (uint32_t k = graph.above_offsets[wall[i]]; k < graph.above_offsets[wall[i] + 1]; ++k)
        meet(graph.above[k]);
    }
    for (size_t i = begin; i < wall.size(); ++i) is_seen[wall[i]] = false;
    parts[chunk].sizes.push_back(static_cast<uint32_t>(wall.size() - begin));
  });
  join_lists(parts, walls.ascending_offsets, walls.ascending);
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
