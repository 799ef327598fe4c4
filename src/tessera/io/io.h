// Files in and out: vtu, vtp, vti, legacy vtk, ply, obj, stl and off; in only: vts, vtr, pvtu, pvtp, pvti,
// vtm, msh, mesh, node, ele, nrrd, nhdr, mha and mhd; out only: glb and gltf. docs/formats.md says what each
// can hold.
//
// A file is either read completely or refused with Error(not_found | bad_file | unsupported), whose message
// names the file, the element and the reason. A file is either written completely or not at all.
//
// Files are not trusted: nothing in them makes a reader crash, hang, or take memory that their size does not
// justify.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera {

struct ReadOptions {
  /// Cut polygons into triangles, hexahedra, voxels, wedges and pyramids into tetrahedra. Without it a file
  /// that holds such cells is refused with their census. The cuts of neighbouring cells match; cell data is
  /// repeated for the parts. (Triangle strips are only a way to write triangles and are always taken apart.)
  bool simplices = false;
  /// If set, the cells of a file are put there as they are, of all types and dimensions, and the mesh that is
  /// returned is then empty. Grids, and files of triangles or tetrahedra alone, are read as ever.
  CellMesh* cells = nullptr;
  /// Read cells of higher order as what their corners make, and drop the points between corners with their
  /// data, which the report says. Without it a file that holds such cells is refused with their census.
  bool linearize = false;
  /// Join equal corners of formats that store the corners of each triangle apart (stl), numbered by their
  /// first occurrence. Triangles with two corners at one place are left out.
  bool weld = true;
  /// The format by its extension ("ply", "ply.gz") instead of the file's own.
  std::string format = {};
  /// An open file to read, which stays open, instead of the one of that name. It can be read at any place.
  int descriptor = -1;
  /// Whose host threads weld. What is read does not depend on how many they are.
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// What a file held and what was done with it.
struct FileReport {
  struct CellCount {
    std::string type;  ///< "tetrahedron", "triangle", "quad", "hexahedron", ...
    std::uint64_t count = 0;
  };
  std::string format;                        ///< "vtu", "ply", ...
  std::vector<CellCount> cells;              ///< every cell type in the file, by type
  int dimension = -1;                        ///< the highest of these cells; -1: there are none, or a grid
  std::vector<std::string> notes;            ///< what was cut, dropped or not understood, a sentence each
  std::vector<std::filesystem::path> parts;  ///< other files that it was read from: pieces, its data
};

struct ReadResult {
  AnyMesh mesh;
  FileReport report;
};

/// Reads any supported file, by its extension; one with an unknown extension by its first bytes, if they show
/// the format. Volume cells win over surface cells when a file has both
/// (surface cells are then left out, which the report says). Every id names a point; coordinates may be
/// anything, even NaN. Memory: a file of tetrahedra or triangles alone takes little more than its mesh, in
/// VTK's XML formats; otherwise about three times as much.
[[nodiscard]] ReadResult read_mesh(const std::filesystem::path& file, const ReadOptions& options = {});

/// The same for callers who know what they want; a file that holds something else is refused.
[[nodiscard]] TetMesh read_tets(const std::filesystem::path& file, const ReadOptions& options = {});
[[nodiscard]] TriMesh read_triangles(const std::filesystem::path& file, const ReadOptions& options = {});
[[nodiscard]] Grid read_grid(const std::filesystem::path& file, const ReadOptions& options = {});

struct WriteOptions {
  bool ascii =
      false;  ///< numbers as text, for formats that have both (not glb and gltf; obj and off are text)
  bool compress = false;  ///< zlib, for vtu, vtp and vti files without ascii
  /// Whose host threads compress. The bytes of the file do not depend on how many they are.
  Exec exec = Exec::host();
  std::string format = {};  ///< by its extension ("ply") instead of the file's own
  /// An open file to write to, which stays open, instead of one of that name. It is empty, and can be written
  /// at any place.
  int descriptor = -1;
  const Monitor* monitor = nullptr;
};

/// Error(bad_option) for an option that the file's format has no use for. All that write call it first.
void check_write_options(const std::filesystem::path& file, const WriteOptions& options);

/// What was done with a mesh that was written.
struct WriteReport {
  std::vector<std::string> notes;  ///< what was left out or changed, a sentence each
  std::uint64_t left_out = 0;      ///< cells that are not in the file
};

/// Writes in the format of the file's extension: to a temporary file beside it, which is renamed into place
/// when all of it is on the disk. Error(unsupported) if the format cannot hold such a mesh, Error(bad_mesh)
/// if an id names no point or a field has another length than its mesh, Error(write_failed) otherwise; an
/// existing file then stays. Fields that a format has no place for (docs/formats.md) are left out, which the
/// report says.
WriteReport write_mesh(const std::filesystem::path& file, const TetMesh& mesh,
                       const WriteOptions& options = {});
WriteReport write_mesh(const std::filesystem::path& file, const TriMesh& mesh,
                       const WriteOptions& options = {});
WriteReport write_mesh(const std::filesystem::path& file, const Grid& mesh, const WriteOptions& options = {});
WriteReport write_mesh(const std::filesystem::path& file, const AnyMesh& mesh,
                       const WriteOptions& options = {});
/// Cells as they are in vtu and vtk files, vertices, lines and polygons in that order in vtp files, polygons
/// in ply, obj and off files. What is left out is in the report. Error(unsupported) for other formats
/// (cut_into_simplices() makes a mesh for them) and for solids in a format of surfaces.
WriteReport write_mesh(const std::filesystem::path& file, const CellMesh& mesh,
                       const WriteOptions& options = {});

/// Points, vertices, lines and polygons as a .vtp or legacy .vtk file; whole or not at all, with the errors
/// of write_mesh().
WriteReport write_poly(const std::filesystem::path& file, const PolyData& poly,
                       const WriteOptions& options = {});
/// Reads them back from a .vtp file. Error(unsupported) for triangle strips and other kinds of files.
[[nodiscard]] PolyData read_poly(const std::filesystem::path& file, const ReadOptions& options = {});

/// The extensions read_mesh knows, without the dot.
[[nodiscard]] std::vector<std::string_view> list_extensions();
/// Those that write_mesh knows.
[[nodiscard]] std::vector<std::string_view> list_writable_extensions();
/// Does the file's extension name a format that can be written with cells that are no simplices?
[[nodiscard]] bool holds_cells(const std::filesystem::path& file);
/// Does the file's extension name a format that has no place for tetrahedra and grids?
[[nodiscard]] bool holds_only_surfaces(const std::filesystem::path& file);

}  // namespace tessera
