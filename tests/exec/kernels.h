// A kernel written once for teams, and what it must compute. Shared by the host's and the device's tests.
#pragma once

#include <cstdint>
#include <vector>

#include <tessera/core/macros.h>

namespace tessera {

/// Fills out[tile] with the sum over the tile's row lengths and row_begin with their offsets: counts, scans,
/// fills as tile kernels do. A row of item i has i % 5 entries.
template <class Team>
TS_HD void count_scan_fill(const Team& team, std::uint32_t items, std::uint32_t* offsets,
                           std::uint32_t* filled, std::uint32_t* total) {
  team.for_each(items, [&](std::uint32_t i) { offsets[i] = i % 5; });
  team.sync();
  const std::uint32_t sum = team.exclusive_scan(offsets, items);
  if (team.rank() == 0) *total = 0;
  team.sync();
  team.for_each(items, [&](std::uint32_t i) {
    for (std::uint32_t k = 0; k < i % 5; ++k) filled[offsets[i] + k] = 10 * i + k;
    team.add(*total, i % 5);
  });
  team.sync();
  if (team.rank() == 0 && *total != sum) *total = 0xFFFFFFFFu;
}

/// What `filled` must hold.
inline std::vector<std::uint32_t> expected_fill(std::uint32_t items) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::uint32_t k = 0; k < i % 5; ++k) result.push_back(10 * i + k);
  }
  return result;
}

}  // namespace tessera
