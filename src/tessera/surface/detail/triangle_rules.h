// What a triangle adds to operators of a surface, on either side.
#pragma once

#include <cmath>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>

namespace tessera::detail {

/// The least height of a triangle that counts, as a fraction of its longest edge.
inline constexpr double thinnest_height = 1e-6;

/// The doubled area of a triangle with two edges from one corner, with the least height if it has less.
[[nodiscard]] TS_HD inline double counted_area(double doubled, const Vec3d& u, const Vec3d& v) {
  const Vec3d w = u - v;
  double longest = dot(u, u);
  longest = longest < dot(v, v) ? dot(v, v) : longest;
  longest = longest < dot(w, w) ? dot(w, w) : longest;
  const double least = thinnest_height * longest;
  return doubled < least ? least : doubled;
}

/// A triangle by its corners in ascending order, so that whoever asks gets the same bytes.
struct TriangleShape {
  Vec3d p[3];
  Vec3d normal;         ///< as long as twice the area
  double doubled_area;  ///< as it is
  double counted_area;  ///< doubled, with the least height
  double longest;       ///< squared

  TS_HD TriangleShape(Vec3d a, Vec3d b, Vec3d c) : p{a, b, c}, normal(cross(b - a, c - a)) {
    doubled_area = length(normal);
    const double ab = dot(b - a, b - a);
    const double ac = dot(c - a, c - a);
    const double bc = dot(c - b, c - b);
    longest = ab < ac ? ac : ab;
    longest = longest < bc ? bc : longest;
    const double least = thinnest_height * longest;
    counted_area = doubled_area < least ? least : doubled_area;
  }

  [[nodiscard]] TS_HD bool is_point() const { return longest == 0; }
  [[nodiscard]] TS_HD bool is_thin() const { return doubled_area <= thinnest_height * longest; }

  /// Of the edges that meet at corner k; negative where the angle is obtuse.
  [[nodiscard]] TS_HD double dot_at(int k) const { return dot(p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]); }
  [[nodiscard]] TS_HD double cotangent(int k) const {
    constexpr double of_60_degrees = 0.57735026918962576;
    return is_point() ? of_60_degrees : dot_at(k) / counted_area;
  }
  /// The squared length of the edge opposite corner k.
  [[nodiscard]] TS_HD double opposite_squared(int k) const {
    const Vec3d e = p[(k + 2) % 3] - p[(k + 1) % 3];
    return dot(e, e);
  }
  /// Of the function that is 1 at corner k and 0 at the others.
  [[nodiscard]] TS_HD Vec3d gradient(int k) const {
    if (is_thin()) return {0, 0, 0};
    return (1 / dot(normal, normal)) * cross(normal, p[(k + 2) % 3] - p[(k + 1) % 3]);
  }
  /// The part of the area that belongs to corner k, by Meyer et al.
  [[nodiscard]] TS_HD double mixed_area(int k) const {
    if (is_thin()) return doubled_area / 6;
    const int i = (k + 1) % 3;
    const int j = (k + 2) % 3;
    if (dot_at(k) < 0) return doubled_area / 4;
    if (dot_at(i) < 0 || dot_at(j) < 0) return doubled_area / 8;
    return (cotangent(i) * opposite_squared(i) + cotangent(j) * opposite_squared(j)) / 8;
  }
};

}  // namespace tessera::detail
