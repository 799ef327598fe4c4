// Blend: what outputs take from inputs, said once for coordinates and for every field.
//
// A rule is called as rule(output, take) and calls take(input, weight) for each input element, in an order of
// its own; weights are not negative and add up to 1. Sums are in double and in that order, so that they do
// not depend on threads.
//
//   the middle of an edge   take(a, 0.5); take(b, 0.5)
//   an average              take(i, 1.0 / n) for n inputs
//   a copy                  take(i, 1), exact for every type
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/core/csr.h>
#include <tessera/core/macros.h>
#include <tessera/exec/for_each.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// The weighted sum of values of one type, rounded to it (integers to the nearest). Never outside of its
/// inputs: a blend of equal values is that value.
template <class T>
class BlendSum {
 public:
  TS_HD void add(T value, double weight) {
    if (count_++ == 0) low_ = high_ = value;
    if (value < low_) low_ = value;
    if (high_ < value) high_ = value;
    sum_ += weight * static_cast<double>(value);
  }
  [[nodiscard]] TS_HD T value() const {
    if (sum_ != sum_) return static_cast<T>(sum_);  // only floating-point numbers get there
    if (count_ == 1 || low_ == high_) return low_;
    double sum = sum_;
    if constexpr (std::integral<T>) sum = std::floor(sum + 0.5);
    if (sum <= static_cast<double>(low_)) return low_;
    return sum >= static_cast<double>(high_) ? high_ : static_cast<T>(sum);
  }

 private:
  T low_{}, high_{};
  double sum_ = 0;
  std::size_t count_ = 0;
};

/// Writes the tuple of an output.
template <class T, class Rule>
struct BlendTuple {
  const T* from;
  std::size_t components;
  Rule rule;
  T* to;

  TS_HD void operator()(std::size_t output) const {
    for (std::size_t c = 0; c < components; ++c) {
      BlendSum<T> sum;
      rule(output, [&](std::size_t i, double weight) { sum.add(from[i * components + c], weight); });
      to[output * components + c] = sum.value();
    }
  }
};

/// Writes the coordinates of an output: summed in double; -0 becomes 0.
template <class Vector, class Rule>
struct BlendPoint {
  const Vector* from;
  Rule rule;
  Vector* to;

  TS_HD void operator()(std::size_t output) const {
    Vec3d sum = {0, 0, 0};
    rule(output, [&](std::size_t i, double weight) { sum = sum + weight * vec_cast<double>(from[i]); });
    to[output] = vec_cast<decltype(Vector::x)>(sum);
  }
};

/// Are these normals, which are known by their name, all of length 1 or 0?
[[nodiscard]] inline bool has_unit_normals(const Field& field) {
  if (field.name() != "Normals" || field.components() != 3) return false;
  return field.visit([&](auto values) {
    for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
      const double size = length(Vec3d{static_cast<double>(values[i]), static_cast<double>(values[i + 1]),
                                       static_cast<double>(values[i + 2])});
      if (size != 0 && !(std::abs(size - 1) < 1e-3)) return false;
    }
    return true;
  });
}

/// A blend of unit normals is shorter than they are and gets its length back. What was copied, and normals of
/// other lengths, stay as they are.
inline void keep_unit_length(const Field& input, Field& field, const Exec& exec) {
  if (!has_unit_normals(input)) return;
  field.visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    if constexpr (std::floating_point<T>) {
      host_for_each(exec, values.size() / 3, [&](std::size_t i) {
        T* const v = values.data() + 3 * i;
        const Vec3d wide = {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
        const double size = length(wide);
        if (!(size > 0) || std::abs(size - 1) < 1e-6) return;
        v[0] = static_cast<T>(wide.x / size);
        v[1] = static_cast<T>(wide.y / size);
        v[2] = static_cast<T>(wide.z / size);
      });
    }
  });
}

/// A field of the outputs from one of the inputs, which has a tuple for each of them.
template <class Rule>
[[nodiscard]] Field blend(const Field& field, std::size_t outputs, const Rule& rule, const Exec& exec) {
  Field result(field.name(), field.type(), outputs, field.components());
  field.visit([&](auto from) {
    using T = typename decltype(from)::value_type;
    host_for_each(exec, outputs,
                  BlendTuple<T, const Rule&>{from.data(), field.components(), rule, result.as<T>().data()});
  });
  keep_unit_length(field, result, exec);
  return result;
}

template <class Rule>
[[nodiscard]] FieldSet blend(const FieldSet& fields, std::size_t outputs, const Rule& rule,
                             const Exec& exec) {
  FieldSet result;
  for (const Field& field : fields) result.add(blend(field, outputs, rule, exec));
  return result;
}

template <class Rule>
[[nodiscard]] Points blend(const Points& points, std::size_t outputs, const Rule& rule, const Exec& exec) {
  return points.visit([&](auto from) {
    using Vector = std::remove_const_t<typename decltype(from)::element_type>;
    Array<Vector> to(outputs);
    host_for_each(exec, outputs, BlendPoint<Vector, const Rule&>{from.data(), rule, to.data()});
    return Points(std::move(to));
  });
}

/// The rule of averages over groups of inputs, none of which is empty.
struct AverageRule {
  RowsView<std::uint32_t> groups;

  template <class Take>
  TS_HD void operator()(std::size_t output, const Take& take) const {
    const std::span<const std::uint32_t> row = groups[output];
    const double weight = 1.0 / static_cast<double>(row.size());
    for (const std::uint32_t input : row) take(input, weight);
  }
};
template <class Row>
[[nodiscard]] AverageRule average_of(const Csr<Row, std::uint32_t>& groups) {
  return {groups.view()};
}

}  // namespace tessera::detail
