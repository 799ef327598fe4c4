// What a kernel's launch needs of an Exec: its device, its stream, and errors. For translation units compiled
// by nvcc:
//
//   const CurrentDevice current(exec);
//   kernel<<<blocks, threads, 0, cuda_stream(exec)>>>(...);
//   check_launch(exec, "starting my kernel");
#pragma once

#include <cuda_runtime.h>

#include <tessera/exec/exec.h>

namespace tessera {

namespace detail {

/// Throws Error(device_failed | out_of_device_memory) with CUDA's own words.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* activity);
/// Shows a call that went well to the exec's watch; true if it has to fail all the same.
[[nodiscard]] bool is_refused_by_watch(const Exec& exec, const char* activity);

}  // namespace detail

/// The stream that exec's work is queued on; exec is a device.
[[nodiscard]] inline cudaStream_t cuda_stream(const Exec& exec) {
  return static_cast<cudaStream_t>(exec.stream());
}

/// Throws Error(device_failed | out_of_device_memory) if `status` is not success, or if the exec's watch
/// wants it so. `activity` completes the sentence "the GPU failed while".
inline void check_cuda(const Exec& exec, cudaError_t status, const char* activity) {
  if (status != cudaSuccess) detail::throw_cuda_error(status, activity);
  if (detail::is_refused_by_watch(exec, activity)) {
    detail::throw_cuda_error(cudaErrorLaunchFailure, activity);
  }
}

/// Checks the launch that came before.
inline void check_launch(const Exec& exec, const char* activity) {
  check_cuda(exec, cudaGetLastError(), activity);
}

/// Makes exec's device the current one until the end of the scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(const Exec& exec) {
    check_cuda(exec, cudaGetDevice(&before_), "asking for the current device");
    if (before_ == exec.device()) return;
    try {
      check_cuda(exec, cudaSetDevice(exec.device()), "choosing the device");
    } catch (...) {
      (void)cudaSetDevice(before_);
      throw;
    }
    changed_ = true;
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() {
    if (changed_) (void)cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace tessera
