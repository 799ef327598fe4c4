// The boundary of a tetrahedral mesh as triangles, for files and pictures that hold surfaces.
#pragma once

#include <span>

#include <tessera/mesh/mesh.h>

namespace tessera {

/// The faces that belong to exactly one of the chosen tetrahedra, in the order of the tetrahedra, turned
/// outward. Keeps only the points that are used; point data follows, and each triangle has its tetrahedron's
/// cell data. `chosen` is empty for all of them, else one flag for each. Error(bad_mesh) for an index out of
/// range. O(n) time apart from short sorts within a vertex's faces; 24 bytes a face of scratch memory.
[[nodiscard]] TriMesh compute_boundary(const TetMesh& mesh, std::span<const std::uint8_t> chosen = {});

}  // namespace tessera
