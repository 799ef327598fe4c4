// geodesic: fields and paths that it writes, isolines of them, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>

#include <tessera/core/random.h>
#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliGeodesic : public ProgramTest {
 protected:
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  json result(const Arguments& line) { return run_json(line)["result"]; }
  /// A unit square of two triangles, and a triangle far from it.
  void write_square() {
    write("s.off",
          "OFF\n7 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n9 9 0\n9 8 0\n8 9 0\n3 0 1 2\n3 0 2 3\n3 4 5 6\n");
  }
};

TEST_F(CliGeodesic, MeasuresASphere) {
  ok({"make", "ico", "--size", "4", "--no-displace", "--field", "smooth", "-o", "i.vtp"});
  for (const char* method : {"fronts", "heat"}) {
    const json found = result({"geodesic", "i.vtp", "--source", "0", "--method", method, "-o", "d.vtp"});
    EXPECT_EQ(found["sources"], 1);
    EXPECT_EQ(found["reached"], 2562);
    EXPECT_NEAR(found["farthest"]["distance"], std::numbers::pi, 0.1) << method;
    const TriMesh mesh = read_triangles(path("d.vtp"));
    EXPECT_TRUE(mesh.point_data.has("smooth")) << "all data is kept";
    EXPECT_EQ(mesh.field("GeodesicDistance").size(), mesh.vertex_count());
    for (const std::int64_t id : mesh.field("NearestSource").as<std::int64_t>()) ASSERT_EQ(id, 0) << method;
  }
  EXPECT_EQ(run({"geodesic", "i.vtp", "--source", "0", "--threads", "1", "-o", "1.vtp", "-q"}).code, 0);
  EXPECT_EQ(run({"geodesic", "i.vtp", "--source", "0", "--threads", "2", "-o", "2.vtp", "-q"}).code, 0);
  EXPECT_EQ(read_triangles(path("1.vtp")).field("GeodesicDistance"),
            read_triangles(path("2.vtp")).field("GeodesicDistance"));
}

TEST_F(CliGeodesic, TakesIdsAPlaceAndAMask) {
  write_square();
  const json by_id = result({"geodesic", "s.off", "--source", "0,4-5", "-o", "d.vtp"});
  EXPECT_EQ(by_id["sources"], 3);
  EXPECT_EQ(by_id["reached"], 7);
  const TriMesh mesh = read_triangles(path("d.vtp"));
  const auto nearest = mesh.field("NearestSource").as<std::int64_t>();
  EXPECT_EQ(nearest[2], 0);
  EXPECT_EQ(nearest[5], 5);
  EXPECT_EQ(nearest[6], 4);
  EXPECT_NEAR(result({"geodesic", "s.off", "--nearest", "0.9,-0.2,0.1"})["farthest"]["distance"],
              std::sqrt(2), 0.1);
  // GeodesicDistance is 0 at the three sources, NearestSource 0 at four points.
  EXPECT_EQ(result({"geodesic", "d.vtp", "--mask", "GeodesicDistance"})["sources"], 4);
  EXPECT_EQ(result({"geodesic", "d.vtp", "--mask", "NearestSource", "--source", "1"})["sources"], 4);
}

