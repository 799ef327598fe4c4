// Simplification of a Morse-Smale complex: pairs of critical cells that persist less than a threshold are
// cancelled by turning the gradient around along the path between them (Forman 1998), so what is left is the
// complex of a gradient again.
//
//   before   minimum m <──── saddle s ────> minimum n      t ────> m
//   after    all of m's region flows on through s to n     t ────> m's old path, backwards ──> s ──> n
//
// A separatrix that ended in a cancelled extremum goes on through the saddle that was cancelled with it;
// where it met the path between the two it turns there and does not visit the extremum any more.
//
// What is promised, for a threshold x:
//   1. A pair is cancelled only if it is finite and persists less than x; x <= 0 changes nothing. So as many
//      minima are left as there are classes of dimension 0 that never die or persist at least x.
//   2. The same holds for maxima and classes of dimension Dim - 1 (and Dim, which never die) if no facet
//      belongs to more than two cells. A maximum may flow out through the boundary; its region then has no
//      label (-1), and separatrices that ended in it are gone.
//   3. Pairs of saddles of tetrahedra are cancelled from the least persistent on, again and again as long as
//      that helps, where exactly one path leads from one to the other; turning around one of several would
//      close a loop. The others stay, both cells of each: `kept` counts them. On meshes where three cells
//      share a facet the same holds for a facet and its maximum.
//   4. Separatrices begin and end at cells that are left, and all of those that the turned gradient has are
//      there. Labels are those of extrema that are left, and of every vertex.
//   5. Equal results for any threads, tiles and providers.
// Walls are not simplified.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tessera/topology/morse_smale.h>
#include <tessera/topology/persistence.h>

namespace tessera {

/// Cells keep the numbers they have in Gradient::critical_cells().
struct SimplifiedComplex {
  double threshold = 0;
  std::array<std::vector<std::uint32_t>, 4> critical;  ///< the numbers of those left, ascending, by dimension
  Separatrices separatrices;                           ///< of the kinds that the complex had
  Segmentation segmentation;                           ///< empty if the complex had none
  std::size_t kept = 0;  ///< pairs below the threshold that could not be cancelled

  [[nodiscard]] bool is_left(int dimension, std::uint32_t number) const;
};

struct SimplifyOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// `persistence` is that of the complex's own gradient, which must have its paths (keep_paths). O(vertices)
/// for labels, and the lengths of paths: those of all pairs of saddles below the threshold, one after the
/// other, and of all separatrices. Error(bad_option) if the gradient has no paths, the pairs are not those of
/// its critical cells or the threshold is NaN.
template <int Dim>
[[nodiscard]] SimplifiedComplex simplify(const MorseSmaleComplex<Dim>& complex,
                                         const Persistence& persistence, double threshold,
                                         const SimplifyOptions& options = {});

/// The critical points at which a critical cell is left: those that are its highest vertex. Points without a
/// critical cell, which the boundary makes (a maximum there is no maximum of the mesh's homology), do not
/// persist and are left out as soon as the threshold is above 0.
template <int Dim>
[[nodiscard]] CriticalPoints filter_critical_points(const CriticalPoints& points,
                                                    const Gradient<Dim>& gradient,
                                                    const SimplifiedComplex& simplified);

}  // namespace tessera
