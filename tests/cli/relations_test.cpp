// relations and plan: the same rows however they are stored, in files that others can read, within --memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <tessera/core/memory.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliRelations : public ProgramTest {
 protected:
  void make(const Arguments& arguments) {
    Arguments line = {"make"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    ASSERT_EQ(run(line).code, 0);
  }
  nlohmann::json relation(const std::string& file, const std::string& name, const Arguments& more = {}) {
    Arguments line = {"relations", file, "--relation", name};
    line.insert(line.end(), more.begin(), more.end());
    return run_json(line)["result"];
  }
};

constexpr const char* of_tets[] = {"EV", "FV", "FE", "TV", "TE", "TF", "VE", "VF",
                                   "VT", "EF", "ET", "FT", "VV", "EE", "FF", "TT"};
constexpr const char* of_triangles[] = {"EV", "FV", "FE", "VE", "VF", "EF", "VV", "EE", "FF"};

// Two tetrahedra 0 1 2 3 and 1 2 3 4 with the face 1 2 3 in common. Vertices have 3 4 4 4 3 edges, so EE has
// 2 * 3 * 2 + 3 * 4 * 3 = 48 entries; three edges have three faces and six have two, so FF has 3 * 3 * 2 + 6
// * 2 = 30.
TEST_F(CliRelations, CountsThatCanBeDoneByHand) {
  make({"two_tets", "-o", "two.vtu"});
  const std::size_t rows[] = {9, 7, 7, 2, 2, 2, 5, 5, 5, 9, 9, 7, 5, 9, 7, 2};
  const std::size_t entries[] = {18, 21, 21, 8, 12, 8, 18, 21, 8, 21, 12, 8, 18, 48, 30, 2};
  for (std::size_t i = 0; i < std::size(of_tets); ++i) {
    const auto result = relation("two.vtu", of_tets[i]);
    EXPECT_EQ(result["rows"], rows[i]) << of_tets[i];
    EXPECT_EQ(result["entries"], entries[i]) << of_tets[i];
  }
  const auto vv = relation("two.vtu", "VV");
  EXPECT_EQ(vv["shortest"], 3);
  EXPECT_EQ(vv["longest"], 4);
  EXPECT_EQ(vv["histogram"],
            nlohmann::json::parse(R"([{"entries": 3, "rows": 2}, {"entries": 4, "rows": 3}])"));
}

TEST_F(CliRelations, TheHashIsTheSameForModesTilesAndThreads) {
  make({"kuhn", "--size", "9", "--shuffle", "-o", "solid.vtu"});
  make({"torus", "--size", "20x12", "--shuffle", "-o", "surface.ply"});
  const std::vector<Arguments> ways = {{"--mode", "materialized", "--threads", "1"},
                                       {"--mode", "explicit", "--tile-vertices", "17"},
                                       {"--mode", "implicit", "--tile-vertices", "40", "--threads", "3"}};
  const auto check = [&](const std::string& file, const char* name) {
    const auto expected = relation(file, name);
    for (const Arguments& way : ways) {
      const auto result = relation(file, name, way);
      EXPECT_EQ(result["hash"], expected["hash"]) << name << " " << way[1];
      EXPECT_EQ(result["mode"], way[1]);
      EXPECT_EQ(result["histogram"], expected["histogram"]);
    }
  };
  for (const char* name : of_tets) check("solid.vtu", name);
  for (const char* name : of_triangles) check("surface.ply", name);
}

// Vertices and faces are named by the input's numbers, however the tiles are cut.
TEST_F(CliRelations, TheHashIsTheSameForLloydsTiles) {
  make({"torus", "--size", "20x12", "--shuffle", "-o", "surface.ply"});
  for (const char* name : {"VV", "VF", "FV", "FF"}) {
    const auto expected = relation("surface.ply", name)["hash"];
    for (const char* tiles : {"octree", "lloyd"})
      EXPECT_EQ(relation("surface.ply", name, {"--tiles", tiles, "--tile-vertices", "30"})["hash"], expected);
  }
}

