// The fixed order in which many numbers become one, so that floating-point sums are equal everywhere.
//
// Values are taken in chunks of 1024. In a chunk, lane l of 32 folds the values l, l + 32, l + 64, ... from
// the left; then the lanes are folded by halves: l with l + 16, l + 8, l + 4, l + 2, l + 1. The chunks'
// results are reduced the same way until one is left. A GPU warp or a SIMD register does exactly this.
//
//   chunk 0              chunk 1              ...
//   lanes 0 1 2 .. 31    lanes 0 1 2 .. 31
//         \ | | .. /           \ | | .. /
//           r0                   r1           ...   -> again, as if r0 r1 ... were the values
#pragma once

#include <cstddef>

#include <tessera/core/macros.h>

namespace tessera::detail::reduce_order {

inline constexpr std::size_t lanes = 32;
inline constexpr std::size_t chunk = 1024;

[[nodiscard]] constexpr std::size_t chunk_count(std::size_t n) {
  return (n + chunk - 1) / chunk;
}

/// The values of an array, as reduce() takes them.
template <class T>
struct Loaded {
  const T* values;
  TS_HD T operator()(std::size_t i) const { return values[i]; }
};

}  // namespace tessera::detail::reduce_order
