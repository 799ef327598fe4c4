// subdivide: counts, what the files hold, and what is refused.
#include <gtest/gtest.h>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliSubdivide : public ProgramTest {
 protected:
  json result(const Arguments& line) { return run_json(line)["result"]; }
};

TEST_F(CliSubdivide, CutsSurfaces) {
  ASSERT_EQ(run({"make", "ico", "--size", "2", "--field", "smooth", "-o", "ico.vtp"}).code, 0);
  const json found = result({"subdivide", "ico.vtp", "--levels", "2", "-o", "fine.vtp"});
  EXPECT_EQ(found["points"], 10 * 256 + 2);
  EXPECT_EQ(found["cells"], 20 * 256);
  const TriMesh linear = read_triangles(path("fine.vtp"));
  EXPECT_EQ(linear.vertex_count(), 2562u);
  EXPECT_EQ(linear.field("smooth").size(), 2562u);
  EXPECT_EQ(result({"subdivide", "ico.vtp", "--scheme", "loop", "--levels", "2", "-o", "loop.vtp"})["cells"],
            20 * 256);
  const TriMesh loop = read_triangles(path("loop.vtp"));
  EXPECT_EQ(loop.cells, linear.cells);
  EXPECT_NE(loop.points, linear.points);
}

TEST_F(CliSubdivide, SaysWhereEverythingCameFrom) {
  ASSERT_EQ(run({"make", "two_tets", "-o", "t.vtu"}).code, 0);
  ASSERT_EQ(run({"subdivide", "t.vtu", "--provenance", "-o", "f.vtu"}).code, 0);
  const TetMesh mesh = read_tets(path("f.vtu"));
  ASSERT_EQ(mesh.vertex_count(), 5u + 9);
  ASSERT_EQ(mesh.cell_count(), 16u);
  const auto edges = mesh.field("InputEdge").as<std::int64_t>();
  EXPECT_EQ(edges[2 * 3], 3);
  EXPECT_EQ(edges[2 * 3 + 1], 3);
  EXPECT_EQ(edges[2 * 5], 0);  // the first edge
  EXPECT_EQ(edges[2 * 5 + 1], 1);
  EXPECT_EQ(mesh.cell_data.at("InputCell").as<std::int64_t>()[8], 1);
}

TEST_F(CliSubdivide, RefusesWhatItCanNotDo) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.vtp"}).code, 0);
  ASSERT_EQ(run({"make", "one_tet", "-o", "t.vtu"}).code, 0);
  ASSERT_EQ(run({"make", "lattice", "--size", "4", "-o", "g.vti"}).code, 0);
  expect_one_sentence(run({"subdivide", "o.vtp", "--levels", "-2"}), 2, {"-2 levels"});
  expect_one_sentence(run({"subdivide", "o.vtp", "--levels", "20"}), 6, {"triangles"});
  expect_one_sentence(run({"subdivide", "t.vtu", "--scheme", "loop"}), 2, {"Loop"});
  expect_one_sentence(run({"subdivide", "g.vti"}), 6, {"'g.vti' is a grid"});
  EXPECT_EQ(run({"subdivide", "o.vtp", "--scheme", "catmull"}).code, 2);
}

}  // namespace
}  // namespace tessera::test
