// Reader of vti: a lattice, whose pieces are boxes of it that may share their outermost points.
#include <algorithm>
#include <cstring>
#include <limits>

#include <tessera/io/detail/xml_pieces.h>

namespace tessera::detail::io {
namespace {

/// First and last point of each axis.
using Extent = std::array<std::int64_t, 6>;
using Size = std::array<std::uint64_t, 3>;

template <class T, std::size_t N>
std::array<T, N> read_list(const Input& input, const Element& element, std::string_view name,
                           std::array<T, N> otherwise) {
  const std::string* text = element.find_attribute(name);
  if (text == nullptr) return otherwise;
  std::array<T, N> values = {};
  std::string_view rest = *text;
  for (T& value : values) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n"));
    if (!parse_number(word, value)) input.fail("has a broken " + std::string(name) + ": \"" + *text + "\"");
    rest.remove_prefix(word.size());
  }
  return values;
}

Size points_in(const Input& input, const Extent& extent) {
  Size size = {};
  std::uint64_t product = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t first = extent[2 * axis];
    const std::int64_t last = extent[2 * axis + 1];
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
    if (first > last || first < -limit || last > limit) input.fail("has an empty or impossible extent");
    size[axis] = static_cast<std::uint64_t>(last - first + 1);
    if (size[axis] > std::numeric_limits<std::uint32_t>::max() / product)
      input.refuse("has more than 4294967295 points");
    product *= size[axis];
  }
  return size;
}

std::uint64_t volume(const Size& size) {
  return size[0] * size[1] * size[2];
}

/// Cells of a box: axes of one point do not count, as in Grid.
Size cells_in(const Size& points, const Size& whole) {
  Size size = {};
  for (int axis = 0; axis < 3; ++axis) size[axis] = whole[axis] > 1 ? points[axis] - 1 : 1;
  return size;
}

struct Box {
  Size first, size;  // in points or in cells of the whole
};

/// Copies rows of `box` from a piece's field to the whole's.
void copy_box(const Field& part, Field& whole, const Box& box, const Size& whole_size) {
  whole.visit([&](auto to) {
    using T = typename decltype(to)::element_type;
    const std::span<const T> from = part.as<T>();
    const std::size_t row = box.size[0] * whole.components();
    for (std::uint64_t k = 0; k < box.size[2]; ++k) {
      for (std::uint64_t j = 0; j < box.size[1]; ++j) {
        const std::uint64_t at =
            ((box.first[2] + k) * whole_size[1] + box.first[1] + j) * whole_size[0] + box.first[0];
        std::memcpy(to.data() + at * whole.components(), from.data() + (k * box.size[1] + j) * row,
                    row * sizeof(T));
      }
    }
  });
}

/// Fails unless every element of the whole is in a box.
void check_cover(const Input& input, const std::vector<Box>& boxes, const Size& whole) {
  std::vector<bool> is_covered(volume(whole));
  for (const Box& box : boxes) {
    for (std::uint64_t k = 0; k < box.size[2]; ++k) {
      for (std::uint64_t j = 0; j < box.size[1]; ++j) {
        const std::uint64_t row =
            ((box.first[2] + k) * whole[1] + box.first[1] + j) * whole[0] + box.first[0];
        std::fill_n(is_covered.begin() + static_cast<std::ptrdiff_t>(row), box.size[0], true);
      }
    }
  }
  if (std::ranges::find(is_covered, false) != is_covered.end())
    input.fail("has pieces that leave gaps in its extent");
}

FieldSet read_boxes(XmlPieces& xml, std::string_view kind, const std::vector<Box>& boxes, const Size& whole) {
  std::vector<std::uint64_t> tuples;
  std::uint64_t covered = 0;
  for (const Box& box : boxes) covered += tuples.emplace_back(volume(box.size));
  // Memory for the whole is justified only if the pieces can fill it.
  if (covered < volume(whole)) xml.input.fail("has pieces that do not cover its extent");
  bool is_checked = false;
  return read_joined(xml, kind, tuples, volume(whole), [&](XmlArray& array, Field& field, std::size_t piece) {
    if (boxes.size() == 1) return field.visit([&](auto values) { array.read(values); });
    if (!is_checked) check_cover(xml.input, boxes, whole);  // now that the file has shown to hold the boxes
    is_checked = true;
    Field part("", field.type(), tuples[piece], field.components());
    part.visit([&](auto values) { array.read(values); });
    copy_box(part, field, boxes[piece], whole);
  });
}

/// The lattice without its fields.
Grid read_lattice(const Input& input, const Element& content, const Extent& extent, const Size& points) {
  const auto spacing = read_list<double, 3>(input, content, "Spacing", {1, 1, 1});
  const auto origin = read_list<double, 3>(input, content, "Origin", {0, 0, 0});
  Grid grid;
  grid.direction = read_list<double, 9>(input, content, "Direction", grid.direction);
  for (int axis = 0; axis < 3; ++axis) grid.dims[axis] = static_cast<std::uint32_t>(points[axis]);
  grid.origin = {origin[0], origin[1], origin[2]};
  // Our point (0, 0, 0) is the first of the extent. The origin is moved only if it must be, to keep its bits.
  if (extent[0] != 0 || extent[2] != 0 || extent[4] != 0) {
    grid.spacing = {spacing[0] * static_cast<double>(extent[0]), spacing[1] * static_cast<double>(extent[2]),
                    spacing[2] * static_cast<double>(extent[4])};
    grid.origin = grid.point(1, 1, 1);
  }
  grid.spacing = {spacing[0], spacing[1], spacing[2]};
  return grid;
}

/// The points of a piece as a box of the whole.
Box read_box(const Input& input, const Element& piece, const Extent& extent) {
  const auto own = read_list<std::int64_t, 6>(input, piece, "Extent", extent);
  Box box = {{}, points_in(input, own)};
  for (int axis = 0; axis < 3; ++axis) {
    if (own[2 * axis] < extent[2 * axis] || own[2 * axis + 1] > extent[2 * axis + 1]) {
      input.fail("has a piece outside of its extent");
    }
    box.first[axis] = static_cast<std::uint64_t>(own[2 * axis] - extent[2 * axis]);
  }
  return box;
}

}  // namespace

AnyMesh read_xml_image(XmlPieces& xml) {
  const auto extent =
      read_list<std::int64_t, 6>(xml.input, *xml.content, "WholeExtent", {0, -1, 0, -1, 0, -1});
  const Size points = points_in(xml.input, extent);
  Grid grid = read_lattice(xml.input, *xml.content, extent, points);
  if (xml.pieces.empty()) xml.input.fail("has no piece");
  std::vector<Box> point_boxes;
  std::vector<Box> cell_boxes;
  for (const Element* piece : xml.pieces) {
    const Box box = read_box(xml.input, *piece, extent);
    point_boxes.push_back(box);
    cell_boxes.push_back({box.first, cells_in(box.size, points)});
  }
  grid.point_data = read_boxes(xml, "PointData", point_boxes, points);
  grid.cell_data = read_boxes(xml, "CellData", cell_boxes, cells_in(points, points));
  grid.field_data = read_field_data(xml);
  return grid;
}

}  // namespace tessera::detail::io
