// Normals on a device: normals_loops.h, compiled by nvcc.
#pragma once

#include <tessera/core/array.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/normals.h>

namespace tessera::detail::cuda {

/// Three numbers an element. The mesh is usable.
[[nodiscard]] Array<float> vertex_normals(const TriMesh& mesh, NormalWeights weights, const Exec& exec);
[[nodiscard]] Array<float> face_normals(const TriMesh& mesh, const Exec& exec);

template <class Real>
void fill_vertex_normals(const VertexAttribute<Vec3<Real>>& positions, VertexAttribute<Vec3<Real>>& normals,
                         NormalWeights weights);
template <class Real>
void fill_face_normals(const VertexAttribute<Vec3<Real>>& positions, FaceAttribute<Vec3<Real>>& normals);

}  // namespace tessera::detail::cuda
