// Wavefront OBJ: points with or without colours, and faces. Normals, texture and groups are left out.
#include <limits>
#include <set>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

constexpr std::string_view colour_name = "Color";

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
    if (points_.size() == 0) input_.fail("holds no point (\"v\")");
    raw_.points = points_.take();
    if (has_colours_) raw_.point_data.add(Field(std::string(colour_name), std::move(colours_), 3));
    if (!ignored_.empty()) {
      std::string text;
      for (const std::string& word : ignored_) text += (text.empty() ? "" : ", ") + word;
      report.notes.push_back("Left out statements that are not points or faces: " + text + ".");
    }
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
    } else if (keyword == "f") {
      read_face(words);
    } else if (!keyword.empty() && ignored_.size() < 16) {
      ignored_.emplace(keyword.substr(0, 16));
    }
  }

  /// "x y z", "x y z w", "x y z r g b" (and an alpha or w behind it).
  void read_point(Words& words) {
    std::array<double, 8> values = {};
    std::size_t count = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++count) {
      if (count == values.size() || !parse_number(word, values[count])) fail("is not a point");
    }
    if (count < 3) fail("is not a point");
    points_.add({values[0], values[1], values[2]});
    const bool has_colour = count >= 6;
    if (has_colour && !has_colours_) {
      has_colours_ = true;
      colours_.assign(3 * (points_.size() - 1), 1.0F);  // white, where none is given
    }
    if (!has_colours_) return;
    for (int i = 0; i < 3; ++i) colours_.push_back(has_colour ? static_cast<float>(values[3 + i]) : 1.0F);
  }

  /// "a b c", "a/t b/t c/t", "a//n ...", "a/t/n ...". From 1, or from the last point back if negative.
  void read_face(Words& words) {
    std::uint64_t size = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++size) {
      std::int64_t index = 0;
      if (!parse_number(word.substr(0, word.find('/')), index)) fail("is not a face");
      const auto count = static_cast<std::int64_t>(points_.size());
      if (index == 0 || index < -count) fail("names point " + std::to_string(index));
      corners_.push_back(index > 0 ? index - 1 : count + index);
    }
    if (size < 3) fail("is a face of " + std::to_string(size) + " points");
    raw_.add_polygon(size);
  }

  [[noreturn]] void fail(const std::string& reason) const {
    input_.fail("line " + std::to_string(line_) + " " + reason);
  }

  Input& input_;
  std::uint64_t line_ = 0;
  std::string joined_;
  TextPoints points_;
  RawMesh raw_;
  Array<std::int64_t> corners_;
  Array<float> colours_;
  bool has_colours_ = false;
  std::set<std::string> ignored_;
};

}  // namespace

AnyMesh read_obj(Input& input, const ReadOptions& options, FileReport& report) {
  return ObjReader(input).read(options, report);
}

void write_obj(Output& output, const MeshRef& mesh, const WriteOptions&) {
  const TriMesh& triangles = only_triangles(output, mesh, "an obj file");
  const Field* colours = triangles.point_data.find(colour_name);
  const bool has_colours =
      colours != nullptr && colours->type() == ScalarType::f32 && colours->components() == 3;
  write_rows(output, triangles.points, "v ", has_colours ? colours->as<float>() : std::span<const float>{});
  for (const auto& cell : triangles.cells) {
    output.write("f");
    for (const VertexId v : cell) {
      output.write(" ");
      output.number(std::uint64_t{v.index()} + 1);
    }
    output.write("\n");
  }
}

}  // namespace tessera::detail::io
