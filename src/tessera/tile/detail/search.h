// Where does a value lie in a short ascending row? What an id costs, so it takes no branches.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera::detail {

/// Bit i: is values[i] the wanted one? For i < 16.
[[nodiscard]] inline std::uint32_t equal_among_16(const std::uint32_t* values, std::uint32_t wanted) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(values), _mm512_set1_epi32(static_cast<int>(wanted)));
#elif defined(__AVX2__)
  const __m256i all = _mm256_set1_epi32(static_cast<int>(wanted));
  const auto eight = [&](const std::uint32_t* at) {
    const __m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), all);
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
  };
  return eight(values) | eight(values + 8) << 8;
#elif defined(__SSE2__)
  const __m128i all = _mm_set1_epi32(static_cast<int>(wanted));
  const auto four = [&](const std::uint32_t* at) {
    return _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), all);
  };
  const __m128i low = _mm_packs_epi32(four(values), four(values + 4));
  const __m128i high = _mm_packs_epi32(four(values + 8), four(values + 12));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < 16; ++i) bits |= (values[i] == wanted ? 1u : 0u) << i;
  return bits;
#endif
}

/// Bit i: is values[i] one of the wanted? For i < N.
template <std::size_t N, std::size_t M>
[[nodiscard]] inline std::uint32_t any_equal(const std::uint32_t* values,
                                             const std::array<std::uint32_t, M>& wanted) {
#if defined(__SSE2__)
  if constexpr (N == 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    __m128i found = _mm_setzero_si128();
    for (const std::uint32_t value : wanted)
      found = _mm_or_si128(found, _mm_cmpeq_epi32(four, _mm_set1_epi32(static_cast<int>(value))));
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(found)));
  }
#endif
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < N; ++i) {
    for (const std::uint32_t value : wanted) bits |= (values[i] == value ? 1u : 0u) << i;
  }
  return bits;
}

/// The place of a value that is known to be in the ascending row values[row[0] .. row[1]). Sixteen places
/// are looked at together, also beyond the row's end: the value is met before anything there.
[[nodiscard]] inline std::uint32_t find_in_row(std::span<const std::uint32_t> values,
                                               const std::uint32_t* row, std::uint32_t value) {
  const std::uint32_t begin = row[0];
  if (begin + std::size_t{16} <= values.size()) [[likely]] {
    const std::uint32_t found = equal_among_16(values.data() + begin, value);
    if (found != 0) [[likely]]
      return begin + static_cast<std::uint32_t>(std::countr_zero(found));
  }
  const auto place = std::lower_bound(values.begin() + begin, values.begin() + row[1], value);
  return static_cast<std::uint32_t>(place - values.begin());
}

}  // namespace tessera::detail
