// threshold, extract, slice and clip: counts, what the files hold, and what is refused.
#include <gtest/gtest.h>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliParts : public ProgramTest {
 protected:
  json result(const Arguments& line) { return run_json(line)["result"]; }

  /// Three rows of two triangles; the rows are labelled 1, 5 and 5 on cells, y is 0 to 3 on points.
  void write_ladder() {
    write("ladder.vtk",
          "# vtk DataFile Version 3.0\nladder\nASCII\nDATASET POLYDATA\nPOINTS 9 float\n"
          "0 0 0 1 0 0  0 1 0 1 1 0  0 2 0 1 2 0  0 3 0 1 3 0  9 9 9\n"
          "POLYGONS 6 24\n3 0 1 2\n3 1 3 2\n3 2 3 4\n3 3 5 4\n3 4 5 6\n3 5 7 6\n"
          "CELL_DATA 6\nSCALARS label int 1\nLOOKUP_TABLE default\n1 1 5 5 5 5\n"
          "POINT_DATA 9\nSCALARS height float 1\nLOOKUP_TABLE default\n0 0 1 1 2 2 3 3 nan\n");
  }
};

TEST_F(CliParts, ThresholdKeepsValues) {
  write_ladder();
  const json found =
      result({"threshold", "ladder.vtk", "--field", "height", "--min", "1", "--max", "2", "-o", "part.vtp"});
  EXPECT_EQ(found["cells"], (json{{"before", 6}, {"after", 2}}));
  EXPECT_EQ(found["points"], (json{{"before", 9}, {"after", 4}}));
  EXPECT_EQ(found["association"], "points");
  const TriMesh part = read_triangles(path("part.vtp"));
  EXPECT_EQ(part.points[VertexId(0)], (Vec3d{0, 1, 0}));
  EXPECT_EQ(part.field("height").as<float>()[3], 2);
  EXPECT_EQ(part.cell_data.at("label").as<std::int32_t>()[0], 5);
  const Arguments more = {"threshold", "ladder.vtk", "--field", "height", "--min", "1", "--max", "2"};
  const auto cells = [&](const Arguments& options) {
    Arguments line = more;
    line.insert(line.end(), options.begin(), options.end());
    return result(line)["cells"]["after"];
  };
  EXPECT_EQ(cells({"--any"}), 6);
  EXPECT_EQ(cells({"--invert"}), 4);
  EXPECT_EQ(result({"threshold", "ladder.vtk", "--field", "label", "--max", "1"})["cells"]["after"], 2);
  EXPECT_EQ(result({"threshold", "ladder.vtk", "--field", ":y", "--min", "-5"})["cells"]["after"], 6);
}

TEST_F(CliParts, ThresholdSaysWhereItCameFromAndWhatIsEmpty) {
  write_ladder();
  ASSERT_EQ(
      run({"threshold", "ladder.vtk", "--field", "label", "--min", "2", "--provenance", "-o", "p.vtp"}).code,
      0);
  const TriMesh part = read_triangles(path("p.vtp"));
  EXPECT_EQ(part.field("InputPoint").as<std::int64_t>()[0], 2);
  EXPECT_EQ(part.cell_data.at("InputCell").as<std::int64_t>()[0], 2);
  const Outcome empty = run({"threshold", "ladder.vtk", "--field", "height", "--min", "7", "-o", "e.vtp"});
  EXPECT_EQ(empty.code, 0);
  EXPECT_NE(empty.err.find("nothing is left"), std::string::npos);
  EXPECT_EQ(read_triangles(path("e.vtp")).vertex_count(), 0u);
}

TEST_F(CliParts, GridsAreCutFirst) {
  ASSERT_EQ(run({"make", "lattice", "--size", "5", "--field", "sphere", "-o", "g.vti"}).code, 0);
  const Outcome done = run({"threshold", "g.vti", "--field", ":x", "--max", "0.5", "-o", "half.vtu"});
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.err.find("the grid was cut into"), std::string::npos);
  const TetMesh half = read_tets(path("half.vtu"));
  EXPECT_EQ(half.cell_count(), 6u * 2 * 4 * 4);
  EXPECT_EQ(half.field("sphere").size(), 75u);
}

