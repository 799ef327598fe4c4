// Curvature of a surface at its vertices.
//
// Gaussian: the angle defect, what the angles of the triangles at a vertex lack to a full turn, over its
// area. Mean: half the length of the cotangent Laplacian of the coordinates, over the area; positive where
// the surface bends away from its normals, as a sphere with normals outward does. (M. Meyer et al., "Discrete
// differential-geometry operators for triangulated 2-manifolds", 2003, whose mixed area is the area.)
// Principal: mean +- sqrt(mean^2 - gaussian), where a root of less than 0 is 0.
//
// Defects add up to 2 pi (vertices - edges + triangles), for any triangles whatsoever. A vertex has 2 pi, and
// pi less for each edge that it has more than triangles, less the angles: so 2 pi inside, pi on a boundary, 0
// where two open fans meet, 2 pi if it is isolated. The angles of every triangle add up to pi: one without
// area has the angles 0, 0 and pi, or 0 and two right angles if two of its corners are one point, or three
// times pi / 3 if all are or a coordinate is no number. Sides below 1e-70 count as such. Triangles that name
// a vertex twice take no part; one that is there twice counts twice.
#pragma once

#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/attribute.h>

namespace tessera {

struct CurvatureOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// For each vertex.
struct Curvature {
  Array<double> gaussian;
  Array<double> mean;
  Array<double> minimum;  ///< the lower principal curvature
  Array<double> maximum;
  Array<double> defect;
  Array<double> area;                  ///< mixed; adds up to the surface's
  Array<std::uint8_t> is_on_boundary;  ///< 1 where an edge at the vertex has other than two triangles
};

/// On the boundary, where neither is defined by the triangles on one side, both curvatures are the mean of
/// the neighbours that are not on it, and 0 if there are none. Only triangles with area count, but for their
/// angles. Sums go by ascending triangle, so that the result is bitwise equal for any number of threads and
/// on either side. 8 bytes a corner besides the result. Error(bad_mesh) for a triangle that names a point
/// that is not there.
[[nodiscard]] Curvature compute_curvature(const TriMesh& mesh, const CurvatureOptions& options = {});

/// The same of a surface, at its place.
struct SurfaceCurvature {
  VertexAttribute<double> gaussian, mean, minimum, maximum, defect, area;
  VertexAttribute<std::uint8_t> is_on_boundary;

  explicit SurfaceCurvature(const Surface& surface)
      : gaussian(surface),
        mean(surface),
        minimum(surface),
        maximum(surface),
        defect(surface),
        area(surface),
        is_on_boundary(surface) {}
};

/// Triangles ascend by their tiled ids, so that the last bits may differ from those of the mesh's own order.
/// Real: float or double.
template <class Real>
[[nodiscard]] SurfaceCurvature compute_curvature(const VertexAttribute<Vec3<Real>>& positions);

/// For choose_device().
[[nodiscard]] inline Work curvature_work(const TriMesh& mesh) {
  return work_of(mesh.cell_count(), 100, 200);
}

}  // namespace tessera
