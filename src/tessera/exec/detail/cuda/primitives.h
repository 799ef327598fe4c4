// CUDA backend of exec/primitives.h: over CUB, on the exec's device.
#pragma once

#include <cstddef>
#include <span>

#include <tessera/exec/primitives.h>

namespace tessera::detail::cuda {

template <class T>
[[nodiscard]] T reduce_sum(const Exec& exec, std::span<const T> values);
template <class T>
[[nodiscard]] MinMax<T> reduce_min_max(const Exec& exec, std::span<const T> values);
template <Summable In, Summable Out>
void exclusive_scan(const Exec& exec, std::span<const In> in, std::span<Out> out);
template <Index Key>
void sort_keys(const Exec& exec, std::span<Key> keys, int bits);
template <Index Key, Index Value>
void sort_pairs(const Exec& exec, std::span<Key> keys, std::span<Value> values, int bits);
template <Index Key>
[[nodiscard]] std::size_t run_lengths(const Exec& exec, std::span<const Key> keys, std::span<Key> run_keys,
                                      std::span<uint32_t> run_sizes);
template <Index Key>
[[nodiscard]] std::size_t unique(const Exec& exec, std::span<const Key> keys, std::span<Key> out);
template <Index Key, Index Value>
[[nodiscard]] std::size_t reduce_by_key(const Exec& exec, std::span<const Key> keys,
                                        std::span<const Value> values, std::span<Key> run_keys,
                                        std::span<Value> run_sums);
template <Index T>
[[nodiscard]] std::size_t compact(const Exec& exec, std::span<const T> values, std::span<const uint8_t> flags,
                                  std::span<T> out);
[[nodiscard]] std::size_t compact_indices(const Exec& exec, std::span<const uint8_t> flags,
                                          std::span<uint32_t> out);
void compact_indices(const Exec& exec, std::span<const uint8_t> flags, std::span<uint32_t> out,
                     uint32_t* count);

}  // namespace tessera::detail::cuda
