#include <algorithm>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/detail/flatten.h>
#include <tessera/topology/detail/grid_gradient.h>
#include <tessera/topology/detail/segmentation.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = GradientData<3>::none;

/// Numbers the pairs (descending, ascending) that occur, in their order. Neighbours mostly have the same one,
/// so only the first of those that follow each other is sorted.
size_t number_pairs(Segmentation& labels, size_t maxima, const Exec& exec) {
  constexpr std::uint64_t no_pair = ~std::uint64_t{0};
  const size_t n = labels.ascending.size();
  const auto key = [&](size_t v) {
    const bool has_both = labels.ascending[v] >= 0 && labels.descending[v] >= 0;
    return has_both ? static_cast<std::uint64_t>(labels.descending[v]) * maxima +
                          static_cast<std::uint64_t>(labels.ascending[v])
                    : no_pair;
  };
  std::vector<std::vector<std::uint64_t>> parts(static_cast<size_t>(exec.threads()));
  host::for_each_chunk(exec.threads(), n, size_t{1} << 16, [&](host::Range range, int worker) {
    std::uint64_t last = no_pair;
    for (size_t v = range.begin; v < range.end; ++v) {
      const std::uint64_t pair = key(v);
      if (pair != last && pair != no_pair) parts[static_cast<size_t>(worker)].push_back(pair);
      last = pair;
    }
  });
  Array<std::uint64_t> keys;
  for (std::vector<std::uint64_t>& part : parts) {
    keys.insert(keys.end(), part.begin(), part.end());
    part = {};
  }
  sort_keys<std::uint64_t>(exec, keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  labels.morse_smale.resize(n);
  host_for_each(exec, n, [&](size_t v) {
    const std::uint64_t pair = key(v);
    const auto place = std::lower_bound(keys.begin(), keys.end(), pair);
    labels.morse_smale[v] = pair == no_pair ? -1 : static_cast<std::int32_t>(place - keys.begin());
  });
  return keys.size();
}

size_t count_labels(const Array<std::int32_t>& labels, size_t numbers) {
  std::vector<bool> seen(numbers, false);
  for (const std::int32_t label : labels) {
    if (label >= 0) seen[static_cast<size_t>(label)] = true;
  }
  return static_cast<size_t>(std::count(seen.begin(), seen.end(), true));
}

/// `flatten_up(exec)` gives a function of a vertex: the last cell of the path from its first cell, or none.
template <class Source, int Dim, class FlattenUp>
Segmentation label_vertices(const Source& gradient, const MorseSmaleOptions<Dim>& options,
                            const FlattenUp& flatten_up) {
  const Monitor& monitor = monitor_of(options.monitor);
  const auto report = [&](double fraction) { monitor.update("finding regions", fraction); };
  report(0);
  const Exec exec = Exec::host(options.exec.threads());
  const size_t n = gradient.vertex_count();
  const auto tiled_vertex = [](size_t v) { return tiled::VertexId(static_cast<uint32_t>(v)); };
  const auto input = [&](size_t v) { return gradient.to_input(tiled_vertex(v)).index(); };
  Segmentation labels;
  {
    labels.descending.resize(n);
    const CriticalNumbers minima(gradient.critical_cells(0));
    Array<uint32_t> down(n);
    host_for_each(exec, n, [&](size_t v) { down[v] = gradient.lowest(tiled_vertex(v)); });
    flatten(down, exec);
    host_for_each(exec, n, [&](size_t v) {
      labels.descending[input(v)] =
          static_cast<std::int32_t>(minima[root_of(down, static_cast<uint32_t>(v))]);
    });
  }
  report(0.4);
  {
    labels.ascending.resize(n);
    const CriticalNumbers maxima(gradient.critical_cells(Dim));
    const auto end_of = flatten_up(exec);
    host_for_each(exec, n, [&](size_t v) {
      const uint32_t root = end_of(static_cast<uint32_t>(v));
      const bool has_maximum = root != none && gradient.is_critical(root);
      labels.ascending[input(v)] = has_maximum ? static_cast<std::int32_t>(maxima[root]) : -1;
    });
  }
  report(0.8);
  const size_t maximum_count = gradient.critical_cells(Dim).size();
  labels.count = {count_labels(labels.ascending, maximum_count),
                  count_labels(labels.descending, gradient.critical_cells(0).size()),
                  number_pairs(labels, maximum_count, exec)};
  report(1);
  return labels;
}

template <int Dim>
Segmentation segment_on_device(const GradientData<Dim>& gradient, const Monitor& monitor) {
  const cuda::DeviceLabels labels =
      cuda::find_regions(*gradient.on_device(), critical_ids(gradient.critical_cells(0)),
                         critical_ids(gradient.critical_cells(Dim)), monitor);
  return {labels.ascending.to_host(), labels.descending.to_host(), labels.morse_smale.to_host(),
          labels.count};
}

}  // namespace

