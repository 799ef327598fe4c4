// Reader of legacy VTK files (.vtk), text and binary, versions 1 to 5.1: unstructured grids, polydata,
// structured points, structured and rectilinear grids.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/structured.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

/// VTK writes a vtkIdType as 4 bytes; long has the 8 bytes that it has where VTK's users are.
std::optional<ScalarType> parse_type(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, ScalarType>, 14> types = {
      {{"char", ScalarType::i8},
       {"signed_char", ScalarType::i8},
       {"unsigned_char", ScalarType::u8},
       {"short", ScalarType::i16},
       {"unsigned_short", ScalarType::u16},
       {"int", ScalarType::i32},
       {"vtkidtype", ScalarType::i32},
       {"unsigned_int", ScalarType::u32},
       {"long", ScalarType::i64},
       {"vtktypeint64", ScalarType::i64},
       {"unsigned_long", ScalarType::u64},
       {"vtktypeuint64", ScalarType::u64},
       {"float", ScalarType::f32},
       {"double", ScalarType::f64}}};
  const std::string wanted = to_lower(name);
  for (const auto& [known, type] : types) {
    if (wanted == known) return type;
  }
  return std::nullopt;
}

/// The words of one line.
struct Line {
  std::string first;
  std::string keyword;  // the first in lower case
  std::vector<std::string> words;
};

/// A list of cells: their ends, and their corners in the file's own integers.
struct CellList {
  CellEnds ends;
  std::optional<Field> corners;
};

class LegacyReader {
 public:
  LegacyReader(Input& input, FileReport& report) : input_(input), report_(report) {}

  AnyMesh read(const ReadOptions& options);

 private:
  void read_header();
  bool next_line();
  void read_statement();
  bool read_geometry();
  bool read_lattice();
  void read_points();
  void read_cells(CellList& list);
  CellList read_old_cells(std::uint64_t count, std::uint64_t size);
  CellList read_new_cells(std::uint64_t count, std::uint64_t size);
  void read_cell_types();
  void start_attributes(FieldList& fields, std::uint64_t expected);
  bool read_attribute();
  void read_scalars();
  void read_colours();
  void read_field_arrays();
  void skip_strings(std::uint64_t count);
  void skip_text_block();

  std::string word(std::size_t i) const {
    if (i >= line_.words.size()) input_.fail("has an incomplete line \"" + line_.keyword + "\"");
    return line_.words[i];
  }
  std::uint64_t count(std::size_t i) const {
    std::uint64_t value = 0;
    if (!parse_number(std::string_view(word(i)), value)) {
      input_.fail("has \"" + word(i) + "\" where the line \"" + line_.keyword + "\" needs a count");
    }
    return value;
  }
  ScalarType numeric_type(std::size_t i) const {
    const auto type = parse_type(word(i));
    if (!type) input_.refuse("has \"" + line_.keyword + "\" of the type \"" + word(i) + "\"");
    return *type;
  }
  Field read_numbers(std::string name, ScalarType type, std::uint64_t tuples, std::uint64_t components);
  void add_attribute(const std::string& name, const std::string& type, std::uint64_t tuples,
                     std::uint64_t components);
  Dataset make_lattice();
  AnyMesh make_mesh(const ReadOptions& options);

  Input& input_;
  FileReport& report_;
  bool is_text_ = true;
  int version_ = 0;
  std::string dataset_;
  bool is_lattice_ = false;
  Line line_;
  RawMesh raw_;
  Grid grid_;
  std::array<Field, 3> axes_ = {Field("x", Array<float>{}), Field("y", Array<float>{}),
                                Field("z", Array<float>{})};
  CellList cells_, vertices_, lines_, polygons_, strips_;
  FieldList point_fields_{report_};
  FieldList cell_fields_{report_};
  FieldList mesh_fields_{report_};
  FieldList* fields_ = &mesh_fields_;    // what the arrays that follow belong to
  std::optional<std::uint64_t> tuples_;  // that they must have
};

