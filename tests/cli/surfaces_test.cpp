// dual, curvature and coarsen: what the files hold, pipelines of them, and what is refused.
#include <gtest/gtest.h>

#include <numbers>
#include <regex>
#include <string>
#include <utility>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliSurfaces : public ProgramTest {
 protected:
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  json result(const Arguments& line) { return run_json(line)["result"]; }
};

TEST_F(CliSurfaces, DualOfASphereAndOfASheet) {
  ok({"make", "ico", "--size", "3", "--field", "smooth", "-o", "i.vtp"});
  const json closed = result({"dual", "i.vtp", "-o", "d.vtp"});
  EXPECT_EQ(closed["points"], 20 * 64);
  EXPECT_EQ(closed["polygons"], 10 * 64 + 2);
  EXPECT_EQ(closed["lines"], 0);
  const PolyData dual = read_poly(path("d.vtp"));
  EXPECT_EQ(dual.polygons.size(), 642u);
  EXPECT_EQ(dual.cell_data.at("smooth").size(), 642u);
  ok({"make", "height-field", "--size", "7x5", "-o", "h.vtp"});
  write("cube.off",
        "OFF\n8 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
        "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n");
  const json cube = result({"dual", "cube.off"});
  EXPECT_EQ(cube["points"], 6);
  EXPECT_EQ(cube["polygons"], 8);
  EXPECT_EQ(result({"dual", "cube.off", "--simplices"})["points"], 12);
  const json open = result({"dual", "h.vtp"});
  EXPECT_EQ(open["polygons"], 5 * 3);
  EXPECT_EQ(open["lines"], 18);
  EXPECT_EQ(open["vertices"], 2);
}

TEST_F(CliSurfaces, CurvatureOfASphere) {
  ok({"make", "ico", "--size", "4", "--no-displace", "-o", "i.vtp"});
  const json found = result({"curvature", "i.vtp", "-o", "c.vtp"});
  EXPECT_NEAR(found["total"], 4 * std::numbers::pi, 1e-3);
  EXPECT_NEAR(found["MeanCurvature"]["lowest"], 1, 0.02);
  EXPECT_NEAR(found["GaussianCurvature"]["highest"], 1, 0.05);
  const std::regex six_digits("  MeanCurvature from [0-9.]{4,8} to [0-9.]{4,8}\n");
  EXPECT_TRUE(std::regex_search(run({"curvature", "i.vtp"}).out, six_digits));
  const TriMesh mesh = read_triangles(path("c.vtp"));
  for (const char* name :
       {"GaussianCurvature", "MeanCurvature", "MinimumCurvature", "MaximumCurvature", "IsOnBoundary"})
    EXPECT_EQ(mesh.field(name).size(), mesh.vertex_count());
}

TEST_F(CliSurfaces, NormalsOfASphere) {
  ok({"make", "ico", "--size", "3", "--no-displace", "--field", "smooth", "-o", "i.vtp"});
  for (const char* weights : {"area", "angle", "uniform"}) {
    EXPECT_EQ(result({"normals", "i.vtp", "--weights", weights, "-o", "n.vtp"})["zero"], 0);
    const TriMesh mesh = read_triangles(path("n.vtp"));
    const auto normals = mesh.field("Normals").as<float>();
    for (const VertexId v : mesh.vertices()) {
      const Vec3d p = mesh.points[v];
      const float* n = normals.data() + 3 * v.index();
      EXPECT_GT(p.x * n[0] + p.y * n[1] + p.z * n[2], 0.99);
    }
    EXPECT_TRUE(mesh.point_data.has("smooth"));
  }
  ok({"normals", "i.vtp", "--faces", "-o", "f.vtp"});
  const TriMesh faces = read_triangles(path("f.vtp"));
  EXPECT_EQ(faces.cell_data.at("Normals").size(), faces.cell_count());
  EXPECT_FALSE(faces.point_data.has("Normals"));
}

