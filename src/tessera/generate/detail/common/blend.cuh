// Blend (blend.h) on a device: rules are TS_HD and read what lies there; fields are copied there and back.
#pragma once

#include <cstddef>
#include <utility>

#include <tessera/exec/buffer.h>
#include <tessera/generate/detail/common/blend.h>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail::cuda {

template <class Rule>
[[nodiscard]] Field blend(const Exec& exec, const Field& field, std::size_t outputs, const Rule& rule) {
  return field.visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    const std::size_t components = field.components();
    const Buffer<T> from(exec, values);
    Buffer<T> to(exec, outputs * components);
    tessera::for_each(exec, outputs, BlendTuple<T, Rule>{from.data(), components, rule, to.data()});
    Field result(field.name(), to.to_host(), components);
    keep_unit_length(field, result, exec);
    return result;
  });
}

template <class Rule>
[[nodiscard]] FieldSet blend(const Exec& exec, const FieldSet& fields, std::size_t outputs,
                             const Rule& rule) {
  FieldSet result;
  for (const Field& field : fields) result.add(cuda::blend(exec, field, outputs, rule));
  return result;
}

template <class Vector, class Rule>
[[nodiscard]] Buffer<Vector> blend(const Exec& exec, const Vector* points, std::size_t outputs,
                                   const Rule& rule) {
  Buffer<Vector> to(exec, outputs);
  tessera::for_each(exec, outputs, BlendPoint<Vector, Rule>{points, rule, to.data()});
  return to;
}

}  // namespace tessera::detail::cuda
