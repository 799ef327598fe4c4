// `-` in the place of a file: standard input and output.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliStreams : public ProgramTest {
 protected:
  void SetUp() override { ASSERT_EQ(run({"make", "octahedron", "-q", "-o", "o.ply"}).code, 0); }

  /// Runs a command of the shell in which $T is the program.
  Outcome shell(const std::string& command) {
    const std::string line = "cd '" + path("").string() + "' && T='" TESSERA_PROGRAM "' && { " + command +
                             "\n} > shell.out 2> shell.err";
    const int status = std::system(line.c_str());  // NOLINT(cert-env33-c): a pipe is what is tested
    return {WEXITSTATUS(status), read("shell.out"), read("shell.err")};
  }
};

TEST_F(CliStreams, InputShowsItsFormat) {
  for (const char* format : {"ply", "vtu", "vtp", "vtk", "off", "stl"}) {
    for (const std::string text : {"", " --ascii"}) {
      const std::string file = std::string("m.") + format;
      ASSERT_EQ(shell("$T convert o.ply " + file + text + " -q").code, 0);
      const Outcome outcome = shell("cat " + file + " | $T info -");
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_EQ(outcome.out.find(std::string("-: triangle mesh (") + format + ")\n  points         6 "), 0u)
          << outcome.out;
    }
  }
  EXPECT_EQ(
      shell("$T make lattice -n 3 --field mri -o - --output-format vti -q | $T info - ").out.find("-: grid"),
      0u);
  EXPECT_EQ(shell("$T info - < o.ply").code, 0);
}

TEST_F(CliStreams, InputIsToldItsFormat) {
  ASSERT_EQ(shell("$T convert o.ply o.obj && cp o.obj o.txt && gzip -k o.obj").code, 0);
  expect_one_sentence(shell("cat o.obj | $T info -"), 6, {"standard input", "--input-format"});
  for (const char* command : {"cat o.obj | $T info - --input-format obj", "$T info o.txt --input-format OBJ",
                              "cat o.obj.gz | $T info - --input-format obj.gz"})
    EXPECT_NE(shell(command).out.find("triangle mesh (obj)"), std::string::npos) << command;
  expect_one_sentence(shell("cat o.obj | $T info - --input-format xyz"), 6,
                      {"standard input", "\"xyz\"", "ply"});
  expect_one_sentence(shell("cat o.obj | $T info - --input-format node"), 6, {"one of two files"});
  expect_one_sentence(shell("cat o.obj | $T info - --input-format ply"), 4,
                      {"standard input: does not begin"});
  expect_one_sentence(shell("$T info - < /dev/null"), 4, {"standard input: is empty"});
  const std::size_t program = run_json({"info", "o.ply"})["peak_bytes"];
  const std::string limit = std::to_string(program + memory_noise + (std::size_t{8} << 20));
  expect_one_sentence(shell("head -c 64M /dev/zero | $T info - --input-format ply --memory " + limit), 8,
                      {"standard input is longer", "--memory"});
}

TEST_F(CliStreams, FormatsThatAreNamedDecideAboutCells) {
  write("quad.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n");
  ASSERT_EQ(shell("$T convert quad.off kept.dat --output-format vtp -q").code, 0);
  EXPECT_NE(shell("$T info kept.dat").out.find("1 quad"), std::string::npos) << shell("$T info kept.dat").out;
  EXPECT_EQ(shell("$T convert quad.off cut.vtu --output-format stl -q").code, 0);
  expect_one_sentence(shell("$T render - - -o x.png < quad.off"), 2, {"standard input can be read once"});
}

TEST_F(CliStreams, RawVolumesComeThroughAPipe) {
  write("v.raw", std::string("\0\1\2\3\4\5\6\7", 8));
  const Outcome outcome = shell("cat v.raw | $T info - --dims 2x2x2");
  EXPECT_NE(outcome.out.find("2 x 2 x 2"), std::string::npos) << outcome.out << outcome.err;
  expect_one_sentence(shell("cat v.raw | $T info - --dims 2x2x3"), 4, {"'-' has 8 bytes"});
}

TEST_F(CliStreams, OutputIsTheBytesOfTheFile) {
  for (const char* format : {"vtu", "vtp", "vtk", "ply", "obj", "stl", "off"}) {
    const std::string file = std::string("m.") + format;
    ASSERT_EQ(shell("$T convert o.ply -q " + file).code, 0);
    const Outcome outcome = shell(std::string("cat o.ply | $T convert - -o - --output-format ") + format);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, read(file)) << format;
    EXPECT_NE(outcome.err.find("wrote -: 6 points"), std::string::npos) << outcome.err;
  }
  ASSERT_EQ(shell("$T curvature o.ply -o c.vtp -q").code, 0);
  EXPECT_EQ(shell("$T curvature - -q -o - --compress --output-format vtp < o.ply | $T convert - d.vtp").code,
            0);
  EXPECT_EQ(read("c.vtp"), read("d.vtp"));
  ASSERT_EQ(shell("$T dual o.ply -o d.vtp").code, 0);
  EXPECT_EQ(shell("$T dual o.ply -o - --output-format vtp -q").out, read("d.vtp"));
  ASSERT_EQ(shell("$T convert o.ply m.dat --output-format off -q").code, 0);
  EXPECT_EQ(read("m.dat"), read("m.off"));
}

