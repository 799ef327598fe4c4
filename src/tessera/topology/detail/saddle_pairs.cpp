// Reduction of the boundaries of critical triangles, on the cells of the mesh but without its boundary
// matrix.
//
// A chain is a set of edges modulo two, kept as a heap in which the highest edge is on top and equal ones are
// taken out together. What happens to the highest one:
//
//   paired with a triangle       that triangle's boundary is added: the edge goes and lower ones come. The
//                                triangle follows the edge directly in the filtration, so this is a step of
//                                the usual reduction.
//   paired with a vertex, or     it is dropped. Such an edge ends a class of dimension 0, so it is never the
//   critical and of a minimum    last edge of a cycle, and no pair of this dimension depends on it.
//   critical, free               the triangle ends the class that this edge begins.
//   critical, taken              the chain of the triangle that has it is added.
//
// Edges of one lower star may come back after they went, because the gradient does not pair them from the
// highest to the lowest; critical ones do follow each other in that order, so the first one met on top is the
// highest of all that the chain leads to.
#include <tessera/topology/detail/saddle_pairs.h>

#include <algorithm>
#include <optional>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/grid_gradient.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = GradientData<3>::none;

/// An edge.
struct ChainEdge {
  VertexOrderKey order;  ///< of its highest vertex
  uint32_t highest;
  uint32_t place;  ///< in the row of that vertex
  friend bool operator==(const ChainEdge& a, const ChainEdge& b) {
    return a.highest == b.highest && a.place == b.place;
  }
};

template <class Source>
class Chain {
 public:
  explicit Chain(const Source& gradient) : is_before_{gradient} {}

  void push(const ChainEdge& edge) {
    heap_.push_back(edge);
    std::push_heap(heap_.begin(), heap_.end(), is_before_);
  }
  /// Takes the highest edge out; nothing if the chain is empty.
  std::optional<ChainEdge> pop() {
    while (!heap_.empty()) {
      const ChainEdge top = take();
      bool is_odd = true;
      while (!heap_.empty() && heap_.front() == top) {
        take();
        is_odd = !is_odd;
      }
      if (is_odd) return top;
    }
    return std::nullopt;
  }
  /// The edges, each once, to be kept.
  [[nodiscard]] std::vector<ChainEdge> take_edges() {
    std::sort(heap_.begin(), heap_.end(), is_before_);
    std::vector<ChainEdge> edges;
    for (const ChainEdge& edge : heap_) {
      if (!edges.empty() && edges.back() == edge) {
        edges.pop_back();
      } else {
        edges.push_back(edge);
      }
    }
    heap_.clear();
    return edges;
  }
  void add(std::span<const ChainEdge> edges) {
    const bool is_large = edges.size() > heap_.size() / 4;
    for (const ChainEdge& edge : edges) {
      heap_.push_back(edge);
      if (!is_large) std::push_heap(heap_.begin(), heap_.end(), is_before_);
    }
    if (is_large) std::make_heap(heap_.begin(), heap_.end(), is_before_);
  }
  void clear() { heap_.clear(); }

 private:
  /// In the filtration.
  struct IsBefore {
    const Source& gradient;
    bool operator()(const ChainEdge& a, const ChainEdge& b) const {
      if (a.order != b.order) return a.order < b.order;
      return gradient.is_lower_place(tiled::VertexId(a.highest), a.place, b.place);
    }
  };

  ChainEdge take() {
    std::pop_heap(heap_.begin(), heap_.end(), is_before_);
    const ChainEdge top = heap_.back();
    heap_.pop_back();
    return top;
  }

  IsBefore is_before_;
  std::vector<ChainEdge> heap_;
};

template <class Source>
class SaddlePairing {
 public:
  SaddlePairing(const Source& gradient, const std::vector<bool>& free_edges,
                std::span<const uint32_t> triangles, const PersistenceOptions& options)
      : gradient_(gradient),
        free_edges_(free_edges),
        triangles_(triangles),
        threads_(options.exec.threads()),
        monitor_(monitor_of(options.monitor)),
        numbers_(gradient.critical_cells(1)),
        columns_(triangles.size()) {}

