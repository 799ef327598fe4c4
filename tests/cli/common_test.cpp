// What every verb shares: help, version, the JSON object, quiet, devices.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliCommon : public ProgramTest {
 protected:
  /// One command line for each verb, in an order in which each finds its input.
  static std::vector<Arguments> one_of_each() {
    return {{"make", "kuhn", "--size", "8", "--field", "rough", "-o", "mesh.vtu"},
            {"info", "mesh.vtu"},
            {"doctor", "mesh.vtu"},
            {"convert", "mesh.vtu", "copy.vtu"},
            {"persistence", "mesh.vtu", "-o", "diagram.vtu"},
            {"render", "mesh.vtu", "--size", "64x48", "-o", "mesh.png"},
            {"relations", "mesh.vtu", "--relation", "VT"},
            {"plan", "mesh.vtu"},
            {"devices"}};
  }
};

TEST_F(CliCommon, HelpListsEveryVerbAndAnExample) {
  const Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const Arguments& line : one_of_each())
    EXPECT_NE(outcome.out.find("\n  " + line[0] + " "), std::string::npos);
  EXPECT_NE(outcome.out.find("Example:\n  tessera make"), std::string::npos);
}

TEST_F(CliCommon, HelpGroupsTheVerbs) {
  const std::string help = run({"--help"}).out;
  std::size_t place = 0;
  for (const char* const line :
       {"\nFiles:\n  info ", "\n  plan ", "\nAnalyse:\n  critical-points ", "\n  relations ",
        "\nGenerate:\n  isosurface ", "\n  weld ", "\nSurfaces:\n  dual ", "\n  curvature ",
        "\nLook:\n  render ", "\n  devices "}) {
    const std::size_t found = help.find(line, place);
    ASSERT_NE(found, std::string::npos) << line << " in " << help;
    place = found;
  }
}

TEST_F(CliCommon, HelpListsChoicesAndRanges) {
  const std::string help = run({"render", "--help"}).out;
  for (const char* const part :
       {"--camera auto|iso|front|back|left|right|top|bottom=auto\n", "--zoom FACTOR  ", "(0.01 to 1000)"})
    EXPECT_NE(help.find(part), std::string::npos) << part << " in " << help;
}

