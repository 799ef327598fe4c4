// tessera render: the files are PNG, of the size asked for, and something is on them.
#include <gtest/gtest.h>
#include <vtkImageData.h>
#include <vtkPNGReader.h>
#include <vtkSmartPointer.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "cli/memory_case.h"

namespace tessera::test {
namespace {

using Pixel = std::array<unsigned char, 3>;

int brightness(const Pixel& p) {
  return p[0] + p[1] + p[2];
}

/// Row 0 is the lowest.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<Pixel> pixels;

  [[nodiscard]] Pixel at(int x, int y) const { return pixels[static_cast<std::size_t>(y * width + x)]; }
  [[nodiscard]] Pixel middle() const { return at(width / 2, height / 2); }
  [[nodiscard]] bool is_drawn(int x, int y) const { return at(x, y) != Pixel{255, 255, 255}; }

  /// Columns from the first to the last that is drawn on, and rows likewise.
  struct Frame {
    int left = 1 << 20, right = -1, bottom = 1 << 20, top = -1;
    [[nodiscard]] int width() const { return right - left + 1; }
    [[nodiscard]] int height() const { return top - bottom + 1; }
  };
  [[nodiscard]] Frame frame() const {
    Frame f;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (!is_drawn(x, y)) continue;
        f.left = std::min(f.left, x);
        f.right = std::max(f.right, x);
        f.bottom = std::min(f.bottom, y);
        f.top = std::max(f.top, y);
      }
    }
    return f;
  }

  /// Mean brightness of what is drawn in the upper half of the frame less that in the lower one; of the right
  /// and the left half if `across`.
  [[nodiscard]] double slope(bool across = false) const {
    const Frame f = frame();
    std::array<double, 2> sum{};
    std::array<int, 2> count{};
    for (int y = f.bottom; y <= f.top; ++y) {
      for (int x = f.left; x <= f.right; ++x) {
        if (!is_drawn(x, y)) continue;
        const bool is_high = across ? 2 * x > f.left + f.right : 2 * y > f.bottom + f.top;
        sum[is_high ? 1 : 0] += brightness(at(x, y));
        ++count[is_high ? 1 : 0];
      }
    }
    return sum[1] / count[1] - sum[0] / count[0];
  }

  [[nodiscard]] int count_near(const Pixel& color, int tolerance) const {
    return static_cast<int>(std::ranges::count_if(pixels, [&](const Pixel& p) {
      return std::abs(p[0] - color[0]) <= tolerance && std::abs(p[1] - color[1]) <= tolerance &&
             std::abs(p[2] - color[2]) <= tolerance;
    }));
  }
};

constexpr Pixel viridis_low = {0x44, 0x01, 0x54};
constexpr Pixel viridis_high = {0xfd, 0xe7, 0x25};

class CliRender : public ProgramTest {
 protected:
  void ok(const Arguments& line, const Arguments& environment = {}) {
    const Outcome outcome = run(line, environment);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  Image image(const std::string& name) {
    const auto reader = vtkSmartPointer<vtkPNGReader>::New();
    reader->SetFileName(path(name).c_str());
    reader->Update();
    vtkImageData* data = reader->GetOutput();
    const auto* bytes = static_cast<const unsigned char*>(data->GetScalarPointer());
    Image image;
    image.width = data->GetDimensions()[0];
    image.height = data->GetDimensions()[1];
    for (vtkIdType i = 0; i < data->GetNumberOfPoints(); ++i)
      image.pixels.push_back({bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]});
    return image;
  }

  /// Draws 200 x 150 pixels.
  Image draw(Arguments line) {
    line.insert(line.begin(), "render");
    line.insert(line.end(), {"-o", "p.png", "--size", "200x150"});
    ok(line);
    return image("p.png");
  }

