// The files of samples.cpp: what each holds, counted by hand, and what the report says about it.
#include <algorithm>

#include "io/samples.h"
#include "io/support.h"

namespace tessera {
namespace {

using testing::TempDir;

ReadResult read_sample(const std::string& name, bool simplices = true) {
  TempDir directory;
  const std::string format = name.substr(name.find('.') + 1);
  testing::save(directory / name, testing::samples(format).at("by_hand_" + name));
  return read_mesh(directory / name, {.simplices = simplices});
}

std::uint64_t count_of(const FileReport& report, std::string_view type) {
  for (const auto& cells : report.cells) {
    if (cells.type == type) return cells.count;
  }
  return 0;
}

bool has_note(const FileReport& report, std::string_view words) {
  return std::any_of(report.notes.begin(), report.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

template <class T>
std::vector<T> values_of(const FieldSet& fields, std::string_view name) {
  const auto values = fields.at(name).as<T>();
  return {values.begin(), values.end()};
}

template <class... Index>
auto cell(Index... index) {
  return std::array{VertexId(static_cast<std::uint32_t>(index))...};
}

// 6 parts of the hexahedron, 2 of the pyramid, 3 of the wedge, the tetrahedron; not the line.
TEST(Formats, VtuOfEverySolid) {
  const ReadResult result = read_sample("mixed.vtu");
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  EXPECT_EQ(mesh.vertex_count(), 12U);
  ASSERT_EQ(mesh.cell_count(), 12U);
  EXPECT_TRUE(mesh.points.is_double());
  EXPECT_EQ(values_of<std::int8_t>(mesh.cell_data, "kind"),
            (std::vector<std::int8_t>{1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 3, 4}));
  for (const auto& c : mesh.cells) {
    const Vec3d a = mesh.points[c[0]];
    EXPECT_GT(dot(cross(mesh.points[c[1]] - a, mesh.points[c[2]] - a), mesh.points[c[3]] - a), 0);
  }
  EXPECT_EQ(result.report.format, "vtu");
  EXPECT_EQ(result.report.cells.size(), 5U);
  EXPECT_EQ(count_of(result.report, "hexahedron"), 1U);
  EXPECT_EQ(count_of(result.report, "line"), 1U);
  EXPECT_TRUE(has_note(result.report, "Cut into tetrahedra: 1 hexahedron, 1 wedge, 1 pyramid"));
  EXPECT_TRUE(has_note(result.report, "1 line"));
  EXPECT_TRUE(has_note(result.report, "\"label\""));
  EXPECT_FALSE(mesh.cell_data.has("label"));
}

TEST(Formats, VtuOfPieces) {
  const ReadResult result = read_sample("pieces.vtu", false);
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  EXPECT_EQ(mesh.vertex_count(), 6U);
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[0], cell(0, 1, 2));
  EXPECT_EQ(mesh.cells[1], cell(5, 4, 3));
  EXPECT_EQ(mesh.points[VertexId(3)], (Vec3d{5, 0, 0}));
  EXPECT_EQ(values_of<std::int32_t>(mesh.point_data, "id"), (std::vector<std::int32_t>{7, 8, 9, 17, 18, 19}));
  EXPECT_TRUE(has_note(result.report, "\"lone\", which is not in every piece"));
}

// A triangle, a quad in 2, a pentagon in 3, a strip in 3.
TEST(Formats, VtpOfEverything) {
  const ReadResult result = read_sample("mixed.vtp");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 9U);
  EXPECT_EQ(values_of<std::uint16_t>(mesh.cell_data, "kind"),
            (std::vector<std::uint16_t>{3, 4, 4, 5, 5, 5, 6, 6, 6}));
  // The second triangle of a strip is turned, so that all of them have the same side.
  EXPECT_EQ(mesh.cells[6], cell(0, 1, 3));
  EXPECT_EQ(mesh.cells[7], cell(1, 2, 3));
  EXPECT_EQ(mesh.cells[8], cell(3, 2, 5));
  EXPECT_EQ(count_of(result.report, "vertex"), 1U);
  EXPECT_EQ(count_of(result.report, "polygon"), 1U);
  EXPECT_TRUE(has_note(result.report, "lower dimension"));
}

TEST(Formats, VtiOfPieces) {
  const ReadResult result = read_sample("pieces.vti");
  const Grid& grid = std::get<Grid>(result.mesh);
  EXPECT_EQ(grid.dims, (std::array<std::uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(values_of<std::int32_t>(grid.point_data, "id"), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values_of<float>(grid.cell_data, "c"), (std::vector<float>{0.5F, 1.5F}));
  // The extent begins at x = 1: one step of 2 along the first axis, which the direction turns to y.
  EXPECT_EQ(grid.origin, (Vec3d{10, 2, 0}));
  EXPECT_EQ(grid.direction[1], -1);
}

TEST(Formats, VtkOfSolids) {
  const ReadResult result = read_sample("mixed.vtk");
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 8U);  // 6 of the hexahedron, 2 of the pyramid
  EXPECT_EQ(mesh.point_data.names(), (std::vector<std::string>{"temperature", "wind", "uv"}));
  EXPECT_EQ(mesh.point_data.at("wind").components(), 3U);
  EXPECT_EQ(mesh.point_data.at("wind").as<float>()[24], 8);
  EXPECT_EQ(mesh.point_data.at("uv").components(), 2U);
  EXPECT_EQ(mesh.cell_data.names(), (std::vector<std::string>{"colour", "a name"}));
  EXPECT_EQ(mesh.cell_data.at("colour").as<std::uint8_t>()[0], 255);
  EXPECT_EQ(mesh.cell_data.at("a name").as<std::int32_t>()[7 * 2 + 1], 4);
  EXPECT_TRUE(has_note(result.report, "\"words\""));
  EXPECT_TRUE(has_note(result.report, "lookup table \"table\""));
}

// Cell data come in VTK's order: the line first, though the file lists it last.
TEST(Formats, VtkOfPolygons) {
  const ReadResult result = read_sample("poly.vtk");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 3U);
  EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "id"), (std::vector<std::int32_t>{20, 30, 30}));
  EXPECT_EQ(mesh.field_data.at("TimeValue").as<double>()[0], 0.25);
}

