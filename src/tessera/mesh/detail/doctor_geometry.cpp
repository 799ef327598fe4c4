// Adaptive signs after J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates" (1997): the first error bound of each predicate, then the exact value.
#include <tessera/mesh/detail/doctor_geometry.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include <tessera/mesh/detail/equal_points.h>

namespace tessera::detail::doctor {
namespace {

constexpr double epsilon = 0x1.0p-53;
constexpr double area_error = (3.0 + 16.0 * epsilon) * epsilon;
constexpr double volume_error = (7.0 + 56.0 * epsilon) * epsilon;
// Room for what products lose when they underflow; the bounds above do not know about that.
constexpr double area_underflow = 0x1.0p-1000;
constexpr double volume_underflow = 0x1.0p-700;
constexpr double largest_factor = 0x1.0p300;

/// A sum of doubles without rounding: parts that do not overlap, the largest last (Shewchuk's expansion).
class ExactSum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double sum = x + parts_[i];
      const double virtual_part = sum - x;
      const double error = (x - (sum - virtual_part)) + (parts_[i] - virtual_part);
      if (error != 0.0) parts_[kept++] = error;
      x = sum;
    }
    if (x != 0.0) parts_[kept++] = x;
    size_ = kept;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(std::fma(a, b, -product));
    add(product);
  }
  /// Adds factor times another sum.
  void add_product(double factor, const ExactSum& sum) {
    for (std::size_t i = 0; i < sum.size_; ++i) add_product(factor, sum.parts_[i]);
  }
  [[nodiscard]] int sign() const { return size_ == 0 ? 0 : parts_[size_ - 1] > 0.0 ? 1 : -1; }

 private:
  std::array<double, 96> parts_;  // 4 factors x 6 products x 2 halves x 2 halves
  std::size_t size_ = 0;
};

struct Vec2 {
  double x, y;
};

/// Twice the signed area of a triangle in the plane.
ExactSum exact_area(Vec2 a, Vec2 b, Vec2 c) {
  ExactSum area;
  const auto add_edge = [&](Vec2 p, Vec2 q) {
    area.add_product(p.x, q.y);
    area.add_product(-p.y, q.x);
  };
  add_edge(a, b);
  add_edge(b, c);
  add_edge(c, a);
  return area;
}

/// Whether rounding cannot have hidden that the area is zero.
bool has_certain_area(Vec2 a, Vec2 b, Vec2 c) {
  const double left = (b.x - a.x) * (c.y - a.y);
  const double right = (b.y - a.y) * (c.x - a.x);
  const double bound = area_error * (std::abs(left) + std::abs(right)) + area_underflow;
  return std::abs(left - right) > bound;
}

/// Scales the points by a power of two so that the largest coordinate is about 1: products then neither
/// overflow nor, within the promised range, underflow. The scaling itself is exact there.
template <std::size_t N>
void normalize(std::array<Vec3d, N>& points) {
  double largest = 0.0;
  for (const Vec3d& p : points) {
    largest = std::max({largest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  for (Vec3d& p : points) {
    p = {std::ldexp(p.x, -exponent), std::ldexp(p.y, -exponent), std::ldexp(p.z, -exponent)};
  }
}

int exact_volume_sign(std::array<Vec3d, 4> p) {
  normalize(p);
  const auto flat = [&](std::size_t i) { return Vec2{p[i].x, p[i].y}; };
  ExactSum volume;
  volume.add_product(-p[0].z, exact_area(flat(1), flat(2), flat(3)));
  volume.add_product(p[1].z, exact_area(flat(0), flat(2), flat(3)));
  volume.add_product(-p[2].z, exact_area(flat(0), flat(1), flat(3)));
  volume.add_product(p[3].z, exact_area(flat(0), flat(1), flat(2)));
  return volume.sign();
}

}  // namespace

int volume_sign(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  const Vec3d u = b - a;
  const Vec3d v = c - a;
  const Vec3d w = d - a;
  const double vxwy = v.x * w.y, wxvy = w.x * v.y;
  const double wxuy = w.x * u.y, uxwy = u.x * w.y;
  const double uxvy = u.x * v.y, vxuy = v.x * u.y;
  const double volume = u.z * (vxwy - wxvy) + v.z * (wxuy - uxwy) + w.z * (uxvy - vxuy);
  const double heights = std::abs(u.z) + std::abs(v.z) + std::abs(w.z);
  const double permanent = (std::abs(vxwy) + std::abs(wxvy)) * std::abs(u.z) +
                           (std::abs(wxuy) + std::abs(uxwy)) * std::abs(v.z) +
                           (std::abs(uxvy) + std::abs(vxuy)) * std::abs(w.z);
  const double bound = volume_error * permanent + volume_underflow;
  if (heights < largest_factor && std::abs(volume) > bound) return volume > 0.0 ? 1 : -1;
  return exact_volume_sign({a, b, c, d});
}

bool has_zero_area(Vec3d a, Vec3d b, Vec3d c) {
  using Axis = double Vec3d::*;
  constexpr std::array<std::pair<Axis, Axis>, 3> planes = {
      {{&Vec3d::x, &Vec3d::y}, {&Vec3d::y, &Vec3d::z}, {&Vec3d::z, &Vec3d::x}}};
  const auto flat = [](const Vec3d& p, const std::pair<Axis, Axis>& plane) {
    return Vec2{p.*plane.first, p.*plane.second};
  };
  for (const auto& plane : planes) {
    if (has_certain_area(flat(a, plane), flat(b, plane), flat(c, plane))) return false;
  }
  std::array<Vec3d, 3> p = {a, b, c};
  normalize(p);
  return std::all_of(planes.begin(), planes.end(), [&](const auto& plane) {
    return exact_area(flat(p[0], plane), flat(p[1], plane), flat(p[2], plane)).sign() == 0;
  });
}

Array<std::uint32_t> find_first_equals(const PassContext& context, const Points& points) {
  const PointGroups groups = group_equal_points(points, context.exec);
  Array<std::uint32_t> first(points.size());
  points.visit([&](auto p) {
    for_each_element(context, "comparing points", p.size(), [&](std::size_t i) {
      first[i] =
          is_finite(p[i]) ? groups.first[groups.connections[i].index()] : static_cast<std::uint32_t>(i);
    });
  });
  return first;
}

}  // namespace tessera::detail::doctor
