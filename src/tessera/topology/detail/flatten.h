// Forests of pointers: every entry points to another one, or is none and a root.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/exec/for_each.h>

namespace tessera::detail {

inline constexpr std::uint32_t root_entry = 0xFFFFFFFFu;

/// Makes every entry of a forest point to its root, whose own entry is none. Threads may meet on a path: they
/// only ever write entries that lead to the same root.
inline void flatten(Array<std::uint32_t>& next, const Exec& exec) {
  const auto at = [&](std::uint32_t i) { return std::atomic_ref<std::uint32_t>(next[i]); };
  host_for_each(exec, next.size(), [&](std::size_t start) {
    std::uint32_t root = static_cast<std::uint32_t>(start);
    for (std::uint32_t up = at(root).load(std::memory_order_relaxed); up != root_entry;
         up = at(root).load(std::memory_order_relaxed)) {
      root = up;
    }
    for (std::uint32_t i = static_cast<std::uint32_t>(start); i != root;) {
      const std::uint32_t up = at(i).load(std::memory_order_relaxed);
      at(i).store(root, std::memory_order_relaxed);
      i = up;
    }
  });
}

[[nodiscard]] inline std::uint32_t root_of(const Array<std::uint32_t>& flat, std::uint32_t i) {
  return flat[i] == root_entry ? i : flat[i];
}

}  // namespace tessera::detail
