// How many vertices have each label.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/exec.h>

namespace tessera::detail {

/// Adds to size_of(label), a uint32_t&, for each label but `none`. Neighbours mostly have the same one.
template <class SizeOf>
void count_labels(const Exec& exec, const Array<std::uint32_t>& labels, std::uint32_t none,
                  const SizeOf& size_of) {
  host::for_each_chunk(exec.threads(), labels.size(), 4096, [&](host::Range range, int) {
    std::uint32_t last = none;
    std::uint32_t count = 0;
    const auto add = [&] {
      if (last != none) std::atomic_ref(size_of(last)).fetch_add(count, std::memory_order_relaxed);
    };
    for (std::size_t v = range.begin; v < range.end; ++v) {
      if (labels[v] != last) {
        add();
        last = labels[v];
        count = 0;
      }
      ++count;
    }
    add();
  });
}

}  // namespace tessera::detail
