// delaunay, remesh and simplify: what is printed and written, what becomes of data, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <tessera/io/io.h>

#include "cli/memory_case.h"

namespace tessera::test {
namespace {

using nlohmann::json;

// Two triangles at the long diagonal of a kite, which is to be flipped:
//
//            2                  corners (0 0), (4 0), (2 1), (2 -1)
//         /     \               sides sqrt(5), diagonals 4 and 2
//       0 ------- 1             angles at 0: 2 atan(1/2) = 53.13 degrees, one half on either side of 0-1
//         \     /
//            3
constexpr const char* kite = "OFF\n4 2 0\n0 0 0\n4 0 0\n2 1 0\n2 -1 0\n3 0 1 2\n3 1 0 3\n";

class CliEdit : public MemoryCase {
 protected:
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  json result(const Arguments& line) { return run_json(line)["result"]; }
};

TEST_F(CliEdit, DelaunayTellsTheQualityBeforeAndAfter) {
  write("kite.off", kite);
  const json found = result({"delaunay", "kite.off", "-o", "flipped.off"});
  EXPECT_EQ(found["flips"], 1);
  EXPECT_EQ(found["rounds"], 2) << "one that flips, and one that finds nothing left";
  EXPECT_EQ(found["dropped"], 0);
  EXPECT_EQ(found["points"], 4);
  EXPECT_EQ(found["triangles"], 2);
  EXPECT_EQ(found["output"]["cells"], 2);
  const double half = std::atan(0.5) * 180 / std::numbers::pi;
  const auto check = [&](const json& quality, double diagonal, double angle) {
    const double side = std::sqrt(5.0);
    EXPECT_EQ(quality["points"], 4);
    EXPECT_EQ(quality["triangles"], 2);
    EXPECT_EQ(quality["edges"], 5);
    EXPECT_DOUBLE_EQ(quality["edge_length"]["lowest"], std::min(side, diagonal));
    EXPECT_DOUBLE_EQ(quality["edge_length"]["mean"], (4 * side + diagonal) / 5);
    EXPECT_DOUBLE_EQ(quality["edge_length"]["highest"], std::max(side, diagonal));
    EXPECT_EQ(quality["valence"]["lowest"], 2);
    EXPECT_EQ(quality["valence"]["mean"], 2.5);
    EXPECT_EQ(quality["valence"]["highest"], 3);
    EXPECT_EQ(quality["valence"]["six"], 0);
    EXPECT_NEAR(quality["angle"]["smallest"], angle, 1e-9);
    EXPECT_NEAR(quality["angle"]["mean_smallest"], angle, 1e-9);
  };
  check(found["quality"]["before"], 4, half);
  check(found["quality"]["after"], 2, 2 * half);
  const TriMesh flipped = read_triangles(path("flipped.off"));
  for (const TriMesh::Cell& cell : flipped.cells) {
    EXPECT_TRUE(std::ranges::count(cell, VertexId(2)) == 1 && std::ranges::count(cell, VertexId(3)) == 1);
  }
}

// Edges over their mean of (4 sqrt(5) + 4) / 5 = 2.589: 0.864 four times and 1.545; then 2.236 and 2 over
// 2.189: 1.022 and 0.914. Angles: 26.6 four times and 126.9 twice; then 53.1 twice and 63.4 four times.
TEST_F(CliEdit, HistogramsCountEdgesPointsAndCorners) {
  write("kite.off", kite);
  const json found = result({"delaunay", "kite.off", "--histogram", "q.svg"});
  const auto bins = [&](const char* when, const char* what) {
    std::map<std::size_t, int> filled;
    const json& counts = found["quality"][when][what]["histogram"];
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) filled[i] = counts[i];
    }
    return filled;
  };
  using Bins = std::map<std::size_t, int>;
  EXPECT_EQ(bins("before", "edge_length"), (Bins{{8, 4}, {15, 1}}));
  EXPECT_EQ(bins("after", "edge_length"), (Bins{{9, 1}, {10, 4}}));
  EXPECT_EQ(bins("before", "valence"), (Bins{{2, 2}, {3, 2}}));
  EXPECT_EQ(bins("after", "valence"), (Bins{{2, 2}, {3, 2}}));
  EXPECT_EQ(bins("before", "angle"), (Bins{{5, 4}, {25, 2}}));
  EXPECT_EQ(bins("after", "angle"), (Bins{{10, 2}, {12, 4}}));
  const std::string picture = read("q.svg");
  EXPECT_EQ(found["histogram"]["bytes"], picture.size());
  EXPECT_TRUE(picture.starts_with("<svg "));
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  for (const char* part : {"kite.off", "edges by length over the mean", "points by valence",
                           "corners by angle", "before: 2 triangles", "after: 2 triangles"})
    EXPECT_NE(picture.find(part), std::string::npos) << part;
  write("none.off", "OFF\n0 0 0\n");
  ok({"delaunay", "none.off", "--histogram", "none.svg"});
  EXPECT_EQ(read("none.svg").find("nan"), std::string::npos);
  ok({"make", "torus", "--size", "30x20", "-o", "t.vtp"});
  ok({"remesh", "t.vtp", "--histogram", "r.svg"});
  ok({"simplify", "t.vtp", "--ratio", "0.5", "--histogram", "s.svg"});
  expect_one_sentence(run({"remesh", "t.vtp", "--histogram", "q.png"}), 6, {"q.png"});
}

