// What the readers of VTK's XML formats share: the pieces of a file and the fields joined over them.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/xml.h>
#include <tessera/io/grid_file.h>
#include <tessera/io/io.h>

namespace tessera::detail::io {

struct XmlPieces {
  Input& input;
  FileReport& report;
  XmlFile file;
  const Element* content = nullptr;  ///< <UnstructuredGrid>, <PolyData>, <ImageData>, ...
  std::vector<const Element*> pieces;
};

/// Puts the numbers of one piece where they belong in the field of the whole.
using Place = std::function<void(XmlArray& array, Field& whole, std::size_t piece)>;

/// The fields of <PointData> or <CellData>. A field must be in every piece with `tuples[piece]` > 0; what is
/// not, or is not numeric, is left out with a note.
[[nodiscard]] FieldSet read_joined(XmlPieces& xml, std::string_view kind,
                                   const std::vector<std::uint64_t>& tuples, std::uint64_t total,
                                   const Place& place);
[[nodiscard]] FieldSet read_field_data(XmlPieces& xml);

/// The fields that read_joined() would read, which stay in the file, with the same notes. Only what lies in
/// one piece has a place.
[[nodiscard]] std::vector<StoredField> list_stored(XmlPieces& xml, std::string_view kind,
                                                   std::uint64_t tuples);
/// The name of the field that viewers colour by first.
[[nodiscard]] std::string active_name(const XmlPieces& xml, std::string_view kind);

[[nodiscard]] AnyMesh read_xml_cells(XmlPieces& xml, int dimension, const ReadOptions& options);
/// The same without cutting anything.
[[nodiscard]] RawCells read_xml_raw(XmlPieces& xml, int dimension);
/// An <ImageData>, <StructuredGrid> or <RectilinearGrid>.
[[nodiscard]] Dataset read_xml_lattice(XmlPieces& xml);

/// The lattice of an <ImageData> without fields of points and cells. Error(bad_file) unless its pieces can
/// fill it.
[[nodiscard]] Grid read_xml_shape(XmlPieces& xml);

/// First and last point of each axis.
using Extent = std::array<std::int64_t, 6>;
/// A data set that is a part of another one, which has the extent of a lattice if it is one.
struct LatticePiece {
  Dataset data;
  Extent extent = {};
};
/// The same, but only of the box around the pieces that the file holds.
[[nodiscard]] LatticePiece read_xml_piece(XmlPieces& xml);
/// The grid of a <PImageData> from its pieces, which must be grids.
[[nodiscard]] LatticePiece join_images(XmlPieces& xml, const std::vector<LatticePiece>& pieces);
/// The fields that all sets have with one name, type and number of components, in the order of the first set:
/// for each those of all sets. Says in the report which others there are.
[[nodiscard]] std::vector<std::vector<const Field*>> find_common_fields(
    const std::vector<const FieldSet*>& sets, FileReport& report);
/// Fields of meshes as wholes: of several with one name the first, with a note if they differ.
[[nodiscard]] FieldSet join_mesh_fields(const std::vector<const FieldSet*>& sets, FileReport& report);

/// Vertices, lines and polygons as they are.
[[nodiscard]] PolyData read_xml_poly(XmlPieces& xml);
/// Scans the file, whose content must be of one of the types.
[[nodiscard]] XmlPieces open_xml(Input& input, FileReport& report,
                                 std::initializer_list<std::string_view> types);

/// Calls f(std::span<const T>) with consecutive runs of the array's next `count` numbers, T being its own
/// type.
template <class F>
void for_chunks(XmlArray& array, std::uint64_t count, F&& f) {
  constexpr std::uint64_t chunk_values = 1 << 16;
  Field chunk("", array.type(), std::min(count, chunk_values));
  chunk.visit([&](auto buffer) {
    using T = typename decltype(buffer)::element_type;
    for (std::uint64_t done = 0; done < count; done += buffer.size()) {
      const auto values = buffer.first(std::min<std::uint64_t>(buffer.size(), count - done));
      array.read(values);
      f(std::span<const T>(values));
    }
  });
}

}  // namespace tessera::detail::io