TEST_F(CliGeodesic, SaysWhatIsNotReached) {
  write_square();
  const Outcome outcome = run({"geodesic", "s.off", "--source", "1", "-o", "d.vtp"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("the GeodesicDistance of 3 points is infinite"), std::string::npos)
      << outcome.err;
  const TriMesh mesh = read_triangles(path("d.vtp"));
  mesh.field("GeodesicDistance").visit([](auto values) {
    EXPECT_EQ(static_cast<double>(values[4]), std::numeric_limits<double>::infinity());
  });
  EXPECT_EQ(mesh.field("NearestSource").as<std::int64_t>()[4], -1);
  EXPECT_EQ(result({"geodesic", "s.off", "--source", "1", "--limit", "1"})["reached"], 3);
}

TEST_F(CliGeodesic, TracesPathsAndIsolines) {
  ok({"make", "ico", "--size", "4", "--no-displace", "-o", "i.vtp"});
  ok({"geodesic", "i.vtp", "--source", "0", "-o", "d.vtp", "--paths", "p.vtp", "--from", "0,5,100-102"});
  const PolyData paths = read_poly(path("p.vtp"));
  EXPECT_EQ(paths.lines.size(), 5u);
  const auto distance = read_triangles(path("d.vtp")).field("GeodesicDistance");
  const auto lengths = paths.cell_data.at("Length").as<double>();
  EXPECT_EQ(lengths[0], 0);
  EXPECT_EQ(paths.cell_data.at("From").as<std::int64_t>()[4], 102);
  distance.visit([&](auto values) { EXPECT_NEAR(lengths[3], static_cast<double>(values[101]), 0.05); });
  ok({"isosurface", "d.vtp", "--field", "GeodesicDistance", "--value", "1,2", "-o", "l.vtp"});
  const PolyData lines = read_poly(path("l.vtp"));
  double round = 0;
  for (std::size_t l = 0; l < lines.lines.size(); ++l)
    round += length(lines.points[lines.lines[l][1]] - lines.points[lines.lines[l][0]]);
  EXPECT_NEAR(round, 2 * std::numbers::pi * (std::sin(1) + std::sin(2)), 0.2);
  write_square();
  const Outcome outcome = run({"geodesic", "s.off", "--source", "0", "--paths", "q.vtp", "--from", "2,4"});
  EXPECT_NE(outcome.err.find("no way leads from point 4 to a source"), std::string::npos) << outcome.err;
}

TEST_F(CliGeodesic, TracesPathsByHeat) {
  ok({"make", "ico", "--size", "4", "--no-displace", "-o", "i.vtp"});
  ok({"geodesic", "i.vtp", "--method", "heat", "--source", "0,700", "-o", "d.vtp", "--paths", "p.vtp",
      "--from", "0,5,100-102,700"});
  const PolyData paths = read_poly(path("p.vtp"));
  ASSERT_EQ(paths.lines.size(), 6u);
  const TriMesh mesh = read_triangles(path("d.vtp"));
  const auto distance = mesh.field("GeodesicDistance").as<double>();
  const auto lengths = paths.cell_data.at("Length").as<double>();
  const auto from = paths.cell_data.at("From").as<std::int64_t>();
  const auto ends = paths.cell_data.at("NearestSource").as<std::int64_t>();
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(lengths[k], distance[static_cast<std::size_t>(from[k])], 0.15) << k;
    const VertexId last = paths.lines[k][paths.lines[k].size() - 1];
    EXPECT_EQ(paths.points[last], mesh.points[VertexId(static_cast<std::uint32_t>(ends[k]))]) << k;
  }
  EXPECT_EQ(ends[0], 0);
  EXPECT_EQ(ends[5], 700);
  std::size_t with_first = 0;
  for (const std::int64_t id : mesh.field("NearestSource").as<std::int64_t>()) {
    ASSERT_TRUE(id == 0 || id == 700) << id;
    with_first += id == 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(with_first), 1281, 130) << "half of the points";
}

