// Binary search on a device.
#pragma once

#include <type_traits>

namespace tessera::detail::cuda {

/// The first i in [low, high) whose at(i), or at[i], is not less than `value`; high if there is none. They
/// ascend.
template <class At, class Index, class T>
__device__ Index lower_bound(const At& at, Index low, Index high, const T& value) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    bool is_less;
    if constexpr (std::is_pointer_v<At>) {
      is_less = at[middle] < value;
    } else {
      is_less = at(middle) < value;
    }
    if (is_less) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace tessera::detail::cuda
