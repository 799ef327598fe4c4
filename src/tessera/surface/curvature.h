// Curvature of a surface at its vertices.
//
// Gaussian: the angle defect, what the angles of the triangles at a vertex lack to a full turn, over its
// area. Mean: half the length of the cotangent Laplacian of the coordinates, over the area; positive where
// the surface bends away from its normals, as a sphere with normals outward does. (M. Meyer et al., "Discrete
// differential-geometry operators for triangulated 2-manifolds", 2003, whose mixed area is the area.)
#pragma once

#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct CurvatureOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// For each vertex.
struct Curvature {
  Array<double> gaussian;
  Array<double> mean;
  /// 2 pi less the sum of angles, pi less it on the boundary: adds up to 2 pi times the Euler characteristic
  /// of a manifold (Gauss and Bonnet). Where several open fans meet in a vertex the surface is none, and the
  /// sum is larger by pi for each but the first. 0 for vertices without triangles.
  Array<double> defect;
  Array<double> area;                  ///< mixed; adds up to the surface's
  Array<std::uint8_t> is_on_boundary;  ///< 1 where an edge at the vertex has other than two triangles
};

/// On the boundary, where neither is defined by the triangles on one side, both are the mean of the
/// neighbours that are not on it, and 0 if there are none. Triangles without area take no part. Sums go by
/// ascending triangle, so that the result is the same for any number of threads. 8 bytes a corner besides
/// the result. Error(bad_mesh) for a triangle that names a point that is not there.
[[nodiscard]] Curvature compute_curvature(const TriMesh& mesh, const CurvatureOptions& options = {});

/// For choose_device().
[[nodiscard]] inline Work curvature_work(const TriMesh& mesh) {
  return work_of(mesh.cell_count(), 100, 190);
}

}  // namespace tessera
