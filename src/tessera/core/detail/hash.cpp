#include <tessera/core/hash.h>

#include <bit>
#include <cstring>

#include <tessera/core/random.h>

namespace tessera {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  std::uint64_t state = splitmix64(seed ^ bytes.size());
  const std::byte* position = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, position += 8) {
    std::uint64_t word;
    std::memcpy(&word, position, 8);
    state = std::rotl(state ^ (word * 0x9E3779B97F4A7C15ull), 29) * 0xBF58476D1CE4E5B9ull;
  }
  if (left > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, position, left);
    state = std::rotl(state ^ (word * 0x9E3779B97F4A7C15ull), 29) * 0xBF58476D1CE4E5B9ull;
  }
  return splitmix64(state);
}

}  // namespace tessera