  std::vector<SaddlePair> run() {
    push_down_all();
    std::vector<SaddlePair> pairs;
    std::vector<uint32_t> owner(gradient_.critical_cells(1).size(), none);
    Chain<Source> chain(gradient_);
    for (uint32_t i = 0; i < columns_.size(); ++i) {
      if (i % 256 == 0) report(0.6 + 0.4 * i / static_cast<double>(columns_.size()));
      uint32_t top = columns_[i].top;
      if (top != none && owner[top] != none) top = reduce(owner, columns_[i], chain);
      if (top == none) continue;
      owner[top] = i;
      pairs.push_back({top, triangles_[i]});
    }
    report(1);
    return pairs;
  }

 private:
  /// A chain whose highest edge is critical.
  struct Column {
    uint32_t top = none;           ///< number of that edge; none: the chain is empty
    std::vector<ChainEdge> below;  ///< all others
  };

  void report(double fraction) const { monitor_.update("pairing saddles", fraction); }

  /// Each triangle alone goes as far as it can without knowing the others.
  void push_down_all() {
    report(0);
    std::vector<Chain<Source>> chains(static_cast<size_t>(threads_), Chain<Source>(gradient_));
    host::for_each_chunk(threads_, triangles_.size(), 16, [&](host::Range range, int worker) {
      Chain<Source>& chain = chains[static_cast<size_t>(worker)];
      for (size_t i = range.begin; i < range.end; ++i) {
        if (monitor_.is_stopped()) return;
        const CriticalCell& saddle = gradient_.critical_cells(2)[triangles_[i]];
        push_triangle(chain, gradient_.row_triangle(saddle));
        columns_[i].top = push_down(chain);
        columns_[i].below = chain.take_edges();
      }
    });
    report(0.6);
  }

  /// Adds the columns of earlier triangles until the highest edge is free; its number, or none.
  uint32_t reduce(const std::vector<uint32_t>& owner, Column& column, Chain<Source>& chain) {
    chain.clear();
    chain.add(column.below);
    uint32_t top = column.top;
    while (top != none && owner[top] != none) {
      chain.add(columns_[owner[top]].below);
      top = push_down(chain);
    }
    column.top = top;
    column.below = chain.take_edges();
    return top;
  }

  /// Pushes the chain down the gradient until its highest edge is critical and begins a class; takes that
  /// edge out and gives its number, or none if nothing is left.
  uint32_t push_down(Chain<Source>& chain) const {
    while (const auto edge = chain.pop()) {
      const tiled::VertexId v(edge->highest);
      const uint32_t third = gradient_.triangle_of(v, edge->place);
      if (third != none) {
        push_triangle(chain, gradient_.row_triangle(v, edge->place, third), edge->place);
        continue;
      }
      const uint32_t number = numbers_[gradient_.edge(v, edge->place)];
      if (free_edges_[number]) return number;
    }
    return none;
  }

  /// Adds the edges of a triangle, but for one of its highest vertex that is known to go.
  void push_triangle(Chain<Source>& chain, const RowTriangle& t, uint32_t gone = none) const {
    for (const uint32_t place : {t.high, t.low}) {
      if (place != gone && !gradient_.is_lowest(t.highest, place))
        chain.push({gradient_.order(t.highest), t.highest.index(), place});
    }
    const RowEdge lowest = gradient_.lowest_edge_of(t);
    if (!gradient_.is_lowest(lowest.highest, lowest.place))
      chain.push({gradient_.order(lowest.highest), lowest.highest.index(), lowest.place});
  }

  const Source& gradient_;
  const std::vector<bool>& free_edges_;
  std::span<const uint32_t> triangles_;
  int threads_;
  const Monitor& monitor_;
  CriticalNumbers numbers_;
  std::vector<Column> columns_;
};

}  // namespace

template <class Source>
std::vector<SaddlePair> pair_saddles(const Source& gradient, const std::vector<bool>& free_edges,
                                     std::span<const uint32_t> triangles, const PersistenceOptions& options) {
  return SaddlePairing<Source>(gradient, free_edges, triangles, options).run();
}

template std::vector<SaddlePair> pair_saddles(const GradientData<3>&, const std::vector<bool>&,
                                              std::span<const uint32_t>, const PersistenceOptions&);
template std::vector<SaddlePair> pair_saddles(const GridGradient<3>&, const std::vector<bool>&,
                                              std::span<const uint32_t>, const PersistenceOptions&);

}  // namespace tessera::detail