TEST(Formats, VtkOfStructuredPoints) {
  const ReadResult result = read_sample("points.vtk");
  const Grid& grid = std::get<Grid>(result.mesh);
  EXPECT_EQ(grid.dims, (std::array<std::uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(grid.origin, (Vec3d{1, 2, 3}));
  EXPECT_EQ(grid.spacing, (Vec3d{0.5, 0.25, 1}));
  EXPECT_EQ(grid.point_data.at("density").as<std::uint8_t>()[5], 255);
  EXPECT_EQ(values_of<double>(grid.cell_data, "cell"), (std::vector<double>{0.1, 0.2}));
}

TEST(Formats, PlyWithEveryProperty) {
  const ReadResult result = read_sample("text.ply");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  EXPECT_FALSE(mesh.points.is_double());
  ASSERT_EQ(mesh.cell_count(), 3U);
  EXPECT_EQ(mesh.point_data.names(), (std::vector<std::string>{"nx", "red", "confidence"}));
  EXPECT_EQ(mesh.point_data.at("red").as<std::uint8_t>()[0], 255);
  EXPECT_EQ(mesh.point_data.at("confidence").as<double>()[4], 0.5);
  EXPECT_EQ(values_of<std::int16_t>(mesh.cell_data, "group"), (std::vector<std::int16_t>{-7, -7, 300}));
  EXPECT_TRUE(has_note(result.report, "\"friends\""));
  EXPECT_TRUE(has_note(result.report, "\"edge\""));
}

// "0 1 2 3 -1 2 3 5": strips of 2 and of 1 triangles.
TEST(Formats, PlyOfStrips) {
  const ReadResult result = read_sample("strips.ply", false);
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  EXPECT_TRUE(mesh.points.is_double());
  ASSERT_EQ(mesh.cell_count(), 3U);
  EXPECT_EQ(mesh.cells[0], cell(0, 1, 2));
  EXPECT_EQ(mesh.cells[1], cell(1, 3, 2));
  EXPECT_EQ(mesh.cells[2], cell(2, 3, 5));
}

TEST(Formats, PlyBigEndian) {
  const ReadResult result = read_sample("big.ply");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 1U);
  EXPECT_EQ(mesh.points[VertexId(1)], (Vec3d{1, 0, 0}));
  EXPECT_EQ(mesh.cells[0], cell(2, 0, 1));
  EXPECT_EQ(mesh.cell_data.at("flag").as<std::uint8_t>()[0], 200);
}

// A quad in 2 and two triangles; indices from 1, from the end, with texture and normals.
TEST(Formats, ObjWithEveryIndex) {
  const ReadResult result = read_sample("text.obj");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 4U);
  EXPECT_EQ(mesh.cells[2], cell(0, 1, 3));
  EXPECT_EQ(mesh.cells[3], cell(0, 2, 3));
  EXPECT_EQ(values_of<std::uint8_t>(mesh.point_data, "RGB"),
            (std::vector<std::uint8_t>{255, 0, 0, 0, 255, 0, 255, 255, 255, 255, 255, 255}));
  EXPECT_EQ(values_of<float>(mesh.point_data, "Normals"),
            (std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(values_of<float>(mesh.point_data, "TCoords"), std::vector<float>(8, 0.0F));
  EXPECT_TRUE(has_note(result.report, "l, "));
}

TEST(Formats, StlText) {
  const ReadResult result = read_sample("text.stl");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  EXPECT_EQ(mesh.vertex_count(), 5U);  // of six corners, two are equal
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[0], cell(0, 1, 2));
  EXPECT_EQ(mesh.cells[1], cell(1, 3, 4));
  EXPECT_TRUE(mesh.points.is_double());  // 0.3333333333333333 says more than a float
  EXPECT_EQ(count_of(result.report, "triangle"), 2U);
  EXPECT_TRUE(has_note(result.report, "Joined 6 corners of triangles to 5 points."));
}

TEST(Formats, StlLeftApart) {
  TempDir directory;
  testing::save(directory / "a.stl", testing::samples("stl").at("by_hand_text.stl"));
  const ReadResult result = read_mesh(directory / "a.stl", {.weld = false});
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  EXPECT_EQ(mesh.vertex_count(), 6U);
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[1], cell(3, 4, 5));
}

