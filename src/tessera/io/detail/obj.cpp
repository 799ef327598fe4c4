// Wavefront OBJ: points with or without colours, normals and texture coordinates, and faces. Groups,
// materials and lines are left out.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

/// Which entry of a list (normals, texture coordinates) the corners of faces name for each point. OBJ names
/// them by corner; a mesh has one a point.
class PointEntries {
 public:
  /// `entry` counts from 0. A point that is not there yet, or has another entry, makes the list useless.
  void name(std::int64_t point, std::int64_t entry, std::size_t points) {
    if (point < 0 || static_cast<std::uint64_t>(point) >= points) {
      is_early_ = true;
      return;
    }
    if (entries_.size() < points) entries_.resize(points, none);
    std::int64_t& known = entries_[static_cast<std::size_t>(point)];
    is_ambiguous_ = is_ambiguous_ || (known != none && known != entry);
    known = entry;
    highest_ = std::max(highest_, entry);
  }
  [[nodiscard]] bool is_used() const { return highest_ >= 0 || is_early_; }
  [[nodiscard]] bool is_early() const { return is_early_; }  ///< faces came before their points
  [[nodiscard]] bool is_ambiguous() const { return is_ambiguous_; }
  [[nodiscard]] std::int64_t highest() const { return highest_; }

  /// The list point by point, `components` numbers each; 0 where a point has no entry.
  [[nodiscard]] Field spread(const std::string& name, const Points& list, std::size_t points,
                             std::size_t components) const {
    return list.visit([&](auto values) {
      using T = std::remove_const_t<decltype(values[0].x)>;
      Array<T> numbers(points * components, T{0});
      for (std::size_t v = 0; v < entries_.size(); ++v) {
        if (entries_[v] == none) continue;
        const auto& entry = values[static_cast<std::size_t>(entries_[v])];
        const std::array<T, 3> parts = {entry.x, entry.y, entry.z};
        std::copy_n(parts.begin(), components, numbers.begin() + static_cast<std::ptrdiff_t>(v * components));
      }
      return Field(name, std::move(numbers), components);
    });
  }

 private:
  static constexpr std::int64_t none = -1;
  std::vector<std::int64_t> entries_;
  std::int64_t highest_ = -1;
  bool is_ambiguous_ = false;
  bool is_early_ = false;
};

class ObjReader {
 public:
  explicit ObjReader(Input& input) : input_(input) {}

  AnyMesh read(const ReadOptions& options, FileReport& report) {
    while (!input_.at_end()) {
      ++line_;
      std::string_view text = input_.line();
      if (text.ends_with('\\')) text = join_lines(text);
      read_line(Words(text.substr(0, text.find('#'))));
    }
    // Comments alone are a mesh without points, as write_obj() writes it.
    if (points_.size() == 0 && !ignored_.empty()) input_.fail("holds no point (\"v\")");
    const std::size_t points = points_.size();
    raw_.points = points_.take();
    if (has_colours_) raw_.point_data.add(make_colours());
    add_entries("Normals", normals_, normal_of_, points, 3, report);
    add_entries("TCoords", texture_, texture_of_, points, 2, report);
    if (!ignored_.empty()) {
      std::string text;
      for (const std::string& word : ignored_) text += (text.empty() ? "" : ", ") + word;
      report.notes.push_back("Left out statements that are not points or faces: " + text + ".");
    }
    if (has_extra_)
      report.notes.emplace_back("Left out numbers behind those of points, colours and texture.");
    return assemble(input_, std::move(raw_), corners_, options, report);
  }

 private:
  /// A backslash at the end of a line continues it.
  std::string_view join_lines(std::string_view first) {
    joined_ = first.substr(0, first.size() - 1);
    while (!input_.at_end()) {
      ++line_;
      const std::string_view text = input_.line();
      const bool goes_on = text.ends_with('\\');
      joined_ += ' ';
      joined_ += text.substr(0, text.size() - (goes_on ? 1 : 0));
      if (!goes_on) break;
    }
    return joined_;
  }

