// --threshold of critical-points and morse-smale: what is left agrees with the persistence of the field, and
// files agree with each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliThreshold : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ok({"make", "kuhn", "--size", "16", "--field", "rough", "-o", "k.vtu"});
  }
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  json result(const Arguments& line) { return run_json(line)["result"]; }
  PolyData poly(const std::string& name) const { return read_poly(path(name)); }
};

std::vector<std::int64_t> integers(const Field& field) {
  std::vector<std::int64_t> result;
  field.visit([&](auto values) {
    for (const auto value : values) result.push_back(static_cast<std::int64_t>(value));
  });
  return result;
}

std::map<std::int64_t, std::size_t> census(const Field& field) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t value : integers(field)) ++counts[value];
  return counts;
}

int alternating_sum(const json& counts) {
  int sum = 0;
  for (std::size_t d = 0; d < counts.size(); ++d) sum += (d % 2 == 0 ? 1 : -1) * counts[d].get<int>();
  return sum;
}

/// Classes that persist at least the threshold: each minimum begins one of dimension 0, each maximum ends one
/// of dimension 2, and saddles that could not be cancelled are counted.
TEST_F(CliThreshold, CountsAreThoseOfPersistence) {
  const json all = result({"morse-smale", "k.vtu"});
  EXPECT_FALSE(all.contains("threshold"));
  for (const char* threshold : {"0", "10%", "2.5"}) {
    const json pairs = result({"persistence", "k.vtu", "--threshold", threshold});
    const json found = result({"morse-smale", "k.vtu", "--threshold", threshold});
    const auto classes = [&](int d) {
      return pairs["pairs"][d].get<int>() + pairs["essential"][d].get<int>();
    };
    const json& cells = found["critical_cells"];
    const int kept = found["kept_below_threshold"];
    EXPECT_EQ(found["threshold"], pairs["threshold"]);
    EXPECT_EQ(cells[0], classes(0));
    EXPECT_EQ(cells[1], pairs["pairs"][0].get<int>() + classes(1) + kept);
    EXPECT_EQ(cells[2], pairs["pairs"][1].get<int>() + kept + classes(2));
    EXPECT_EQ(cells[3], pairs["pairs"][2]);
    EXPECT_EQ(alternating_sum(cells), alternating_sum(all["critical_cells"]));
    EXPECT_EQ(found["manifolds"]["descending"], cells[0]);
    EXPECT_EQ(found["separatrices"]["descending"], 2 * cells[1].get<int>());
    if (std::string(threshold) == "0") {
      EXPECT_EQ(cells, all["critical_cells"]);
      EXPECT_EQ(found["separatrices"], all["separatrices"]);
    } else {
      EXPECT_LT(cells[1], all["critical_cells"][1]);
    }
  }
}

/// Files of a simplified complex speak of the cells that are left only.
TEST_F(CliThreshold, FilesAgree) {
  const json found = result({"morse-smale", "k.vtu", "--threshold", "10%", "--critical-points", "c.vtp",
                             "--separatrices", "s.vtp", "-o", "r.vtu"});
  const PolyData cells = poly("c.vtp");
  const auto dimensions = census(cells.point_data.at("CellDimension"));
  for (int d = 0; d < 4; ++d) EXPECT_EQ(dimensions.at(d), found["critical_cells"][d]);
  const auto ids = integers(cells.point_data.at("CellId"));
  const auto of = integers(cells.point_data.at("CellDimension"));
  std::set<std::pair<std::int64_t, std::int64_t>> left;
  for (std::size_t i = 0; i < ids.size(); ++i) left.insert({of[i], ids[i]});
  const PolyData paths = poly("s.vtp");
  const auto types = integers(paths.cell_data.at("SeparatrixType"));
  const auto sources = integers(paths.cell_data.at("SourceId"));
  const auto destinations = integers(paths.cell_data.at("DestinationId"));
  std::map<std::int64_t, std::size_t> by_type;
  for (std::size_t i = 0; i < types.size(); ++i) {
    ++by_type[types[i]];
    EXPECT_TRUE(left.contains({types[i] == 2 ? 2 : 1, sources[i]}));
    EXPECT_TRUE(left.contains({types[i] == 0 ? 0 : types[i] + 1, destinations[i]}));
  }
  EXPECT_EQ(by_type[0], found["separatrices"]["descending"]);
  EXPECT_EQ(by_type[1], found["separatrices"]["connectors"]);
  EXPECT_EQ(by_type[2], found["separatrices"]["ascending"]);
  // Label k is the k-th minimum or maximum of the file, and has that many vertices.
  const TetMesh regions = read_tets(path("r.vtu"));
  const auto sizes = integers(cells.point_data.at("ManifoldSize"));
  const auto below = census(regions.field("DescendingManifold"));
  const auto above = census(regions.field("AscendingManifold"));
  const std::size_t minima = dimensions.at(0);
  const std::size_t first_maximum = ids.size() - dimensions.at(3);
  EXPECT_EQ(below.rbegin()->first, static_cast<std::int64_t>(minima) - 1);
  for (const auto& [label, count] : below) {
    ASSERT_GE(label, 0);
    EXPECT_EQ(sizes[static_cast<std::size_t>(label)], static_cast<std::int64_t>(count));
  }
  for (const auto& [label, count] : above) {
    if (label < 0) continue;
    ASSERT_LT(static_cast<std::size_t>(label), dimensions.at(3));
    EXPECT_EQ(sizes[first_maximum + static_cast<std::size_t>(label)], static_cast<std::int64_t>(count));
  }
  // A minimum is in its own region.
  const auto labels = integers(regions.field("DescendingManifold"));
  for (std::size_t i = 0; i < minima; ++i)
    EXPECT_EQ(labels[static_cast<std::size_t>(ids[i])], static_cast<std::int64_t>(i));
}

