// What the curvature at a vertex is made of, on either side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/generate/detail/common/angle.h>
#include <tessera/generate/detail/common/small_sort.h>
#include <tessera/surface/detail/stars.h>

namespace tessera::detail {

/// What one corner of a triangle adds to its vertex.
struct CurvatureShare {
  double angle = 0;
  double area = 0;              ///< Meyer et al., figure 4
  Vec3d laplacian = {0, 0, 0};  ///< the sum of cot(opposite angle) times the edge to each of both neighbours
  Vec3d normal = {0, 0, 0};     ///< twice the triangle's area long

  TS_HD void add(const CurvatureShare& other) {
    angle += other.angle;
    area += other.area;
    laplacian = laplacian + other.laplacian;
    normal = normal + other.normal;
  }
};

/// The squared lengths of a triangle's sides, equal bits at each of its corners: what decides about one
/// decides about all three.
struct SquaredSides {
  double to_next;
  double to_previous;
  double opposite;

  static constexpr double shortest = 1e-140;
  static constexpr double longest = 1e150;

  [[nodiscard]] static TS_HD bool is_fine(double side) { return side > shortest && side < longest; }
  /// Can sines and cosines be told from rounding?
  [[nodiscard]] TS_HD bool are_fine() const {
    return is_fine(to_next) && is_fine(to_previous) && is_fine(opposite);
  }
  /// An angle for a corner whose triangle has sides that are too short, too long or no numbers. The three add
  /// up to pi: a right angle at either end of the only side without length, else the same angle three times.
  [[nodiscard]] TS_HD double odd_angle() const {
    if (opposite <= shortest && is_fine(to_next) && is_fine(to_previous)) return 0;
    const bool is_next_short = to_next <= shortest && is_fine(to_previous);
    const bool is_previous_short = to_previous <= shortest && is_fine(to_next);
    if ((is_next_short || is_previous_short) && is_fine(opposite)) return std::numbers::pi / 2;
    return std::numbers::pi / 3;
  }
};

/// A corner's sine and cosine times the lengths of its sides, and its share but for the angle. Of a triangle
/// without area only the sine, which is not above 0 then, and the sides mean something.
struct CurvatureCorner {
  double sine;
  double cosine;
  double area;
  Vec3d laplacian;
  Vec3d normal;
  SquaredSides sides;

  TS_HD CurvatureCorner(Vec3d p, Vec3d q, Vec3d r) {
    const Vec3d to_q = q - p;
    const Vec3d to_r = r - p;
    const Vec3d opposite = r - q;
    sides = {dot(to_q, to_q), dot(to_r, to_r), dot(opposite, opposite)};
    normal = cross(to_q, to_r);
    sine = std::sqrt(dot(normal, normal));
    cosine = dot(to_q, to_r);
    const double inverse = 1 / sine;
    const double at_q = (sides.to_next - cosine) * inverse;  // cotangents
    const double at_r = (sides.to_previous - cosine) * inverse;
    const double round = (at_r * sides.to_next + at_q * sides.to_previous) * 0.125;
    const double wide = sine * (cosine < 0 ? 0.25 : 0.125);
    const double flatter = at_q < cosine ? at_q : cosine;
    area = (at_r < flatter ? at_r : flatter) < 0 ? wide : round;
    laplacian = {-(at_r * to_q.x + at_q * to_r.x), -(at_r * to_q.y + at_q * to_r.y),
                 -(at_r * to_q.z + at_q * to_r.z)};
  }
  [[nodiscard]] TS_HD CurvatureShare share() const {
    const double angle = sides.are_fine() ? corner_angle(sine, cosine) : sides.odd_angle();
    if (!(sine > 0)) return {angle};  // no area, or NaN
    return {angle, area, laplacian, normal};
  }
};

/// Names a triangle its vertices only once? Others take no part.
[[nodiscard]] TS_HD inline bool is_sound(const Corners& c) {
  return c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
}

/// The sound triangles and the edges at a vertex.
struct StarCounts {
  std::uint32_t faces = 0;
  std::uint32_t edges = 0;
  bool is_open = false;  ///< an edge has other than two triangles
};

/// The other ends of the edges at v, next and previous of each sound corner; two for each entry of its row.
template <class Stars>
[[nodiscard]] TS_HD std::uint32_t* fill_ends(const Stars& stars, std::uint32_t v, std::uint32_t* ends) {
  const std::size_t last = stars.end(v);
  for (std::size_t i = stars.begin(v); i < last; ++i) {
    const Corners c = stars.triangle(v, i);
    if (!is_sound(c)) continue;
    *ends++ = c[1];
    *ends++ = c[2];
  }
  return ends;
}

/// Whether every edge that goes out of one of up to eight corners comes into one other: so it is around most
/// vertices. No loop depends on data.
template <class Stars>
[[nodiscard]] TS_HD bool is_closed_fan(const Stars& stars, std::uint32_t v) {
  constexpr std::uint32_t most = 8;
  const std::size_t first = stars.begin(v);
  const std::size_t corners = stars.end(v) - first;
  if (corners > most) return false;
  std::uint32_t next[most];
  std::uint32_t previous[most];
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < most; ++i) {
    next[i] = previous[i] = 0xFFFFFFFFu - i;  // pairs that are no vertices
    if (i >= corners) continue;
    const Corners c = stars.triangle(v, first + i);
    next[i] = c[1];
    previous[i] = c[2];
    wrong |= is_sound(c) ? 0 : 1;
  }
  for (std::uint32_t i = 0; i < most; ++i) {
    std::uint32_t partners_of_next = 0;
    std::uint32_t partners_of_previous = 0;
    for (std::uint32_t j = 0; j < most; ++j) {
      partners_of_next += next[i] == previous[j] ? 1 : 0;
      partners_of_previous += previous[i] == next[j] ? 1 : 0;
    }
    wrong |= (partners_of_next ^ 1) | (partners_of_previous ^ 1);
  }
  return wrong == 0;
}