/// Triangles at random: heat has minima that are no sources.
TEST_F(CliGeodesic, SaysWherePathsEndEarly) {
  SplitMix64 random(3);
  std::string text = "OFF\n300 600 0\n";
  for (int i = 0; i < 900; ++i) text += std::to_string(random.uniform()) + (i % 3 == 2 ? "\n" : " ");
  for (int i = 0; i < 600; ++i) {
    std::set<std::uint64_t> corners;
    while (corners.size() < 3) corners.insert(random.below(300));
    text += "3";
    for (const std::uint64_t corner : corners) text += " " + std::to_string(corner);
    text += "\n";
  }
  write("h.off", text);
  const Outcome outcome =
      run({"geodesic", "h.off", "--method", "heat", "--source", "5", "--paths", "p.vtp", "--from", "0-299"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("ends at a point that is no source"), std::string::npos) << outcome.err;
  const PolyData paths = read_poly(path("p.vtp"));
  std::size_t early = 0;
  for (const std::int64_t id : paths.cell_data.at("NearestSource").as<std::int64_t>())
    early += id == -1 ? 1 : 0;
  EXPECT_GT(early, 0u);
  EXPECT_LT(early, paths.lines.size() / 2);
}

/// How -o is written, paths are written.
TEST_F(CliGeodesic, WritesPathsAsText) {
  write_square();
  ok({"geodesic", "s.off", "--source", "0", "--paths", "t.vtp", "--from", "2", "--ascii"});
  EXPECT_NE(read("t.vtp").find("format=\"ascii\""), std::string::npos);
  EXPECT_EQ(read("t.vtp").find("format=\"appended\""), std::string::npos);
  ok({"geodesic", "s.off", "--source", "0", "--paths", "c.vtp", "--from", "2", "--compress"});
  EXPECT_NE(read("c.vtp").find("vtkZLibDataCompressor"), std::string::npos);
}

TEST_F(CliGeodesic, OptionsThatWouldDoNothing) {
  write_square();
  const auto before = files();
  const auto refuses = [&](const Arguments& more, const std::vector<std::string>& parts) {
    Arguments line = {"geodesic", "s.off", "--source", "0"};
    line.insert(line.end(), more.begin(), more.end());
    expect_one_sentence(run(line), 2, parts);
  };
  refuses({"--ascii"}, {"--ascii", "-o FILE"});
  refuses({"--compress"}, {"--compress", "-o FILE"});
  refuses({"--output-format", "ply"}, {"--output-format", "-o FILE"});
  refuses({"--paths", "p.vtp", "--from", "1", "--output-format", "vtk"}, {"--output-format", "-o FILE"});
  refuses({"--paths", "p.vtk", "--from", "1", "--compress"}, {"p.vtk", "cannot be compressed"});
  refuses({"--method", "heat", "--front", "planar"}, {"--front", "--method fronts"});
  refuses({"--method", "heat", "--front", "circular"}, {"--front", "--method fronts"});
  refuses({"--method", "heat", "--limit", "1"}, {"--limit", "--method fronts"});
  refuses({"--time", "2"}, {"--time", "--method heat"});
  refuses({"--from", "1"}, {"--from", "--paths"});
  EXPECT_EQ(files(), before);
}

TEST_F(CliGeodesic, RepeatedTrianglesCountOnce) {
  // A square whose second triangle is there again, wound the other way, and a triangle without corners
  // enough.
  write("r.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n3 0 3 2\n3 1 1 2\n");
  for (const std::string method : {"fronts", "heat"}) {
    const auto done = run({"geodesic", "r.off", "--source", "1", "--method", method, "-o", "d.vtp"});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.err.find("1 triangle is there more than once and counts once"), std::string::npos)
        << done.err;
    EXPECT_NE(done.err.find("names a point twice"), std::string::npos) << done.err;
  }
}

TEST_F(CliGeodesic, RefusesWhatItCannotUse) {
  write_square();
  write("m.vtk",
        "# vtk DataFile Version 3.0\nm\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
        "POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\nSCALARS zero float 1\nLOOKUP_TABLE default\n0 0 0\n"
        "SCALARS bad float 1\nLOOKUP_TABLE default\n0 nan 0\n");
  ok({"make", "lattice", "--size", "5", "-o", "g.vti"});
  const auto refuses = [&](const Arguments& more, int code, const std::vector<std::string>& parts) {
    Arguments line = {"geodesic", "s.off"};
    line.insert(line.end(), more.begin(), more.end());
    expect_one_sentence(run(line), code, parts);
  };
  refuses({}, 2, {"--source", "--nearest", "--mask"});
  refuses({"--source", "7"}, 3, {"--source names point 7", "7 points"});
  refuses({"--source", "1.5"}, 2, {"'1.5'", "--source"});
  refuses({"--source", "x"}, 2, {"'x'", "--source"});
  refuses({"--nearest", "1,nan,0"}, 2, {"--nearest", "X,Y,Z"});
  refuses({"--source", "0", "--limit", "-1"}, 2, {"--limit"});
  refuses({"--source", "0", "--paths", "p.vtp"}, 2, {"--from"});
  refuses({"--source", "0", "--paths", "p.vtp", "--from", "9"}, 3, {"--from names point 9"});
  refuses({"--source", "0", "--method", "heat", "--paths", "p.vtp", "--from", "9"}, 3,
          {"--from names point 9"});
  refuses({"--source", "0", "--front", "square"}, 2, {"--front"});
  refuses({"--mask", "nothing"}, 3, {"'nothing'"});
  expect_one_sentence(run({"geodesic", "m.vtk", "--mask", "zero"}), 3, {"'zero'", "0 everywhere"});
  expect_one_sentence(run({"geodesic", "m.vtk", "--mask", "bad"}), 5, {"'bad'", "NaN at point 1"});
  expect_one_sentence(run({"geodesic", "g.vti", "--source", "0"}), 6, {"'g.vti' is a grid"});
}

}  // namespace
}  // namespace tessera::test
