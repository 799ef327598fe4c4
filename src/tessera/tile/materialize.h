// Materialize: any relation of the whole mesh as one Csr, made tile by tile in parallel.
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
};

/// Rows in canonical order of the R::from elements, entries ascending; the same bytes for any threads, tiles
/// and storage mode. Holds the result twice for a moment: tiles' rows are copied into place when all sizes
/// are known. Error(unsupported) if the entries do not fit 4-byte offsets.
template <class R, int Dim>
requires RelationOf<R, Dim>
[[nodiscard]] Csr<typename R::Row, typename R::Entry> materialize(const TiledMesh<Dim>& tiles,
                                                                  const Enumeration<Dim>& enumeration,
                                                                  const MaterializeOptions& options = {});

/// A flag for every element of kind K: is it on the boundary? A facet (the faces of tets, the edges of
/// triangles) is if one cell has it; lower elements are if a boundary facet has them.
template <Kind K, int Dim>
[[nodiscard]] IdArray<IdOf<K>, std::uint8_t> materialize_boundary(const TiledMesh<Dim>& tiles,
                                                                  const Enumeration<Dim>& enumeration,
                                                                  const MaterializeOptions& options = {});

}  // namespace tessera
