#include <tessera/io/detail/formats.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <tessera/io/detail/text.h>

namespace tessera {

namespace detail::io {
namespace {

constexpr auto formats = std::to_array<Format>({
    {"vtu", false, read_vtk_xml, write_vtu, nullptr, true, true},
    {"vtp", true, read_vtk_xml, write_vtp, write_poly_vtp, true, true},
    {"vti", false, read_vtk_xml, write_vti, nullptr, false, true},
    {"vts", false, read_vtk_xml},
    {"vtr", false, read_vtk_xml},
    {"pvtu", false, read_vtk_parallel},
    {"pvtp", false, read_vtk_parallel},
    {"pvti", false, read_vtk_parallel},
    {"vtm", false, read_vtk_parallel},
    {"vtk", false, read_vtk_legacy, write_vtk_legacy, write_poly_legacy, true},
    {"nrrd", false, read_nrrd},
    {"nhdr", false, read_nrrd},
    {"mha", false, read_meta_image},
    {"mhd", false, read_meta_image},
    {"ply", true, read_ply, write_ply, nullptr, true},
    {"obj", true, read_obj, write_obj, nullptr, true},
    {"stl", true, read_stl, write_stl},
    {"off", true, read_off, write_off, nullptr, true},
    {"glb", true, nullptr, write_glb, nullptr, false, false, true},
    {"gltf", true, nullptr, write_gltf, nullptr, false, false, true},
    {"msh", false, read_msh},
    {"mesh", false, read_medit},
    {"node", false, read_tetgen},
    {"ele", false, read_tetgen},
});

/// What files of a format begin with.
struct Beginning {
  std::string_view text;
  std::string_view extension;
};
constexpr auto beginnings = std::to_array<Beginning>({
    {"ply\n", "ply"},
    {"ply\r", "ply"},
    {"# vtk DataFile", "vtk"},
    {"NRRD0", "nrrd"},
    {"ObjectType", "mha"},
    {"$MeshFormat", "msh"},
    {"MeshVersionFormatted", "mesh"},
    {"solid", "stl"},
    {"OFF", "off"},
    {"COFF", "off"},
    {"NOFF", "off"},
    {"CNOFF", "off"},
});
constexpr auto xml_types = std::to_array<Beginning>({
    {"UnstructuredGrid", "vtu"},
    {"PolyData", "vtp"},
    {"ImageData", "vti"},
    {"StructuredGrid", "vts"},
    {"RectilinearGrid", "vtr"},
});

/// By the type of the element VTKFile.
std::string_view detect_xml(std::string_view start) {
  start.remove_prefix(std::min(start.find("<VTKFile"), start.size()));
  start = start.substr(0, start.find('>'));
  for (const Beginning& type : xml_types) {
    for (const char quote : {'"', '\''}) {
      const std::string value = "type=" + (quote + std::string(type.text)) + quote;
      if (start.find(value) != std::string_view::npos) return type.extension;
    }
  }
  return {};
}

}  // namespace

std::span<const Format> list_formats() {
  return formats;
}

const Format* find_format(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  const auto* const found = std::ranges::find(formats, extension, &Format::extension);
  return found == formats.end() ? nullptr : found;
}

const Format* detect_format(Input& input) {
  constexpr std::size_t looked_at = 4096;
  if (holds_binary_facets(input)) return find_format("file.stl");
  skip_mark(input);
  const std::string_view start = input.peek(looked_at);
  std::string_view extension = detect_xml(start);
  for (const Beginning& beginning : beginnings) {
    if (start.starts_with(beginning.text)) extension = beginning.extension;
  }
  input.seek(0);
  return extension.empty() ? nullptr : find_format("file." + std::string(extension));
}

std::filesystem::path name_with_format(const std::filesystem::path& file, const std::string& format) {
  return format.empty() ? file : std::filesystem::path("file." + format);
}

std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string join(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace detail::io

std::vector<std::string_view> list_extensions() {
  std::vector<std::string_view> result;
  for (const detail::io::Format& format : detail::io::list_formats()) {
    if (format.read != nullptr) result.push_back(format.extension);
  }
  return result;
}

std::vector<std::string_view> list_writable_extensions() {
  std::vector<std::string_view> result;
  for (const detail::io::Format& format : detail::io::list_formats()) {
    if (format.write != nullptr) result.push_back(format.extension);
  }
  return result;
}

void check_write_options(const std::filesystem::path& file, const WriteOptions& options) {
  const detail::io::Format* const format =
      detail::io::find_format(detail::io::name_with_format(file, options.format));
  if (format == nullptr) return;
  const std::string files = file.string() + ": " + std::string(format->extension) + " files ";
  if (options.compress && !format->compresses)
    throw Error(ErrorCode::bad_option, files + "cannot be compressed; vtu, vtp and vti files can");
  if (options.compress && options.ascii)
    throw Error(ErrorCode::bad_option,
                file.string() + ": numbers as text are not compressed; choose one of the two");
  if (options.ascii && format->is_always_binary)
    throw Error(ErrorCode::bad_option, files + "cannot have numbers as text; leave that out");
}

bool holds_cells(const std::filesystem::path& file) {
  const detail::io::Format* const format = detail::io::find_format(file);
  return format != nullptr && format->holds_cells;
}

bool holds_only_surfaces(const std::filesystem::path& file) {
  const detail::io::Format* const format = detail::io::find_format(file);
  return format != nullptr && format->holds_only_surfaces;
}

}  // namespace tessera
