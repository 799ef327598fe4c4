// Team: the threads that work on one tile together. A tile kernel is written once against this interface and
// runs with one host thread or with a block of CUDA threads (team.cuh).
//
//   template <class Team> TS_HD void kernel(const Team& team, ...) {
//     team.for_each(n, [&](std::uint32_t i) { count[i] = ...; });   // the calls share no state
//     team.sync();                                                  // everyone sees the counts
//     const std::uint32_t total = team.exclusive_scan(count, n);    // in place, synchronizes
//   }
#pragma once

#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail {

/// A team of one host thread.
class HostTeam {
 public:
  static constexpr bool is_device = false;

  [[nodiscard]] constexpr std::uint32_t rank() const { return 0; }
  [[nodiscard]] constexpr std::uint32_t size() const { return 1; }
  constexpr void sync() const {}

  template <class F>
  constexpr void for_each(std::uint32_t n, F&& f) const {
    for (std::uint32_t i = 0; i < n; ++i) f(i);
  }
  /// Replaces values[i] by the sum of those before it and returns the sum of all.
  template <class T>
  constexpr T exclusive_scan(T* values, std::uint32_t n) const {
    T sum{};
    for (std::uint32_t i = 0; i < n; ++i) {
      const T value = values[i];
      values[i] = sum;
      sum += value;
    }
    return sum;
  }
  /// Adds to a counter that the team shares and returns what it was.
  template <class T>
  constexpr T add(T& counter, T amount) const {
    const T before = counter;
    counter += amount;
    return before;
  }
};

}  // namespace tessera::detail
