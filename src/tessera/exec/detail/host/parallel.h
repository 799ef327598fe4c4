// How host code becomes parallel. Everything is built on run_workers().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>

#include <tessera/exec/detail/host/workers.h>

namespace tessera::detail::host {

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// The part of [0, n) that falls to one of `parts`: contiguous, in order, sizes that differ by at most one.
[[nodiscard]] constexpr Range share_of(std::size_t n, std::size_t part, std::size_t parts) {
  const std::size_t base = n / parts;
  const std::size_t rest = n % parts;
  const std::size_t begin = part * base + std::min(part, rest);
  return {begin, begin + base + (part < rest ? 1 : 0)};
}

/// Calls f(worker) for worker in [0, workers), at most that many at a time, and waits for all of them.
/// If some threw, the exception of the lowest worker is thrown on. See run_claimed().
template <class F>
void run_workers(int workers, F&& f) {
  if (workers <= 1) {
    f(0);
    return;
  }
  using Function = std::remove_reference_t<F>;
  run_claimed(
      workers, [](void* function, int worker) { (*static_cast<Function*>(function))(worker); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

/// Calls f(range, worker) for the pieces of [0, n) of `chunk` elements, handed out as workers become free.
template <class F>
void for_each_chunk(int threads, std::size_t n, std::size_t chunk, F&& f) {
  const std::size_t chunks = (n + chunk - 1) / chunk;
  std::atomic<std::size_t> next{0};
  run_workers(static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), chunks)),
              [&](int worker) {
                for (std::size_t c = next.fetch_add(1, std::memory_order_relaxed); c < chunks;
                     c = next.fetch_add(1, std::memory_order_relaxed)) {
                  f(Range{c * chunk, std::min(n, (c + 1) * chunk)}, worker);
                }
              });
}

/// Calls f(range) for a contiguous share of [0, n) a worker; small inputs stay on one thread.
template <class F>
void for_each_share(int threads, std::size_t n, F&& f, std::size_t min_share = 4096) {
  const std::size_t useful = std::clamp<std::size_t>(n / min_share, 1, static_cast<std::size_t>(threads));
  for_each_chunk(threads, n, std::max<std::size_t>(1, (n + useful - 1) / useful),
                 [&](Range range, int) { f(range); });
}

}  // namespace tessera::detail::host
