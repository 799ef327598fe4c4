// The parallel building blocks, with one meaning on host and device. Spans must lie at exec's place
// (a Buffer of the same Exec). On a device calls are queued; those that return a number wait for it.
// Every result is the same for any number of threads and on any device.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/macros.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/min_max.h>

namespace tessera {

using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

template <class T> concept Index = std::same_as<T, uint32_t> || std::same_as<T, uint64_t>;

/// Numbers that are summed up side by side.
template <std::size_t N>
struct Sums {
  uint32_t at[N] = {};
  TS_HD Sums& operator+=(const Sums& other) {
    for (std::size_t k = 0; k < N; ++k) at[k] += other.at[k];
    return *this;
  }
  friend TS_HD Sums operator+(Sums a, const Sums& b) { return a += b; }
};
template <class T> concept Summable = Index<T> || std::same_as<T, Sums<3>> || std::same_as<T, Sums<5>>;

/// How many low bits keys up to `largest` use: what sorts take as `bits`.
[[nodiscard]] constexpr int bits_in_use(uint64_t largest) {
  return static_cast<int>(std::bit_width(largest));
}

/// The values' sum, in the fixed order of exec/reduce_order.h. T: uint32_t, uint64_t, float, double.
template <class T>
[[nodiscard]] T reduce_sum(const Exec& exec, std::span<const T> values);
/// The smallest and the largest value; the limits of T, crossed over, for an empty span. NaN is passed over.
template <class T>
[[nodiscard]] MinMax<T> reduce_min_max(const Exec& exec, std::span<const T> values);

/// out[i] = in[0] + ... + in[i - 1]. `out` has in.size() elements, or one more, which then gets the total.
/// In place is allowed for equal types. One read and one write of the data on either side.
template <Summable In, Summable Out>
void exclusive_scan(const Exec& exec, std::span<const In> in, std::span<Out> out);

/// Sorts ascending by the low `bits` of the keys; equal keys keep their order. Higher bits must be equal
/// in all keys. Takes a temporary copy of keys and values.
template <Index Key>
void sort_keys(const Exec& exec, std::span<Key> keys, int bits = 8 * sizeof(Key));
template <Index Key, Index Value>
void sort_pairs(const Exec& exec, std::span<Key> keys, std::span<Value> values, int bits = 8 * sizeof(Key));

/// Writes the first of each run of equal keys and the run's length; returns the number of runs.
/// The outputs have room for as many runs as there may be.
template <Index Key>
[[nodiscard]] std::size_t run_lengths(const Exec& exec, std::span<const Key> keys, std::span<Key> run_keys,
                                      std::span<uint32_t> run_sizes);
/// Keeps the first of each run of equal keys; returns how many.
template <Index Key>
[[nodiscard]] std::size_t unique(const Exec& exec, std::span<const Key> keys, std::span<Key> out);
/// Sums the values of each run of equal keys in their order; returns the number of runs. Value: uint32_t or
/// uint64_t.
template <Index Key, Index Value>
[[nodiscard]] std::size_t reduce_by_key(const Exec& exec, std::span<const Key> keys,
                                        std::span<const Value> values, std::span<Key> run_keys,
                                        std::span<Value> run_sums);
/// Writes the values whose flag is not zero, in order; returns how many. `out` has room for all of them.
template <Index T>
[[nodiscard]] std::size_t compact(const Exec& exec, std::span<const T> values, std::span<const uint8_t> flags,
                                  std::span<T> out);
/// The same for the indices 0, 1, 2, ... of the flags.
[[nodiscard]] std::size_t compact_indices(const Exec& exec, std::span<const uint8_t> flags,
                                          std::span<uint32_t> out);
/// The same, with the number written at exec's place: it is not waited for.
void compact_indices(const Exec& exec, std::span<const uint8_t> flags, std::span<uint32_t> out,
                     uint32_t* count);

}  // namespace tessera
