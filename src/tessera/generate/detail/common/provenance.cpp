#include <tessera/generate/provenance.h>

#include <algorithm>
#include <cmath>
#include <concepts>

#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/blend.h>

namespace tessera {
namespace {

template <class T>
T interpolate(T a, T b, double weight) {
  if (weight <= 0) return a;  // the ends are exact, also where doubles are not
  if (weight >= 1) return b;
  const double value = static_cast<double>(a) + weight * (static_cast<double>(b) - static_cast<double>(a));
  if constexpr (std::integral<T>) {
    const T low = std::min(a, b);
    const T high = std::max(a, b);
    const double nearest = std::floor(value + 0.5);
    if (nearest <= static_cast<double>(low)) return low;
    return nearest >= static_cast<double>(high) ? high : static_cast<T>(nearest);
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace

Field transfer_point_field(const Field& field, const Provenance& provenance, const Exec& exec) {
  const std::size_t components = field.components();
  Field result(field.name(), field.type(), provenance.edges.size(), components);
  field.visit([&](auto from) {
    using T = typename decltype(from)::value_type;
    const std::span<T> to = result.as<T>();
    host_for_each(exec, provenance.edges.size(), [&](std::size_t v) {
      const T* a = from.data() + provenance.edges[v][0] * components;
      const T* b = from.data() + provenance.edges[v][1] * components;
      for (std::size_t c = 0; c < components; ++c) {
        to[v * components + c] = interpolate<T>(a[c], b[c], provenance.weights[v]);
      }
    });
  });
  detail::keep_unit_length(field, result, exec);
  return result;
}

Field transfer_cell_field(const Field& field, const Provenance& provenance, const Exec& exec) {
  const std::size_t components = field.components();
  Field result(field.name(), field.type(), provenance.cells.size(), components);
  field.visit([&](auto from) {
    using T = typename decltype(from)::value_type;
    const std::span<T> to = result.as<T>();
    host_for_each(exec, provenance.cells.size(), [&](std::size_t cell) {
      std::copy_n(from.data() + provenance.cells[cell] * components, components,
                  to.data() + cell * components);
    });
  });
  return result;
}

}  // namespace tessera
