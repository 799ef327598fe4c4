// CUDA backend of exec.h and buffer.h. Plain C++, so that host code can call it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>

namespace tessera::detail::cuda {

[[nodiscard]] std::vector<DeviceInfo> devices();
[[nodiscard]] std::string no_device_reason();

/// A stream that waits for no other, destroyed with its last owner. Error(device_failed) if there is none.
[[nodiscard]] std::shared_ptr<void> make_stream(int device);

[[nodiscard]] void* allocate(const Exec& exec, std::size_t bytes);
void release(const Exec& exec, void* memory) noexcept;
void copy(const Exec& exec, void* to, const void* from, std::size_t bytes, detail::CopyKind kind);
[[nodiscard]] Bytes peak_bytes(const Exec& exec);
[[nodiscard]] Bytes available_bytes(const Exec& exec);
void release_unused_bytes(const Exec& exec);
void synchronize(const Exec& exec);

}  // namespace tessera::detail::cuda
