// Isosurfaces: the points where a field has a given value, as a connected triangle mesh.
//
// Grids: marching cubes; the vertex of a crossed edge is numbered by counting crossed edges (lattice_bits.h),
// the triangles come from a table made from a rule (cube_table.h). Tetrahedra: marching tetrahedra; keys are
// pairs of vertices. Neither merges coordinates: two triangles share a vertex if they cut the same input
// edge.
//
// A point is "high" if its value is at or above the isovalue. Triangles are counter-clockwise seen from the
// low side, and normals point there. A closed level set gives a closed surface, in which every edge has two
// triangles; it ends only where the input does.
//
// NaN: a cell with a NaN corner has no triangles; the surface ends there as at the border of the input.
// An isovalue outside the field's range gives an empty mesh.
#pragma once

#include <span>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/generate/provenance.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

enum class SurfaceNormals {
  none,
  averaged,  ///< of the triangles around a vertex, weighted by their areas
  gradient,  ///< of the field, by central differences (grids) or of the tets around a point, along the edge
};

struct IsosurfaceOptions {
  SurfaceNormals normals = SurfaceNormals::none;  ///< as the point field "Normals"
  /// Vertices that lie exactly on an input point become one, and triangles that collapse are dropped.
  /// Otherwise every crossed edge keeps its own vertex, and triangles of no area occur where a value equals
  /// the isovalue.
  bool merge_exact = false;
  bool keep_provenance = false;  ///< fill Isosurface::provenance
  bool transfer_data = true;     ///< interpolate the input's point fields, copy its cell fields
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

struct Isosurface {
  TriMesh mesh;           ///< isovalue after isovalue
  Provenance provenance;  ///< empty unless asked for
};

/// The isosurfaces of a field on the points of a grid. Coordinates are float, double for float64 fields. A
/// grid without volume (an axis of one point) has no isosurface: the mesh is empty; contour_lines() has what
/// a flat one has. Memory besides the result: a bit a point for each isovalue. Equal bytes for any number of
/// threads. Error(bad_option): not one component, not a value for each point, an isovalue that is not a
/// number. Error(bad_mesh): another field that has not a value for each point or cell. Error(unsupported):
/// more than 2^32 - 2 vertices or triangles.
[[nodiscard]] Isosurface isosurface(const Grid& grid, const Field& field, std::span<const double> isovalues,
                                    const IsosurfaceOptions& options = {});

/// The isosurfaces of a field on the points of a tetrahedral mesh. Coordinates are as the mesh's. The tets
/// need no order and no orientation; they may overlap or repeat. Memory besides the result, for one isovalue
/// at a time: 8 bytes a point, a bit a tet and about 20 bytes an output vertex. Equal bytes for any number of
/// threads. Errors as above, and Error(bad_mesh) for a tet that names a point that is not there.
[[nodiscard]] Isosurface isosurface(const TetMesh& mesh, const Field& field,
                                    std::span<const double> isovalues, const IsosurfaceOptions& options = {});

/// For choose_device(). On a device, the input and as much again for the surface.
[[nodiscard]] inline Work isosurface_work(const Grid& grid) {
  return work_of(grid.vertex_count(), 10, 40);
}
[[nodiscard]] inline Work isosurface_work(const TetMesh& mesh) {
  return work_of(mesh.vertex_count() + mesh.cell_count(), 15, 40);
}

}  // namespace tessera
