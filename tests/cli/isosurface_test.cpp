// isosurface: published counts, what the files hold, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliIsosurface : public ProgramTest {
 protected:
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  json result(const Arguments& line) { return run_json(line)["result"]; }
  void make_lattice(const std::string& size, const std::string& fields) {
    ok({"make", "lattice", "--size", size, "--field", fields, "-o", "g.vti"});
  }
  /// A 3 x 4 x 5 volume of 16-bit numbers: x + 10 y + 100 z.
  void write_raw(bool is_big_endian) {
    std::string bytes;
    for (int k = 0; k < 5; ++k) {
      for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 3; ++i) {
          const int value = i + 10 * j + 100 * k;
          const char low = static_cast<char>(value % 256);
          const char high = static_cast<char>(value / 256);
          bytes += is_big_endian ? std::string{high, low} : std::string{low, high};
        }
      }
    }
    write("v.raw", bytes);
  }
};

TEST_F(CliIsosurface, HasThePublishedCounts) {
  make_lattice("128", "mri");
  const json found = result({"isosurface", "g.vti", "--value", "0.15", "-o", "s.vtp"});
  EXPECT_EQ(found["points"], 790'184);
  EXPECT_EQ(found["triangles"], 1'553'966);
  EXPECT_EQ(found["field"], "mri");
  EXPECT_EQ(found["output"]["cells"], 1'553'966);
  const TriMesh mesh = read_triangles(path("s.vtp"));
  EXPECT_EQ(mesh.vertex_count(), 790'184u);
  EXPECT_EQ(mesh.cell_count(), 1'553'966u);
}

TEST_F(CliIsosurface, WritesDataNormalsAndProvenance) {
  make_lattice("20", "sphere,mri");
  ok({"isosurface", "g.vti", "--field", "sphere", "--value", "0.4,0.25", "--normals", "gradient",
      "--provenance", "-o", "s.vtp"});
  const TriMesh mesh = read_triangles(path("s.vtp"));
  const Grid grid = read_grid(path("g.vti"));
  for (const char* name : {"sphere", "mri", "Normals", "InputEdge", "InputWeight"}) {
    EXPECT_TRUE(mesh.point_data.has(name)) << name;
  }
  const auto edges = mesh.field("InputEdge").as<std::int64_t>();
  const auto weights = mesh.field("InputWeight").as<double>();
  const auto input = grid.field("mri").as<float>();
  const auto output = mesh.field("mri").as<float>();
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const auto isovalue = mesh.field("sphere").as<float>()[v];
    const Vec3d p = mesh.points[VertexId(v)];
    EXPECT_NEAR(length(p - Vec3d{0.5001, 0.5003, 0.5007}), isovalue, 2e-3);
    EXPECT_NEAR(output[v], (1 - weights[v]) * input[edges[2 * v]] + weights[v] * input[edges[2 * v + 1]],
                1e-6);
  }
  EXPECT_EQ(mesh.cell_data.at("InputCell").size(), mesh.cell_count());
}

TEST_F(CliIsosurface, CutsTetrahedra) {
  ok({"make", "kuhn-full", "--size", "17", "--field", "smooth", "-o", "k.vtu"});
  const json found = result({"isosurface", "k.vtu", "--value", "-0.5", "-o", "s.ply"});
  const TriMesh mesh = read_triangles(path("s.ply"));
  EXPECT_EQ(found["points"], mesh.vertex_count());
  EXPECT_EQ(found["triangles"], mesh.cell_count());
  EXPECT_GT(mesh.cell_count(), 100u);
  EXPECT_EQ(result({"isosurface", "k.vtu", "--value", "-0.5", "--threads", "1"})["points"],
            mesh.vertex_count());
}

TEST_F(CliIsosurface, ReadsRawVolumes) {
  for (const bool is_big_endian : {false, true}) {
    write_raw(is_big_endian);
    Arguments line = {"isosurface", "v.raw", "--dims",    "3x4x5", "--type", "uint16",
                      "--value",    "250",   "--spacing", "1x1x2", "-o",     "s.vtp"};
    if (is_big_endian) line.push_back("--big-endian");
    ok(line);
    const TriMesh mesh = read_triangles(path("s.vtp"));
    ASSERT_EQ(mesh.vertex_count(), 12u);  // one on each upright edge between z = 2 and 3
    for (std::uint32_t v = 0; v < 12; ++v) {
      const Vec3d p = mesh.points[VertexId(v)];
      EXPECT_NEAR(p.x + 10 * p.y + 50 * p.z, 250, 1e-4);
    }
  }
}

TEST_F(CliIsosurface, RawVolumesMustFitTheirFile) {
  write_raw(false);
  const auto refuse = [&](Arguments more, int code, const std::vector<std::string>& parts) {
    Arguments line = {"isosurface", "v.raw", "--value", "1"};
    line.insert(line.end(), more.begin(), more.end());
    expect_one_sentence(run(line), code, parts);
  };
  refuse({"--dims", "3x4x6", "--type", "int16"}, 4, {"'v.raw'", "120 bytes", "144"});
  refuse({"--dims", "3x4x5", "--type", "float32"}, 4, {"120 bytes", "240"});
  refuse({"--dims", "4000000000x4000000000x4000000000"}, 4, {"beyond any file"});
  refuse({"--dims", "3x4"}, 2, {"--dims 3x4"});
  refuse({"--type", "int16"}, 2, {"--type", "--dims"});
  refuse({"--dims", "3x4x5", "--type", "int16", "--input-format", "vti"}, 2, {"--input-format"});
  refuse({"--dims", "3x4x0"}, 2, {"--dims 3x4x0"});
  refuse({"--dims", "3x4x5", "--type", "half"}, 2, {"--type half", "'float32'"});
  refuse({"--dims", "3x4x5", "--type", "int16", "--spacing", "1x0x1"}, 2, {"--spacing 1x0x1"});
  expect_one_sentence(run({"isosurface", "w.raw", "--dims", "3x4x5", "--value", "1"}), 3, {"'w.raw'"});
}

TEST_F(CliIsosurface, FlatGridsHaveLines) {
  make_lattice("30x40x1", "sphere");
  const json found = result({"isosurface", "g.vti", "--value", "0.6", "-o", "l.vtp"});
  const PolyData lines = read_poly(path("l.vtp"));
  EXPECT_GT(lines.lines.size(), 20u);
  EXPECT_EQ(found["lines"], lines.lines.size());
  EXPECT_EQ(found["points"], lines.vertex_count());
  for (std::uint32_t v = 0; v < lines.vertex_count(); ++v) {
    EXPECT_NEAR(length(lines.points[VertexId(v)] - Vec3d{0.5001, 0.5003, 0.5007}), 0.6, 2e-3);
  }
  expect_one_sentence(run({"isosurface", "g.vti", "--value", "0.6", "-o", "l.stl"}), 6, {"'l.stl'", ".vtp"});
}

TEST_F(CliIsosurface, AnEmptySurfaceIsNoError) {
  make_lattice("9", "sphere");
  const Outcome outcome = run({"isosurface", "g.vti", "--value", "7", "-o", "s.vtp"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("the surface is empty: 'sphere' goes from"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_triangles(path("s.vtp")).cell_count(), 0u);
}

TEST_F(CliIsosurface, NoLinesAreNoErrorAndSaid) {
  make_lattice("9x9x1", "sphere");
  ok({"make", "ico", "--size", "2", "--field", "smooth", "-o", "i.vtp"});
  for (const auto& [file, field] : {std::pair("g.vti", "sphere"), {"i.vtp", "smooth"}}) {
    const Outcome outcome = run({"isosurface", file, "--value", "1e6", "-o", "l.vtp"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find(std::string("there are no contour lines: '") + field + "' goes from"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(read_poly(path("l.vtp")).lines.size(), 0U);
  }
}

/// Four triangles around point 4 of a square, whose value is infinite or NaN at point 0: two have lines.
TEST_F(CliIsosurface, TrianglesWithoutAValueAreCounted) {
  for (const char* value : {"inf", "-inf", "nan"}) {
    write("q.vtk", std::string("# vtk DataFile Version 3.0\nq\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n"
                               "0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 0\nPOLYGONS 4 16\n3 0 1 4\n3 1 2 4\n"
                               "3 2 3 4\n3 3 0 4\nPOINT_DATA 5\nSCALARS f float\nLOOKUP_TABLE default\n") +
                       value + " 0 0 0 1\n");
    const json object = run_json({"isosurface", "q.vtk", "--value", "0.5"});
    EXPECT_EQ(object["result"]["lines"], 2) << value;
    EXPECT_EQ(object["notes"], json{"left out 2 cells with a corner at which 'f' is NaN or infinite"});
  }
}

TEST_F(CliIsosurface, RefusesWhatHasNoSurface) {
  make_lattice("5", "sphere,mri");
  expect_one_sentence(run({"isosurface", "g.vti", "--value", "1"}), 2, {"--field", "'sphere'", "'mri'"});
  expect_one_sentence(run({"isosurface", "g.vti", "--value", "1", "--field", "x"}), 3, {"'x'"});
  expect_one_sentence(run({"isosurface", "g.vti", "--value", "nan", "--field", "mri"}), 2, {"finite"});
  expect_one_sentence(run({"isosurface", "g.vti", "--value", "1", "--field", "mri", "-o", "no/s.vtp"}), 7,
                      {"no"});
  EXPECT_EQ(run({"isosurface", "g.vti", "--field", "mri"}).code, 2);
  EXPECT_EQ(run({"isosurface", "g.vti", "--field", "mri", "--value", "1", "--normals", "up"}).code, 2);
  ok({"make", "ico", "--size", "2", "--field", "smooth", "-o", "i.vtp"});
  expect_one_sentence(run({"isosurface", "i.vtp", "--value", "0", "-o", "l.ply"}), 6, {"l.ply"});
}

}  // namespace
}  // namespace tessera::test
