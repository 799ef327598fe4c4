// Small things that generators do to meshes, in parallel.
#pragma once

#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// The points named by `order`; Points::gather on threads.
[[nodiscard]] Points gather(const Points& points, std::span<const std::uint32_t> order, const Exec& exec);

/// Cell data for outputs of which each `parts` in a row came from one cell.
[[nodiscard]] FieldSet repeat(const FieldSet& fields, std::size_t cells, std::size_t parts);

/// Drops the cells that name a point twice, with their data; returns which, ascending.
template <int Dim>
Array<std::uint32_t> drop_degenerate(SimplexMesh<Dim>& mesh, const Exec& exec);

}  // namespace tessera
