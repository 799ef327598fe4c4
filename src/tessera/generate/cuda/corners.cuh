// What generators do to the corners of cells on a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/error.h>
#include <tessera/core/id.h>
#include <tessera/exec/primitives.h>
#include <tessera/generate/cuda/buffers.cuh>

namespace tessera::cuda {

/// Error(bad_mesh) if a cell names a point that is not there.
template <std::size_t Corners>
void expect_corners(const Exec& exec, std::span<const std::array<VertexId, Corners>> cells,
                    std::size_t points) {
  if (cells.empty()) return;
  const std::span<const std::uint32_t> numbers(reinterpret_cast<const std::uint32_t*>(cells.data()),
                                               Corners * cells.size());
  if (reduce_min_max(exec, numbers).max < points) return;
  throw Error(ErrorCode::bad_mesh, "a cell names a point that is not there; 'tessera doctor' says which");
}

template <std::size_t Corners>
struct Reconnect {
  const std::array<VertexId, Corners>* from;
  const VertexId* vertices;
  std::array<VertexId, Corners>* to;
  std::uint8_t* is_kept;
  std::uint8_t* is_dropped;
  TS_HD void operator()(std::size_t c) const {
    std::array<VertexId, Corners> cell = from[c];
    for (std::size_t i = 0; i < Corners; ++i) cell[i] = vertices[cell[i].index()];
    bool repeats = false;
    for (std::size_t i = 0; i < Corners; ++i) {
      for (std::size_t j = i + 1; j < Corners; ++j) repeats = repeats || cell[i] == cell[j];
    }
    to[c] = cell;
    is_kept[c] = repeats ? 0 : 1;
    is_dropped[c] = repeats ? 1 : 0;
  }
};

/// Cells with other vertices in place of theirs.
template <std::size_t Corners>
struct Reconnected {
  Buffer<std::array<VertexId, Corners>> cells;  ///< those that do not name a vertex twice
  Array<std::uint32_t> kept;                    ///< which these are; empty if all of them
  Array<std::uint32_t> dropped;                 ///< the others, ascending
};
template <std::size_t Corners>
[[nodiscard]] Reconnected<Corners> reconnect(const Exec& exec,
                                             std::span<const std::array<VertexId, Corners>> cells,
                                             const VertexId* vertices) {
  Reconnected<Corners> result{Buffer<std::array<VertexId, Corners>>(exec, cells.size()), {}, {}};
  Buffer<std::uint8_t> is_kept(exec, cells.size());
  Buffer<std::uint8_t> is_dropped(exec, cells.size());
  tessera::for_each(
      exec, cells.size(),
      Reconnect<Corners>{cells.data(), vertices, result.cells.data(), is_kept.data(), is_dropped.data()});
  Buffer<std::uint32_t> places(exec, cells.size());
  const std::size_t kept = compact_indices(exec, std::as_const(is_kept).span(), places.span());
  if (kept == cells.size()) return result;
  result.kept = places.to_host(kept);
  result.cells = gathered(exec, std::as_const(result.cells).data(), std::as_const(places).span().first(kept));
  const std::size_t dropped = compact_indices(exec, std::as_const(is_dropped).span(), places.span());
  result.dropped = places.to_host(dropped);
  return result;
}

}  // namespace tessera::cuda
