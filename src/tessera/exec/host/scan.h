// Host exclusive scan with one trip through memory.
//
// Workers take chunks in order. A worker sums its chunk, which brings it into its cache, waits for the total
// of the chunks before it, passes its own total on and then writes the chunk's results from the cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include <tessera/exec/host/parallel.h>

namespace tessera::host {

/// The running total before each chunk, handed from the worker of one chunk to the worker of the next.
/// Chunks must be taken in ascending order, as for_each_chunk hands them out.
template <class T>
class ChunkTotals {
 public:
  explicit ChunkTotals(std::size_t chunks)
      : ready_(std::make_unique<std::atomic<bool>[]>(chunks + 1)),
        before_(std::make_unique<T[]>(chunks + 1)) {
    pass_on(0, T{});
  }
  /// Waits for the total before `chunk`, passes that plus `own` on, and returns it.
  T exchange(std::size_t chunk, T own) {
    for (int spins = 0; !ready_[chunk].load(std::memory_order_acquire); ++spins) {
      if (spins > 1000) std::this_thread::yield();
    }
    const T before = before_[chunk];
    pass_on(chunk + 1, before + own);
    return before;
  }
  [[nodiscard]] T total(std::size_t chunks) const { return before_[chunks]; }

 private:
  void pass_on(std::size_t chunk, T total) {
    before_[chunk] = total;
    ready_[chunk].store(true, std::memory_order_release);
  }
  std::unique_ptr<std::atomic<bool>[]> ready_;
  std::unique_ptr<T[]> before_;
};

template <class In, class Out>
void exclusive_scan(int threads, std::span<const In> in, std::span<Out> out) {
  constexpr std::size_t chunk = 32768;  // in and out of a chunk stay in a core's second-level cache
  const std::size_t n = in.size();
  ChunkTotals<Out> totals((n + chunk - 1) / chunk);
  for_each_chunk(threads, n, chunk, [&](Range range, int) {
    Out own{};
    for (std::size_t i = range.begin; i < range.end; ++i) own += in[i];
    Out sum = totals.exchange(range.begin / chunk, own);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Out value = in[i];  // before the write: in and out may be the same array
      out[i] = sum;
      sum += value;
    }
  });
  if (out.size() > n) out[n] = totals.total((n + chunk - 1) / chunk);
}

}  // namespace tessera::host
