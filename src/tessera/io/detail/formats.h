// The formats: readers and writers behind read_mesh and write_mesh. A new one is a source of its own, its
// functions here and its line in formats.cpp.
#pragma once

#include <tessera/io/detail/input.h>
#include <tessera/io/detail/output.h>
#include <tessera/io/io.h>

namespace tessera::detail::io {

/// Reads the open file into a mesh and fills the report.
using Reader = AnyMesh (*)(Input& input, const ReadOptions& options, FileReport& report);

[[nodiscard]] AnyMesh read_vtk_xml(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_vtk_parallel(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_vtk_legacy(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_nrrd(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_meta_image(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_ply(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_obj(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_stl(Input& input, const ReadOptions& options, FileReport& report);
/// Whether the size of a file is that of a binary STL file with the number of triangles that it names.
[[nodiscard]] bool holds_binary_facets(Input& input);
[[nodiscard]] AnyMesh read_off(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_msh(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_medit(Input& input, const ReadOptions& options, FileReport& report);
[[nodiscard]] AnyMesh read_tetgen(Input& input, const ReadOptions& options, FileReport& report);

/// A mesh to write, not copied.
using MeshRef = std::variant<const TetMesh*, const TriMesh*, const Grid*, const CellMesh*>;

/// Writes the mesh to the temporary file of `output`, or refuses what the format cannot hold.
using Writer = void (*)(Output& output, const MeshRef& mesh, const WriteOptions& options);

void write_vtu(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_vtp(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_vti(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_vtk_legacy(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_ply(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_obj(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_stl(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_off(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_glb(Output& output, const MeshRef& mesh, const WriteOptions& options);
void write_gltf(Output& output, const MeshRef& mesh, const WriteOptions& options);

/// The same for what write_poly() is given.
using PolyWriter = void (*)(Output& output, const PolyData& poly, const WriteOptions& options);

void write_poly_vtp(Output& output, const PolyData& poly, const WriteOptions& options);
void write_poly_legacy(Output& output, const PolyData& poly, const WriteOptions& options);

/// The triangles, or Error(unsupported) that says what can hold only them; every id must name a point.
[[nodiscard]] const TriMesh& only_triangles(const Output& output, const MeshRef& mesh,
                                            std::string_view holder);
/// The mesh, or `copy` as that without its cells of a lower dimension; Error(unsupported) for solids.
[[nodiscard]] const CellMesh& only_polygons(Output& output, const CellMesh& mesh, std::string_view holder,
                                            CellMesh& copy);
/// Calls write(mesh) with triangles, or with cells that are all polygons: cells of a lower dimension are left
/// out with a note, others refused.
template <class Write>
void write_polygons(Output& output, const MeshRef& mesh, std::string_view holder, const Write& write) {
  if (const auto* cells = std::get_if<const CellMesh*>(&mesh)) {
    CellMesh copy;
    write(only_polygons(output, **cells, holder, copy));
  } else {
    write(only_triangles(output, mesh, holder));
  }
}
/// A line for each point: the start, its coordinates and, if there are any, its three extra numbers.
void write_rows(Output& output, const Points& points, std::string_view start,
                std::span<const float> extra = {});

struct Format {
  std::string_view extension;
  bool holds_only_surfaces = false;
  Reader read = nullptr;            ///< null: it is only written
  Writer write = nullptr;           ///< null: it is only read
  PolyWriter write_poly = nullptr;  ///< null: it holds no vertices, lines and polygons
  bool holds_cells = false;         ///< its writer takes a CellMesh
  bool compresses = false;
  bool is_always_binary = false;
};
[[nodiscard]] std::span<const Format> list_formats();
/// By the file's extension; null for one that nobody knows.
[[nodiscard]] const Format* find_format(const std::filesystem::path& file);

/// By the first bytes of the file or, of a binary stl file, its size; null if they do not show it.
[[nodiscard]] const Format* detect_format(Input& input);
/// A name with that extension: the file's own if there is no format.
[[nodiscard]] std::filesystem::path name_with_format(const std::filesystem::path& file,
                                                     const std::string& format);
/// The extension in lower case, without the dot.
[[nodiscard]] std::string extension_of(const std::filesystem::path& file);
/// "a, b, c"
[[nodiscard]] std::string join(const std::vector<std::string_view>& words);

}  // namespace tessera::detail::io
