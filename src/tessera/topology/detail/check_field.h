// Can a field be analysed on a mesh?
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/field.h>

namespace tessera::detail {

/// Error(unsupported) unless a field of so many components has one.
inline void expect_scalar(const std::string& name, std::size_t components) {
  if (components == 1) return;
  throw Error(ErrorCode::unsupported, "the field '" + name + "' has " + std::to_string(components) +
                                          " components; an order needs one");
}

/// Error(unsupported) unless the field has one number for each vertex.
inline void check_field(const Field& field, std::size_t vertices) {
  expect_scalar(field.name(), field.components());
  if (field.size() != vertices) {
    throw Error(ErrorCode::unsupported, "the field '" + field.name() + "' has " +
                                            std::to_string(field.size()) + " values, but the mesh has " +
                                            std::to_string(vertices) + " vertices");
  }
}

/// How many values are not numbers, and the first of them.
struct NanCount {
  std::size_t count = 0;
  std::size_t first = 0;
};

template <class T>
[[nodiscard]] NanCount count_nan(std::span<const T> values, const Exec& exec) {
  std::atomic<std::size_t> count{0};
  std::atomic<std::size_t> first{values.size()};
  if constexpr (std::is_floating_point_v<T>) {
    host::for_each_share(exec.threads(), values.size(), [&](host::Range share) {
      std::size_t found = 0;
      for (std::size_t v = share.begin; v < share.end; ++v) found += std::isnan(values[v]) ? 1 : 0;
      if (found == 0) return;
      count += found;
      std::size_t v = share.begin;
      while (!std::isnan(values[v])) ++v;
      for (std::size_t known = first; v < known && !first.compare_exchange_weak(known, v);) {
      }
    });
  }
  return {count, first};
}

/// Error(unsupported) if there are any among so many vertices; names the first.
inline void refuse_nan(const NanCount& found, std::size_t vertices, const std::string& name) {
  if (found.count == 0) return;
  throw Error(ErrorCode::unsupported, "the field '" + name + "' is not a number at " +
                                          std::to_string(found.count) + " of " + std::to_string(vertices) +
                                          " vertices, first at vertex " + std::to_string(found.first) +
                                          "; topology needs a value everywhere");
}
template <class T>
void refuse_nan(std::span<const T> values, const std::string& name, const Exec& exec) {
  refuse_nan(count_nan(values, exec), values.size(), name);
}

}  // namespace tessera::detail
