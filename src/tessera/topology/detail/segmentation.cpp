#include <atomic>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/detail/segmentation.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = GradientData<3>::none;

/// Makes every entry of a forest point to its root, whose own entry is none. Threads may meet on a path: they
/// only ever write entries that lead to the same root.
void flatten(Array<uint32_t>& next, const Exec& exec) {
  const auto at = [&](uint32_t i) { return std::atomic_ref<uint32_t>(next[i]); };
  host_for_each(exec, next.size(), [&](size_t start) {
    uint32_t root = static_cast<uint32_t>(start);
    for (uint32_t up = at(root).load(std::memory_order_relaxed); up != none;
         up = at(root).load(std::memory_order_relaxed)) {
      root = up;
    }
    for (uint32_t i = static_cast<uint32_t>(start); i != root;) {
      const uint32_t up = at(i).load(std::memory_order_relaxed);
      at(i).store(root, std::memory_order_relaxed);
      i = up;
    }
  });
}

uint32_t root_of(const Array<uint32_t>& flat, uint32_t i) {
  return flat[i] == none ? i : flat[i];
}

/// Numbers the pairs (descending, ascending) that occur, in their order.
size_t number_pairs(Segmentation& labels, size_t maxima, const Exec& exec) {
  const size_t n = labels.ascending.size();
  Array<std::uint64_t> keys(n);
  const auto key = [&](size_t v) {
    const bool has_both = labels.ascending[v] >= 0 && labels.descending[v] >= 0;
    return has_both ? static_cast<std::uint64_t>(labels.descending[v]) * maxima +
                          static_cast<std::uint64_t>(labels.ascending[v])
                    : ~std::uint64_t{0};
  };
  host_for_each(exec, n, [&](size_t v) { keys[v] = key(v); });
  sort_keys<std::uint64_t>(exec, keys);
  Array<std::uint64_t> pairs(n);
  pairs.resize(unique<std::uint64_t>(exec, keys, pairs));
  if (!pairs.empty() && pairs.back() == ~std::uint64_t{0}) pairs.pop_back();
  labels.morse_smale.resize(n);
  host_for_each(exec, n, [&](size_t v) {
    const auto place = std::lower_bound(pairs.begin(), pairs.end(), key(v));
    labels.morse_smale[v] = place == pairs.end() ? -1 : static_cast<std::int32_t>(place - pairs.begin());
  });
  return pairs.size();
}

size_t count_labels(const Array<std::int32_t>& labels, size_t numbers) {
  std::vector<bool> seen(numbers, false);
  for (const std::int32_t label : labels) {
    if (label >= 0) seen[static_cast<size_t>(label)] = true;
  }
  return static_cast<size_t>(std::count(seen.begin(), seen.end(), true));
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
  const auto report = [&](double fraction) { monitor.update("finding regions", fraction); };
  report(0);
  const Exec exec = Exec::host(options.exec.threads());
  TS_EXPECTS(up.size() == gradient.tiles().cell_count());
  const size_t n = gradient.tiles().vertex_count();
  Segmentation labels;
  labels.descending.resize(n);
  labels.ascending.resize(n);
  const auto tiled_vertex = [](size_t v) { return tiled::VertexId(static_cast<uint32_t>(v)); };
  const auto input = [&](size_t v) { return gradient.to_input(tiled_vertex(v)).index(); };

  const CriticalNumbers minima(gradient.critical_cells(0));
  Array<uint32_t> down(n);
  host_for_each(exec, n, [&](size_t v) {
    const auto row = gradient.lower(tiled_vertex(v));
    down[v] = row.empty() ? none : row[0];
  });
  flatten(down, exec);
  host_for_each(exec, n, [&](size_t v) {
    labels.descending[input(v)] = static_cast<std::int32_t>(minima[root_of(down, static_cast<uint32_t>(v))]);
  });
  down = {};
  report(0.4);

  const CriticalNumbers maxima(gradient.critical_cells(Dim));
  flatten(up, exec);
  host_for_each(exec, n, [&](size_t v) {
    const uint32_t cell = gradient.first_cells()[v];
    const uint32_t root = cell == none ? none : root_of(up, cell);
    const bool has_maximum = root != none && gradient.opposite(root) == GradientData<Dim>::critical;
    labels.ascending[input(v)] = has_maximum ? static_cast<std::int32_t>(maxima[root]) : -1;
  });
  up = {};
  report(0.8);
  const size_t maximum_count = gradient.critical_cells(Dim).size();
  labels.count = {count_labels(labels.ascending, maximum_count),
                  count_labels(labels.descending, gradient.critical_cells(0).size()),
                  number_pairs(labels, maximum_count, exec)};
  report(1);
  return labels;
}

template Segmentation find_segmentation(const GradientData<2>&, Array<uint32_t>, const MorseSmaleOptions<2>&);
template Segmentation find_segmentation(const GradientData<3>&, Array<uint32_t>, const MorseSmaleOptions<3>&);

}  // namespace detail

template <int Dim>
Segmentation compute_segmentation(const Gradient<Dim>& gradient, const MorseSmaleOptions<Dim>& options) {
  const GradientData<Dim>& data = gradient.data();
  if (is_usable_on_device(data, options.exec)) return find_segmentation(data, {}, options);
  data.expect_paths();
  return find_segmentation(data, Array<uint32_t>(data.next().begin(), data.next().end()), options);
}

template Segmentation compute_segmentation(const Gradient<2>&, const MorseSmaleOptions<2>&);
template Segmentation compute_segmentation(const Gradient<3>&, const MorseSmaleOptions<3>&);

}  // namespace tessera