TEST_F(CliSurfaces, SmoothAndDenoiseMovePointsAndKeepTheRest) {
  ok({"make", "ico", "--size", "3", "--field", "smooth", "-o", "i.vtp"});
  const TriMesh before = read_triangles(path("i.vtp"));
  for (const Arguments& line : std::vector<Arguments>{
           {"smooth", "i.vtp"},
           {"smooth", "i.vtp", "--weights", "cotangent", "--step", "0.3"},
           {"smooth", "i.vtp", "--method", "taubin", "--iterations", "3"},
           {"smooth", "i.vtp", "--method", "flow", "--iterations", "2"},
           {"denoise", "i.vtp"},
           {"denoise", "i.vtp", "--iterations", "2", "--sigma-c", "0.1", "--sigma-s", "0.01"}}) {
    Arguments written = line;
    written.insert(written.end(), {"-o", "moved.vtp"});
    const json found = result(written);
    EXPECT_GT(found["moved"]["highest"], 0);
    const TriMesh after = read_triangles(path("moved.vtp"));
    EXPECT_NE(after.points, before.points);
    EXPECT_EQ(after.cells, before.cells);
    EXPECT_EQ(after.field("smooth"), before.field("smooth"));
  }
  EXPECT_EQ(result({"denoise", "i.vtp", "--sigma-c", "0.1"})["sigma_c"], 0.1);
  EXPECT_NEAR(result({"denoise", "i.vtp"})["sigma_c"], 0.15, 0.05);
  const json flow = result({"smooth", "i.vtp", "--method", "flow"})["flow"];
  EXPECT_GT(flow["time"], 0);
  EXPECT_TRUE(flow["converged"].get<bool>());
  EXPECT_GT(flow["iterations"], 0);
  EXPECT_LE(flow["residual"], 1e-8);
  ok({"normals", "i.vtp", "-o", "n.vtp"});
  EXPECT_NE(run({"smooth", "n.vtp"}).err.find("\"Normals\" is that of the points before"), std::string::npos);
}

TEST_F(CliSurfaces, SmoothAndDenoiseRefuseWhatMeansNothing) {
  ok({"make", "ico", "--size", "1", "-o", "i.vtp"});
  ok({"make", "lattice", "--size", "5", "-o", "g.vti"});
  for (const char* verb : {"normals", "smooth", "denoise"})
    expect_one_sentence(run({verb, "g.vti"}), 6, {"triangles", "'g.vti' is a grid"});
  expect_one_sentence(run({"smooth", "i.vtp", "--step", "0"}), 2, {"--step must be above 0 and at most 1"});
  expect_one_sentence(run({"smooth", "i.vtp", "--step", "1.5"}), 2, {"--step must be above 0 and at most 1"});
  expect_one_sentence(run({"smooth", "i.vtp", "--method", "flow", "--step", "0"}), 2,
                      {"--step must be above 0"});
  expect_one_sentence(run({"smooth", "i.vtp", "--method", "flow", "--weights", "uniform"}), 2,
                      {"cotangents"});
  expect_one_sentence(run({"smooth", "i.vtp", "--method", "flow", "--tolerance", "2"}), 2, {"--tolerance"});
  for (const char* sigma : {"--sigma-c", "--sigma-s"}) {
    for (const char* value : {"-1", "0", "1e-200", "1e+200"})
      expect_one_sentence(run({"denoise", "i.vtp", std::string(sigma) + "=" + value}), 2,
                          {sigma, "must be between 1e-150 and 1e150", value});
  }
  write("astray.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 nan 0\n3 0 1 2\n3 1 2 0\n");
  expect_one_sentence(run({"smooth", "astray.off", "-q"}), 5, {"vertex 2", "no place"});
}

