// The place of the lowest bit, on host and device. nvcc 13 compiles std::countr_zero in kernels without a
// warning, where it returns the width of the number whatever its bits are.
#pragma once

#include <bit>
#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail {

/// Of a number that is not 0.
[[nodiscard]] TS_HD inline std::uint32_t lowest_bit(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(bits)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_zero(bits));
#endif
}
[[nodiscard]] TS_HD inline std::uint32_t lowest_bit(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(bits)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_zero(bits));
#endif
}

}  // namespace tessera::detail
