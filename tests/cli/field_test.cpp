// --field: components, magnitudes, coordinates and cell fields, for every verb that takes a field.
#include <gtest/gtest.h>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliField : public ProgramTest {
 protected:
  const std::vector<std::string> topology_verbs = {"critical-points", "gradient", "morse-smale",
                                                   "persistence"};

  /// 3 x 3 points from (0, 0) to (2, 2): v = (3 x, -4 x, 0), p = x + y; the upper cells are 4, the others 0.
  void write_grid(const std::string& more = "") const {
    write("g.vti",
          R"(<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian">
<ImageData WholeExtent="0 2 0 2 0 0" Origin="0 0 0" Spacing="1 1 1"><Piece Extent="0 2 0 2 0 0">
<PointData>
<DataArray type="Int32" Name="v" NumberOfComponents="3" format="ascii">
0 0 0 3 -4 0 6 -8 0 0 0 0 3 -4 0 6 -8 0 0 0 0 3 -4 0 6 -8 0</DataArray>
<DataArray type="Float32" Name="p" format="ascii">0 1 2 1 2 3 2 3 4</DataArray>
)" + more + R"(</PointData>
<CellData><DataArray type="Float32" Name="c" format="ascii">0 0 4 4</DataArray></CellData>
</Piece></ImageData></VTKFile>
)");
  }
  /// The contour line of a field, all of whose points must lie on the line x or y = place.
  void expect_line(const std::string& field, const std::string& value, int axis, double place,
                   const std::string& name) const {
    const json object = run_json({"isosurface", "g.vti", "--field", field, "--value", value, "-o", "l.vtp"});
    EXPECT_EQ(object["result"]["field"], name);
    const PolyData lines = read_poly(path("l.vtp"));
    ASSERT_EQ(lines.vertex_count(), 3u) << field;
    for (std::uint32_t v = 0; v < 3; ++v) {
      const Vec3d p = lines.points[VertexId(v)];
      EXPECT_FLOAT_EQ(static_cast<float>(axis == 0 ? p.x : p.y), static_cast<float>(place)) << field;
    }
  }
};

TEST_F(CliField, IsosurfacesOfWhatIsMade) {
  write_grid();
  expect_line("v:x", "4.5", 0, 1.5, "v:x");
  expect_line("v:1", "-2", 0, 0.5, "v:1");
  expect_line("v:magnitude", "7.5", 0, 1.5, "v:magnitude");
  expect_line(":x", "0.25", 0, 0.25, "x");
  expect_line(":y", "1.75", 1, 1.75, "y");
  expect_line("c", "1", 1, 0.5, "c");  // 0, 2 and 4 on the three rows of points
  const json object = run_json({"isosurface", "g.vti", "--field", "c", "--value", "1"});
  EXPECT_EQ(object["notes"],
            json::array({"'c' is on the cells; each point gets the mean of the cells around it"}));
}

TEST_F(CliField, WholeNamesWin) {
  write_grid(R"(<DataArray type="Int8" Name="v:x" format="ascii">0 0 0 2 2 2 4 4 4</DataArray>)");
  expect_line("v:x", "1", 1, 0.5, "v:x");
}

TEST_F(CliField, TopologyOfWhatIsMade) {
  write_grid();
  for (const std::string& verb : topology_verbs) {
    for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
             {"v:magnitude", "v:magnitude"}, {"v:0", "v:0"}, {":y", "y"}, {"c", "c"}}) {
      EXPECT_EQ(run_json({verb, "g.vti", "--field", text})["result"]["field"], name) << verb;
    }
  }
  EXPECT_EQ(run_json({"persistence", "g.vti", "--field", "v:magnitude"})["result"]["range"],
            (json{0.0, 10.0}));
  EXPECT_EQ(run_json({"persistence", "g.vti", "--field", "c"})["result"]["range"], (json{0.0, 4.0}));
  ASSERT_EQ(run({"morse-smale", "g.vti", "--field", "v:magnitude", "-o", "s.vti"}).code, 0);
  EXPECT_EQ(read_grid(path("s.vti")).field("v:magnitude"),
            Field("v:magnitude", Array<double>{0, 5, 10, 0, 5, 10, 0, 5, 10}));
}

