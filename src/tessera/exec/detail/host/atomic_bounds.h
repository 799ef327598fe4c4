// Minima and maxima that several threads write.
#pragma once

#include <atomic>

namespace tessera::detail::host {

/// Writes `to` if it is smaller than the number; threads may meet.
template <class T>
void lower_to(T& number, T to) {
  const std::atomic_ref<T> at(number);
  for (T known = at.load(std::memory_order_relaxed);
       to < known && !at.compare_exchange_weak(known, to, std::memory_order_relaxed);) {
  }
}

/// Writes `to` if it is larger than the number; threads may meet.
template <class T>
void raise_to(T& number, T to) {
  const std::atomic_ref<T> at(number);
  for (T known = at.load(std::memory_order_relaxed);
       known < to && !at.compare_exchange_weak(known, to, std::memory_order_relaxed);) {
  }
}

}  // namespace tessera::detail::host