  void read_line(Words words) {
    const std::string_view keyword = words.next();
    if (keyword == "v") {
      read_point(words);
    } else if (keyword == "vn") {
      const auto [values, count] = read_values(words, "is not a normal");
      if (count != 3) fail("is not a normal");
      normals_.add({values[0], values[1], values[2]});
    } else if (keyword == "vt") {
      const auto [values, count] = read_values(words, "is not a texture coordinate");
      if (count < 1 || count > 3) fail("is not a texture coordinate");
      has_extra_ = has_extra_ || values[2] != 0;
      texture_.add({values[0], values[1], 0});
    } else if (keyword == "f") {
      read_face(words);
    } else if (!keyword.empty()) {
      ignored_.emplace(ignored_.size() < 16 ? keyword.substr(0, 16) : "others");
    }
  }

  struct Values {
    std::array<double, 8> values = {};
    std::size_t count = 0;
  };
  [[nodiscard]] Values read_values(Words& words, const char* otherwise) const {
    Values read;
    for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++read.count) {
      if (read.count == read.values.size() || !parse_number(word, read.values[read.count])) fail(otherwise);
    }
    return read;
  }

  /// "x y z", "x y z w", "x y z r g b" (and an alpha or w behind it).
  void read_point(Words& words) {
    const auto [values, count] = read_values(words, "is not a point");
    if (count < 3) fail("is not a point");
    points_.add({values[0], values[1], values[2]});
    has_extra_ = has_extra_ || count == 4 || count == 5 || count > 6;
    const bool has_colour = count >= 6;
    if (has_colour && !has_colours_) {
      has_colours_ = true;
      colours_.assign(3 * (points_.size() - 1), 1.0F);  // white, where none is given
    }
    if (!has_colours_) return;
    for (std::size_t i = 3; i < 6; ++i) colours_.push_back(has_colour ? static_cast<float>(values[i]) : 1.0F);
  }

  /// "a b c", "a/t b/t c/t", "a//n ...", "a/t/n ...". From 1, or from the last one back if negative.
  void read_face(Words& words) {
    std::uint64_t size = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++size) {
      const std::size_t first = std::min(word.find('/'), word.size());
      const std::size_t second = std::min(word.find('/', first + 1), word.size());
      const std::int64_t point = read_index(word.substr(0, first), points_.size(), "point");
      corners_.push_back(point);
      if (first + 1 < second) {
        const std::string_view text = word.substr(first + 1, second - first - 1);
        texture_of_.name(point, read_index(text, texture_.size(), "texture coordinate"), points_.size());
      }
      if (second + 1 < word.size()) {
        const std::string_view text = word.substr(second + 1);
        normal_of_.name(point, read_index(text, normals_.size(), "normal"), points_.size());
      }
    }
    if (size < 3) fail("is a face of " + std::to_string(size) + " points");
    raw_.add_polygon(size);
  }

  [[nodiscard]] std::int64_t read_index(std::string_view text, std::size_t known, const char* what) const {
    std::int64_t index = 0;
    if (!parse_number(text, index)) fail("is not a face");
    const auto count = static_cast<std::int64_t>(known);
    if (index == 0 || index < -count) fail(std::string("names ") + what + " " + std::to_string(index));
    return index > 0 ? index - 1 : count + index;
  }

  /// Bytes where the numbers are 255ths, as they nearly always are.
  [[nodiscard]] Field make_colours() {
    const auto is_byte = [](float x) {
      const float scaled = 255 * x;
      return scaled > -0.01F && scaled < 255.01F && std::abs(scaled - std::round(scaled)) < 0.01F;
    };
    if (!std::ranges::all_of(colours_, is_byte)) return {"RGB", std::move(colours_), 3};
    Array<std::uint8_t> bytes(colours_.size());
    std::ranges::transform(colours_, bytes.begin(),
                           [](float x) { return static_cast<std::uint8_t>(std::lround(255 * x)); });
    return {"RGB", std::move(bytes), 3};
  }

  void add_entries(const char* name, TextPoints& list, const PointEntries& entries, std::size_t points,
                   std::size_t components, FileReport& report) {
    if (list.size() == 0) {
      if (entries.is_used())
        report.notes.push_back(std::string("Faces name ") + name + ", but the file holds none.");
      return;
    }
    if (entries.highest() >= static_cast<std::int64_t>(list.size())) {
      input_.fail(std::string("has a face that names number ") + std::to_string(entries.highest() + 1) +
                  " of its " + name + ", but there are only " + std::to_string(list.size()));
    }
    if (!entries.is_used()) {
      report.notes.push_back(std::string("Left out the ") + name + ", which no face names.");
    } else if (entries.is_early()) {
      report.notes.push_back(std::string("Left out the ") + name + ", which faces name before their points.");
    } else if (entries.is_ambiguous()) {
      report.notes.push_back(std::string("Left out the ") + name +
                             ": points have several, one for each face.");
    } else {
      raw_.point_data.add(entries.spread(name, list.take(), points, components));
    }
  }

  [[noreturn]] void fail(const std::string& reason) const {
    input_.fail("line " + std::to_string(line_) + " " + reason);
  }

  Input& input_;
  std::uint64_t line_ = 0;
  std::string joined_;
  TextPoints points_;
  TextPoints normals_;
  TextPoints texture_;
  PointEntries normal_of_;
  PointEntries texture_of_;
  RawMesh raw_;
  Array<std::int64_t> corners_;
  Array<float> colours_;
  bool has_colours_ = false;
  bool has_extra_ = false;
  std::set<std::string> ignored_;
};

