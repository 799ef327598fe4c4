// Reader of PLY: vertices, faces and triangle strips, with every other property of vertices and faces as a
// field.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

constexpr std::array<std::array<std::string_view, 2>, 10> type_names = {{{"char", "int8"},
                                                                         {"uchar", "uint8"},
                                                                         {"short", "int16"},
                                                                         {"ushort", "uint16"},
                                                                         {"int", "int32"},
                                                                         {"uint", "uint32"},
                                                                         {"int64", "int64"},
                                                                         {"uint64", "uint64"},
                                                                         {"float", "float32"},
                                                                         {"double", "float64"}}};

struct Property {
  std::string name;
  ScalarType type;                      // of the value, or of a list's entries
  std::optional<ScalarType> list_size;  // the type of the count, for lists
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;

  [[nodiscard]] bool has_lists() const {
    return std::any_of(properties.begin(), properties.end(),
                       [](const Property& p) { return p.list_size.has_value(); });
  }
};

enum class PlyFormat { text, little_endian, big_endian };

struct PlyHeader {
  PlyFormat format = PlyFormat::text;
  std::vector<PlyElement> elements;
};

ScalarType parse_type(const Input& input, std::string_view name) {
  for (std::size_t i = 0; i < type_names.size(); ++i) {
    if (name == type_names[i][0] || name == type_names[i][1]) return static_cast<ScalarType>(i);
  }
  input.fail("has a property of the unknown type \"" + std::string(name.substr(0, 40)) + "\"");
}

Property parse_property(const Input& input, Words& words) {
  Property property;
  std::string_view type = words.next();
  if (type == "list") {
    property.list_size = parse_type(input, words.next());
    if (*property.list_size >= ScalarType::f32) input.fail("has a list whose length is not an integer");
    type = words.next();
  }
  property.type = parse_type(input, type);
  property.name = decode_name(words.next());
  return property;
}

PlyFormat parse_format(const Input& input, std::string_view name) {
  if (name == "ascii") return PlyFormat::text;
  if (name == "binary_little_endian") return PlyFormat::little_endian;
  if (name == "binary_big_endian") return PlyFormat::big_endian;
  input.fail("has the unknown format \"" + std::string(name.substr(0, 40)) + "\"");
}

PlyHeader read_header(Input& input) {
  PlyHeader header;
  if (Words(input.line()).next() != "ply") input.fail("does not begin with \"ply\"");
  for (;;) {
    if (input.at_end()) input.fail("ends inside its header");
    Words words(input.line());
    const std::string_view keyword = words.next();
    if (keyword == "end_header") return header;
    if (keyword == "format") {
      header.format = parse_format(input, words.next());
    } else if (keyword == "element") {
      PlyElement& element = header.elements.emplace_back();
      element.name = words.next();
      if (!parse_number(words.next(), element.count)) input.fail("has an element without a count");
    } else if (keyword == "property") {
      if (header.elements.empty()) input.fail("has a property before any element");
      header.elements.back().properties.push_back(parse_property(input, words));
    } else if (!keyword.empty() && keyword != "comment" && keyword != "obj_info") {
      input.fail("has \"" + std::string(keyword.substr(0, 40)) + "\" in its header");
    }
  }
}

/// Reads the rows of elements in the file's format.
class PlyRows {
 public:
  PlyRows(Input& input, PlyFormat format) : input_(input), format_(format) {}

  template <class T>
  T value(ScalarType type) {
    if (format_ == PlyFormat::text) return input_.number<T>();
    switch (type) {
      case ScalarType::i8: return binary<std::int8_t, T>();
      case ScalarType::u8: return binary<std::uint8_t, T>();
      case ScalarType::i16: return binary<std::int16_t, T>();
      case ScalarType::u16: return binary<std::uint16_t, T>();
      case ScalarType::i32: return binary<std::int32_t, T>();
      case ScalarType::u32: return binary<std::uint32_t, T>();
      case ScalarType::i64: return binary<std::int64_t, T>();
      case ScalarType::u64: return binary<std::uint64_t, T>();
      case ScalarType::f32: return binary<float, T>();
      case ScalarType::f64: return binary<double, T>();
    }
    return T{};
  }

  /// The length of a list, which the rest of the file can hold.
  std::uint64_t list_length(const Property& list) {
    const auto length = value<std::int64_t>(*list.list_size);
    if (length < 0) input_.fail("has a list of a negative length");
    input_.require(static_cast<std::uint64_t>(length), entry_bytes(list.type), "list entries");
    return static_cast<std::uint64_t>(length);
  }

