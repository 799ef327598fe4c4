// track: the series that it writes, going on after an interruption, and what is refused.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliTrack : public ProgramTest {
 protected:
  void SetUp() override {
    const Outcome made = run({"make", "ico", "--size", "3", "--field", "rough", "-o", "ball.vtp"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  static Arguments line(const std::string& output, const std::string& frames, const Arguments& more = {}) {
    Arguments all = {"track", "ball.vtp", "--frames", frames, "--step", "0.04", "-o", output};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void ok(const Arguments& arguments) {
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  void expect_same_series(const std::string& a, const std::string& b, int frames) {
    for (int i = 0; i <= frames; ++i) {
      const std::string number = "_000" + std::to_string(i) + ".vtp";
      EXPECT_EQ(read(a + number), read(b + number)) << "frame " << i;
    }
  }
};

TEST_F(CliTrack, WritesASeries) {
  const json result = run_json(line("run.pvd", "4"))["result"];
  EXPECT_EQ(read("run.pvd"),
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
            "  <Collection>\n"
            "    <DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"run_0000.vtp\"/>\n"
            "    <DataSet timestep=\"0.04\" group=\"\" part=\"0\" file=\"run_0001.vtp\"/>\n"
            "    <DataSet timestep=\"0.08\" group=\"\" part=\"0\" file=\"run_0002.vtp\"/>\n"
            "    <DataSet timestep=\"0.12\" group=\"\" part=\"0\" file=\"run_0003.vtp\"/>\n"
            "    <DataSet timestep=\"0.16\" group=\"\" part=\"0\" file=\"run_0004.vtp\"/>\n"
            "  </Collection>\n"
            "</VTKFile>\n");
  ASSERT_EQ(result["frames"].size(), 4U);
  const json& last = result["frames"][3];
  EXPECT_EQ(last["frame"], 4);
  EXPECT_EQ(last["file"], "run_0004.vtp");
  EXPECT_EQ(result["resumed_after"], 0);
  EXPECT_EQ(result["output"]["frames"], 5);
  const double volume = result["frames"][0]["volume"];
  EXPECT_NEAR(last["volume"], volume, 0.01 * volume);
  const TriMesh first = read_triangles(path("run_0000.vtp"));
  const TriMesh end = read_triangles(path("run_0004.vtp"));
  EXPECT_TRUE(end.points.is_double());
  EXPECT_EQ(end.cell_count(), last["triangles"]);
  EXPECT_EQ(end.vertex_count(), last["points"]);
  EXPECT_EQ(end.point_data.names(), first.point_data.names()) << "fields follow";
  EXPECT_EQ(end.field_data.at("TimeValue").as<double>()[0], last["time"]);
  EXPECT_EQ(result["quality"]["after"]["triangles"], last["triangles"]);
  EXPECT_EQ(files().size(), 7U) << "the input, the series and its frames";
}

TEST_F(CliTrack, ResumedIsAsUninterrupted) {
  ok(line("whole.pvd", "5"));
  for (const char* number : {"0", "2", "4"}) {
    ok(line("part.pvd", number));
    const json result = run_json(line("part.pvd", "5", {"--resume"}))["result"];
    EXPECT_EQ(result["resumed_after"], std::stoi(number));
    EXPECT_EQ(result["frames"].size(), 5U - static_cast<std::size_t>(std::stoi(number)));
    expect_same_series("whole", "part", 5);
  }
  const json again = run_json(line("part.pvd", "5", {"--resume"}))["result"];
  EXPECT_TRUE(again["frames"].empty()) << "nothing is left to do";
  expect_same_series("whole", "part", 5);
  ok(line("fresh.pvd", "5", {"--resume"}));  // there is no series yet
  expect_same_series("whole", "fresh", 5);
  ok(line("one.pvd", "5", {"--threads", "1"}));
  expect_same_series("whole", "one", 5);
}

TEST_F(CliTrack, TextAndCompressedFramesResumeAlike) {
  ok(line("plain.pvd", "4"));
  const TriMesh expected = read_triangles(path("plain_0004.vtp"));
  for (const char* how : {"--ascii", "--compress"}) {
    ok(line("f.pvd", "2", {how}));
    ok(line("f.pvd", "4", {how, "--resume"}));
    const TriMesh found = read_triangles(path("f_0004.vtp"));
    EXPECT_EQ(found.points, expected.points) << how;
    EXPECT_EQ(found.cells, expected.cells) << how;
  }
}

// Killed while it runs: what the series lists is there and complete, and going on gives the same frames.
TEST_F(CliTrack, GoesOnAfterAKill) {
  ok({"make", "ico", "--size", "5", "-o", "ball.vtp"});
  const pid_t child = start(line("cut.pvd", "1000"));
  using namespace std::chrono_literals;
  for (int i = 0; i < 500 && !std::filesystem::exists(path("cut_0003.vtp")); ++i)
    std::this_thread::sleep_for(10ms);
  kill(child, SIGKILL);
  wait_for(child);
  ASSERT_TRUE(std::filesystem::exists(path("cut.pvd")));
  const std::string series = read("cut.pvd");
  ASSERT_NE(series.find("</VTKFile>"), std::string::npos);
  long listed = 0;
  for (std::size_t at = series.find("<DataSet"); at != std::string::npos;
       at = series.find("<DataSet", at + 1))
    ++listed;
  ASSERT_GT(listed, 1);
  const std::string frames = std::to_string(listed);  // one more than there are
  const json result = run_json(line("cut.pvd", frames, {"--resume"}))["result"];
  EXPECT_EQ(result["resumed_after"], listed - 1);
  ok(line("whole.pvd", frames));
  if (listed < 10) expect_same_series("whole", "cut", static_cast<int>(listed));
}

TEST_F(CliTrack, RefusesOtherOptionsAndBrokenSeries) {
  ok(line("run.pvd", "2"));
  const auto refused = [&](const Arguments& more, int code, const std::vector<std::string>& parts) {
    expect_one_sentence(run(line("run.pvd", "4", more)), code, parts);
  };
  const int bad_option = run({"track", "ball.vtp", "-o", "run.off"}).code;
  refused({"--resume", "--seed", "2"}, bad_option, {"--seed", "is 2 now but was 0", "run_0002.vtp"});
  refused({"--resume", "--speed", "3"}, bad_option, {"--speed"});
  refused({"--resume", "--field", "vortex"}, bad_option, {"--field"});
  write("run_0002.vtp", read("run_0002.vtp").substr(0, 400));
  EXPECT_NE(run(line("run.pvd", "4", {"--resume"})).err.find("run_0002.vtp"), std::string::npos);
  std::filesystem::copy_file(path("ball.vtp"), path("run_0002.vtp"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(run(line("run.pvd", "4", {"--resume"})).err.find("is not frame 2 of a run"), std::string::npos);
  std::filesystem::remove(path("run_0002.vtp"));
  EXPECT_NE(run(line("run.pvd", "4", {"--resume"})).err.find("is missing"), std::string::npos);
  write("run.pvd", "<VTKFile type=\"Collection\"><Collection><DataSet file=\"x.vtp\"/></Collection>");
  EXPECT_NE(run(line("run.pvd", "4", {"--resume"})).err.find("is not a series of frames"), std::string::npos);
  write("run.pvd", "no series");
  EXPECT_NE(run(line("run.pvd", "4", {"--resume"})).err.find("is no VTK collection"), std::string::npos);
  ok(line("run.pvd", "1"));
}

TEST_F(CliTrack, RefusesAnotherInput) {
  const Arguments given = {"--length", "1", "--scale", "1"};  // not what the input decides
  ok(line("run.pvd", "1", given));
  ok({"make", "torus", "--size", "12x8", "-o", "ball.vtp"});
  Arguments again = line("run.pvd", "2", given);
  again.push_back("--resume");
  const Outcome other = run(again);
  EXPECT_NE(other.code, 0);
  EXPECT_NE(other.err.find("'ball.vtp' is not what 'run.pvd' began with"), std::string::npos) << other.err;
}

TEST_F(CliTrack, RefusesWhatCannotBe) {
  const auto says = [&](const Arguments& arguments, const std::string& part) {
    const Outcome outcome = run(arguments);
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  says({"track", "ball.vtp", "-o", "frames.vtp"}, "name a .pvd file");
  says({"track", "ball.vtp", "-o", "no/frames.pvd"}, "there is no folder 'no'");
  says({"track", "ball.vtp"}, "--output");
  says(line("a.pvd", "1", {"--ascii", "--compress"}), "--compress");
  says(line("a.pvd", "1", {"--origin", "1,2"}), "--origin takes three numbers");
  says(line("a.pvd", "1", {"--length", "-1"}), "target length");
  ok({"make", "kuhn", "--size", "2", "-o", "solid.vtu"});
  says({"track", "solid.vtu", "-o", "a.pvd"}, "triangles can be tracked, but 'solid.vtu'");
  ok(line("a.pvd", "1"));
  says({"track", "a_0001.vtp", "-o", "a.pvd"}, "would be read and written");
}

TEST_F(CliTrack, FieldsAndBorders) {
  write("square.off",
        "OFF\n5 4 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 0\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n");
  for (const char* field : {"curl", "deformation", "vortex", "rotation"}) {
    const json result = run_json({"track", "square.off", "--field", field, "--frames", "3", "--length", "0.1",
                                  "--step", "0.05", "-o", "s.pvd"})["result"];
    EXPECT_GT(result["splits"], 20) << field;
    EXPECT_NEAR(result["frames"][0]["area"], 1, 0.1) << field;
  }
  const Outcome text = run({"track", "square.off", "--frames", "1", "--keep-border", "-o", "s.pvd"});
  EXPECT_NE(text.out.find("square.off: 1 frame: 0 splits"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("wrote s.pvd: 2 frames"), std::string::npos) << text.out;
}

}  // namespace
}  // namespace tessera::test
