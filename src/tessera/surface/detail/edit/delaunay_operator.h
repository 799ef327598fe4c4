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

  /// A number with the sign of sin(x + y), where x and y are the angles at p and q between directions.
  [[nodiscard]] static TS_HD double sine_of_sum(const Vec3d& u, const Vec3d& v, const Vec3d& s, const Vec3d& t) {
    const double cross_uv = length(cross(u, v));
    const double cross_st = length(cross(s, t));
    const double sum = cross_uv * dot(s, t) + dot(u, v) * cross_st;
    const double scale = std::sqrt(dot(u, u) * dot(v, v)) * std::sqrt(dot(s, s) * dot(t, t));
    constexpr double tolerance = 1e-9;
    return sum < -tolerance * scale ? -1 : sum > tolerance * scale ? 1 : 0;
  }
  [[nodiscard]] TS_HD bool is_delaunay() const {
    // Two angles of at most 90 degrees, which most are, need no roots.
    if (dot(a - c, b - c) >= 0 && dot(a - d, b - d) >= 0) return true;
    return sine_of_sum(a - c, b - c, a - d, b - d) >= 0;
  }
  [[nodiscard]] TS_HD bool is_convex() const {
    return sine_of_sum(c - a, b - a, d - a, b - a) > 0 && sine_of_sum(c - b, a - b, d - b, a - b) > 0;
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
    if (mesh.face_count(e) != 2) return;
    const tiled::HalfEdgeId h = mesh.first_half_edge(e);
    const tiled::HalfEdgeId across = mesh.across(h);
    const tiled::VertexId c = mesh.opposite(h);
    const tiled::VertexId d = mesh.opposite(across);
    if (c == d) return;
    const FlipQuad quad = {position[mesh.from(h)], position[mesh.to(h)], position[c], position[d]};
    if (quad.is_delaunay() || !quad.is_convex() || !quad.bends_less(feature_cosine)) return;
    cavity.remove(e);
  }
  TS_HD void fill(Hole& hole) const { fill_flip(hole); }
};

}  // namespace tessera::detail
