// Seeded generators: SplitMix64 as a stream and as a stateless hash of a counter.
// The same bits on host and device; the test meshes and fields are defined by them.
#pragma once

#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera {

/// SplitMix64's finalizer applied to z + the golden increment.
[[nodiscard]] TS_HD constexpr std::uint64_t splitmix64(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// The top 53 bits of a word as a number in [0, 1).
[[nodiscard]] TS_HD constexpr double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

/// A uniform number in [0, 1) that depends only on (seed, counter).
[[nodiscard]] TS_HD constexpr double uniform01(std::uint64_t seed, std::uint64_t counter) {
  return unit_interval(splitmix64(seed * 0xD1342543DE82EF95ull + counter));
}

/// A stream of numbers; satisfies std::uniform_random_bit_generator.
class SplitMix64 {
 public:
  using result_type = std::uint64_t;

  TS_HD constexpr explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  TS_HD constexpr std::uint64_t operator()() {
    const std::uint64_t word = splitmix64(state_);
    state_ += 0x9E3779B97F4A7C15ull;
    return word;
  }
  TS_HD constexpr double uniform() { return unit_interval((*this)()); }
  /// Uniform in [0, bound) up to a bias of bound / 2^64.
  TS_HD constexpr std::uint64_t below(std::uint64_t bound) { return (*this)() % bound; }

  [[nodiscard]] static constexpr result_type min() { return 0; }
  [[nodiscard]] static constexpr result_type max() { return ~result_type{0}; }

 private:
  std::uint64_t state_;
};

}  // namespace tessera