/// Critical points that stay are among all of them, at the vertices of critical cells that stay.
TEST_F(CliThreshold, CriticalPoints) {
  const json all = result({"critical-points", "k.vtu", "-o", "all.vtp"});
  const json none_gone = result({"critical-points", "k.vtu", "--threshold", "0", "-o", "zero.vtp"});
  EXPECT_EQ(read("all.vtp"), read("zero.vtp"));
  EXPECT_EQ(none_gone["threshold"], 0.0);
  EXPECT_FALSE(all.contains("threshold"));
  const json left = result({"critical-points", "k.vtu", "--threshold", "10%", "-o", "left.vtp"});
  const json complex = result({"morse-smale", "k.vtu", "--threshold", "10%", "--critical-points", "c.vtp"});
  EXPECT_EQ(left["threshold"], complex["threshold"]);
  EXPECT_EQ(left["minimum"], complex["critical_cells"][0]);
  const auto vertices = [&](const char* file) {
    const auto list = integers(poly(file).point_data.at("ttkVertexScalarField"));
    return std::set<std::int64_t>(list.begin(), list.end());
  };
  const auto points = vertices("left.vtp");
  EXPECT_LT(points.size(), vertices("all.vtp").size());
  EXPECT_GT(points.size(), 0u);
  EXPECT_TRUE(std::ranges::includes(vertices("all.vtp"), points));
  EXPECT_TRUE(std::ranges::includes(vertices("c.vtp"), points));
}

TEST_F(CliThreshold, SurfacesAndGrids) {
  ok({"make", "torus", "--size", "16x12", "--field", "rough", "-o", "t.ply"});
  ok({"make", "lattice", "--size", "9", "--field", "rough", "-o", "g.vti"});
  for (const char* file : {"t.ply", "g.vti"}) {
    const json all = result({"morse-smale", file});
    const json found = result({"morse-smale", file, "--threshold", "20%"});
    EXPECT_LT(found["critical_cells"][1], all["critical_cells"][1]) << file;
    EXPECT_EQ(alternating_sum(found["critical_cells"]), alternating_sum(all["critical_cells"])) << file;
  }
}

TEST_F(CliThreshold, TheSameForAnyThreadsAndProvider) {
  const auto run_all = [&](const Arguments& more) {
    Arguments line = {"morse-smale", "k.vtu",          "--threshold", "10%", "--critical-points",
                      "c.vtp",       "--separatrices", "s.vtp",       "-o",  "r.vtu"};
    line.insert(line.end(), more.begin(), more.end());
    ok(line);
    return read("c.vtp") + read("s.vtp") + read("r.vtu");
  };
  const std::string expected = run_all({"--threads", "1"});
  EXPECT_EQ(run_all({"--threads", "3"}), expected);
  EXPECT_EQ(run_all({"--provider", "implicit"}), expected);
}

TEST_F(CliThreshold, PrintsWhatWasCancelled) {
  const Outcome outcome = run({"morse-smale", "k.vtu", "--threshold", "2.5"});
  EXPECT_NE(outcome.out.find("simplified at 2.5; "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("below it could not be cancelled"), std::string::npos) << outcome.out;
}

TEST_F(CliThreshold, Refusals) {
  for (const char* verb : {"morse-smale", "critical-points"}) {
    expect_one_sentence(run({verb, "k.vtu", "--threshold", "much"}), 2, {"'much'", "--threshold", "5%"});
    expect_one_sentence(run({verb, "k.vtu", "--threshold=-1"}), 2, {"--threshold"});
  }
  expect_one_sentence(run({"morse-smale", "k.vtu", "--threshold", "1", "--walls", "w.vtp"}), 2,
                      {"--walls", "--threshold"});
  EXPECT_EQ(files(), (std::vector<std::string>{"k.vtu"}));
}

}  // namespace
}  // namespace tessera::test
