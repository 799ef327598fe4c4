// Normals of a surface at its vertices.
#pragma once

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct NormalsOptions {
  Exec exec = Exec::host();  ///< Error(unsupported) for a device
  const Monitor* monitor = nullptr;
};

/// "Normals", a point field of three floats, a unit vector for each vertex: the mean of the normals of its
/// triangles, weighted by area. Normals of triangles follow their winding. Zero where a vertex has no
/// triangle, or those it has cancel out. Sums are of double precision and go by ascending triangle, so that
/// the result is the same for any number of threads. 4 bytes a corner besides the result. Error(bad_mesh) for
/// a triangle that names a point that is not there.
[[nodiscard]] Field vertex_normals(const TriMesh& mesh, const NormalsOptions& options = {});

}  // namespace tessera