void LegacyReader::read_header() {
  const std::string first = to_lower(input_.line());
  constexpr std::string_view magic = "# vtk datafile version ";
  if (!first.starts_with(magic)) input_.fail("does not begin with \"# vtk DataFile Version\"");
  const std::string version = first.substr(magic.size());
  if (!parse_number(std::string_view(version).substr(0, version.find('.')), version_)) {
    input_.fail("has the unknown version \"" + version.substr(0, 20) + "\"");
  }
  static_cast<void>(input_.line());  // the title
  if (!next_line() || (line_.keyword != "ascii" && line_.keyword != "binary")) {
    input_.fail("is neither ASCII nor BINARY");
  }
  is_text_ = line_.keyword == "ascii";
  if (!next_line() || line_.keyword != "dataset") input_.fail("has no DATASET");
  dataset_ = to_lower(word(0));
  constexpr std::array<std::string_view, 5> known = {"unstructured_grid", "polydata", "structured_points",
                                                     "structured_grid", "rectilinear_grid"};
  if (std::ranges::find(known, dataset_) == known.end()) {
    input_.refuse("holds the dataset " + dataset_.substr(0, 40) + "; only " +
                  join({known.begin(), known.end()}) + " can be read");
  }
  is_lattice_ = dataset_ != "unstructured_grid" && dataset_ != "polydata";
}

bool LegacyReader::next_line() {
  while (!input_.at_end()) {
    const std::string_view text = input_.line();
    Words words(text);
    line_ = {std::string(words.next().substr(0, 4096)), "", {}};
    if (line_.first.empty()) continue;
    line_.keyword = to_lower(line_.first);
    for (std::string_view w = words.next(); !w.empty() && line_.words.size() < 16; w = words.next()) {
      line_.words.emplace_back(w.substr(0, 4096));
    }
    return true;
  }
  return false;
}

AnyMesh LegacyReader::read(const ReadOptions& options) {
  read_header();
  while (next_line()) read_statement();
  const auto take_fields = [&](auto& mesh) {
    mesh.point_data = point_fields_.take();
    mesh.cell_data = cell_fields_.take();
    mesh.field_data = mesh_fields_.take();
  };
  if (!is_lattice_) {
    take_fields(raw_);
    return make_mesh(options);
  }
  take_fields(grid_);
  return assemble(input_, make_lattice(), options, report_);
}

Dataset LegacyReader::make_lattice() {
  if (dataset_ == "structured_points") return std::move(grid_);
  const auto check = [&](std::string_view what, std::uint64_t held, std::uint64_t wanted) {
    if (held == wanted) return;
    input_.fail("has " + std::to_string(held) + " " + std::string(what) + ", but its DIMENSIONS want " +
                std::to_string(wanted));
  };
  if (dataset_ == "structured_grid") {
    check("points", raw_.points.size(), grid_.vertex_count());
    return make_structured(std::move(grid_), std::move(raw_.points));
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    check("coordinates of an axis", axes_[axis].size(), grid_.dims[axis]);
  return make_rectilinear(input_, std::move(grid_), axes_);
}

void LegacyReader::read_statement() {
  const std::string keyword = line_.keyword;
  if (keyword == "point_data") {
    start_attributes(point_fields_, is_lattice_ ? grid_.vertex_count() : raw_.points.size());
  } else if (keyword == "cell_data") {
    const std::uint64_t poly =
        vertices_.ends.size() + lines_.ends.size() + polygons_.ends.size() + strips_.ends.size();
    start_attributes(cell_fields_, is_lattice_ ? grid_.cell_count() : cells_.ends.size() + poly);
  } else if (keyword == "metadata") {
    skip_text_block();
  } else if (read_geometry()) {
    if (tuples_) input_.fail("has \"" + keyword + "\" behind the data of its points or cells");
  } else if (!read_attribute()) {
    input_.fail("holds \"" + keyword.substr(0, 40) + "\" where a keyword should be (before byte " +
                std::to_string(input_.position()) + ")");
  }
}

bool LegacyReader::read_geometry() {
  const std::string& keyword = line_.keyword;
  if (is_lattice_ && read_lattice()) return true;
  if (dataset_ == "structured_points" || dataset_ == "rectilinear_grid") return false;
  if (keyword == "points") {
    read_points();
  } else if (is_lattice_) {
    return false;
  } else if (dataset_ == "unstructured_grid") {
    if (keyword != "cells" && keyword != "cell_types") return false;
    keyword == "cells" ? read_cells(cells_) : read_cell_types();
  } else if (keyword == "vertices") {
    read_cells(vertices_);
  } else if (keyword == "lines") {
    read_cells(lines_);
  } else if (keyword == "polygons") {
    read_cells(polygons_);
  } else if (keyword == "triangle_strips") {
    read_cells(strips_);
  } else {
    return false;
  }
  return true;
}

bool LegacyReader::read_lattice() {
  const std::string& keyword = line_.keyword;
  if (keyword == "dimensions") {
    std::uint64_t product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint64_t n = count(axis);
      if (n == 0) input_.fail("has an axis without points");
      if (n > std::numeric_limits<std::uint32_t>::max() / product)
        input_.refuse("has more than 4294967295 points");
      product *= n;
      grid_.dims[axis] = static_cast<std::uint32_t>(n);
    }
    return true;
  }
  if (dataset_ == "rectilinear_grid" && keyword.size() == 13 && keyword.ends_with("_coordinates") &&
      keyword[0] >= 'x' && keyword[0] <= 'z') {
    axes_[static_cast<std::size_t>(keyword[0] - 'x')] =
        read_numbers("coordinates", numeric_type(1), count(0), 1);
    return true;
  }
  if (dataset_ != "structured_points") return false;
  if (keyword != "origin" && keyword != "spacing" && keyword != "aspect_ratio") return false;
  std::array<double, 3> values = {};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!parse_number(std::string_view(word(axis)), values[axis]))
      input_.fail("has a broken line \"" + keyword + "\"");
  }
  (keyword == "origin" ? grid_.origin : grid_.spacing) = Vec3d{values[0], values[1], values[2]};
  return true;
}

