// Subdivision: every triangle becomes four, every tetrahedron eight, by a new vertex on each edge.
//
//         2              Vertices of the input keep their ids; those of edges follow, ascending by the lower
//         and
//        . .             then the higher end. Keys are the edges (paper, section 4.2), so that cells that
//        share
//      20 - 12           an edge share its vertex. Cell c becomes the cells 4c .. 4c + 3 (8c ..): one at each
//      . . . .           corner, in their order, then the middle. Orientation is kept.
//     0 - 01 - 1
//
//   linear  new vertices in the middle of their edges
//   loop    Loop, "Smooth subdivision surfaces based on triangles" (1987): also moves the old ones, so that
//           surfaces become smooth
//
// Boundaries and edges of more than two triangles are creases for Loop: an edge's vertex lies in its middle,
// a vertex on two creases takes 3/4 of itself and 1/8 of its neighbours along them, one on any other number
// of them stays. So the boundary of the result depends on the boundary alone (a cubic B-spline).
//
// A tetrahedron leaves an octahedron between its corners, which is cut around its shortest diagonal; of equal
// ones, the one that ends at the lowest edge.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/generate/provenance.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

enum class SubdivisionScheme : std::uint8_t { linear, loop };

struct SubdivideOptions {
  SubdivisionScheme scheme = SubdivisionScheme::linear;
  int levels = 1;                ///< 0 gives the mesh back
  bool keep_provenance = false;  ///< fill Subdivision::provenance
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

template <int Dim>
struct Subdivision {
  SimplexMesh<Dim> mesh;
  /// Of each level, from the level before: a vertex of an edge lies in its middle, an old one (also if Loop
  /// moved it) on the edge from itself to itself.
  std::vector<Provenance> provenance;
};

/// Point data is blended as the coordinates are, cell data copied. Memory besides the result: 16 bytes for
/// each edge of each cell, Loop about twice that. The same bytes for any number of threads. Error(bad_mesh)
/// for a cell that names a point that is not there or a field of another length, Error(bad_option) for a
/// negative number of levels, or Loop for tetrahedra, Error(unsupported), before memory is taken, if the
/// cells would be more than there are ids.
[[nodiscard]] Subdivision<2> subdivide(const TriMesh& mesh, const SubdivideOptions& options = {});
[[nodiscard]] Subdivision<3> subdivide(const TetMesh& mesh, const SubdivideOptions& options = {});

/// What points and cells of the result take at least; fields come on top.
template <int Dim>
[[nodiscard]] std::uint64_t subdivided_bytes(const SimplexMesh<Dim>& mesh, int levels);

/// For choose_device(): the last level, with the edges of its cells, keyed and sorted, and the result.
template <int Dim>
[[nodiscard]] Work subdivision_work(const SimplexMesh<Dim>& mesh, int levels) {
  const int before = levels > 1 ? levels - 1 : 0;
  const int doublings = Dim * before < 32 ? Dim * before : 32;
  Work work =
      work_of(std::uint64_t{mesh.cell_count()} << doublings, Dim == 2 ? 65 : 110, Dim == 2 ? 250 : 450);
  work.device_bytes += mesh.bytes();
  return work;
}

}  // namespace tessera
