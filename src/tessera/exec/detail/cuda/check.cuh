// Turns CUDA's error codes into Error, and makes a device current for a scope.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include <tessera/core/error.h>
#include <tessera/exec/detail/cuda/faults.h>

namespace tessera::detail::cuda {

/// Throws Error(device_failed | out_of_memory) with CUDA's own words if `status` is not success.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) {
    if (!fails_on_purpose()) return;
    status = cudaErrorLaunchFailure;
  }
  (void)cudaGetLastError();  // a reported error must not be found again by the next call
  const ErrorCode code =
      status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::device_failed;
  throw Error(code, std::string("the GPU failed while ") + what + ": " + cudaGetErrorString(status));
}

/// Checks the launch that came before.
inline void check_launch(const char* what) {
  check(cudaGetLastError(), what);
}

/// Makes `device` the current one until the end of the scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check(cudaGetDevice(&before_), "asking for the current device");
    if (before_ != device) check(cudaSetDevice(device), "choosing the device");
    changed_ = before_ != device;
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

}  // namespace tessera::detail::cuda
