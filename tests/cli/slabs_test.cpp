// A grid that --memory has no room for is gone through in slabs: the files are those of a run in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "cli/memory_case.h"

namespace tessera::test {
namespace {

class CliSlabs : public MemoryCase {
 protected:
  /// Waves in steps, so that many values are equal: `n` points an axis.
  void make_raw(const std::string& file, int n) {
    std::ofstream out(path(file), std::ios::binary);
    for (int z = 0; z < n; ++z) {
      for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
          const double wave = std::sin(x / 5.0) + std::sin(y / 7.0 + x / 40.0) + std::sin(z / 6.0 + y / 50.0);
          const auto value = static_cast<float>(std::round(wave * 256) / 256);
          out.write(reinterpret_cast<const char*>(&value), sizeof(value));
        }
      }
    }
  }
  static Arguments with(Arguments line, const Arguments& more) {
    line.insert(line.end(), more.begin(), more.end());
    return line;
  }
  /// Runs the line in memory and in slabs, and compares what is written.
  void expect_same_file(const Arguments& line, const std::string& limit, const std::string& extension) {
    SCOPED_TRACE(line[0] + " " + line[1] + " within " + limit);
    const Outcome whole = run(with(line, {"-o", "whole." + extension}));
    ASSERT_EQ(whole.code, 0) << whole.err;
    const Outcome parts = run(with_limit(with(line, {"-o", "parts." + extension}), limit));
    ASSERT_EQ(parts.code, 0) << parts.err;
    EXPECT_NE(parts.err.find(" slabs of "), std::string::npos) << parts.err;
    EXPECT_EQ(read("parts." + extension), read("whole." + extension));
    const Bytes allowed = parse_bytes(limit);
    EXPECT_TRUE(!is_bounded || parts.peak <= allowed + allowed / 50) << parts.peak;
    std::filesystem::remove(path("whole." + extension));
    std::filesystem::remove(path("parts." + extension));
  }
  /// So much more than the program itself takes.
  std::string limit(Bytes more) { return limit_text(program_bytes() + memory_noise + mib(5) + more); }

  static inline const Arguments raw = {"v.raw", "--dims", "120x120x120", "--type", "float32"};
  Arguments verb(const char* name, const Arguments& input = raw) const { return with({name}, input); }
};

TEST_F(CliSlabs, FilesAreThoseOfARunInMemory) {
  make_raw("v.raw", 120);  // 6.6 MiB
  expect_same_file(verb("critical-points"), limit(mib(10)), "vtp");
  expect_same_file(verb("morse-smale"), limit(mib(16)), "vti");
  ASSERT_EQ(run(with(verb("convert"), {"-o", "v.vti"})).code, 0);
  expect_same_file(verb("critical-points", {"v.vti"}), limit(mib(10)), "vtp");
  expect_same_file(verb("morse-smale", {"v.vti", "--field", "value"}), limit(mib(16)), "vti");
}

TEST_F(CliSlabs, SurfacesAreThoseOfARunInMemory) {
  make_raw("v.raw", 200);  // 30 MiB
  const Arguments input = {"v.raw", "--dims", "200x200x200", "--type", "float32"};
  const Arguments line = with(verb("isosurface", input), {"--value", "2.8,2.9"});
  expect_same_file(line, limit(mib(26)), "vtp");
  expect_same_file(with(line, {"--normals", "gradient", "--merge-exact"}), limit(mib(30)), "vtp");
}

TEST_F(CliSlabs, CountsAreThoseOfARunInMemory) {
  make_raw("v.raw", 120);
  const auto compare = [&](const Arguments& line, Bytes room) {
    const auto whole = run_json(line);
    const auto parts = run_json(with_limit(line, limit(room)));
    EXPECT_EQ(parts["result"], whole["result"]);
    EXPECT_GE(parts["notes"].size(), 1u);
    EXPECT_NE(parts["notes"].dump().find(" slabs of "), std::string::npos) << parts["notes"];
  };
  compare(verb("critical-points"), mib(6));
  compare(with(verb("morse-smale"), {"--no-separatrices", "--no-connectors"}), mib(16));
}

TEST_F(CliSlabs, StandardOutputGetsTheFileToo) {
  make_raw("v.raw", 120);
  const Outcome whole = run(with(verb("morse-smale"), {"-o", "-", "--output-format", "vti"}));
  const Outcome parts =
      run(with_limit(with(verb("morse-smale"), {"-o", "-", "--output-format", "vti"}), limit(mib(16))));
  EXPECT_EQ(parts.code, 0) << parts.err;
  EXPECT_TRUE(parts.out == whole.out);
}

