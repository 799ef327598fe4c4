// HostSide: where an algorithm that is written once for both sides runs. It is a template over the side; a
// .cpp instantiates it for HostSide, a .cu for DeviceSide (side.cuh). What it loops over are small structs
// with a TS_HD operator(), because a host compiler and nvcc must both understand them; buffers, scans and
// sorts take the Exec.
#pragma once

#include <cstddef>

#include <tessera/exec/detail/host/reduce.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>

namespace tessera::detail {

struct HostSide {
  /// What reduce() reduces may also write: a pass over memory less. A device would wait for each write.
  static constexpr bool reduces_while_writing = true;
  Exec exec;

  /// Calls f(i) for i in [0, n).
  template <class F>
  void for_each(std::size_t n, const F& f) const {
    host_for_each(exec, n, f);
  }
  /// op over value(i) for i in [0, n), in the fixed order of reduce_order.h.
  template <class T, class Value, class Op>
  [[nodiscard]] T reduce(std::size_t n, const T& identity, const Value& value, const Op& op) const {
    return host::reduce(exec.threads(), n, identity, value, op);
  }
  /// The same into memory at the side's place, without waiting for it. n > 0.
  template <class T, class Value, class Op>
  void reduce_into(T* result, std::size_t n, const T& identity, const Value& value, const Op& op) const {
    *result = reduce(n, identity, value, op);
  }
};

}  // namespace tessera::detail
