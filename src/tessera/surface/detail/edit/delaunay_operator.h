// The operator of Delaunay flips.
#pragma once

#include <cmath>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/operators.h>

namespace tessera::detail {

/// Four corners of two triangles abc and bad, and what is worked out of them without angles.
struct FlipQuad {
  Vec3d a, b, c, d;

  /// The sign of sin(x + y), where x is the angle between u and v and y that between s and t; 0 if rounding
  /// could have decided it. Needs no roots: the terms sin(x) cos(y) and cos(x) sin(y) are compared as
  /// squares.
  [[nodiscard]] static TS_HD int sign_of_sum(const Vec3d& u, const Vec3d& v, const Vec3d& s, const Vec3d& t) {
    const double cos_x = dot(u, v);
    const double cos_y = dot(s, t);
    if (cos_x >= 0 && cos_y >= 0) return 1;
    if (cos_x < 0 && cos_y < 0) return -1;
    const Vec3d sin_x = cross(u, v);
    const Vec3d sin_y = cross(s, t);
    const double first = dot(sin_x, sin_x) * (cos_y * cos_y);
    const double second = dot(sin_y, sin_y) * (cos_x * cos_x);
    constexpr double tolerance = 1e-9;
    if (std::abs(first - second) <= tolerance * (first + second)) return 0;
    return (first > second) == (cos_y > 0) ? 1 : -1;
  }
  [[nodiscard]] TS_HD bool is_delaunay() const { return sign_of_sum(a - c, b - c, a - d, b - d) >= 0; }
  [[nodiscard]] TS_HD bool is_convex() const {
    return sign_of_sum(c - a, b - a, d - a, b - a) > 0 && sign_of_sum(c - b, a - b, d - b, a - b) > 0;
  }
  /// The cosine of the bend at the edge; 1 if it is flat.
  [[nodiscard]] TS_HD bool bends_less(double cosine) const {
    const Vec3d n = cross(b - a, c - a);
    const Vec3d m = cross(a - b, d - b);
    return dot(n, m) >= cosine * std::sqrt(dot(n, n) * dot(m, m));
  }
};

struct DelaunayFlip {
  using Seed = tiled::EdgeId;
  EditView<tiled::VertexId, Vec3d> position;
  double feature_cosine;

  TS_HD void declare(Cavity& cavity, Seed e) const {
    const EditMesh& mesh = cavity.mesh();
    const EdgeDiamond diamond = mesh.diamond(e);
    if (!diamond.right.is_valid() || diamond.right == diamond.left) return;
    const FlipQuad quad = {position[diamond.from], position[diamond.to], position[diamond.left],
                           position[diamond.right]};
    if (quad.is_delaunay() || !quad.is_convex() || !quad.bends_less(feature_cosine)) return;
    cavity.remove(e);
  }
  TS_HD void fill(Hole& hole) const { fill_flip(hole); }
};

}  // namespace tessera::detail
