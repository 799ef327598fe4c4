// The verbs diagram-distance and track-features, and the cycles and selections of persistence.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliDiagram : public ProgramTest {
 protected:
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  /// A diagram of a grid that holds the values.
  void make_diagram(const std::string& name, const std::vector<float>& values, const std::string& dims) {
    write(name + ".raw", {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
    ok({"persistence", name + ".raw", "--dims", dims, "--type", "float32", "-o", name + ".vtu"});
  }
  nlohmann::json distance(Arguments arguments) {
    arguments.insert(arguments.begin(), "diagram-distance");
    return run_json(arguments)["result"];
  }
};

/// On a line of pixels, two rows high: a valley of depth 1, or of depth 1.5.
TEST_F(CliDiagram, DistanceOfTwoThatCanBeComputedByHand) {
  const auto valley = [](float depth) { return std::vector<float>{0, 2, 2 - depth, 3, 0, 2, 2 - depth, 3}; };
  make_diagram("a", valley(1), "4x2x1");
  make_diagram("b", valley(1.5F), "4x2x1");
  // One pair of dimension 0: born at 1 or at 0.5, and dead at 2. The lowest minimum never dies.
  const auto bottleneck = distance({"a.vtu", "b.vtu", "--metric", "bottleneck"});
  EXPECT_EQ(bottleneck["distance"], 0.5);
  EXPECT_EQ(bottleneck["at_least"], 0.5);
  const auto wasserstein = distance({"a.vtu", "b.vtu", "--dimensions", "0", "-o", "m.vtu"});
  EXPECT_NEAR(wasserstein["distance"].get<double>(), 0.5, 1e-9);
  ASSERT_EQ(wasserstein["dimensions"].size(), 1u);
  EXPECT_EQ(wasserstein["dimensions"][0]["matched"], 2);
  EXPECT_EQ(wasserstein["dimensions"][0]["first_alone"], 0);
  const auto [mesh, report] = [&] {
    CellMesh cells;
    const auto read = read_mesh(path("m.vtu"), {.cells = &cells});
    return std::pair{cells, read.report};
  }();
  ASSERT_EQ(mesh.cell_count(), 2u);
  for (const char* name : {"PairType", "FirstPairIdentifier", "SecondPairIdentifier", "Distance"})
    EXPECT_TRUE(mesh.cell_data.has(name)) << name;
  // All that persists less is left out, so only the classes that never die remain.
  EXPECT_EQ(distance({"a.vtu", "b.vtu", "--threshold", "2"})["distance"], 0);
}

TEST_F(CliDiagram, DistancesOfSeveralAreAMatrix) {
  for (const char* seed : {"8", "10", "12"})
    ok({"make", "kuhn", "--size", seed, "--field", "rough", "-o", std::string("k") + seed + ".vtu"});
  for (const char* seed : {"8", "10", "12"})
    ok({"persistence", std::string("k") + seed + ".vtu", "-o", std::string("d") + seed + ".vtp"});
  for (const char* metric : {"bottleneck", "wasserstein"}) {
    const auto found = distance({"d8.vtp", "d10.vtp", "d12.vtp", "--metric", metric, "--matrix", "m.csv"});
    const auto& matrix = found["matrix"];
    ASSERT_EQ(matrix.size(), 3u);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(matrix[i][i], 0.0);
      for (int j = 0; j < i; ++j) EXPECT_EQ(matrix[i][j], matrix[j][i]);
    }
    EXPECT_EQ(matrix[0][1], distance({"d8.vtp", "d10.vtp", "--metric", metric})["distance"]);
    const std::string text = read("m.csv");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
    EXPECT_EQ(std::count(text.begin(), text.end(), ','), 6);
    for (const char* threads : {"1", "2", "7"}) {
      EXPECT_EQ(
          distance({"d8.vtp", "d10.vtp", "d12.vtp", "--metric", metric, "--threads", threads})["matrix"],
          matrix);
    }
  }
}