namespace detail {

template <int Dim>
Segmentation find_segmentation(const GradientData<Dim>& gradient, Array<uint32_t> up,
                               const MorseSmaleOptions<Dim>& options) {
  const Monitor& monitor = monitor_of(options.monitor);
  if constexpr (built_with_cuda) {
    if (is_usable_on_device(gradient, options.exec)) return segment_on_device(gradient, monitor);
  }
  TS_EXPECTS(up.size() == gradient.tiles().cell_count());
  return label_vertices(gradient, options, [&](const Exec& exec) {
    flatten(up, exec);
    return [&gradient, flat = std::move(up)](uint32_t v) {
      const uint32_t cell = gradient.first_cells()[v];
      return cell == none ? none : root_of(flat, cell);
    };
  });
}

template Segmentation find_segmentation(const GradientData<2>&, Array<uint32_t>, const MorseSmaleOptions<2>&);
template Segmentation find_segmentation(const GradientData<3>&, Array<uint32_t>, const MorseSmaleOptions<3>&);

}  // namespace detail

namespace {

/// Of a grid: paths from the first cells of vertices meet first cells of others, so a number for each vertex
/// is enough, where cells are several times as many.
template <int Dim>
Segmentation label_grid(const GridGradient<Dim>& gradient, const MorseSmaleOptions<Dim>& options) {
  /// Where the path from the first cell of a vertex comes by the first cell of another.
  struct Stop {
    uint32_t vertex;  ///< none: nowhere, the path ends before
    uint32_t cell;    ///< its last cell; none: outside
  };
  const auto climb = [&](uint32_t v) {
    for (uint32_t cell = gradient.cells().first_top(v); cell != none; cell = gradient.next_cell(cell)) {
      if (gradient.is_critical(cell)) return Stop{none, cell};
      const uint32_t next = gradient.next_cell(cell);
      if (next == none) break;
      const uint32_t other = gradient.cells().vertex_of_first(GridCells<Dim>::top(next));
      if (other != none) return Stop{other, next};
    }
    return Stop{none, none};
  };
  return label_vertices(gradient, options, [&](const Exec& exec) {
    Array<uint32_t> up(gradient.vertex_count());
    host_for_each(exec, up.size(), [&](size_t v) { up[v] = climb(static_cast<uint32_t>(v)).vertex; });
    flatten(up, exec);
    return [climb, flat = std::move(up)](uint32_t v) { return climb(root_of(flat, v)).cell; };
  });
}

}  // namespace

template <int Dim>
Segmentation compute_segmentation(const Gradient<Dim>& gradient, const MorseSmaleOptions<Dim>& options) {
  refuse_periodic(options);
  return gradient.visit([&]<class Source>(const Source& source) {
    if constexpr (std::is_same_v<Source, GradientData<Dim>>) {
      if (is_usable_on_device(source, options.exec)) return find_segmentation(source, {}, options);
      source.expect_paths();
      return find_segmentation(source, Array<uint32_t>(source.next().begin(), source.next().end()), options);
    } else {
      check_grid_options(options, "compute_segmentation()");
      return label_grid(source, options);
    }
  });
}

template Segmentation compute_segmentation(const Gradient<2>&, const MorseSmaleOptions<2>&);
template Segmentation compute_segmentation(const Gradient<3>&, const MorseSmaleOptions<3>&);

}  // namespace tessera
