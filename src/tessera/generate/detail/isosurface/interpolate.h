// Where an isosurface crosses an edge, in arithmetic that host and device round alike.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/core/vec.h>

namespace tessera::detail {

/// What weights between values of type T are computed in.
template <class T>
using WeightOf =
    std::conditional_t<std::is_same_v<T, float> || (std::integral<T> && sizeof(T) <= 2), float, double>;

/// The place of `isovalue` between the values a and b of an edge: 0 at a, 1 at b. Infinite values give the
/// middle.
template <class Real>
[[nodiscard]] TS_HD Real edge_weight(Real a, Real b, Real isovalue) {
  const Real t = (isovalue - a) / (b - a);
  return t >= 0 && t <= 1 ? t : Real(0.5);
}

template <class Real>
[[nodiscard]] TS_HD Vec3<Real> lerp(Vec3<Real> a, Vec3<Real> b, Real t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

/// An isovalue as values of type T meet it: v is high if v >= threshold, exactly when v >= the double;
/// weights are computed with `value`. A threshold beyond T is `never` or always (the lowest T) reached.
template <class T>
struct Isovalue {
  T threshold{};
  WeightOf<T> value{};
  bool never = false;

  static Isovalue of(double iso) {
    Isovalue result;
    if constexpr (std::integral<T>) {
      const double ceiling = std::ceil(iso);
      const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);  // the first double above all T
      result.never = ceiling >= beyond;
      const double lowest = static_cast<double>(std::numeric_limits<T>::lowest());
      result.threshold = result.never        ? std::numeric_limits<T>::max()
                         : ceiling <= lowest ? std::numeric_limits<T>::lowest()
                                             : static_cast<T>(ceiling);
      result.value = static_cast<WeightOf<T>>(iso);
    } else {
      result.threshold = static_cast<T>(iso);
      if (static_cast<double>(result.threshold) < iso) {  // the first T at or above
        result.threshold = std::nextafter(result.threshold, std::numeric_limits<T>::infinity());
      }
      result.value = result.threshold;
    }
    return result;
  }
};

template <class T>
using Isovalues = std::span<const Isovalue<T>>;

/// Turns a triangle over, on either side.
struct TurnTriangle {
  std::array<VertexId, 3>* cells;

  TS_HD void operator()(std::size_t t) const {
    const VertexId second = cells[t][1];
    cells[t][1] = cells[t][2];
    cells[t][2] = second;
  }
};

/// Positions of a regular lattice.
struct LatticeFrame {
  Vec3d origin;
  Vec3d spacing;
  Vec3d steps;  ///< in a unit of length: 1 / spacing
  std::array<double, 9> direction;
  bool is_aligned;  ///< no rotation: three products instead of twelve

  /// Is it the mirror image of a lattice of positive spacing without a rotation? Then what is
  /// counter-clockwise in one is clockwise in the other.
  [[nodiscard]] bool is_mirrored() const {
    const std::array<double, 9>& d = direction;
    const double turn = d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
                        d[2] * (d[3] * d[7] - d[4] * d[6]);
    return ((spacing.x < 0) != (spacing.y < 0)) != ((spacing.z < 0) != (turn < 0));
  }

  /// The point at lattice coordinates (x, y, z).
  [[nodiscard, gnu::always_inline]] TS_HD inline Vec3d at(double x, double y, double z) const {
    const Vec3d step = {spacing.x * x, spacing.y * y, spacing.z * z};
    return origin + (is_aligned ? step : turned(step));
  }
  [[nodiscard]] TS_HD Vec3d turned(Vec3d v) const {
    const double* d = direction.data();
    return {d[0] * v.x + d[1] * v.y + d[2] * v.z, d[3] * v.x + d[4] * v.y + d[5] * v.z,
            d[6] * v.x + d[7] * v.y + d[8] * v.z};
  }
};

/// The values of a lattice, x fastest.
template <class T>
struct LatticeValues {
  const T* values;
  std::uint32_t nx, ny, nz;

  using Real = WeightOf<T>;

  [[nodiscard]] TS_HD std::size_t index(std::size_t i, std::size_t j, std::size_t k) const {
    return i + nx * (j + ny * k);
  }
  /// The gradient at a point in steps of the lattice.
  [[nodiscard]] TS_HD Vec3<Real> gradient(std::uint32_t i, std::uint32_t j, std::uint32_t k) const;
};

/// The neighbours of a row's points, to take differences: central, one-sided at the border, 0 beside a NaN.
template <class T>
struct RowNeighbours {
  using Real = WeightOf<T>;

  const T* row;
  const T* y_before;
  const T* y_after;
  const T* z_before;
  const T* z_after;
  std::uint32_t last;  ///< along the row
  Real y_scale, z_scale;

  TS_HD RowNeighbours(const LatticeValues<T>& field, std::uint32_t j, std::uint32_t k)
      : row(field.values + field.index(0, j, k)),
        y_before(field.values + field.index(0, j > 0 ? j - 1 : j, k)),
        y_after(field.values + field.index(0, j + 1 < field.ny ? j + 1 : j, k)),
        z_before(field.values + field.index(0, j, k > 0 ? k - 1 : k)),
        z_after(field.values + field.index(0, j, k + 1 < field.nz ? k + 1 : k)),
        last(field.nx - 1),
        y_scale(j > 0 && j + 1 < field.ny ? Real(0.5) : Real(1)),
        z_scale(k > 0 && k + 1 < field.nz ? Real(0.5) : Real(1)) {}

  [[nodiscard]] TS_HD static Real slope(T before, T after, Real scale) {
    const Real slope = (static_cast<Real>(after) - static_cast<Real>(before)) * scale;
    return slope == slope ? slope : Real(0);
  }
  [[nodiscard]] TS_HD Vec3<Real> gradient(std::uint32_t i) const {
    const std::uint32_t before = i > 0 ? i - 1 : i;
    const std::uint32_t after = i < last ? i + 1 : i;
    const Real x_scale = after - before == 2 ? Real(0.5) : Real(1);
    return {slope(row[before], row[after], x_scale), slope(y_before[i], y_after[i], y_scale),
            slope(z_before[i], z_after[i], z_scale)};
  }
};

template <class T>
TS_HD Vec3<WeightOf<T>> LatticeValues<T>::gradient(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
  return RowNeighbours<T>(*this, j, k).gradient(i);
}

/// Whether a tetrahedron's corners are the other way round than tet_table.h has them; a flat one's are not.
[[nodiscard]] TS_HD inline bool is_negative(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  return dot(cross(b - a, c - a), d - a) < 0;
}

/// The vector with length 1, or zero if it has no direction.
[[nodiscard, gnu::always_inline]] TS_HD inline Vec3f unit_vector(Vec3d v) {
  const double size = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
  const double scale = size > 0 ? 1 / size : 0;
  return {static_cast<float>(v.x * scale), static_cast<float>(v.y * scale), static_cast<float>(v.z * scale)};
}

/// The unit normal that a gradient in steps of the lattice gives: it points to lower values.
template <class Real>
[[nodiscard, gnu::always_inline]] TS_HD inline Vec3f normal_of(const LatticeFrame& frame, Vec3<Real> slope) {
  const Vec3d down = {slope.x * -frame.steps.x, slope.y * -frame.steps.y, slope.z * -frame.steps.z};
  return unit_vector(frame.is_aligned ? down : frame.turned(down));
}

}  // namespace tessera::detail
