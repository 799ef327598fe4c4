#include <span>
#include <utility>

#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/topology/detail/cuda/device_numbers.cuh>

namespace tessera::detail::cuda {
namespace {

using std::int32_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr uint32_t none = 0xFFFFFFFFu;
constexpr uint64_t no_pair = ~uint64_t{0};

/// Makes every entry of a forest point to its root, whose own entry is none. An entry is only ever replaced
/// by one further up the same path, so that threads may meet on it.
void flatten(const Exec& exec, Buffer<uint32_t>& next) {
  cuda::for_each(exec, next.size(), [up = next.data()] __device__(size_t start) {
    volatile uint32_t* const path = up;
    const uint32_t first = path[start];
    if (first == none) return;
    uint32_t at = first;
    uint32_t steps = 0;
    for (uint32_t further = path[at]; further != none; further = path[at]) {
      at = further;
      if (++steps % 8 == 0) path[start] = at;  // for those who come this way meanwhile
    }
    if (at != first) path[start] = at;
  });
}

/// How many of the numbers occur.
size_t count_labels(const Exec& exec, const Buffer<int32_t>& labels, size_t numbers) {
  Buffer<uint32_t> seen(exec, numbers);
  cuda::for_each(exec, numbers, [out = seen.data()] __device__(size_t i) { out[i] = 0; });
  cuda::for_each(exec, labels.size(), [label = labels.data(), out = seen.data()] __device__(size_t v) {
    if (label[v] >= 0) out[label[v]] = 1;
  });
  return reduce_sum<uint32_t>(exec, std::as_const(seen).span());
}

}  // namespace

template <int Dim>
DeviceLabels find_regions(const DeviceGradient<Dim>& gradient, std::span<const uint32_t> minima,
                          std::span<const uint32_t> maxima, const Monitor& monitor) {
  const auto report = [&](double fraction) { monitor.update("finding regions", fraction); };
  report(0);
  const Exec& exec = gradient.exec();
  const size_t n = gradient.first_cells.size();
  const DeviceNumbers minimum_numbers(exec, minima);
  const DeviceNumbers maximum_numbers(exec, maxima);
  Buffer<uint32_t> down(exec, n);
  cuda::for_each(
      exec, n,
      [offsets = gradient.offsets.data(), lower = gradient.lower.data(), to = down.data()] __device__(
          size_t v) { to[v] = offsets[v] == offsets[v + 1] ? none : lower[offsets[v]]; });
  flatten(exec, down);
  report(0.2);
  Buffer<uint32_t> up(exec, gradient.next.size());
  detail::copy(exec, up.data(), gradient.next.data(), up.bytes(), detail::CopyKind::on_device);
  flatten(exec, up);
  report(0.5);
  DeviceLabels labels{Buffer<int32_t>(exec, n), Buffer<int32_t>(exec, n), Buffer<int32_t>(exec, n)};
  Buffer<uint64_t> keys(exec, n);
  cuda::for_each(exec, n,
                 [first = gradient.first_cells.data(), next = up.data(), opposite = gradient.opposite.data(),
                  lowest = down.data(), vertex_to_input = gradient.tiles->vertex_to_input.data(),
                  minimum = minimum_numbers.view(), maximum = maximum_numbers.view(),
                  descending = labels.descending.data(), ascending = labels.ascending.data(),
                  key = keys.data()] __device__(size_t v) {
                   const size_t to = vertex_to_input == nullptr ? v : vertex_to_input[v];
                   const uint32_t low = lowest[v] == none ? static_cast<uint32_t>(v) : lowest[v];
                   const uint32_t cell = first[v];
                   const uint32_t root = cell == none || next[cell] == none ? cell : next[cell];
                   const int32_t d = minimum[low];
                   const int32_t a = root != none && opposite[root] == 255 ? maximum[root] : -1;
                   descending[to] = d;
                   ascending[to] = a;
                   key[to] = d >= 0 && a >= 0
                                 ? static_cast<uint64_t>(d) * maximum.size + static_cast<uint64_t>(a)
                                 : no_pair;
                 });
  down = {};
  up = {};
  labels.count.ascending = count_labels(exec, labels.ascending, maxima.size());
  labels.count.descending = count_labels(exec, labels.descending, minima.size());
  report(0.7);
  Buffer<uint64_t> sorted(exec, n);
  detail::copy(exec, sorted.data(), keys.data(), keys.bytes(), detail::CopyKind::on_device);
  sort_keys<uint64_t>(exec, sorted.span());
  Buffer<uint64_t> pairs(exec, n);
  size_t count = unique<uint64_t>(exec, std::as_const(sorted).span(), pairs.span());
  sorted = {};
  cuda::for_each(
      exec, n,
      [key = keys.data(), pair = pairs.data(), count, out = labels.morse_smale.data()] __device__(size_t v) {
        out[v] = key[v] == no_pair ? -1 : static_cast<int32_t>(find(pair, count, key[v]));
      });
  if (count > 0) {
    uint64_t last = 0;
    detail::copy(exec, &last, pairs.data() + count - 1, sizeof(last), detail::CopyKind::to_host);
    if (last == no_pair) --count;
  }
  labels.count.morse_smale = count;
  report(1);
  return labels;
}

template DeviceLabels find_regions(const DeviceGradient<2>&, std::span<const uint32_t>,
                                   std::span<const uint32_t>, const Monitor&);
template DeviceLabels find_regions(const DeviceGradient<3>&, std::span<const uint32_t>,
                                   std::span<const uint32_t>, const Monitor&);

}  // namespace tessera::detail::cuda