/// `ends` has room for two numbers for each entry of v's row.
template <class Stars>
[[nodiscard]] TS_HD StarCounts count_star(const Stars& stars, std::uint32_t v, std::uint32_t* ends) {
  if (is_closed_fan(stars, v)) {
    const auto corners = static_cast<std::uint32_t>(stars.end(v) - stars.begin(v));
    return {corners, corners, false};
  }
  const std::uint32_t* const last = fill_ends(stars, v, ends);
  const std::ptrdiff_t size = last - ends;
  sort_few(ends, ends + size);
  StarCounts counts;
  counts.faces = static_cast<std::uint32_t>(size / 2);
  for (std::ptrdiff_t run = 0; run < size;) {
    std::ptrdiff_t end = run + 1;
    while (end < size && ends[end] == ends[run]) ++end;
    ++counts.edges;
    counts.is_open = counts.is_open || end - run != 2;
    run = end;
  }
  return counts;
}

/// What is made for each vertex, at the place where it is made.
struct CurvatureViews {
  double* gaussian;
  double* mean;
  double* minimum;
  double* maximum;
  double* defect;
  double* area;
  std::uint8_t* is_on_boundary;

  /// From the sum of the corners' shares; the principal curvatures are left out. A vertex has a full turn
  /// less half a turn for each edge that it has more than triangles: with half of each edge and a third of
  /// each triangle at an end, what is added up is 2 pi (V - E + F), as the angles of a triangle add up to pi.
  TS_HD void set(std::size_t v, const CurvatureShare& sum, const StarCounts& star) const {
    const bool is_inside = !star.is_open && sum.area > 0;
    const double half_turns = 2.0 + static_cast<double>(star.faces) - static_cast<double>(star.edges);
    const double lacks = half_turns * std::numbers::pi - sum.angle;
    const double bend = length(sum.laplacian) / (4 * sum.area);
    defect[v] = lacks;
    area[v] = sum.area;
    gaussian[v] = is_inside ? lacks / sum.area : 0;
    mean[v] = !is_inside ? 0 : dot(sum.laplacian, sum.normal) < 0 ? -bend : bend;
    is_on_boundary[v] = star.is_open ? 1 : 0;
  }
  /// Once the others are final.
  TS_HD void set_principal(std::size_t v) const {
    const double spread = mean[v] * mean[v] - gaussian[v];
    const double root = spread > 0 ? std::sqrt(spread) : 0;
    minimum[v] = mean[v] - root;
    maximum[v] = mean[v] + root;
  }

  /// Gives a vertex on the boundary the mean of its neighbours inside, in ascending order.
  template <class Stars>
  TS_HD void extend(const Stars& stars, std::uint32_t v, std::uint32_t* ends) const {
    const std::uint32_t* const last = fill_ends(stars, v, ends);
    const std::ptrdiff_t size = last - ends;
    sort_few(ends, ends + size);
    double count = 0;
    double gaussian_sum = 0;
    double mean_sum = 0;
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      if ((i > 0 && ends[i] == ends[i - 1]) || is_on_boundary[ends[i]] != 0) continue;
      gaussian_sum += gaussian[ends[i]];
      mean_sum += mean[ends[i]];
      ++count;
    }
    if (count == 0) return;
    gaussian[v] = gaussian_sum / count;
    mean[v] = mean_sum / count;
  }
};

template <class Stars, class Point>
struct SumCorners {
  Stars stars;
  const Point* points;
  std::uint32_t* ends;  ///< two for each entry of a row
  CurvatureViews out;

  TS_HD void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    CurvatureShare sum;
    const std::size_t last = stars.end(v);
    const Vec3d at = vec_cast<double>(points[v]);
    for (std::size_t entry = stars.begin(v); entry < last; ++entry) {
      const Corners c = stars.triangle(v, entry);
      if (!is_sound(c)) continue;
      sum.add(CurvatureCorner(at, vec_cast<double>(points[c[1]]), vec_cast<double>(points[c[2]])).share());
    }
    out.set(v, sum, count_star(stars, v, ends + 2 * stars.begin(v)));
  }
};

template <class Stars>
struct ExtendToBoundary {
  Stars stars;
  std::uint32_t* ends;
  CurvatureViews out;

  TS_HD void operator()(std::size_t v) const {
    if (out.is_on_boundary[v] != 0)
      out.extend(stars, static_cast<std::uint32_t>(v), ends + 2 * stars.begin(v));
    out.set_principal(v);
  }
};

}  // namespace tessera::detail
