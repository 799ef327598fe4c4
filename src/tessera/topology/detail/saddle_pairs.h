// Which critical edges and triangles of tetrahedra belong together, once those of minima and maxima are
// known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tessera/topology/gradient.h>

namespace tessera::detail {

struct SaddlePair {
  std::uint32_t edge;
  std::uint32_t triangle;
};

/// Critical cells by their numbers. `free_edges[i]`: is critical edge i in no pair yet? `triangles` are
/// the free ones in the order of the filtration. Triangles that are in no pair are essential.
[[nodiscard]] std::vector<SaddlePair> pair_saddles(const Gradient<3>& gradient,
                                                   const std::vector<bool>& free_edges,
                                                   std::span<const std::uint32_t> triangles,
                                                   const TopologyOptions<3>& options = {});

}  // namespace tessera::detail
