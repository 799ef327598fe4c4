// For tests: a device that fails on purpose.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace tessera::detail::cuda {

/// How many more calls of the driver succeed.
inline constexpr std::int64_t unlimited_calls = std::numeric_limits<std::int64_t>::max();
inline std::atomic<std::int64_t> calls_left{unlimited_calls};

/// As long as it lives, the device answers so many calls and fails every one after, as a broken one does.
class FailAfter {
 public:
  explicit FailAfter(std::int64_t calls) { calls_left = calls; }
  FailAfter(const FailAfter&) = delete;
  FailAfter& operator=(const FailAfter&) = delete;
  ~FailAfter() { calls_left = unlimited_calls; }
  /// Was it asked more often than that?
  [[nodiscard]] static bool has_failed() { return calls_left < 0; }
};

/// Counts a call that went well; true if it has to fail all the same.
inline bool fails_on_purpose() {
  if (calls_left.load(std::memory_order_relaxed) == unlimited_calls) return false;
  return calls_left.fetch_sub(1, std::memory_order_relaxed) <= 0;
}

}  // namespace tessera::detail::cuda
