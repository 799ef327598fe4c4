// How a front crosses a triangle: the distance at one corner from those at the other two.
//
// Planar: the front is a line. The distance is linear in the triangle with a gradient of length one (R.
// Kimmel and J. A. Sethian, "Computing geodesic paths on manifolds", 1998). Circular: the front is a circle
// around a point in the plane of the triangle, at the two distances from the two corners. Exact wherever the
// surface is flat between the source and the triangle (M. Novotni and R. Klein, "Computing geodesic distances
// on triangular meshes", 2002). If the front does not come in between the two corners, the distance is the
// shorter way along an edge.
#pragma once

#include <cmath>

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

/// A triangle with the corner whose distance is wanted at the origin. The other two are ordered by their
/// distance, those at one distance by the lengths of their edges: numbers do not depend on how a triangle is
/// given.
template <class Real>
struct FrontTriangle {
  Real aa, ab, bb;  ///< products of the vectors to the corners a and b
  Real ta, tb;      ///< distances at a and b
  bool is_swapped = false;

  TS_HD FrontTriangle(Vec3<Real> a, Vec3<Real> b, Real at_a, Real at_b)
      : aa(dot(a, a)), ab(dot(a, b)), bb(dot(b, b)), ta(at_a), tb(at_b) {
    if (ta < tb || (ta == tb && aa <= bb)) return;
    swap(aa, bb);
    swap(ta, tb);
    is_swapped = true;
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
    const Real by_a = ta + std::sqrt(aa);
    const Real by_b = tb + std::sqrt(bb);
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
  return share_a > 0 && share_b > 0 ? t.arrival(t.ta + more, share_a, share_b) : t.none();
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
  return squared > t.ta * t.ta ? t.arrival(std::sqrt(squared), whole - crossing, crossing) : t.none();
}

}  // namespace tessera::detail