TEST_F(CliRelations, LloydsTilesAreForTriangles) {
  make({"two_tets", "-o", "two.vtu"});
  const Outcome outcome = run({"plan", "two.vtu", "--tiles", "lloyd"});
  EXPECT_EQ(outcome.code, 6);
  EXPECT_NE(outcome.err.find("Lloyd's tiles are for triangles"), std::string::npos) << outcome.err;
}

// 240 vertices in tiles of at most 30: at least 8, numbered from 0. The tile of a face is that of one of its
// corners.
TEST_F(CliRelations, PlanWritesTheTiles) {
  make({"torus", "--size", "20x12", "--shuffle", "-o", "surface.vtp"});
  for (const char* tiles : {"auto", "octree", "lloyd"}) {
    const auto plan = run_json({"plan", "surface.vtp", "--tiles", tiles, "--tile-vertices", "30", "-o",
                                "tiles.vtp", "--relations", "VV"})["result"];
    EXPECT_GE(plan["tiles"], 8) << tiles;
    EXPECT_GT(plan["external_cells_share"], 0) << tiles;
    const auto fields = run_json({"info", "tiles.vtp"})["result"]["files"][0]["fields"];
    std::vector<std::string> associations;
    for (const auto& field : fields) {
      if (field["name"] != "Tile") continue;
      associations.push_back(field["association"]);
      EXPECT_EQ(field["range"][0], 0) << tiles;
      EXPECT_LT(field["range"][1], plan["tiles"]) << tiles;
    }
    EXPECT_EQ(associations.size(), 2u) << tiles;
  }
}

TEST_F(CliRelations, DifferentMeshesHaveDifferentHashes) {
  make({"kuhn", "--size", "9", "-o", "a.vtu"});
  make({"kuhn", "--size", "9", "--shuffle", "-o", "b.vtu"});
  EXPECT_NE(relation("a.vtu", "VT")["hash"], relation("b.vtu", "VT")["hash"]);
}

TEST_F(CliRelations, TextFilesHaveTheNumbersOfTheInput) {
  make({"two_tets", "-o", "two.vtu"});
  ASSERT_EQ(run({"relations", "two.vtu", "--relation", "VT", "-o", "vt.txt"}).code, 0);
  EXPECT_EQ(read("vt.txt"), "0: 0\n1: 0 1\n2: 0 1\n3: 0 1\n4: 1\n");
  ASSERT_EQ(run({"relations", "two.vtu", "--relation", "TT", "-o", "tt.csv"}).code, 0);
  EXPECT_EQ(read("tt.csv"), "tetrahedron,neighbour\n0,1\n1,0\n");
  ASSERT_EQ(run({"relations", "two.vtu", "--relation", "TV", "-o", "tv.csv"}).code, 0);
  EXPECT_EQ(read("tv.csv"), "tetrahedron,vertex\n0,0\n0,1\n0,2\n0,3\n1,1\n1,2\n1,3\n1,4\n");
}

/// The numbers of an array of a .npz file, found by its name and its header.
template <class T>
std::vector<T> array_of(const std::string& file, const std::string& name, std::size_t count) {
  const std::size_t entry = file.find(name + ".npy");
  const std::size_t magic = file.find("\x93NUMPY", entry);
  const std::size_t data = file.find('\n', magic) + 1;
  EXPECT_EQ((data - magic) % 64, 0u);
  std::vector<T> values(count);
  std::memcpy(values.data(), file.data() + data, count * sizeof(T));
  return values;
}

