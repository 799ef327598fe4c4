#include <atomic>
#include <memory>
#include <type_traits>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/detail/grid_gradient.h>
#include <tessera/topology/detail/path_joiner.h>
#include <tessera/topology/detail/saddle_graph.h>
#include <tessera/topology/detail/segmentation.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

/// Traces paths on host threads, the saddles of each kind cut into parts.
template <class Source, int Dim = Source::dim>
class Tracer {
 public:
  Tracer(const Source& gradient, const MorseSmaleOptions<Dim>& options)
      : gradient_(gradient), threads_(options.exec.threads()), monitor_(monitor_of(options.monitor)) {}

  [[nodiscard]] std::vector<PathPart> descending() const {
    const auto saddles = gradient_.critical_cells(1);
    const CriticalNumbers minima(gradient_.critical_cells(0));
    return trace(saddles.size(), 64, [&](size_t i, int, PathPart& part) {
      trace_down(saddles[i], static_cast<uint32_t>(i), minima, part);
    });
  }

  [[nodiscard]] std::vector<PathPart> ascending() const {
    const auto saddles = gradient_.critical_cells(Dim - 1);
    const CriticalNumbers maxima(gradient_.critical_cells(Dim));
    return trace(saddles.size(), 64, [&](size_t i, int, PathPart& part) {
      trace_up(saddles[i], static_cast<uint32_t>(i), maxima, part);
    });
  }

  /// Of 2-saddles number(0) to number(count - 1), `chunk` in a part.
  template <class Number>
  [[nodiscard]] std::vector<PathPart> connectors(size_t count, size_t chunk, const Number& number) const {
    const auto saddles = gradient_.critical_cells(2);
    const CriticalNumbers edges(gradient_.critical_cells(1));
    std::vector<std::unique_ptr<SaddleSearch<Source>>> searches(static_cast<size_t>(threads_));
    return trace(count, chunk, [&](size_t i, int worker, PathPart& part) {
      auto& search = searches[static_cast<size_t>(worker)];
      if (search == nullptr) search = std::make_unique<SaddleSearch<Source>>(gradient_);
      const uint32_t own = number(i);
      search->run(saddles[own]);
      for (const uint32_t end : search->ends()) connect(saddles[own].name, own, *search, end, edges, part);
    });
  }

 private:
  /// Calls f(i, worker, part) for i in [0, count); `chunk` of them share a part.
  template <class F>
  std::vector<PathPart> trace(size_t count, size_t chunk, const F& f) const {
    std::vector<PathPart> parts((count + chunk - 1) / chunk);
    std::atomic<std::uint64_t> cells = 0;  // paths that join repeat what they share, so there may be too many
    host::for_each_chunk(threads_, count, chunk, [&](host::Range range, int worker) {
      if (monitor_.is_stopped()) return;
      PathPart& part = parts[range.begin / chunk];
      for (size_t i = range.begin; i < range.end; ++i) f(i, worker, part);
      if ((cells += part.cells.size()) > 0xFFFFFFFFull) refuse_paths();
    });
    monitor_.update("tracing separatrices", 0.5);
    return parts;
  }

  [[noreturn]] static void refuse_paths() {
    throw Error(ErrorCode::unsupported,
                "the separatrices have more than 4294967295 cells on their paths, most of which they share; "
                "simplify the field with a threshold or leave them out");
  }

  void trace_down(const CriticalCell& saddle, uint32_t number, const CriticalNumbers& minima,
                  PathPart& part) const {
    const tiled::VertexId highest = gradient_.highest(saddle);
    for (const uint32_t start : {highest.index(), gradient_.neighbour(highest, gradient_.place(saddle))}) {
      const size_t begin = part.cells.size();
      part.cells.push_back(saddle.name);
      uint32_t v = start;
      part.cells.push_back({v, 0, 0});
      for (uint32_t low = gradient_.lowest(tiled::VertexId(v)); low != Source::none;
           low = gradient_.lowest(tiled::VertexId(v))) {
        part.cells.push_back(gradient_.lowest_edge(tiled::VertexId(v)));
        v = low;
        part.cells.push_back({v, 0, 0});
      }
      part.end_path({SeparatrixType::descending, number, minima[v]}, begin);
    }
  }

  void trace_up(const CriticalCell& saddle, uint32_t number, const CriticalNumbers& maxima,
                PathPart& part) const {
    for (const uint32_t start : gradient_.cofaces(number)) {
      const size_t begin = part.cells.size();
      part.cells.push_back(saddle.name);
      uint32_t cell = start;
      part.cells.push_back({cell, 0, Dim});
      while (cell != Source::none && !gradient_.is_critical(cell)) {
        part.cells.push_back(gradient_.next_facet(cell));
        cell = gradient_.next_cell(cell);
        part.cells.push_back({cell, 0, Dim});
      }
      if (cell == Source::none) {  // through the boundary
        part.cells.resize(begin);
      } else {
        part.end_path({SeparatrixType::ascending, number, maxima[cell]}, begin);
      }
    }
  }