TEST_F(CliEdit, DelaunayPrintsATable) {
  write("kite.off", kite);
  EXPECT_EQ(run({"delaunay", "kite.off"}).out,
            "kite.off: 1 edge flipped in 2 rounds\n"
            "                        before    after\n"
            "  points                     4        4\n"
            "  triangles                  2        2\n"
            "  shortest edge        2.23607        2\n"
            "  mean edge            2.58885  2.18885\n"
            "  longest edge               4  2.23607\n"
            "  lowest valence             2        2\n"
            "  mean valence           2.500    2.500\n"
            "  highest valence            3        3\n"
            "  of valence 6           0.0 %    0.0 %\n"
            "  smallest angle        26.57°   53.13°\n"
            "  mean smallest angle   26.57°   53.13°\n");
  EXPECT_EQ(run({"delaunay", "kite.off", "-q"}).out, "");
}

// The kite, folded along its long diagonal by a right angle.
TEST_F(CliEdit, DelaunayLeavesFeatures) {
  write("bent.off", "OFF\n4 2 0\n0 0 0\n4 0 0\n2 1 0\n2 0 1\n3 0 1 2\n3 1 0 3\n");
  EXPECT_EQ(result({"delaunay", "bent.off"})["flips"], 0);
  EXPECT_EQ(result({"delaunay", "bent.off", "--feature-angle", "89"})["flips"], 0);
  EXPECT_EQ(result({"delaunay", "bent.off", "--feature-angle", "91"})["flips"], 1);
}

TEST_F(CliEdit, DelaunayMakesTrianglesBetter) {
  ok({"make", "torus", "--size", "96x40", "--field", "rough", "-o", "t.vtp"});
  const json found = result({"delaunay", "t.vtp", "-o", "flipped.vtp"});
  const json& before = found["quality"]["before"];
  const json& after = found["quality"]["after"];
  EXPECT_GT(found["flips"], 100);
  EXPECT_GE(after["angle"]["smallest"], before["angle"]["smallest"]);
  EXPECT_GT(after["angle"]["mean_smallest"], before["angle"]["mean_smallest"]);
  EXPECT_LT(after["edge_length"]["mean"], before["edge_length"]["mean"]);
  EXPECT_EQ(before["valence"]["six"], 1) << "a torus of quads with a diagonal each";
  EXPECT_EQ(before["valence"]["mean"], 6);
  EXPECT_EQ(after["valence"]["mean"], 6) << "no flip changes the number of edges";
  EXPECT_LT(after["valence"]["six"], 1);
  EXPECT_EQ(after["edges"], 3 * 96 * 40);
  EXPECT_EQ(result({"delaunay", "flipped.vtp"})["flips"], 0);
  ok({"make", "ico", "--size", "5", "-o", "i.vtp"});
  EXPECT_EQ(result({"delaunay", "i.vtp"})["flips"], 0) << "its triangles are nearly equilateral";
}

TEST_F(CliEdit, TheSameBytesForAnyNumberOfThreads) {
  ok({"make", "torus", "--size", "200x100", "--field", "rough", "--shuffle", "-o", "t.vtp"});
  for (const char* seed : {"0", "7"}) {
    const Outcome one = run({"delaunay", "t.vtp", "-o", "one.vtp", "--threads", "1", "--seed", seed});
    const Outcome two = run({"delaunay", "t.vtp", "-o", "two.vtp", "--threads", "2", "--seed", seed});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(read("one.vtp"), read("two.vtp"));
    const auto table = [](const std::string& text) { return text.substr(0, text.find("wrote")); };
    EXPECT_EQ(table(one.out), table(two.out));
  }
}