  /// An ASCII .vtp file with cells of each kind, given as "ids" and "offsets".
  struct Cells {
    int count = 0;
    std::string ids, offsets;
  };
  void write_poly(const std::string& name, int points, const std::string& coordinates, const Cells& lines,
                  const Cells& polygons, const std::string& data = "") {
    const auto arrays = [](const Cells& cells) {
      return "<DataArray type='Int32' Name='connectivity' format='ascii'>" + cells.ids +
             "</DataArray><DataArray type='Int32' Name='offsets' format='ascii'>" + cells.offsets +
             "</DataArray>";
    };
    write(
        name,
        "<VTKFile type='PolyData' version='1.0' byte_order='LittleEndian'><PolyData><Piece NumberOfPoints='" +
            std::to_string(points) + "' NumberOfVerts='0' NumberOfLines='" + std::to_string(lines.count) +
            "' NumberOfStrips='0' NumberOfPolys='" + std::to_string(polygons.count) + "'>" + data +
            "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>" + coordinates +
            "</DataArray></Points><Lines>" + arrays(lines) + "</Lines><Polys>" + arrays(polygons) +
            "</Polys></Piece></PolyData></VTKFile>");
  }
  /// A square from (x, 0, 0) to (x + 1, 1, 0).
  void write_square(const std::string& name, int x = 0, const std::string& data = "") {
    const std::string low = std::to_string(x);
    const std::string high = std::to_string(x + 1);
    write_poly(name, 4, low + " 0 0 " + high + " 0 0 " + high + " 1 0 " + low + " 1 0", {},
               {1, "0 1 2 3", "4"}, data);
  }

