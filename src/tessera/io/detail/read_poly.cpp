#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/xml_pieces.h>

namespace tessera {

using namespace detail;

PolyData read_poly(const std::filesystem::path& file, const ReadOptions& options) {
  io::Input input(file, options.monitor);
  if (io::extension_of(file) != "vtp") input.refuse("points, lines and polygons are read from vtp files");
  if (input.size() == 0) input.fail("is empty");
  FileReport report;
  try {
    io::XmlPieces xml = io::open_xml(input, report, {"PolyData"});
    return io::read_xml_poly(xml);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, file.string() + ": does not fit in memory", Remedy::more_memory);
  }
}

}  // namespace tessera
