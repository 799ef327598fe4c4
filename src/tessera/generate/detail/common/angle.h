// The angle of a corner, in arithmetic that host and device round alike and that compilers vectorize.
#pragma once

#include <numbers>

#include <tessera/core/macros.h>

namespace tessera::detail {

/// The angle in [0, pi] whose sine and cosine are in this proportion; the sine is not negative, and one of
/// them is not 0. Within 4e-16, as atan2(sine, cosine), but without branches.
[[nodiscard]] TS_HD inline double corner_angle(double sine, double cosine) {
  const double across = cosine < 0 ? -cosine : cosine;
  const double low = sine < across ? sine : across;
  const double high = sine < across ? across : sine;
  // The arc tangent of low / high; above tan(pi / 8) what it has beyond pi / 4.
  const bool is_near_diagonal = low > 0.41421356237309503 * high;
  const double u = (low - (is_near_diagonal ? high : 0)) / (high + (is_near_diagonal ? low : 0));
  const double z = u * u;
  // atan(u) = u + u z P(z), with the P whose greatest relative error is least for |u| <= tan(pi /
  // 8): 3.5e-17.
  double p = 0.021278694907295096715;
  p = p * z - 0.043607086389317158079;
  p = p * z + 0.056931249673770267263;
  p = p * z - 0.066412387678176096651;
  p = p * z + 0.07690082512695901934;
  p = p * z - 0.090907834705769419164;
  p = p * z + 0.11111106701158655226;
  p = p * z - 0.14285714196471088468;
  p = p * z + 0.19999999999104039757;
  p = p * z - 0.33333333333330215551;
  const double atan = (is_near_diagonal ? std::numbers::pi / 4 : 0) + (u + u * z * p);
  const double first_quadrant = sine < across ? atan : std::numbers::pi / 2 - atan;
  return cosine < 0 ? std::numbers::pi - first_quadrant : first_quadrant;
}

}  // namespace tessera::detail
