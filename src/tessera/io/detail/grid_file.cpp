#include <tessera/io/grid_file.h>

#include <algorithm>
#include <bit>
#include <limits>

#include <tessera/core/macros.h>
#include <tessera/io/detail/input.h>
#include <tessera/io/detail/xml_pieces.h>

namespace tessera {

using namespace detail;
namespace {

/// What the layout says the file holds; no number if 64 bits cannot.
std::optional<std::uint64_t> byte_count(const RawLayout& layout) {
  std::uint64_t bytes = size_of(layout.type);
  for (const std::uint32_t n : layout.dims) {
    if (n == 0 || bytes > std::numeric_limits<std::uint64_t>::max() / n) return std::nullopt;
    bytes *= n;
  }
  return bytes;
}

void add_shapes_of(std::span<const StoredField> stored, FieldSet& fields) {
  for (const StoredField& field : stored) fields.add(Field(field.name, field.type, 0, field.components));
}

}  // namespace

GridFile::GridFile(const std::filesystem::path& file)
    : input_(std::make_unique<io::Input>(file, nullptr, io::Packing::none)) {
  FileReport report;
  io::XmlPieces xml = io::open_xml(*input_, report, {"ImageData"});
  shape_ = io::read_xml_shape(xml);
  point_fields_ = io::list_stored(xml, "PointData", shape_.vertex_count());
  cell_fields_ = io::list_stored(xml, "CellData", shape_.cell_count());
  add_shapes();
  shape_.point_data.set_active(io::active_name(xml, "PointData"));
  shape_.cell_data.set_active(io::active_name(xml, "CellData"));
  notes_ = std::move(report.notes);
  is_swapped_ = xml.file.is_big_endian != (std::endian::native == std::endian::big);
}

GridFile::GridFile(const std::filesystem::path& file, const RawLayout& layout)
    : input_(std::make_unique<io::Input>(file, nullptr, io::Packing::none)),
      is_swapped_(layout.is_big_endian != (std::endian::native == std::endian::big)) {
  const std::optional<std::uint64_t> bytes = byte_count(layout);
  const std::uint64_t size = input_->size();
  if (!bytes || layout.skipped_bytes > size || *bytes != size - layout.skipped_bytes) {
    input_->fail("has " + std::to_string(size) + " bytes, but " + std::to_string(layout.dims[0]) + " x " +
                 std::to_string(layout.dims[1]) + " x " + std::to_string(layout.dims[2]) +
                 " numbers of type " + std::string(to_string(layout.type)) + " behind the first " +
                 std::to_string(layout.skipped_bytes) + " bytes are " +
                 (bytes ? std::to_string(*bytes) : "beyond any file"));
  }
  shape_.dims = layout.dims;
  shape_.spacing = layout.spacing;
  point_fields_.push_back(
      {layout.field, layout.type, 1, *bytes / size_of(layout.type), layout.skipped_bytes});
  add_shapes();
}

GridFile::GridFile(GridFile&&) noexcept = default;
GridFile& GridFile::operator=(GridFile&&) noexcept = default;
GridFile::~GridFile() = default;

void GridFile::add_shapes() {
  add_shapes_of(point_fields_, shape_.point_data);
  add_shapes_of(cell_fields_, shape_.cell_data);
}

const std::string& GridFile::name() const {
  return input_->name();
}

const StoredField& GridFile::point_field(std::string_view name) const {
  const auto found = std::ranges::find(point_fields_, name, &StoredField::name);
  if (found == point_fields_.end()) (void)shape_.field(name);  // throws, with the names there are
  return *found;
}

std::uint64_t GridFile::bytes() const {
  std::uint64_t sum = shape_.field_data.bytes();
  for (const StoredField& field : point_fields_) sum += field.bytes();
  for (const StoredField& field : cell_fields_) sum += field.bytes();
  return sum;
}

void GridFile::expect_parts(const StoredField& field) const {
  if (field.place) return;
  input_->refuse("the array \"" + field.name +
                 "\" is compressed, text, in base64 or in several pieces, and cannot be read in parts; write "
                 "the file anew, uncompressed");
}

void GridFile::read(const StoredField& field, std::uint64_t first, std::uint64_t count, Field& to,
                    std::size_t at) const {
  expect_parts(field);
  TS_EXPECTS(first <= field.tuples && count <= field.tuples - first);
  TS_EXPECTS(to.type() == field.type && to.components() == field.components && at + count <= to.size());
  input_->seek(*field.place + first * field.tuple_bytes());
  to.visit([&](auto numbers) {
    const auto part = numbers.subspan(at * field.components, count * field.components);
    input_->read(part.data(), part.size_bytes());
    if (is_swapped_) io::swap_bytes(part.data(), part.size(), size_of(field.type));
  });
}

}  // namespace tessera
