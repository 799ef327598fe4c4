// Where the points of a mesh are, and what has no place or no value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/generate/extract.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>

#include "application/session.h"

namespace tessera::cli {

/// Of points: the smallest box around those that are finite.
struct Extent {
  Box box = {{0, 0, 0}, {0, 0, 0}};
  std::size_t placed = 0;    ///< points that are finite; without any there is no box
  std::size_t unplaced = 0;  ///< the others

  void add(const Extent& other);
  [[nodiscard]] Vec3d middle() const { return 0.5 * (box.low + box.high); }
};

[[nodiscard]] Extent extent_of(const Points& points);
/// Of its corners.
[[nodiscard]] Extent extent_of(const Grid& grid);
[[nodiscard]] Extent extent_of(const AnyMesh& mesh);
[[nodiscard]] inline Extent extent_of(const CellMesh& mesh) {
  return extent_of(mesh.points);
}

/// "3 points whose coordinates are not finite".
[[nodiscard]] std::string describe_unplaced(const Extent& extent);

/// Notes how many cells are left out because a corner is not finite.
void note_unplaced_cells(Session& session, const AnyMesh& mesh);
/// Notes how many cells have no part in a surface because the field is NaN at a corner, or how many triangles
/// have none in lines because it is NaN or infinite.
void note_valueless_cells(Session& session, const AnyMesh& mesh, const Field& field);
/// The same of so many cells of a grid, if there are any.
void note_valueless_cells(Session& session, std::uint64_t count, const std::string& field);

}  // namespace tessera::cli