  static void connect(const CellName& saddle, uint32_t number, const SaddleSearch<Source>& search,
                      uint32_t end, const CriticalNumbers& numbers, PathPart& part) {
    const size_t begin = part.cells.size();
    const auto& edges = search.edges();
    part.cells.push_back({edges[end].edge, 0, 1});
    for (uint32_t i = edges[end].parent; i != Source::none; i = edges[i].parent) {
      part.cells.push_back(search.triangle_of(edges[i]));
      part.cells.push_back({edges[i].edge, 0, 1});
    }
    part.cells.push_back(saddle);
    part.end_path({SeparatrixType::connector, numbers[edges[end].edge], number}, begin);
  }

  const Source& gradient_;
  int threads_;
  const Monitor& monitor_;
};

template <class Source, int Dim = Source::dim>
Separatrices trace_on_host(const Source& gradient, const MorseSmaleOptions<Dim>& options) {
  const Tracer<Source> tracer(gradient, options);
  PathJoiner joiner;
  if (options.separatrices) joiner.add(SeparatrixType::descending, tracer.descending());
  if constexpr (Dim == 3) {
    if (options.connectors) {
      joiner.add(SeparatrixType::connector,
                 tracer.connectors(gradient.critical_cells(2).size(), 8,
                                   [](size_t i) { return static_cast<uint32_t>(i); }));
    }
  }
  if (options.separatrices) joiner.add(SeparatrixType::ascending, tracer.ascending());
  const Exec host = Exec::host(options.exec.threads());
  return joiner.join(host, host);
}

/// Paths on the device on their way into a Separatrices.
template <int Dim>
class DeviceTracer {
 public:
  DeviceTracer(const GradientData<Dim>& gradient, const MorseSmaleOptions<Dim>& options)
      : gradient_(gradient),
        device_(*gradient.on_device()),
        options_(options),
        monitor_(monitor_of(options.monitor)) {}

  Separatrices run() {
    if (options_.separatrices) {
      descending_ = cuda::trace_descending(device_, saddles(1), ids(0), monitor_);
      add_all(SeparatrixType::descending, descending_);
    }
    report(0.3);
    const Array<cuda::Saddle> upper = saddles(Dim - 1);
    if constexpr (Dim == 3) {
      if (options_.connectors) add_connectors(upper);
    }
    report(0.7);
    if (options_.separatrices) {
      ascending_ = cuda::trace_ascending(device_, upper, cuda::path_starts_of(gradient_), ids(Dim), monitor_);
      add_all(SeparatrixType::ascending, ascending_);
    }
    report(1);
    return joiner_.join(Exec::host(options_.exec.threads()), device_.exec());
  }

 private:
  void report(double fraction) const { monitor_.update("tracing separatrices", fraction); }

  [[nodiscard]] Array<cuda::Saddle> saddles(int dimension) const {
    return cuda::saddles_of(gradient_, dimension);
  }
  [[nodiscard]] Array<uint32_t> ids(int dimension) const {
    return critical_ids(gradient_.critical_cells(dimension));
  }

  void add_all(SeparatrixType type, const cuda::DevicePaths& paths) {
    joiner_.add(type, paths, {0, paths.ends.size()}, {0, paths.cells.size()});
  }

  /// The device's paths, and between them those of saddles that it leaves to the host.
  void add_connectors(const Array<cuda::Saddle>& saddles) {
    connectors_ = cuda::trace_connectors(device_, saddles, ids(1), monitor_);
    const auto& left = connectors_.left;
    if (left.empty()) return add_all(SeparatrixType::connector, connectors_.paths);
    auto parts = Tracer<GradientData<Dim>>(gradient_, options_).connectors(left.size(), 1, [&](size_t i) {
      return left[i].saddle;
    });
    size_t path = 0;
    size_t cell = 0;
    const auto add_until = [&](size_t end_path, size_t end_cell) {
      joiner_.add(SeparatrixType::connector, connectors_.paths, {path, end_path}, {cell, end_cell});
      path = end_path;
      cell = end_cell;
    };
    for (size_t i = 0; i < left.size(); ++i) {
      add_until(left[i].path, left[i].cell);
      joiner_.add(SeparatrixType::connector, std::move(parts[i]));
    }
    add_until(connectors_.paths.ends.size(), connectors_.paths.cells.size());
  }

  const GradientData<Dim>& gradient_;
  const cuda::DeviceGradient<Dim>& device_;
  const MorseSmaleOptions<Dim>& options_;
  const Monitor& monitor_;
  cuda::DevicePaths descending_;
  cuda::DeviceConnectors connectors_;
  cuda::DevicePaths ascending_;
  PathJoiner joiner_;
};

}  // namespace

template <int Dim>
Separatrices compute_separatrices(const Gradient<Dim>& gradient, const MorseSmaleOptions<Dim>& options) {
  refuse_periodic(options);
  if constexpr (built_with_cuda) {
    const GradientData<Dim>* data = gradient.on_mesh();
    if (data != nullptr && is_usable_on_device(*data, options.exec))
      return DeviceTracer<Dim>(*data, options).run();
  }
  return gradient.visit([&]<class Source>(const Source& source) {
    if constexpr (std::is_same_v<Source, GridGradient<Dim>>)
      check_grid_options(options, "compute_separatrices()");
    if (options.separatrices) source.expect_paths();
    return trace_on_host(source, options);
  });
}

template Separatrices compute_separatrices(const Gradient<2>&, const MorseSmaleOptions<2>&);
template Separatrices compute_separatrices(const Gradient<3>&, const MorseSmaleOptions<3>&);

}  // namespace tessera
