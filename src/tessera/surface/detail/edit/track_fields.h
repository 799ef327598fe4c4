// Velocity fields without divergence, in arithmetic that host and device round alike.
//
// Curl noise is that of Bridson, Hourihan and Nordenstam, "Curl-Noise for Procedural Fluid Flow" (SIGGRAPH
// 2007): the curl of three potentials, here of Perlin's gradient noise, with analytic derivatives. The
// deformation and the vortex are those of LeVeque, "High-Resolution Conservative Algorithms for Advection in
// Incompressible Flow" (1996), which Enright and others made the usual tests of surface tracking.
#pragma once

#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>

namespace tessera::detail {

/// The sine of pi x, within about 2 units in the last place of 1, and exactly 0 for integers.
[[nodiscard]] inline TS_HD double sin_pi(double x) {
  if (!(x > -0x1p52 && x < 0x1p52)) return 0;  // integers, and what is no number
  const auto turns = static_cast<std::int64_t>(x + (x < 0 ? -0.5 : 0.5));
  const double z = 3.141592653589793 * (x - static_cast<double>(turns));  // at most pi / 2
  const double s = z * z;
  double p = 1.9572941063391263e-20;  // 1 / 21!, and up to 1 / 3!, with alternating signs
  p = p * s - 8.22063524662433e-18;
  p = p * s + 2.8114572543455206e-15;
  p = p * s - 7.647163731819816e-13;
  p = p * s + 1.6059043836821613e-10;
  p = p * s - 2.505210838544172e-08;
  p = p * s + 2.7557319223985893e-06;
  p = p * s - 0.0001984126984126984;
  p = p * s + 0.008333333333333333;
  p = p * s - 0.16666666666666666;
  const double sine = z + z * (s * p);
  return turns % 2 == 0 ? sine : -sine;
}

/// Where a coordinate lies in the lattice of the noise, and the weights of the lattice points before and
/// after it. The quintic fade has two continuous derivatives at lattice points, so that the curl has one.
struct LatticeAxis {
  std::uint32_t cell;
  double offset[2];  ///< from the lattice point before, and from the one after
  double weight[2];
  double slope[2];  ///< of the weights

  TS_HD explicit LatticeAxis(double u) {
    auto floor = static_cast<std::int64_t>(u);
    if (u < static_cast<double>(floor)) --floor;
    const double f = u - static_cast<double>(floor);
    cell = static_cast<std::uint32_t>(floor);
    offset[0] = f;
    offset[1] = f - 1;
    weight[1] = f * f * f * (f * (f * 6 - 15) + 10);
    weight[0] = 1 - weight[1];
    slope[1] = 30 * f * f * (f - 1) * (f - 1);
    slope[0] = -slope[1];
  }
};

/// The curl of three gradient noises on the lattice of the integers: of about 1.
struct CurlNoise {
  std::uint32_t seed = 0;

  [[nodiscard]] TS_HD Vec3d operator()(const Vec3d& u) const {
    if (!is_bounded(u.x) || !is_bounded(u.y) || !is_bounded(u.z)) return {0, 0, 0};
    const LatticeAxis x(u.x);
    const LatticeAxis y(u.y);
    const LatticeAxis z(u.z);
    std::uint32_t bits_of[corners];
    double offsets[3][corners];
    double weights[4][corners];  // of the noise, and their derivatives
    for (unsigned corner = 0; corner < corners; ++corner) {
      const unsigned i = corner & 1;
      const unsigned j = (corner >> 1) & 1;
      const unsigned k = corner >> 2;
      bits_of[corner] = hash(x.cell + i, y.cell + j, z.cell + k);
      offsets[0][corner] = x.offset[i];
      offsets[1][corner] = y.offset[j];
      offsets[2][corner] = z.offset[k];
      const double yz = y.weight[j] * z.weight[k];
      weights[0][corner] = x.weight[i] * yz;
      weights[1][corner] = x.slope[i] * yz;
      weights[2][corner] = x.weight[i] * (y.slope[j] * z.weight[k]);
      weights[3][corner] = x.weight[i] * (y.weight[j] * z.slope[k]);
    }
    double parts[3][corners];
    // Alike for all corners and without branches, so that compilers can work on several at once.
    for (unsigned corner = 0; corner < corners; ++corner) {
      const std::uint32_t bits = bits_of[corner];
      const Vec3d d = {offsets[0][corner], offsets[1][corner], offsets[2][corner]};
      const double w = weights[0][corner];
      const Vec3d dw = {weights[1][corner], weights[2][corner], weights[3][corner]};
      // The potentials are sums of w (g . d), whose derivatives are w g + (g . d) dw.
      const Vec3d a = gradient(bits, 0);
      const Vec3d b = gradient(bits, 9);
      const Vec3d c = gradient(bits, 18);
      const double at_a = dot(a, d);
      const double at_b = dot(b, d);
      const double at_c = dot(c, d);
      parts[0][corner] = w * (c.y - b.z) + (at_c * dw.y - at_b * dw.z);
      parts[1][corner] = w * (a.z - c.x) + (at_a * dw.z - at_c * dw.x);
      parts[2][corner] = w * (b.x - a.y) + (at_b * dw.x - at_a * dw.y);
    }
    return 1.0 / 7 * Vec3d{sum(parts[0]), sum(parts[1]), sum(parts[2])};
  }

 private:
  static constexpr unsigned corners = 8;

  [[nodiscard]] static TS_HD bool is_bounded(double x) { return x > -0x1p60 && x < 0x1p60; }
  /// The finalizer of MurmurHash3.
  [[nodiscard]] TS_HD std::uint32_t hash(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
    std::uint32_t h = seed + i * 0x9E3779B1u + j * 0x85EBCA77u + k * 0xC2B2AE3Du;
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
    h = (h ^ (h >> 13)) * 0xC2B2AE35u;
    return h ^ (h >> 16);
  }
  /// 3 bits of a hash as a number from -7 to 7.
  [[nodiscard]] static TS_HD double component(std::uint32_t bits, int shift) {
    return static_cast<double>(2 * static_cast<std::int32_t>((bits >> shift) & 7) - 7);
  }
  [[nodiscard]] static TS_HD Vec3d gradient(std::uint32_t bits, int shift) {
    return {component(bits, shift), component(bits, shift + 3), component(bits, shift + 6)};
  }
  [[nodiscard]] static TS_HD double sum(const double* x) {
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  }
};

/// LeVeque's deformation in the unit box: what Enright and others stretch a sphere in.
[[nodiscard]] inline TS_HD Vec3d deformation_velocity(const Vec3d& u) {
  const Vec3d s = {sin_pi(u.x), sin_pi(u.y), sin_pi(u.z)};
  const Vec3d d = {sin_pi(2 * u.x), sin_pi(2 * u.y), sin_pi(2 * u.z)};
  return {2 * s.x * s.x * d.y * d.z, -(d.x * s.y * s.y * d.z), -(d.x * d.y * s.z * s.z)};
}

/// One vortex in the unit square, the same for all z.
[[nodiscard]] inline TS_HD Vec3d vortex_velocity(const Vec3d& u) {
  const double sx = sin_pi(u.x);
  const double sy = sin_pi(u.y);
  return {sx * sx * sin_pi(2 * u.y), -(sy * sy * sin_pi(2 * u.x)), 0};
}

}  // namespace tessera::detail