TEST_F(CliDiagram, OfDifferentHomologyIsInfinite) {
  ok({"make", "torus", "--size", "16x12", "--field", "smooth", "-o", "torus.vtp"});
  ok({"make", "ico", "--size", "2", "--field", "smooth", "-o", "ico.vtp"});
  ok({"persistence", "torus.vtp", "-o", "t.vtu"});
  ok({"persistence", "ico.vtp", "-o", "i.vtu"});
  EXPECT_TRUE(distance({"t.vtu", "i.vtu"})["distance"].is_null());
  const Outcome outcome = run({"diagram-distance", "t.vtu", "i.vtu"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("inf"), std::string::npos) << outcome.out;
}

TEST_F(CliDiagram, WhatCannotBeComparedIsRefused) {
  ok({"make", "kuhn", "--size", "6", "--field", "rough", "-o", "k.vtu"});
  ok({"make", "lattice", "--size", "5", "--field", "mri", "-o", "g.vti"});
  ok({"persistence", "k.vtu", "-o", "d.vtu"});
  ok({"critical-points", "k.vtu", "-o", "p.vtp"});
  expect_one_sentence(run({"diagram-distance", "d.vtu"}), 2, {"two diagrams"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "k.vtu"}), 6, {"k.vtu", "tessera persistence"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "g.vti"}), 6, {"g.vti", "tessera persistence"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "p.vtp"}), 4, {"p.vtp", "PairType"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "missing.vtu"}), 3, {"missing.vtu"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "d.vtu", "d.vtu", "-o", "m.vtu"}), 2,
                      {"two diagrams"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "d.vtu", "-o", "m.ply"}), 6, {"m.ply", ".vtu"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "d.vtu", "--power", "0.5"}), 2, {"--power"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "d.vtu", "--threshold", "5%"}), 2, {"--threshold"});
  expect_one_sentence(
      run({"diagram-distance", "d.vtu", "d.vtu", "--metric", "bottleneck", "--place-weight", "1"}), 2,
      {"--place-weight"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "d.vtu", "--metric", "bottleneck", "--power", "2"}),
                      2, {"--power"});
  expect_one_sentence(run({"diagram-distance", "d.vtu", "d.vtu", "--matrix", "d.vtu"}), 6, {".csv"});
}

/// Diagrams of text, changed in one place.
TEST_F(CliDiagram, DamagedDiagramsAreRefusedByName) {
  ok({"make", "torus", "--size", "12x9", "--field", "smooth", "-o", "t.vtp"});
  ok({"persistence", "t.vtp", "-o", "good.vtu", "--ascii"});
  const std::string text = read("good.vtu");
  const auto damage = [&](const std::string& name, const std::string& first) {
    const std::size_t begin = text.find('>', text.find("Name=\"" + name + "\"")) + 1;
    const std::size_t from = text.find_first_not_of(" \n", begin);
    write("bad.vtu", text.substr(0, from) + first + text.substr(text.find_first_of(" \n", from)));
    return run({"diagram-distance", "good.vtu", "bad.vtu"});
  };
  expect_one_sentence(damage("PairType", "7"), 4, {"bad.vtu", "PairType", "7"});
  expect_one_sentence(damage("IsFinite", "3"), 4, {"bad.vtu", "IsFinite"});
  expect_one_sentence(damage("CriticalType", "9"), 4, {"bad.vtu", "CriticalType"});
  expect_one_sentence(damage("Points", "1e308"), 4, {"bad.vtu", "segment 0"});
  expect_one_sentence(damage("Points", "nan"), 4, {"bad.vtu", "segment 0"});
  EXPECT_EQ(damage("PairIdentifier", "5").code, 0);
  const auto without = [&](const std::string& name) {
    const std::size_t at = text.find("Name=\"" + name + "\"");
    write("bare.vtu", text.substr(0, at) + "Name=\"Other\"" + text.substr(at + name.size() + 7));
    return run({"diagram-distance", "good.vtu", "bare.vtu", "--dimensions", "1"});
  };
  const Outcome all_die = without("IsFinite");
  EXPECT_EQ(all_die.code, 0);
  EXPECT_NE(all_die.err.find("IsFinite"), std::string::npos) << all_die.err;
  EXPECT_EQ(without("Coordinates").code, 0);
  expect_one_sentence(run({"diagram-distance", "good.vtu", "bare.vtu", "--place-weight", "1"}), 3,
                      {"bare.vtu", "Coordinates"});
  expect_one_sentence(run({"track-features", "good.vtu", "bare.vtu", "--place-weight", "1"}), 3,
                      {"bare.vtu", "Coordinates"});
  const Outcome by_values = run({"track-features", "good.vtu", "bare.vtu"});
  EXPECT_EQ(by_values.code, 0);
  EXPECT_NE(by_values.err.find("values alone"), std::string::npos) << by_values.err;
}

