// STL, text and binary. The triangles stay a soup: three points each, as the file has them.
#include <cstring>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

constexpr std::uint64_t header_bytes = 80;
constexpr std::uint64_t facet_bytes = 50;  // normal, three points, two bytes that nobody agrees on

TriMesh make_soup(Points points) {
  TriMesh mesh;
  mesh.points = std::move(points);
  mesh.cells.resize(mesh.points.size() / 3);
  for (std::uint32_t i = 0; i < mesh.cells.size(); ++i) {
    mesh.cells[i] = {VertexId(3 * i), VertexId(3 * i + 1), VertexId(3 * i + 2)};
  }
  return mesh;
}

TriMesh read_binary_facets(Input& input, std::uint64_t count, FileReport& report) {
  input.seek(header_bytes + 4);
  input.require(count, facet_bytes, "triangles");
  if (count > 0xFFFFFFFFu / 3) input.refuse("has more than 4294967295 points");
  Array<Vec3f> points(3 * count);
  bool has_extra = false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<float, 12> facet = {};
    read_binary<float>(input, facet, false);
    std::memcpy(&points[3 * i], facet.data() + 3, 9 * sizeof(float));
    std::array<char, 2> extra = {};
    input.read(extra.data(), extra.size());
    has_extra = has_extra || extra[0] != 0 || extra[1] != 0;
  }
  if (has_extra)
    report.notes.emplace_back(
        "Left out the two bytes behind each triangle, which some programs use for colours.");
  return make_soup(std::move(points));
}

TriMesh read_text_facets(Input& input) {
  TextPoints points;
  std::size_t in_loop = 0;
  bool is_closed = false;
  while (!input.at_end()) {
    const std::string word = to_lower(input.token());
    if (word == "solid" || word == "endsolid") {
      is_closed = word == "endsolid";
      static_cast<void>(input.line());  // its name, any text
    } else if (word == "vertex") {
      const auto x = input.number<double>();
      const auto y = input.number<double>();
      points.add({x, y, input.number<double>()});
      ++in_loop;
    } else if (word == "endloop") {
      if (in_loop != 3)
        input.fail("holds a facet of " + std::to_string(in_loop) + " points (byte " +
                   std::to_string(input.position()) + ")");
      in_loop = 0;
    } else if (word == "normal") {
      for (int i = 0; i < 3; ++i) static_cast<void>(input.token());
    } else if (word != "facet" && word != "outer" && word != "loop" && word != "endfacet" && !word.empty()) {
      input.fail("holds \"" + word.substr(0, 40) + "\", which STL does not know (byte " +
                 std::to_string(input.position()) + ")");
    }
  }
  if (in_loop != 0 || !is_closed) input.fail("ends inside a solid");
  return make_soup(points.take());
}

}  // namespace

AnyMesh read_stl(Input& input, const ReadOptions&, FileReport& report) {
  const std::string_view start = input.peek(header_bytes + 4);
  std::uint32_t count = 0;
  if (start.size() >= header_bytes + 4) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(start.data() + header_bytes);
    count = bytes[0] | (bytes[1] << 8) | (bytes[2] << 16) | (std::uint32_t{bytes[3]} << 24);
  }
  // Binary files may begin with "solid" too, so the size decides first.
  const bool is_text = start.starts_with("solid") && input.size() != header_bytes + 4 + facet_bytes * count;
  if (!is_text && start.size() < header_bytes + 4) input.fail("is too short for an STL file");
  TriMesh mesh = is_text ? read_text_facets(input) : read_binary_facets(input, count, report);
  report.cells.push_back({cell_type_name(triangle), mesh.cell_count()});
  report.notes.emplace_back("STL does not say which triangles share points; weld joins them.");
  return mesh;
}

namespace {

Vec3f facet_normal(const std::array<Vec3d, 3>& p) {
  const Vec3d normal = cross(p[1] - p[0], p[2] - p[0]);
  const double size = length(normal);
  return size > 0 ? vec_cast<float>((1 / size) * normal) : Vec3f{0, 0, 0};
}

void write_text_facet(Output& output, const Points& points, const TriMesh::Cell& cell, Vec3f normal) {
  const auto write_row = [&](std::string_view start, auto p) {
    output.write(start);
    for (const auto x : {p.x, p.y, p.z}) {
      output.write(" ");
      output.number(x);
    }
    output.write("\n");
  };
  write_row("facet normal", normal);
  output.write("outer loop\n");
  points.visit([&](auto places) {
    for (const VertexId v : cell) write_row("vertex", places[v.index()]);
  });
  output.write("endloop\nendfacet\n");
}

void write_binary_facet(Output& output, const std::array<Vec3d, 3>& corners, Vec3f normal) {
  std::array<Vec3f, 4> facet = {normal};
  for (int i = 0; i < 3; ++i) facet[i + 1] = vec_cast<float>(corners[i]);
  if constexpr (std::endian::native == std::endian::big) swap_bytes(facet.data(), 12, 4);
  output.write(facet.data(), sizeof(facet));
  output.write(std::string_view("\0\0", 2));
}

}  // namespace

void write_stl(Output& output, const MeshRef& mesh, const WriteOptions& options) {
  const TriMesh& triangles = only_triangles(output, mesh, "an stl file");
  note_left_out(output.notes, "an stl file", triangles, [](const Field&, bool) { return false; });
  if (options.ascii) {
    output.write("solid tessera\n");
  } else {
    if (triangles.cell_count() > 0xFFFFFFFFu) output.refuse("an stl file holds at most 4294967295 triangles");
    std::string header = "binary STL by tessera";
    header.resize(header_bytes, ' ');
    for (int i = 0; i < 4; ++i) header += static_cast<char>(triangles.cell_count() >> (8 * i));
    output.write(header);
  }
  for (const auto& cell : triangles.cells) {
    const std::array<Vec3d, 3> corners = {triangles.points[cell[0]], triangles.points[cell[1]],
                                          triangles.points[cell[2]]};
    if (options.ascii) {
      write_text_facet(output, triangles.points, cell, facet_normal(corners));
    } else {
      write_binary_facet(output, corners, facet_normal(corners));
    }
  }
  if (options.ascii) output.write("endsolid tessera\n");
}

}  // namespace tessera::detail::io
