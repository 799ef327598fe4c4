// Reading and writing meshes for verbs: within --memory, timed, with progress, stopped by Ctrl-C, and counted
// in the JSON object.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <tessera/core/memory.h>
#include <tessera/io/io.h>
#include <tessera/io/segments.h>
#include <tessera/mesh/mesh.h>

#include "application/option_list.h"
#include "application/session.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tessera::cli {

/// How to read a file without a header. Without dims the file is no raw volume.
struct RawOptions {
  std::string dims = {};     ///< "256x256x128"; empty: the input is no raw volume
  std::string type = {};     ///< a ScalarType by name; empty: uint8
  std::string spacing = {};  ///< "0.5x0.5x2"; empty: 1x1x1
  bool is_big_endian = false;
};

/// The options of a verb that reads one mesh.
struct InputOptions {
  std::filesystem::path file;
  bool simplices = true;  ///< cut other cells; a verb that keeps them has it false
  bool linearize = false;
  bool weld = true;         ///< join equal corners of stl files
  std::string format = {};  ///< by its extension; empty: that of the file, or what its first bytes show
  RawOptions raw = {};
  bool welds_later = false;  ///< the verb itself joins the corners that are read apart

  [[nodiscard]] bool leaves_apart() const { return !weld && !welds_later; }
};

/// The options of a verb that writes one mesh.
struct OutputOptions {
  std::filesystem::path file;
  bool ascii = false;
  bool compress = false;
  std::string format = {};  ///< by its extension; empty: that of the file

  /// In lower case without the dot.
  [[nodiscard]] std::string extension() const;
  /// What is said of this file alone, where there are others that are written in the same way.
  [[nodiscard]] OutputOptions alone() const {
    return file.empty() ? OutputOptions{.file = {}, .format = format} : *this;
  }
};

void add_input_options(OptionList& app, InputOptions& options);
/// All of them but the file, for verbs that take several.
void add_reading_options(OptionList& app, InputOptions& options);
Option add_output_options(OptionList& app, OutputOptions& options, const std::string& names = "-o,--output");

/// A mesh that was read, and its part of the memory budget.
struct Input {
  AnyMesh mesh;
  FileReport report;
  Reservation reservation;
  Reservation made_room = {};  ///< of the field that was made for --field
};

/// Error(bad_option) for options of reading that would do nothing.
void check_reading(const InputOptions& options);

/// Reads the file in the read phase. Error(out_of_memory) before reading if the file alone is larger than
/// --memory allows, and after it if the mesh is; else the errors of read_mesh(). With dims, the file is read
/// as a raw volume. `-` is standard input.
/// With `cells` and without `simplices`, cells are put there uncut (ReadOptions::cells).
[[nodiscard]] Input read_input(Session& session, const InputOptions& options, CellMesh* cells = nullptr);

/// Error(unsupported | write_failed | bad_option) for an extension, a folder or an option that write_mesh()
/// would refuse: call it before the work, so that a slip of the fingers does not cost an hour. Without a file
/// there is nothing to check but that no option says how to write it.
void check_output(Session& session, const OutputOptions& options);

/// Error(unsupported) if the file's format cannot hold a mesh of this kind with arrays of its points, such as
/// "the segmentation".
void check_point_data_output(const OutputOptions& options, const AnyMesh& mesh, std::string_view what);

/// Error(write_failed) if there is no folder for the file or it cannot be written to. The file is one of the
/// session's outputs from now on: Error(bad_option) if it is one already, or is read.
void check_folder(Session& session, const std::filesystem::path& file);

/// The same for a file that can only have one format, which standard output then has.
void check_sole_format(Session& session, const std::filesystem::path& file, std::string_view extension);

/// Error(bad_option) for standard output without a format.
void expect_format(const OutputOptions& options, const char* example);

/// Writes a file; the name is only for messages if the options have a descriptor.
using WriteFunction =
    std::function<WriteReport(const std::filesystem::path& file, const WriteOptions& options)>;
struct Written {
  std::uint64_t bytes = 0;
  std::uint64_t left_out = 0;  ///< cells that are not in the file
};
/// Calls it in the write phase and passes its notes on.
Written write_counted(Session& session, const OutputOptions& options, const WriteFunction& write);

/// Writes in the write phase, adds `output` to the result and says so.
void write_output(Session& session, const OutputOptions& options, const AnyMesh& mesh);
void write_output(Session& session, const OutputOptions& options, const CellMesh& mesh);

/// Adds `output` to the result for a mesh that was written, and says so. Of the mesh only the size counts.
void report_output(Session& session, const OutputOptions& options, const AnyMesh& mesh, std::uint64_t bytes);

/// The same two for points, lines and polygons: .vtp or .vtk. What was written is returned, for the result.
void check_poly_output(Session& session, const OutputOptions& options);
/// Error(unsupported) for another extension.
void expect_poly_extension(const OutputOptions& options);
[[nodiscard]] Json write_poly_output(Session& session, const OutputOptions& options, const PolyData& poly);

/// The same two for segments: .vtu or .vtp.
void check_segments_output(Session& session, const OutputOptions& options);
[[nodiscard]] Json write_segments_output(Session& session, const OutputOptions& options,
                                         const Segments& segments, std::string_view kind);

/// What a file of points, lines and polygons has.
struct PolySize {
  std::size_t points = 0;
  std::size_t cells = 0;
  std::uint64_t bytes = 0;  ///< of the file
};
/// Says what was written, and gives it for the result.
[[nodiscard]] Json report_poly(Session& session, const OutputOptions& options, const PolySize& size);

/// Calls write(file, options) in the compute phase, where the options say which descriptor standard output
/// has, if it goes there. Gives the bytes of the file.
std::uint64_t write_in_parts(
    Session& session, const OutputOptions& options,
    const std::function<void(const std::filesystem::path& file, const WriteOptions& options)>& write);

/// Writes any file completely or not at all; /dev/null, a pipe and the like directly. Error(write_failed)
/// says why.
void write_file(const std::filesystem::path& file, std::string_view bytes);

/// "tetrahedral mesh", "triangle mesh" or "grid".
[[nodiscard]] std::string_view kind_name(const AnyMesh& mesh);
/// "solid mesh", "polygon mesh", "line mesh" or "point mesh".
[[nodiscard]] std::string_view kind_name(const CellMesh& mesh);
/// "274,625 points, 1,572,864 tetrahedra".
[[nodiscard]] std::string describe_counts(const AnyMesh& mesh);
[[nodiscard]] std::string describe_counts(const CellMesh& mesh);
/// "1 tetrahedron", "2 triangles".
[[nodiscard]] std::string counted_cells(std::size_t count, const AnyMesh& mesh);
[[nodiscard]] std::size_t vertex_count(const AnyMesh& mesh);
[[nodiscard]] std::size_t cell_count(const AnyMesh& mesh);
[[nodiscard]] std::size_t vertex_count(const CellMesh& mesh);
[[nodiscard]] std::size_t cell_count(const CellMesh& mesh);
/// "tetrahedra", "triangles" or "cells".
[[nodiscard]] std::string_view cell_name(const AnyMesh& mesh);

/// The file's extension in lower case without the dot.
[[nodiscard]] std::string extension_of(const std::filesystem::path& file);

}  // namespace tessera::cli