/// Loops of a torus never die; a track of them is where they are born, at saddles.
TEST_F(CliDiagram, ClassesThatNeverDieAreWhereTheyAreBorn) {
  ok({"make", "torus", "--size", "12x9", "--field", "smooth", "-o", "t.vtp"});
  ok({"persistence", "t.vtp", "-o", "d.vtu", "--dimensions", "1", "--most-persistent", "0", "--csv",
      "d.csv"});
  const auto found = run_json({"track-features", "d.vtu", "d.vtu", "-o", "tracks.vtp"});
  EXPECT_EQ(found["result"]["tracks"], 2);
  EXPECT_EQ(found["input"].size(), 2u);  // each once
  const PolyData poly = read_poly(path("tracks.vtp"));
  for (const std::int32_t type : poly.point_data.at("CriticalType").as<std::int32_t>()) EXPECT_EQ(type, 2);
}

/// A bump on a flat grid that moves by a pixel in each step.
TEST_F(CliDiagram, TracksFollowABumpThatMoves) {
  constexpr int size = 20;
  Arguments line = {"track-features"};
  for (int step = 0; step < 5; ++step) {
    std::vector<float> values;
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) {
        const float dx = static_cast<float>(x - 5 - step);
        const float dy = static_cast<float>(y - 10);
        values.push_back(std::exp(-(dx * dx + dy * dy) / 8));
      }
    }
    make_diagram("d" + std::to_string(step), values, "20x20x1");
    line.push_back("d" + std::to_string(step) + ".vtu");
  }
  line.insert(line.end(), {"--dimensions", "1", "--threshold", "0.5", "--lift", "2", "-o", "tracks.vtp"});
  const auto found = run_json(line)["result"];
  EXPECT_EQ(found["tracks"], 1);
  EXPECT_EQ(found["through_all_steps"], 1);
  EXPECT_EQ(found["features"], 5);
  const PolyData poly = read_poly(path("tracks.vtp"));
  ASSERT_EQ(poly.lines.size(), 1u);
  ASSERT_EQ(poly.lines[0].size(), 5u);
  for (std::uint32_t step = 0; step < 5; ++step) {
    EXPECT_EQ(poly.points[poly.lines[0][step]], (Vec3d{5.0 + step, 10, 2.0 * step}));
    EXPECT_EQ(poly.point_data.at("TimeStep").as<std::int32_t>()[poly.lines[0][step].index()],
              static_cast<std::int32_t>(step));
  }
}

