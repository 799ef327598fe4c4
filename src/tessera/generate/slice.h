// Slices: where a plane meets a mesh. Volumes give a connected surface, surfaces give lines.
//
// A slice is the isosurface of the distance from the plane (isosurface.h), so two triangles share a vertex if
// they cut the same input edge. Point data is interpolated, cell data copied, data of the whole mesh kept.
//
// A point lies on the plane if its distance is within the rounding of its coordinates: half a unit in the
// last place of floats or doubles, summed along the normal. Such a point is a point of the slice, no cut
// beside it, so that planes through points of a mesh make no slivers. Faces that lie in the plane belong to
// the slice if a tetrahedron stands on them on the side of the normal, or if all points of the mesh lie on
// the other side. Of triangles that lie in the plane, the edges do that others have too.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tessera/core/progress.h>
#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>
#include <tessera/generate/contour_lines.h>
#include <tessera/generate/isosurface.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// The points whose difference from the origin is perpendicular to the normal, which may have any length but
/// zero.
struct Plane {
  Vec3d origin = {0, 0, 0};
  Vec3d normal = {0, 0, 1};
};

struct SliceOptions {
  bool keep_provenance = false;  ///< fill the provenance of the result
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// Triangles, counter-clockwise seen from the side that the normal points to. Cells with a point that is not
/// finite have none. Memory besides the result: isosurface()'s and 8 bytes a point. The same bytes for any
/// number of threads. Error(bad_option) for a plane without a direction or with numbers that are not finite,
/// Error(unsupported) for a device; else the errors of isosurface().
[[nodiscard]] Isosurface slice(const TetMesh& mesh, const Plane& plane, const SliceOptions& options = {});
/// The same of a grid, by marching cubes; one without volume has no slice. Coordinates are doubles.
[[nodiscard]] Isosurface slice(const Grid& grid, const Plane& plane, const SliceOptions& options = {});

/// Lines of two points each, one for a triangle; the side of the normal is on their left, seen from the front
/// of the triangle. Lines with the same two points are one, that of the first triangle. Besides the result
/// 12 bytes a point and 4 a triangle.
[[nodiscard]] ContourLines slice(const TriMesh& mesh, const Plane& plane, const SliceOptions& options = {});

/// What slices take besides their input and the result.
template <class Mesh>  // TetMesh, TriMesh or Grid
[[nodiscard]] std::uint64_t slice_bytes(const Mesh& mesh) {
  const std::uint64_t cells = mesh.cell_count();
  return 17 * std::uint64_t{mesh.vertex_count()} + (std::is_same_v<Mesh, TriMesh> ? 4 * cells : cells / 8);
}

}  // namespace tessera
