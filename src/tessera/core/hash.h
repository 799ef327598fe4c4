// A 64-bit checksum of bytes: the same value for the same content on every machine, whatever the
// threads, tiles or device that made it. Used by tests, benchmarks and `relations`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tessera {

/// Mixes eight bytes at a time; about 4 bytes a cycle. Not for untrusted keys.
[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// The checksum of an array's values (of their bytes: no padding allowed).
template <class Range>
[[nodiscard]] std::uint64_t hash_values(const Range& range, std::uint64_t seed = 0) {
  const std::span values{range};
  static_assert(std::is_trivially_copyable_v<typename decltype(values)::value_type>);
  return hash_bytes(std::as_bytes(values), seed);
}

}  // namespace tessera
