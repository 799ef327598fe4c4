// Cycles that show the classes of a persistence diagram in the mesh: the loop around a tunnel, the shell
// around a cavity.
//
//   a class of dimension 1    edges, that of the birth highest
//   of dimension 2            triangles, likewise
//
// The boundary of the cell that a class dies with is pushed down, modulo two, until the cell that it is born
// with is the highest one left. What is pushed is a cycle all the time: it begins with the birth, and nothing
// fills it before the death. Of a class that never dies, the birth is completed instead: its boundary is
// pushed down to nothing, and the cells that it is pushed over close the cycle. Pushing follows the gradient
// and, at critical cells, the pairs (Guillou, Vidal, Tierny, "Discrete Morse Sandwich", TVCG 2023).
#pragma once

#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/topology/gradient.h>
#include <tessera/topology/persistence.h>

namespace tessera {

struct PersistentGenerators {
  PolyCells cells;             ///< of all cycles, one cycle after the other; corners ascend, and so do cells
  Array<std::uint32_t> pairs;  ///< for each cell the pair in Persistence::pairs whose cycle it is part of
  friend bool operator==(const PersistentGenerators&, const PersistentGenerators&) = default;
};

struct GeneratorsOptions {
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// The cycles of the pairs of these numbers, in that order. `persistence` is that of the gradient. O(n log n)
/// for the n cells that each cycle is pushed over; of classes of dimension 2 on a mesh also 20 bytes for each
/// cell of the mesh. Equal results for any threads, tiles and providers that made the gradient.
/// Error(bad_option) if a pair is not there or not of the gradient, or its class has dimension 0 (a piece,
/// which its minimum shows) or that of the mesh (a piece without a boundary).
template <int Dim>
[[nodiscard]] PersistentGenerators compute_generators(const Gradient<Dim>& gradient,
                                                      const Persistence& persistence,
                                                      std::span<const std::uint32_t> pairs,
                                                      const GeneratorsOptions& options = {});

}  // namespace tessera
