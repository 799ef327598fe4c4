// Reader of TetGen's files (and Triangle's): points are in x.node, cells in x.ele. Each is a line of counts
// and then a line for each point or cell, with its number first; "#" starts a comment.
#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

/// The numbers of one line after the other.
class TetgenLines {
 public:
  explicit TetgenLines(Input& input) : input_(input) {}

  /// Goes to the next line that holds something; false at the end.
  bool try_next() {
    has_extra_ = has_extra_ || !words_.next().empty();
    while (!input_.at_end()) {
      std::string_view line = input_.line();
      line = line.substr(0, line.find('#'));
      if (Words(line).next().empty()) continue;
      words_ = Words(line);
      return true;
    }
    return false;
  }
  void next() {
    if (!try_next()) input_.fail("ends before all of its points or cells");
  }
  /// Fails if a line is left; notes what was not read of others.
  void finish(FileReport& report) {
    if (try_next()) input_.fail("has more lines than it says");
    if (has_extra_) report.notes.push_back("Left out numbers at the ends of lines of " + input_.name() + ".");
  }
  template <class T>
  T number() {
    const std::string_view word = words_.next();
    T value{};
    if (!parse_number(word, value)) {
      input_.fail("holds \"" + std::string(word.substr(0, 40)) + "\" where a number should be (before byte " +
                  std::to_string(input_.position()) + ")");
    }
    return value;
  }
  /// The next number, or 0 at the end of the line.
  std::uint64_t optional_count() {
    Words rest = words_;
    return rest.next().empty() ? 0 : number<std::uint64_t>();
  }

 private:
  Input& input_;
  Words words_{""};
  bool has_extra_ = false;
};

/// A column of numbers for each attribute.
class Attributes {
 public:
  Attributes(Input& input, std::uint64_t columns, std::uint64_t rows) {
    if (rows == 0 || columns == 0) return;
    input.require(columns, 2 * rows, "attributes for each of " + std::to_string(rows) + " lines");
    // A field of few values takes much more memory than their text.
    constexpr std::uint64_t most_columns = 4096;
    if (columns > most_columns && rows < 64) {
      input.refuse("has " + std::to_string(columns) + " attributes for each of " + std::to_string(rows) +
                   " lines; at most " + std::to_string(most_columns) + " can be read for so few");
    }
    for (std::uint64_t k = 0; k < columns; ++k)
      fields_.emplace_back("attribute" + std::to_string(k), ScalarType::f64, rows);
  }
  void read_row(TetgenLines& lines, std::uint64_t row) {
    for (Field& field : fields_) field.as<double>()[row] = lines.number<double>();
  }
  [[nodiscard]] FieldSet take() { return FieldSet(std::move(fields_)); }

 private:
  std::vector<Field> fields_;
};

/// Lines are numbered from 0 or 1 in both files; gaps are errors.
void check_number(const Input& input, std::uint64_t number, std::uint64_t wanted) {
  if (number == wanted) return;
  input.fail("numbers a line " + std::to_string(number) + " where " + std::to_string(wanted) +
             " should follow");
}

struct NodeFile {
  std::uint64_t first;  ///< the number of its first point, 0 or 1
  std::uint64_t dimension;
};

/// Reads x.node.
NodeFile read_nodes(Input& input, RawMesh& raw, FileReport& report) {
  TetgenLines lines(input);
  lines.next();
  const auto count = lines.number<std::uint64_t>();
  const auto dimension = lines.number<std::uint64_t>();
  const std::uint64_t columns = lines.optional_count();
  const std::uint64_t markers = lines.optional_count();
  if (dimension != 2 && dimension != 3) input.fail("has points of dimension " + std::to_string(dimension));
  if (markers > 1) input.fail("has " + std::to_string(markers) + " boundary markers for each point");
  input.require(count, 2 * dimension + 1, "points");
  TextPoints points;
  points.reserve(count);
  Attributes attributes(input, columns, count);
  Array<std::int32_t> marker;
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    lines.next();
    const auto number = lines.number<std::uint64_t>();
    if (i == 0 && number <= 1) first = number;
    check_number(input, number, first + i);
    const auto x = lines.number<double>();
    const auto y = lines.number<double>();
    points.add({x, y, dimension == 3 ? lines.number<double>() : 0.0});
    attributes.read_row(lines, i);
    if (markers == 1) marker.push_back(lines.number<std::int32_t>());
  }
  raw.points = points.take();
  lines.finish(report);
  raw.point_data = attributes.take();
  if (markers == 1) raw.point_data.add(Field("marker", std::move(marker)));
  return {first, dimension};
}

