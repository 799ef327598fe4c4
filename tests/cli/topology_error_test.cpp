// What topology refuses: one sentence, the exit code, and no file.
#include <gtest/gtest.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliTopologyError : public ProgramTest {
 protected:
  const std::vector<std::string> verbs = {"critical-points", "gradient", "morse-smale"};

  void make_cube() {
    ASSERT_EQ(run({"make", "kuhn-full", "--size", "4", "--field", "rough,smooth", "-o", "k.vtu"}).code, 0);
  }
  void write_tet(const std::string& data) {
    write("t.vtk",
          "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
          "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n" +
              data);
  }
};

TEST_F(CliTopologyError, FieldsThatAreNotThere) {
  make_cube();
  for (const std::string& verb : verbs) {
    expect_one_sentence(run({verb, "k.vtu", "--field", "ruff"}), 3, {"'ruff'", "'rough'", "'smooth'"});
    expect_one_sentence(run({verb, "k.vtu"}), 2, {"--field", "'rough'", "'smooth'"});
  }
  write_tet("");
  expect_one_sentence(run({"gradient", "t.vtk"}), 3, {"no scalar field"});
  EXPECT_EQ(files(), (std::vector<std::string>{"k.vtu", "t.vtk"}));
}

TEST_F(CliTopologyError, FieldsThatHaveNoOrder) {
  write_tet("POINT_DATA 4\nSCALARS f float 1\nLOOKUP_TABLE default\n3 nan -2 7\n");
  for (const std::string& verb : verbs)
    expect_one_sentence(run({verb, "t.vtk"}), 6, {"'f'", "not a number", "vertex 1"});
  write_tet("POINT_DATA 4\nFIELD d 1\nv 3 4 float\n0 0 0 0 0 0 0 0 0 0 0 0\n");
  expect_one_sentence(run({"critical-points", "t.vtk", "--field", "v"}), 6, {"'v'", "3 components"});
}

TEST_F(CliTopologyError, GridsOfOneAxis) {
  ASSERT_EQ(run({"make", "lattice", "--size", "1x9x1", "--field", "rough", "-o", "g.vti"}).code, 0);
  for (const std::string& verb : verbs)
    expect_one_sentence(run({verb, "g.vti"}), 6, {"1 x 9 x 1", "one axis"});
}

TEST_F(CliTopologyError, AxesThatCannotBePeriodic) {
  make_cube();
  ASSERT_EQ(run({"make", "lattice", "--size", "6x2x1", "--field", "rough", "-o", "g.vti"}).code, 0);
  for (const std::string verb :
       {"critical-points", "gradient", "morse-smale", "persistence", "merge-tree", "simplify-field"}) {
    const auto refuse = [&](Arguments line, const std::vector<std::string>& parts) {
      line.insert(line.begin(), verb);
      if (verb == "simplify-field") line.insert(line.end(), {"--threshold", "1", "-o", "out.vti"});
      expect_one_sentence(run(line), 2, parts);
    };
    refuse({"g.vti", "--periodic", "x,y"}, {"--periodic", "axis y", "has 2 points", "3 or more"});
    refuse({"g.vti", "--periodic", "z"}, {"--periodic", "axis z", "has 1 point;"});
    for (const char* text : {"u", "x,", "xy", "x,x", ",x", "x y"})
      refuse({"g.vti", "--periodic", text}, {std::string("'") + text + "'", "--periodic"});
    if (verb == "simplify-field") continue;  // whose output here is of a grid
    refuse({"k.vtu", "--field", "rough", "--periodic", "x"},
           {"--periodic is for grids", "'k.vtu'", "tetrahedra"});
  }
  expect_one_sentence(run({"tetrahedralize", "g.vti", "--periodic", "x", "-o", "t.vtu"}), 2, {"--periodic"});
}

TEST_F(CliTopologyError, OutputsAreCheckedBeforeTheWork) {
  make_cube();
  const Arguments field = {"--field", "rough"};
  const auto refuse = [&](Arguments line, int code, const std::vector<std::string>& parts) {
    line.insert(line.end(), field.begin(), field.end());
    expect_one_sentence(run(line), code, parts);
  };
  refuse({"critical-points", "k.vtu", "-o", "nowhere/c.vtp"}, 7, {"nowhere"});
  refuse({"critical-points", "k.vtu", "-o", "c.ply"}, 6, {"'c.ply'", ".vtp"});
  refuse({"gradient", "k.vtu", "--critical", "c.stl"}, 6, {"'c.stl'", ".vtp"});
  refuse({"gradient", "k.vtu", "-o", "nowhere/c.vtp"}, 7, {"nowhere"});
  for (const char* option : {"--critical-points", "--separatrices", "--walls"}) {
    refuse({"morse-smale", "k.vtu", option, "nowhere/c.vtp"}, 7, {"nowhere"});
    refuse({"morse-smale", "k.vtu", option, "c.vtu"}, 6, {"'c.vtu'", ".vtp"});
  }
  refuse({"morse-smale", "k.vtu", "-o", "s.vti"}, 6, {"'s.vti'", "tetrahedral mesh", ".vtu or .vtk"});
  refuse({"morse-smale", "k.vtu", "-o", "s.txt"}, 6, {"'s.txt'"});
  EXPECT_EQ(files(), std::vector<std::string>{"k.vtu"});
}

TEST_F(CliTopologyError, OptionsThatContradict) {
  make_cube();
  const Arguments base = {"morse-smale", "k.vtu", "--field", "rough"};
  const auto refuse = [&](const Arguments& more, const std::vector<std::string>& parts) {
    Arguments line = base;
    line.insert(line.end(), more.begin(), more.end());
    expect_one_sentence(run(line), 2, parts);
  };
  refuse({"-o", "s.vtu", "--no-segmentation"}, {"-o", "--no-segmentation"});
  refuse({"--separatrices", "s.vtp", "--no-separatrices", "--no-connectors"}, {"--separatrices"});
  refuse({"--producers", "2"}, {"--producers", "push"});
  refuse({"--provider", "magic"}, {"--provider"});
  refuse({"--stats"}, {"--stats", "push"});
  ASSERT_EQ(run({"make", "ico", "--size", "2", "--field", "rough", "-o", "s.ply"}).code, 0);
  expect_one_sentence(run({"morse-smale", "s.ply", "--walls", "w.vtp"}), 2, {"--walls"});
  expect_one_sentence(run({"morse-smale", "s.ply", "-o", "w.obj"}), 6, {"'w.obj'", ".ply"});
}

TEST_F(CliTopologyError, JsonSaysWhatWentWrong) {
  make_cube();
  const auto object = run_json({"morse-smale", "k.vtu"}, 2);
  EXPECT_EQ(object["error"]["name"], "bad_option");
  EXPECT_TRUE(object["result"].is_null());
}

}  // namespace
}  // namespace tessera::test
