// DeviceSide: the device's HostSide (side.h), with the same bytes as result.
#pragma once

#include <cstddef>

#include <tessera/exec/exec.h>
#include <tessera/exec/detail/reduce.cuh>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail {

struct DeviceSide {
  static constexpr bool reduces_while_writing = false;
  Exec exec;

  template <class F>
  void for_each(std::size_t n, const F& f) const {
    cuda::for_each(exec, n, f);
  }
  template <class T, class Value, class Op>
  [[nodiscard]] T reduce(std::size_t n, const T& identity, const Value& value, const Op& op) const {
    return detail::reduce(exec, n, identity, value, op);
  }
  template <class T, class Value, class Op>
  void reduce_into(T* result, std::size_t n, const T& identity, const Value& value, const Op& op) const {
    detail::reduce_into(exec, result, n, identity, value, op);
  }
};

}  // namespace tessera::detail
