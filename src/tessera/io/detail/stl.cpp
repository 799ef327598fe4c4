// STL, text and binary. The file has three corners for each triangle; equal ones are joined unless they are
// to stay.
#include <algorithm>
#include <cstring>

#include <tessera/io/detail/cells.h>
#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/text.h>
#include <tessera/mesh/detail/equal_points.h>

namespace tessera::detail::io {
namespace {

constexpr std::uint64_t header_bytes = 80;
constexpr std::uint64_t facet_bytes = 50;  // normal, three points, two bytes that nobody agrees on

TriMesh make_soup(Points corners) {
  TriMesh mesh;
  mesh.points = std::move(corners);
  mesh.cells.resize(mesh.points.size() / 3);
  for (std::uint32_t i = 0; i < mesh.cells.size(); ++i) {
    mesh.cells[i] = {VertexId(3 * i), VertexId(3 * i + 1), VertexId(3 * i + 2)};
  }
  return mesh;
}

/// The corners of triangles whose three corners lie apart.
Array<std::uint32_t> list_kept_corners(const PointGroups& groups) {
  Array<std::uint32_t> kept;
  kept.reserve(groups.connections.size());
  for (std::uint32_t i = 0; i + 2 < groups.connections.size(); i += 3) {
    const VertexId* const v = &groups.connections[i];
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
    for (std::uint32_t corner = i; corner < i + 3; ++corner) kept.push_back(corner);
  }
  return kept;
}

/// Joins equal corners and leaves triangles out that lose one, with the points that only they have.
TriMesh weld(Points corners, const Exec& exec, FileReport& report) {
  PointGroups groups = group_equal_points(corners, exec);
  const std::size_t all = corners.size();
  if (const Array<std::uint32_t> kept = list_kept_corners(groups); kept.size() < all) {
    corners = corners.gather(kept);
    groups = group_equal_points(corners, exec);
    const std::size_t lost = (all - kept.size()) / 3;
    report.notes.push_back("Left out " + std::to_string(lost) + (lost == 1 ? " triangle" : " triangles") +
                           " with two corners at one place.");
  }
  report.notes.push_back("Joined " + std::to_string(corners.size()) + " corners of triangles to " +
                         std::to_string(groups.size()) + " points.");
  TriMesh mesh;
  mesh.points = corners.gather(groups.first);
  mesh.cells.resize(corners.size() / 3);
  for (std::size_t i = 0; i < mesh.cells.size(); ++i)
    std::copy_n(&groups.connections[3 * i], 3, mesh.cells[i].begin());
  return mesh;
}

Points read_binary_facets(Input& input, std::uint64_t count, FileReport& report) {
  input.seek(header_bytes + 4);
  input.require(count, facet_bytes, "triangles");
  if (count > 0xFFFFFFFEu / 3) input.refuse("has more than 4294967294 points");
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
  return points;
}

Points read_text_facets(Input& input) {
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
  if (points.size() > 0xFFFFFFFEu) input.refuse("has more than 4294967294 points");
  return points.take();
}

/// What the four bytes behind the header say.
std::uint32_t count_binary_facets(Input& input) {
  input.seek(0);
  const auto* bytes =
      reinterpret_cast<const unsigned char*>(input.peek(header_bytes + 4).data()) + header_bytes;
  return bytes[0] | (bytes[1] << 8) | (bytes[2] << 16) | (std::uint32_t{bytes[3]} << 24);
}

}  // namespace

bool holds_binary_facets(Input& input) {
  return input.size() >= header_bytes + 4 &&
         input.size() == header_bytes + 4 + facet_bytes * count_binary_facets(input);
}

AnyMesh read_stl(Input& input, const ReadOptions& options, FileReport& report) {
  // Binary files may begin with "solid" too, so the size decides first.
  const bool is_binary = holds_binary_facets(input);
  if (!is_binary) skip_mark(input);
  const bool is_text = !is_binary && input.peek(header_bytes).starts_with("solid");
  if (!is_text && input.size() < header_bytes + 4) input.fail("is too short for an STL file");
  Points corners =
      is_text ? read_text_facets(input) : read_binary_facets(input, count_binary_facets(input), report);
  report.cells.push_back({cell_type_name(triangle), corners.size() / 3});
  report.dimension = 2;
  if (options.weld) return weld(std::move(corners), options.exec, report);
  return make_soup(std::move(corners));
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