/// The field of a role, or null; colours without an alpha, for which OBJ has no place.
const Field* find_role(const FieldSet& fields, Role role) {
  const auto found = std::ranges::find_if(fields, [&](const Field& field) {
    return role_of(field) == role && (role != Role::colours || field.components() == 3);
  });
  return found == fields.end() ? nullptr : &*found;
}

/// A line for each tuple.
void write_tuples(Output& output, std::string_view keyword, const Field& field) {
  field.visit([&](auto values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      output.write(i % field.components() == 0 ? keyword : std::string_view(" "));
      output.number(values[i]);
      if ((i + 1) % field.components() == 0) output.write("\n");
    }
  });
}

Array<float> colours_of(const Field& field) {
  return field.visit([](auto values) {
    using T = typename decltype(values)::value_type;
    const float scale = sizeof(T) == 1 ? 1.0F / 255 : 1.0F;
    Array<float> colours(values.size());
    std::ranges::transform(values, colours.begin(), [&](T x) { return scale * static_cast<float>(x); });
    return colours;
  });
}

template <class Mesh>
void write_obj_mesh(Output& output, const Mesh& mesh) {
  const FieldSet& fields = mesh.point_data;
  const Field* const colours = find_role(fields, Role::colours);
  const Field* const normals = find_role(fields, Role::normals);
  const Field* const texture = find_role(fields, Role::texture);
  note_left_out(output.notes, "an obj file", mesh, [&](const Field& field, bool is_of_points) {
    return is_of_points && (&field == colours || &field == normals || &field == texture);
  });
  if (mesh.vertex_count() == 0) output.write("# no points\n");  // a file of no bytes is no file
  write_rows(output, mesh.points, "v ", colours != nullptr ? colours_of(*colours) : Array<float>{});
  if (texture != nullptr) write_tuples(output, "vt ", *texture);
  if (normals != nullptr) write_tuples(output, "vn ", *normals);
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
    output.write("f");
    for (const VertexId v : mesh.cells[c]) {
      const std::uint64_t index = std::uint64_t{v.index()} + 1;
      output.write(" ");
      output.number(index);
      if (texture != nullptr || normals != nullptr) output.write("/");
      if (texture != nullptr) output.number(index);
      if (normals == nullptr) continue;
      output.write("/");
      output.number(index);
    }
    output.write("\n");
  }
}

}  // namespace

AnyMesh read_obj(Input& input, const ReadOptions& options, FileReport& report) {
  return ObjReader(input).read(options, report);
}

void write_obj(Output& output, const MeshRef& any, const WriteOptions&) {
  write_polygons(output, any, "an obj file", [&](const auto& mesh) { write_obj_mesh(output, mesh); });
}

}  // namespace tessera::detail::io
