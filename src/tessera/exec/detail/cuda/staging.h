// Large copies between a host and its device.
//
// A device reads and writes only host memory that is pinned. The driver copies from other memory through a
// small pinned buffer with one thread, at about 5 GB/s where the bus has 50. Here the exec's threads do it,
// each with two pieces of pinned memory: while one is on the bus, the other is filled or emptied.
#pragma once

#include <algorithm>
#include <cstddef>

#include <tessera/exec/buffer.h>

namespace tessera::detail::cuda {

inline constexpr std::size_t piece_bytes = std::size_t{2} << 20;
inline constexpr int pieces_per_thread = 2;
inline constexpr int most_copying_threads = 12;  // more do not make the bus faster

/// The pinned memory that is taken by the first large copy and kept.
[[nodiscard]] constexpr Bytes staging_bytes(int threads) {
  return threads < 2 ? 0 : Bytes{piece_bytes} * pieces_per_thread * std::min(threads, most_copying_threads);
}

/// Copies when all that was queued before is done, and waits. False, and nothing done, if that does not pay
/// or another thread is at it.
[[nodiscard]] bool copy_staged(const Exec& exec, void* to, const void* from, std::size_t bytes,
                               detail::CopyKind kind);

}  // namespace tessera::detail::cuda
