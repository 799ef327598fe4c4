#include <memory>

#include <tessera/exec/host/parallel.h>
#include <tessera/topology/critical_numbers.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/saddle_graph.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

/// Paths of a few saddles, in their order.
struct Part {
  std::vector<Separatrices::Ends> ends;
  std::vector<uint32_t> sizes;
  std::vector<CellName> cells;

  void end_path(const Separatrices::Ends& path, size_t begin) {
    ends.push_back(path);
    sizes.push_back(static_cast<uint32_t>(cells.size() - begin));
  }
};

template <int Dim>
class Tracer {
 public:
  Tracer(const Gradient<Dim>& gradient, const MorseSmaleOptions<Dim>& options)
      : gradient_(gradient),
        options_(options),
        minima_(gradient.critical_cells(0)),
        edges_(gradient.critical_cells(1)),
        maxima_(gradient.critical_cells(Dim)) {}

  Separatrices run() {
    if (options_.separatrices) {
      trace(1, 64,
            [&](const CriticalCell& saddle, uint32_t i, int, Part& part) { trace_down(saddle, i, part); });
    }
    if constexpr (Dim == 3) {
      if (options_.connectors) trace_connectors();
    }
    if (options_.separatrices) {
      trace(Dim - 1, 64,
            [&](const CriticalCell& saddle, uint32_t i, int, Part& part) { trace_up(saddle, i, part); });
    }
    return std::move(result_);
  }

 private:
  /// Calls f(saddle, number, worker, part) for all critical cells of a dimension and joins the parts in
  /// order.
  template <class F>
  void trace(int dimension, size_t chunk, const F& f) {
    const auto saddles = gradient_.critical_cells(dimension);
    std::vector<Part> parts((saddles.size() + chunk - 1) / chunk);
    host::for_each_chunk(options_.exec.threads(), saddles.size(), chunk, [&](host::Range range, int worker) {
      if (options_.monitor != nullptr && options_.monitor->is_stopped()) return;
      for (size_t i = range.begin; i < range.end; ++i) {
        f(saddles[i], static_cast<uint32_t>(i), worker, parts[range.begin / chunk]);
      }
    });
    if (options_.monitor != nullptr) options_.monitor->update("tracing separatrices", 0.5);
    size_t cells = result_.cells.size();
    for (const Part& part : parts) cells += part.cells.size();
    result_.cells.reserve(cells);
    for (Part& part : parts) {
      for (size_t s = 0; s < part.ends.size(); ++s) {
        result_.offsets.push_back(checked_offset(std::uint64_t{result_.offsets.back()} + part.sizes[s]));
        ++result_.count[static_cast<size_t>(part.ends[s].type)];
      }
      result_.ends.insert(result_.ends.end(), part.ends.begin(), part.ends.end());
      result_.cells.insert(result_.cells.end(), part.cells.begin(), part.cells.end());
      part = {};
    }
  }

  void trace_down(const CriticalCell& saddle, uint32_t number, Part& part) const {
    const uint32_t place = saddle.name.id - gradient_.first_edge(saddle.highest);
    for (const uint32_t start : {saddle.highest.index(), gradient_.lower(saddle.highest)[place]}) {
      const size_t begin = part.cells.size();
      part.cells.push_back(saddle.name);
      uint32_t v = start;
      part.cells.push_back({v, 0, 0});
      for (auto row = gradient_.lower(VertexId(v)); !row.empty(); row = gradient_.lower(VertexId(v))) {
        part.cells.push_back({gradient_.first_edge(VertexId(v)), 0, 1});
        v = row[0];
        part.cells.push_back({v, 0, 0});
      }
      part.end_path({SeparatrixType::descending, number, minima_[v]}, begin);
    }
  }

  void trace_up(const CriticalCell& saddle, uint32_t number, Part& part) const {
    for (const uint32_t start : saddle.cofaces) {
      const size_t begin = part.cells.size();
      part.cells.push_back(saddle.name);
      uint32_t cell = start;
      part.cells.push_back({cell, 0, Dim});
      while (cell != Gradient<Dim>::none && gradient_.opposite(cell) != Gradient<Dim>::critical) {
        part.cells.push_back(gradient_.facet_of(cell, gradient_.opposite(cell)));
        cell = gradient_.next()[cell];
        part.cells.push_back({cell, 0, Dim});
      }
      if (cell == Gradient<Dim>::none) {  // through the boundary
        part.cells.resize(begin);
      } else {
        part.end_path({SeparatrixType::ascending, number, maxima_[cell]}, begin);
      }
    }
  }

  void trace_connectors() {
    std::vector<std::unique_ptr<SaddleSearch>> searches(static_cast<size_t>(options_.exec.threads()));
    trace(2, 8, [&](const CriticalCell& saddle, uint32_t number, int worker, Part& part) {
      auto& search = searches[static_cast<size_t>(worker)];
      if (search == nullptr) search = std::make_unique<SaddleSearch>(gradient_);
      search->run(saddle);
      for (const uint32_t end : search->ends()) connect(saddle, number, *search, end, part);
    });
  }

  void connect(const CriticalCell& saddle, uint32_t number, const SaddleSearch& search, uint32_t end,
               Part& part) const {
    const size_t begin = part.cells.size();
    const auto& edges = search.edges();
    part.cells.push_back({edges[end].edge, 0, 1});
    for (uint32_t i = edges[end].parent; i != SaddleSearch::none; i = edges[i].parent) {
      part.cells.push_back(search.triangle_of(edges[i]));
      part.cells.push_back({edges[i].edge, 0, 1});
    }
    part.cells.push_back(saddle.name);
    part.end_path({SeparatrixType::connector, edges_[edges[end].edge], number}, begin);
  }

  const Gradient<Dim>& gradient_;
  const MorseSmaleOptions<Dim>& options_;
  CriticalNumbers minima_;
  CriticalNumbers edges_;
  CriticalNumbers maxima_;
  Separatrices result_;
};

}  // namespace

template <int Dim>
Separatrices compute_separatrices(const Gradient<Dim>& gradient, const MorseSmaleOptions<Dim>& options) {
  TS_EXPECTS(!options.separatrices || gradient.next().size() == gradient.tiles().cell_count());
  return Tracer<Dim>(gradient, options).run();
}

template Separatrices compute_separatrices(const Gradient<2>&, const MorseSmaleOptions<2>&);
template Separatrices compute_separatrices(const Gradient<3>&, const MorseSmaleOptions<3>&);

}  // namespace tessera
