// Reader of vti, vts and vtr: a lattice, whose pieces are boxes of it that may share their outermost points.
#include <algorithm>
#include <cstring>
#include <limits>

#include <tessera/io/detail/structured.h>
#include <tessera/io/detail/xml_pieces.h>

namespace tessera::detail::io {
namespace {

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

/// Cells of a box: axes of one point do not count, and a point alone is no cell, as in Grid.
Size cells_in(const Size& points, const Size& whole) {
  if (volume(whole) == 1) return {0, 0, 0};
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
Box make_box(const Input& input, const Extent& own, const Extent& extent) {
  Box box = {{}, points_in(input, own)};
  for (int axis = 0; axis < 3; ++axis) {
    if (own[2 * axis] < extent[2 * axis] || own[2 * axis + 1] > extent[2 * axis + 1]) {
      input.fail("has a piece outside of its extent");
    }
    box.first[axis] = static_cast<std::uint64_t>(own[2 * axis] - extent[2 * axis]);
  }
  return box;
}

/// The boxes of a file, and the grid with its fields.
struct Boxes {
  Grid grid;
  Size points;
  std::vector<Box> of_points;
};

Extent whole_extent(const XmlPieces& xml) {
  return read_list<std::int64_t, 6>(xml.input, *xml.content, "WholeExtent", {0, -1, 0, -1, 0, -1});
}

/// Around the extents of all pieces.
Extent held_extent(const XmlPieces& xml) {
  const Extent whole = whole_extent(xml);
  if (xml.pieces.empty()) return whole;
  auto held = read_list<std::int64_t, 6>(xml.input, *xml.pieces[0], "Extent", whole);
  for (const Element* piece : xml.pieces) {
    const auto own = read_list<std::int64_t, 6>(xml.input, *piece, "Extent", whole);
    for (int axis = 0; axis < 3; ++axis) {
      held[2 * axis] = std::min(held[2 * axis], own[2 * axis]);
      held[2 * axis + 1] = std::max(held[2 * axis + 1], own[2 * axis + 1]);
    }
  }
  return held;
}

/// The boxes of the pieces, of points and of cells.
struct PieceBoxes {
  std::vector<Box> of_points, of_cells;
};

PieceBoxes list_boxes(const XmlPieces& xml, const Extent& extent, const Size& points) {
  if (xml.pieces.empty()) xml.input.fail("has no piece");
  PieceBoxes boxes;
  for (const Element* piece : xml.pieces) {
    const Box box =
        make_box(xml.input, read_list<std::int64_t, 6>(xml.input, *piece, "Extent", extent), extent);
    boxes.of_points.push_back(box);
    boxes.of_cells.push_back({box.first, cells_in(box.size, points)});
  }
  return boxes;
}

Boxes read_all(XmlPieces& xml, const Extent& extent) {
  Boxes boxes;
  const Size points = boxes.points = points_in(xml.input, extent);
  boxes.grid = read_lattice(xml.input, *xml.content, extent, points);
  PieceBoxes pieces = list_boxes(xml, extent, points);
  boxes.of_points = std::move(pieces.of_points);
  boxes.grid.point_data = read_boxes(xml, "PointData", boxes.of_points, points);
  boxes.grid.cell_data = read_boxes(xml, "CellData", pieces.of_cells, cells_in(points, points));
  boxes.grid.field_data = read_field_data(xml);
  return boxes;
}

Points to_points(const Input& input, const Field& field) {
  if (field.components() != 3) input.fail("has points of other than 3 components");
  return field.visit([](auto values) {
    using T = std::conditional_t<std::is_same_v<typename decltype(values)::value_type, float>, float, double>;
    Array<Vec3<T>> points(values.size() / 3);
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i] = {static_cast<T>(values[3 * i]), static_cast<T>(values[3 * i + 1]),
                   static_cast<T>(values[3 * i + 2])};
    }
    return Points(std::move(points));
  });
}

/// The coordinates of an axis, which the pieces hold in part.
Field read_axis(XmlPieces& xml, const Boxes& boxes, std::size_t axis) {
  std::vector<XmlArray> arrays;  // all are checked before memory is taken
  std::uint64_t covered = 0;
  bool is_float = true;
  for (std::size_t p = 0; p < xml.pieces.size(); ++p) {
    const Element* const all = xml.pieces[p]->find("Coordinates");
    if (all == nullptr || all->children.size() != 3)
      xml.input.fail("has a piece without three <Coordinates>");
    const std::uint64_t count = boxes.of_points[p].size[axis];
    arrays.emplace_back(xml.input, xml.file, all->children[axis], count);
    is_float = is_float && arrays.back().type() == ScalarType::f32;
    covered += count;
  }
  const std::uint64_t count = boxes.points[axis];
  if (covered < count) xml.input.fail("has pieces that do not cover its extent");
  Field field("", is_float ? ScalarType::f32 : ScalarType::f64, count);
  std::vector<bool> is_set(count);
  field.visit([&](auto to) {
    using T = typename decltype(to)::element_type;
    for (std::size_t p = 0; p < arrays.size(); ++p) {
      const Box& box = boxes.of_points[p];
      std::uint64_t at = box.first[axis];
      std::fill_n(is_set.begin() + static_cast<std::ptrdiff_t>(at), box.size[axis], true);
      for_chunks(arrays[p], box.size[axis], [&](auto values) {
        for (const auto value : values) to[at++] = static_cast<T>(value);
      });
    }
  });
  if (std::ranges::find(is_set, false) != is_set.end())
    xml.input.fail("has pieces that leave gaps in its extent");
  return field;
}

/// The grid, or what the points in the file make of it.
Dataset make_dataset(XmlPieces& xml, Boxes boxes) {
  if (xml.content->name == "ImageData") return std::move(boxes.grid);
  if (xml.content->name == "RectilinearGrid") {
    const std::array<Field, 3> axes = {read_axis(xml, boxes, 0), read_axis(xml, boxes, 1),
                                       read_axis(xml, boxes, 2)};
    return make_rectilinear(xml.input, std::move(boxes.grid), axes);
  }
  const FieldSet points = read_boxes(xml, "Points", boxes.of_points, boxes.points);
  if (points.empty()) xml.input.fail("has a piece without <Points>, or pieces with points of several types");
  return make_structured(std::move(boxes.grid), to_points(xml.input, *points.begin()));
}

/// Fields of grids that are boxes of a whole. Where they overlap, the last one counts.
FieldSet join_boxes(XmlPieces& xml, const std::vector<const Grid*>& parts, FieldSet Grid::*set,
                    const std::vector<Box>& boxes, const Size& whole) {
  std::vector<const FieldSet*> sets;
  std::vector<Box> filled;
  std::uint64_t covered = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (volume(boxes[p].size) == 0) continue;  // a piece without cells
    covered += volume(boxes[p].size);
    sets.push_back(&(parts[p]->*set));
    filled.push_back(boxes[p]);
  }
  if (covered < volume(whole)) xml.input.fail("has pieces that do not cover its extent");
  std::vector<Field> fields;
  for (const std::vector<const Field*>& same : find_common_fields(sets, xml.report)) {
    const Field& first = *same[0];
    const std::string& name = first.name();
    if (name == "vtkGhostType" || name == "vtkGhostLevels") {
      xml.report.notes.push_back("Left out the array \"" + name + "\", which marks what pieces share.");
      continue;
    }
    if (fields.empty()) check_cover(xml.input, filled, whole);
    Field& field = fields.emplace_back(name, first.type(), volume(whole), first.components());
    for (std::size_t p = 0; p < same.size(); ++p) copy_box(*same[p], field, filled[p], whole);
  }
  FieldSet joined(std::move(fields));
  if (!sets.empty() && sets[0]->active() != nullptr) joined.set_active(sets[0]->active()->name());
  return joined;
}

}  // namespace