Field LegacyReader::read_numbers(std::string name, ScalarType type, std::uint64_t tuples,
                                 std::uint64_t components) {
  if (components == 0 || components > input_.size()) {
    input_.fail("the array \"" + name + "\" has " + std::to_string(components) + " components");
  }
  input_.require(tuples, components * (is_text_ ? 1 : size_of(type)), "tuples of \"" + name + "\"");
  Field field(std::move(name), type, tuples, components);
  field.visit([&](auto values) {
    using T = typename decltype(values)::element_type;
    is_text_ ? read_text<T>(input_, values) : read_binary<T>(input_, values, true);
  });
  return field;
}

void LegacyReader::read_points() {
  const Field numbers = read_numbers("points", numeric_type(1), count(0), 3);
  numbers.visit([&](auto values) {
    using T = std::conditional_t<std::is_same_v<typename decltype(values)::value_type, float>, float, double>;
    Array<Vec3<T>> points(values.size() / 3);
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i] = {static_cast<T>(values[3 * i]), static_cast<T>(values[3 * i + 1]),
                   static_cast<T>(values[3 * i + 2])};
    }
    raw_.points = std::move(points);
  });
}

void LegacyReader::read_cells(CellList& list) {
  const std::uint64_t first = count(0);
  const std::uint64_t second = count(1);
  list = version_ >= 5 ? read_new_cells(first, second) : read_old_cells(first, second);
}

/// "3 a b c  4 a b c d ...": `size` integers in all.
CellList LegacyReader::read_old_cells(std::uint64_t cell_count, std::uint64_t size) {
  Field numbers = read_numbers("cells", ScalarType::i32, size, 1);
  if (cell_count > size) input_.fail("has more cells than numbers for them");
  const std::span<std::int32_t> values = numbers.as<std::int32_t>();
  CellList list;
  std::size_t place = 0;
  std::size_t kept = 0;
  for (std::uint64_t i = 0; i < cell_count; ++i) {
    if (place >= values.size()) input_.fail("ends its list of cells at cell " + std::to_string(i));
    const std::int32_t corners = values[place++];
    if (corners < 0 || static_cast<std::size_t>(corners) > values.size() - place) {
      input_.fail("cell " + std::to_string(i) + " has " + std::to_string(corners) + " corners");
    }
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(place), corners,
                values.begin() + static_cast<std::ptrdiff_t>(kept));
    place += static_cast<std::size_t>(corners);
    kept += static_cast<std::size_t>(corners);
    list.ends.push_back(kept);
  }
  list.corners = std::move(numbers);
  return list;
}

