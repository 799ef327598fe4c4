#include <algorithm>
#include <memory>

#include <tessera/exec/host/parallel.h>
#include <tessera/tile/materialize.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/saddle_graph.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

/// Lists of a few saddles, in their order.
template <class T>
struct Part {
  std::vector<uint32_t> sizes;
  std::vector<T> items;
};

template <class T>
void join(std::vector<Part<T>>& parts, Array<uint32_t>& offsets, Array<T>& items) {
  size_t count = 0;
  for (const Part<T>& part : parts) count += part.items.size();
  items.reserve(count);
  for (Part<T>& part : parts) {
    for (const uint32_t size : part.sizes)
      offsets.push_back(checked_offset(std::uint64_t{offsets.back()} + size));
    items.insert(items.end(), part.items.begin(), part.items.end());
    part = {};
  }
}

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
    return at == ring.end() ? Gradient<3>::none : at->input;
  };
  const auto is_open_at = [&](const RingCell& c, size_t k) {
    return neighbour(c, c.others[k]) == Gradient<3>::none;
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

/// Edges from which paths lead to 1-saddles: the search of saddle_graph.h backwards. Takes a bit an edge.
class AscendingSearch {
 public:
  explicit AscendingSearch(const Gradient<3>& gradient)
      : gradient_(gradient), seen_((gradient.edge_count() + 63) / 64, 0) {}

  /// `cells_of(v)` gives the cells around a vertex.
  template <class CellsOf>
  void run(const CriticalCell& saddle, CellsOf& cells_of) {
    for (const SearchEdge& edge : edges_) seen_[edge.edge / 64] = 0;
    edges_.clear();
    ring_sizes_.clear();
    ring_cells_.clear();
    push({saddle.name.id, saddle.highest, 0});
    for (size_t i = 0; i < edges_.size(); ++i) {
      const SearchEdge at = edges_[i];
      const uint32_t low = gradient_.lower(at.highest)[at.edge - gradient_.first_edge(at.highest)];
      ring_.clear();
      for (const uint32_t cell : cells_of(at.highest)) add_if_around(cell, at.highest.index(), low);
      sort_ring(ring_);
      for (const RingCell& cell : ring_) ring_cells_.push_back(cell.cell);
      ring_sizes_.push_back(static_cast<uint32_t>(ring_.size()));
      visit_triangles(at, low);
    }
  }
  [[nodiscard]] const std::vector<SearchEdge>& edges() const { return edges_; }
  /// The cells around each of those edges.
  [[nodiscard]] const std::vector<uint32_t>& ring_sizes() const { return ring_sizes_; }
  [[nodiscard]] const std::vector<uint32_t>& ring_cells() const { return ring_cells_; }

 private:
  void push(const SearchEdge& edge) {
    const std::uint64_t bit = std::uint64_t{1} << (edge.edge % 64);
    if ((seen_[edge.edge / 64] & bit) != 0) return;
    seen_[edge.edge / 64] |= bit;
    edges_.push_back(edge);
  }

  void add_if_around(uint32_t id, uint32_t a, uint32_t b) {
    const auto& corners = gradient_.tiles().cells()[id];
    bool is_around = false;
    for (const VertexId corner : corners) is_around |= corner.index() == b;
    if (!is_around) return;
    RingCell cell{gradient_.tiles().to_input(TetId(id)).index(), id, {}};
    size_t others = 0;
    for (const VertexId corner : corners) {
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
        const std::uint64_t key = order[VertexId(vertex)];
        auto at = thirds_.end();
        while (at != thirds_.begin() && key < (at - 1)->first) --at;
        if (at == thirds_.begin() || (at - 1)->first != key) thirds_.insert(at, {key, vertex});
      }
    }
  }

  /// Triangles around the edge: those that another edge is paired with.
  void visit_triangles(const SearchEdge& at, uint32_t low) {
    collect_thirds();
    const std::uint64_t own = gradient_.order()[at.highest];
    for (const auto& [key, third] : thirds_) {
      const bool is_highest = own < key;
      const VertexId top = is_highest ? VertexId(third) : at.highest;
      const uint32_t p = gradient_.place_of(top, VertexId(is_highest ? at.highest.index() : third));
      const uint32_t q = gradient_.place_of(top, VertexId(low));
      for (const auto& [edge, other] : {std::pair{p, q}, std::pair{q, p}}) {
        const uint32_t number = gradient_.first_edge(top) + edge;
        if (edge == 0 || number == at.edge || gradient_.triangle_of(top, edge) != other) continue;
        push({number, top, 0});
      }
    }
  }

  const Gradient<3>& gradient_;
  std::vector<std::uint64_t> seen_;
  std::vector<SearchEdge> edges_;
  std::vector<RingCell> ring_;  ///< of the current edge
  std::vector<uint32_t> ring_sizes_;
  std::vector<uint32_t> ring_cells_;
  std::vector<std::pair<std::uint64_t, uint32_t>> thirds_;  ///< (order, vertex)
};

