// Host reduction in the fixed order of reduce_order.h.
#pragma once

#include <array>
#include <cstddef>

#include <tessera/core/array.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/reduce_order.h>

namespace tessera::detail::host {

/// Folds value(begin), ..., value(end - 1), one chunk, in the fixed order. `identity` fills missing lanes.
template <class T, class Value, class Op>
[[nodiscard]] T reduce_chunk(std::size_t begin, std::size_t end, const T& identity, const Value& value,
                             const Op& op) {
  using reduce_order::lanes;
  std::array<T, lanes> lane;
  lane.fill(identity);
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) lane[l] = op(lane[l], value(i + l));
  }
  for (std::size_t l = 0; i + l < end; ++l) lane[l] = op(lane[l], value(i + l));
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lane[l] = op(lane[l], lane[l + half]);
  }
  return lane[0];
}

/// op over value(i) for i in [0, n); op need not be associative.
template <class T, class Value, class Op>
[[nodiscard]] T reduce(int threads, std::size_t n, const T& identity, const Value& value, const Op& op) {
  using reduce_order::chunk;
  if (n <= chunk) return reduce_chunk(0, n, identity, value, op);
  Array<T> partial(reduce_order::chunk_count(n));
  for_each_share(
      threads, partial.size(),
      [&](Range range) {
        for (std::size_t c = range.begin; c < range.end; ++c) {
          partial[c] = reduce_chunk(c * chunk, std::min(n, (c + 1) * chunk), identity, value, op);
        }
      },
      16);
  return reduce(threads, partial.size(), identity, reduce_order::Loaded<T>{partial.data()}, op);
}

}  // namespace tessera::detail::host
