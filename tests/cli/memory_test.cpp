// --memory bounds what the process takes, its libraries included: a run stays below it, or is refused with a
// value that works and leaves nothing behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tessera/core/memory.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_bounded = false;  // sanitizers take memory of their own
#else
constexpr bool is_bounded = true;
#endif

class CliMemory : public ProgramTest {
 protected:
  void make(const Arguments& arguments) {
    Arguments line = {"make"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    ASSERT_EQ(run(line).code, 0);
  }
  static Arguments with_limit(Arguments line, const std::string& limit) {
    line.insert(line.end(), {"--memory", limit, "--device", "cpu"});
    return line;
  }
  static std::string limit_text(Bytes bytes) { return std::to_string(bytes / 1024) + "K"; }

  /// What `tessera info` takes of the file: the program and the mesh.
  Bytes base(const std::string& file) { return run_json({"info", file})["peak_bytes"]; }

  /// The size behind "at least" or "works is" in a refusal.
  static std::string named_limit(const std::string& message) {
    for (const std::string phrase : {"at least ", "works is ", "allow "}) {
      const std::size_t at = message.rfind(phrase);
      if (at == std::string::npos) continue;
      const std::string rest = message.substr(at + phrase.size());
      return rest.substr(0, rest.find_first_not_of("0123456789KM"));
    }
    return "";
  }

  /// Runs within budgets from the program's own size up to twice what the verb takes without one.
  void expect_bounded(const Arguments& line, int budgets) {
    const Bytes least = run_json({"devices"})["peak_bytes"];
    const Bytes most = 2 * Bytes{run_json(line)["peak_bytes"]};
    bool has_worked = false;
    for (int i = 0; i < budgets; ++i) {
      const Bytes limit = least + (most - least) * static_cast<Bytes>(i) / static_cast<Bytes>(budgets - 1);
      Arguments bounded = with_limit(line, limit_text(limit));
      bounded.insert(bounded.end(), {"--json", "-"});
      const Outcome outcome = run(bounded);
      ASSERT_TRUE(outcome.code == 0 || outcome.code == 8) << line[0] << ": " << outcome.err;
      has_worked |= outcome.code == 0;
      EXPECT_EQ(outcome.code == 0, has_worked) << line[0] << " within " << limit << ": " << outcome.err;
      const Bytes peak = nlohmann::json::parse(outcome.out).value("peak_bytes", Bytes{0});
      EXPECT_TRUE(!is_bounded || peak <= limit + limit / 50)
          << line[0] << " within " << limit_text(limit) << " took " << peak;
    }
    EXPECT_TRUE(has_worked) << line[0];
  }

  /// A refusal for want of memory, and the run with what it asks for.
  void expect_named_limit_works(const Arguments& line, const std::string& limit) {
    const Outcome refused = run(with_limit(line, limit));
    expect_one_sentence(refused, 8, {"--memory"});
    const std::string named = named_limit(refused.err);
    ASSERT_FALSE(named.empty()) << refused.err;
    const Outcome outcome = run(with_limit(line, named));
    EXPECT_EQ(outcome.code, 0) << line[0] << " within " << named << ": " << outcome.err;
  }
};

TEST_F(CliMemory, TheProgramItselfCounts) {
  make({"octahedron", "-o", "o.vtp"});
  expect_one_sentence(run({"info", "o.vtp", "--memory", "1M"}), 8, {"the program itself takes", "1.00 MiB"});
}

TEST_F(CliMemory, EveryVerbStaysWithinIt) {
  make({"kuhn", "--size", "40", "--field", "rough", "-o", "k.vtu"});
  make({"kuhn", "--size", "40", "--field", "rough", "--shuffle", "-o", "s.vtu"});
  make({"ico", "--size", "6", "--field", "rough", "-o", "i.vtp"});
  make({"lattice", "--size", "48", "--field", "mri", "-o", "g.vti"});
  const std::vector<Arguments> lines = {
      {"info", "k.vtu"},
      {"doctor", "k.vtu"},
      {"convert", "k.vtu", "c.vtu", "--compress"},
      {"convert", "k.vtu", "c.ply", "--surface"},
      {"critical-points", "s.vtu", "-o", "p.vtp"},
      {"critical-points", "g.vti", "--provider", "implicit"},
      {"gradient", "k.vtu", "-o", "pairs.vtp"},
      {"morse-smale", "k.vtu", "-o", "r.vtu", "--separatrices", "s.vtp"},
      {"morse-smale", "k.vtu", "--walls", "w.vtp"},
      {"morse-smale", "i.vtp"},
      {"persistence", "s.vtu"},
      {"relations", "k.vtu", "--relation", "VV"},
      {"relations", "k.vtu", "--relation", "FF"},
      {"isosurface", "g.vti", "--value", "0.15", "-o", "iso.vtp"},
      {"isosurface", "k.vtu", "--value", "0.5"},
      {"subdivide", "i.vtp", "-o", "fine.vtp"},
      {"tetrahedralize", "g.vti"},
      {"coarsen", "g.vti", "--value", "0.15"},
      {"weld", "k.vtu"},
      {"dual", "i.vtp"},
      {"curvature", "i.vtp"},
  };
  for (const Arguments& line : lines) expect_bounded(line, 6);
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
  expect_named_limit_works({"relations", "k.vtu", "--relation", "FF"}, tight);
  expect_named_limit_works({"tetrahedralize", "g.vti"}, limit_text(base("g.vti") + mib(5)));
  expect_named_limit_works({"critical-points", "g.vti"}, limit_text(base("g.vti") + mib(5)));
  expect_named_limit_works({"subdivide", "i.vtp"}, limit_text(base("i.vtp") + mib(5)));
  expect_named_limit_works({"weld", "i.vtp"}, limit_text(base("i.vtp") + mib(5)));
}

TEST_F(CliMemory, PlanNamesTheLeastThatWorks) {
  make({"kuhn", "--size", "40", "-o", "k.vtu"});
  for (const char* relation : {"VV", "VT", "EF", "FF"}) {
    const auto plan = run_json({"plan", "k.vtu", "--relations", relation})["result"];
    const std::string least = format_limit(plan["smallest_memory"]);
    const Outcome outcome = run(with_limit({"relations", "k.vtu", "--relation", relation}, least));
    EXPECT_EQ(outcome.code, 0) << relation << " within " << least << ": " << outcome.err;
  }
}

TEST_F(CliMemory, PicturesAreRefusedBeforeTheyAreDrawn) {
  make({"ico", "--size", "4", "-o", "i.vtp"});
  expect_one_sentence(run({"render", "i.vtp", "--size", "3000x3000", "-o", "p.png", "--memory", "500M"}), 8,
                      {"the picture", "at least", "--memory"});
  expect_named_limit_works({"render", "i.vtp", "--size", "200x150", "-o", "p.png"},
                           limit_text(base("i.vtp") + mib(5)));
}

TEST_F(CliMemory, WhatIsTooMuchIsNamed) {
  make({"octahedron", "-o", "o.vtp"});
  make({"lattice", "--size", "150", "-o", "g.vti"});
  expect_one_sentence(run({"subdivide", "o.vtp", "--levels", "12", "--memory", "400M"}), 8,
                      {"the finer mesh", "at least", "--memory"});
  expect_one_sentence(run({"tetrahedralize", "g.vti", "--memory", "400M"}), 8,
                      {"the tetrahedra", "--memory"});
  expect_one_sentence(run({"critical-points", "g.vti", "--field", ":x", "--memory", "400M"}), 8,
                      {"simplices", "--memory"});
  expect_one_sentence(run({"make", "kuhn", "--size", "300", "--memory", "400M", "-o", "big.vtu"}), 8,
                      {"--memory"});
  EXPECT_EQ(files(), (std::vector<std::string>{"g.vti", "o.vtp"}));
}

}  // namespace
}  // namespace tessera::test
