// Which number has the critical cell of an id, on a device (critical_numbers.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/exec/detail/search.cuh>

namespace tessera::detail::cuda {

/// Where a value lies in a sorted array, or its size.
template <class T>
__device__ std::size_t find(const T* values, std::size_t size, T value) {
  const std::size_t low = lower_bound(values, std::size_t{0}, size, value);
  return low < size && values[low] == value ? low : size;
}

/// Numbers of critical cells by id.
class DeviceNumbers {
 public:
  DeviceNumbers(const Exec& exec, std::span<const std::uint32_t> ids_in_order)
      : ids_(exec, ids_in_order), numbers_(exec, ids_in_order.size()) {
    Array<std::uint32_t> numbers(ids_in_order.size());
    std::iota(numbers.begin(), numbers.end(), 0u);
    numbers_.assign(numbers);
    sort_pairs<std::uint32_t, std::uint32_t>(exec, ids_.span(), numbers_.span());
  }

  struct View {
    const std::uint32_t* ids;
    const std::uint32_t* numbers;
    std::size_t size;
    __device__ std::int32_t operator[](std::uint32_t id) const {
      const std::size_t at = find(ids, size, id);
      return at == size ? -1 : static_cast<std::int32_t>(numbers[at]);
    }
  };
  [[nodiscard]] View view() const { return {ids_.data(), numbers_.data(), ids_.size()}; }

 private:
  Buffer<std::uint32_t> ids_;
  Buffer<std::uint32_t> numbers_;
};

}  // namespace tessera::detail::cuda
