// Small things that generators do to meshes, in parallel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/exec/detail/host/scan.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/provenance.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// The elements named by `order`.
template <class T>
[[nodiscard]] Array<T> gather(const Array<T>& from, std::span<const std::uint32_t> order, const Exec& exec) {
  Array<T> to(order.size());
  host_for_each(exec, order.size(), [&](std::size_t i) { to[i] = from[order[i]]; });
  return to;
}
/// The points named by `order`; Points::gather on threads.
[[nodiscard]] Points gather(const Points& points, std::span<const std::uint32_t> order, const Exec& exec);

/// The points on their edges; those of weight 0 or 1 are the edges' ends exactly.
[[nodiscard]] Points points_along(const Points& points, const Provenance& provenance, const Exec& exec);

/// Cell data for outputs of which each `parts` in a row came from one cell.
[[nodiscard]] FieldSet repeat(const FieldSet& fields, std::size_t cells, std::size_t parts);

/// The i below `count` with keep(i), ascending. No branch depends on what is kept.
template <class Keep>
[[nodiscard]] Array<std::uint32_t> list_if(std::size_t count, const Keep& keep, const Exec& exec) {
  constexpr std::size_t chunk = 4096;
  const std::size_t chunks = (count + chunk - 1) / chunk;
  Array<std::uint32_t> found(count);
  host::ChunkTotals<std::size_t> totals(chunks);
  host::for_each_chunk(exec.threads(), count, chunk, [&](host::Range range, int) {
    std::array<std::uint32_t, chunk> kept;
    std::size_t own = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      kept[own] = static_cast<std::uint32_t>(i);
      own += keep(i) ? 1 : 0;
    }
    const std::size_t begin = totals.exchange(range.begin / chunk, own);
    std::copy_n(kept.begin(), own, found.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  found.resize(totals.total(chunks));
  return found;
}

/// Whether a cell names a point twice.
template <std::size_t Corners>
[[nodiscard]] bool is_degenerate(const std::array<VertexId, Corners>& cell) {
  bool repeats = false;
  for (std::size_t i = 0; i < Corners; ++i) {
    for (std::size_t j = i + 1; j < Corners; ++j) repeats |= cell[i] == cell[j];
  }
  return repeats;
}

/// Drops the cells that name a point twice, with their data; returns which, ascending.
template <int Dim>
Array<std::uint32_t> drop_degenerate(SimplexMesh<Dim>& mesh, const Exec& exec);

}  // namespace tessera::detail
