// Vec3: three coordinates with the arithmetic that geometry code reads naturally with.
#pragma once

#include <cmath>
#include <cstddef>

#include <tessera/core/macros.h>

namespace tessera {

template <class T>
struct Vec3 {
  T x, y, z;

  TS_HD friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  TS_HD friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  TS_HD friend constexpr Vec3 operator*(T s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;

template <class T>
[[nodiscard]] TS_HD constexpr T dot(Vec3<T> a, Vec3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
[[nodiscard]] TS_HD constexpr Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T>
[[nodiscard]] TS_HD T length(Vec3<T> a) {
  return std::sqrt(dot(a, a));
}

template <class To, class From>
[[nodiscard]] TS_HD constexpr Vec3<To> vec_cast(Vec3<From> a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}

}  // namespace tessera
