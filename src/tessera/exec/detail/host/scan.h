// Host exclusive scan with one trip through memory.
//
// Workers take chunks in order. A worker sums its chunk, which brings it into its cache, waits for the total
// of the chunks before it, passes its own total on and then writes the chunk's results from the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tessera/exec/detail/host/parallel.h>

namespace tessera::detail::host {

/// The running total before each chunk, handed from the worker of one chunk to the worker of the next.
/// Chunks must be taken in ascending order, as for_each_chunk hands them out, and none may fail before it has
/// exchanged.
template <class T>
class ChunkTotals {
 public:
  explicit ChunkTotals(std::size_t chunks)
      : ready_(std::make_unique<Signal[]>(chunks + 1)), before_(std::make_unique<T[]>(chunks + 1)) {
    pass_on(0, T{});
  }
  /// Waits for the total before `chunk`, passes that plus `own` on, and returns it.
  T exchange(std::size_t chunk, T own) {
    ready_[chunk].wait();  // ends, because a chunk that was taken is being worked on
    const T before = before_[chunk];
    pass_on(chunk + 1, before + own);
    return before;
  }
  [[nodiscard]] T total(std::size_t chunks) const { return before_[chunks]; }

 private:
  void pass_on(std::size_t chunk, T total) {
    before_[chunk] = total;
    ready_[chunk].give();
  }
  std::unique_ptr<Signal[]> ready_;
  std::unique_ptr<T[]> before_;
};

/// One chunk, from `sum` on. `in` and `out` may be the same array.
template <class In, class Out>
void scan_chunk(const In* in, Out* out, std::size_t n, Out sum, bool /*past_caches*/) {
  for (std::size_t i = 0; i < n; ++i) {
    const Out value = in[i];
    out[i] = sum;
    sum += value;
  }
}

#if defined(__SSE2__)
/// Four at a time: a running sum through memory or one register at a time cannot keep up with the memory.
/// Past the caches, `out` is 16-byte aligned; a line that is written whole and never read saves a third of
/// the traffic.
inline void scan_chunk(const std::uint32_t* in, std::uint32_t* out, std::size_t n, std::uint32_t sum,
                       bool past_caches) {
  __m128i before = _mm_set1_epi32(static_cast<int>(sum));
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    __m128i sums = _mm_add_epi32(values, _mm_slli_si128(values, 4));
    sums = _mm_add_epi32(_mm_add_epi32(sums, _mm_slli_si128(sums, 8)), before);
    const __m128i results = _mm_sub_epi32(sums, values);
    __m128i* place = reinterpret_cast<__m128i*>(out + i);
    past_caches ? _mm_stream_si128(place, results) : _mm_storeu_si128(place, results);
    before = _mm_shuffle_epi32(sums, 0xFF);
  }
  sum = static_cast<std::uint32_t>(_mm_cvtsi128_si32(before));
  scan_chunk<std::uint32_t, std::uint32_t>(in + i, out + i, n - i, sum, past_caches);
}
#endif

template <class In, class Out>
void exclusive_scan(int threads, std::span<const In> in, std::span<Out> out) {
  constexpr std::size_t chunk = 32768;                 // of input stays in a core's second-level cache
  constexpr std::size_t large = std::size_t{4} << 20;  // bytes of output that no cache keeps anyway
  const std::size_t n = in.size();
  const bool apart = static_cast<const void*>(in.data()) != static_cast<const void*>(out.data());
  const bool aligned = reinterpret_cast<std::uintptr_t>(out.data()) % 64 == 0;
  const bool past_caches = apart && aligned && n * sizeof(Out) >= large;
  ChunkTotals<Out> totals((n + chunk - 1) / chunk);
  for_each_chunk(threads, n, chunk, [&](Range range, int) {
    Out own{};
    for (std::size_t i = range.begin; i < range.end; ++i) own += in[i];
    const Out before = totals.exchange(range.begin / chunk, own);
    scan_chunk(in.data() + range.begin, out.data() + range.begin, range.size(), before, past_caches);
  });
  if (out.size() > n) out[n] = totals.total((n + chunk - 1) / chunk);
}

}  // namespace tessera::detail::host
