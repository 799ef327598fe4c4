// Host stream compaction: keeping some elements, and merging runs of equal keys.
//
// All of them are one pattern: a chunk counts what it will write, learns from the chunks before it where
// (ChunkTotals), and writes while its data is still in the cache.
#pragma once

#include <cstddef>
#include <span>

#include <tessera/exec/detail/host/scan.h>

namespace tessera::detail::host {

inline constexpr std::size_t compaction_chunk = 16384;

/// Calls write(i, position) for every i in [0, n) with keep(i), position counting the kept ones; returns how
/// many.
template <class Keep, class Write>
std::size_t for_each_kept(int threads, std::size_t n, const Keep& keep, const Write& write) {
  const std::size_t chunks = (n + compaction_chunk - 1) / compaction_chunk;
  ChunkTotals<std::size_t> totals(chunks);
  for_each_chunk(threads, n, compaction_chunk, [&](Range range, int) {
    std::size_t kept = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) kept += keep(i) ? 1 : 0;
    std::size_t position = totals.exchange(range.begin / compaction_chunk, kept);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (keep(i)) write(i, position++);
    }
  });
  return totals.total(chunks);
}

/// Calls write(first, last, position) for every run [first, last) of equal keys; returns the number of runs.
/// A run is written by the chunk it starts in.
template <class Key, class Write>
std::size_t for_each_run(int threads, std::span<const Key> keys, const Write& write) {
  const auto starts_run = [&](std::size_t i) { return i == 0 || keys[i] != keys[i - 1]; };
  return for_each_kept(threads, keys.size(), starts_run, [&](std::size_t first, std::size_t position) {
    std::size_t last = first + 1;
    while (last < keys.size() && keys[last] == keys[first]) ++last;
    write(first, last, position);
  });
}

}  // namespace tessera::detail::host
