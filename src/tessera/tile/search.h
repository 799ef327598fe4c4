// Where does a value lie in a short ascending row? What an id costs, so it takes no branches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera {

/// The place of a value that is known to be in the row values[begin .. end), where values ascend. Short rows
/// are looked at sixteen places at a time, also beyond their end: the value is met before anything there.
[[nodiscard]] inline std::uint32_t find_in_row(std::span<const std::uint32_t> values, std::uint32_t begin,
                                               std::uint32_t end, std::uint32_t value) {
#if defined(__SSE2__)
  if (end - begin <= 16 && begin + std::size_t{16} <= values.size()) {
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
    const auto equal = [&](std::uint32_t i) {
      return _mm_cmpeq_epi32(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(values.data() + begin + 4 * i)), wanted);
    };
    const __m128i low = _mm_packs_epi32(equal(0), equal(1));
    const __m128i high = _mm_packs_epi32(equal(2), equal(3));
    const int found = _mm_movemask_epi8(_mm_packs_epi16(low, high));
    return begin + static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint32_t>(found)));
  }
#endif
  return static_cast<std::uint32_t>(
      std::lower_bound(values.begin() + begin, values.begin() + end, value) - values.begin());
}

}  // namespace tessera