/// OFFSETS and CONNECTIVITY; there is one offset more than there are cells.
CellList LegacyReader::read_new_cells(std::uint64_t offset_count, std::uint64_t size) {
  CellList list;
  if (offset_count == 0) return list;
  if (!next_line() || line_.keyword != "offsets") input_.fail("has cells without OFFSETS");
  if (numeric_type(0) >= ScalarType::f32) input_.fail("has OFFSETS that are no integers");
  const Field offsets = read_numbers("OFFSETS", numeric_type(0), offset_count, 1);
  offsets.visit([&](auto values) {
    if (values[0] != 0) input_.fail("has OFFSETS that do not begin at 0");
    for (const auto value : values.subspan(1)) {
      const auto end = static_cast<std::uint64_t>(value);
      if (end < list.ends.last() || end > size) {
        input_.fail("cell " + std::to_string(list.ends.size()) +
                    " ends before it begins or behind all corners");
      }
      list.ends.push_back(end);
    }
  });
  if (!next_line() || line_.keyword != "connectivity") input_.fail("has cells without CONNECTIVITY");
  if (numeric_type(0) >= ScalarType::f32) input_.fail("has CONNECTIVITY that is no integers");
  list.corners = read_numbers("CONNECTIVITY", numeric_type(0), size, 1);
  return list;
}

void LegacyReader::read_cell_types() {
  const Field types = read_numbers("cell types", ScalarType::i32, count(0), 1);
  raw_.types.clear();
  for (const std::int32_t type : types.as<std::int32_t>()) {
    raw_.types.push_back(type >= 0 && type <= 255 ? static_cast<std::uint8_t>(type) : std::uint8_t{255});
  }
}

void LegacyReader::start_attributes(FieldList& fields, std::uint64_t expected) {
  if (count(0) != expected) {
    input_.fail("has " + line_.keyword + " for " + word(0) + " elements, but there are " +
                std::to_string(expected));
  }
  fields_ = &fields;
  tuples_ = expected;
}

AnyMesh LegacyReader::make_mesh(const ReadOptions& options) {
  std::vector<const CellList*> lists = {&cells_};
  const bool is_poly = dataset_ == "polydata";
  if (is_poly) {
    lists = {&vertices_, &lines_, &polygons_, &strips_};
    constexpr std::array<RawType, 4> types = {poly_vertex, poly_line, polygon, triangle_strip};
    raw_.types.clear();
    for (int i = 0; i < 4; ++i) raw_.types.resize(raw_.types.size() + lists[i]->ends.size(), types[i]);
  }
  std::uint64_t base = 0;
  for (const CellList* list : lists) {
    for (std::uint64_t i = 0; i < list->ends.size(); ++i) raw_.ends.push_back(base + list->ends[i]);
    base = raw_.ends.last();
  }
  if (raw_.ends.size() != raw_.types.size()) {
    input_.fail("has " + std::to_string(raw_.ends.size()) + " cells and " +
                std::to_string(raw_.types.size()) + " cell types");
  }
  if (is_poly) name_polygons(raw_);
  const auto fill = [&](CornerSink& sink) {
    for (const CellList* list : lists) {
      if (list->ends.empty() || !list->corners) continue;
      list->corners->visit([&](auto values) {
        if constexpr (std::is_integral_v<typename decltype(values)::value_type>)
          sink.put(values.first(list->ends.last()));
      });
    }
  };
  return assemble(input_, std::move(raw_), fill, is_poly ? 2 : 3, options, report_);
}

/// Reads one array of the attributes; false if the line does not start one.
bool LegacyReader::read_attribute() {
  const std::string keyword = line_.keyword;
  const std::uint64_t tuples = tuples_.value_or(0);
  if (keyword == "scalars") {
    read_scalars();
  } else if (keyword == "color_scalars") {
    read_colours();
  } else if (keyword == "field") {
    read_field_arrays();
  } else if (keyword == "vectors" || keyword == "normals") {
    add_attribute(word(0), word(1), tuples, 3);
  } else if (keyword == "tensors" || keyword == "tensors6") {
    add_attribute(word(0), word(1), tuples, keyword == "tensors" ? 9 : 6);
  } else if (keyword == "global_ids" || keyword == "pedigree_ids" || keyword == "edge_flags") {
    add_attribute(word(0), word(1), tuples, 1);
  } else if (keyword == "texture_coordinates") {
    add_attribute(word(0), word(2), tuples, count(1));
  } else if (keyword == "lookup_table") {
    report_.notes.push_back("Left out the lookup table \"" + decode_name(word(0)) + "\".");
    static_cast<void>(read_numbers("lookup table", is_text_ ? ScalarType::f64 : ScalarType::u8, count(1), 4));
  } else {
    return false;
  }
  return true;
}

