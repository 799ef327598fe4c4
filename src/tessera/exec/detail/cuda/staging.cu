#include <tessera/exec/detail/cuda/staging.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/cuda.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;

constexpr size_t least_bytes = 4 * piece_bytes;  // below, threads cost more than they bring

/// A thread's two pieces of pinned memory, its stream and the events that say when a piece is free.
class Lane {
 public:
  explicit Lane(const Exec& exec) {
    check_cuda(exec, cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
    for (int i = 0; i < pieces_per_thread; ++i) {
      check_cuda(exec, cudaMallocHost(&pieces_[i], piece_bytes), "taking pinned memory");
      check_cuda(exec, cudaEventCreateWithFlags(&done_[i], cudaEventDisableTiming), "making an event");
    }
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  // Lanes live as long as the process: the driver is gone before their destructors could run.

  /// Takes pieces off the counter and copies them. No copy is under way when it ends, however it ends: the
  /// memory may be given back right after.
  void run(const Exec& exec, std::atomic<size_t>& next, char* to, const char* from, size_t bytes,
           bool to_device) {
    try {
      copy_pieces(exec, next, to, from, bytes, to_device);
    } catch (...) {
      (void)cudaStreamSynchronize(stream_);
      throw;
    }
  }

 private:
  void copy_pieces(const Exec& exec, std::atomic<size_t>& next, char* to, const char* from, size_t bytes,
                   bool to_device) {
    struct Pending {
      char* to = nullptr;
      size_t bytes = 0;
    };
    std::array<Pending, pieces_per_thread> pending;
    const auto settle = [&](int i) {
      if (pending[i].bytes == 0) return;
      check_cuda(exec, cudaEventSynchronize(done_[i]), "copying");
      if (!to_device) std::memcpy(pending[i].to, pieces_[i], pending[i].bytes);
      pending[i].bytes = 0;
    };
    for (int i = 0;; i ^= 1) {
      const size_t begin = next.fetch_add(piece_bytes);
      if (begin >= bytes) break;
      const size_t size = std::min(piece_bytes, bytes - begin);
      settle(i);
      if (to_device) std::memcpy(pieces_[i], from + begin, size);
      check_cuda(exec,
                 cudaMemcpyAsync(to_device ? static_cast<void*>(to + begin) : pieces_[i],
                                 to_device ? pieces_[i] : static_cast<const void*>(from + begin), size,
                                 to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream_),
                 "copying");
      check_cuda(exec, cudaEventRecord(done_[i], stream_), "copying");
      pending[i] = {to + begin, size};
    }
    settle(0);
    settle(1);
  }

  cudaStream_t stream_ = nullptr;
  std::array<void*, pieces_per_thread> pieces_ = {};
  std::array<cudaEvent_t, pieces_per_thread> done_ = {};
};

/// The lanes of one device, made when they are first needed.
struct Lanes {
  std::mutex mutex;
  std::vector<std::unique_ptr<Lane>> lanes;
};

Lanes& lanes_of(int device) {
  constexpr int most_devices = 64;
  static std::array<Lanes, most_devices>* const all = new std::array<Lanes, most_devices>;  // never destroyed
  return (*all)[static_cast<size_t>(device) % most_devices];
}

}  // namespace

bool copy_staged(const Exec& exec, void* to, const void* from, size_t bytes, detail::CopyKind kind) {
  const int threads = std::min(most_copying_threads, exec.threads());
  if (bytes < least_bytes || threads < 2) return false;
  Lanes& own = lanes_of(exec.device());
  const std::unique_lock lock(own.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  while (own.lanes.size() < static_cast<size_t>(threads)) own.lanes.push_back(std::make_unique<Lane>(exec));
  // Lanes have streams of their own. They begin when exec's stream is done, and are done when this returns.
  check_cuda(exec, cudaStreamSynchronize(cuda_stream(exec)), "finishing what comes before a copy");
  std::atomic<size_t> next{0};
  host::run_workers(threads, [&](int lane) {
    const CurrentDevice current(exec);
    own.lanes[static_cast<size_t>(lane)]->run(exec, next, static_cast<char*>(to),
                                              static_cast<const char*>(from), bytes,
                                              kind == detail::CopyKind::to_device);
  });
  return true;
}

}  // namespace tessera::detail::cuda
