// What the curvature at a vertex is made of, on either side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/generate/detail/common/angle.h>

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

/// A corner's sine and cosine times the lengths of its sides, and its share but for the angle. Of a triangle
/// without area only the sine, which is not above 0 then, means something.
struct CurvatureCorner {
  double sine;
  double cosine;
  double area;
  Vec3d laplacian;
  Vec3d normal;

  TS_HD CurvatureCorner(Vec3d p, Vec3d q, Vec3d r) {
    const Vec3d to_q = q - p;
    const Vec3d to_r = r - p;
    normal = cross(to_q, to_r);
    sine = std::sqrt(dot(normal, normal));
    cosine = dot(to_q, to_r);
    const double inverse = 1 / sine;
    const double at_q = (dot(to_q, to_q) - cosine) * inverse;  // cotangents
    const double at_r = (dot(to_r, to_r) - cosine) * inverse;
    const double round = (at_r * dot(to_q, to_q) + at_q * dot(to_r, to_r)) * 0.125;
    const double wide = sine * (cosine < 0 ? 0.25 : 0.125);
    const double flatter = at_q < cosine ? at_q : cosine;
    area = (at_r < flatter ? at_r : flatter) < 0 ? wide : round;
    laplacian = {-(at_r * to_q.x + at_q * to_r.x), -(at_r * to_q.y + at_q * to_r.y),
                 -(at_r * to_q.z + at_q * to_r.z)};
  }
  [[nodiscard]] TS_HD CurvatureShare share() const {
    if (!(sine > 0)) return {};  // no area, or NaN
    return {corner_angle(sine, cosine), area, laplacian, normal};
  }
};

/// The curvature of a vertex with the sum of its corners' shares.
struct VertexCurvature {
  double gaussian;
  double mean;
  double defect;

  TS_HD VertexCurvature(const CurvatureShare& sum, bool is_on_boundary) {
    const bool is_inside = !is_on_boundary && sum.area > 0;
    const double turn = sum.angle > 0 ? (is_on_boundary ? 1 : 2) * std::numbers::pi : 0;
    const double bend = length(sum.laplacian) / (4 * sum.area);
    defect = turn - sum.angle;
    gaussian = is_inside ? defect / sum.area : 0;
    mean = !is_inside ? 0 : dot(sum.laplacian, sum.normal) < 0 ? -bend : bend;
  }
};

/// Whether an edge at v has other than two triangles. `ends` are the other ends of the two edges of each
/// corner at v, ascending, so those of an edge from v to itself come twice.
[[nodiscard]] TS_HD inline bool has_open_edge(std::uint32_t v, std::span<const std::uint32_t> ends) {
  for (std::size_t run = 0; run < ends.size();) {
    std::size_t end = run + 1;
    while (end < ends.size() && ends[end] == ends[run]) ++end;
    if (end - run != (ends[run] == v ? 4u : 2u)) return true;
    run = end;
  }
  return false;
}

}  // namespace tessera::detail
