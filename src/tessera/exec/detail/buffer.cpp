#include <tessera/exec/buffer.h>

#include <cstring>

#include <tessera/core/config.h>
#include <tessera/exec/detail/cuda/device.h>
#include <tessera/exec/detail/cuda/staging.h>

namespace tessera {

using namespace detail;
namespace detail {

void* allocate(const Exec& exec, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::allocate(exec, bytes);
  }
  void* memory = allocate_pages(bytes);
  if (memory == nullptr) {
    throw Error(ErrorCode::out_of_memory, "the machine has no " + format_bytes(bytes) + " of memory left",
                Remedy::more_memory);
  }
  return memory;
}

void release(const Exec& exec, void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::release(exec, memory);
  }
  release_pages(memory, bytes);
}

void copy(const Exec& exec, void* to, const void* from, std::size_t bytes, CopyKind kind) {
  if (bytes == 0) return;
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::copy(exec, to, from, bytes, kind);
  }
  std::memcpy(to, from, bytes);
}

}  // namespace detail

Bytes device_peak_bytes(const Exec& exec) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::peak_bytes(exec);
  }
  return 0;
}

Bytes device_copy_bytes(const Exec& exec) {
  return exec.is_cuda() ? cuda::staging_bytes(exec.threads()) : 0;
}

Bytes device_available_bytes(const Exec& exec) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::available_bytes(exec);
  }
  return 0;
}

void release_unused_device_memory(const Exec& exec) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) cuda::release_unused_bytes(exec);
  }
}

void synchronize(const Exec& exec) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) cuda::synchronize(exec);
  }
}

}  // namespace tessera