  void skip(const Property& property) {
    const std::uint64_t values = property.list_size ? list_length(property) : 1;
    if (format_ != PlyFormat::text) {
      input_.require(values, size_of(property.type), "values");
      return input_.seek(input_.position() + values * size_of(property.type));
    }
    for (std::uint64_t i = 0; i < values; ++i) static_cast<void>(input_.number<double>());
  }

  /// Fails unless the file can hold that many rows. Rows of nothing are no rows.
  std::uint64_t checked_count(const PlyElement& element) const {
    std::uint64_t row = 0;
    for (const Property& p : element.properties) row += entry_bytes(p.list_size.value_or(p.type));
    if (row == 0) return 0;
    input_.require(element.count, row, "rows of \"" + element.name + "\"");
    return element.count;
  }

 private:
  /// A number in a text takes a byte at least; the space behind it may be missing at the end.
  [[nodiscard]] std::uint64_t entry_bytes(ScalarType type) const {
    return format_ == PlyFormat::text ? 1 : size_of(type);
  }

  template <class From, class T>
  T binary() {
    From number{};
    read_binary(input_, std::span(&number, 1), format_ == PlyFormat::big_endian);
    return static_cast<T>(number);
  }

  Input& input_;
  PlyFormat format_;
};

/// The scalar properties of an element as fields, filled row by row. "v[0]", "v[1]", ... are one field "v",
/// and so are the names that PLY has for normals, colours and texture coordinates.
class PlyColumns {
 public:
  PlyColumns(const PlyElement& element, std::uint64_t count) {
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& first = element.properties[i];
      if (first.list_size) {
        places_.push_back({});
        continue;
      }
      std::string name = base_name(first.name, 0);
      std::size_t components = 1;
      if (const PlyGroup* const group = find_group(element, i); group != nullptr) {
        name = group->field;
        components = group->components.size();
      } else if (!name.empty()) {
        while (continues(element, i + components, first.type, name, components)) ++components;
      } else {
        name = first.name;
      }
      for (std::size_t k = 0; k < components; ++k) places_.push_back({fields_.size(), k});
      fields_.emplace_back(name, first.type, count, components);
      i += components - 1;
    }
  }

  void read(PlyRows& rows, std::size_t property, std::uint64_t row) {
    const At at = places_[property];
    Field& field = fields_[at.field];
    field.visit([&](auto values) {
      using T = typename decltype(values)::element_type;
      values[row * field.components() + at.component] = rows.value<T>(field.type());
    });
  }

  /// x, y and z, which must be there.
  Points take_points(const Input& input) {
    std::array<Field, 3> axes = {take(input, "x"), take(input, "y"), take(input, "z")};
    const bool is_float =
        std::all_of(axes.begin(), axes.end(), [](const Field& f) { return f.type() == ScalarType::f32; });
    return is_float ? Points(join<float>(axes)) : Points(join<double>(axes));
  }

  FieldSet take_fields(FileReport& report) {
    FieldList list(report);
    for (Field& field : fields_) list.add(std::move(field));
    return list.take();
  }

 private:
  struct At {
    std::size_t field = 0, component = 0;
  };

  /// "v[3]" -> "v" if 3 is the component asked for, else "".
  static std::string base_name(const std::string& name, std::size_t component) {
    const std::string suffix = std::string("[").append(std::to_string(component)).append("]");
    return name.size() > suffix.size() && name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size())
                                                                 : "";
  }

  static bool continues(const PlyElement& element, std::size_t i, ScalarType type, const std::string& base,
                        std::size_t component) {
    if (i >= element.properties.size()) return false;
    const Property& next = element.properties[i];
    return !next.list_size && next.type == type && base_name(next.name, component) == base;
  }

  /// The group that the properties from i on are, all of one type.
  static const PlyGroup* find_group(const PlyElement& element, std::size_t i) {
    const std::span<const Property> rest = std::span(element.properties).subspan(i);
    const auto is_here = [&](const PlyGroup& group) {
      if (rest.size() < group.components.size()) return false;
      for (std::size_t k = 0; k < group.components.size(); ++k) {
        const Property& p = rest[k];
        if (p.name != group.components[k] || p.list_size || p.type != rest[0].type) return false;
      }
      const std::size_t size = group.components.size();
      const bool is_velocity = group.components[0] == "u" && rest.size() > size && rest[size].name == "w";
      return !is_velocity;
    };
    const auto groups = list_ply_groups();
    const auto found = std::ranges::find_if(groups, is_here);
    return found == groups.end() ? nullptr : &*found;
  }

  Field take(const Input& input, std::string_view name) {
    const auto found = std::find_if(fields_.begin(), fields_.end(),
                                    [&](const Field& f) { return f.name() == name && f.components() == 1; });
    if (found == fields_.end()) input.fail("has vertices without \"" + std::string(name) + "\"");
    Field field = std::move(*found);
    fields_.erase(found);
    return field;
  }

  template <class T>
  static Array<Vec3<T>> join(const std::array<Field, 3>& axes) {
    Array<Vec3<T>> points(axes[0].size());
    for (int axis = 0; axis < 3; ++axis) {
      axes[axis].visit([&](auto values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          const auto x = static_cast<T>(values[i]);
          (axis == 0 ? points[i].x : axis == 1 ? points[i].y : points[i].z) = x;
        }
      });
    }
    return points;
  }

  std::vector<Field> fields_;
  std::vector<At> places_;  // of each property
};