TEST_F(CliSlabs, WhatIsNotMadeInSlabsIsRefusedWithAValueThatWorks) {
  make_raw("v.raw", 120);
  const std::string tight = limit(mib(10));
  const auto expect_refused = [&](const Arguments& line, const std::string& what) {
    SCOPED_TRACE(what);
    const Outcome refused = run(with_limit(line, tight));
    EXPECT_EQ(refused.code, 8) << refused.err;
    EXPECT_NE(refused.err.find("cannot be gone through in slabs: " + what), std::string::npos) << refused.err;
    EXPECT_FALSE(named_limit(refused.err).empty()) << refused.err;
  };
  expect_refused(with(verb("critical-points"), {"--threshold", "5%"}), "--threshold");
  expect_refused(with(verb("morse-smale"), {"--separatrices", "s.vtp"}), "--separatrices");
  expect_refused(with(verb("critical-points"), {"--periodic", "x"}), "--periodic");
  expect_refused(with(verb("morse-smale"), {"--walls", "w.vtp"}), "--walls");
  expect_one_sentence(run(with_limit(with(verb("critical-points"), {"--field", "nope"}), tight)), 3,
                      {"nope", "value"});
  expect_refused(with(verb("morse-smale"), {"-o", "r.vti", "--compress"}), "a file with --compress");
  expect_refused(with(verb("morse-smale"), {"--provider", "implicit"}), "--provider implicit");
  ASSERT_EQ(run(with(verb("convert"), {"-o", "v.vti", "--compress"})).code, 0);
  expect_refused({"morse-smale", "v.vti"}, "its arrays are not stored as they are");
  const Arguments line = with(verb("critical-points"), {"--threshold", "5%"});
  expect_named_limit_works(line, run(with_limit(line, tight)));
  EXPECT_EQ(files(), (std::vector<std::string>{"v.raw", "v.vti"}));
}

TEST_F(CliSlabs, TheThinnestSlabsNameAValueThatWorks) {
  make({"lattice", "--size", "200", "--field", "smooth", "-o", "m.vti"});
  for (const Arguments& line : std::vector<Arguments>{{"critical-points", "m.vti"},
                                                      {"morse-smale", "m.vti", "-o", "r.vti"},
                                                      {"isosurface", "m.vti", "--value", "0.5"}}) {
    SCOPED_TRACE(line[0]);
    Outcome outcome = run(with_limit(line, limit_text(program_bytes() + memory_noise + mib(6))));
    EXPECT_TRUE(!is_bounded || outcome.code == 8) << outcome.err;
    // What slabs take is named first; how large a surface is, is known when it has been counted.
    const int refusals = line[0] == "isosurface" ? 2 : 1;
    for (int i = 0; i < refusals && outcome.code == 8; ++i) {
      const std::string named = named_limit(outcome.err);
      ASSERT_FALSE(named.empty()) << outcome.err;
      outcome = run(with_limit(line, named));
    }
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

TEST_F(CliSlabs, DefectsOfFilesAreFound) {
  make_raw("v.raw", 120);
  std::string bytes = read("v.raw");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  bytes.replace(4 * (120 * 120 * 110 + 7), 4, reinterpret_cast<const char*>(&nan), 4);
  write("nan.raw", bytes);
  const Arguments input = {"nan.raw", "--dims", "120x120x120", "--type", "float32"};
  const Outcome whole = run(verb("critical-points", input));
  const Outcome parts = run(with_limit(verb("critical-points", input), limit(mib(6))));
  EXPECT_EQ(parts.code, whole.code);
  EXPECT_NE(parts.err.find(whole.err), std::string::npos) << parts.err;
  EXPECT_EQ(run(with_limit(with(verb("morse-smale", input), {"-o", "r.vti"}), limit(mib(16)))).code, 6);
  write("short.raw", bytes.substr(0, bytes.size() - 1));
  expect_one_sentence(
      run(with_limit({"critical-points", "short.raw", "--dims", "120x120x120", "--type", "float32"},
                     limit(mib(6)))),
      4, {"short.raw", "bytes", "--dims"});
  EXPECT_EQ(files(), (std::vector<std::string>{"nan.raw", "short.raw", "v.raw"}));
}

}  // namespace
}  // namespace tessera::test
