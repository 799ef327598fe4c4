// Exec: where code runs. A small value that every operation takes in its options.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <tessera/core/memory.h>
#include <tessera/exec/device_watch.h>

namespace tessera {

namespace detail {
struct DeviceContext;
}  // namespace detail

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

/// Copies are cheap and share a device's stream. Work of one Exec is done in the order it was asked for; work
/// of two Execs with streams of their own may overlap.
class Exec {
 public:
  /// Host threads; 0 means as many as the machine has.
  [[nodiscard]] static Exec host(int threads = 0);
  /// CUDA device k, on a stream of its own, which waits for no other. Error(device_failed) with the reason if
  /// it cannot be used.
  [[nodiscard]] static Exec cuda(int device = 0, int threads = 0);
  /// The same on the caller's stream, a cudaStream_t of that device, which must outlive the Exec and the
  /// buffers made with it. What the caller has queued there comes first. A null pointer is the default
  /// stream.
  [[nodiscard]] static Exec cuda_on(void* stream, int device = 0, int threads = 0);
  /// A CUDA device if there is one that works, else host threads.
  [[nodiscard]] static Exec automatic(int threads = 0);

  // The same place with one thing changed; host threads have none of them and stay as they are.

  /// Another stream of its own. Error(device_failed) if there is none.
  [[nodiscard]] Exec with_own_stream() const;
  /// Buffers may be made with it as long as all buffers of the process on its device hold at most so much; 0:
  /// as much as there is. For a GPU that others want some of, too.
  [[nodiscard]] Exec with_memory_limit(Bytes limit) const;
  /// Every CUDA call made for it is shown to `watch`; null: to nobody.
  [[nodiscard]] Exec with_watch(std::shared_ptr<DeviceWatch> watch) const;

  [[nodiscard]] bool is_cuda() const { return device_ >= 0; }
  [[nodiscard]] int device() const { return device_; }
  /// Host threads: also what the host part of a device run uses.
  [[nodiscard]] int threads() const { return threads_; }
  /// "cpu, 2 threads" or "NVIDIA H200 (cuda:0)".
  [[nodiscard]] std::string description() const;

  /// The cudaStream_t that work is queued on; null on the host and for the default stream.
  [[nodiscard]] void* stream() const;
  /// For the library itself; null on the host.
  [[nodiscard]] const detail::DeviceContext* context() const { return context_.get(); }

 private:
  explicit Exec(int threads) : threads_(threads) {}
  Exec(int threads, detail::DeviceContext context);

  int threads_;
  int device_ = -1;
  std::shared_ptr<const detail::DeviceContext> context_;
};

/// The usable CUDA devices; empty without a GPU, a driver or CUDA in this build.
[[nodiscard]] std::vector<DeviceInfo> devices();

/// Why devices() is empty, as one sentence; empty when it is not.
[[nodiscard]] std::string no_device_reason();

}  // namespace tessera
