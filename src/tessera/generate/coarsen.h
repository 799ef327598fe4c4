// Coarsening of isosurfaces by their history (paper, section 5).
//
// Marching cubes makes small and thin triangles where several of its vertices lie near one input point. A
// vertex lies on an input edge; keyed by the nearer end of that edge instead of by the edge, those near one
// point become one, the mean of them. Triangles that lose a corner are dropped: about half of all, most of
// them poor ones.
#pragma once

#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/generate/provenance.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct CoarsenOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

struct Coarsened {
  TriMesh mesh;
  Array<VertexId> vertices;      ///< for each vertex of the surface its vertex here
  Array<std::uint32_t> dropped;  ///< triangles of the surface that collapsed, ascending
};

/// Coarsens a surface with the provenance of its vertices. The middle of an edge belongs to its first point.
/// Vertices are numbered by ascending input point; coordinates and point data are averaged, cell data
/// carried. A piece of surface around a single input point collapses to a vertex without triangles. Sheets
/// that pass one input point on two sides are joined there, and so would be surfaces of several isovalues:
/// coarsen them one at a time. The same bytes for any number of threads. Error(bad_mesh) for a provenance of
/// another length, and as the other generators.
[[nodiscard]] Coarsened coarsen(const TriMesh& surface, const Provenance& provenance,
                                const CoarsenOptions& options = {});

}  // namespace tessera
