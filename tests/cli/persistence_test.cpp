// The verb persistence: counts, files and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliPersistence : public ProgramTest {
 protected:
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  void make_solid() {
    ok({"make", "kuhn", "--size", "20", "--field", "rough", "--no-orient", "-o", "solid.vtu"});
  }
  nlohmann::json result(Arguments arguments) {
    arguments.insert(arguments.begin(), "persistence");
    return run_json(arguments)["result"];
  }
  /// The rows of a CSV file, the heading apart.
  [[nodiscard]] std::vector<std::vector<double>> rows(const std::string& name) const {
    std::istringstream lines(read(name));
    std::string line;
    std::getline(lines, line);
    std::vector<std::vector<double>> rows;
    while (std::getline(lines, line)) {
      std::istringstream cells(line);
      std::vector<double>& row = rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    }
    return rows;
  }
  /// The numbers of an array in an ascii file.
  [[nodiscard]] std::vector<double> array(const std::string& file, const std::string& name) const {
    const std::string text = read(file);
    const std::size_t from = text.find('>', text.find("Name=\"" + name + "\"")) + 1;
    std::istringstream numbers(text.substr(from, text.find('<', from) - from));
    std::vector<double> values;
    for (double value = 0; numbers >> value;) values.push_back(value);
    return values;
  }
};

/// A ball with a tunnel and a cavity, and a torus: their Betti numbers.
TEST_F(CliPersistence, CountsPairsAndEssentialClasses) {
  make_solid();
  const auto solid = result({"solid.vtu"});
  EXPECT_EQ(solid["essential"], nlohmann::json::parse("[1, 1, 1, 0]"));
  ASSERT_EQ(solid["pairs"].size(), 3u);
  EXPECT_GT(solid["pairs"][0], 0);
  EXPECT_EQ(solid["field"], "rough");
  EXPECT_EQ(solid["threshold"], 0.0);
  EXPECT_EQ(solid["left_out"], nlohmann::json::parse("[0, 0, 0]"));
  ok({"make", "torus", "--size", "16x12", "--field", "smooth", "-o", "torus.ply"});
  const auto torus = result({"torus.ply"});
  EXPECT_EQ(torus["essential"], nlohmann::json::parse("[1, 2, 1]"));
  EXPECT_EQ(torus["pairs"].size(), 2u);
}

TEST_F(CliPersistence, ThresholdIsANumberOrAPartOfTheRange) {
  make_solid();
  const auto all = result({"solid.vtu"});
  const double range = all["range"][1].get<double>() - all["range"][0].get<double>();
  const auto part = result({"solid.vtu", "--threshold", "10%", "--csv", "part.csv"});
  EXPECT_DOUBLE_EQ(part["threshold"], range / 10);
  const auto number = result({"solid.vtu", "--threshold", std::to_string(range / 10)});
  EXPECT_EQ(part["pairs"], number["pairs"]);
  EXPECT_LT(part["pairs"][1], all["pairs"][1]);
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(part["pairs"][d].get<int>() + part["left_out"][d].get<int>(), all["pairs"][d]);
  }
  EXPECT_EQ(part["essential"], all["essential"]);
  for (const auto& row : rows("part.csv")) EXPECT_TRUE(row[4] >= range / 10 || row[5] == 0);
}

