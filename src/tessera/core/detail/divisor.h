// Division by a number that is not known when the program is compiled, without dividing.
#pragma once

#include <cstdint>

namespace tessera::detail {

/// Divides by the same number again and again (Lemire, Kaser, Kurz 2019); numbers have 32 bits.
class Divisor {
 public:
  explicit Divisor(std::uint32_t divisor) : inverse_(~std::uint64_t{0} / divisor + 1) {}
  /// For divisors above 1.
  [[nodiscard]] std::uint32_t operator()(std::uint32_t number) const {
    return static_cast<std::uint32_t>((static_cast<Wide>(inverse_) * number) >> 64);
  }

 private:
  __extension__ typedef unsigned __int128 Wide;

  std::uint64_t inverse_;
};

}  // namespace tessera::detail
