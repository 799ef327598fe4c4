// --memory bounds what the process takes, its libraries included: a run stays below it, or is refused with a
// value that works and leaves nothing behind.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "cli/memory_case.h"

namespace tessera::test {
namespace {

class CliMemory : public MemoryCase {
 protected:
  /// What `tessera info` takes of the file: the program and the mesh.
  Bytes base(const std::string& file) { return run_json({"info", file})["peak_bytes"]; }
};

TEST_F(CliMemory, TheProgramItselfCounts) {
  make({"octahedron", "-o", "o.vtp"});
  expect_one_sentence(run({"info", "o.vtp", "--memory", "1M"}), 8, {"the program itself takes", "1.00 MiB"});
}

// Many more, and more budgets: memory_sweep_test.cpp.
TEST_F(CliMemory, VerbsStayWithinIt) {
  for (const char* file :
       {"kuhn.vtu", "kuhn-shuffled.vtu", "cone.vtk", "tangle.vtk", "split.vtu", "ico.vtp", "grid.vti"})
    make_named(file, 20);
  const std::vector<Arguments> lines = {
      {"convert", "kuhn.vtu", "c.ply", "--surface"},
      {"critical-points", "cone.vtk"},
      {"critical-points", "grid.vti"},
      {"gradient", "grid.vti"},
      {"morse-smale", "grid.vti", "-o", "regions.vti"},
      {"persistence", "grid.vti"},
      {"merge-tree", "grid.vti", "--kind", "contour", "-o", "regions.vti"},
      {"merge-tree", "kuhn.vtu", "--tree", "tree.vtp"},
      {"simplify-field", "kuhn.vtu", "--threshold", "20%", "-o", "simple.vtu"},
      {"critical-points", "grid.vti", "--provider", "implicit"},
      {"gradient", "kuhn-shuffled.vtu", "-o", "pairs.vtp"},
      {"morse-smale", "kuhn.vtu", "--walls", "w.vtp"},
      {"relations", "split.vtu", "--relation", "VV"},
      {"relations", "tangle.vtk", "--relation", "FF"},
      {"isosurface", "grid.vti", "--value", "0.15"},
      {"subdivide", "ico.vtp", "-o", "fine.vtp"},
      {"weld", "kuhn.vtu"},
      {"normals", "ico.vtp"},
      {"smooth", "ico.vtp"},
      {"smooth", "ico.vtp", "--method", "flow"},
      {"denoise", "ico.vtp"},
      {"delaunay", "ico.vtp"},
      {"remesh", "ico.vtp"},
      {"simplify", "ico.vtp", "--ratio", "0.5"},
      {"geodesic", "ico.vtp", "--source", "0"},
      {"geodesic", "ico.vtp", "--source", "0", "--method", "heat"},
      {"relations", "ico.vtp", "--matrix", "laplacian"},
      {"isosurface", "ico.vtp", "--value", "0,0.5,1"},
  };
  for (const Arguments& line : lines) {
    SCOPED_TRACE(line[0] + " " + line[1]);
    expect_bounded(line, 3);
  }
}

TEST_F(CliMemory, ARefusalNamesAValueThatWorks) {
  make({"kuhn", "--size", "40", "--field", "rough", "-o", "k.vtu"});
  make({"lattice", "--size", "64", "--field", "mri", "-o", "g.vti"});
  make({"ico", "--size", "7", "-o", "i.vtp"});
  const std::string tight = limit_text(base("k.vtu") + mib(5));
  expect_named_limit_works({"critical-points", "k.vtu"}, tight);
  expect_named_limit_works({"gradient", "k.vtu"}, tight);
  expect_named_limit_works({"morse-smale", "k.vtu"}, tight);
  expect_named_limit_works({"persistence", "k.vtu"}, tight);
  expect_named_limit_works({"merge-tree", "k.vtu"}, tight);
  expect_named_limit_works({"merge-tree", "k.vtu", "--kind", "contour"}, tight);
  expect_named_limit_works({"relations", "k.vtu", "--relation", "FF"}, tight);
  expect_named_limit_works({"tetrahedralize", "g.vti"}, limit_text(base("g.vti") + mib(5)));
  expect_named_limit_works({"gradient", "g.vti", "--provider", "explicit"},
                           limit_text(base("g.vti") + mib(5)));
  expect_named_limit_works({"morse-smale", "g.vti"}, limit_text(base("g.vti") + mib(5)));
  expect_named_limit_works({"subdivide", "i.vtp"}, limit_text(base("i.vtp") + mib(5)));
  expect_named_limit_works({"weld", "i.vtp"}, limit_text(base("i.vtp") + mib(5)));
}

// Nearly every point of noise is critical, and a surface goes through nearly every voxel: no result is
// larger.
TEST_F(CliMemory, WhatIsNamedForTheRoughestInputWorks) {
  std::mt19937 random(1);
  std::vector<float> values(64 * 64 * 64);
  for (float& value : values) value = static_cast<float>(random()) / static_cast<float>(std::mt19937::max());
  std::ofstream(path("noise.raw"), std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  const Arguments noise = {"noise.raw", "--dims", "64x64x64", "--type", "float32"};
  std::size_t refused = 0;
  const auto expect_works = [&](Arguments line) {
    line.insert(line.begin() + 1, noise.begin(), noise.end());
    const std::string tight = limit_text(program_bytes() + mib(8));
    const Outcome outcome = run(with_limit(line, tight));
    if (outcome.code == 0) return;  // the least of them may just fit
    ++refused;
    expect_named_limit_works(line, outcome);
  };
  expect_works({"critical-points", "-o", "points.vtp"});
  expect_works({"gradient", "-o", "pairs.vtp"});
  expect_works({"morse-smale", "--critical-points", "cells.vtp", "--separatrices", "lines.vtp"});
  expect_works({"persistence", "-o", "diagram.vtp"});
  expect_works({"merge-tree", "--tree", "tree.vtp"});
  expect_works({"isosurface", "--value", "0.5", "-o", "surface.vtp"});
  expect_works({"isosurface", "--value", "0.4,0.5,0.6", "-o", "surfaces.vtp"});
  expect_works({"coarsen", "--value", "0.5", "-o", "coarse.vtp"});
  EXPECT_GE(refused, 7u);
}

TEST_F(CliMemory, PlanNamesTheLeastThatWorks) {
  make({"kuhn", "--size", "40", "-o", "k.vtu"});
  for (const char* relation : {"VV", "VT", "EF", "FF"}) {
    const auto plan = run_json({"plan", "k.vtu", "--relations", relation})["result"];
    const std::string least = format_limit(plan["smallest_memory"].get<Bytes>() + memory_noise);
    const Outcome outcome = run(with_limit({"relations", "k.vtu", "--relation", relation}, least));
    EXPECT_EQ(outcome.code, 0) << relation << " within " << least << ": " << outcome.err;
  }
}

TEST_F(CliMemory, WhatIsTooMuchIsNamed) {
  make({"octahedron", "-o", "o.vtp"});
  make({"lattice", "--size", "150", "-o", "g.vti"});
  expect_one_sentence(run({"subdivide", "o.vtp", "--levels", "12", "--memory", "400M"}), 8,
                      {"the finer mesh", "at least", "--memory"});
  expect_one_sentence(run({"tetrahedralize", "g.vti", "--memory", "400M"}), 8,
                      {"the tetrahedra", "--memory"});
  expect_one_sentence(
      run({"gradient", "g.vti", "--field", ":x", "--provider", "explicit", "--memory", "400M"}), 8,
      {"simplices", "--memory"});
  expect_one_sentence(run({"make", "kuhn", "--size", "300", "--memory", "400M", "-o", "big.vtu"}), 8,
                      {"--memory"});
  EXPECT_EQ(files(), (std::vector<std::string>{"g.vti", "o.vtp"}));
}

}  // namespace
}  // namespace tessera::test