// The second triangle has two corners at one place, of which one is written as -0, and a point that no other
// has.
TEST(Formats, StlTrianglesThatCollapse) {
  TempDir directory;
  const auto facet = [](const char* corners) {
    return "facet normal 0 0 0\nouter loop\n" + std::string(corners) + "endloop\nendfacet\n";
  };
  testing::save(directory / "a.stl", "solid\n" + facet("vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n") +
                                         facet("vertex 0 0 0\nvertex -0 0 -0\nvertex 5 5 5\n") +
                                         facet("vertex 0 1 0\nvertex 1 0 0\nvertex 1 1 0\n") + "endsolid\n");
  const ReadResult result = read_mesh(directory / "a.stl");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.vertex_count(), 4U);
  EXPECT_EQ(mesh.points[VertexId(3)], (Vec3d{1, 1, 0}));
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[1], cell(2, 1, 3));
  EXPECT_EQ(count_of(result.report, "triangle"), 3U);
  EXPECT_TRUE(has_note(result.report, "Left out 1 triangle with two corners at one place."));
  EXPECT_TRUE(has_note(result.report, "Joined 6 corners of triangles to 4 points."));
  const TriMesh apart = read_triangles(directory / "a.stl", {.weld = false});
  EXPECT_EQ(apart.vertex_count(), 9U);
  EXPECT_EQ(apart.cell_count(), 3U);
}

TEST(Formats, StlBinaryThatCallsItselfSolid) {
  TempDir directory;
  write_mesh(directory / "a.stl", testing::make_two_triangles<float>());
  std::string bytes = testing::load(directory / "a.stl");
  ASSERT_EQ(bytes.size(), 84 + 2 * 50U);
  bytes.replace(0, 5, "solid");
  testing::save(directory / "a.stl", bytes);
  EXPECT_EQ(read_triangles(directory / "a.stl").cell_count(), 2U);
}

TEST(Formats, OffWithCommentsAndColours) {
  const ReadResult result = read_sample("text.off");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  EXPECT_EQ(mesh.vertex_count(), 5U);
  ASSERT_EQ(mesh.cell_count(), 4U);
  EXPECT_EQ(mesh.cells[2], cell(0, 1, 4));
  EXPECT_EQ(count_of(result.report, "quad"), 1U);
}

