// The verb merge-tree: counts, files and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliMergeTree : public ProgramTest {
 protected:
  void SetUp() override {
    for (const Arguments& line :
         {Arguments{"make", "kuhn", "--size", "20", "--field", "rough", "--no-orient", "-o", "solid.vtu"},
          Arguments{"make", "lattice", "--size", "24", "--field", "mri", "-o", "grid.vti"},
          Arguments{"make", "torus", "--size", "32x24", "--field", "smooth", "-o", "torus.vtp"}})
      ASSERT_EQ(run(line).code, 0);
  }
  json result(Arguments arguments) {
    arguments.insert(arguments.begin(), "merge-tree");
    return run_json(arguments)["result"];
  }
};

/// Branches of the join and the split tree are the pairs of the first and the last dimension.
TEST_F(CliMergeTree, HasAsManyBranchesAsThereArePairs) {
  for (const char* threshold : {"0", "5%", "2"}) {
    SCOPED_TRACE(threshold);
    const json pairs = run_json({"persistence", "solid.vtu", "--threshold", threshold})["result"];
    const json join = result({"solid.vtu", "--threshold", threshold});
    EXPECT_EQ(join["kind"], "join");
    EXPECT_EQ(join["field"], "rough");
    EXPECT_EQ(join["branches"], pairs["pairs"][0].get<int>() + pairs["essential"][0].get<int>());
    EXPECT_EQ(join["components"], pairs["essential"][0]);
    EXPECT_EQ(join["arcs"].get<int>() + 1, join["nodes"].get<int>());
    EXPECT_NEAR(join["threshold"].get<double>(), pairs["threshold"].get<double>(), 1e-12);
  }
}

TEST_F(CliMergeTree, FilesHaveTheNamesOfTtk) {
  for (const char* kind : {"join", "split", "contour"}) {
    for (const auto& [input, output] :
         {std::pair("solid.vtu", "regions.vtu"), {"grid.vti", "regions.vti"}, {"torus.vtp", "regions.vtp"}}) {
      SCOPED_TRACE(std::string(kind) + " of " + input);
      const json found = result({input, "--kind", kind, "--threshold", "5%", "-o", output, "--tree",
                                 "tree.vtp", "--plot", "t.svg"});
      const PolyData tree = read_poly(path("tree.vtp"));
      EXPECT_EQ(tree.vertex_count(), found["nodes"].get<std::size_t>());
      EXPECT_EQ(tree.lines.size(), found["arcs"].get<std::size_t>());
      for (const char* name : {"NodeId", "VertexId", "CriticalType", "Scalar"})
        EXPECT_TRUE(tree.point_data.has(name)) << name;
      for (const char* name : {"SegmentationId", "upNodeId", "downNodeId", "RegionSize", "RegionSpan",
                               "BranchId", "Persistence"})
        EXPECT_TRUE(tree.cell_data.has(name)) << name;
      // The arcs of the tree are the regions of the mesh, but for the root of a merge tree.
      const AnyMesh regions = read_mesh(path(output)).mesh;
      std::visit(
          [&](const auto& mesh) {
            const auto labels = mesh.point_data.at("SegmentationId").template as<std::int32_t>();
            const auto ids = tree.cell_data.at("SegmentationId").as<std::int32_t>();
            const auto sizes = tree.cell_data.at("RegionSize").as<std::int32_t>();
            std::size_t in_arcs = 0;
            for (std::size_t i = 0; i < ids.size(); ++i) {
              EXPECT_EQ(std::ranges::count(labels, ids[i]), sizes[i]);
              in_arcs += static_cast<std::size_t>(sizes[i]);
            }
            EXPECT_GE(in_arcs + 1, labels.size());
            EXPECT_TRUE(mesh.point_data.has("RegionType"));
          },
          regions);
      const std::string svg = read("t.svg");
      EXPECT_NE(svg.find("</svg>"), std::string::npos);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      const auto circles = [&] {
        std::size_t count = 0;
        for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1))
          ++count;
        return count;
      }();
      EXPECT_EQ(circles, std::min<std::size_t>(300, found["branches"].get<std::size_t>()));
    }
  }
}

TEST_F(CliMergeTree, SaysWhichArraysItReplaces) {
  ASSERT_EQ(run({"merge-tree", "solid.vtu", "-o", "once.vtu"}).code, 0);
  const Outcome again = run({"merge-tree", "once.vtu", "--field", "rough", "-o", "twice.vtu"});
  EXPECT_EQ(again.code, 0);
  for (const char* name : {"SegmentationId", "RegionSize", "RegionType"})
    EXPECT_NE(again.err.find(std::string("'") + name + "'"), std::string::npos) << again.err;
}

TEST_F(CliMergeTree, TheSameForAnyThreads) {
  for (const char* kind : {"join", "contour"}) {
    for (const char* threads : {"1", "2", "7"}) {
      const std::string name = std::string("tree") + threads + ".vtp";
      ASSERT_EQ(run({"merge-tree", "solid.vtu", "--kind", kind, "--threads", threads, "--tree", name}).code,
                0);
      EXPECT_EQ(read(name), read("tree1.vtp"));
    }
  }
}

TEST_F(CliMergeTree, RefusesWhatCannotBe) {
  expect_one_sentence(run({"merge-tree", "solid.vtu", "--kind", "merge"}), 2, {"--kind"});
  expect_one_sentence(run({"merge-tree", "solid.vtu", "--threshold", "much"}), 2, {"--threshold", "much"});
  expect_one_sentence(run({"merge-tree", "solid.vtu", "--tree", "tree.stl"}), 6, {"tree.stl"});
  expect_one_sentence(run({"merge-tree", "solid.vtu", "--plot", "tree.png"}), 6, {"tree.png", "svg"});
  expect_one_sentence(run({"merge-tree", "solid.vtu", "--ascii"}), 2, {"--ascii"});
  expect_one_sentence(run({"merge-tree", "grid.vti", "--tree", "t.vtp", "-o", "grid.ply"}), 6, {"grid.ply"});
  expect_one_sentence(run({"merge-tree", "solid.vtu", "--tree", "t.vtp", "--plot", "t.vtp"}), 6, {"t.vtp"});
  expect_one_sentence(run({"merge-tree", "solid.vtu", "--field", "smooth"}), 3, {"smooth", "rough"});
  EXPECT_EQ(files(), (std::vector<std::string>{"grid.vti", "solid.vtu", "torus.vtp"}));
}

}  // namespace
}  // namespace tessera::test
