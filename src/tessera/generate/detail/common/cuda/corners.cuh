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
#include <tessera/mesh/mesh.h>
#include <tessera/exec/buffers.cuh>

namespace tessera::detail::cuda {

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

struct IsMarked {
  const std::uint8_t* marks;
  std::uint8_t mark;
  std::uint8_t* is_listed;
  TS_HD void operator()(std::size_t i) const { is_listed[i] = marks[i] == mark ? 1 : 0; }
};
/// The places of a mark, ascending.
[[nodiscard]] inline Buffer<std::uint32_t> places_of(const Exec& exec, const Buffer<std::uint8_t>& marks,
                                                     std::uint8_t mark) {
  Buffer<std::uint8_t> is_listed(exec, marks.size());
  tessera::for_each(exec, marks.size(), IsMarked{marks.data(), mark, is_listed.data()});
  Buffer<std::uint32_t> places(exec, marks.size());
  const std::size_t count = compact_indices(exec, std::as_const(is_listed).span(), places.span());
  if (count == marks.size()) return places;
  Buffer<std::uint32_t> result(exec, count);
  detail::copy(exec, result.data(), places.data(), result.bytes(), detail::CopyKind::on_device);
  return result;
}

template <std::size_t Corners>
struct Reconnect {
  const std::array<VertexId, Corners>* from;
  const VertexId* vertices;
  std::array<VertexId, Corners>* to;
  std::uint8_t* is_dropped;
  TS_HD void operator()(std::size_t c) const {
    std::array<VertexId, Corners> cell = from[c];
    for (std::size_t i = 0; i < Corners; ++i) cell[i] = vertices[cell[i].index()];
    bool repeats = false;
    for (std::size_t i = 0; i < Corners; ++i) {
      for (std::size_t j = i + 1; j < Corners; ++j) repeats = repeats || cell[i] == cell[j];
    }
    to[c] = cell;
    is_dropped[c] = repeats ? 1 : 0;
  }
};

/// Cells with the vertices that `vertices` has for theirs, and marks for those that name one twice then.
template <std::size_t Corners>
struct Reconnected {
  Buffer<std::array<VertexId, Corners>> cells;
  Buffer<std::uint8_t> is_dropped;

  Reconnected(const Exec& exec, const Array<std::array<VertexId, Corners>>& from,
              const Buffer<VertexId>& vertices)
      : cells(exec, from.size()), is_dropped(exec, from.size()) {
    using Cell = std::array<VertexId, Corners>;
    const Buffer<Cell> before(exec, std::span<const Cell>(from));
    tessera::for_each(exec, from.size(),
                      Reconnect<Corners>{before.data(), vertices.data(), cells.data(), is_dropped.data()});
  }
};

}  // namespace tessera::detail::cuda
