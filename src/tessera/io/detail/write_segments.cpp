#include <tessera/io/segments.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/io/detail/output.h>

namespace tessera {

using namespace detail;
namespace {

constexpr std::array<std::string_view, 10> type_names = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                         "UInt32", "Int64", "UInt64", "Float32", "Float64"};
constexpr std::uint8_t line_type = 3;  // VTK_LINE

std::string escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {  // VTK looks for the one that ends the tag
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

/// Writes arrays as elements with text, or as elements that say where in the appended data they are.
class SegmentWriter {
 public:
  SegmentWriter(io::Output& output, bool ascii) : output_(output), ascii_(ascii) {}

  void text(std::string_view text) { output_.write(text); }

  void array(const Field& field) {
    output_.write("<DataArray type=\"" + std::string(type_names[static_cast<std::size_t>(field.type())]) +
                  "\" Name=\"" + escape(field.name()) + "\" NumberOfComponents=\"" +
                  std::to_string(field.components()) + "\"");
    if (!ascii_) {
      output_.write(" format=\"appended\" offset=\"" + std::to_string(offset_) + "\"/>\n");
      offset_ += sizeof(std::uint64_t) + field.bytes();
      appended_.push_back(&field);
      return;
    }
    output_.write(" format=\"ascii\">\n");
    field.visit([&](auto values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        output_.number(values[i]);
        output_.write((i + 1) % 12 == 0 ? "\n" : " ");
      }
    });
    output_.write("\n</DataArray>\n");
  }

  void arrays(const std::string& tag, const FieldSet& fields) {
    text("<" + tag + ">\n");
    for (const Field& field : fields) array(field);
    text("</" + tag + ">\n");
  }

  void append_all() {
    if (appended_.empty()) return;
    text("<AppendedData encoding=\"raw\">\n_");
    for (const Field* field : appended_) {
      const std::uint64_t bytes = field->bytes();
      output_.write(&bytes, sizeof(bytes));
      field->visit([&](auto values) { output_.write(values.data(), values.size_bytes()); });
    }
    text("\n</AppendedData>\n");
  }

 private:
  io::Output& output_;
  bool ascii_;
  std::uint64_t offset_ = 0;
  std::vector<const Field*> appended_;
};

Field flatten(const std::string& name, const Array<Vec3d>& points) {
  Array<double> values;
  for (const Vec3d& p : points) values.insert(values.end(), {p.x, p.y, p.z});
  return {name, std::move(values), 3};
}

/// Connectivity, offsets and, for unstructured grids, types.
FieldSet make_cells(const Segments& segments, bool has_types) {
  Array<std::int64_t> ends;
  Array<std::int64_t> offsets;
  for (const auto& line : segments.lines) {
    for (const VertexId v : line) ends.push_back(v.index());
    offsets.push_back(static_cast<std::int64_t>(ends.size()));
  }
  FieldSet cells;
  cells.add({"connectivity", std::move(ends)});
  cells.add({"offsets", std::move(offsets)});
  if (has_types) cells.add({"types", Array<std::uint8_t>(segments.lines.size(), line_type)});
  return cells;
}

void check(const io::Output& output, const Segments& segments) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::bad_mesh, "'" + output.name() + "' was not written: " + reason);
  };
  for (std::size_t i = 0; i < segments.lines.size(); ++i) {
    for (const VertexId v : segments.lines[i]) {
      if (v.index() >= segments.points.size())
        refuse("segment " + std::to_string(i) + " names the point " + std::to_string(v.index()) +
               ", which is not there");
    }
  }
  const auto check_sizes = [&](const FieldSet& fields, std::size_t size) {
    for (const Field& field : fields) {
      if (field.size() != size) refuse("the field '" + field.name() + "' has another length");
    }
  };
  check_sizes(segments.point_data, segments.points.size());
  check_sizes(segments.cell_data, segments.lines.size());
}

}  // namespace

void write_segments(const std::filesystem::path& file, const Segments& segments,
                    const WriteOptions& options) {
  const std::string extension = file.extension().string();
  const bool is_poly = extension == ".vtp";
  const std::uint64_t expected = segments.points.size() * sizeof(Vec3d) + segments.lines.size() * 25 +
                                 segments.point_data.bytes() + segments.cell_data.bytes();
  io::Output output(file, expected, options.monitor);
  if (!is_poly && extension != ".vtu") output.refuse("segments are written as .vtu or .vtp");
  check(output, segments);
  const std::string kind = is_poly ? "PolyData" : "UnstructuredGrid";
  const bool is_big = std::endian::native == std::endian::big;
  const Field points = flatten("Points", segments.points);
  const FieldSet cells = make_cells(segments, !is_poly);
  SegmentWriter writer(output, options.ascii);
  writer.text("<VTKFile type=\"" + kind + "\" version=\"1.0\" byte_order=\"" +
              (is_big ? "BigEndian" : "LittleEndian") + "\" header_type=\"UInt64\">\n<" + kind + ">\n");
  writer.text("<Piece NumberOfPoints=\"" + std::to_string(segments.points.size()) +
              (is_poly ? "\" NumberOfLines=\"" : "\" NumberOfCells=\"") +
              std::to_string(segments.lines.size()) + "\">\n");
  writer.arrays("PointData", segments.point_data);
  writer.arrays("CellData", segments.cell_data);
  writer.text("<Points>\n");
  writer.array(points);
  writer.text("</Points>\n");
  writer.arrays(is_poly ? "Lines" : "Cells", cells);
  writer.text("</Piece>\n</" + kind + ">\n");
  writer.append_all();
  writer.text("</VTKFile>\n");
  output.commit();
}

}  // namespace tessera
