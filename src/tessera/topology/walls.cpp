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
  for (Part<T>& part : parts) {
    for (const uint32_t size : part.sizes)
      offsets.push_back(checked_offset(std::uint64_t{offsets.back()} + size));
    items.insert(items.end(), part.items.begin(), part.items.end());
    part = {};
  }
}

/// An edge with the two other vertices of each cell around it.
struct Ring {
  struct Cell {
    uint32_t cell;
    std::array<uint32_t, 2> others;
  };
  std::vector<Cell> cells;  ///< ascending

  /// Puts the cells into cyclic order, from the lowest one at an end if it is open, else from the lowest.
  void sort() {
    const auto count = [&](uint32_t vertex) {
      return std::count_if(cells.begin(), cells.end(), [&](const Cell& c) { return has(c, vertex); });
    };
    const auto is_end = [&](const Cell& c) { return count(c.others[0]) == 1 || count(c.others[1]) == 1; };
    auto start = std::find_if(cells.begin(), cells.end(), is_end);
    if (start == cells.end()) start = cells.begin();
    if (start == cells.end()) return;
    uint32_t leave = count(start->others[0]) == 1 ? start->others[1] : start->others[0];
    std::rotate(cells.begin(), start, start + 1);
    for (size_t i = 1; i < cells.size(); ++i) {
      const auto from = cells.begin() + static_cast<std::ptrdiff_t>(i);
      auto next = std::find_if(from, cells.end(), [&](const Cell& c) { return has(c, leave); });
      if (next == cells.end()) {  // another piece of a non-manifold edge
        next = from;
        leave = next->others[0];
      }
      leave = next->others[0] == leave ? next->others[1] : next->others[0];
      std::rotate(from, next, next + 1);
    }
  }
  static bool has(const Cell& cell, uint32_t vertex) {
    return cell.others[0] == vertex || cell.others[1] == vertex;
  }
};

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
    rings_.clear();
    push({saddle.name.id, saddle.highest, 0});
    for (size_t i = 0; i < edges_.size(); ++i) {
      const SearchEdge at = edges_[i];
      const uint32_t low = gradient_.lower(at.highest)[at.edge - gradient_.first_edge(at.highest)];
      Ring& ring = rings_.emplace_back();
      for (const uint32_t cell : cells_of(at.highest)) add_if_around(ring, cell, at.highest.index(), low);
      ring.sort();
      visit_triangles(at, low, ring);
    }
  }
  [[nodiscard]] const std::vector<SearchEdge>& edges() const { return edges_; }
  [[nodiscard]] const std::vector<Ring>& rings() const { return rings_; }

 private:
  void push(const SearchEdge& edge) {
    const std::uint64_t bit = std::uint64_t{1} << (edge.edge % 64);
    if ((seen_[edge.edge / 64] & bit) != 0) return;
    seen_[edge.edge / 64] |= bit;
    edges_.push_back(edge);
  }

  void add_if_around(Ring& ring, uint32_t id, uint32_t a, uint32_t b) const {
    Ring::Cell cell{id, {}};
    size_t others = 0;
    for (const VertexId corner : gradient_.tiles().cells()[id]) {
      if (corner.index() == a || corner.index() == b) continue;
      if (others == 2) return;
      cell.others[others++] = corner.index();
    }
    ring.cells.push_back(cell);
  }

  /// Triangles around the edge, in the order of their third vertices: those that another edge is paired with.
  void visit_triangles(const SearchEdge& at, uint32_t low, const Ring& ring) {
    thirds_.clear();
    for (const Ring::Cell& cell : ring.cells)
      thirds_.insert(thirds_.end(), cell.others.begin(), cell.others.end());
    const OrderArray& order = gradient_.order();
    std::sort(thirds_.begin(), thirds_.end(),
              [&](uint32_t a, uint32_t b) { return order[VertexId(a)] < order[VertexId(b)]; });
    thirds_.erase(std::unique(thirds_.begin(), thirds_.end()), thirds_.end());
    for (const uint32_t third : thirds_) {
      const bool is_highest = order[at.highest] < order[VertexId(third)];
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
  std::vector<Ring> rings_;
  std::vector<uint32_t> thirds_;
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
    for (const Ring& ring : worker->search.rings()) {
      for (const Ring::Cell& cell : ring.cells) rings[chunk].items.push_back(cell.cell);
      rings[chunk].sizes.push_back(static_cast<uint32_t>(ring.cells.size()));
    }
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