  /// Side by side, with an edge between them and no diagonals.
  static void expect_two_squares(const Image& squares) {
    const int face = brightness(squares.at(40, 75));
    EXPECT_LT(std::min(brightness(squares.at(99, 75)), brightness(squares.at(100, 75))), face - 60);
    for (int x = 15; x < 90; ++x) {
      for (int y = 40; y < 110; ++y) ASSERT_NEAR(brightness(squares.at(x, y)), face, 25) << x << ' ' << y;
    }
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

/// A column of height 4 along one axis; cells as OBJ counts, from 1.
std::string make_column(int axis) {
  std::string text;
  for (int corner = 0; corner < 8; ++corner) {
    text += "v";
    for (int a = 0; a < 3; ++a) text += ' ' + std::to_string((corner >> a & 1) * (a == axis ? 4 : 1));
    text += '\n';
  }
  return text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

TEST_F(CliRender, ModelsStandOnTheirFeet) {
  write("y.obj", make_column(1));
  const Image standing = draw({"y.obj", "--field", ":y", "--colormap", "gray", "--no-bar"});
  EXPECT_GT(standing.frame().height(), 2 * standing.frame().width());
  EXPECT_GT(standing.slope(), 100);
  const Image on_head = draw({"y.obj", "--up=-y", "--field", ":y", "--colormap", "gray", "--no-bar"});
  EXPECT_GT(on_head.frame().height(), 2 * on_head.frame().width());
  EXPECT_LT(on_head.slope(), -100);
  const Image lying = draw({"y.obj", "--up", "x", "--camera", "front"});
  EXPECT_GT(lying.frame().width(), 2 * lying.frame().height());
  const Image from_end = draw({"y.obj", "--up", "z", "--camera", "front"});  // what it was without --up
  EXPECT_NEAR(from_end.frame().width(), from_end.frame().height(), 3);

  write("z.obj", make_column(2));
  ok({"convert", "z.obj", "--simplices", "z.vtu"});
  const Image tower = draw({"z.vtu", "--field", ":z", "--colormap", "gray", "--no-bar"});
  EXPECT_GT(tower.frame().height(), 2 * tower.frame().width());
  EXPECT_GT(tower.slope(), 100);
}

TEST_F(CliRender, CamerasShowTheSideThatTheyName) {
  write("c.obj", make_column(1));
  const auto seen = [&](const std::string& camera, const std::string& axis) {
    return brightness(
        draw({"c.obj", "--camera", camera, "--field", axis, "--colormap", "gray", "--no-bar"}).middle());
  };
  EXPECT_GT(seen("front", ":z"), 500);
  EXPECT_LT(seen("back", ":z"), 150);
  EXPECT_GT(seen("right", ":x"), 500);
  EXPECT_LT(seen("left", ":x"), 150);
  EXPECT_GT(seen("top", ":y"), 500);
  EXPECT_LT(seen("bottom", ":y"), 150);
}

TEST_F(CliRender, FlatThingsAreSeenFromAbove) {
  const auto write_grid = [&](const std::string& extent) {
    write("g.vti",
          "<VTKFile type='ImageData' version='1.0' byte_order='LittleEndian'><ImageData WholeExtent='" +
              extent + "' Origin='0 0 0' Spacing='1 1 1'><Piece Extent='" + extent +
              "'></Piece></ImageData></VTKFile>");
  };
  const auto draw_by = [&](const char* axis, const Arguments& more = {}) {
    Arguments line = {"g.vti", "--field", axis, "--colormap", "gray", "--no-bar", "--background", "white"};
    line.insert(line.end(), more.begin(), more.end());
    return draw(line);
  };
  write_grid("0 4 0 2 0 0");
  const Image plane = draw_by(":y");
  EXPECT_GT(plane.frame().width(), 170);
  EXPECT_NEAR(plane.frame().width(), 2 * plane.frame().height(), 6);
  EXPECT_GT(plane.slope(), 100);
  EXPECT_GT(draw_by(":x").slope(true), 100);
  EXPECT_GT(draw_by(":x", {"--up", "x"}).slope(), 100);
  write_grid("0 4 0 0 0 2");
  EXPECT_GT(draw_by(":z").slope(), 100);
  EXPECT_GT(draw_by(":x").slope(true), 100);
  write_grid("0 0 0 4 0 2");
  EXPECT_GT(draw_by(":z").slope(), 100);
  EXPECT_GT(draw_by(":y").slope(true), 100);
  const Image tilted = draw_by(":z", {"--camera", "iso"});
  EXPECT_LT(tilted.frame().width(), 150);
}

TEST_F(CliRender, LinesAreLinesAndPolygonsAreWhole) {
  write_poly("l.vtp", 4, "0 0 0 4 0 0 0 3 0 4 3 0", {2, "0 1 2 3", "2 4"}, {});
  const Image lines = draw({"l.vtp"});
  const Image::Frame frame = lines.frame();
  EXPECT_TRUE(lines.is_drawn(100, frame.bottom + 1));
  EXPECT_TRUE(lines.is_drawn(100, frame.top - 1));
  for (int y = frame.bottom + 8; y < frame.top - 8; ++y) ASSERT_FALSE(lines.is_drawn(100, y)) << y;

  write_poly("q.vtp", 6, "0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0", {}, {2, "0 1 4 3 1 2 5 4", "4 8"});
  write("q.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nf 1 2 5 4\nf 2 3 6 5\n");
  expect_two_squares(draw({"q.vtp", "--style", "surface-with-edges"}));
  expect_two_squares(draw({"q.obj", "--style", "surface-with-edges"}));
  const Image wires = draw({"q.vtp", "--style", "wireframe"});
  EXPECT_FALSE(wires.is_drawn(50, 75));
  EXPECT_TRUE(wires.is_drawn(99, 75) || wires.is_drawn(100, 75));
}

TEST_F(CliRender, SolidsAreWhole) {
  // Two cubes side by side along x: corner (i, j, k) is number i + 3 j + 6 k.
  std::string text = "# vtk DataFile Version 3.0\ncubes\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 float\n";
  for (int v = 0; v < 12; ++v)
    text += std::to_string(v % 3) + ' ' + std::to_string(v / 3 % 2) + ' ' + std::to_string(v / 6) + '\n';
  text +=
      "CELLS 2 18\n8 0 1 4 3 6 7 10 9\n8 1 2 5 4 7 8 11 10\nCELL_TYPES 2\n12\n12\n"
      "CELL_DATA 2\nSCALARS c float 1\nLOOKUP_TABLE default\n0 10\n";
  write("h.vtk", text);
  expect_two_squares(draw({"h.vtk", "--style", "surface-with-edges", "--camera", "front"}));
  expect_two_squares(
      draw({"h.vtk", "--style", "surface-with-edges", "--camera", "front", "--clip", "y=50%"}));

  const auto seen = [&](const Arguments& more) {
    Arguments line = {"h.vtk", "--field", "c", "--colormap", "gray", "--no-bar"};
    line.insert(line.end(), more.begin(), more.end());
    return draw(line);
  };
  EXPECT_GT(seen({"--camera", "front"}).slope(true), 300);
  EXPECT_GT(seen({"--camera", "front", "--clip", "y=50%"}).slope(true), 300);
  EXPECT_GT(brightness(seen({"--camera", "right"}).middle()), 500);
  EXPECT_LT(
      brightness(seen({"--camera", "right", "--clip", "x=60%", "--crinkle", "--range", "0,10"}).middle()),
      150);
}

TEST_F(CliRender, LinesOfOtherFormats) {
  write("l.vtk",
        "# vtk DataFile Version 3.0\nlines\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n"
        "0 0 0 4 0 0 0 3 0 4 3 0\nLINES 2 6\n2 0 1\n2 2 3\n");
  const Image lines = draw({"l.vtk"});
  EXPECT_TRUE(lines.is_drawn(100, lines.frame().bottom + 1));
  EXPECT_FALSE(lines.is_drawn(100, 75));
}

TEST_F(CliRender, CellDataOfLinesAndPolygons) {
  // One line and two squares: the values go through the lines first.
  write_poly("m.vtp", 8, "0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 3 0 0 3 1 0 2 1 0", {1, "1 4", "2"},
             {2, "0 1 2 3 4 5 6 7", "4 8"},
             "<CellData><DataArray type='Float32' Name='c' format='ascii'>0 10 20</DataArray></CellData>");
  const Image picture = draw({"m.vtp", "--field", "c", "--colormap", "gray", "--no-bar"});
  const int left = brightness(picture.at(40, 75));
  const int right = brightness(picture.at(160, 75));
  EXPECT_GT(right, left + 100);
  EXPECT_GT(left, brightness(picture.at(100, picture.frame().bottom + 2)) + 50);
  expect_one_sentence(run({"render", "m.vtp", "--field", "c", "--style", "points", "-o", "x.png"}), 2,
                      {"--style points", "'c'"});
}

TEST_F(CliRender, LinesLieOnTopOfSurfaces) {
  write_square("q.vtp");
  const auto draw_with_line = [&](const std::string& z) {
    write_poly("l.vtp", 2, "0.1 0.5 " + z + " 0.9 0.5 " + z, {1, "0 1", "2"}, {});
    return draw({"q.vtp", "l.vtp", "--camera", "top"});
  };
  const auto is_orange = [](const Pixel& p) { return p[0] > p[2] + 80; };
  const auto has_line = [&](const Image& picture) {
    for (int y = 60; y < 90; ++y) {
      if (is_orange(picture.at(75, y))) return true;
    }
    return false;
  };
  EXPECT_TRUE(has_line(draw_with_line("0")));
  EXPECT_TRUE(has_line(draw_with_line("-0.002")));
  EXPECT_FALSE(has_line(draw_with_line("-0.5")));
}

TEST_F(CliRender, IsolinesAreSeenOnTheirSurface) {
  const auto values = [](const std::string& numbers) {
    return "<PointData><DataArray type='Float32' Name='f' format='ascii'>" + numbers +
           "</DataArray></PointData>";
  };
  write_square("q.vtp", 0, values("1 1 0 0"));
  write_square("plain.vtp");
  write_poly("l.vtp", 2, "0.1 0.5 0 0.9 0.5 0", {1, "0 1", "2"}, {}, values("0.9 0.9"));
  const auto darkest = [&](const std::string& surface) {
    const Image picture =
        draw({surface, "l.vtp", "--camera", "top", "--field", "f", "--range", "0,1", "--no-bar"});
    int least = 255;
    for (int y = 60; y < 90; ++y) least = std::min(least, brightness(picture.at(75, y)));
    return least;
  };
  EXPECT_LT(darkest("q.vtp"), 85) << "in ink on the colours of the field";
  EXPECT_GT(darkest("plain.vtp"), 100) << "in the colours of the field, which nothing else has";
}

TEST_F(CliRender, SeveralMeshesInOneScene) {
  const auto data = [](const std::string& values) {
    return "<PointData><DataArray type='Float32' Name='f' format='ascii'>" + values +
           "</DataArray></PointData>";
  };
  write_square("a.vtp", 0, data("0 0 0 0"));
  write_square("b.vtp", 2, data("5 5 5 5"));
  write_square("c.vtp", 4);
  const Image plain = draw({"a.vtp", "b.vtp"});
  const Image::Frame frame = plain.frame();
  EXPECT_GT(plain.at(frame.left + 12, 75)[2], plain.at(frame.left + 12, 75)[0]);  // blue grey, then orange
  EXPECT_GT(plain.count_near({242, 143, 43}, 60), 1000);

  const auto drawn =
      run_json({"render", "a.vtp", "b.vtp", "c.vtp", "--field", "f", "-o", "p.png", "--size", "200x150"});
  EXPECT_EQ(drawn["result"]["range"], nlohmann::json::parse("[0.0, 5.0]"));
  EXPECT_EQ(drawn["input"].size(), 3u);
  const Image colored = image("p.png");
  EXPECT_GT(colored.count_near(viridis_low, 40), 200);
  EXPECT_GT(colored.count_near(viridis_high, 40), 200);
  expect_one_sentence(run({"render", "a.vtp", "b.vtp", "--field", "g", "-o", "x.png"}), 3, {"'g'", "'f'"});
}

TEST_F(CliRender, FilesOfMarksAreMarks) {
  ok({"make", "torus", "--size", "24x16", "--field", "smooth", "-o", "t.ply"});
  ok({"morse-smale", "t.ply", "--critical-points", "c.vtp", "--separatrices", "s.vtp"});
  ok({"render", "t.ply", "s.vtp", "c.vtp", "-o", "a.png", "--size", "200x150"});
  ok({"render", "t.ply", "--critical-points", "c.vtp", "--separatrices", "s.vtp", "-o", "b.png", "--size",
      "200x150"});
  EXPECT_EQ(read("a.png"), read("b.png"));
  draw({"s.vtp", "c.vtp"});
  draw({"c.vtp", "--field", "smooth"});
  expect_one_sentence(run({"render", "s.vtp", "--clip", "x=50%", "-o", "x.png"}), 2, {"not clipped"});
  expect_one_sentence(run({"render", "t.ply", "--crinkle", "-o", "x.png"}), 2, {"--crinkle", "--clip"});
  expect_one_sentence(run({"render", "s.vtp", "--style", "wireframe", "-o", "x.png"}), 2,
                      {"--style", "meshes"});
  const Outcome drawn = run({"render", "t.ply", "-o", "-", "--size", "60x40", "-q"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(drawn.out.substr(0, 4), "\x89PNG");
}

TEST_F(CliRender, ConstantFieldsHaveNoBar) {
  const auto write_values = [&](const std::string& values) {
    write_square("q.vtp", 0,
                 "<PointData><DataArray type='Float32' Name='k' format='ascii'>" + values +
                     "</DataArray></PointData>");
    auto drawn = run_json({"render", "q.vtp", "--field", "k", "-o", "p.png", "--size", "200x150"});
    drawn["result"]["notes"] = drawn["notes"];
    return drawn["result"];
  };
  EXPECT_EQ(write_values("3 3 3 3")["range"], nlohmann::json::parse("[3.0, 3.0]"));
  const Image constant = image("p.png");
  EXPECT_EQ(constant.count_near(viridis_low, 30), 0);
  EXPECT_EQ(constant.count_near(viridis_high, 30), 0);
  EXPECT_GT(constant.count_near({0x21, 0x91, 0x8c}, 40), 2000);  // viridis' middle

  write_square("wide.vtp", 0,
               "<PointData><DataArray type='Float64' Name='k' format='ascii'>-1e308 0 0 1e308"
               "</DataArray></PointData>");
  const auto with_nan = write_values("0 nan 1 inf");
  EXPECT_EQ(with_nan["range"], nlohmann::json::parse("[0.0, 1.0]"));
  ASSERT_EQ(with_nan["notes"].size(), 1u);
  EXPECT_NE(with_nan["notes"][0].get<std::string>().find("2 values of 'k'"), std::string::npos);
  EXPECT_GT(image("p.png").count_near(viridis_high, 30), 20);  // there is a bar

  expect_one_sentence(run({"render", "wide.vtp", "--field", "k", "-o", "x.png"}), 2, {"-1e+308", "--range"});

  EXPECT_EQ(write_values("nan nan nan nan")["range"], nlohmann::json::parse("[null, null]"));
  const Image grey = image("p.png");
  EXPECT_EQ(grey.count_near(viridis_low, 30), 0);
  const Pixel p = grey.at(75, 75);
  EXPECT_NEAR(p[0], p[2], 10);
  EXPECT_LT(p[0], 230);
}

TEST_F(CliRender, WhatIsNotFiniteIsLeftOut) {
  const auto polygons = [&](const std::string& far, const std::string& more) {
    write(
        "p.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 5 double\n0 0 0 1 0 0 1 1 0 0 1 0 " +
            far + " 0 0\n" + more);
  };
  const std::string square = "POLYGONS 1 5\n4 0 1 2 3\n";
  polygons("0.5", square);
  const Image whole = draw({"p.vtk"});
  polygons("inf", "POLYGONS 2 9\n4 0 1 2 3\n3 0 1 4\n");
  EXPECT_EQ(
      run_json({"render", "p.vtk", "-o", "p.png", "--size", "200x150"})["notes"],
      nlohmann::json::parse(
          R"(["left out of the picture: of 'p.vtk' 1 point whose coordinates are not finite, and 1 cell with them"])"));
  EXPECT_EQ(draw({"p.vtk"}).middle(), whole.middle());
  for (const char* const far : {"1e19", "-1e300"}) {
    polygons(far, square);
    expect_one_sentence(run({"render", "p.vtk", "-o", "x.png"}), 5, {"too large to be drawn"});
  }
  write("s.off", "OFF\n3 1 0\n0 0 0\n1e-30 0 0\n0 1e-30 0\n3 0 1 2\n");
  expect_one_sentence(run({"render", "s.off", "-o", "x.png"}), 5, {"too small to be drawn"});
}

class RenderMemory : public MemoryCase {};

TEST_F(RenderMemory, PicturesAreRefusedBeforeTheyAreDrawn) {
  make({"ico", "--size", "4", "-o", "i.vtp"});
  expect_one_sentence(run({"render", "i.vtp", "--size", "3000x3000", "-o", "p.png", "--memory", "500M"}), 8,
                      {"the picture", "at least", "--memory"});
  const Bytes held = run_json({"info", "i.vtp"})["peak_bytes"];
  expect_named_limit_works({"render", "i.vtp", "--size", "200x150", "-o", "p.png"},
                           limit_text(held + mib(5)));
}

}  // namespace
}  // namespace tessera::test