Dataset read_xml_lattice(XmlPieces& xml) {
  return make_dataset(xml, read_all(xml, whole_extent(xml)));
}

Grid read_xml_shape(XmlPieces& xml) {
  const Extent extent = whole_extent(xml);
  const Size points = points_in(xml.input, extent);
  Grid grid = read_lattice(xml.input, *xml.content, extent, points);
  std::uint64_t covered = 0;
  for (const Box& box : list_boxes(xml, extent, points).of_points) covered += volume(box.size);
  if (covered < volume(points)) xml.input.fail("has pieces that do not cover its extent");
  grid.field_data = read_field_data(xml);
  return grid;
}

LatticePiece read_xml_piece(XmlPieces& xml) {
  const Extent extent = held_extent(xml);
  return {make_dataset(xml, read_all(xml, extent)), extent};
}

LatticePiece join_images(XmlPieces& xml, const std::vector<LatticePiece>& pieces) {
  const Extent extent = whole_extent(xml);
  const Size points = points_in(xml.input, extent);
  Grid grid = read_lattice(xml.input, *xml.content, extent, points);
  std::vector<const Grid*> parts;
  std::vector<Box> point_boxes;
  std::vector<Box> cell_boxes;
  for (const LatticePiece& piece : pieces) {
    parts.push_back(std::get_if<Grid>(&piece.data));
    if (parts.back()->spacing != grid.spacing || parts.back()->direction != grid.direction)
      xml.input.fail("has a piece of another Spacing or Direction");
    const Box box = make_box(xml.input, piece.extent, extent);
    point_boxes.push_back(box);
    cell_boxes.push_back({box.first, cells_in(box.size, points)});
  }
  grid.point_data = join_boxes(xml, parts, &Grid::point_data, point_boxes, points);
  grid.cell_data = join_boxes(xml, parts, &Grid::cell_data, cell_boxes, cells_in(points, points));
  std::vector<const FieldSet*> mesh_fields;
  for (const Grid* part : parts) mesh_fields.push_back(&part->field_data);
  grid.field_data = join_mesh_fields(mesh_fields, xml.report);
  return {std::move(grid), extent};
}

}  // namespace tessera::detail::io