/// Reads x.ele.
Array<std::int64_t> read_cells(Input& input, RawMesh& raw, const NodeFile& nodes, FileReport& report) {
  const std::uint64_t first = nodes.first;
  TetgenLines lines(input);
  lines.next();
  const auto count = lines.number<std::uint64_t>();
  const auto corner_count = lines.number<std::uint64_t>();
  const std::uint64_t columns = lines.optional_count();
  const RawType type = corner_count == 3    ? triangle
                       : corner_count == 4  ? tetrahedron
                       : corner_count == 6  ? quadratic_triangle
                       : corner_count == 10 ? quadratic_tetrahedron
                                            : empty_cell;
  if (type == empty_cell) input.fail("has cells of " + std::to_string(corner_count) + " points");
  if (nodes.dimension == 2 && (type == tetrahedron || type == quadratic_tetrahedron))
    input.fail("has tetrahedra, but its points have two coordinates");
  input.require(count, 2 * corner_count + 1, "cells");
  Attributes attributes(input, columns, count);
  Array<std::int64_t> corners;
  corners.reserve(count * corner_count);
  for (std::uint64_t i = 0; i < count; ++i) {
    lines.next();
    check_number(input, lines.number<std::uint64_t>(), first + i);
    for (std::uint64_t k = 0; k < corner_count; ++k) {
      const auto corner = lines.number<std::uint64_t>();
      if (corner < first || corner - first >= raw.points.size()) {
        input.fail("cell " + std::to_string(first + i) + " names point " + std::to_string(corner) +
                   ", but there are " + std::to_string(raw.points.size()) + " points, numbered from " +
                   std::to_string(first));
      }
      corners.push_back(static_cast<std::int64_t>(corner - first));
    }
    raw.add_cell(type, corners);
    attributes.read_row(lines, i);
  }
  lines.finish(report);
  raw.cell_data = attributes.take();
  return corners;
}

/// Where the other of the two files is: x.ele for x.node, x.node for x.ele.
std::filesystem::path partner_of(const Input& input, bool is_node) {
  std::filesystem::path file = without_gz(input.name());
  const bool is_upper = file.extension() == ".NODE" || file.extension() == ".ELE";
  file.replace_extension(is_node ? (is_upper ? ".ELE" : ".ele") : (is_upper ? ".NODE" : ".node"));
  if (input.is_packed()) file += ".gz";
  return file;
}

}  // namespace

AnyMesh read_tetgen(Input& input, const ReadOptions& options, FileReport& report) {
  const std::string extension = extension_of(without_gz(input.name()));
  const bool is_node = extension == "node";
  if (!is_node && extension != "ele")
    input.refuse("is one of two files, which are found by their extensions node and ele");
  const std::filesystem::path file = partner_of(input, is_node);
  std::error_code ignored;  // what else is wrong with it is found on opening
  if (std::filesystem::status(file, ignored).type() == std::filesystem::file_type::not_found) {
    input.fail(std::string("has no ") + (is_node ? "cells" : "points") + ": there is no file " +
               file.string());
  }
  report.parts.push_back(file);
  Input partner(file, options.monitor);
  skip_mark(partner);
  RawMesh raw;
  const NodeFile nodes = read_nodes(is_node ? input : partner, raw, report);
  const Array<std::int64_t> corners = read_cells(is_node ? partner : input, raw, nodes, report);
  const auto fill = [&](CornerSink& sink) { sink.put(std::span<const std::int64_t>(corners)); };
  return assemble(input, std::move(raw), fill, 3, options, report);
}

}  // namespace tessera::detail::io
