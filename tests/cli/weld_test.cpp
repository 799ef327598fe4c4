// weld: what the files hold before and after, and what is refused.
#include <gtest/gtest.h>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliWeld : public ProgramTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({"make", "ico", "--size", "4", "-o", "ico.vtp"}).code, 0);
    ASSERT_EQ(run({"convert", "ico.vtp", "soup.stl"}).code, 0);
  }
  json result(const Arguments& line) { return run_json(line)["result"]; }
};

TEST_F(CliWeld, GivesASoupItsConnectivity) {
  const json found = result({"weld", "soup.stl", "-o", "mesh.ply"});
  EXPECT_EQ(found["points"]["before"], 3 * 5120);
  EXPECT_EQ(found["points"]["after"], 2562);  // 10 4^4 + 2
  EXPECT_EQ(found["cells"]["after"], 5120);
  EXPECT_EQ(found["dropped"], 0);
  const TriMesh mesh = read_triangles(path("mesh.ply"));
  EXPECT_EQ(mesh.vertex_count(), 2562u);
  EXPECT_EQ(mesh.cell_count(), 5120u);
  const json again = result({"weld", "mesh.ply", "-o", "again.ply"});
  EXPECT_EQ(again["points"]["before"], again["points"]["after"]);
  EXPECT_EQ(read("mesh.ply"), read("again.ply"));
  const Outcome outcome = run({"weld", "soup.stl"});
  EXPECT_EQ(outcome.out, "soup.stl: 15,360 points joined to 2,562, 0 of 5,120 triangles dropped\n");
}

TEST_F(CliWeld, OtherVerbsReadAnStlFileWelded) {
  const json info = result({"info", "soup.stl"})["files"][0];
  EXPECT_EQ(info["points"], 2562);
  EXPECT_EQ(info["notes"][0], "Joined 15360 corners of triangles to 2562 points.");
  EXPECT_EQ(result({"info", "soup.stl", "--no-weld"})["files"][0]["points"], 15360);
  EXPECT_EQ(result({"doctor", "soup.stl"})["report"]["components"], 1);
  EXPECT_EQ(result({"doctor", "soup.stl", "--no-weld"})["report"]["components"], 5120);
  EXPECT_EQ(result({"doctor", "soup.stl", "--no-weld", "--fix", "--weld", "-o", "m.ply"})["output"]["points"],
            2562);
}

TEST_F(CliWeld, DropsWhatATolerancePutsTogether) {
  const json found = result({"weld", "soup.stl", "--tolerance", "0.2", "-o", "mesh.vtp"});
  const TriMesh mesh = read_triangles(path("mesh.vtp"));
  EXPECT_EQ(found["points"]["after"], mesh.vertex_count());
  EXPECT_LT(mesh.vertex_count(), 1000u);
  EXPECT_EQ(found["dropped"], 5120u - mesh.cell_count());
  EXPECT_GT(found["dropped"], 0);
}

TEST_F(CliWeld, RefusesWhatItCanNotWeld) {
  expect_one_sentence(run({"weld", "soup.stl", "--tolerance", "-1"}), 2, {"tolerance of -1"});
  ASSERT_EQ(run({"make", "lattice", "--size", "4", "-o", "g.vti"}).code, 0);
  expect_one_sentence(run({"weld", "g.vti"}), 6, {"'g.vti' is a grid"});
  expect_one_sentence(run({"weld", "no.stl"}), 3, {"no.stl"});
  expect_one_sentence(run({"weld", "soup.stl", "-o", "mesh.xyz"}), 6, {"mesh.xyz"});
  EXPECT_EQ(run({"weld", "soup.stl", "--data", "last"}).code, 2);
}

}  // namespace
}  // namespace tessera::test
