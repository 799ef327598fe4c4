#include <array>

#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/text.h>

namespace tessera {

using namespace detail;
namespace {

std::string_view kind_of(const AnyMesh& mesh) {
  constexpr std::array<std::string_view, 3> kinds = {"tetrahedra", "triangles", "a regular grid"};
  return kinds[mesh.index()];
}

template <class To, class From>
To retype_empty(From& from) {
  To to;
  to.points = std::move(from.points);
  to.point_data = std::move(from.point_data);
  to.field_data = std::move(from.field_data);
  return to;
}

/// The mesh as the type that was asked for. A file without cells is as good as either.
template <class Mesh, class Other>
Mesh take(const std::filesystem::path& file, ReadResult result) {
  if (auto* mesh = std::get_if<Mesh>(&result.mesh)) return std::move(*mesh);
  if (auto* other = std::get_if<Other>(&result.mesh)) {
    if (other->cells.empty()) return retype_empty<Mesh>(*other);
  }
  throw Error(ErrorCode::unsupported, file.string() + ": holds " + std::string(kind_of(result.mesh)) +
                                          ", not " + std::string(kind_of(Mesh{})));
}

}  // namespace

ReadResult read_mesh(const std::filesystem::path& file, const ReadOptions& options) {
  const std::filesystem::path named = io::name_with_format(file, options.format);
  const std::filesystem::path unpacked = io::without_gz(named);
  // Opened before its extension is judged: of a file that is not there, that is what is to be said.
  io::Input input(file, options.monitor, unpacked == named ? io::Packing::none : io::Packing::gzip,
                  options.descriptor);
  if (io::extension_of(unpacked) == "meshb")
    input.refuse("is a binary Medit file; only text (mesh) can be read");
  if (input.size() == 0) input.fail("is empty");
  const io::Format* format = io::find_format(unpacked);
  if (format == nullptr && options.format.empty()) format = io::detect_format(input);
  if (format == nullptr) {
    input.refuse((options.format.empty() ? "has an unknown extension"
                                         : "cannot be read as \"" + options.format + "\"") +
                     "; known are " + io::join(list_extensions()) + ", most of them also with .gz behind",
                 options.format.empty() ? Remedy::name_format : Remedy::none);
  }
  if (format->read == nullptr) input.refuse("is of a format that can only be written");
  const bool is_xml = format->read == io::read_vtk_xml || format->read == io::read_vtk_parallel;
  if (input.is_packed() && is_xml) {
    input.refuse(
        "cannot be read packed, because the arrays of such files are read in any order; unpack it first");
  }
  if (format->read != io::read_stl) io::skip_mark(input);  // whose header may be anything
  ReadResult result;
  result.report.format = format->extension;
  try {
    result.mesh = format->read(input, options, result.report);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, file.string() + ": does not fit in memory", Remedy::more_memory);
  }
  return result;
}

TetMesh read_tets(const std::filesystem::path& file, const ReadOptions& options) {
  return take<TetMesh, TriMesh>(file, read_mesh(file, options));
}

TriMesh read_triangles(const std::filesystem::path& file, const ReadOptions& options) {
  return take<TriMesh, TetMesh>(file, read_mesh(file, options));
}

Grid read_grid(const std::filesystem::path& file, const ReadOptions& options) {
  ReadResult result = read_mesh(file, options);
  if (auto* grid = std::get_if<Grid>(&result.mesh)) return std::move(*grid);
  throw Error(ErrorCode::unsupported,
              file.string() + ": holds " + std::string(kind_of(result.mesh)) + ", not a regular grid");
}

}  // namespace tessera