TEST_F(CliCommon, OptionsMayStandBeforeTheVerb) {
  const Outcome quiet = run({"--threads", "2", "--quiet", "make", "octahedron", "-o", "o.ply"});
  EXPECT_EQ(quiet.code, 0) << quiet.err;
  EXPECT_EQ(quiet.out + quiet.err, "");
  const Outcome outcome = run({"--json", "-", "--threads=2", "--device", "cpu", "info", "o.ply"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto object = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(object.is_object()) << outcome.out;
  EXPECT_EQ(object["verb"], "info");
  EXPECT_EQ(object["threads"], 2);
  EXPECT_EQ(run({"--help", "info"}).out, run({"info", "--help"}).out);
  EXPECT_EQ(run({"--version", "info"}).out, run({"--version"}).out);
  const Outcome failed = run({"--json", "-", "info", "nowhere.vtu"});
  EXPECT_EQ(failed.code, 3);
  EXPECT_EQ(nlohmann::json::parse(failed.out, nullptr, false)["error"]["code"], 3);
}

TEST_F(CliCommon, EveryVerbHasHelpWithAnExample) {
  for (const Arguments& line : one_of_each()) {
    const Outcome outcome = run({line[0], "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("Example:\n  tessera " + line[0]), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("--memory"), std::string::npos);
  }
}

TEST_F(CliCommon, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.rfind("tessera ", 0), 0u);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
}

TEST_F(CliCommon, EveryVerbWritesTheWholeJsonObjectAndNothingElse) {
  for (const Arguments& line : one_of_each()) {
    const auto object = run_json(line);
    EXPECT_EQ(object.value("verb", ""), line[0]);
    for (const char* key :
         {"version", "input", "device", "threads", "peak_bytes", "device_peak_bytes", "result"}) {
      EXPECT_TRUE(object.contains(key)) << line[0] << " " << key;
    }
    ASSERT_TRUE(object.contains("seconds")) << line[0];
    for (const char* key : {"read", "prepare", "compute", "write", "total"}) {
      EXPECT_TRUE(object["seconds"].value(key, -1.0) >= 0) << line[0] << " " << key;
    }
    EXPECT_GT(object.value("peak_bytes", 0), 1000000) << line[0];
    EXPECT_GE(object.value("threads", 0), 1) << line[0];
    EXPECT_FALSE(object.contains("error")) << line[0];
  }
}

TEST_F(CliCommon, JsonFileIsWrittenBesideThePrintedText) {
  const Outcome outcome = run({"devices", "--json", "devices.json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("cpu"), std::string::npos);
  const auto object = nlohmann::json::parse(read("devices.json"));
  EXPECT_GE(object["result"]["cpu"]["threads"].get<int>(), 1);
  EXPECT_EQ(files(), std::vector<std::string>{"devices.json"});
}

TEST_F(CliCommon, JsonToASpecialFileLeavesItInPlace) {
  EXPECT_EQ(run({"devices", "--quiet", "--json", "/dev/null"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(CliCommon, ErrorsAreInTheJsonObjectToo) {
  const auto missing = run_json({"info", "nowhere.vtu"}, 3);
  EXPECT_EQ(missing["error"]["code"], 3);
  EXPECT_NE(missing["error"]["message"].get<std::string>().find("nowhere.vtu"), std::string::npos);
  EXPECT_TRUE(missing["result"].is_null());
  EXPECT_EQ(run_json({"info", "--memory", "lots", "x.vtu"}, 2)["error"]["code"], 2);
  EXPECT_EQ(run_json({"info", "--no-such-option"}, 2)["error"]["code"], 2);
}

TEST_F(CliCommon, QuietPrintsNothing) {
  for (Arguments line : one_of_each()) {
    line.emplace_back("--quiet");
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "") << line[0];
  }
}

TEST_F(CliCommon, NoProgressWhereStderrIsNotATerminal) {
  EXPECT_EQ(run({"make", "kuhn", "--size", "24", "-o", "mesh.vtu"}).err, "");
}

TEST_F(CliCommon, ThreadsAreReported) {
  EXPECT_EQ(run_json({"devices", "--threads", "2", "--device", "cpu"})["threads"], 2);
}

TEST_F(CliCommon, SmallGridsAreAnalysedOnTheHost) {
  ASSERT_EQ(run({"make", "lattice", "--size", "9", "--field", "rough", "-o", "grid.vti"}).code, 0);
  for (const char* verb : {"critical-points", "gradient", "morse-smale", "persistence"}) {
    EXPECT_EQ(run({verb, "grid.vti"}).err, "") << verb;
    const Outcome outcome = run({verb, "grid.vti", "--device", "auto"});
    EXPECT_NE(outcome.err.find("the work is small"), std::string::npos) << verb << outcome.err;
  }
}

TEST_F(CliCommon, AutomaticDeviceFallsBackToTheHostAndSaysSo) {
  if (!run_json({"devices"})["result"]["cuda"].empty()) GTEST_SKIP() << "this machine has a GPU";
  ASSERT_EQ(run({"make", "kuhn-full", "--size", "80", "--field", "rough", "-o", "mesh.vtu"}).code, 0);
  EXPECT_EQ(run({"gradient", "mesh.vtu", "--threads", "1"}).err, "");  // who did not ask is not told
  const Outcome outcome = run({"gradient", "mesh.vtu", "--threads", "1", "--device", "auto"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.err.starts_with("tessera: running on the cpu, 1 thread: ")) << outcome.err;
  EXPECT_EQ(outcome.err.find("the work is small"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(CliCommon, GeneratorsChooseADeviceToo) {
  const bool has_device = !run_json({"devices"})["result"]["cuda"].empty();
  ASSERT_EQ(run({"make", "ico", "--size", "2", "-o", "ico.vtp"}).code, 0);
  ASSERT_EQ(run({"make", "lattice", "--size", "5", "--field", "mri", "-o", "grid.vti"}).code, 0);
  for (const std::vector<std::string>& line : {std::vector<std::string>{"subdivide", "ico.vtp"},
                                               {"weld", "ico.vtp"},
                                               {"dual", "ico.vtp"},
                                               {"curvature", "ico.vtp"},
                                               {"normals", "ico.vtp"},
                                               {"smooth", "ico.vtp"},
                                               {"denoise", "ico.vtp"},
                                               {"geodesic", "ico.vtp", "--source", "0"},
                                               {"tetrahedralize", "grid.vti"},
                                               {"coarsen", "grid.vti", "--value", "0.1"}}) {
    std::vector<std::string> asked = line;
    asked.insert(asked.end(), {"--device", "auto"});
    const Outcome outcome = run(asked);
    EXPECT_EQ(outcome.code, 0) << line[0];
    EXPECT_TRUE(outcome.err.starts_with("tessera: running on the cpu")) << line[0] << ": " << outcome.err;
    EXPECT_NE(outcome.err.find("the work is small"), std::string::npos) << line[0] << ": " << outcome.err;
    asked.back() = "cuda";
    EXPECT_EQ(run(asked).code, has_device ? 0 : 9) << line[0];
  }
}

TEST_F(CliCommon, ADeviceWithoutWorkIsMentioned) {
  if (run_json({"devices"})["result"]["cuda"].empty()) GTEST_SKIP() << "this machine has no GPU";
  ASSERT_EQ(run({"make", "ico", "--size", "2", "-o", "ico.vtp"}).code, 0);
  const Outcome idle = run({"info", "ico.vtp", "--device", "cuda"});
  EXPECT_EQ(idle.code, 0);
  EXPECT_NE(idle.err.find("nothing of this is work"), std::string::npos) << idle.err;
  EXPECT_TRUE(
      run_json({"info", "ico.vtp", "--device", "cuda"})["device"].get<std::string>().starts_with("cpu"));
  EXPECT_EQ(run({"subdivide", "ico.vtp", "--device", "cuda"}).err, "");
}

TEST_F(CliCommon, DeviceMemoryMustBeASize) {
  expect_one_sentence(run({"devices", "--device-memory", "0"}), 2, {"--device-memory 0 allows nothing"});
  expect_one_sentence(run({"devices", "--device-memory", "much"}), 2, {"'much' is not a memory size"});
  EXPECT_EQ(run({"devices", "--device-memory", "1G"}).code, 0);
}

TEST_F(CliCommon, ADeviceThatIsAskedForMustBeThere) {
  if (!run_json({"devices"})["result"]["cuda"].empty()) GTEST_SKIP() << "this machine has a GPU";
  ASSERT_EQ(run({"make", "kuhn", "--size", "8", "--field", "rough", "-o", "mesh.vtu"}).code, 0);
  EXPECT_EQ(run({"critical-points", "mesh.vtu", "--device", "cuda"}).code, 9);
  EXPECT_EQ(run({"critical-points", "mesh.vtu", "--provider", "device"}).code, 9);
}

// RLIMIT_NPROC does not bind root, who becomes somebody else for this. One process is the program alone, two
// are its own thread that watches for signals, and none for the work.
TEST_F(CliCommon, WithoutThreadsOthersDoTheWorkOrItSaysSo) {
  const bool is_root = geteuid() == 0;
  if (!is_root) GTEST_SKIP() << "the processes of this user count as well";
  ASSERT_EQ(run({"make", "kuhn", "--size", "24", "--field", "rough", "-o", "mesh.vtu"}).code, 0);
  ASSERT_EQ(chmod(path("").c_str(), 0777), 0);
  ASSERT_EQ(run({"critical-points", "mesh.vtu", "--device", "cpu", "--threads", "1", "-o", "one.vtp"}).code,
            0);
  const auto limited = [&](int processes) {
    const std::string command =
        "cd " + path("").string() +
        " && ASAN_OPTIONS=detect_leaks=0 setpriv --reuid=65533 --clear-groups prlimit --nproc=" +
        std::to_string(processes) + " -- " + TESSERA_PROGRAM +
        " critical-points mesh.vtu --device cpu --threads 8 -o limited.vtp > /dev/null 2> said";
    return WEXITSTATUS(std::system(command.c_str()));
  };
  const int code = limited(1);
  if (code == 126 || code == 127) GTEST_SKIP() << "cannot run the program as somebody else: " << read("said");
  EXPECT_EQ(code, 8);
  EXPECT_EQ(read("said").find("tessera: the system allows no thread"), 0U) << read("said");
  EXPECT_EQ(limited(2), 0) << read("said");
  EXPECT_EQ(read("limited.vtp"), read("one.vtp"));
}

// The same error ends the work in both; only what is behind the output differs.
TEST_F(CliCommon, AClosedPipeIsNoErrorAndAFullDiskIs) {
  const auto code_of = [](const std::string& redirection) {
    const std::string command =
        std::string("bash -c '") + TESSERA_PROGRAM + " --help " + redirection + "' 2> /dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  };
  EXPECT_EQ(code_of("> /dev/full"), 7);
  EXPECT_EQ(code_of("| true; exit ${PIPESTATUS[0]}"), 0);
  EXPECT_EQ(code_of("> /dev/null"), 0);
}

}  // namespace
}  // namespace tessera::test