TEST_F(CliRelations, NpzHoldsOffsetsAndValues) {
  make({"two_tets", "-o", "two.vtu"});
  ASSERT_EQ(run({"relations", "two.vtu", "--relation", "VT", "-o", "vt.npz"}).code, 0);
  const std::string file = read("vt.npz");
  EXPECT_TRUE(file.starts_with("PK\x03\x04"));
  EXPECT_NE(file.find("'descr': '<i8', 'fortran_order': False, 'shape': (6,)"), std::string::npos);
  EXPECT_NE(file.find("'descr': '<u4', 'fortran_order': False, 'shape': (8,)"), std::string::npos);
  EXPECT_EQ(array_of<std::int64_t>(file, "offsets", 6), (std::vector<std::int64_t>{0, 1, 3, 5, 7, 8}));
  EXPECT_EQ(array_of<std::uint32_t>(file, "values", 8), (std::vector<std::uint32_t>{0, 0, 1, 0, 1, 0, 1, 1}));
}

TEST_F(CliRelations, FilesAreTheSameForEveryMode) {
  make({"kuhn", "--size", "8", "--shuffle", "-o", "mesh.vtu"});
  for (const char* name : {"VF", "FF", "TT"}) {
    ASSERT_EQ(run({"relations", "mesh.vtu", "--relation", name, "-o", "a.npz"}).code, 0);
    ASSERT_EQ(run({"relations", "mesh.vtu", "--relation", name, "-o", "b.npz", "--mode", "implicit",
                   "--tile-vertices", "20"})
                  .code,
              0);
    EXPECT_EQ(read("a.npz"), read("b.npz")) << name;
  }
}

