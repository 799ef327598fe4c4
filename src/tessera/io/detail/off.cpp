// OFF, the text kind: "OFF", the counts, a line a point, a line a face. What follows on a line (colours,
// normals) is left out.
#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

/// Lines without comments, those that hold nothing left out.
class OffLines {
 public:
  explicit OffLines(Input& input) : input_(input) {}

  std::string_view next() {
    while (!input_.at_end()) {
      std::string_view line = input_.line();
      line = line.substr(0, line.find('#'));
      if (!Words(line).next().empty()) return line;
    }
    input_.fail("ends before all of its points and faces");
  }

  template <class T>
  T number(Words& words) {
    const std::string_view word = words.next();
    T value{};
    if (!parse_number(word, value)) {
      input_.fail("holds \"" + std::string(word.substr(0, 40)) + "\" where a number should be (before byte " +
                  std::to_string(input_.position()) + ")");
    }
    return value;
  }

 private:
  Input& input_;
};

struct OffCounts {
  std::uint64_t points, faces;
};

OffCounts read_counts(Input& input, OffLines& lines) {
  Words words(lines.next());
  const std::string_view magic = words.next();
  if (!magic.ends_with("OFF")) input.fail("does not begin with OFF");
  if (magic != "OFF" && magic != "COFF" && magic != "NOFF" && magic != "CNOFF") {
    input.refuse("is of the kind " + std::string(magic.substr(0, 40)) +
                 "; only OFF, COFF, NOFF and CNOFF can be read");
  }
  Words rest = words;
  if (rest.next().empty()) words = Words(lines.next());
  const auto points = lines.number<std::uint64_t>(words);
  const auto faces = lines.number<std::uint64_t>(words);
  // The shortest line of a point is "0 0 0", of a face "0".
  input.require(points, 5, "points");
  input.require(faces, 1, "faces");
  return {points, faces};
}

}  // namespace

AnyMesh read_off(Input& input, const ReadOptions& options, FileReport& report) {
  OffLines lines(input);
  const OffCounts counts = read_counts(input, lines);
  TextPoints points;
  bool has_point_extra = false;
  points.reserve(counts.points);
  for (std::uint64_t i = 0; i < counts.points; ++i) {
    Words words(lines.next());
    const auto x = lines.number<double>(words);
    const auto y = lines.number<double>(words);
    points.add({x, y, lines.number<double>(words)});
    has_point_extra = has_point_extra || !words.next().empty();
  }
  if (has_point_extra) report.notes.emplace_back("Left out the normals and colours of the points.");
  RawMesh raw;
  raw.points = points.take();
  Array<std::int64_t> corners;
  bool has_extra = false;
  for (std::uint64_t i = 0; i < counts.faces; ++i) {
    Words words(lines.next());
    const auto size = lines.number<std::uint64_t>(words);
    for (std::uint64_t k = 0; k < size; ++k) corners.push_back(lines.number<std::int64_t>(words));
    raw.add_polygon(size);
    has_extra = has_extra || !words.next().empty();
  }
  if (has_extra)
    report.notes.emplace_back("Left out what follows the corners of the faces, such as colours.");
  return assemble(input, std::move(raw), corners, options, report);
}

void write_off(Output& output, const MeshRef& any, const WriteOptions&) {
  write_polygons(output, any, "an off file", [&](const auto& mesh) {
    note_left_out(output.notes, "an off file", mesh, [](const Field&, bool) { return false; });
    output.write("OFF\n");
    output.number(mesh.vertex_count());
    output.write(" ");
    output.number(mesh.cell_count());
    output.write(" 0\n");
    write_rows(output, mesh.points, "");
    for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
      output.number(mesh.cells[c].size());
      for (const VertexId v : mesh.cells[c]) {
        output.write(" ");
        output.number(v.index());
      }
      output.write("\n");
    }
  });
}

}  // namespace tessera::detail::io
