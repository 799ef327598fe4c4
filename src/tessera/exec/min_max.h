// The pair of extremes and how two of them merge, on both sides.
#pragma once

#include <limits>

#include <tessera/core/macros.h>

namespace tessera {

template <class T>
struct MinMax {
  T min;
  T max;
  friend constexpr bool operator==(const MinMax&, const MinMax&) = default;
};

/// The extremes of nothing: crossed over, so that any value replaces them.
template <class T>
[[nodiscard]] TS_HD constexpr MinMax<T> no_values() {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) return {Limits::infinity(), -Limits::infinity()};
  return {Limits::max(), Limits::lowest()};
}

/// One value as extremes; NaN counts as no value.
template <class T>
[[nodiscard]] TS_HD constexpr MinMax<T> min_max_of(T value) {
  return value == value ? MinMax<T>{value, value} : no_values<T>();
}

template <class T>
[[nodiscard]] TS_HD constexpr MinMax<T> merge_min_max(MinMax<T> a, MinMax<T> b) {
  return {b.min < a.min ? b.min : a.min, a.max < b.max ? b.max : a.max};
}

}  // namespace tessera
