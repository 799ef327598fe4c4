// Rows turned around on a device: for each number the places that have it.
//
// Counting finds where rows begin, atomic adds fill them in any order, and a thread sorts each in its own
// memory, so that the result does not depend on the order. Where a row is too long for that, a stable radix
// sort of all entries takes its place, which reads and writes them several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/exec/for_each.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {

/// Rows that a thread sorts in its own memory have at most so many entries.
inline constexpr std::uint32_t most_sorted = 32;

/// Sorts a few numbers.
__device__ inline void sort_few(std::uint32_t* values, std::uint32_t count) {
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint32_t value = values[i];
    std::uint32_t j = i;
    for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

/// For each of `rows` numbers the places i / width of the values that are it, ascending. `cursor` has how
/// often each is there, and a 0.
inline RowBuffers<std::uint32_t> transpose(const Exec& exec, const std::uint32_t* values, std::size_t count,
                                           std::uint32_t width, std::uint32_t rows,
                                           Buffer<std::uint32_t> cursor) {
  RowBuffers<std::uint32_t> result{Buffer<std::uint32_t>(exec, std::size_t{rows} + 1),
                                   Buffer<std::uint32_t>(exec, count)};
  const std::uint32_t longest =
      rows == 0 ? 0 : reduce_min_max<std::uint32_t>(exec, std::as_const(cursor).span()).max;
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, std::as_const(cursor).span(), result.offsets.span());
  if (longest > most_sorted) {
    Buffer<std::uint32_t> keys(exec, count);
    cuda::for_each(
        exec, count,
        [values, width, key = keys.data(), place = result.values.data()] __device__(std::size_t i) {
          key[i] = values[i];
          place[i] = static_cast<std::uint32_t>(i / width);
        });
    sort_pairs<std::uint32_t, std::uint32_t>(exec, keys.span(), result.values.span(), bits_in_use(rows));
    return result;
  }
  detail::copy(exec, cursor.data(), result.offsets.data(), result.offsets.bytes(),
               detail::CopyKind::on_device);
  cuda::for_each(exec, count,
                 [values, width, next = cursor.data(), out = result.values.data()] __device__(std::size_t i) {
                   out[atomicAdd(next + values[i], 1u)] = static_cast<std::uint32_t>(i / width);
                 });
  cuda::for_each(exec, rows,
                 [offsets = result.offsets.data(), out = result.values.data()] __device__(std::size_t row) {
                   std::uint32_t own[most_sorted];
                   const std::uint32_t begin = offsets[row];
                   const std::uint32_t size = offsets[row + 1] - begin;
                   for (std::uint32_t i = 0; i < size; ++i) own[i] = out[begin + i];
                   sort_few(own, size);
                   for (std::uint32_t i = 0; i < size; ++i) out[begin + i] = own[i];
                 });
  return result;
}

/// The same of values that are all below `rows`.
inline RowBuffers<std::uint32_t> transpose(const Exec& exec, const std::uint32_t* values, std::size_t count,
                                           std::uint32_t width, std::uint32_t rows) {
  Buffer<std::uint32_t> counts = filled(exec, std::size_t{rows} + 1, 0u);
  cuda::for_each(exec, count,
                 [values, to = counts.data()] __device__(std::size_t i) { atomicAdd(to + values[i], 1u); });
  return transpose(exec, values, count, width, rows, std::move(counts));
}

}  // namespace tessera::detail::cuda
