// Host exclusive scan with one trip through memory.
//
// Workers take chunks in order. A worker sums its chunk, which brings it into its cache, waits for the total
// of the chunks before it, passes its own total on and then writes the chunk's results from the cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tessera/exec/host/parallel.h>

namespace tessera::host {

/// The running total before each chunk, handed from the worker of one chunk to the worker of the next.
/// Chunks must be taken in ascending order, as for_each_chunk hands them out, and none may fail before it has
/// exchanged.
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

/// Writes 64 bytes past the caches, where the processor can; `to` is 64-byte aligned. A store of a whole line
/// that is not read before saves a third of a scan's memory traffic.
inline void stream_line(void* to, const void* from) {
#if defined(__SSE2__)
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(static_cast<const __m128i*>(from) + part);
    _mm_stream_si128(static_cast<__m128i*>(to) + part, bytes);
  }
#else
  std::memcpy(to, from, 64);
#endif
}

/// One chunk, from `sum` on. `in` and `out` may be the same array.
template <class In, class Out>
void scan_chunk(const In* in, Out* out, std::size_t n, Out sum) {
  for (std::size_t i = 0; i < n; ++i) {
    const Out value = in[i];
    out[i] = sum;
    sum += value;
  }
}

/// The same past the caches; `out` is 64-byte aligned and apart from `in`. Results are gathered in the
/// first-level cache by the block: reading a line right after its words were written would wait for them.
template <class In, class Out>
void stream_chunk(const In* in, Out* out, std::size_t n, Out sum) {
  constexpr std::size_t line = 64 / sizeof(Out);
  constexpr std::size_t block = 64 * line;
  alignas(64) Out results[block];
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
    scan_chunk(in + i, results, block, sum);
    sum = results[block - 1] + in[i + block - 1];
    for (std::size_t k = 0; k < block; k += line) stream_line(out + i + k, results + k);
  }
  scan_chunk(in + i, out + i, n - i, sum);
}

template <class In, class Out>
void exclusive_scan(int threads, std::span<const In> in, std::span<Out> out) {
  constexpr std::size_t chunk = 32768;                 // of input stays in a core's second-level cache
  constexpr std::size_t large = std::size_t{4} << 20;  // bytes of output that no cache keeps anyway
  const std::size_t n = in.size();
  const bool apart = static_cast<const void*>(in.data()) != static_cast<const void*>(out.data());
  const bool stream =
      apart && n * sizeof(Out) >= large && reinterpret_cast<std::uintptr_t>(out.data()) % 64 == 0;
  ChunkTotals<Out> totals((n + chunk - 1) / chunk);
  for_each_chunk(threads, n, chunk, [&](Range range, int) {
    Out own{};
    for (std::size_t i = range.begin; i < range.end; ++i) own += in[i];
    const Out before = totals.exchange(range.begin / chunk, own);
    const auto scan = stream ? stream_chunk<In, Out> : scan_chunk<In, Out>;
    scan(in.data() + range.begin, out.data() + range.begin, range.size(), before);
  });
  if (out.size() > n) out[n] = totals.total((n + chunk - 1) / chunk);
}

}  // namespace tessera::host
