// Reader of Medit's text files (.mesh): keywords, each with a count and that many rows of numbers. The last
// number of a row is a reference, which tells parts of the mesh apart.
#include <array>
#include <cctype>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

struct MeditType {
  std::string_view keyword;
  RawType type;
  std::size_t corners;
};

constexpr std::array<MeditType, 14> cell_types = {{{"Edges", line, 2},
                                                   {"Triangles", triangle, 3},
                                                   {"Quadrilaterals", quad, 4},
                                                   {"Tetrahedra", tetrahedron, 4},
                                                   {"Hexahedra", hexahedron, 8},
                                                   {"Prisms", wedge, 6},
                                                   {"Pyramids", pyramid, 5},
                                                   {"EdgesP2", quadratic_edge, 3},
                                                   {"TrianglesP2", quadratic_triangle, 6},
                                                   {"QuadrilateralsQ2", biquadratic_quad, 9},
                                                   {"TetrahedraP2", quadratic_tetrahedron, 10},
                                                   {"HexahedraQ2", triquadratic_hexahedron, 27},
                                                   {"PrismsP2", biquadratic_wedge, 18},
                                                   {"PyramidsP2", lagrange_pyramid, 14}}};

class MeditReader {
 public:
  MeditReader(Input& input, FileReport& report) : input_(input), report_(report) {}

  AnyMesh read(const ReadOptions& options);

 private:
  std::string_view next_word();
  void read_header();
  std::string read_section(const std::string& keyword);
  std::string skip_section(const std::string& keyword);
  template <class T>
  void read_vertices();
  void read_cells(const MeditType& cells);

  template <class T>
  T number() {
    const std::string_view word = next_word();
    T value{};
    if (!parse_number(word, value)) {
      input_.fail(word.empty() ? "ends where a number should be"
                               : "holds \"" + std::string(word.substr(0, 40)) +
                                     "\" where a number should be (before byte " +
                                     std::to_string(input_.position()) + ")");
    }
    return value;
  }

  Input& input_;
  FileReport& report_;
  int version_ = 0;
  int dimension_ = 0;
  bool has_vertices_ = false;
  LeftOutNames left_out_;
  RawMesh raw_;
  Array<std::int64_t> corners_;
  Array<std::int32_t> point_references_, cell_references_;
};

/// Skips comments; empty at the end. It is there until the next one.
std::string_view MeditReader::next_word() {
  for (;;) {
    const std::string_view word = input_.token();
    if (!word.starts_with('#')) return word;
    if (!input_.at_end()) static_cast<void>(input_.line());
  }
}

void MeditReader::read_header() {
  const std::string_view start = input_.peek(4).substr(0, 4);
  if (start == std::string_view("\1\0\0\0", 4) || start == std::string_view("\0\0\0\1", 4)) {
    input_.refuse("is a binary Medit file; only text can be read");
  }
  if (next_word() != "MeshVersionFormatted") input_.fail("does not begin with MeshVersionFormatted");
  version_ = number<int>();
  if (next_word() != "Dimension") input_.fail("does not say its Dimension");
  dimension_ = number<int>();
  if (dimension_ != 2 && dimension_ != 3) {
    input_.fail("has the dimension " + std::to_string(dimension_) + "; it should be 2 or 3");
  }
}

AnyMesh MeditReader::read(const ReadOptions& options) {
  read_header();
  std::string keyword(next_word());
  while (!keyword.empty() && keyword != "End") keyword = read_section(keyword);
  left_out_.note("sections", report_);
  if (keyword.empty()) report_.notes.emplace_back("The file has no End: more may have followed.");
  if (!has_vertices_) input_.fail("has no Vertices");
  raw_.point_data.add(Field("medit:ref", std::move(point_references_)));
  raw_.cell_data.add(Field("medit:ref", std::move(cell_references_)));
  const auto fill = [&](CornerSink& sink) { sink.put(std::span<const std::int64_t>(corners_)); };
  return assemble(input_, std::move(raw_), fill, dimension_, options, report_);
}

/// Returns the next keyword.
std::string MeditReader::read_section(const std::string& keyword) {
  if (keyword == "Vertices") {
    if (has_vertices_) input_.fail("has a second section Vertices");
    has_vertices_ = true;
    version_ == 1 ? read_vertices<float>() : read_vertices<double>();
    return std::string(next_word());
  }
  for (const MeditType& cells : cell_types) {
    if (keyword == cells.keyword) {
      read_cells(cells);
      return std::string(next_word());
    }
  }
  for (const MeditType& cells : cell_types) {  // "TetrahedraP3", "HexahedraQ3"
    if (keyword.starts_with(cells.keyword) && keyword.size() == cells.keyword.size() + 2) {
      input_.refuse("holds cells that Tessera cannot read: " + keyword +
                    "; convert them to linear cells first");
    }
  }
  return skip_section(keyword);
}

/// How long a row is, only its keyword says: the next word that is no number is the next keyword.
std::string MeditReader::skip_section(const std::string& keyword) {
  if (std::isalpha(static_cast<unsigned char>(keyword.front())) == 0) {
    input_.fail("holds \"" + keyword.substr(0, 40) + "\" where a keyword should be (before byte " +
                std::to_string(input_.position()) + ")");
  }
  left_out_.add(keyword);
  std::string_view word = next_word();
  for (double value = 0; parse_number(word, value);) word = next_word();
  return std::string(word);
}

template <class T>
void MeditReader::read_vertices() {
  const auto count = number<std::uint64_t>();
  input_.require(count, 2 * static_cast<std::uint64_t>(dimension_ + 1) - 1, "vertices");
  Array<Vec3<T>> points(count);
  point_references_.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    points[i].x = number<T>();
    points[i].y = number<T>();
    points[i].z = dimension_ == 3 ? number<T>() : T{0};
    point_references_[i] = number<std::int32_t>();
  }
  raw_.points = std::move(points);
}

void MeditReader::read_cells(const MeditType& cells) {
  const auto count = number<std::uint64_t>();
  input_.require(count, 2 * cells.corners + 1, std::string(cells.keyword));
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < cells.corners; ++k) {
      const auto corner = number<std::int64_t>();
      if (corner < 1) {
        input_.fail("cell " + std::to_string(raw_.types.size()) + " names point " + std::to_string(corner) +
                    ", but they are numbered from 1");
      }
      corners_.push_back(corner - 1);
    }
    raw_.add_cell(cells.type, corners_);
    cell_references_.push_back(number<std::int32_t>());
  }
}

}  // namespace

AnyMesh read_medit(Input& input, const ReadOptions& options, FileReport& report) {
  return MeditReader(input, report).read(options);
}

}  // namespace tessera::detail::io