TEST_F(CliField, TheSameFileAsOfTheStoredField) {
  ASSERT_EQ(run({"make", "kuhn", "--size", "8", "--field", "rough", "-o", "k.vtu"}).code, 0);
  TetMesh mesh = read_tets(path("k.vtu"));
  const auto rough = mesh.field("rough").as<float>();
  Array<float> pairs;
  for (const float value : rough) pairs.insert(pairs.end(), {-value, value});
  mesh.point_data.add(Field("pair", std::move(pairs), 2));
  write_mesh(path("p.vtu"), mesh);
  for (const char* threads : {"1", "2", "5"}) {
    ASSERT_EQ(run({"critical-points", "k.vtu", "--field", "rough", "--threads", threads, "-o", "a.vtp"}).code,
              0);
    ASSERT_EQ(
        run({"critical-points", "p.vtu", "--field", "pair:1", "--threads", threads, "-o", "b.vtp"}).code, 0);
    PolyData a = read_poly(path("a.vtp"));
    const PolyData b = read_poly(path("b.vtp"));
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.point_data.at("CriticalType"), b.point_data.at("CriticalType"));
    EXPECT_TRUE(b.point_data.has("pair:1"));
  }
}

TEST_F(CliField, CoarsenCutsAtACoordinate) {
  ASSERT_EQ(run({"make", "kuhn-full", "--size", "6", "-o", "k.vtu"}).code, 0);
  ASSERT_EQ(run({"coarsen", "k.vtu", "--field", ":z", "--value", "0.3", "-o", "s.ply"}).code, 0);
  const TriMesh mesh = read_triangles(path("s.ply"));
  ASSERT_GT(mesh.vertex_count(), 0u);
  for (const VertexId v : mesh.vertices()) EXPECT_NEAR(mesh.points[v].z, 0.3, 1e-6);
}

TEST_F(CliField, RefusalsAreOneSentence) {
  write_grid();
  std::vector<Arguments> lines = {{"isosurface", "g.vti", "--value", "1"},
                                  {"coarsen", "g.vti", "--value", "1"},
                                  {"render", "g.vti", "-o", "g.png"}};
  for (const std::string& verb : topology_verbs) lines.push_back({verb, "g.vti"});
  for (const Arguments& line : lines) {
    const auto refuse = [&](const std::string& text, int code, const std::vector<std::string>& parts) {
      Arguments whole = line;
      whole.insert(whole.end(), {"--field", text});
      expect_one_sentence(run(whole), code, parts);
    };
    refuse("w:x", 3, {"no field 'w:x'", "'v' (points)", "'c' (cells)"});
    refuse("v:3", 3, {"'3' is no component", "'v'", "0 to 2", "x, y and z", "magnitude"});
    refuse("p:magnitude", 6, {"'p' has one component", "magnitude"});
    refuse(":t", 3, {"':t'", "':x', ':y' and ':z'"});
    if (line[0] != "render") refuse("v", 6, {"'v'", "3 components", "'v:0'", "'v:magnitude'"});
  }
  EXPECT_EQ(files(), std::vector<std::string>{"g.vti"});
}

TEST_F(CliField, WhatIsMadeCountsAsMemory) {
  ASSERT_EQ(run({"make", "lattice", "--size", "128", "-o", "g.vti"}).code, 0);
  const std::size_t base = run_json({"info", "g.vti"})["peak_bytes"];
  const std::string limit = std::to_string(base + (std::size_t{10} << 20));  // the field takes 16 MiB
  expect_one_sentence(run({"isosurface", "g.vti", "--field", ":x", "--value", "0.5", "--memory", limit}), 8,
                      {"the field ':x'", "16.00 MiB"});
}

TEST_F(CliField, PointsWithoutCellsAreMentioned) {
  write("t.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
        "0 0 0 1 0 0 0 1 0 0 0 1 9 9 9\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
        "CELL_DATA 1\nSCALARS f float 1\nLOOKUP_TABLE default\n3\n");
  const json object = run_json({"isosurface", "t.vtk", "--field", "f", "--value", "1"});
  EXPECT_EQ(object["notes"][0],
            "'f' is on the cells; each point gets the mean of the cells around it, NaN for 1 point without "
            "cells");
  const json refused = run_json({"gradient", "t.vtk", "--field", "f"}, 6);
  EXPECT_NE(refused["error"]["message"].get<std::string>().find("vertex 4"), std::string::npos);
}

}  // namespace
}  // namespace tessera::test
