// CUDA backend of exec.h and buffer.h. Plain C++, so that host code can call it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>

namespace tessera::detail::cuda {

[[nodiscard]] std::vector<DeviceInfo> devices();
[[nodiscard]] std::string no_device_reason();

[[nodiscard]] void* allocate(int device, std::size_t bytes);
void release(int device, void* memory) noexcept;
void copy(int device, void* to, const void* from, std::size_t bytes, detail::CopyKind kind);
[[nodiscard]] Bytes peak_bytes(int device);
[[nodiscard]] Bytes available_bytes(int device);
void set_memory_limit(Bytes limit);
void synchronize(int device);

}  // namespace tessera::detail::cuda