TEST_F(CliParts, ExtractTakesLabelsRegionsAndComponents) {
  write_ladder();
  const auto cells = [&](const Arguments& options) {
    Arguments line = {"extract", "ladder.vtk"};
    line.insert(line.end(), options.begin(), options.end());
    return result(line)["cells"]["after"];
  };
  EXPECT_EQ(cells({"--field", "label", "--labels", "1,7-9"}), 2);
  EXPECT_EQ(cells({"--field", "label", "--labels", "-3,2-5"}), 4);
  EXPECT_EQ(cells({"--region", "-1,1,1,3,0,0"}), 4);
  EXPECT_EQ(cells({"--region", "-1,1,1,3,0,0", "--invert"}), 2);
  EXPECT_EQ(cells({"--field", "label", "--labels", "5", "--region", "0,1,0,2,0,0"}), 2);
  EXPECT_EQ(cells({"--largest", "3"}), 6);
  // Without the middle row, the ladder falls apart.
  const Arguments ends = {"--field", "height", "--labels", "0,1-2,3", "--region", "0,1,1,2,0,0", "--invert"};
  Arguments line = {"extract", "ladder.vtk",   "--components", "--component",
                    "1",       "--provenance", "-o",           "c.vtp"};
  line.insert(line.end(), ends.begin(), ends.end());
  const json found = result(line);
  EXPECT_EQ(found["components"], 2);
  EXPECT_EQ(found["component_sizes"], (json{2, 2}));
  const TriMesh part = read_triangles(path("c.vtp"));
  EXPECT_EQ(part.cell_data.at("Component").as<std::int64_t>()[0], 1);
  EXPECT_EQ(part.cell_data.at("InputCell").as<std::int64_t>()[0], 4);
  EXPECT_EQ(part.vertex_count(), 4u);
}

TEST_F(CliParts, SliceGivesSurfacesAndLines) {
  ASSERT_EQ(run({"make", "kuhn-full", "--size", "5", "--field", "smooth", "-o", "k.vtu"}).code, 0);
  const json found = result({"slice", "k.vtu", "--axis", "z", "--position", "0.25", "-o", "s.vtp"});
  EXPECT_EQ(found["points"], 25);
  EXPECT_EQ(found["triangles"], 32);
  EXPECT_EQ(read_triangles(path("s.vtp")).field("smooth").size(), 25u);
  EXPECT_EQ(run({"doctor", "s.vtp"}).code, 0);
  EXPECT_EQ(
      result({"slice", "k.vtu", "--normal", "0,0,-2", "--provenance", "-o", "s.vtp"})["plane"]["origin"],
      (json{0.5, 0.5, 0.5}));
  EXPECT_EQ(read_triangles(path("s.vtp")).cell_data.at("InputCell").size(), 32u);
  const json lines = result({"slice", "s.vtp", "--normal", "1,0,0", "--origin", "0.25,9,9", "-o", "l.vtp"});
  EXPECT_EQ(lines["points"], 5);
  EXPECT_EQ(lines["lines"], 4);
  EXPECT_EQ(read_poly(path("l.vtp")).lines.size(), 4u);
  ASSERT_EQ(run({"make", "lattice", "--size", "5x5x1", "-o", "flat.vti"}).code, 0);
  EXPECT_EQ(result({"slice", "flat.vti", "--axis", "x", "--position", "0.25"})["lines"], 4);
  const Outcome empty = run({"slice", "k.vtu", "--axis", "z", "--position", "7", "-o", "e.vtp"});
  EXPECT_EQ(empty.code, 0);
  EXPECT_NE(empty.err.find("the slice is empty: the plane does not meet the mesh"), std::string::npos);
  const auto why = [&](const char* file, const char* axis, const char* position) {
    return run({"slice", file, "--axis", axis, "--position", position}).err;
  };
  // s.vtp lies in a plane, of which all 32 triangles are; the octahedron has a corner at (0, 0, 1).
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.vtp"}).code, 0);
  EXPECT_EQ(why("s.vtp", "z", "0.5"),
            "tessera: the slice is empty: 32 cells lie in the plane, and it cuts no other\n");
  EXPECT_EQ(why("o.vtp", "z", "1"),
            "tessera: the slice is empty: the plane touches the mesh but cuts no cell\n");
  EXPECT_EQ(why("o.vtp", "z", "1.5"), "tessera: the slice is empty: the plane does not meet the mesh\n");
  expect_one_sentence(run({"slice", "k.vtu"}), 2, {"--axis", "--normal"});
  expect_one_sentence(run({"slice", "k.vtu", "--axis", "z", "--normal", "1,0,0"}), 2, {"not both"});
  expect_one_sentence(run({"slice", "k.vtu", "--axis", "z", "--origin", "1,0,0"}), 2, {"--position"});
  expect_one_sentence(run({"slice", "k.vtu", "--normal", "0,0,0"}), 2, {"direction"});
  expect_one_sentence(run({"slice", "k.vtu", "--normal", "0,nan,1"}), 2, {"0,nan,1"});
  expect_one_sentence(run({"slice", "s.vtp", "--axis", "x", "-o", "l.ply"}), 6, {"l.ply", ".vtp"});
}