TEST_F(CliStreams, OutputIsRefusedOrEndsQuietly) {
  expect_one_sentence(run({"convert", "o.ply", "-o", "-"}), 2, {"standard output", "--output-format"});
  expect_one_sentence(run({"convert", "o.ply", "-o", "-", "--output-format", "nrrd"}), 6, {"nrrd", ".ply"});
  const Outcome both = run({"convert", "o.ply", "-o", "-", "--output-format", "ply", "--json", "-"});
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(nlohmann::json::parse(both.out)["error"]["name"], "bad_option");
  expect_one_sentence(run({"morse-smale", "o.ply", "--separatrices", "-"}), 2,
                      {"standard output", "-o - --output-format vtp"});
  const Outcome object = run({"convert", "o.ply", "-o", "-", "--output-format", "off", "--json", "o.json"});
  EXPECT_EQ(object.code, 0);
  EXPECT_EQ(nlohmann::json::parse(read("o.json"))["result"]["output"]["bytes"], object.out.size());
  const Outcome left = shell("{ $T make ico -n 6 -q -o - --output-format off; echo $? >&2; } | head -c 3");
  EXPECT_EQ(left.out, "OFF");
  EXPECT_EQ(left.err, "0\n");
  const Outcome full = shell("$T make ico -n 2 -q -o - --output-format off > /dev/full");
  expect_one_sentence(full, 7, {"standard output cannot be written"});
}

// The shell has opened the file before the program can see it.
TEST_F(CliStreams, StandardInputIsNotOverwritten) {
  const std::string before = read("o.ply");
  expect_one_sentence(shell("$T convert - -o o.ply < o.ply"), 2, {"'o.ply' is read and written"});
  expect_one_sentence(shell("$T convert - -o ./o.ply < o.ply"), 2, {"'./o.ply' is read and written"});
  expect_one_sentence(shell("ln o.ply p.ply; $T weld - -o p.ply < o.ply"), 2, {"read and written"});
  expect_one_sentence(shell("$T info - --json o.ply < o.ply"), 2, {"'o.ply' is the input", "--json"});
  expect_one_sentence(shell("$T convert o.ply -o - --output-format ply >> o.ply"), 2, {"read and written"});
  EXPECT_EQ(read("o.ply"), before);
  EXPECT_EQ(shell("$T convert - -o q.ply < o.ply").code, 0);
  EXPECT_EQ(read("q.ply"), before);
}

TEST_F(CliStreams, TextAndPicturesGoToStandardOutput) {
  ASSERT_EQ(shell("$T make torus -n 8 --field smooth -q -o t.vtp").code, 0);
  ASSERT_EQ(shell("$T persistence t.vtp --csv a.csv --plot a.svg -o a.vtu -q").code, 0);
  EXPECT_EQ(shell("$T persistence t.vtp --csv - -q").out, read("a.csv"));
  EXPECT_EQ(shell("$T persistence t.vtp --plot - -q").out, read("a.svg"));
  EXPECT_EQ(shell("$T persistence t.vtp -o - --output-format vtu -q").out, read("a.vtu"));
  expect_one_sentence(shell("$T persistence t.vtp -o -"), 2, {"-o - --output-format vtu"});
  expect_one_sentence(shell("$T persistence t.vtp --csv - --plot -"), 2, {"two outputs"});
  for (const std::string format : {"txt", "csv", "npz"}) {
    ASSERT_EQ(shell("$T relations o.ply --relation VV -q -o r." + format).code, 0);
    EXPECT_EQ(shell("$T relations o.ply --relation VV -q -o - --output-format " + format).out,
              read("r." + format));
  }
  expect_one_sentence(shell("$T relations o.ply --relation VV -o -"), 2, {"-o - --output-format csv"});
  expect_one_sentence(shell("$T relations o.ply --relation VV --output-format csv"), 2, {"-o or --output"});
  const Outcome text = shell("$T relations o.ply --relation VV -o - --output-format txt");
  EXPECT_EQ(text.out, read("r.txt"));
  EXPECT_NE(text.err.find("wrote -: 6 rows"), std::string::npos) << text.err;
}

}  // namespace
}  // namespace tessera::test
