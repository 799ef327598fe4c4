// Coordinates to be compared and hashed, on either side.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>

namespace tessera {

/// Coordinates as bits, with -0 made 0.
template <class T>
struct Place {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Word x, y, z;

  TS_HD explicit Place(const Vec3<T>& p)
      : x(std::bit_cast<Word>(p.x + T(0))),
        y(std::bit_cast<Word>(p.y + T(0))),
        z(std::bit_cast<Word>(p.z + T(0))) {}
  friend bool operator==(const Place&, const Place&) = default;

  /// The high bits are the best ones.
  [[nodiscard]] TS_HD std::uint64_t hash() const {
    std::uint64_t h = x * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 32) ^ y) * 0xD6E8FEB86659FD93ull;
    h = (h ^ (h >> 32) ^ z) * 0xC2B2AE3D27D4EB4Full;
    return (h ^ (h >> 29)) * 0x9E3779B97F4A7C15ull;
  }
};

}  // namespace tessera
