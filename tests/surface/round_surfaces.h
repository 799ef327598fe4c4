// A cylinder, whose distances are known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <tessera/mesh/mesh.h>

namespace tessera::test {

/// The lateral surface of a cylinder of radius 1 and height pi, closed around: n triangles of nearly equal
/// sides beside each other, in rows of which every second one is turned by half a triangle. n is divisible
/// by 4.
inline TriMesh make_cylinder(std::uint32_t n) {
  const double step = 2 * std::numbers::pi / n;
  TriMesh mesh;
  Array<Vec3d> points;
  for (std::uint32_t j = 0; j <= n / 2; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const double angle = step * (i + 0.5 * (j % 2));
      points.push_back({std::cos(angle), std::sin(angle), step * j});
    }
  }
  mesh.points = std::move(points);
  for (std::uint32_t j = 0; j < n / 2; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const VertexId a(j * n + i), b(j * n + (i + 1) % n), c(a.index() + n), d(b.index() + n);
      if (j % 2 == 0) {
        mesh.cells.push_back({a, b, c});
        mesh.cells.push_back({b, d, c});
      } else {
        mesh.cells.push_back({a, b, d});
        mesh.cells.push_back({a, d, c});
      }
    }
  }
  return mesh;
}

/// The distance of two of its points.
inline double on_cylinder(const Vec3d& a, const Vec3d& b) {
  return std::hypot(std::acos(std::clamp(a.x * b.x + a.y * b.y, -1.0, 1.0)), a.z - b.z);
}

}  // namespace tessera::test
