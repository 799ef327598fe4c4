// Loops that list the elements of sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail {

struct LowWords {
  const std::uint64_t* from;
  std::uint32_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = static_cast<std::uint32_t>(from[i]); }
};

/// Where the pairs of each set begin among all, which are sorted.
struct FindSets {
  const std::uint64_t* pairs;
  std::size_t count;
  std::uint32_t* offsets;
  TS_HD void operator()(std::size_t set) const {
    std::size_t low = 0;
    std::size_t high = count;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if ((pairs[middle] >> 32) < set)
        low = middle + 1;
      else
        high = middle;
    }
    offsets[set] = static_cast<std::uint32_t>(low);
  }
};

}  // namespace tessera::detail
