// Is the order of a mesh's vertices local enough to be kept? One measure on host and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail {

inline constexpr std::uint32_t run_bits = 9;

/// In how many runs of 512 vertices a cell lies, but for one.
template <class Cell>
TS_HD constexpr std::uint32_t foreign_runs(const Cell& cell) {
  std::uint32_t count = 0;
  for (std::size_t k = 1; k < cell.size(); ++k) {
    const std::uint32_t run = cell[k].index() >> run_bits;
    bool is_new = true;
    for (std::size_t j = 0; j < k; ++j) is_new &= cell[j].index() >> run_bits != run;
    count += is_new ? 1 : 0;
  }
  return count;
}

/// The same of ascending corners.
template <class Cell>
TS_HD constexpr std::uint32_t ascending_foreign_runs(const Cell& cell) {
  std::uint32_t count = 0;
  for (std::size_t k = 1; k < cell.size(); ++k)
    count += cell[k].index() >> run_bits != cell[k - 1].index() >> run_bits ? 1 : 0;
  return count;
}

/// By the foreign runs of all cells. Must not depend on the size of tiles, or numbers would.
[[nodiscard]] constexpr bool is_local(std::size_t foreign, std::size_t cells) {
  return 2 * foreign <= 3 * cells;
}

}  // namespace tessera::detail
