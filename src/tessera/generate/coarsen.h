// Coarsening of isosurfaces by their history (paper, section 5).
//
// Marching cubes makes small and thin triangles where several of its vertices lie near one input point. A
// vertex lies on an input edge; keyed by the nearer end of that edge instead of by the edge, those near one
// point become one, the mean of them. Triangles that lose a corner are dropped: about half of all, most of
// them poor ones.
//
// What the paper does not say: where the surface is thinner than a cell its two sides are folded onto each
// other, and where it lies around a single input point it becomes that point. Folded triangles are dropped
// two and two, which leaves no edge with one triangle where there were two, and vertices without triangles
// are dropped.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/generate/provenance.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct CoarsenOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

struct Coarsened {
  TriMesh mesh;
  /// For each vertex of the surface its vertex here; invalid if none of its triangles is left.
  Array<VertexId> vertices;
  Array<std::uint32_t> dropped;  ///< triangles of the surface that lost a corner, ascending
  Array<std::uint32_t> folded;   ///< triangles that came to have the same three vertices, ascending
  std::size_t isolated = 0;      ///< joined vertices that had no triangle left
};

/// Coarsens a surface with the provenance of its vertices. The middle of an edge belongs to its first point.
/// Vertices are numbered by ascending input point; coordinates and point data are averaged, cell data
/// carried. Of triangles with the same three vertices pairs are dropped; of an odd number the first stays of
/// those that most are turned like. Sheets that pass one input point on two sides are joined there, and so
/// would be surfaces of several isovalues: coarsen them one at a time. The same bytes for any number of
/// threads. Error(bad_mesh) for a provenance of another length, and as the other generators.
[[nodiscard]] Coarsened coarsen(const TriMesh& surface, const Provenance& provenance,
                                const CoarsenOptions& options = {});

/// For choose_device(): of a surface, or of a volume whose isosurface is made first.
template <class Mesh>
[[nodiscard]] Work coarsening_work(const Mesh& mesh) {
  return work_of(mesh.vertex_count() + mesh.cell_count(), 20, 120);
}

}  // namespace tessera
