// Small things that are done with buffers, on host or device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/exec/buffer.h>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail::cuda {

/// One element on the host. Waits for the device.
template <class T>
[[nodiscard]] T value_at(const Exec& exec, const Buffer<T>& buffer, std::size_t place) {
  TS_EXPECTS(place < buffer.size());
  T value;
  detail::copy(exec, &value, buffer.data() + place, sizeof(T), detail::CopyKind::to_host);
  return value;
}
template <class T>
[[nodiscard]] T last_of(const Exec& exec, const Buffer<T>& buffer) {
  return value_at(exec, buffer, buffer.size() - 1);
}

template <class T>
struct SetTo {
  T* values;
  T value;
  TS_HD void operator()(std::size_t i) const { values[i] = value; }
};
/// A buffer full of one value.
template <class T>
[[nodiscard]] Buffer<T> filled(const Exec& exec, std::size_t size, T value) {
  Buffer<T> buffer(exec, size);
  tessera::for_each(exec, size, SetTo<T>{buffer.data(), value});
  return buffer;
}

template <class T>
struct Gather {
  const T* from;
  const std::uint32_t* order;
  T* to;
  TS_HD void operator()(std::size_t i) const { to[i] = from[order[i]]; }
};
/// The elements named by `order`.
template <class T>
[[nodiscard]] Buffer<T> gathered(const Exec& exec, const T* from, std::span<const std::uint32_t> order) {
  Buffer<T> to(exec, order.size());
  tessera::for_each(exec, order.size(), Gather<T>{from, order.data(), to.data()});
  return to;
}

/// Two buffers as one.
template <class T>
[[nodiscard]] Buffer<T> joined(const Exec& exec, const Buffer<T>& first, const Buffer<T>& second) {
  Buffer<T> both(exec, first.size() + second.size());
  detail::copy(exec, both.data(), first.data(), first.bytes(), detail::CopyKind::on_device);
  detail::copy(exec, both.data() + first.size(), second.data(), second.bytes(), detail::CopyKind::on_device);
  return both;
}

}  // namespace tessera::detail::cuda
