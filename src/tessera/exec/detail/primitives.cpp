#include <tessera/exec/primitives.h>

#include <algorithm>
#include <limits>

#include <tessera/core/config.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/cuda/primitives.h>
#include <tessera/exec/detail/host/radix_sort.h>
#include <tessera/exec/detail/host/reduce.h>
#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/detail/host/scan.h>

namespace tessera {

using namespace detail;

template <class T>
T reduce_sum(const Exec& exec, std::span<const T> values) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::reduce_sum<T>(exec, values);
  }
  return host::reduce(exec.threads(), values.size(), T{}, reduce_order::Loaded<T>{values.data()},
                      std::plus<T>{});
}

template <class T>
MinMax<T> reduce_min_max(const Exec& exec, std::span<const T> values) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::reduce_min_max<T>(exec, values);
  }
  return host::reduce(
      exec.threads(), values.size(), no_values<T>(), [&](std::size_t i) { return min_max_of(values[i]); },
      merge_min_max<T>);
}

template <Summable In, Summable Out>
void exclusive_scan(const Exec& exec, std::span<const In> in, std::span<Out> out) {
  TS_EXPECTS(out.size() == in.size() || out.size() == in.size() + 1);
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::exclusive_scan<In, Out>(exec, in, out);
  }
  host::exclusive_scan(exec.threads(), in, out);
}

template <Index Key>
void sort_keys(const Exec& exec, std::span<Key> keys, int bits) {
  TS_EXPECTS(bits >= 0 && bits <= static_cast<int>(8 * sizeof(Key)));
  if (bits == 0 || keys.size() < 2) return;
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::sort_keys<Key>(exec, keys, bits);
  }
  host::RadixSorter<Key, host::NoValue>(exec.threads(), keys, {}).sort(bits);
}

template <Index Key, Index Value>
void sort_pairs(const Exec& exec, std::span<Key> keys, std::span<Value> values, int bits) {
  TS_EXPECTS(keys.size() == values.size());
  TS_EXPECTS(bits >= 0 && bits <= static_cast<int>(8 * sizeof(Key)));
  if (bits == 0 || keys.size() < 2) return;
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::sort_pairs<Key, Value>(exec, keys, values, bits);
  }
  host::RadixSorter<Key, Value>(exec.threads(), keys, values).sort(bits);
}

template <Index Key>
std::size_t run_lengths(const Exec& exec, std::span<const Key> keys, std::span<Key> run_keys,
                        std::span<uint32_t> run_sizes) {
  TS_EXPECTS(keys.size() <= 0xFFFFFFFFu);  // a run may be all of them
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::run_lengths<Key>(exec, keys, run_keys, run_sizes);
  }
  return host::for_each_run(exec.threads(), keys, [&](std::size_t first, std::size_t last, std::size_t run) {
    run_keys[run] = keys[first];
    run_sizes[run] = static_cast<uint32_t>(last - first);
  });
}

template <Index Key>
std::size_t unique(const Exec& exec, std::span<const Key> keys, std::span<Key> out) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::unique<Key>(exec, keys, out);
  }
  return host::for_each_kept(
      exec.threads(), keys.size(), [&](std::size_t i) { return i == 0 || keys[i] != keys[i - 1]; },
      [&](std::size_t i, std::size_t position) { out[position] = keys[i]; });
}

template <Index Key, Index Value>
std::size_t reduce_by_key(const Exec& exec, std::span<const Key> keys, std::span<const Value> values,
                          std::span<Key> run_keys, std::span<Value> run_sums) {
  TS_EXPECTS(keys.size() == values.size());
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::reduce_by_key<Key, Value>(exec, keys, values, run_keys, run_sums);
  }
  return host::for_each_run(exec.threads(), keys, [&](std::size_t first, std::size_t last, std::size_t run) {
    Value sum{};
    for (std::size_t i = first; i < last; ++i) sum += values[i];
    run_keys[run] = keys[first];
    run_sums[run] = sum;
  });
}

template <Index T>
std::size_t compact(const Exec& exec, std::span<const T> values, std::span<const uint8_t> flags,
                    std::span<T> out) {
  TS_EXPECTS(values.size() == flags.size());
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::compact<T>(exec, values, flags, out);
  }
  return host::for_each_kept(
      exec.threads(), flags.size(), [&](std::size_t i) { return flags[i] != 0; },
      [&](std::size_t i, std::size_t position) { out[position] = values[i]; });
}

std::size_t compact_indices(const Exec& exec, std::span<const uint8_t> flags, std::span<uint32_t> out) {
  TS_EXPECTS(flags.size() <= 0xFFFFFFFFu);
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::compact_indices(exec, flags, out);
  }
  return host::for_each_kept(
      exec.threads(), flags.size(), [&](std::size_t i) { return flags[i] != 0; },
      [&](std::size_t i, std::size_t position) { out[position] = static_cast<uint32_t>(i); });
}

void compact_indices(const Exec& exec, std::span<const uint8_t> flags, std::span<uint32_t> out,
                     uint32_t* count) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) {
      TS_EXPECTS(flags.size() <= 0xFFFFFFFFu);
      return cuda::compact_indices(exec, flags, out, count);
    }
  }
  *count = static_cast<uint32_t>(compact_indices(exec, flags, out));
}

#include <tessera/exec/detail/instantiate_primitives.inc>

}  // namespace tessera
