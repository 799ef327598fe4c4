// Normals of a surface at its vertices and of its triangles. They follow the winding of the triangles and are
// zero where there is no direction: a vertex without a triangle that has area, or whose triangles cancel out.
// Sums are of double precision and go by ascending triangle: they are bitwise equal for any number of threads
// and on either side.
#pragma once

#include <cstdint>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/attribute.h>

namespace tessera {

/// How much a triangle counts at its corner: by its area, by its angle there, or as much as any other.
enum class NormalWeights : std::uint8_t { area, angle, uniform };

struct NormalsOptions {
  NormalWeights weights = NormalWeights::area;
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// "Normals", a point field of three floats, a unit vector for each vertex. Any triangles will do: repeated
/// ones count repeatedly. 4 bytes a corner besides the result; on a device 50 bytes a triangle.
/// Error(bad_mesh) for a triangle that names a point that is not there.
[[nodiscard]] Field vertex_normals(const TriMesh& mesh, const NormalsOptions& options = {});
/// "Normals", a cell field of three floats, a unit vector for each triangle. The weights do not matter.
[[nodiscard]] Field face_normals(const TriMesh& mesh, const NormalsOptions& options = {});

/// The same of a surface, at its place: one kernel, which a device queues. Triangles ascend by their tiled
/// ids there, so that the last bits may differ from those of the mesh's own order. Real: float or double.
template <class Real>
void fill_vertex_normals(const VertexAttribute<Vec3<Real>>& positions, VertexAttribute<Vec3<Real>>& normals,
                         NormalWeights weights = NormalWeights::area);
template <class Real>
void fill_face_normals(const VertexAttribute<Vec3<Real>>& positions, FaceAttribute<Vec3<Real>>& normals);

/// For choose_device().
[[nodiscard]] inline Work normals_work(const TriMesh& mesh) {
  return work_of(mesh.cell_count(), 60, 160);
}

}  // namespace tessera