TEST_F(CliRelations, MatricesOfTriangles) {
  make({"triangle", "-o", "one.vtu"});
  ASSERT_EQ(run({"relations", "one.vtu", "--matrix", "FV", "-o", "fv.mtx"}).code, 0);
  EXPECT_EQ(read("fv.mtx"), "%%MatrixMarket matrix coordinate real general\n1 3 3\n1 1 1\n1 2 1\n1 3 1\n");
  const Outcome outcome = run({"relations", "one.vtu", "--matrix", "laplacian", "-o", "l.npz"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("laplacian: 3 rows, 3 columns, 9 entries"), std::string::npos) << outcome.out;
  EXPECT_EQ(array_of<std::int32_t>(read("l.npz"), "indptr", 4), (std::vector<std::int32_t>{0, 3, 6, 9}));
  for (const char* name :
       {"mass", "voronoi-mass", "d0", "d1", "star1", "gradient", "divergence", "VV", "EE", "FE"})
    EXPECT_EQ(run({"relations", "one.vtu", "--matrix", name}).code, 0) << name;
  for (const char* format : {"mtx", "npz"}) {
    const std::string file = std::string("fv.") + format;
    ASSERT_EQ(run({"relations", "one.vtu", "--matrix", "FV", "-o", file}).code, 0);
    const Outcome piped =
        run({"relations", "one.vtu", "--matrix", "FV", "-o", "-", "--output-format", format});
    EXPECT_EQ(piped.code, 0) << piped.err;
    EXPECT_EQ(piped.out, read(file));
    ASSERT_EQ(run({"relations", "one.vtu", "--matrix", "FV", "-o", "x", "--output-format", format}).code, 0);
    EXPECT_EQ(read("x"), read(file));
  }
  const auto result = run_json({"relations", "one.vtu", "--matrix", "d0", "-o", "d0.npz"})["result"];
  EXPECT_EQ(result["matrix"], "d0");
  EXPECT_EQ(result["rows"], 3);
  EXPECT_EQ(result["columns"], 3);
  EXPECT_EQ(result["entries"], 6);
  EXPECT_EQ(result["output"]["bytes"], read("d0.npz").size());
}

TEST_F(CliRelations, RefusesMatricesThatAreNone) {
  make({"triangle", "-o", "one.vtu"});
  make({"two_tets", "-o", "two.vtu"});
  expect_one_sentence(run({"relations", "one.vtu", "--matrix", "Laplace"}), 2,
                      {"'Laplace'", "laplacian, mass"});
  expect_one_sentence(run({"relations", "one.vtu", "--matrix", "d0", "-o", "d0.txt"}), 6,
                      {"d0.txt", ".mtx or .npz"});
  expect_one_sentence(run({"relations", "one.vtu", "--matrix", "d0", "-o", "-"}), 2,
                      {"standard output", "--output-format mtx"});
  expect_one_sentence(run({"relations", "one.vtu", "--relation", "VV", "-o", "x", "--output-format", "mtx"}),
                      6, {".txt, .csv or .npz"});
  expect_one_sentence(run({"relations", "two.vtu", "--matrix", "d0"}), 6,
                      {"triangles have matrices", "two.vtu"});
}

TEST_F(CliRelations, PrintsAHistogram) {
  make({"kuhn-full", "--size", "6", "-o", "mesh.vtu"});
  const Outcome outcome = run({"relations", "mesh.vtu", "--relation", "vt"});
  EXPECT_NE(outcome.out.find("VT (materialized): 216 rows, 3,000 entries, 2 to 24 a row"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("########################################\n"), std::string::npos);
}

TEST_F(CliRelations, PlanAgreesWithWhatIsFound) {
  make({"kuhn", "--size", "16", "-o", "mesh.vtu"});
  const auto plan = run_json({"plan", "mesh.vtu"})["result"];
  EXPECT_TRUE(plan["is_exact"].get<bool>());
  ASSERT_EQ(plan["relations"].size(), 16u);
  for (const auto& cost : plan["relations"]) {
    const auto found = relation("mesh.vtu", cost["relation"]);
    EXPECT_EQ(found["rows"], cost["rows"]) << cost;
    EXPECT_EQ(found["entries"], cost["entries"]) << cost;
  }
  for (const char* mode : {"materialized", "explicit", "implicit"})
    EXPECT_GT(plan["modes"][mode]["least_bytes"], 0) << mode;
  EXPECT_EQ(plan["choice"]["mode"], "materialized");
}

TEST_F(CliRelations, PlanChoosesByMemory) {
  make({"kuhn", "--size", "32", "-o", "mesh.vtu"});
  const auto plan_within = [&](Bytes memory, int code) {
    return run_json({"plan", "mesh.vtu", "--relations", "EF,FF", "--threads", "1", "--tile-vertices", "64",
                     "--memory", std::to_string(memory)},
                    code)["result"];
  };
  const auto none = plan_within(mib(2), 8);
  EXPECT_TRUE(none["choice"].is_null());
  const Bytes smallest = none["smallest_memory"];
  EXPECT_GT(smallest, none["program_bytes"].get<Bytes>());
  EXPECT_TRUE(plan_within(smallest - memory_noise - mib(10), 8)["choice"].is_null());
  std::vector<std::string> modes;
  for (Bytes more = mib(1); more < mib(64); more += mib(2)) {
    const std::string mode = plan_within(smallest + memory_noise + more, 0)["choice"]["mode"];
    if (modes.empty() || modes.back() != mode) modes.push_back(mode);
  }
  ASSERT_FALSE(modes.empty());
  EXPECT_EQ(modes.back(), "materialized");
  if (is_sanitized) return;  // near the bounds between them, modes come and go with the noise
  EXPECT_GT(modes.size(), 1u);
  EXPECT_TRUE(std::ranges::is_sorted(modes, std::ranges::greater{}, [](const std::string& mode) {
    return mode == "implicit" ? 2 : mode == "explicit" ? 1 : 0;
  }));
}

TEST_F(CliRelations, PlanEstimatesWithoutTiles) {
  make({"kuhn", "--size", "16", "-o", "mesh.vtu"});
  const auto guess = run_json({"plan", "mesh.vtu", "--estimate"})["result"];
  const auto exact = run_json({"plan", "mesh.vtu"})["result"];
  EXPECT_FALSE(guess["is_exact"].get<bool>());
  EXPECT_GE(guess["modes"]["materialized"]["least_bytes"], exact["modes"]["materialized"]["least_bytes"]);
}

}  // namespace
}  // namespace tessera::test
