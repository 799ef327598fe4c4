#include <tessera/io/detail/formats.h>
#include <tessera/io/segments.h>

namespace tessera {

using namespace detail;

WriteReport write_segments(const std::filesystem::path& file, const Segments& segments,
                           const WriteOptions& options) {
  const std::string extension = io::extension_of(io::name_with_format(file, options.format));
  if (extension != "vtu" && extension != "vtp")
    throw Error(ErrorCode::unsupported, file.string() + ": segments are written as .vtu or .vtp");
  CellMesh mesh;
  mesh.points = segments.points;
  mesh.types.assign(segments.lines.size(), CellType::line);
  for (const auto& line : segments.lines) mesh.cells.add(line);
  mesh.point_data = segments.point_data;
  mesh.cell_data = segments.cell_data;
  return write_mesh(file, mesh, options);
}

}  // namespace tessera
