#include "data/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <optional>

#include <tessera/io/detail/output.h>

#include "application/cleanup.h"
#include "application/text.h"
#include "data/extent.h"
#include "data/raw_volume.h"
#include "data/standard_streams.h"

namespace tessera::cli {

using namespace detail;
namespace {

namespace fs = std::filesystem;

std::string dotted_list(const std::vector<std::string_view>& extensions) {
  std::string list;
  for (const std::string_view extension : extensions)
    list += fmt::format("{}.{}", list.empty() ? "" : ", ", extension);
  return list;
}

bool is_grid_file(const fs::path& file) {
  constexpr std::array<std::string_view, 6> extensions = {"vti", "pvti", "nrrd", "nhdr", "mhd", "mha"};
  const std::string extension = extension_of(file);
  return std::ranges::find(extensions, extension) != extensions.end();
}

/// Refuses a file that cannot fit: what is on the disk is the least that reading it will take. Gives its
/// size.
Bytes check_fits(Session& session, const fs::path& file) {
  std::error_code unknown;
  const auto size = fs::file_size(file, unknown);
  const MemoryBudget& memory = session.memory();
  if (unknown) return 0;
  session.count_input(size, is_grid_file(file));
  if (size <= memory.left()) return size;
  throw Error(
      ErrorCode::out_of_memory,
      fmt::format("'{}' is {} on the disk and was not read, because --memory allows {} and {} are in use; "
                  "allow {} or more",
                  file.string(), format_bytes(size), format_bytes(memory.limit()),
                  format_bytes(memory.used()),
                  format_limit(std::max(memory.used() + size + mib(1), session.usual_limit()))));
}

}  // namespace

void add_input_options(OptionList& app, InputOptions& options) {
  app.add_option("input", options.file, "the mesh file to read")->required()->type_name("FILE");
  add_reading_options(app, options);
}

void add_reading_options(OptionList& app, InputOptions& options) {
  app.add_flag(
      "--simplices", options.simplices,
      "cut polygons into triangles, hexahedra and the like into tetrahedra; most verbs do so anyway");
  app.add_flag("--linearize", options.linearize,
               "read quadratic and other cells of higher order by their corners alone");
  if (!options.welds_later)
    app.add_flag("!--no-weld", options.weld, "leave equal corners of the triangles of an stl file apart");
  app.add_option("--input-format", options.format,
                 "the format by its extension, if that of the file is another; - is standard input")
      ->type_name("EXT");
  add_raw_options(app, options.raw);
}

Option add_output_options(OptionList& app, OutputOptions& options, const std::string& names) {
  app.add_flag("--ascii", options.ascii, "write numbers as text (not glb and gltf)");
  app.add_flag("--compress", options.compress, "compress with zlib (vtu, vtp, vti; not with --ascii)");
  app.add_option("--output-format", options.format,
                 "the format by its extension, if that of the file is another; - is standard output")
      ->type_name("EXT");
  return app.add_option(names, options.file, "the file to write; its extension says the format")
      ->type_name("FILE");
}

void check_reading(const InputOptions& options) {
  if (!options.raw.dims.empty() && (!options.format.empty() || options.linearize || options.leaves_apart())) {
    throw Error(ErrorCode::bad_option,
                "--dims reads a raw volume, which has no format and no cells; leave out --input-format, "
                "--linearize and --no-weld");
  }
}

namespace {

/// The library's error with the option that helps.
Error with_reading_advice(const Error& error, bool is_standard_input) {
  if (error.remedy() == Remedy::linearize)
    return {error.code(), fmt::format("{} (--linearize)", error.what())};
  if (error.remedy() != Remedy::name_format) return error;
  if (is_standard_input)
    return {error.code(), "standard input does not show its format; name it, as in --input-format obj"};
  return {error.code(),
          fmt::format("{}; name the format with --input-format, or --dims for a raw volume", error.what())};
}

}  // namespace

Input read_input(Session& session, const InputOptions& options, CellMesh* cells) {
  check_reading(options);
  session.add_input(options.file);
  std::optional<NamelessFile> received;
  if (is_standard_stream(options.file)) {
    received.emplace();
    session.in_phase(Phase::read, [&] { receive_standard_input(session, *received); });
  }
  const int descriptor = received ? received->descriptor() : -1;
  if (!options.raw.dims.empty()) return read_raw_volume(session, options, descriptor);
  const Bytes size = received ? 0 : check_fits(session, options.file);
  if (options.simplices) cells = nullptr;
  ReadResult read = session.in_phase(Phase::read, [&] {
    try {
      return read_mesh(received ? "standard input" : options.file, {.simplices = options.simplices,
                                                                    .cells = cells,
                                                                    .linearize = options.linearize,
                                                                    .weld = options.weld,
                                                                    .format = options.format,
                                                                    .descriptor = descriptor,
                                                                    .exec = session.host(),
                                                                    .monitor = &session.monitor()});
    } catch (const Error& error) {
      throw with_reading_advice(error, received.has_value());
    }
  });
  if (cells == nullptr && (read.report.dimension == 0 || read.report.dimension == 1)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("'{}' holds {} only; this needs triangles, tetrahedra or cells to cut into them",
                            options.file.string(), read.report.dimension == 0 ? "points" : "lines"));
  }
  if (options.leaves_apart() && read.report.format != "stl") {
    throw Error(ErrorCode::bad_option,
                fmt::format("--no-weld is for stl files, and '{}' is a {} file; leave it out",
                            options.file.string(), read.report.format));
  }
  for (const std::filesystem::path& part : read.report.parts) session.add_part(part);
  const Bytes bytes = std::visit([](const auto& mesh) { return mesh.bytes(); }, read.mesh) +
                      (cells != nullptr ? cells->bytes() : 0);
  if (const Grid* grid = std::get_if<Grid>(&read.mesh)) {
    session.count_grid(*grid, size);
  } else if (bytes > size) {
    session.count_input(bytes - size, false);
  }
  Reservation reservation =
      Reservation::of_held(session.memory(), bytes, "the mesh of '" + options.file.string() + "'");
  session.settle_memory();
  return {std::move(read.mesh), std::move(read.report), std::move(reservation)};
}

