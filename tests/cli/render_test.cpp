// tessera render: the files are PNG, of the size asked for, and something is on them.
#include <gtest/gtest.h>
#include <vtkImageData.h>
#include <vtkPNGReader.h>
#include <vtkSmartPointer.h>

#include <array>
#include <set>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using Pixel = std::array<unsigned char, 3>;

class CliRender : public ProgramTest {
 protected:
  void ok(const Arguments& line, const Arguments& environment = {}) {
    const Outcome outcome = run(line, environment);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  /// Checks the file and counts its different colours.
  std::set<Pixel> colors(const std::string& name, int width, int height) {
    EXPECT_EQ(read(name).substr(0, 8), "\x89PNG\r\n\x1a\n");
    const auto reader = vtkSmartPointer<vtkPNGReader>::New();
    reader->SetFileName(path(name).c_str());
    reader->Update();
    vtkImageData* image = reader->GetOutput();
    EXPECT_EQ(image->GetDimensions()[0], width);
    EXPECT_EQ(image->GetDimensions()[1], height);
    EXPECT_EQ(image->GetNumberOfScalarComponents(), 3);
    const auto* bytes = static_cast<const unsigned char*>(image->GetScalarPointer());
    std::set<Pixel> found;
    for (vtkIdType i = 0; i < image->GetNumberOfPoints(); ++i)
      found.insert({bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]});
    return found;
  }
};

TEST_F(CliRender, DrawsWithoutADisplay) {
  ok({"make", "ico", "--size", "3", "-o", "m.ply"});
  ok({"render", "m.ply", "-o", "m.png", "--size", "200x150"}, {"DISPLAY"});
  EXPECT_GT(colors("m.png", 200, 150).size(), 50u);
  EXPECT_EQ(files(), (std::vector<std::string>{"m.ply", "m.png"}));
}

TEST_F(CliRender, FallsBackWhenTheDisplayDoesNotAnswer) {
  ok({"make", "ico", "--size", "2", "-o", "m.ply"});
  ok({"render", "m.ply", "-o", "m.png", "--size", "200x150"}, {"DISPLAY=:987"});
  EXPECT_GT(colors("m.png", 200, 150).size(), 50u);
}

TEST_F(CliRender, SaysWhatToInstallWithoutAnXServer) {
  ok({"make", "octahedron", "-o", "m.ply"});
  expect_one_sentence(run({"render", "m.ply", "-o", "m.png"}, {"DISPLAY", "PATH=/nowhere"}), 6,
                      {"apt install xvfb", "DISPLAY"});
  EXPECT_EQ(files(), std::vector<std::string>{"m.ply"});
}

TEST_F(CliRender, EveryStyle) {
  ok({"make", "kuhn", "--size", "10", "--field", "rough", "-o", "m.vtu"});
  for (const char* style : {"surface", "wireframe", "surface-with-edges", "points"}) {
    ok({"render", "m.vtu", "--style", style, "--field", "rough", "-o", "m.png", "--size", "200x150"});
    EXPECT_GT(colors("m.png", 200, 150).size(), 100u) << style;
  }
}

TEST_F(CliRender, FieldsThatAreMade) {
  ok({"make", "lattice", "--size", "5", "-o", "g.vti"});
  const auto drawn = run_json({"render", "g.vti", "--field", ":x", "-o", "m.png", "--size", "200x150"});
  EXPECT_EQ(drawn["result"]["field"], "x");
  EXPECT_EQ(drawn["result"]["range"], (nlohmann::json{0.0, 1.0}));
  EXPECT_GT(colors("m.png", 200, 150).size(), 100u);
}

TEST_F(CliRender, ClippedMeshesAndGrids) {
  ok({"make", "kuhn", "--size", "10", "--field", "rough", "-o", "m.vtu"});
  ok({"make", "lattice", "--size", "12", "--field", "sphere", "-o", "g.vti"});
  const std::vector<Arguments> lines = {
      {"render", "m.vtu", "--field", "rough", "--clip", "x=0.5"},
      {"render", "m.vtu", "--field", "rough", "--clip", "y=50%", "--crinkle"},
      {"render", "g.vti", "--field", "sphere"},
      {"render", "g.vti", "--field", "sphere", "--style", "surface"},
      {"render", "g.vti", "--field", "sphere", "--clip", "z=50%"}};
  std::set<std::string> pictures;
  for (Arguments line : lines) {
    line.insert(line.end(), {"-o", "p.png", "--size", "200x150"});
    ok(line);
    EXPECT_GT(colors("p.png", 200, 150).size(), 100u) << line[3] << line[4];
    pictures.insert(read("p.png"));
  }
  EXPECT_EQ(pictures.size(), lines.size());
}