class PlyReader {
 public:
  PlyReader(Input& input, FileReport& report)
      : input_(input), report_(report), header_(read_header(input)), rows_(input, header_.format) {}

  AnyMesh read(const ReadOptions& options) {
    for (const PlyElement& element : header_.elements) read_element(element);
    if (!has_points_) input_.fail("has no vertices");
    return assemble(input_, std::move(raw_), corners_, options, report_);
  }

 private:
  void read_element(const PlyElement& element) {
    const std::uint64_t count = rows_.checked_count(element);
    const bool is_vertex = element.name == "vertex";
    const bool is_face = element.name == "face";
    const bool is_strip = element.name == "tristrips";
    if ((is_vertex && has_points_) || ((is_face || is_strip) && has_faces_)) {
      input_.refuse("has more than one list of vertices or of faces");
    }
    if (!is_vertex && !is_face && !is_strip && count > 0)
      note("Left out the element \"" + element.name + "\".");
    const bool has_fields = is_vertex || is_face;
    PlyColumns columns(has_fields ? element : PlyElement{}, count);
    const std::size_t indices = is_face || is_strip ? index_list(element, count) : no_list;
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& p = element.properties[i];
      if (p.list_size && i != indices && has_fields)
        note("Left out the list \"" + p.name + "\" of each " + element.name + ".");
    }
    for (std::uint64_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < element.properties.size(); ++i) {
        if (i == indices) {
          read_cell(element.properties[i], is_strip);
        } else if (has_fields && !element.properties[i].list_size) {
          columns.read(rows_, i, row);
        } else {
          rows_.skip(element.properties[i]);
        }
      }
    }
    if (is_vertex) {
      raw_.points = columns.take_points(input_);
      raw_.point_data = columns.take_fields(report_);
      has_points_ = true;
    } else if (is_face) {
      raw_.cell_data = columns.take_fields(report_);
    }
    has_faces_ = has_faces_ || is_face || is_strip;
  }

  std::size_t index_list(const PlyElement& element, std::uint64_t count) const {
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& p = element.properties[i];
      if (p.list_size && (p.name == "vertex_indices" || p.name == "vertex_index") && p.type < ScalarType::f32)
        return i;
    }
    if (count > 0) input_.fail("has faces without the list \"vertex_indices\"");
    return no_list;
  }

  void read_cell(const Property& list, bool is_strip) {
    const std::uint64_t length = rows_.list_length(list);
    const std::size_t before = corners_.size();
    for (std::uint64_t i = 0; i < length; ++i) {
      const auto corner = rows_.value<std::int64_t>(list.type);
      if (is_strip && corner == -1) {
        end_strip();
      } else {
        corners_.push_back(corner);
      }
    }
    if (is_strip) {
      end_strip();
    } else {
      raw_.add_polygon(corners_.size() - before);
    }
  }

  /// One list may hold many strips with -1 between them.
  void end_strip() {
    if (corners_.size() == raw_.ends.last()) return;
    raw_.types.push_back(triangle_strip);
    raw_.ends.push_back(corners_.size());
  }

  void note(const std::string& text) { report_.notes.push_back(text); }

  static constexpr std::size_t no_list = ~std::size_t{0};

  Input& input_;
  FileReport& report_;
  PlyHeader header_;
  PlyRows rows_;
  RawMesh raw_;
  Array<std::int64_t> corners_;
  bool has_points_ = false;
  bool has_faces_ = false;
};

}  // namespace

AnyMesh read_ply(Input& input, const ReadOptions& options, FileReport& report) {
  return PlyReader(input, report).read(options);
}

}  // namespace tessera::detail::io
