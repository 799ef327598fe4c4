// Which number has the critical cell of a name?
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/topology/gradient.h>

namespace tessera::detail {

/// The ids of critical vertices, edges or top cells in the order of their numbers.
[[nodiscard]] inline Array<std::uint32_t> critical_ids(std::span<const CriticalCell> cells) {
  Array<std::uint32_t> ids;
  ids.reserve(cells.size());
  for (const CriticalCell& cell : cells) ids.push_back(cell.name.id);
  return ids;
}

class CriticalNumbers {
 public:
  explicit CriticalNumbers(std::span<const CriticalCell> cells) {
    for (std::uint32_t i = 0; i < cells.size(); ++i) numbers_.emplace_back(cells[i].name.id, i);
    std::sort(numbers_.begin(), numbers_.end());
  }
  /// The number of the critical vertex, edge or top cell of this id, which must be one.
  [[nodiscard]] std::uint32_t operator[](std::uint32_t id) const {
    return std::lower_bound(numbers_.begin(), numbers_.end(), std::pair{id, 0u})->second;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers_;  // (id, number)
};

}  // namespace tessera::detail
