// The time between two places of a program.
#pragma once

#include <chrono>
#include <utility>

namespace tessera::detail {

class Stopwatch {
 public:
  /// Seconds since it was made or asked last.
  [[nodiscard]] double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(begun_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace tessera::detail
