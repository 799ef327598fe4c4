// The dual of a surface: a point for each triangle or polygon, a polygon for each vertex (paper, section 6).
//
//    .---2---.         The triangles around a vertex v form a fan: each shares an edge at v with the next
//    one.
//   . 1 . . 3 .        A fan that closes is a polygon of the dual, through the middles of its triangles in
//   the
//  .----- v ---.       order and direction in which they follow each other. A fan that ends, at a boundary or
//  at
//   . 0 . . 4 .        an edge of more than two triangles, is a line (of one triangle: a vertex), so that the
//    .---5---.         dual is open where the surface is. A vertex where surfaces touch has several fans.
//
// The paper sorts by angle; following edges needs no geometry and is right for any shape.
#pragma once

#include <cstdint>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera {

struct DualOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// The dual as vertices, lines and polygons, each by ascending vertex of the surface and its lowest triangle.
/// Points are the triangles' centroids and carry the cell data; cells carry the point data of their vertex
/// and its id as "InputVertex". The direction is that of the fan's lowest triangle. A closed fan of two
/// triangles, which no polygon can show, is a line. Degenerate triangles take part as if they were not.
/// Memory besides the result: about 20 bytes a corner. The same bytes for any number of threads.
/// Error(bad_mesh) for a triangle that names a point that is not there or a field of another length.
[[nodiscard]] PolyData make_dual(const TriMesh& mesh, const DualOptions& options = {});

/// The dual of the polygons, of any number of corners: a point for each, the mean of its corners. Other cells
/// are left out. Polygons that name a point twice or have fewer than three corners take part as if they were
/// not. Takes about 40 bytes a corner besides the result. On the host: Error(unsupported) for a device.
[[nodiscard]] PolyData make_dual(const CellMesh& mesh, const DualOptions& options = {});

/// For choose_device().
[[nodiscard]] inline Work dual_work(const TriMesh& mesh) {
  return work_of(mesh.cell_count(), 130, 280);
}

}  // namespace tessera