TEST(Formats, TrianglesBesideSolidsAreLeftOut) {
  TempDir directory;
  testing::save(directory / "a.vtk",
                "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
                "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 9\n3 0 1 2\n4 0 1 2 3\nCELL_TYPES 2\n5 10\n"
                "CELL_DATA 2\nSCALARS id int\nLOOKUP_TABLE default\n7 8\n");
  const ReadResult result = read_mesh(directory / "a.vtk");  // without simplices: nothing has to be cut
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 1U);
  EXPECT_EQ(mesh.cell_data.at("id").as<std::int32_t>()[0], 8);
  EXPECT_TRUE(has_note(result.report, "1 triangle"));
}

TEST(Formats, FilesWithoutCellsAreEither) {
  TempDir directory;
  testing::save(directory / "a.off", "OFF\n2 0 0\n0 0 0\n1 1 1\n");
  EXPECT_EQ(read_triangles(directory / "a.off").vertex_count(), 2U);
  EXPECT_EQ(read_tets(directory / "a.off").vertex_count(), 2U);
}

TEST(Formats, CoordinatesThatAreNotFiniteAreRead) {
  TempDir directory;
  testing::save(directory / "a.off", "OFF\n3 1 0\nnan 0 0\ninf 1 1\n0 -inf 0\n3 0 1 2\n");
  EXPECT_EQ(read_triangles(directory / "a.off").cell_count(), 1U);
}

// Every sample that is text, with the mark of UTF-8 before it.
TEST(Formats, MarkBeforeText) {
  TempDir directory;
  for (const char* name :
       {"text.stl", "text.off", "solids.mesh", "old.msh", "new.msh", "six.nrrd", "structured.vtk"}) {
    const std::string sample = name;
    const std::string bytes = testing::samples(sample.substr(sample.find('.') + 1)).at("by_hand_" + sample);
    testing::save(directory / ("plain_" + sample), bytes);
    testing::save(directory / sample, "\xEF\xBB\xBF" + bytes);
    EXPECT_TRUE(read_mesh(directory / sample, {.simplices = true}).mesh ==
                read_mesh(directory / ("plain_" + sample), {.simplices = true}).mesh)
        << name;
  }
  testing::save(directory / "a.obj", "\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(read_triangles(directory / "a.obj").vertex_count(), 3U);
  testing::save(directory / "a.node",
                "\xEF\xBB\xBF"
                "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 2\n");
  testing::save(directory / "a.ele",
                "\xEF\xBB\xBF"
                "1 4\n0 0 1 2 3\n");
  EXPECT_EQ(read_tets(directory / "a.ele").cell_count(), 1U);
}

// By the first bytes, or because the caller says so.
TEST(Formats, UnknownExtensions) {
  TempDir directory;
  const TriMesh mesh = testing::make_two_triangles<float>();
  for (const char* format : {"vtu", "vtp", "vtk", "ply", "stl", "off"}) {
    for (const bool ascii : {false, true}) {
      write_mesh(directory / "a.data", mesh, {.ascii = ascii, .format = format});
      const ReadResult result = read_mesh(directory / "a.data");
      EXPECT_EQ(result.report.format, format);
      EXPECT_TRUE(result.mesh == AnyMesh(mesh)) << format;
    }
  }
  for (const char* sample : {"six.nrrd", "old.msh", "pieces.vts", "pieces.vtr"}) {
    const std::string format = std::string(sample).substr(std::string_view(sample).find('.') + 1);
    testing::save(directory / "b", testing::samples(format).at(std::string("by_hand_") + sample));
    EXPECT_EQ(read_mesh(directory / "b", {.simplices = true}).report.format, format);
  }
  write_mesh(directory / "c.off", mesh, {.format = "OBJ"});
  EXPECT_TRUE(read_triangles(directory / "c.off", {.format = "obj"}) == mesh);
  testing::expect_error(ErrorCode::bad_file, {"c.off", "OFF"},
                        [&] { return read_mesh(directory / "c.off"); });
  testing::expect_error(ErrorCode::unsupported, {"c.off", "cannot be read as \"xyz\"", "ply"},
                        [&] { return read_mesh(directory / "c.off", {.format = "xyz"}); });
  testing::save(directory / "d", "what is this?");
  testing::expect_error(ErrorCode::unsupported, {"d: has an unknown extension", "ply"},
                        [&] { return read_mesh(directory / "d"); });
}

}  // namespace
}  // namespace tessera
