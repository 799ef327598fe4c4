#include <algorithm>
#include <array>
#include <cctype>

#include <tessera/io/formats.h>

namespace tessera {
namespace {

struct WritableFormat {
  std::string_view extension;
  io::Writer write;
};

constexpr std::array<WritableFormat, 8> formats = {{{"vtu", io::write_vtu},
                                                    {"vtp", io::write_vtp},
                                                    {"vti", io::write_vti},
                                                    {"vtk", io::write_vtk_legacy},
                                                    {"ply", io::write_ply},
                                                    {"obj", io::write_obj},
                                                    {"stl", io::write_stl},
                                                    {"off", io::write_off}}};

[[noreturn]] void refuse_mesh(const std::filesystem::path& file, const std::string& reason) {
  throw Error(ErrorCode::bad_mesh, file.string() + ": not written, because " + reason);
}

/// Readers refuse files with such ids and lengths, so writers do not make them.
template <class Mesh>
void check(const std::filesystem::path& file, const Mesh& mesh) {
  const auto check_lengths = [&](const FieldSet& fields, std::size_t count, std::string_view elements) {
    for (const Field& field : fields) {
      if (field.size() == count) continue;
      refuse_mesh(file, "the field \"" + field.name() + "\" has " + std::to_string(field.size()) +
                            " tuples for " + std::to_string(count) + " " + std::string(elements));
    }
  };
  check_lengths(mesh.point_data, mesh.vertex_count(), "points");
  check_lengths(mesh.cell_data, mesh.cell_count(), "cells");
  if constexpr (!std::is_same_v<Mesh, Grid>) {
    for (std::size_t i = 0; i < mesh.cells.size(); ++i) {
      for (const VertexId v : mesh.cells[i]) {
        if (v.index() >= mesh.vertex_count()) {
          refuse_mesh(file, "cell " + std::to_string(i) + " names point " + std::to_string(v.index()) +
                                ", but there are " + std::to_string(mesh.vertex_count()) + " points");
        }
      }
    }
  }
}

template <class Mesh>
void write_any(const std::filesystem::path& file, const Mesh& mesh, const WriteOptions& options) {
  const std::string extension = io::extension_of(file);
  const auto* const format =
      std::find_if(formats.begin(), formats.end(), [&](const auto& f) { return f.extension == extension; });
  if (format == formats.end()) {
    throw Error(ErrorCode::unsupported,
                file.string() + ": has an unknown extension; known are " + io::join(writable_extensions()));
  }
  check(file, mesh);
  io::Output output(file, mesh.bytes(), options.monitor);
  try {
    format->write(output, &mesh, options);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, file.string() + ": no memory was left to write it");
  }
  output.commit();
}

}  // namespace

namespace io {

std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string join(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
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

}  // namespace io

void write_mesh(const std::filesystem::path& file, const TetMesh& mesh, const WriteOptions& options) {
  write_any(file, mesh, options);
}

void write_mesh(const std::filesystem::path& file, const TriMesh& mesh, const WriteOptions& options) {
  write_any(file, mesh, options);
}

void write_mesh(const std::filesystem::path& file, const Grid& mesh, const WriteOptions& options) {
  write_any(file, mesh, options);
}

void write_mesh(const std::filesystem::path& file, const AnyMesh& mesh, const WriteOptions& options) {
  std::visit([&](const auto& own) { write_any(file, own, options); }, mesh);
}

std::vector<std::string_view> writable_extensions() {
  std::vector<std::string_view> result;
  for (const WritableFormat& format : formats) result.push_back(format.extension);
  return result;
}

}  // namespace tessera
