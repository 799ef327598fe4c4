// Exec: where code runs. A small value that every operation takes in its options.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tessera/core/memory.h>

namespace tessera {

/// One GPU as the driver describes it.
struct DeviceInfo {
  int index = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  Bytes memory_total = 0;
  Bytes memory_free = 0;
};

class Exec {
 public:
  /// Host threads; 0 means as many as the machine has.
  [[nodiscard]] static Exec host(int threads = 0);
  /// CUDA device k. Error(device_failed) with the reason if it can not be used.
  [[nodiscard]] static Exec cuda(int device = 0, int threads = 0);
  /// A CUDA device if there is one that works, else host threads.
  [[nodiscard]] static Exec automatic(int threads = 0);

  [[nodiscard]] bool is_cuda() const { return device_ >= 0; }
  [[nodiscard]] int device() const { return device_; }
  /// Host threads: also what the host part of a device run uses.
  [[nodiscard]] int threads() const { return threads_; }
  /// "cpu, 2 threads" or "NVIDIA H200 (cuda:0)".
  [[nodiscard]] std::string description() const;

 private:
  Exec(int threads, int device) : threads_(threads), device_(device) {}

  int threads_;
  int device_;
};

/// The usable CUDA devices; empty without a GPU, a driver or CUDA in this build.
[[nodiscard]] std::vector<DeviceInfo> devices();

/// Why devices() is empty, as one sentence; empty when it is not.
[[nodiscard]] std::string no_device_reason();

}  // namespace tessera
