// The exponential function in arithmetic that host and device round alike.
#pragma once

#include <bit>
#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail {

/// 2^n for -1022 <= n <= 1023.
[[nodiscard]] TS_HD inline double power_of_two(int n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

/// e^x within 2 units in the last place; below 2^-1022 within one of the smallest numbers.
[[nodiscard]] TS_HD inline double portable_exp(double x) {
  // No branches, so that compilers can work on several at once.
  double bounded = x < 710 ? x : 710;  // also of what is no number
  bounded = bounded > -746 ? bounded : -746;
  const double halves = bounded * 1.4426950408889634 + (bounded < 0 ? -0.5 : 0.5);
  const int n = static_cast<int>(halves);
  // x = n ln 2 + r with |r| <= ln(2) / 2; ln 2 in two parts, so that n times the first is exact.
  const double r = (bounded - n * 0.6931471803691238) - n * 1.9082149292705877e-10;
  double p = 1.6059043836821613e-10;  // 1 / 13!, and down to 1 / 2!
  p = p * r + 2.08767569878681e-09;
  p = p * r + 2.505210838544172e-08;
  p = p * r + 2.755731922398589e-07;
  p = p * r + 2.7557319223985893e-06;
  p = p * r + 2.48015873015873e-05;
  p = p * r + 0.0001984126984126984;
  p = p * r + 0.001388888888888889;
  p = p * r + 0.008333333333333333;
  p = p * r + 0.041666666666666664;
  p = p * r + 0.16666666666666666;
  p = p * r + 0.5;
  const double power = 1 + (r + r * r * p);
  const int half = n / 2;  // n may be beyond the exponents there are
  const double result = power * power_of_two(half) * power_of_two(n - half);
  return x != x ? x : x < -746 ? 0 : result;
}

}  // namespace tessera::detail