// Flipped triangles come last and have the cell data of the first of the two that were removed.
TEST_F(CliEdit, DataIsKept) {
  write("kite.vtk",
        "# vtk DataFile Version 3.0\nkite\nASCII\nDATASET POLYDATA\nPOINTS 6 float\n"
        "0 0 0 4 0 0 2 1 0 2 -1 0 2 -3 0 9 9 9\nPOLYGONS 3 12\n3 0 1 2\n3 1 0 3\n3 3 0 4\n"
        "CELL_DATA 3\nSCALARS part int\nLOOKUP_TABLE default\n10 20 30\n"
        "POINT_DATA 6\nSCALARS heat float\nLOOKUP_TABLE default\n0 0.1 0.2 0.3 0.4 0.5\n"
        "VECTORS v double\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n");
  const TriMesh before = read_triangles(path("kite.vtk"));
  for (const char* format : {"vtp", "vtk", "vtu", "ply"}) {
    const std::string file = std::string("flipped.") + format;
    ASSERT_EQ(result({"delaunay", "kite.vtk", "-o", file})["flips"], 1) << format;
    const TriMesh after = read_triangles(path(file));
    EXPECT_EQ(after.points, before.points) << "the point without triangles too";
    EXPECT_EQ(after.cell_count(), 3U);
    EXPECT_EQ(after.field("heat"), before.field("heat")) << format;
    EXPECT_TRUE(after.point_data.has("v")) << format;
    if (std::string(format) == "ply") continue;  // has other types
    EXPECT_EQ(after.field("v"), before.field("v"));
    const auto parts = after.cell_data.at("part").as<std::int32_t>();
    ASSERT_EQ(parts.size(), 3U);  // the new ones have the part of one that they replace
    EXPECT_EQ(parts[0], 30);
    EXPECT_EQ(parts[1], parts[2]);
    EXPECT_TRUE(parts[1] == 10 || parts[1] == 20);
  }
  for (const char* format : {"obj", "stl", "off"}) {
    const std::string file = std::string("flipped.") + format;
    ok({"delaunay", "kite.vtk", "-o", file});
    EXPECT_EQ(read_triangles(path(file)).cell_count(), 3U) << format;
  }
  ok({"normals", "kite.vtk", "-o", "n.vtp"});
  EXPECT_NE(run({"delaunay", "n.vtp"}).err.find("\"Normals\" is that of the surface before"),
            std::string::npos);
}

TEST_F(CliEdit, MeshesWithLittleInThem) {
  write("none.off", "OFF\n0 0 0\n");
  const json none = result({"delaunay", "none.off", "-o", "none.vtp"});
  EXPECT_EQ(none["flips"], 0);
  EXPECT_EQ(none["quality"]["before"]["edges"], 0);
  EXPECT_TRUE(none["quality"]["after"]["edge_length"]["mean"].is_null());
  EXPECT_TRUE(none["quality"]["after"]["valence"]["six"].is_null());
  EXPECT_TRUE(none["quality"]["after"]["angle"]["smallest"].is_null());
  EXPECT_NE(run({"delaunay", "none.off"}).out.find("  mean edge                 -      -\n"),
            std::string::npos);
  write("points.off", "OFF\n2 0 0\n0 0 0\n1 0 0\n");
  EXPECT_EQ(result({"delaunay", "points.off", "-o", "p.vtp"})["points"], 2);
  ok({"make", "triangle", "-o", "one.vtp"});
  const json one = result({"delaunay", "one.vtp", "-o", "o.vtp"});
  EXPECT_EQ(one["flips"], 0);
  EXPECT_EQ(one["triangles"], 1);
  EXPECT_EQ(one["quality"]["after"]["valence"]["mean"], 2);
  for (const char* shape : {"moebius", "pinched_vertex", "three_face_fan", "bow_tie", "isolated_vertices"}) {
    ok({"make", shape, "-o", "s.vtp"});
    const json found = result({"delaunay", "s.vtp", "-o", "f.vtp"});
    EXPECT_EQ(found["quality"]["before"]["edges"], found["quality"]["after"]["edges"]) << shape;
    EXPECT_EQ(read_triangles(path("s.vtp")).points, read_triangles(path("f.vtp")).points) << shape;
  }
}

