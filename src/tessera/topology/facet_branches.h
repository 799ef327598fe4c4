// Facets that more than two cells share: where ascending paths of a non-manifold mesh part.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/topology/gradient.h>

namespace tessera {

/// A cell from which paths go on in several others.
struct Branch {
  std::uint32_t cell;                 ///< paired with a facet ...
  std::vector<std::uint32_t> others;  ///< ... that these cells share, at least two, ascending; tiled ids
};

/// Ascending by cell; empty for a manifold. One pass over the cells around every vertex.
template <int Dim>
[[nodiscard]] std::vector<Branch> find_branches(const Gradient<Dim>& gradient,
                                                const TopologyOptions<Dim>& options = {});

}  // namespace tessera