TEST_F(CliParts, ClipCutsVolumesAndSurfaces) {
  ASSERT_EQ(run({"make", "kuhn-full", "--size", "5", "--field", "smooth", "-o", "k.vtu"}).code, 0);
  // Half of the cubes of 6 tetrahedra each, and a layer that is cut in the middle.
  const json found = result({"clip", "k.vtu", "--axis", "x", "--position", "0.5", "-o", "half.vtu"});
  EXPECT_EQ(found["cells"], (json{{"before", 384}, {"after", 192}}));
  EXPECT_EQ(result({"clip", "k.vtu", "--normal", "1,0,0", "--origin", "0.6,0,0", "--provenance", "-o",
                    "cut.vtu"})["points"]["before"],
            125);
  const TetMesh cut = read_tets(path("cut.vtu"));
  EXPECT_EQ(cut.cell_data.at("InputCell").size(), cut.cell_count());
  EXPECT_EQ(cut.field("InputWeight").size(), cut.vertex_count());
  EXPECT_EQ(cut.field("smooth").size(), cut.vertex_count());
  EXPECT_EQ(run({"doctor", "cut.vtu"}).code, 0);
  const json high = result({"clip", "k.vtu", "--field", ":y", "--value", "0.75", "--invert"});
  EXPECT_EQ(high["cells"]["after"], 288);
  EXPECT_EQ(high["value"], 0.75);
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.vtp"}).code, 0);
  EXPECT_EQ(result({"clip", "o.vtp", "--axis", "z"})["cells"]["after"], 4);
  ASSERT_EQ(run({"make", "lattice", "--size", "5", "--field", "sphere", "-o", "g.vti"}).code, 0);
  EXPECT_EQ(run({"clip", "g.vti", "--field", "sphere", "--value", "0.4", "-o", "shell.vtu"}).code, 0);
  EXPECT_EQ(run({"doctor", "shell.vtu"}).code, 0);
  write_ladder();
  const Outcome noted = run({"clip", "ladder.vtk", "--field", "height", "--value", "1.5"});
  EXPECT_EQ(noted.code, 0);
  EXPECT_EQ(noted.err, "");  // the NaN is of a point without cells
  const Outcome empty = run({"clip", "k.vtu", "--axis", "z", "--position", "7", "-o", "e.vtu"});
  EXPECT_EQ(empty.code, 0);
  EXPECT_NE(empty.err.find("nothing is left"), std::string::npos);
  expect_one_sentence(run({"clip", "k.vtu"}), 2, {"--axis", "--value"});
  expect_one_sentence(run({"clip", "k.vtu", "--axis", "z", "--value", "1"}), 2, {"not both"});
  expect_one_sentence(run({"clip", "k.vtu", "--axis", "z", "--field", "smooth"}), 2, {"--value"});
  EXPECT_EQ(run({"clip", "k.vtu", "--value", "nan"}).code, 2);
}

TEST_F(CliParts, RefusesWhatMeansNothing) {
  write_ladder();
  expect_one_sentence(run({"threshold", "ladder.vtk", "--field", "height"}), 2, {"--min", "--max"});
  expect_one_sentence(run({"threshold", "ladder.vtk", "--field", "height", "--min", "2", "--max", "1"}), 2,
                      {"exchange"});
  expect_one_sentence(run({"threshold", "ladder.vtk", "--min", "2"}), 2, {"several", "'height'", "'label'"});
  expect_one_sentence(run({"extract", "ladder.vtk"}), 2, {"--labels"});
  expect_one_sentence(run({"extract", "ladder.vtk", "--region", "0,1,2"}), 2, {"--region", "6 numbers"});
  expect_one_sentence(run({"extract", "ladder.vtk", "--region", "1,0,0,1,0,1"}), 2, {"box"});
  expect_one_sentence(run({"extract", "ladder.vtk", "--field", "label", "--labels", "3-1"}), 2, {"3-1"});
  expect_one_sentence(run({"extract", "ladder.vtk", "--field", "label", "--labels", "1,,2"}), 2,
                      {"--labels"});
  expect_one_sentence(run({"extract", "ladder.vtk", "--component", "1"}), 3, {"no component 1"});
  expect_one_sentence(run({"extract", "ladder.vtk", "--field", "label", "--largest", "1"}), 2, {"--field"});
  expect_one_sentence(run({"extract", "ladder.vtk", "--largest", "1", "--component", "0"}), 2, {"--largest"});
  expect_one_sentence(run({"extract", "ladder.vtk", "--any", "--largest", "1"}), 2, {"--any"});
  EXPECT_EQ(run({"extract", "ladder.vtk", "--largest", "0"}).code, 2);
  expect_one_sentence(run({"extract", "ladder.vtk", "--component", "0.5"}), 2, {"--component 0.5", "whole"});
  ASSERT_EQ(run({"make", "kuhn", "--size", "64", "--field", "rough", "-o", "k.vtu"}).code, 0);
  const std::size_t base = run_json({"info", "k.vtu"})["peak_bytes"];
  const std::string limit = std::to_string(base + (std::size_t{14} << 20));  // the part takes 20 MiB
  expect_one_sentence(run({"threshold", "k.vtu", "--min", "-99", "--memory", limit}), 8,
                      {"the part that is kept"});
}

}  // namespace
}  // namespace tessera::test
