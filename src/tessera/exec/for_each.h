// for_each on host threads. Kernels for both sides use for_each.cuh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include <tessera/exec/exec.h>

namespace tessera {

namespace detail {

/// Calls share(begin, end) for contiguous parts of [0, n) that together are all of it, on up to `threads`
/// threads: on so many that each has enough to do, which the first few elements tell.
void run_shares(int threads, std::size_t n, const std::function<void(std::size_t, std::size_t)>& share);

/// The host threads of `exec` for an operation of several loops over `cells` cells: at most one for every few
/// thousand. With fewer cells each, threads cost more than they bring, on a busy machine far more
/// (benchmarks/small_jobs).
[[nodiscard]] inline Exec host_for(const Exec& exec, std::size_t cells) {
  constexpr std::size_t cells_each = 8192;
  return Exec::host(static_cast<int>(
      std::clamp<std::size_t>(cells / cells_each, 1, static_cast<std::size_t>(exec.threads()))));
}

}  // namespace detail

/// Calls f(i) for i in [0, n) on exec's host threads, or on fewer if there is little to do; in which order is
/// not promised. The calls must not write what others read.
template <class F>
void host_for_each(const Exec& exec, std::size_t n, F&& f) {
  const auto share = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(i);
  };
  detail::run_shares(exec.threads(), n, std::ref(share));
}

}  // namespace tessera
