// Attributes on a device: attribute_loops.h, compiled by nvcc.
#pragma once

#include <cstddef>

#include <tessera/exec/exec.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/detail/attribute_loops.h>

namespace tessera::detail::cuda {

void gather(const Exec& exec, const ElementCopy& copy);
void scatter(const Exec& exec, const ElementCopy& copy);
void fill(const Exec& exec, const ElementCopy& copy);
void flag_boundary(const Surface& surface, Kind kind, std::uint8_t* out);
void count_edges(const Surface& surface, std::uint32_t* out);

template <class T>
[[nodiscard]] SumOf<T> sum(const Exec& exec, const T* values, std::size_t count, Stride stride);
template <class T>
[[nodiscard]] SumOf<T> dot(const Exec& exec, const T* a, const T* b, std::size_t count);
template <class T>
[[nodiscard]] Extreme<T> extreme(const Exec& exec, const T* values, std::size_t count, bool greatest);

}  // namespace tessera::detail::cuda