// A pyramid whose first side is there three times, once turned over, and a triangle that names a point twice.
TEST_F(CliEdit, TrianglesThatNoSurfaceHasAreDroppedWithANote) {
  const std::string points = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n";
  const std::string sides = "3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";
  write("once.off", "OFF\n5 4 0\n" + points + sides);
  write("again.off", "OFF\n5 7 0\n" + points + "3 2 2 3\n" + sides + "3 4 0 1\n3 0 4 1\n");
  const json once = run_json({"delaunay", "once.off", "-o", "a.vtp"});
  const json again = run_json({"delaunay", "again.off", "-o", "b.vtp"});
  EXPECT_TRUE(once["notes"].empty());
  EXPECT_EQ(again["notes"], (json{"2 triangles that are there again are dropped",
                                  "1 triangle names a point twice and is dropped"}));
  EXPECT_EQ(once["result"]["dropped"], 0);
  EXPECT_EQ(again["result"]["dropped"], 3);
  EXPECT_EQ(again["result"]["quality"], once["result"]["quality"]);
  EXPECT_EQ(read("a.vtp"), read("b.vtp"));
  write("data.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n"
        "0 0 0 1 0 0 0 1 0 1 1 0\nPOLYGONS 3 12\n3 0 1 2\n3 1 2 0\n3 1 3 2\n"
        "CELL_DATA 3\nSCALARS part int\nLOOKUP_TABLE default\n10 20 30\n");
  ok({"delaunay", "data.vtk", "-o", "data.vtp"});
  const TriMesh data = read_triangles(path("data.vtp"));
  const auto parts = data.cell_data.at("part").as<std::int32_t>();
  EXPECT_EQ(std::vector<std::int32_t>(parts.begin(), parts.end()), (std::vector<std::int32_t>{10, 30}));
}

TEST_F(CliEdit, WhatMeansNothingIsRefused) {
  write("kite.off", kite);
  ok({"make", "lattice", "--size", "5", "-o", "g.vti"});
  ok({"make", "one_tet", "-o", "t.vtu"});
  expect_one_sentence(run({"delaunay", "g.vti"}), 6, {"edges of triangles", "'g.vti' is a grid"});
  expect_one_sentence(run({"delaunay", "t.vtu"}), 6, {"'t.vtu' is a tetrahedral mesh"});
  for (const char* angle : {"-1", "180.5", "nan", "flat"})
    expect_one_sentence(run({"delaunay", "kite.off", std::string("--feature-angle=") + angle}), 2,
                        {"--feature-angle", angle});
  for (const char* seed : {"-1", "1.5", "4294967296"})
    expect_one_sentence(run({"delaunay", "kite.off", std::string("--seed=") + seed}), 2, {"--seed", seed});
  for (const Arguments& option :
       std::vector<Arguments>{{"--ascii"}, {"--compress"}, {"--output-format", "vtp"}}) {
    Arguments line = {"delaunay", "kite.off"};
    line.insert(line.end(), option.begin(), option.end());
    expect_one_sentence(run(line), 2, {option[0], "-o FILE"});
  }
  expect_one_sentence(run({"delaunay", "kite.off", "-o", "kite.off"}), 2, {"read and written"});
  expect_one_sentence(run({"delaunay", "kite.off", "-o", "a.png"}), 6, {"a.png"});
  write("astray.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 nan 0\n3 0 1 2\n");
  expect_one_sentence(run({"delaunay", "astray.off", "-q"}), 5, {"vertex 2", "no place"});
}

