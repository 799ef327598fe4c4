// How many vertices have each label.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/exec.h>

namespace tessera::detail {

/// Adds to size_of(label), a uint32_t&, for each label but `none`. Neighbours mostly have one of a few
/// labels, which are counted apart and added when they make room.
template <class SizeOf>
void count_labels(const Exec& exec, const Array<std::uint32_t>& labels, std::uint32_t none,
                  const SizeOf& size_of) {
  struct Count {
    std::uint32_t label;
    std::uint32_t count;
  };
  constexpr std::size_t places = 256;
  host::for_each_chunk(exec.threads(), labels.size(), 1 << 16, [&](host::Range range, int) {
    std::array<Count, places> counts;
    counts.fill({none, 0});
    const auto add = [&](const Count& one) {
      if (one.label != none)
        std::atomic_ref(size_of(one.label)).fetch_add(one.count, std::memory_order_relaxed);
    };
    for (std::size_t v = range.begin; v < range.end; ++v) {
      Count& one = counts[labels[v] % places];
      if (one.label != labels[v]) {
        add(one);
        one = {labels[v], 0};
      }
      ++one.count;
    }
    for (const Count& one : counts) add(one);
  });
}

}  // namespace tessera::detail
