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

/// Error(unsupported) unless the field has one number for each vertex.
inline void check_field(const Field& field, std::size_t vertices) {
  if (field.components() != 1) {
    throw Error(ErrorCode::unsupported, "the field '" + field.name() + "' has " +
                                            std::to_string(field.components()) +
                                            " components; an order needs one");
  }
  if (field.size() != vertices) {
    throw Error(ErrorCode::unsupported, "the field '" + field.name() + "' has " +
                                            std::to_string(field.size()) + " values, but the mesh has " +
                                            std::to_string(vertices) + " vertices");
  }
}

/// Error(unsupported) if a value is not a number; names the first such vertex.
template <class T>
void refuse_nan(std::span<const T> values, const std::string& name, const Exec& exec) {
  if constexpr (std::is_floating_point_v<T>) {
    std::atomic<std::size_t> count{0};
    std::atomic<std::size_t> first{values.size()};
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
    if (count == 0) return;
    throw Error(ErrorCode::unsupported, "the field '" + name + "' is not a number at " +
                                            std::to_string(count) + " of " + std::to_string(values.size()) +
                                            " vertices, first at vertex " + std::to_string(first) +
                                            "; topology needs a value everywhere");
  }
}

}  // namespace tessera::detail
