// What an Exec of a device carries besides its number of threads. Plain C++, so that host code can use it.
#pragma once

#include <memory>

#include <tessera/core/memory.h>
#include <tessera/exec/device_watch.h>

namespace tessera::detail {

struct DeviceContext {
  int device = 0;
  std::shared_ptr<void> stream;  ///< a cudaStream_t; destroyed with its last owner unless it is the caller's
  Bytes memory_limit = 0;        ///< of all buffers on the device; 0: none
  std::shared_ptr<DeviceWatch> watch;
};

}  // namespace tessera::detail
