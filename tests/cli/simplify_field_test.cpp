// The verb simplify-field: what is left of a field, files and refusals.
#include <gtest/gtest.h>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliSimplifyField : public ProgramTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        run({"make", "kuhn", "--size", "20", "--field", "rough", "--no-orient", "-o", "solid.vtu"}).code, 0);
    ASSERT_EQ(run({"make", "lattice", "--size", "24", "--field", "mri", "-o", "grid.vti"}).code, 0);
    ASSERT_EQ(run({"make", "torus", "--size", "64x48", "--field", "smooth", "-o", "torus.vtp"}).code, 0);
  }
  json result(Arguments arguments) { return run_json(std::move(arguments))["result"]; }
};

TEST_F(CliSimplifyField, LeavesThePersistentExtrema) {
  for (const auto& [input, output] :
       {std::pair("solid.vtu", "simple.vtu"), {"grid.vti", "simple.vti"}, {"torus.vtp", "simple.vtp"}}) {
    SCOPED_TRACE(input);
    const json join = result({"merge-tree", input, "--threshold", "10%"});
    const json split = result({"merge-tree", input, "--kind", "split", "--threshold", "10%"});
    const json found = result({"simplify-field", input, "--threshold", "10%", "-o", output});
    EXPECT_LT(found["after"]["minimum"], found["before"]["minimum"]);
    EXPECT_EQ(found["after"]["minimum"], join["branches"]);
    EXPECT_EQ(found["after"]["maximum"], split["branches"]);
    EXPECT_LE(found["largest_change"].get<double>(), found["threshold"].get<double>() * (1 + 1e-9));
    EXPECT_GT(found["changed_vertices"], 0);
    // The file has the field under its name, and its critical points are those that were reported.
    const json points = result({"critical-points", output});
    EXPECT_EQ(points["field"], found["field"]);
    for (const char* type : {"minimum", "saddle1", "saddle2", "maximum", "degenerate"})
      EXPECT_EQ(points[type], found["after"][type]) << type;
  }
}

TEST_F(CliSimplifyField, KeepsThePointsOfAFile) {
  ASSERT_EQ(run({"critical-points", "torus.vtp", "--threshold", "20%", "-o", "points.vtp"}).code, 0);
  const json points = result({"critical-points", "torus.vtp", "--threshold", "20%"});
  const json found = result({"simplify-field", "torus.vtp", "--keep", "points.vtp", "-o", "simple.vtp"});
  EXPECT_EQ(found["after"]["minimum"], points["minimum"]);
  EXPECT_EQ(found["after"]["maximum"], points["maximum"]);
  // On a torus there are as many saddles as extrema; a degenerate point is several saddles.
  const int extrema = found["after"]["minimum"].get<int>() + found["after"]["maximum"].get<int>();
  const int saddles = found["after"]["saddle1"].get<int>() + found["after"]["saddle2"].get<int>();
  EXPECT_LE(saddles + 2 * found["after"]["degenerate"].get<int>(), extrema);
  if (found["after"]["degenerate"] == 0) {
    EXPECT_EQ(saddles, extrema);
  }
}

TEST_F(CliSimplifyField, TheSameForAnyThreads) {
  for (const char* threads : {"1", "2", "7"}) {
    const std::string name = std::string("simple") + threads + ".vti";
    ASSERT_EQ(run({"simplify-field", "grid.vti", "--threshold", "5%", "--threads", threads, "-o", name}).code,
              0);
    EXPECT_EQ(read(name), read("simple1.vti"));
  }
}

TEST_F(CliSimplifyField, RefusesWhatCannotBe) {
  expect_one_sentence(run({"simplify-field", "solid.vtu"}), 2, {"--threshold", "--keep"});
  expect_one_sentence(run({"simplify-field", "solid.vtu", "--threshold", "1", "--keep", "p.vtp"}), 2,
                      {"--threshold", "--keep"});
  expect_one_sentence(run({"simplify-field", "solid.vtu", "--keep", "p.vtp"}), 3, {"p.vtp"});
  expect_one_sentence(run({"simplify-field", "torus.vtp", "--keep", "torus.vtp"}), 3, {"torus.vtp"});
  ASSERT_EQ(run({"convert", "torus.vtp", "plain.vtp"}).code, 0);
  expect_one_sentence(run({"simplify-field", "torus.vtp", "--keep", "plain.vtp"}), 3,
                      {"plain.vtp", "ttkVertexScalarField"});
  ASSERT_EQ(run({"critical-points", "torus.vtp", "-o", "points.vtp"}).code, 0);
  expect_one_sentence(run({"simplify-field", "torus.vtp", "--keep", "points.vtp", "-o", "points.vtp"}), 2,
                      {"points.vtp"});
  expect_one_sentence(run({"simplify-field", "solid.vtu", "--keep", "points.vtp"}), 2, {"vertex"});
  expect_one_sentence(run({"simplify-field", "grid.vti", "--threshold", "5%", "-o", "grid.ply"}), 6,
                      {"grid.ply"});
}

}  // namespace
}  // namespace tessera::test
