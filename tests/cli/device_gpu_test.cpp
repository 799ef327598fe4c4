// The program on a GPU: every verb that can use one writes the bytes that it writes without.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/memory_case.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliOnDevice : public ProgramTest {
 protected:
  void SetUp() override {
    if (run_json({"devices"})["result"]["cuda"].empty()) GTEST_SKIP() << "this machine has no GPU";
  }
  void ok(const Arguments& line) const {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  /// `line` writes to a file that ends on `extension`.
  void expect_same(Arguments line, const std::string& extension) const {
    const auto on = [&](const std::string& device, const std::string& file) {
      Arguments whole = line;
      whole.insert(whole.end(), {"--device", device, "-o", file + extension});
      ok(whole);
    };
    on("cpu", "host");
    on("cuda", "device");
    EXPECT_EQ(read("host" + extension), read("device" + extension)) << line[0];
    EXPECT_NE(read("host" + extension), "") << line[0];
  }
};

TEST_F(CliOnDevice, AnalysesWriteTheSameBytes) {
  ok({"make", "kuhn", "--size", "24", "--field", "rough", "-o", "solid.vtu"});
  ok({"make", "ico", "--size", "5", "--field", "rough", "-o", "surface.vtp"});
  for (const std::string mesh : {"solid.vtu", "surface.vtp"}) {
    expect_same({"critical-points", mesh}, ".vtp");
    expect_same({"persistence", mesh}, ".vtu");
    expect_same({"gradient", mesh}, ".vtp");
    expect_same({"morse-smale", mesh}, mesh.substr(mesh.find('.')));
    for (const char* device : {"cpu", "cuda"}) {
      ok({"morse-smale", mesh, "--separatrices", device + std::string(".vtp"), "--device", device});
    }
    EXPECT_EQ(read("cpu.vtp"), read("cuda.vtp")) << mesh;
  }
}

TEST_F(CliOnDevice, GeneratorsWriteTheSameBytes) {
  ok({"make", "lattice", "--size", "40", "--field", "mri", "-o", "grid.vti"});
  ok({"make", "kuhn", "--size", "16", "--field", "rough", "-o", "solid.vtu"});
  ok({"make", "ico", "--size", "5", "--field", "rough", "-o", "surface.vtp"});
  expect_same({"isosurface", "grid.vti", "--value", "0.15"}, ".vtp");
  expect_same({"isosurface", "solid.vtu", "--value", "0"}, ".vtp");
  expect_same({"coarsen", "grid.vti", "--value", "0.15"}, ".vtp");
  expect_same({"tetrahedralize", "grid.vti"}, ".vtu");
  expect_same({"subdivide", "solid.vtu"}, ".vtu");
  for (const char* verb : {"subdivide", "dual", "curvature", "weld", "normals", "smooth", "denoise"}) {
    expect_same({verb, "surface.vtp"}, ".vtp");
  }
  expect_same({"smooth", "surface.vtp", "--method", "flow"}, ".vtp");
}

TEST_F(CliOnDevice, TheChoiceIsSaidInOneLine) {
  ok({"make", "kuhn-full", "--size", "16", "--field", "rough", "-o", "small.vtu"});
  ok({"make", "kuhn-full", "--size", "96", "--field", "rough", "-o", "large.vtu"});
  EXPECT_EQ(run({"gradient", "small.vtu"}).err, "");
  const Outcome small = run({"gradient", "small.vtu", "--device", "auto"});
  EXPECT_NE(small.err.find("the work is small"), std::string::npos) << small.err;
  const Outcome large = run({"gradient", "large.vtu", "--threads", "1"});
  EXPECT_NE(large.err.find("running on"), std::string::npos) << large.err;
  EXPECT_NE(large.err.find("cuda:0"), std::string::npos) << large.err;
  EXPECT_EQ(std::ranges::count(large.err, '\n'), 1) << large.err;
  EXPECT_EQ(large.out, run({"gradient", "large.vtu", "--device", "cpu"}).out);
}

TEST_F(CliOnDevice, TooLittleMemoryThere) {
  ok({"make", "kuhn-full", "--size", "96", "--field", "rough", "-o", "mesh.vtu"});
  const Outcome automatic = run({"gradient", "mesh.vtu", "--threads", "1", "--device-memory", "1M"});
  EXPECT_EQ(automatic.code, 0);
  EXPECT_NE(automatic.err.find("the work takes"), std::string::npos) << automatic.err;
  expect_one_sentence(run({"gradient", "mesh.vtu", "--device", "cuda", "--device-memory", "1M"}), 10,
                      {"the GPU was asked for", "free"});
}