void check_sole_format(Session& session, const fs::path& file, std::string_view extension) {
  if (!is_standard_stream(file) && extension_of(file) != extension) {
    throw Error(ErrorCode::unsupported,
                fmt::format("'{}' cannot be written; give it the extension .{}", file.string(), extension));
  }
  check_folder(session, file);
}

namespace {

WriteOptions write_options(const OutputOptions& options) {
  WriteOptions how;
  how.ascii = options.ascii;
  how.compress = options.compress;
  how.format = options.format;
  return how;
}

/// Nothing is written, so nothing may say how.
void check_no_output(const OutputOptions& options) {
  for (const auto& [is_given, name] : {std::pair(options.ascii, "--ascii"),
                                       {options.compress, "--compress"},
                                       {!options.format.empty(), "--output-format"}}) {
    if (is_given)
      throw Error(ErrorCode::bad_option,
                  fmt::format("{} says how to write; add -o FILE or leave it out", name));
  }
}

}  // namespace

void check_output(Session& session, const OutputOptions& options) {
  if (options.file.empty()) return check_no_output(options);
  expect_format(options, "ply");
  const std::vector<std::string_view> known = list_writable_extensions();
  if (std::ranges::find(known, options.extension()) == known.end()) {
    if (!options.format.empty()) {
      throw Error(ErrorCode::unsupported, fmt::format("--output-format {} cannot be written; use one of {}",
                                                      options.format, dotted_list(known)));
    }
    throw Error(ErrorCode::unsupported,
                fmt::format("'{}' has no extension that can be written; use one of {}", options.file.string(),
                            dotted_list(known)));
  }
  check_write_options(options.file, write_options(options));
  check_folder(session, options.file);
}

void check_folder(Session& session, const fs::path& file) {
  if (is_standard_stream(file)) return session.add_output(file);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code failed;
  if (fs::status(file, failed).type() == fs::file_type::none) {
    throw Error(ErrorCode::write_failed,
                fmt::format("'{}' cannot be written: {}", file.string(), failed.message()));
  }
  if (!fs::is_directory(folder)) {
    throw Error(ErrorCode::write_failed,
                fmt::format("there is no folder '{}' to write '{}' in; make it first", folder.string(),
                            file.filename().string()));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw Error(ErrorCode::write_failed,
                fmt::format("the folder '{}' cannot be written to; choose another place", folder.string()));
  }
  session.add_output(file);
}