TEST_F(CliRender, CamerasDiffer) {
  ok({"make", "ico", "--size", "3", "-o", "m.ply"});
  std::set<std::string> pictures;
  for (const char* camera : {"iso", "front", "back", "left", "right", "top", "bottom"}) {
    ok({"render", "m.ply", "--camera", camera, "-o", "m.png", "--size", "120x120"});
    pictures.insert(read("m.png"));
  }
  EXPECT_EQ(pictures.size(), 7u);
}

TEST_F(CliRender, TheSameCommandDrawsTheSameBytes) {
  ok({"make", "torus", "--size", "24x16", "-o", "m.ply"});
  ok({"render", "m.ply", "-o", "a.png", "--size", "200x150"});
  ok({"render", "m.ply", "-o", "b.png", "--size", "200x150"});
  EXPECT_EQ(read("a.png"), read("b.png"));
}

TEST_F(CliRender, BackgroundColormapsAndPointClouds) {
  ok({"make", "isolated_vertices", "-o", "m.vtp"});
  ok({"render", "m.vtp", "--background", "#102030", "-o", "m.png", "--size", "200x150"});
  EXPECT_TRUE(colors("m.png", 200, 150).contains({0x10, 0x20, 0x30}));
  ok({"make", "ico", "--size", "3", "--field", "smooth", "-o", "f.vtp"});
  for (const char* map : {"viridis", "inferno", "coolwarm", "gray", "cold-hot", "categories"}) {
    ok({"render", "f.vtp", "--field", "smooth", "--colormap", map, "-o", "f.png", "--size", "200x150"});
    EXPECT_GT(colors("f.png", 200, 150).size(), 50u) << map;
  }
}

TEST_F(CliRender, JsonHasTheRangeThatWasDrawn) {
  ok({"make", "ico", "--size", "2", "--field", "smooth", "-o", "f.vtp"});
  const auto result = run_json({"render", "f.vtp", "--field", "smooth", "--range", "-1,2", "-o", "f.png",
                                "--size", "64x64"})["result"];
  EXPECT_EQ(result["range"], nlohmann::json::parse("[-1.0, 2.0]"));
  EXPECT_EQ(result["output"]["width"], 64);
}

TEST_F(CliRender, CriticalPointsAndSeparatrices) {
  ok({"make", "kuhn-full", "--size", "9", "--field", "smooth", "-o", "m.vtu"});
  ok({"make", "lattice", "--size", "9", "--field", "smooth", "-o", "g.vti"});
  ok({"make", "torus", "--size", "24x16", "--field", "smooth", "-o", "t.ply"});
  std::set<std::string> pictures;
  for (const char* mesh : {"m.vtu", "g.vti", "t.ply"}) {
    ok({"morse-smale", mesh, "--critical-points", "c.vtp", "--separatrices", "s.vtp"});
    ok({"render", mesh, "-o", "p.png", "--size", "200x150"});
    pictures.insert(read("p.png"));
    const std::vector<Arguments> lines = {
        {"--critical-points", "c.vtp"},
        {"--critical-points", "c.vtp", "--separatrices", "s.vtp"},
        {"--separatrices", "s.vtp", "--field", "smooth", "--clip", "y=50%"},
        {"--critical-points", "c.vtp", "--mark-size", "3", "--opacity", "0.5"}};
    for (const Arguments& more : lines) {
      Arguments line = {"render", mesh, "-o", "p.png", "--size", "200x150"};
      line.insert(line.end(), more.begin(), more.end());
      ok(line);
      EXPECT_GT(colors("p.png", 200, 150).size(), 100u);
      pictures.insert(read("p.png"));
    }
  }
  EXPECT_EQ(pictures.size(), 15u);
  ok({"critical-points", "t.ply", "-o", "c.vtp"});
  ok({"render", "t.ply", "--critical-points", "c.vtp", "-o", "p.png", "--size", "200x150"});
}

TEST_F(CliRender, MarksThatAreNone) {
  ok({"make", "octahedron", "-o", "m.vtp"});
  expect_one_sentence(run({"render", "m.vtp", "--critical-points", "m.vtp", "-o", "p.png"}), 4,
                      {"--critical-points", "CriticalType"});
  expect_one_sentence(run({"render", "m.vtp", "--separatrices", "m.vtp", "-o", "p.png"}), 4,
                      {"--separatrices", "SeparatrixType"});
  expect_one_sentence(run({"render", "m.vtp", "--separatrices", "none.vtp", "-o", "p.png"}), 3, {"none.vtp"});
  EXPECT_EQ(files(), std::vector<std::string>{"m.vtp"});
}

}  // namespace
}  // namespace tessera::test