TEST_F(CliPersistence, FilesAgreeWithEachOther) {
  make_solid();
  const auto found =
      result({"solid.vtu", "-o", "diagram.vtu", "--ascii", "--csv", "pairs.csv", "--plot", "diagram.svg"});
  const auto pairs = rows("pairs.csv");
  std::size_t count = 0;
  for (const auto& n : found["pairs"]) count += n.get<std::size_t>();
  for (const auto& n : found["essential"]) count += n.get<std::size_t>();
  ASSERT_EQ(pairs.size(), count);
  EXPECT_EQ(found["output"]["cells"], count + 1);  // and the diagonal
  EXPECT_EQ(found["output"]["points"], 2 * count);
  const auto points = array("diagram.vtu", "Points");
  const auto types = array("diagram.vtu", "CriticalType");
  const auto vertices = array("diagram.vtu", "ttkVertexScalarField");
  const auto ids = array("diagram.vtu", "PairIdentifier");
  const auto dimensions = array("diagram.vtu", "PairType");
  const auto persistence = array("diagram.vtu", "Persistence");
  const auto births = array("diagram.vtu", "Birth");
  const auto is_finite = array("diagram.vtu", "IsFinite");
  ASSERT_EQ(points.size(), 6 * count);
  ASSERT_EQ(array("diagram.vtu", "Coordinates").size(), 6 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& row = pairs[i];
    EXPECT_EQ(row[0], ids[i]);
    EXPECT_EQ(row[1], dimensions[i]);
    EXPECT_EQ(row[2], births[i]);
    EXPECT_EQ(row[2], points[6 * i]);
    EXPECT_EQ(row[3], points[6 * i + 4]);
    EXPECT_EQ(row[4], persistence[i]);
    EXPECT_EQ(row[5], is_finite[i]);
    EXPECT_EQ(row[6], vertices[2 * i]);
    EXPECT_EQ(row[7], vertices[2 * i + 1]);
    EXPECT_EQ(row[8], types[2 * i]);
    EXPECT_EQ(row[9], types[2 * i + 1]);
    EXPECT_EQ(types[2 * i], dimensions[i]);
    EXPECT_EQ(types[2 * i + 1], is_finite[i] != 0 ? dimensions[i] + 1 : 3);
  }
  EXPECT_EQ(ids.back(), -1);
  EXPECT_EQ(dimensions.back(), -1);
  EXPECT_EQ(is_finite.back(), 0);
  EXPECT_EQ(persistence.back(), 2 * *std::max_element(persistence.begin(), persistence.end() - 1));
}

TEST_F(CliPersistence, DrawsEveryPairOfASmallDiagram) {
  ok({"make", "torus", "--size", "16x12", "--field", "rough", "-o", "torus.vtp"});
  const auto found = result({"torus.vtp", "--plot", "diagram.svg", "-o", "diagram.vtp"});
  EXPECT_EQ(found["plot"]["file"], "diagram.svg");
  const std::string svg = read("diagram.svg");
  const auto count = [&](const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("<svg "), 1u);
  EXPECT_EQ(count("</svg>"), 1u);
  // Pieces are circles, and one more is in the heading.
  EXPECT_EQ(count("<circle "), found["pairs"][0].get<std::size_t>() + 2);
  for (const char* text : {"birth", "death", "never", "Persistence of rough in torus.vtp", "loops"})
    EXPECT_GE(count(text), 1u) << text;
  EXPECT_NE(read("diagram.vtp").find("NumberOfLines="), std::string::npos);
}