Written write_counted(Session& session, const OutputOptions& options, const WriteFunction& write) {
  return session.in_phase(Phase::write, [&]() -> Written {
    WriteOptions how = write_options(options);
    how.exec = session.host();
    how.monitor = &session.monitor();
    Written written;
    const auto write_to = [&](const fs::path& file) {
      const WriteReport report = write(file, how);
      for (const std::string& note : report.notes) session.note(note);
      written.left_out = report.left_out;
    };
    if (is_standard_stream(options.file)) {
      const NamelessFile file;
      how.descriptor = file.descriptor();
      write_to("standard output");
      written.bytes = send_to_standard_output(session, file);
      return written;
    }
    const PendingOutput announced(options.file);
    write_to(options.file);
    std::error_code unknown;  // somebody else may have taken it away by now
    const auto bytes = fs::file_size(options.file, unknown);
    if (!unknown) written.bytes = bytes;
    return written;
  });
}

namespace {

void note_unplaced_points(Session& session, const OutputOptions& options, const Extent& extent) {
  if (extent.unplaced > 0)
    session.note(fmt::format("'{}' has {}", options.file.string(), describe_unplaced(extent)));
}

template <class Mesh>
void report_any_output(Session& session, const OutputOptions& options, const Mesh& mesh,
                       const Written& written) {
  const std::size_t cells = cell_count(mesh) - written.left_out;
  session.result()["output"] = {{"file", options.file.string()},
                                {"kind", kind_name(mesh)},
                                {"points", vertex_count(mesh)},
                                {"cells", cells},
                                {"bytes", written.bytes}};
  const std::string counts = written.left_out == 0 ? describe_counts(mesh)
                                                   : counted(vertex_count(mesh), "point", "points") + ", " +
                                                         counted(cells, "cell", "cells");
  session.print("wrote {}: {}, {} in {}\n", options.file.string(), counts, format_bytes(written.bytes),
                format_seconds(session.total_seconds()));
}

template <class Mesh>
void write_any_output(Session& session, const OutputOptions& options, const Mesh& mesh) {
  note_unplaced_points(session, options, extent_of(mesh));
  report_any_output(session, options, mesh,
                    write_counted(session, options, [&](const fs::path& file, const WriteOptions& how) {
                      return write_mesh(file, mesh, how);
                    }));
}

}  // namespace

void report_output(Session& session, const OutputOptions& options, const AnyMesh& mesh, std::uint64_t bytes) {
  report_any_output(session, options, mesh, {.bytes = bytes});
}

void write_output(Session& session, const OutputOptions& options, const AnyMesh& mesh) {
  write_any_output(session, options, mesh);
}

void write_output(Session& session, const OutputOptions& options, const CellMesh& mesh) {
  write_any_output(session, options, mesh);
}

void expect_format(const OutputOptions& options, const char* example) {
  if (!is_standard_stream(options.file) || !options.format.empty()) return;
  throw Error(ErrorCode::bad_option,
              fmt::format("standard output has no extension that says the format; name it with -o, as in "
                          "-o - --output-format {}",
                          example));
}

void expect_poly_extension(const OutputOptions& options) {
  expect_format(options, "vtp");
  const std::string extension = options.extension();
  if (extension != "vtp" && extension != "vtk") {
    throw Error(ErrorCode::unsupported,
                fmt::format("'{}' has no extension that can be written; points, lines and polygons go to "
                            ".vtp or .vtk",
                            options.file.string()));
  }
}

void check_poly_output(Session& session, const OutputOptions& options) {
  if (options.file.empty()) return check_no_output(options);
  expect_poly_extension(options);
  check_write_options(options.file, write_options(options));
  check_folder(session, options.file);
}

Json write_poly_output(Session& session, const OutputOptions& options, const PolyData& poly) {
  note_unplaced_points(session, options, extent_of(poly.points));
  const std::uint64_t bytes =
      write_counted(session, options, [&](const fs::path& file, const WriteOptions& how) {
        return write_poly(file, poly, how);
      }).bytes;
  return report_poly(session, options, {poly.vertex_count(), poly.cell_count(), bytes});
}

Json report_poly(Session& session, const OutputOptions& options, const PolySize& size) {
  session.print("wrote {}: {}, {}, {} in {}\n", options.file.string(),
                counted(size.points, "point", "points"), counted(size.cells, "cell", "cells"),
                format_bytes(size.bytes), format_seconds(session.total_seconds()));
  return {{"file", options.file.string()},
          {"kind", "poly data"},
          {"points", size.points},
          {"cells", size.cells},
          {"bytes", size.bytes}};
}

