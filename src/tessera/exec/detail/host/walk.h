// The walk: workers take items, tiles above all, one after the other, each with scratch of its own.
//
// All host code that visits tiles independently of each other comes through here. Where tiles write into one
// array in their order, tile/detail/groups.h hands out the places.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/exec.h>

namespace tessera::detail::host {

struct WalkOptions {
  const Exec& exec;
  const Monitor& monitor = monitor_of(nullptr);
  std::size_t at_once = 8;  ///< items that a worker takes together
};

/// Calls f(scratch, item) for item in [0, items), concurrently; none is begun once the monitor is stopped. A
/// worker's scratch is what make(worker) returns when it gets its first item, with worker from 0 to
/// exec.threads(). Returns them all, null for workers that got no item.
template <class Make, class F>
auto walk(std::size_t items, const WalkOptions& options, const Make& make, const F& f) {
  using Scratch = std::invoke_result_t<Make, int>;
  const int threads = options.exec.threads();
  std::vector<std::unique_ptr<Scratch>> scratch(static_cast<std::size_t>(threads));
  for_each_chunk(threads, items, options.at_once, [&](Range range, int worker) {
    auto& mine = scratch[static_cast<std::size_t>(worker)];
    if (mine == nullptr) mine.reset(new Scratch(make(worker)));  // not moved: some cannot be
    for (std::size_t i = range.begin; i < range.end && !options.monitor.is_stopped(); ++i) f(*mine, i);
  });
  return scratch;
}

/// Calls f(i) for i in [0, n), concurrently, until the monitor is stopped: what is left is not done then, and
/// the caller's next update() throws.
template <class F>
void for_each_until_stopped(const Exec& exec, const Monitor& monitor, std::size_t n, const F& f) {
  for_each_chunk(exec.threads(), n, 16384, [&](Range range, int) {
    if (monitor.is_stopped()) return;
    for (std::size_t i = range.begin; i < range.end; ++i) f(i);
  });
}

}  // namespace tessera::detail::host
