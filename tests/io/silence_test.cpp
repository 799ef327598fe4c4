// Nothing is lost in silence: what a format cannot hold is said, and what it has a place for is put there.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tessera/mesh/make.h>

#include "io/support.h"

namespace tessera {
namespace {

using testing::TempDir;

bool mentions(const std::vector<std::string>& notes, std::string_view text) {
  return std::ranges::any_of(notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

/// Two triangles with colours, normals and texture coordinates, in the order that an obj file has them.
TriMesh dressed() {
  TriMesh mesh = testing::make_two_triangles<float>();
  mesh.point_data.add(Field("RGB", Array<std::uint8_t>{255, 0, 0, 0, 255, 0, 1, 2, 3, 128, 127, 254}, 3));
  mesh.point_data.add(Field("Normals", Array<float>{0, 0, 1, 0, 1, 0, 1, 0, 0, 0.6F, 0.8F, 0}, 3));
  mesh.point_data.add(Field("TCoords", Array<float>{0, 0, 1, 0, 1, 1, 0.25F, 1}, 2));
  return mesh;
}

TEST(Silence, PlyAndObjHoldNormalsColoursAndTexture) {
  TempDir directory;
  const TriMesh mesh = dressed();
  for (const char* const name : {"a.ply", "a.obj", "b.ply"}) {
    const WriteReport report = write_mesh(directory / name, mesh, {.ascii = name[0] == 'b'});
    EXPECT_TRUE(report.notes.empty()) << report.notes.front();
    EXPECT_TRUE(read_triangles(directory / name) == mesh) << name;
  }
  const std::string ply = testing::load(directory / "b.ply");
  for (const char* const property : {"float nx", "float nz", "uchar red", "uchar blue", "float texture_v"})
    EXPECT_NE(ply.find(std::string("property ") + property), std::string::npos) << property;
  const std::string obj = testing::load(directory / "a.obj");
  EXPECT_NE(obj.find("vn 0 1 0\n"), std::string::npos);
  EXPECT_NE(obj.find("vt 0.25 1\n"), std::string::npos);
  EXPECT_NE(obj.find("f 1/1/1 2/2/2"), std::string::npos);
}

TEST(Silence, PlyHoldsAlphaAndColoursOfFaces) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<float>();
  mesh.point_data.add(
      Field("RGBA", Array<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 4));
  mesh.cell_data.add(Field("RGB", Array<std::uint8_t>{255, 0, 7, 0, 255, 9}, 3));
  EXPECT_TRUE(write_mesh(directory / "a.ply", mesh).notes.empty());
  EXPECT_TRUE(read_triangles(directory / "a.ply") == mesh);
  // OBJ has no alpha and no colours of faces.
  const WriteReport report = write_mesh(directory / "a.obj", mesh);
  EXPECT_TRUE(mentions(report.notes, "the point field \"RGBA\"; the cell field \"RGB\""));
}

TEST(Silence, OtherNamesOfPlyAreRead) {
  TempDir directory;
  testing::save(
      directory / "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "property float s\nproperty float t\nproperty uchar red\nproperty uchar green\n"
      "property uchar blue\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "0 0 0 0 0 1 2 3\n1 0 0 1 0 4 5 6\n0 1 0 0 1 7 8 9\n3 0 1 2\n");
  const TriMesh mesh = read_triangles(directory / "a.ply");
  EXPECT_EQ(mesh.point_data.names(), (std::vector<std::string>{"TCoords", "RGB"}));
  EXPECT_EQ(mesh.point_data.at("RGB").components(), 3U);
}

TEST(Silence, WritersSayWhatTheyLeaveOut) {
  TempDir directory;
  TriMesh mesh = dressed();
  mesh.point_data.add(Field("height", Array<double>{1, 2, 3, 4}));
  mesh.cell_data.add(Field("part", Array<int>{1, 2}));
  mesh.field_data.add(Field("time", Array<double>{0.5}));
  for (const char* const name : {"a.stl", "a.off"}) {
    const WriteReport report = write_mesh(directory / name, mesh);
    ASSERT_EQ(report.notes.size(), 1U) << name;
    EXPECT_TRUE(mentions(report.notes, "the point fields \"RGB\", \"Normals\", ")) << report.notes[0];
    EXPECT_TRUE(mentions(report.notes, "; the cell field \"part\"; ")) << report.notes[0];
    EXPECT_TRUE(mentions(report.notes, "the mesh field \"time\".")) << report.notes[0];
  }
  const WriteReport obj = write_mesh(directory / "a.obj", mesh);
  EXPECT_EQ(obj.notes, (std::vector<std::string>{
                           "Left out what an obj file cannot hold: the point field \"height\"; the cell "
                           "field \"part\"; the mesh field \"time\"."}));
  const WriteReport ply = write_mesh(directory / "a.ply", mesh);
  EXPECT_EQ(ply.notes,
            (std::vector<std::string>{"Left out what a ply file cannot hold: the mesh field \"time\"."}));
  for (const char* const name : {"a.vtp", "a.vtu", "a.vtk"})
    EXPECT_TRUE(write_mesh(directory / name, mesh).notes.empty()) << name;
}

TEST(Silence, PlySaysThatItRounds) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<float>();
  mesh.point_data.add(Field("id", Array<std::int64_t>{0, -5, 9007199254740993, 3}));
  mesh.point_data.add(Field("small", Array<std::uint64_t>{0, 1, 9007199254740992U, 3}));
  const WriteReport report = write_mesh(directory / "a.ply", mesh);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(mentions(report.notes, "\"id\""));
}

TEST(Silence, ObjWithNormalsOfCornersLeavesThemOut) {
  TempDir directory;
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvn 0 0 1\nvn 0 1 0\n";
  testing::save(directory / "a.obj", points + "f 1//1 2//1 3//1\nf 2//2 4//2 3//2\n");
  const ReadResult sharp = read_mesh(directory / "a.obj");
  EXPECT_TRUE(std::get<TriMesh>(sharp.mesh).point_data.empty());
  EXPECT_TRUE(mentions(sharp.report.notes, "points have several"));
  testing::save(directory / "b.obj", points + "f 1 2 3\n");
  EXPECT_TRUE(mentions(read_mesh(directory / "b.obj").report.notes, "which no face names"));
  testing::save(directory / "c.obj", points + "f 1//1 2//1 3//7\n");
  EXPECT_EQ(testing::error_of([&] { (void)read_mesh(directory / "c.obj"); })->code(), ErrorCode::bad_file);
  testing::save(directory / "d.obj", points + "f 1//1 2//1 4000000000//1\n");
  EXPECT_EQ(testing::error_of([&] { (void)read_mesh(directory / "d.obj"); })->code(), ErrorCode::bad_file);
}

TEST(Silence, ColoursThatAreNoBytesStayFloats) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<float>();
  mesh.point_data.add(Field("RGB", Array<float>{0.123F, 0, 0, 0, 1, 0, 1, 2.5F, 0, 0, 0, 0}, 3));
  EXPECT_TRUE(write_mesh(directory / "a.obj", mesh).notes.empty());
  EXPECT_TRUE(read_triangles(directory / "a.obj") == mesh);
}

TEST(Silence, XmlMarksScalarsAndNormals) {
  TempDir directory;
  TriMesh mesh = dressed();
  mesh.point_data.add(Field("low", Array<float>{1, 2, 3, 4}));
  mesh.point_data.add(Field("a \"b\"", Array<float>{1, 2, 3, 4}));
  write_mesh(directory / "a.vtp", mesh, {.ascii = true});
  EXPECT_NE(testing::load(directory / "a.vtp")
                .find("<PointData Scalars=\"low\" Normals=\"Normals\" TCoords=\"TCoords\">"),
            std::string::npos);
  mesh.point_data.set_active("a \"b\"");
  write_mesh(directory / "b.vtp", mesh, {.ascii = true});
  const TriMesh back = read_triangles(directory / "b.vtp");
  ASSERT_NE(back.point_data.active(), nullptr);
  EXPECT_EQ(back.point_data.active()->name(), "a \"b\"");
}

TEST(Silence, ReadersSayWhatTheyLeaveOut) {
  TempDir directory;
  testing::save(directory / "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 255 0 0\n");
  EXPECT_TRUE(mentions(read_mesh(directory / "a.off").report.notes, "colours"));
  testing::save(directory / "b.off", "COFF\n3 1 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n0 1 0 1 1 1 1\n3 0 1 2\n");
  EXPECT_TRUE(mentions(read_mesh(directory / "b.off").report.notes, "colours of the points"));
  write_mesh(directory / "a.stl", testing::make_two_triangles<float>());
  std::string stl = testing::load(directory / "a.stl");
  EXPECT_FALSE(mentions(read_mesh(directory / "a.stl").report.notes, "two bytes"));
  stl[84 + 48] = 7;
  testing::save(directory / "b.stl", stl);
  EXPECT_TRUE(mentions(read_mesh(directory / "b.stl").report.notes, "two bytes"));
}

std::string vtp(const std::string& point_data) {
  return "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\"><PolyData>"
         "<Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\"><PointData>" +
         point_data +
         "</PointData><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">"
         "0 0 0 1 0 0 0 1 0</DataArray></Points><Polys>"
         "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>"
         "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray></Polys>"
         "</Piece></PolyData></VTKFile>";
}

std::string array(const std::string& attributes, const std::string& text) {
  return "<DataArray type=\"Float32\" Name=\"f\" format=\"ascii\"" + attributes + ">" + text + "</DataArray>";
}

TEST(Silence, SecondArraysAndTimeStepsAreMentioned) {
  TempDir directory;
  testing::save(directory / "a.vtp", vtp(array("", "1 2 3") + array("", "4 5 6")));
  const ReadResult twice = read_mesh(directory / "a.vtp");
  EXPECT_TRUE(mentions(twice.report.notes, "second array \"f\""));
  EXPECT_EQ(std::get<TriMesh>(twice.mesh).point_data.at("f").as<float>()[0], 1.0F);
  testing::save(directory / "b.vtp",
                vtp(array(" TimeStep=\"0\"", "1 2 3") + array(" TimeStep=\"1\"", "4 5 6")));
  EXPECT_TRUE(mentions(read_mesh(directory / "b.vtp").report.notes, "first of several time steps"));
  testing::save(directory / "c.vtk",
                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\n"
                "POINT_DATA 1\nSCALARS f float\nLOOKUP_TABLE default\n1\nFIELD d 1\nf 1 1 float\n2\n");
  EXPECT_TRUE(mentions(read_mesh(directory / "c.vtk").report.notes, "second array \"f\""));
}

TEST(Silence, TextBehindTheNumbersIsAnError) {
  TempDir directory;
  testing::save(directory / "a.vtp", vtp(array("", "1 2 3 4")));
  const auto error = testing::error_of([&] { (void)read_mesh(directory / "a.vtp"); });
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(std::string(error->what()).find("\"4\" behind its numbers"), std::string::npos) << error->what();
  testing::save(directory / "b.vtp",
                vtp(array("", "1 2 3 <InformationKey name=\"RANGE\">4</InformationKey>")));
  EXPECT_NO_THROW((void)read_mesh(directory / "b.vtp"));
}

TEST(Silence, NamesOfPartsStayNames) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<float>();
  for (const char* const name : {"u", "v", "red", "green", "blue", "nx", "ny", "nz"})
    mesh.point_data.add(Field(name, Array<float>{1, 2, 3, 4}));
  mesh.point_data.add(Field("RGB", Array<std::uint8_t>(12, std::uint8_t{3}), 3));
  mesh.point_data.add(Field("alpha", Array<std::uint8_t>{1, 2, 3, 4}));
  mesh.point_data.add(Field("RGBA", Array<std::uint8_t>(16, std::uint8_t{5}), 4));
  EXPECT_TRUE(write_mesh(directory / "a.ply", mesh).notes.empty());
  EXPECT_TRUE(read_triangles(directory / "a.ply") == mesh);
}

TEST(Silence, GapsBetweenPiecesAreErrors) {
  TempDir directory;
  const auto piece = [](const std::string& extent, const std::string& numbers) {
    return "<Piece Extent=\"" + extent + "\"><PointData>" + array("", numbers) + "</PointData></Piece>";
  };
  const auto image = [](const std::string& pieces) {
    return "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\">"
           "<ImageData WholeExtent=\"0 3 0 0 0 0\">" +
           pieces + "</ImageData></VTKFile>";
  };
  testing::save(directory / "a.vti", image(piece("0 1 0 0 0 0", "1 2") + piece("1 3 0 0 0 0", "2 3 4")));
  EXPECT_EQ(read_grid(directory / "a.vti").point_data.at("f").as<float>()[3], 4.0F);
  testing::save(directory / "b.vti",
                image(piece("0 1 0 0 0 0", "1 2") + piece("0 1 0 0 0 0", "1 2") + piece("3 3 0 0 0 0", "4")));
  const auto error = testing::error_of([&] { (void)read_mesh(directory / "b.vti"); });
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(std::string(error->what()).find("gaps"), std::string::npos) << error->what();
  // The first piece has no cells and no arrays; the others leave a gap.
  const auto cells = [](const std::string& extent) {
    return "<Piece Extent=\"" + extent + "\"><CellData>" + array("", "1 2") + "</CellData></Piece>";
  };
  testing::save(directory / "c.vti",
                "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\">"
                "<ImageData WholeExtent=\"0 4 0 0 0 0\"><Piece Extent=\"0 0 0 0 0 0\"></Piece>" +
                    cells("0 2 0 0 0 0") + cells("0 2 0 0 0 0") + "</ImageData></VTKFile>");
  EXPECT_TRUE(testing::error_of([&] { (void)read_mesh(directory / "c.vti"); }).has_value());
}

/// Memory is justified by the file as a whole.
TEST(Silence, ArraysMayNotShareTheFileManyTimes) {
  TempDir directory;
  TriMesh mesh = make_ico(3);
  for (int i = 0; i < 40; ++i)
    mesh.point_data.add(Field("f" + std::to_string(i), Array<double>(mesh.vertex_count(), 1.0)));
  write_mesh(directory / "a.vtp", mesh);
  EXPECT_NO_THROW((void)read_mesh(directory / "a.vtp"));
  // f0 becomes an array of a file without the others, which all begin where it does.
  TriMesh small = mesh;
  small.point_data = {};
  small.point_data.add(mesh.point_data.at("f0"));
  write_mesh(directory / "b.vtp", small);
  std::string bytes = testing::load(directory / "b.vtp");
  const std::size_t begin = bytes.find("<DataArray type=\"Float64\" Name=\"f0\"");
  const std::size_t end = bytes.find("/>", begin) + 2;
  std::string arrays;
  for (int i = 1; i < 40; ++i) {
    std::string array = bytes.substr(begin, end - begin);
    array.replace(array.find("\"f0\""), 4, "\"f" + std::to_string(i) + "\"");
    arrays += array;
  }
  bytes.insert(end, arrays);
  testing::save(directory / "c.vtp", bytes);
  const auto error = testing::error_of([&] { (void)read_mesh(directory / "c.vtp"); });
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(std::string(error->what()).find("several times its size"), std::string::npos) << error->what();
  testing::save(
      directory / "d.vtp",
      vtp("<DataArray type=\"Float32\" Name=\"f\" NumberOfComponents=\"4294967295\" format=\"ascii\">"
          "</DataArray>"));
  EXPECT_EQ(testing::error_of([&] { (void)read_mesh(directory / "d.vtp"); })->code(), ErrorCode::bad_file);
}

}  // namespace
}  // namespace tessera
