#include <algorithm>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>

namespace tessera {

using namespace detail;
namespace {

[[noreturn]] void refuse_mesh(const std::filesystem::path& file, const std::string& reason) {
  throw Error(ErrorCode::bad_mesh, file.string() + ": not written, because " + reason);
}

/// Readers refuse files with such lengths, so writers do not make them.
template <class Mesh>
void check_fields(const std::filesystem::path& file, const Mesh& mesh) {
  const auto check_lengths = [&](const FieldSet& fields, std::size_t count, std::string_view elements) {
    for (const Field& field : fields) {
      if (field.size() == count) continue;
      refuse_mesh(file, "the field \"" + field.name() + "\" has " + std::to_string(field.size()) +
                            " tuples for " + std::to_string(count) + " " + std::string(elements));
    }
  };
  check_lengths(mesh.point_data, mesh.vertex_count(), "points");
  check_lengths(mesh.cell_data, mesh.cell_count(), "cells");
}

void check_corner(const std::filesystem::path& file, std::size_t cell, VertexId v, std::size_t points) {
  if (v.index() < points) return;
  refuse_mesh(file, "cell " + std::to_string(cell) + " names point " + std::to_string(v.index()) +
                        ", but there are " + std::to_string(points) + " points");
}

template <class Mesh>
void check(const std::filesystem::path& file, const Mesh& mesh) {
  check_fields(file, mesh);
  if constexpr (!std::is_same_v<Mesh, Grid>) {
    for (std::size_t i = 0; i < mesh.cells.size(); ++i) {
      for (const VertexId v : mesh.cells[i]) check_corner(file, i, v, mesh.vertex_count());
    }
  }
}

/// `first` is the number of the first cell.
void check_list(const std::filesystem::path& file, const PolyCells& cells, std::size_t first,
                std::size_t points) {
  const auto& offsets = cells.offsets;
  if (offsets.empty() || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()) ||
      offsets.back() != cells.corners.size()) {
    refuse_mesh(file, "the offsets of its cells do not ascend from 0 to the number of corners");
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const VertexId v : cells[i]) check_corner(file, first + i, v, points);
  }
}

void check(const std::filesystem::path& file, const PolyData& poly) {
  check_fields(file, poly);
  std::size_t first = 0;
  for (const PolyCells* cells : {&poly.vertices, &poly.lines, &poly.polygons}) {
    check_list(file, *cells, first, poly.vertex_count());
    first += cells->size();
  }
}

void check(const std::filesystem::path& file, const CellMesh& mesh) {
  check_fields(file, mesh);
  check_list(file, mesh.cells, 0, mesh.vertex_count());
  if (mesh.types.size() != mesh.cells.size()) refuse_mesh(file, "not every cell has a type");
  for (std::size_t i = 0; i < mesh.cell_count(); ++i) {
    const std::size_t wanted = corner_count(mesh.types[i]);
    if (wanted == 0 || wanted == mesh.cells[i].size()) continue;
    refuse_mesh(file, "cell " + std::to_string(i) + " is a " +
                          io::cell_type_name(static_cast<std::uint8_t>(mesh.types[i])) + " with " +
                          std::to_string(mesh.cells[i].size()) + " corners");
  }
}

/// Has `write(output)` write a file that appears complete or not at all.
template <class Mesh, class Write>
WriteReport write_whole(const std::filesystem::path& file, const Mesh& mesh, const WriteOptions& options,
                        const Write& write) {
  check_write_options(file, options);
  check(file, mesh);
  io::Output output(file, mesh.bytes(), options.monitor, options.descriptor);
  try {
    write(output);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, file.string() + ": no memory was left to write it",
                Remedy::more_memory);
  }
  output.commit();
  return {std::move(output.notes), output.left_out};
}

template <class Mesh>
WriteReport write_any(const std::filesystem::path& file, const Mesh& mesh, const WriteOptions& options) {
  const io::Format* const format = io::find_format(io::name_with_format(file, options.format));
  if (format == nullptr || format->write == nullptr) {
    throw Error(ErrorCode::unsupported,
                file.string() + (format == nullptr ? ": has an unknown extension" : ": can only be read") +
                    "; the extensions that can be written are " + io::join(list_writable_extensions()));
  }
  return write_whole(file, mesh, options, [&](io::Output& output) { format->write(output, &mesh, options); });
}

}  // namespace

namespace detail::io {

const CellMesh& only_polygons(Output& output, const CellMesh& mesh, std::string_view holder, CellMesh& copy) {
  const std::string solids = list_types(mesh.types, 3, 3);
  if (!solids.empty()) output.refuse(std::string(holder) + " can only hold polygons, not " + solids);
  const std::string lower = list_types(mesh.types, 0, 1);
  if (lower.empty()) return mesh;
  output.notes.push_back("Left out cells that " + std::string(holder) + " cannot hold: " + lower + ".");
  copy.points = mesh.points;
  copy.point_data = mesh.point_data;
  copy.field_data = mesh.field_data;
  Array<std::uint32_t> kept;
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.types[c]) < 2) continue;
    copy.types.push_back(mesh.types[c]);
    copy.cells.add(mesh.cells[c]);
    kept.push_back(static_cast<std::uint32_t>(c));
  }
  copy.cell_data = mesh.cell_data.gather(kept);
  output.left_out = mesh.cell_count() - copy.cell_count();
  return copy;
}

const TriMesh& only_triangles(const Output& output, const MeshRef& mesh, std::string_view holder) {
  const auto* triangles = std::get_if<const TriMesh*>(&mesh);
  if (triangles == nullptr) output.refuse(std::string(holder) + " can only hold triangles");
  return **triangles;
}

void write_rows(Output& output, const Points& points, std::string_view start, std::span<const float> extra) {
  points.visit([&](auto places) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      output.write(start);
      output.number(places[i].x);
      output.write(" ");
      output.number(places[i].y);
      output.write(" ");
      output.number(places[i].z);
      for (std::size_t k = 0; k < 3 && !extra.empty(); ++k) {
        output.write(" ");
        output.number(extra[3 * i + k]);
      }
      output.write("\n");
    }
  });
}

}  // namespace detail::io

WriteReport write_mesh(const std::filesystem::path& file, const TetMesh& mesh, const WriteOptions& options) {
  return write_any(file, mesh, options);
}

WriteReport write_mesh(const std::filesystem::path& file, const TriMesh& mesh, const WriteOptions& options) {
  return write_any(file, mesh, options);
}

WriteReport write_mesh(const std::filesystem::path& file, const Grid& mesh, const WriteOptions& options) {
  return write_any(file, mesh, options);
}

WriteReport write_mesh(const std::filesystem::path& file, const AnyMesh& mesh, const WriteOptions& options) {
  return std::visit([&](const auto& own) { return write_any(file, own, options); }, mesh);
}

WriteReport write_mesh(const std::filesystem::path& file, const CellMesh& mesh, const WriteOptions& options) {
  return write_any(file, mesh, options);
}

WriteReport write_poly(const std::filesystem::path& file, const PolyData& poly, const WriteOptions& options) {
  const io::Format* const format = io::find_format(io::name_with_format(file, options.format));
  if (format == nullptr || format->write_poly == nullptr) {
    throw Error(ErrorCode::unsupported,
                file.string() + ": points, lines and polygons are written as vtp or vtk files");
  }
  return write_whole(file, poly, options,
                     [&](io::Output& output) { format->write_poly(output, poly, options); });
}

}  // namespace tessera
