// Buffer: memory where an Exec computes, host or device. Uninitialised, 64-byte aligned, moved but not
// copied. On a device it is taken and given back in the order of the Exec's stream: whoever uses it on
// another stream waits for the first, and lets the first wait before the buffer goes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>

namespace tessera {

namespace detail {

/// Memory at exec's place. Error(out_of_memory), or Error(out_of_device_memory) on a device, says what was
/// asked and what there is.
[[nodiscard]] void* allocate(const Exec& exec, std::size_t bytes);
void release(const Exec& exec, void* memory, std::size_t bytes) noexcept;
enum class CopyKind { to_device, to_host, on_device };
void copy(const Exec& exec, void* to, const void* from, std::size_t bytes, CopyKind kind);

}  // namespace detail

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(const Exec& exec, std::size_t size) : exec_(exec), size_(size) {
    if (size > static_cast<std::size_t>(-1) / sizeof(T)) {
      throw Error(exec.is_cuda() ? ErrorCode::out_of_device_memory : ErrorCode::out_of_memory,
                  "a buffer of " + std::to_string(size) + " elements cannot exist");
    }
    data_ = static_cast<T*>(detail::allocate(exec, size * sizeof(T)));
  }
  /// A copy of host values at exec's place.
  Buffer(const Exec& exec, std::span<const T> values) : Buffer(exec, values.size()) { assign(values); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {
    exec_ = other.exec_;  // a copy: the other may be filled again
  }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(exec_, other.exec_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { detail::release(exec_, data_, size_ * sizeof(T)); }

  /// Where it lies.
  [[nodiscard]] const Exec& exec() const { return exec_; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::span<T> span() { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const { return {data_, size_}; }

  /// Writes host values over the beginning of the buffer.
  void assign(std::span<const T> values) {
    TS_EXPECTS(values.size() <= size_);
    detail::copy(exec_, data_, values.data(), values.size_bytes(), detail::CopyKind::to_device);
  }
  /// The first `count` elements on the host. Waits for the device.
  [[nodiscard]] Array<T> to_host(std::size_t count) const {
    TS_EXPECTS(count <= size_);
    Array<T> values(count);
    detail::copy(exec_, values.data(), data_, count * sizeof(T), detail::CopyKind::to_host);
    return values;
  }
  [[nodiscard]] Array<T> to_host() const { return to_host(size_); }

 private:
  Exec exec_ = Exec::host(1);
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The most device memory buffers have held at once on exec's device, in this process; 0 on the host.
[[nodiscard]] Bytes device_peak_bytes(const Exec& exec);
/// The host's memory, pinned, that large copies to and from exec's device take and keep; 0 on the host.
[[nodiscard]] Bytes device_copy_bytes(const Exec& exec);
/// What buffers of exec may still take on its device; 0 on the host.
[[nodiscard]] Bytes device_available_bytes(const Exec& exec);
/// Gives the memory of freed buffers, which is kept for the next ones, back to the device for others to use.
void release_unused_device_memory(const Exec& exec);
/// Waits until all that was queued on exec's stream is done.
void synchronize(const Exec& exec);

}  // namespace tessera