/// Calls f(saddle, worker, chunk) for the critical cells of a dimension.
template <class F>
void for_each_saddle(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options, int dimension,
                     const F& f) {
  constexpr size_t chunk = 8;
  const auto saddles = gradient.critical_cells(dimension);
  host::for_each_chunk(options.exec.threads(), saddles.size(), chunk, [&](host::Range range, int worker) {
    if (options.monitor != nullptr && options.monitor->is_stopped()) return;
    for (size_t i = range.begin; i < range.end; ++i) f(saddles[i], static_cast<size_t>(worker), i / chunk);
  });
  if (options.monitor != nullptr) options.monitor->update("building walls", dimension == 2 ? 0.5 : 1.0);
}

void find_descending(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options, Walls& walls) {
  std::vector<Part<CellName>> parts(gradient.critical_cells(2).size() / 8 + 1);
  std::vector<std::unique_ptr<SaddleSearch>> searches(static_cast<size_t>(options.exec.threads()));
  for_each_saddle(gradient, options, 2, [&](const CriticalCell& saddle, size_t worker, size_t chunk) {
    auto& search = searches[worker];
    if (search == nullptr) search = std::make_unique<SaddleSearch>(gradient);
    search->run(saddle);
    Part<CellName>& part = parts[chunk];
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
  join(parts, walls.descending_offsets, walls.descending);
}

/// `make_cells_of()` gives each worker its own way to the cells around a vertex.
template <class MakeCellsOf>
void find_ascending(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options,
                    const MakeCellsOf& make_cells_of, Walls& walls) {
  struct Worker {
    AscendingSearch search;
    decltype(make_cells_of()) cells_of;
  };
  std::vector<Part<CellName>> edges(gradient.critical_cells(1).size() / 8 + 1);
  std::vector<Part<uint32_t>> rings(edges.size());
  std::vector<std::unique_ptr<Worker>> workers(static_cast<size_t>(options.exec.threads()));
  for_each_saddle(gradient, options, 1, [&](const CriticalCell& saddle, size_t index, size_t chunk) {
    auto& worker = workers[index];
    if (worker == nullptr) worker.reset(new Worker{AscendingSearch(gradient), make_cells_of()});
    worker->search.run(saddle, worker->cells_of);
    for (const SearchEdge& edge : worker->search.edges()) edges[chunk].items.push_back({edge.edge, 0, 1});
    edges[chunk].sizes.push_back(static_cast<uint32_t>(worker->search.edges().size()));
    const auto append = [](std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(rings[chunk].items, worker->search.ring_cells());
    append(rings[chunk].sizes, worker->search.ring_sizes());
  });
  join(edges, walls.ascending_offsets, walls.ascending);
  join(rings, walls.ring_offsets, walls.rings);
}

}  // namespace

Walls compute_walls(const Gradient<3>& gradient, const MorseSmaleOptions<3>& options) {
  Walls walls;
  find_descending(gradient, options, walls);
  if (options.rows != nullptr) {
    find_ascending(
        gradient, options,
        [&] { return [reader = options.rows->reader()](VertexId v) mutable { return reader[v].indices(); }; },
        walls);
    return walls;
  }
  const auto vt = materialize<VT>(gradient.tiles(), Enumeration<3>{}, {.exec = options.exec});
  find_ascending(
      gradient, options,
      [&] {
        return [&](VertexId v) {
          const auto row = vt[v];
          return std::span(reinterpret_cast<const uint32_t*>(row.data()), row.size());
        };
      },
      walls);
  return walls;
}

}  // namespace tessera
