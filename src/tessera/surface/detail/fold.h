// Sums that stay where they are made, in a fixed order: on a device the next kernel reads them and the host
// need not wait.
//
// Values are folded in groups of 256 by halves: i with i + 128, i + 64, ... Lane l of 256 then adds the
// groups l, l + 256, ... from the left, and the lanes are folded by halves.
#pragma once

#include <array>
#include <cstddef>

#include <tessera/core/macros.h>
#include <tessera/exec/detail/side.h>

namespace tessera::detail {

inline constexpr std::size_t fold_group = 256;

[[nodiscard]] constexpr std::size_t fold_group_count(std::size_t n) {
  return (n + fold_group - 1) / fold_group;
}

template <class T>
[[nodiscard]] T fold_halves(std::array<T, fold_group>& lanes) {
  for (std::size_t half = fold_group / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] = lanes[l] + lanes[l + half];
  }
  return lanes[0];
}

/// Calls value(i) once for each i in [0, n), and finish(sum) with what they add up to, from T{} on. `partial`
/// has room for each group and is at the side's place. A device queues it.
template <class T, class Value, class Finish>
void fold(const HostSide& side, std::size_t n, T* partial, const Value& value, const Finish& finish) {
  const std::size_t groups = fold_group_count(n);
  side.for_each(groups, [&](std::size_t g) {
    std::array<T, fold_group> lanes = {};
    const std::size_t first = g * fold_group;
    const std::size_t count = n - first < fold_group ? n - first : fold_group;
    for (std::size_t l = 0; l < count; ++l) lanes[l] = value(first + l);
    partial[g] = fold_halves(lanes);
  });
  std::array<T, fold_group> lanes = {};
  for (std::size_t g = 0; g < groups; ++g) lanes[g % fold_group] = lanes[g % fold_group] + partial[g];
  finish(fold_halves(lanes));
}

}  // namespace tessera::detail
