// Provenance: which input a generated mesh came from, so that any field of the input can be brought over.
#pragma once

#include <array>
#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/field.h>

namespace tessera {

/// Where the elements of a generated surface came from. Input ids are 64 bits: a lattice may have more than
/// 2^32 points.
struct Provenance {
  /// Each output vertex lies on an input edge, from its first point (weight 0) to its second (weight 1).
  Array<std::array<std::uint64_t, 2>> edges;
  Array<double> weights;
  Array<std::uint64_t> cells;  ///< the input cell of each output cell

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// A point field of the input on the output's vertices: interpolated in double and rounded to the field's own
/// type (integers to the nearest). The field has a tuple for every input point.
[[nodiscard]] Field transfer_point_field(const Field& field, const Provenance& provenance,
                                         const Exec& exec = Exec::host());
/// A cell field of the input on the output's cells: copied.
[[nodiscard]] Field transfer_cell_field(const Field& field, const Provenance& provenance,
                                        const Exec& exec = Exec::host());

}  // namespace tessera
