// What the links of the vertices say: edges, faces, boundary, manifoldness, components, orientability.
#pragma once

#include <cstdint>
#include <span>

#include <tessera/mesh/detail/doctor_cells.h>
#include <tessera/mesh/detail/doctor_pass.h>
#include <tessera/mesh/detail/doctor_sets.h>

namespace tessera::detail::doctor {

/// Counts and lists over the sound cells; each element is counted at its lowest vertex.
struct LinkSummary {
  std::uint64_t edges = 0;
  std::uint64_t faces = 0;
  Listing isolated;
  Listing bad_vertices;
  Listing bad_edges;
  Listing bad_faces;       ///< tetrahedra only
  Listing boundary;        ///< edges of one triangle, faces of one tetrahedron
  Listing clashing_edges;  ///< triangles only: between two triangles that traverse it in the same direction

  LinkSummary(int dim, std::size_t limit);
  void append(const LinkSummary& other);
};

struct LinkExamination {
  LinkSummary summary;
  DisjointSets<std::uint32_t> vertex_sets;  ///< vertices joined by sound cells
  /// Triangles only: the two sides of each triangle f, 2f as it is and 2f + 1 turned over, joined with the
  /// side of the neighbour that agrees with it, over edges of exactly two triangles. Sides of one triangle in
  /// one set: the sheet is one-sided. 8-byte numbers: twice a 4-byte id.
  DisjointSets<std::uint64_t> sides;
};

/// O(n) for bounded stars, O(k) for a star of k cells; one link a thread in memory.
template <int Dim>
[[nodiscard]] LinkExamination examine_links(const PassContext& context, std::span<const Cell<Dim>> cells,
                                            const SortedOut& sorted);

}  // namespace tessera::detail::doctor
