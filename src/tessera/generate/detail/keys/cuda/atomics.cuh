// What threads do to numbers that they share, on either side. None of it orders anything but itself.
#pragma once

#include <atomic>
#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail::cuda {

TS_HD inline void set_bits(std::uint64_t* word, std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(reinterpret_cast<unsigned long long*>(word), bits);
#else
  std::atomic_ref(*word).fetch_or(bits, std::memory_order_relaxed);
#endif
}

TS_HD inline void add_one(std::uint32_t* counter) {
#if defined(__CUDA_ARCH__)
  atomicAdd(counter, 1u);
#else
  std::atomic_ref(*counter).fetch_add(1, std::memory_order_relaxed);
#endif
}

/// What is there now, and not what was there when somebody looked before.
template <class T>
[[nodiscard]] TS_HD inline T look_at(const T* place) {
  return *static_cast<const volatile T*>(place);
}

/// Writes what others may be writing too.
TS_HD inline void put(std::uint8_t* place, std::uint8_t value) {
#if defined(__CUDA_ARCH__)
  *place = value;
#else
  std::atomic_ref(*place).store(value, std::memory_order_relaxed);
#endif
}

/// Puts `mine` where `expected` is; returns what was there.
[[nodiscard]] TS_HD inline std::uint32_t exchange_if(std::uint32_t* place, std::uint32_t expected,
                                                     std::uint32_t mine) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(place, expected, mine);
#else
  std::atomic_ref(*place).compare_exchange_strong(expected, mine, std::memory_order_relaxed);
  return expected;
#endif
}

TS_HD inline void lower_to(std::uint32_t* place, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicMin(place, value);
#else
  std::atomic_ref shared(*place);
  std::uint32_t seen = shared.load(std::memory_order_relaxed);
  while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
#endif
}

}  // namespace tessera::detail::cuda
