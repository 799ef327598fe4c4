// Unsigned bits that compare like the value they stand for.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <tessera/core/macros.h>

namespace tessera::detail {

/// -0 and +0 have the same bits; NaN has some.
template <class T>
TS_HD constexpr auto sortable(T value) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    const Bits bits = std::bit_cast<Bits>(value == 0 ? T{0} : value);
    return (bits & sign) != 0 ? ~bits : bits | sign;
  } else if constexpr (std::is_signed_v<T>) {
    using Wide = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    return std::bit_cast<Bits>(static_cast<Wide>(value)) ^ sign;
  } else {
    return static_cast<Bits>(value);
  }
}

}  // namespace tessera::detail