std::uint64_t write_in_parts(
    Session& session, const OutputOptions& options,
    const std::function<void(const fs::path& file, const WriteOptions& options)>& write) {
  if (is_standard_stream(options.file)) {
    const NamelessFile file;
    session.in_phase(Phase::compute, [&] { write("standard output", {.descriptor = file.descriptor()}); });
    return session.in_phase(Phase::write, [&] { return send_to_standard_output(session, file); });
  }
  const PendingOutput announced(options.file);
  session.in_phase(Phase::compute, [&] { write(options.file, {}); });
  std::error_code unknown;  // somebody else may have taken it away by now
  const auto bytes = fs::file_size(options.file, unknown);
  return unknown ? 0 : bytes;
}

void check_segments_output(Session& session, const OutputOptions& options) {
  if (!options.file.empty()) expect_format(options, "vtu");
  if (!options.file.empty() && options.extension() != "vtu" && options.extension() != "vtp") {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("'{}' cannot be written; give it the extension .vtu or .vtp", options.file.string()));
  }
  check_output(session, options);
}

Json write_segments_output(Session& session, const OutputOptions& options, const Segments& segments,
                           std::string_view kind) {
  const std::uint64_t bytes =
      write_counted(session, options, [&](const std::filesystem::path& place, const WriteOptions& how) {
        return write_segments(place, segments, how);
      }).bytes;
  session.print("wrote {}: {}, {}\n", options.file.string(),
                counted(segments.lines.size(), "segment", "segments"), format_bytes(bytes));
  return {{"file", options.file.string()},
          {"kind", kind},
          {"points", segments.points.size()},
          {"cells", segments.lines.size()},
          {"bytes", bytes}};
}

void write_file(const fs::path& file, std::string_view bytes) {
  if (is_standard_stream(file)) {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);  // main() finds out whether that worked
    return;
  }
  std::error_code unknown;  // Output says what is wrong with the name
  if (fs::is_other(file, unknown)) {
    std::ofstream special(file, std::ios::binary);
    special << bytes << std::flush;
    if (!special)
      throw Error(ErrorCode::write_failed, fmt::format("'{}' cannot be written to", file.string()));
    return;
  }
  const PendingOutput announced(file);
  io::Output output(file, bytes.size(), nullptr);
  output.write(bytes);
  output.commit();
}

std::string_view kind_name(const AnyMesh& mesh) {
  constexpr std::string_view names[] = {"tetrahedral mesh", "triangle mesh", "grid"};
  return names[mesh.index()];
}

std::string_view kind_name(const CellMesh& mesh) {
  constexpr std::string_view names[] = {"point mesh", "line mesh", "polygon mesh", "solid mesh"};
  return names[mesh.dimension()];
}

std::string_view cell_name(const AnyMesh& mesh) {
  constexpr std::string_view names[] = {"tetrahedra", "triangles", "cells"};
  return names[mesh.index()];
}

std::size_t vertex_count(const AnyMesh& mesh) {
  return std::visit([](const auto& m) { return m.vertex_count(); }, mesh);
}

std::size_t vertex_count(const CellMesh& mesh) {
  return mesh.vertex_count();
}

std::size_t cell_count(const CellMesh& mesh) {
  return mesh.cell_count();
}

std::size_t cell_count(const AnyMesh& mesh) {
  return std::visit([](const auto& m) { return m.cell_count(); }, mesh);
}

std::string counted_cells(std::size_t count, const AnyMesh& mesh) {
  constexpr std::string_view single[] = {"tetrahedron", "triangle", "cell"};
  return counted(count, single[mesh.index()], cell_name(mesh));
}

void check_point_data_output(const OutputOptions& options, const AnyMesh& mesh, std::string_view what) {
  if (options.file.empty()) return;
  static const std::vector<std::vector<std::string>> holders = {
      {"vtu", "vtk"}, {"vtp", "vtu", "vtk", "ply"}, {"vti", "vtk"}};
  const std::vector<std::string>& known = holders[mesh.index()];
  if (std::ranges::find(known, options.extension()) != known.end()) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("'{}' cannot hold {} of a {}; write .{}", options.file.string(), what,
                          kind_name(mesh), fmt::join(known, " or .")));
}

std::string describe_counts(const AnyMesh& mesh) {
  return counted(vertex_count(mesh), "point", "points") + ", " + counted_cells(cell_count(mesh), mesh);
}

std::string describe_counts(const CellMesh& mesh) {
  return counted(mesh.vertex_count(), "point", "points") + ", " + counted(mesh.cell_count(), "cell", "cells");
}

std::string OutputOptions::extension() const {
  return extension_of(format.empty() ? file : fs::path("file." + format));
}

std::string extension_of(const fs::path& file) {
  std::string extension = file.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension;
}

}  // namespace tessera::cli
