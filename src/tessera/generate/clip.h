// Clips: the part of a mesh on one side of a plane, or where a field is at or above a value. Cells that lie
// on both sides are cut.
//
//   tetrahedron with 1, 2 or 3 corners kept:   a tetrahedron, a wedge, a wedge
//   one corner on the plane, 1 or 2 kept:      a tetrahedron, a pyramid
//
// Wedges and pyramids are cut into tetrahedra from their smallest points (cell_mesh.h), so that cells that
// share a face still do. Keys of new points are the edges that they lie on. A corner that lies on the plane,
// or has the value, is kept and none of its edges is cut: no cell of the result is flat because of it. A cell
// that only touches the plane is kept or dropped as a whole.
//
// For a plane, "on" is meant as in slice.h; for a field it is the value exactly.
#pragma once

#include <cstddef>

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/generate/provenance.h>
#include <tessera/generate/slice.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct ClipOptions {
  bool invert = false;             ///< keep the other side; points on the plane belong to both
  bool keep_provenance = false;    ///< fill Clipped::provenance
  MemoryBudget* memory = nullptr;  ///< what is made is reserved here before it is; null: no limit
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

template <int Dim>
struct Clipped {
  /// Points of the input, in their order, then those of cut edges, ascending by the lower and then the higher
  /// end. Cells are in the order of the cells that they are of, and turned like them.
  SimplexMesh<Dim> mesh;
  Provenance provenance;  ///< a point of the input lies on the edge from itself to itself
  /// Cells that were dropped on either side: a corner has no place or no value, or a point is named twice in
  /// a cell that would have to be cut.
  std::size_t unusable = 0;
};

/// The part on the side that the normal points to. Point data is interpolated as that of isosurfaces, cell
/// data copied. The same bytes for any number of threads. Besides the result 10 bytes a point and 24
/// for each cut edge of each cell. Error(bad_option) for a plane without a direction or with numbers that are
/// not finite, Error(bad_mesh) for a cell that names a point that is not there or a field of another length,
/// Error(unsupported) for a device or more elements than ids, Error(out_of_memory).
template <int Dim>
[[nodiscard]] Clipped<Dim> clip(const SimplexMesh<Dim>& mesh, const Plane& plane,
                                const ClipOptions& options = {});

/// The part where the field, linear in each cell, is at or above the value; inverted, at or below it.
/// Error(bad_option) also for a field of several components or not a value for each point, and for a value
/// that is not finite.
template <int Dim>
[[nodiscard]] Clipped<Dim> clip(const SimplexMesh<Dim>& mesh, const Field& field, double value,
                                const ClipOptions& options = {});

}  // namespace tessera
