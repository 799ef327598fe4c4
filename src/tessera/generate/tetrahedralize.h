// Tetrahedralization of grids, hexahedra, wedges and pyramids.
//
//   five          a tetrahedron in the middle of a hexahedron, on every other of its corners, and one at each
//                 of the four corners that are left. Neighbours match because the corners in the middle are
//                 those of one colour of a checkerboard of points. Hexahedra only.
//   six           around the diagonal of each voxel from its lowest to its highest point (Kuhn); other solids
//                 from their smallest vertex (cut_from_smallest): 6 a hexahedron, 3 a wedge, 2 a pyramid
//   face_centred  a vertex in the middle of each cell and each quadrilateral, a tetrahedron for each edge of
//                 each: 24 a hexahedron, 14 a wedge, 8 a pyramid (paper, sections 4 and 7.3). It has no
//                 preferred direction. Keys of faces are their indices in the lattice for grids, and their
//                 three lowest vertices otherwise.
//
// Points keep their ids; those of faces follow, then those of cells. The parts of a cell follow each other,
// in the order of the cells. Volumes are positive wherever those of the cells are, in whichever direction a
// grid is turned. Tetrahedra of the input stay as they are.
#pragma once

#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

enum class TetMethod : std::uint8_t { five, six, face_centred };

struct TetrahedralizeOptions {
  TetMethod method = TetMethod::six;
  bool keep_provenance = false;  ///< fill Tetrahedralization::cells
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

struct Tetrahedralization {
  TetMesh mesh;
  Array<std::uint32_t> cells;  ///< the input cell of each tetrahedron, if asked for
};

/// Points are floats if that loses nothing, else doubles. Point data is averaged for new points, cell data
/// copied. Takes no memory besides the result. The same bytes for any number of threads. Error(unsupported),
/// before memory is taken, for a grid without three axes or with more points or parts than ids;
/// Error(bad_mesh) for a field of another length.
[[nodiscard]] Tetrahedralization tetrahedralize(const Grid& grid, const TetrahedralizeOptions& options = {});

/// Cuts the solids; other cells are left out. Memory besides the result: with face_centred about 28 bytes for
/// each quadrilateral of each cell. Parts that name a point twice, of cells that do, are left out. Errors as
/// above; Error(unsupported) also if `five` is asked for other cells than hexahedra, or for hexahedra whose
/// points have no checkerboard.
[[nodiscard]] Tetrahedralization tetrahedralize(const CellMesh& solids,
                                                const TetrahedralizeOptions& options = {});

/// What points and cells of the result take at most; fields come on top. Error(unsupported) as above.
[[nodiscard]] Bytes tetrahedralization_bytes(const Grid& grid, TetMethod method);
[[nodiscard]] Bytes tetrahedralization_bytes(const CellMesh& solids, TetMethod method);

/// For choose_device().
[[nodiscard]] Work tetrahedralization_work(const Grid& grid, TetMethod method);
[[nodiscard]] Work tetrahedralization_work(const CellMesh& solids, TetMethod method);

}  // namespace tessera