TEST_F(CliDiagram, TracksFollowRegionsByWhatTheyShare) {
  ok({"make", "kuhn", "--size", "14", "--field", "rough", "-o", "k.vtu"});
  ok({"morse-smale", "k.vtu", "--threshold", "1%", "-o", "r1.vtu"});
  ok({"morse-smale", "k.vtu", "--threshold", "5%", "-o", "r5.vtu"});
  const auto found = run_json({"track-features", "r1.vtu", "r5.vtu", "r1.vtu", "--labels",
                               "DescendingManifold", "-o", "tracks.vtp"})["result"];
  EXPECT_EQ(found["steps"], 3);
  const PolyData poly = read_poly(path("tracks.vtp"));
  EXPECT_EQ(poly.vertex_count(), found["features"]);
  std::set<std::int32_t> seen;
  const auto ids = poly.cell_data.at("ConnectedComponentId").as<std::int32_t>();
  const auto shared = poly.cell_data.at("Shared").as<std::int64_t>();
  for (std::size_t c = 0; c < ids.size(); ++c) {
    EXPECT_EQ(ids[c] < 0, shared[c] >= 0);
    EXPECT_TRUE(ids[c] < 0 || seen.insert(ids[c]).second);
  }
  EXPECT_EQ(seen.size(), found["tracks"]);
  double all = 0;
  for (const std::int64_t size : poly.point_data.at("RegionSize").as<std::int64_t>())
    all += static_cast<double>(size);
  EXPECT_EQ(all, 3.0 * run_json({"info", "k.vtu"})["result"]["files"][0]["points"].get<double>());
  ok({"make", "kuhn", "--size", "10", "--field", "rough", "-o", "small.vtu"});
  ok({"morse-smale", "small.vtu", "-o", "s.vtu"});
  expect_one_sentence(run({"track-features", "r5.vtu", "s.vtu", "--labels", "DescendingManifold"}), 6,
                      {"s.vtu", "step before"});
  expect_one_sentence(run({"track-features", "r5.vtu", "r5.vtu", "--labels", "rough"}), 6,
                      {"r5.vtu", "no integers"});
  expect_one_sentence(run({"track-features", "r5.vtu"}), 2, {"another file"});
}

/// The ball of the test meshes has a tunnel and a cavity; their cycles are closed.
TEST_F(CliDiagram, GeneratorsAreWrittenForTheChosenPairs) {
  ok({"make", "kuhn", "--size", "20", "--field", "smooth", "-o", "k.vtu"});
  const auto found = run_json({"persistence", "k.vtu", "--dimensions", "1-2", "--most-persistent", "3",
                               "--generators", "cycles.vtp", "--csv", "pairs.csv"})["result"];
  EXPECT_EQ(found["pairs"][0], 0);
  EXPECT_EQ(found["pairs"][1].get<int>() + found["pairs"][2].get<int>(), 3);
  const PolyData poly = read_poly(path("cycles.vtp"));
  const auto ids = poly.cell_data.at("PairIdentifier").as<std::int32_t>();
  const auto types = poly.cell_data.at("PairType").as<std::int32_t>();
  const std::string csv = read("pairs.csv");
  const auto rows = std::count(csv.begin(), csv.end(), '\n') - 1;
  EXPECT_EQ(std::set<std::int32_t>(ids.begin(), ids.end()).size(), static_cast<std::size_t>(rows));
  std::set<std::pair<std::int32_t, VertexId>> odd;  // ends of an odd number of edges of a pair
  for (std::size_t c = 0; c < poly.lines.size(); ++c) {
    EXPECT_EQ(types[c], 1);
    for (const VertexId v : poly.lines[c]) {
      if (!odd.insert({ids[c], v}).second) odd.erase({ids[c], v});
    }
  }
  EXPECT_TRUE(odd.empty());
  EXPECT_GT(poly.polygons.size(), 0u);
  expect_one_sentence(run({"persistence", "k.vtu", "--dimensions", "x"}), 2, {"--dimensions"});
  expect_one_sentence(run({"persistence", "k.vtu", "--generators", "c.ply"}), 6, {"c.ply", ".vtp"});
  ok({"persistence", "k.vtu", "--generators", "c.vtp", "--ascii"});
}

}  // namespace
}  // namespace tessera::test
