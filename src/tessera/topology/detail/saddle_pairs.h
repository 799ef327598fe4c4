// Which critical edges and triangles of tetrahedra belong together, once those of minima and maxima are
// known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/persistence.h>

namespace tessera::detail {

struct SaddlePair {
  std::uint32_t edge;
  std::uint32_t triangle;
};

/// Critical cells by their numbers. `free_edges[i]`: is critical edge i in no pair yet? `triangles` are
/// the free ones in the order of the filtration. Triangles that are in no pair are essential.
template <class Source>
[[nodiscard]] std::vector<SaddlePair> pair_saddles(const Source& gradient,
                                                   const std::vector<bool>& free_edges,
                                                   std::span<const std::uint32_t> triangles,
                                                   const PersistenceOptions& options);

}  // namespace tessera::detail
