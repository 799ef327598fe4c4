// How a front crosses a triangle: the distance at one corner from those at the other two.
//
// Planar: the front is a line. The distance is linear in the triangle with a gradient of length one (R.
// Kimmel and J. A. Sethian, "Computing geodesic paths on manifolds", 1998). Circular: the front is a circle
// around a point in the plane of the triangle, at the two distances from the two corners. Exact wherever the
// surface is flat between the source and the triangle (M. Novotni and R. Klein, "Computing geodesic distances
// on triangular meshes", 2002). If the front does not come in between the two corners, the distance is the
// shorter way along an edge.
//
// The rules multiply up to six lengths, so they work on triangles that are scaled to a size of about 1.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>

namespace tessera::detail {

/// What a front brings to a corner, and which of the other two it passes closer by: below 0 the first, above
/// 0 the second, 0 neither.
template <class Real>
struct Arrival {
  Real distance;
  int side;
};

/// Scales two vectors to lengths of about 1 and less. The factor is a power of two: nothing is rounded, and
/// results are the same bits as without it wherever those are in the range of numbers.
template <class Real>
struct FrontScale {
  Real down;  ///< the factor
  Real up;    ///< its inverse

  TS_HD FrontScale(Vec3<Real> a, Vec3<Real> b) {
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    constexpr int exponent_at = std::numeric_limits<Real>::digits - 1;
    constexpr Bits of_one = std::numeric_limits<Real>::max_exponent - 1;
    const Real size =
        std::abs(a.x) + std::abs(a.y) + std::abs(a.z) + std::abs(b.x) + std::abs(b.y) + std::abs(b.z);
    Bits exponent = std::bit_cast<Bits>(size) >> exponent_at;
    // Both factors are normal numbers, also for vectors that are 0, infinite or NaN.
    exponent = exponent < 1 ? 1 : exponent < 2 * of_one ? exponent : 2 * of_one - 1;
    down = std::bit_cast<Real>((2 * of_one - exponent) << exponent_at);
    up = std::bit_cast<Real>(exponent << exponent_at);
  }
};

/// A triangle with the corner whose distance is wanted at the origin. The other two are ordered by their
/// distance, those at one distance by the lengths of their edges: numbers do not depend on how a triangle is
/// given.
template <class Real>
struct FrontTriangle {
  FrontScale<Real> scale;
  Real aa, ab, bb;      ///< products of the scaled vectors to the corners a and b
  Real from_a, from_b;  ///< distances at a and b
  Real ta, tb;          ///< the same, scaled
  bool is_swapped = false;

  TS_HD FrontTriangle(Vec3<Real> a, Vec3<Real> b, Real at_a, Real at_b)
      : scale(a, b), from_a(at_a), from_b(at_b) {
    a = scale.down * a;
    b = scale.down * b;
    aa = dot(a, a);
    ab = dot(a, b);
    bb = dot(b, b);
    is_swapped = !(from_a < from_b || (from_a == from_b && aa <= bb));
    if (is_swapped) {
      swap(aa, bb);
      swap(from_a, from_b);
    }
    ta = scale.down * from_a;
    tb = scale.down * from_b;
  }

  [[nodiscard]] TS_HD Real base() const { return aa - ab - ab + bb; }  ///< squared length of the edge ab
  [[nodiscard]] TS_HD Real twice_area_squared() const { return aa * bb - ab * ab; }

  /// An arrival with shares of the way: the greater one is of the corner that is closer.
  [[nodiscard]] TS_HD Arrival<Real> arrival(Real distance, Real share_a, Real share_b) const {
    const int side = share_a == share_b ? 0 : share_a > share_b ? -1 : 1;
    return {distance, is_swapped ? -side : side};
  }
  [[nodiscard]] static TS_HD Arrival<Real> none() { return {-1, 0}; }

  /// Along an edge.
  [[nodiscard]] TS_HD Arrival<Real> straight() const {
    const Real by_a = from_a + scale.up * std::sqrt(aa);
    const Real by_b = from_b + scale.up * std::sqrt(bb);
    return arrival(by_b < by_a ? by_b : by_a, by_b, by_a);
  }

 private:
  static TS_HD void swap(Real& x, Real& y) {
    const Real z = x;
    x = y;
    y = z;
  }
};

/// A distance below 0: the front does not come in between a and b.
template <class Real>
[[nodiscard]] TS_HD Arrival<Real> planar_front(const FrontTriangle<Real>& t) {
  const Real base = t.base();
  const Real later = t.tb - t.ta;
  const Real root = t.twice_area_squared() * (base - later * later);
  if (!(root > 0)) return t.none();
  const Real more = ((t.aa - t.ab) * later + std::sqrt(root)) / base;
  const Real share_a = t.bb * more + t.ab * (later - more);
  const Real share_b = t.aa * (more - later) - t.ab * more;
  return share_a > 0 && share_b > 0 ? t.arrival(t.from_a + t.scale.up * more, share_a, share_b) : t.none();
}

template <class Real>
[[nodiscard]] TS_HD Arrival<Real> circular_front(const FrontTriangle<Real>& t) {
  const Real base = t.base();
  const Real area = t.twice_area_squared();
  // The centre, with a at the origin and b on the first axis, times the length of ab.
  const Real along = ((t.ta - t.tb) * (t.ta + t.tb) + base) / 2;
  const Real depth = t.ta * t.ta * base - along * along;
  if (!(area > 0) || !(depth > 0)) return t.none();
  const Real height_root = std::sqrt(area);
  const Real depth_root = std::sqrt(depth);
  const Real foot = t.aa - t.ab;
  const Real crossing = along * height_root + foot * depth_root;  // from a
  const Real whole = base * (height_root + depth_root);
  if (!(crossing > 0) || !(crossing < whole)) return t.none();
  const Real squared = t.ta * t.ta + t.aa + 2 * (height_root * depth_root - foot * along) / base;
  if (!(squared > t.ta * t.ta)) return t.none();
  return t.arrival(t.scale.up * std::sqrt(squared), whole - crossing, crossing);
}

}  // namespace tessera::detail