/// A pyramid whose first side is there three times, once turned over, and a triangle that names a point
/// twice.
TEST_F(CliSurfaces, TrianglesThatAreThereAgainCountOnce) {
  const std::string points = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n";
  const std::string sides = "3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";
  write("once.off", "OFF\n5 4 0\n" + points + sides);
  write("again.off", "OFF\n5 7 0\n" + points + sides + "3 4 0 1\n3 0 4 1\n3 2 2 3\n");
  for (const Arguments& line : std::vector<Arguments>{{"smooth"},
                                                      {"smooth", "--weights", "cotangent"},
                                                      {"smooth", "--method", "taubin"},
                                                      {"smooth", "--method", "flow", "--fix-boundary"},
                                                      {"denoise"}}) {
    const auto moved = [&](const std::string& input, const std::string& output) {
      Arguments all = {line[0], input, "-o", output};
      all.insert(all.end(), line.begin() + 1, line.end());
      const json notes = run_json(all)["notes"];
      return std::pair(read_triangles(path(output)), notes);
    };
    const auto [once, no_notes] = moved("once.off", "a.vtp");
    const auto [again, notes] = moved("again.off", "b.vtp");
    EXPECT_EQ(again.points, once.points) << line[0];
    EXPECT_EQ(again.cell_count(), 7U);
    EXPECT_TRUE(no_notes.empty());
    EXPECT_EQ(notes, (json{"1 triangle is there more than once and counts once",
                           "1 triangle names a point twice and does not count"}));
  }
}

TEST_F(CliSurfaces, CoarsenIsTheSameFromAVolumeAndFromItsSurface) {
  ok({"make", "lattice", "--size", "32", "--field", "sphere,mri", "-o", "g.vti"});
  const json found = result(
      {"coarsen", "g.vti", "--field", "sphere", "--value", "0.4", "-o", "a.vtp", "--histogram", "q.svg"});
  ok({"isosurface", "g.vti", "--field", "sphere", "--value", "0.4", "--provenance", "-o", "s.vtp"});
  const json chained = result({"coarsen", "s.vtp", "-o", "b.vtp"});
  EXPECT_EQ(found["dropped"].get<int>() + found["folded"].get<int>() + found["after"]["triangles"].get<int>(),
            found["before"]["triangles"].get<int>());
  EXPECT_EQ(found["isolated"], 0);
  EXPECT_NE(
      run({"coarsen", "s.vtp"}).out.find("triangles that collapsed, 0 folded onto each other, 0 points"),
      std::string::npos);
  EXPECT_EQ(found["before"], chained["before"]);
  EXPECT_EQ(found["after"], chained["after"]);
  const TriMesh a = read_triangles(path("a.vtp"));
  const TriMesh b = read_triangles(path("b.vtp"));
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.field("mri"), b.field("mri"));
  EXPECT_FALSE(b.point_data.has("InputEdge"));
  EXPECT_LT(found["after"]["triangles"], found["before"]["triangles"]);
  EXPECT_GT(found["after"]["acceptable"], found["before"]["acceptable"]);
  std::uint64_t counted = 0;
  for (const json& bin : found["after"]["histogram"]) counted += bin.get<std::uint64_t>();
  EXPECT_EQ(counted, a.cell_count());
  const std::string svg = read("q.svg");
  EXPECT_EQ(svg.find("<svg "), 0u);
  EXPECT_NE(svg.find("Quality of triangles in g.vti"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

TEST_F(CliSurfaces, RefuseWhatTheyCanNotUse) {
  ok({"make", "one_tet", "-o", "t.vtu"});
  ok({"make", "ico", "--size", "1", "-o", "i.vtp"});
  ok({"make", "lattice", "--size", "5", "--field", "sphere", "-o", "g.vti"});
  expect_one_sentence(run({"dual", "t.vtu"}), 6, {"'t.vtu' is a tetrahedral mesh"});
  expect_one_sentence(run({"dual", "i.vtp", "-o", "d.ply"}), 6, {"d.ply"});
  expect_one_sentence(run({"curvature", "g.vti"}), 6, {"'g.vti' is a grid"});
  expect_one_sentence(run({"coarsen", "i.vtp"}), 3, {"'i.vtp'", "InputEdge", "--provenance"});
  expect_one_sentence(run({"coarsen", "g.vti"}), 2, {"--value"});
  expect_one_sentence(run({"coarsen", "g.vti", "--value", "0.3", "--histogram", "q.png"}), 6, {"q.png"});
}

}  // namespace
}  // namespace tessera::test