TEST_F(CliEdit, RemeshMakesTrianglesEven) {
  ok({"make", "torus", "--size", "60x30", "--field", "smooth", "-o", "t.vtp"});
  const json found = result({"remesh", "t.vtp", "--length", "0.1", "-o", "even.vtp"});
  const json& before = found["quality"]["before"];
  const json& after = found["quality"]["after"];
  EXPECT_EQ(found["target_length"], 0.1);
  EXPECT_GT(found["splits"].get<int>() + found["collapses"].get<int>(), 100);
  EXPECT_GT(after["angle"]["mean_smallest"], before["angle"]["mean_smallest"]);
  EXPECT_NEAR(after["edge_length"]["mean"], 0.1, 0.02);
  const TriMesh even = read_triangles(path("even.vtp"));
  EXPECT_EQ(even.cell_count(), found["triangles"]);
  EXPECT_EQ(even.cell_count(), 2 * even.vertex_count()) << "still a torus";
  EXPECT_EQ(even.field("smooth").size(), even.vertex_count());
  ok({"remesh", "t.vtp", "--length", "0.1", "-o", "again.vtp", "--threads", "1"});
  EXPECT_EQ(read("again.vtp"), read("even.vtp"));
  const json mean = result({"remesh", "t.vtp", "--iterations", "1"});
  EXPECT_NEAR(mean["target_length"], before["edge_length"]["mean"], 1e-12);
  expect_one_sentence(run({"remesh", "t.vtp", "--length", "0"}), 2, {"--length must be above 0"});
  expect_one_sentence(run({"remesh", "t.vtp", "--length", "1", "--sizing", "smooth"}), 2, {"exclude"});
  expect_one_sentence(run({"remesh", "t.vtp", "--sizing", "size"}), 3, {"'size'"});
}

TEST_F(CliEdit, SimplifyLeavesFewerTriangles) {
  ok({"make", "torus", "--size", "60x30", "--field", "smooth", "-o", "t.vtp"});
  const json found = result({"simplify", "t.vtp", "--ratio", "0.25", "-o", "few.vtp"});
  EXPECT_EQ(found["triangles"], 900);
  EXPECT_EQ(found["stop"], "target");
  EXPECT_EQ(found["collapses"], 1350) << "each takes two of 3600 triangles";
  const TriMesh few = read_triangles(path("few.vtp"));
  EXPECT_EQ(few.cell_count(), 900U);
  EXPECT_EQ(few.field("smooth").size(), 450U);
  ok({"simplify", "t.vtp", "--triangles", "900", "-o", "again.vtp", "--threads", "1"});
  EXPECT_EQ(read("again.vtp"), read("few.vtp"));
  const json far = run_json({"simplify", "t.vtp", "--triangles", "4"});
  EXPECT_NE(far["result"]["stop"], "target");
  EXPECT_EQ(far["notes"].size(), 1U);
  const json near = run_json({"simplify", "t.vtp", "--error", "0.001"});
  EXPECT_LT(near["result"]["triangles"], 3600);
  EXPECT_TRUE(near["notes"].empty());
  expect_one_sentence(run({"simplify", "t.vtp"}), 2, {"--triangles, --ratio or --error"});
  expect_one_sentence(run({"simplify", "t.vtp", "--ratio", "1.5"}), 2, {"--ratio"});
  expect_one_sentence(run({"simplify", "t.vtp", "--error=-1"}), 2, {"--error must be 0 or more"});
  expect_one_sentence(run({"simplify", "t.vtp", "--ratio", "0.5", "--triangles", "4"}), 2, {"exclude"});
  expect_one_sentence(run({"simplify", "t.vtp", "--ratio", "0.5", "--aspect-ratio", "0.5"}), 2,
                      {"--aspect-ratio must be 1 or more"});
}

TEST_F(CliEdit, TheDeviceIsChosenByTheWork) {
  write("kite.off", kite);
  const Outcome outcome = run({"delaunay", "kite.off", "--device", "auto"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.err.starts_with("tessera: running on the cpu")) << outcome.err;
  EXPECT_NE(outcome.err.find("the work is small"), std::string::npos) << outcome.err;
}

TEST_F(CliEdit, MemoryIsBounded) {
  make({"torus", "--size", "320x250", "--field", "rough", "-o", "t.vtp"});
  expect_bounded({"delaunay", "t.vtp", "-o", "f.vtp"}, 5);
  expect_bounded({"simplify", "t.vtp", "--ratio", "0.5", "-o", "f.vtp"}, 3);
  make({"torus", "--size", "160x125", "-o", "s.vtp"});
  expect_bounded({"remesh", "s.vtp", "--iterations", "1", "--length", "0.02", "-o", "f.vtp"}, 3);
  const Outcome refused = run(with_limit({"delaunay", "t.vtp"}, "50M"));
  expect_one_sentence(refused, 8, {"delaunay needs", "--memory"});
  const std::string named = named_limit(refused.err);
  ASSERT_FALSE(named.empty()) << refused.err;
  const Outcome outcome = run(with_limit({"delaunay", "t.vtp"}, named));
  EXPECT_EQ(outcome.code, 0) << named << ": " << outcome.err;
}

}  // namespace
}  // namespace tessera::test