void LegacyReader::read_scalars() {
  const std::string name = word(0);
  const std::string type = word(1);
  const std::uint64_t components = line_.words.size() > 2 ? count(2) : 1;
  const std::uint64_t before = input_.position();
  if (!next_line() || line_.keyword != "lookup_table") input_.seek(before);  // older files have no such line
  add_attribute(name, type, tuples_.value_or(0), components);
}

/// Bytes in binary files, numbers from 0 to 1 in texts.
void LegacyReader::read_colours() {
  const std::string name = decode_name(word(0));
  const std::uint64_t components = count(1);
  Field numbers =
      read_numbers(name, is_text_ ? ScalarType::f64 : ScalarType::u8, tuples_.value_or(0), components);
  if (is_text_) {
    Array<std::uint8_t> bytes;
    for (const double x : numbers.as<double>()) {
      bytes.push_back(
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(std::isnan(x) ? 0 : x, 0.0, 1.0))));
    }
    numbers = Field(name, std::move(bytes), components);
  }
  fields_->add(std::move(numbers));
}

void LegacyReader::read_field_arrays() {
  const std::uint64_t arrays = count(1);
  for (std::uint64_t i = 0; i < arrays; ++i) {
    if (!next_line()) input_.fail("ends inside a FIELD");
    if (line_.keyword == "metadata") {
      skip_text_block();
      if (!next_line()) input_.fail("ends inside a FIELD");
    }
    const std::uint64_t components = count(0);
    const std::uint64_t tuples = count(1);
    add_attribute(line_.first, word(2), tuples, components);
  }
}

void LegacyReader::add_attribute(const std::string& encoded, const std::string& type, std::uint64_t tuples,
                                 std::uint64_t components) {
  const std::string name = decode_name(encoded);
  const auto scalar = parse_type(type);
  if (scalar) {
    Field field = read_numbers(name, *scalar, tuples, components);
    if (!tuples_ || tuples == *tuples_) {
      fields_->add(std::move(field));
    } else {
      report_.notes.push_back("Left out the array \"" + name + "\", which has " + std::to_string(tuples) +
                              " tuples for " + std::to_string(*tuples_) + " elements.");
    }
    return;
  }
  report_.notes.push_back("Left out the array \"" + name + "\", which does not hold numbers.");
  if (tuples > input_.size() || components > input_.size())
    input_.fail("the array \"" + name + "\" is too large");
  const std::uint64_t values = tuples * components;
  if (to_lower(type) == "bit" && !is_text_) {
    input_.require((values + 7) / 8, 1, "bytes");
    input_.seek(input_.position() + (values + 7) / 8);
  } else if (to_lower(type) == "bit") {
    input_.require(values, 1, "bits");
    for (std::uint64_t i = 0; i < values; ++i) static_cast<void>(input_.token());
  } else if (to_lower(type) == "string" || to_lower(type) == "utf8_string") {
    skip_strings(values);
  } else {
    input_.refuse("has the array \"" + name + "\" of the type \"" + type + "\"");
  }
}

/// A line each in texts; in binary files a length of 1, 2, 4 or 8 bytes, told by its two highest bits, comes
/// first.
void LegacyReader::skip_strings(std::uint64_t values) {
  input_.require(values, 1, "strings");
  for (std::uint64_t i = 0; i < values; ++i) {
    if (is_text_) {
      static_cast<void>(input_.line());
      continue;
    }
    const std::string_view start = input_.peek(1);
    if (start.empty()) input_.fail("ends inside strings");
    const std::size_t width = std::size_t{8} >> (static_cast<unsigned char>(start.front()) >> 6);
    std::array<unsigned char, 8> bytes = {};
    input_.read(bytes.data(), width);
    std::uint64_t length = bytes[0] & 63U;
    for (std::size_t k = 1; k < width; ++k) length = length << 8 | bytes[k];
    input_.require(length, 1, "characters");
    input_.seek(input_.position() + length);
  }
}

/// METADATA goes on to an empty line.
void LegacyReader::skip_text_block() {
  while (!input_.at_end() && !Words(input_.line()).next().empty()) {
  }
}

}  // namespace

AnyMesh read_vtk_legacy(Input& input, const ReadOptions& options, FileReport& report) {
  return LegacyReader(input, report).read(options);
}

}  // namespace tessera::detail::io
