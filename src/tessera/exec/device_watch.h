// DeviceWatch: sees what an Exec asks of its GPU, and may make it fail.
#pragma once

#include <cstddef>

namespace tessera {

/// For tests of how a program copes with a GPU that fails, and for counting calls. Exec::with_watch()
/// attaches one; the Exec, its copies and the buffers made with them share it.
class DeviceWatch {
 public:
  virtual ~DeviceWatch() = default;

  /// Called after every CUDA call that went well, from the thread that made it; several threads may call at
  /// once. `activity` says what the library was doing, as in "copying". False: the library behaves as if the
  /// call had failed, and throws Error(device_failed).
  [[nodiscard]] virtual bool accept(const char* activity) = 0;
  /// Called for every copy between the host's memory and the GPU's, before it is made.
  virtual void copies(std::size_t /*bytes*/) {}
};

}  // namespace tessera
