// Small things that generators do to meshes, in parallel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// The points named by `order`; Points::gather on threads.
[[nodiscard]] Points gather(const Points& points, std::span<const std::uint32_t> order, const Exec& exec);

/// Cell data for outputs of which each `parts` in a row came from one cell.
[[nodiscard]] FieldSet repeat(const FieldSet& fields, std::size_t cells, std::size_t parts);

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

}  // namespace tessera
