// The loops of the heat method, on either side.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tessera/core/macros.h>
#include <tessera/surface/detail/sparse_loops.h>
#include <tessera/surface/detail/triangle_rules.h>

namespace tessera::detail {

/// The logarithm of a positive number, the same bytes on either side: x = m 2^e with m around 1, and
/// log m = 2 atanh((m - 1) / (m + 1)). Good to about 1e-12.
[[nodiscard]] TS_HD inline double same_log(double x) {
  constexpr double log_2 = 0.69314718055994531;
  constexpr double root_2 = 1.4142135623730951;
  constexpr double two_to_64 = 18446744073709551616.0;
  double exponent = -1023;
  if (x < std::numeric_limits<double>::min()) {
    x *= two_to_64;
    exponent -= 64;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<double>(bits >> 52);
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
  if (m > root_2) {
    m /= 2;
    exponent += 1;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int k = 15; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * log_2 + 2 * s * sum;
}

/// The lengths of a vertex's edges, added up.
struct AddEdgeLengths {
  SurfaceRows<VV> neighbours;
  const Vec3d* positions;
  double* sums;
  TS_HD void operator()(std::size_t i) const {
    double sum = 0;
    for (const tiled::VertexId other : neighbours[tiled::VertexId(static_cast<std::uint32_t>(i))])
      sum += length(positions[other.index()] - positions[i]);
    sums[i] = sum;
  }
};

/// laplacian + mass / time: the flow of heat for that time, by one implicit step (backward Euler).
struct FillFlow {
  const std::uint32_t* offsets;
  const std::uint32_t* columns;
  const double* laplacian;
  const double* mass;
  double time;
  double* values;
  static constexpr double least = 1e-9;  ///< mass, as a part of the Laplacian: where triangles have no area

  TS_HD void operator()(std::size_t row) const {
    for (std::uint32_t k = offsets[row]; k < offsets[row + 1]; ++k)
      values[k] = columns[k] == row ? (1 + least) * laplacian[k] + mass[row] / time : laplacian[k];
  }
};

struct MarkReached {
  const std::uint32_t* component;
  const std::uint8_t* has_source;
  std::uint8_t* is_reached;
  TS_HD void operator()(std::size_t i) const { is_reached[i] = has_source[component[i]]; }
};

/// What a triangle adds to the right-hand side of each of its corners: the integral of the gradient of the
/// corner's function times the unit vector away from the heat.
struct FillFlux {
  Triangles triangles;
  const double* heat;
  double* flux;  ///< three a triangle
  TS_HD void operator()(std::size_t i) const {
    const tiled::FaceId f(static_cast<std::uint32_t>(i));
    const auto c = triangles.corners[f];
    double u[3];
    double most = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      u[k] = heat[c[k].index()];
      const double size = u[k] < 0 ? -u[k] : u[k];
      most = most < size ? size : most;
      flux[3 * i + k] = 0;
    }
    if (!(most > 0)) return;
    const TriangleShape shape = triangles.shape(f);
    if (shape.is_thin()) return;
    Vec3d away = {0, 0, 0};
    Vec3d turned[3];  // the gradient of a corner's function, times twice the area
    for (int k = 0; k < 3; ++k) {
      turned[k] = (1 / shape.doubled_area) * cross(shape.normal, shape.p[(k + 2) % 3] - shape.p[(k + 1) % 3]);
      away = away - (u[k] / most) * turned[k];
    }
    const double size = length(away);
    if (!(size > 0)) return;
    for (int k = 0; k < 3; ++k) flux[3 * i + static_cast<std::size_t>(k)] = 0.5 * dot(turned[k], away) / size;
  }
};

struct GatherFlux {
  SurfaceRows<VF> faces;
  Triangles triangles;
  const double* flux;
  double* b;
  TS_HD void operator()(std::size_t i) const {
    const auto self = static_cast<std::uint32_t>(i);
    double sum = 0;
    for (const tiled::FaceId f : faces[tiled::VertexId(self)])
      sum += flux[3 * std::size_t{f.index()} + static_cast<std::size_t>(triangles.find(f, self))];
    b[i] = sum;
  }
};

/// A first guess of the distance: -sqrt(t) log(heat), up to a constant.
struct GuessDistance {
  const double* heat;
  double root_time;
  double* x;
  TS_HD void operator()(std::size_t i) const {
    const double u = heat[i] < 0 ? -heat[i] : heat[i];
    x[i] = u > 0 ? -root_time * same_log(u) : 0;
  }
};

/// Distances from what solves the system, which is up to a constant in each component; none below 0.
struct Shift {
  const std::uint32_t* component;
  const double* shift;  ///< of a component; infinity if it has no source
  double* x;
  TS_HD void operator()(std::size_t i) const {
    const double by = shift[component[i]];
    const double moved = x[i] - by;
    x[i] = by == std::numeric_limits<double>::infinity() ? by : moved < 0 ? 0 : moved;
  }
};

struct SetEach {
  const std::uint32_t* places;
  const double* values;
  double* x;
  TS_HD void operator()(std::size_t i) const { x[places[i]] = values[i]; }
};

#define TS_FOR_EACH_HEAT_LOOP(X) \
  X(AddEdgeLengths)              \
  X(FillFlow)                    \
  X(MarkReached)                 \
  X(FillFlux)                    \
  X(GatherFlux)                  \
  X(GuessDistance)               \
  X(Shift)                       \
  X(SetEach)

}  // namespace tessera::detail
