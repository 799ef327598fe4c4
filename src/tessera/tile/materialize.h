// Materialize: any relation of the whole mesh as one Csr.
//
// Not made of tiles' rows: relations of the whole mesh are boundaries, their transposes, or cells around the
// elements of half stars, and each is written straight into place (benchmarks/relations,
// docs/measurements.md).
#pragma once

#include <tessera/core/csr.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/enumeration.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

struct MaterializeOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
  EnumerationSize expected = {};  ///< of an enumeration that is made for the time being
};

/// A relation of a tiled mesh, in tiled ids; tiles.input() turns them into the input's.
template <class R>
using TiledCsr = Csr<typename R::TiledRow, typename R::TiledEntry>;

/// Rows in canonical order of the R::from elements, entries ascending; the same bytes for any threads, tiles
/// and storage mode. Error(unsupported) if the entries do not fit 4-byte offsets.
///
/// Memory beside the result: EF 12 bytes a face; TT 16 a tet (FF of triangles 12 a triangle); EE the relation
/// VE and 8 bytes an edge; FF of tets the relation EF and 12 a face; coboundaries of vertices and edges 8 for
/// every entry whose row another thread has; at most 4 MB a thread. With an implicit enumeration an explicit
/// one is made for the time being, unless the relation is between vertices and cells: 4 bytes a vertex, 8 an
/// edge and 4 a face.
template <class R, int Dim>
requires RelationOf<R, Dim>
[[nodiscard]] TiledCsr<R> materialize(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration,
                                      const MaterializeOptions& options = {});

/// A flag for every element of kind K: is it on the boundary? A facet (the faces of tets, the edges of
/// triangles) is if one cell has it; lower elements are if a boundary facet has them.
template <Kind K, int Dim>
[[nodiscard]] IdArray<tiled::IdOf<K>, std::uint8_t> materialize_boundary(
    const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration, const MaterializeOptions& options = {});

}  // namespace tessera