TEST_F(CliPersistence, CurveCountsPairsByPersistence) {
  make_solid();
  const auto found = result({"solid.vtu", "--csv", "pairs.csv", "--curve", "curve.csv"});
  EXPECT_EQ(found["curve"]["file"], "curve.csv");
  const auto pairs = rows("pairs.csv");
  const auto curve = rows("curve.csv");
  std::set<double> lengths;
  for (const auto& pair : pairs) {
    if (pair[5] != 0) lengths.insert(pair[4]);
  }
  ASSERT_EQ(curve.size(), lengths.size());
  EXPECT_EQ(read("curve.csv").substr(0, 39), "Persistence,Pairs,Pairs0,Pairs1,Pairs2\n");
  for (std::size_t i = 0; i < curve.size(); i += 7) {
    const auto count = [&](int dimension) {
      return static_cast<double>(std::ranges::count_if(pairs, [&](const auto& pair) {
        return pair[5] != 0 && pair[4] >= curve[i][0] && (dimension < 0 || pair[1] == dimension);
      }));
    };
    for (int d = -1; d < 3; ++d) EXPECT_EQ(curve[i][static_cast<std::size_t>(d + 2)], count(d));
  }
  ok({"persistence", "solid.vtu", "--curve", "curve.svg"});
  const std::string svg = read("curve.svg");
  EXPECT_NE(svg.find("Persistence curve of rough in solid.vtu"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  expect_one_sentence(run({"persistence", "solid.vtu", "--curve", "curve.png"}), 6, {"curve.png"});
}

/// Constant field: one vertex is the lowest by its number, and nothing persists.
TEST_F(CliPersistence, ConstantAndInfiniteFieldsCanBeDrawn) {
  const std::string mesh =
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
      "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
      "POINT_DATA 4\nSCALARS f&lt; float 1\nLOOKUP_TABLE default\n";
  write("flat.vtk", mesh + "5 5 5 5\n");
  const auto flat = result({"flat.vtk", "--plot", "flat.svg", "--threshold", "50%"});
  EXPECT_EQ(run({"persistence", "flat.vtk", "--curve", "curve.svg"}).code, 0);
  EXPECT_EQ(read("curve.svg").find("nan"), std::string::npos);
  EXPECT_EQ(flat["essential"], nlohmann::json::parse("[1, 0, 0, 0]"));
  EXPECT_EQ(read("flat.svg").find("nan"), std::string::npos);
  write("far.vtk", mesh + "-inf 5 inf 7\n");
  EXPECT_EQ(run({"persistence", "far.vtk", "--plot", "far.svg", "-o", "far.vtu"}).code, 0);
  EXPECT_EQ(read("far.svg").find("nan"), std::string::npos);
  EXPECT_EQ(read("far.svg").find("inf"), std::string::npos);
  EXPECT_EQ(run({"persistence", "far.vtk", "--curve", "curve.svg"}).code, 0);
  EXPECT_EQ(read("curve.svg").find("inf"), std::string::npos);
  write("wide.vtp", R"(<VTKFile type="PolyData"><PolyData><Piece NumberOfPoints="4" NumberOfPolys="2">
<PointData><DataArray type="Float64" Name="f" format="ascii">-1e308 1.7e308 1.6e308 -1.1e308</DataArray></PointData>
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0 1 1 0</DataArray></Points>
<Polys><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 1 3 2</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">3 6</DataArray></Polys></Piece></PolyData></VTKFile>)");
  ASSERT_EQ(run({"persistence", "wide.vtp", "--plot", "wide.svg", "--curve", "curve.svg"}).code, 0);
  for (const char* file : {"wide.svg", "curve.svg"}) {
    EXPECT_EQ(read(file).find("inf"), std::string::npos) << file;
    EXPECT_EQ(read(file).find("nan"), std::string::npos) << file;
  }
}

TEST_F(CliPersistence, SameBytesForAnyThreads) {
  make_solid();
  for (const char* threads : {"1", "2", "5"}) {
    ok({"persistence", "solid.vtu", "--threads", threads, "-o", std::string("d") + threads + ".vtu", "--plot",
        std::string("d") + threads + ".svg"});
  }
  EXPECT_EQ(read("d1.vtu"), read("d2.vtu"));
  EXPECT_EQ(read("d1.vtu"), read("d5.vtu"));
  EXPECT_EQ(read("d1.svg"), read("d5.svg"));
}

TEST_F(CliPersistence, Refusals) {
  make_solid();
  const auto refused = [&](Arguments extra, int code, const std::vector<std::string>& parts) {
    extra.insert(extra.begin(), {"persistence", "solid.vtu"});
    expect_one_sentence(run(extra), code, parts);
  };
  refused({"--threshold", "much"}, 2, {"'much'", "--threshold", "5%"});
  refused({"--threshold=-1"}, 2, {"--threshold"});
  refused({"--threshold", "%"}, 2, {"--threshold"});
  refused({"--threshold", "nan"}, 2, {"--threshold"});
  refused({"-o", "diagram.stl"}, 6, {"diagram.stl", ".vtu or .vtp"});
  refused({"--csv", "pairs.txt"}, 6, {"pairs.txt", ".csv"});
  refused({"--plot", "picture.png"}, 6, {"picture.png", ".svg"});
  refused({"-o", "nowhere/d.vtu"}, 7, {"nowhere"});
  refused({"--field", "pressure"}, 3, {"'pressure'", "'rough' (points)"});
  write("nan.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
        "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
        "POINT_DATA 4\nSCALARS f float 1\nLOOKUP_TABLE default\n3 nan -2 7\n");
  expect_one_sentence(run({"persistence", "nan.vtk"}), 6, {"'f'", "vertex 1"});
  EXPECT_EQ(files(), (std::vector<std::string>{"nan.vtk", "solid.vtu"}));
}

// A cube is one piece without loops; the distance from its middle has one minimum.
TEST_F(CliPersistence, OfAGrid) {
  ok({"make", "lattice", "--size", "9", "--field", "sphere", "-o", "grid.vti"});
  auto grid = result({"grid.vti"});
  EXPECT_EQ(grid["essential"], nlohmann::json::parse("[1, 0, 0, 0]"));
  EXPECT_EQ(grid["pairs"].size(), 3u);
  EXPECT_EQ(grid["pairs"][0], 0);
}

TEST_F(CliPersistence, SeveralFieldsNeedAName) {
  ok({"make", "kuhn", "--size", "8", "--field", "rough,smooth", "-o", "mesh.vtu"});
  expect_one_sentence(run({"persistence", "mesh.vtu"}), 2, {"'rough'", "'smooth'"});
  EXPECT_EQ(result({"mesh.vtu", "--field", "smooth"})["field"], "smooth");
}

}  // namespace
}  // namespace tessera::test
