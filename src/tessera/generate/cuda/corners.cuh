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

/// Gives `mesh` the cells and the cell data of `from`, with the vertices that `vertices` (at exec's place)
/// has for theirs, but for those that name one twice then; returns which these are, ascending.
template <int Dim>
[[nodiscard]] Array<std::uint32_t> take_cells(SimplexMesh<Dim>& mesh, const SimplexMesh<Dim>& from,
                                              const Buffer<VertexId>& vertices, const Exec& exec) {
  using Cell = typename SimplexMesh<Dim>::Cell;
  const std::size_t size = from.cell_count();
  const Buffer<Cell> before(exec, std::span<const Cell>(from.cells));
  Buffer<Cell> cells(exec, size);
  Buffer<std::uint8_t> is_kept(exec, size);
  Buffer<std::uint8_t> is_dropped(exec, size);
  tessera::for_each(
      exec, size,
      Reconnect<Dim + 1>{before.data(), vertices.data(), cells.data(), is_kept.data(), is_dropped.data()});
  Buffer<std::uint32_t> places(exec, size);
  const std::size_t dropped = compact_indices(exec, std::as_const(is_dropped).span(), places.span());
  Array<std::uint32_t> result = places.to_host(dropped);
  if (dropped == 0) {
    mesh.cells = cells.to_host();
    mesh.cell_data = from.cell_data;
    return result;
  }
  const std::size_t kept = compact_indices(exec, std::as_const(is_kept).span(), places.span());
  mesh.cells = gathered(exec, cells.data(), std::as_const(places).span().first(kept)).to_host();
  mesh.cell_data = from.cell_data.gather(places.to_host(kept));
  return result;
}

}  // namespace tessera::cuda