// `auto` chooses by a verb's estimate of the memory it takes there, so the estimate must be enough.
TEST_F(CliOnDevice, TheEstimateIsEnough) {
  const auto expect_enough = [&](Arguments line) {
    line.insert(line.end(), {"--device", "cuda"});
    const json told = run_json(line);
    const double taken = told["device_peak_bytes"].get<double>();
    const double estimated = told["device_estimated_bytes"].get<double>();
    EXPECT_GT(taken, 0) << line[0] << ' ' << line[1];
    EXPECT_LE(taken, estimated) << line[0] << ' ' << line[1];
    EXPECT_GE(taken, estimated / 10) << line[0] << ' ' << line[1];
    RecordProperty(line[0] + ' ' + line[1], std::to_string(taken / estimated));
  };
  ok({"make", "kuhn", "--size", "64", "--field", "rough", "-o", "solid.vtu"});
  ok({"make", "kuhn", "--size", "64", "--field", "rough", "--shuffle", "-o", "mixed.vtu"});
  ok({"make", "ico", "--size", "7", "--field", "rough", "-o", "surface.vtp"});
  for (const char* mesh : {"solid.vtu", "mixed.vtu", "surface.vtp"}) {
    for (const char* verb : {"critical-points", "gradient", "persistence"}) expect_enough({verb, mesh});
    expect_enough({"morse-smale", mesh, "--separatrices", "lines.vtp"});
  }
  expect_enough({"isosurface", "solid.vtu", "--value", "0", "-o", "level.vtp"});
  ok({"make", "lattice", "--size", "64", "--field", "mri", "-o", "grid.vti"});
  expect_enough({"morse-smale", "grid.vti", "--separatrices", "lines.vtp"});  // of noise: many paths
  expect_enough({"isosurface", "grid.vti", "--value", "0.15", "-o", "level.vtp"});
  expect_enough({"coarsen", "grid.vti", "--value", "0.15", "-o", "coarse.vtp"});
  expect_enough({"tetrahedralize", "grid.vti", "-o", "tets.vtu"});
  ok({"make", "ico", "--size", "7", "-o", "fine.vtp"});
  for (const char* verb : {"subdivide", "dual", "curvature", "weld", "normals", "smooth", "denoise"}) {
    expect_enough({verb, "fine.vtp", "-o", "result.vtp"});
  }
  expect_enough({"smooth", "fine.vtp", "--method", "flow", "-o", "result.vtp"});
}

TEST_F(CliOnDevice, ProducersTellWhereTheTimeWent) {
  ok({"make", "kuhn", "--size", "48", "--field", "rough", "-o", "mesh.vtu"});
  const std::string expected = run({"critical-points", "mesh.vtu", "--device", "cpu"}).out;
  const json told = run_json({"critical-points", "mesh.vtu", "--provider", "device", "--stats", "--threads",
                              "2"})["result"]["provider"];
  EXPECT_GT(told["device"]["tiles"], 0);
  EXPECT_FALSE(told["consumers"].empty());
  EXPECT_GE(told["device"]["waiting"].get<double>(), told["device"]["computing"].get<double>());
  const Outcome in_parts =
      run({"critical-points", "mesh.vtu", "--provider", "device", "--device-memory", "4M"});
  EXPECT_NE(in_parts.err.find("the GPU gets the mesh in parts"), std::string::npos) << in_parts.err;
  EXPECT_EQ(in_parts.out, expected);
}

class CliMemoryOnDevice : public MemoryCase {
 protected:
  void SetUp() override {
    if (run_json({"devices"})["result"]["cuda"].empty()) GTEST_SKIP() << "this machine has no GPU";
  }
};

// What the driver takes varies by some pages, so a tenth more of it is allowed.
TEST_F(CliMemoryOnDevice, VerbsStayWithinIt) {
  for (const char* file : {"kuhn.vtu", "kuhn-shuffled.vtu", "split.vtu", "ico.vtp", "grid.vti"})
    make_named(file, 40);
  const std::vector<Arguments> lines = {
      {"critical-points", "kuhn.vtu", "-o", "p.vtp"},
      {"critical-points", "grid.vti"},
      {"critical-points", "split.vtu", "--field", "rough", "--provider", "device"},
      {"gradient", "kuhn-shuffled.vtu", "-o", "pairs.vtp"},
      {"gradient", "grid.vti"},
      {"morse-smale", "kuhn.vtu", "--separatrices", "s.vtp"},
      {"morse-smale", "grid.vti", "-o", "r.vti"},
      {"persistence", "kuhn.vtu"},
      {"isosurface", "grid.vti", "--value", "0.15", "-o", "i.vtp"},
      {"tetrahedralize", "grid.vti", "-o", "t.vtu"},
      {"subdivide", "ico.vtp", "-o", "fine.vtp"},
      {"weld", "ico.vtp", "-o", "w.vtp"},
      {"curvature", "ico.vtp", "-o", "c.vtp"},
      {"remesh", "ico.vtp", "-o", "m.vtp"},
      {"simplify", "ico.vtp", "--ratio", "0.5", "-o", "d.vtp"},
      {"geodesic", "ico.vtp", "--source", "0", "-o", "g.vtp"},
  };
  for (Arguments line : lines) {
    SCOPED_TRACE(line[0] + " " + line[1]);
    line.insert(line.end(), {"--device", "cuda"});
    uncounted = 0;
    const json told = run_json(line);
    ASSERT_TRUE(told.contains("driver_bytes")) << told.dump();
    uncounted = told["driver_bytes"].get<Bytes>() + told["driver_bytes"].get<Bytes>() / 10;
    expect_bounded(line, 5);
  }
}

}  // namespace
}  // namespace tessera::test
