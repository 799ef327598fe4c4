// The scripts of `tessera completion`, as the shells run them, and the pages of `tessera man`.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliCompletion : public ProgramTest {
 protected:
  /// What a shell command prints, in the folder of the test.
  [[nodiscard]] std::string shell(const std::string& command) const {
    FILE* const pipe = popen(("cd " + path("").string() + " && " + command).c_str(), "r");
    std::string text;
    std::array<char, 512> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
    EXPECT_EQ(pclose(pipe), 0) << command;
    return text;
  }
  /// The answers to TAB behind the last of the words, with a space behind each.
  [[nodiscard]] std::string complete(const std::string& words, int place) const {
    return shell("bash -c 'source tessera.bash; COMP_WORDS=(" + words +
                 "); COMP_CWORD=" + std::to_string(place) +
                 "; _tessera; for word in \"${COMPREPLY[@]}\"; do printf \"%s \" \"$word\"; done'");
  }
  /// The same of zsh, whose functions that show answers print them here.
  [[nodiscard]] std::string complete_zsh(const std::string& words, const std::string& prefix) const {
    return shell("zsh -fc 'words=(" + words + "); CURRENT=$#words; PREFIX=" + prefix +
                 "; compadd() { print -l -- $list }; _describe() { print -l -- ${list%%:*} }; _files() { }; "
                 "source ./tessera.zsh' | grep -e \"^" +
                 prefix + "\" | tr \"\\n\" \" \"");
  }
  [[nodiscard]] std::string complete_fish(const std::string& line) const {
    return shell("fish --no-config -c 'source tessera.fish; complete -C \"" + line +
                 "\"' | cut -f 1 | tr \"\\n\" \" \"");
  }
  [[nodiscard]] bool has(const std::string& program) const {
    return !shell("command -v " + program + " || true").empty();
  }
  void write_script(const std::string& name) {
    const Outcome outcome = run({"completion", name});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    write("tessera." + name, outcome.out);
  }
};

TEST_F(CliCompletion, BashCompletesVerbsOptionsAndChoices) {
  write_script("bash");
  EXPECT_EQ(complete("tessera cri", 1), "critical-points ");
  EXPECT_EQ(complete("tessera --threads 2 cri", 3), "critical-points ");
  EXPECT_EQ(complete("tessera info --dev", 2), "--device --device-memory ");
  EXPECT_EQ(complete("tessera --dev", 1), "--device --device-memory ");
  EXPECT_EQ(complete("tessera info --device c", 3), "cpu cuda ");
  EXPECT_EQ(complete("tessera --device c", 2), "cpu cuda ");
  EXPECT_EQ(complete("tessera info --device = c", 4), "cpu cuda ");
  EXPECT_EQ(complete("tessera render a.vtu --colormap co", 4), "coolwarm cold-hot ");
  EXPECT_EQ(complete("tessera completion z", 2), "zsh ");
  EXPECT_EQ(complete("tessera info --json -", 3).find("- "), std::string::npos);
  EXPECT_EQ(complete("tessera info mesh", 2), "");  // -o default: file names
  EXPECT_EQ(shell("bash -c 'source tessera.bash; complete -p tessera'"),
            "complete -o default -F _tessera tessera\n");
}

TEST_F(CliCompletion, OtherShellsReadTheirScripts) {
  for (const char* const name : {"zsh", "fish"}) {
    write_script(name);
    const std::string script = read(std::string("tessera.") + name);
    for (const char* const part : {"morse-smale", "separatrices", "auto cpu cuda"})
      EXPECT_NE(script.find(part), std::string::npos) << name << " " << part;
    if (!has(name)) continue;
    EXPECT_EQ(shell(std::string(name) + " -n tessera." + name + " 2>&1"), "");
  }
  if (has("zsh")) {
    EXPECT_EQ(complete_zsh("tessera cri", "cri"), "critical-points ");
    EXPECT_EQ(complete_zsh("tessera --threads 2 cri", "cri"), "critical-points ");
    EXPECT_EQ(complete_zsh("tessera info --dev", "--dev"), "--device --device-memory ");
    EXPECT_EQ(complete_zsh("tessera info --device c", "c"), "cpu cuda ");
    EXPECT_EQ(complete_zsh("tessera completion z", "z"), "zsh ");
  }
  if (has("fish")) {
    EXPECT_EQ(complete_fish("tessera cri"), "critical-points ");
    EXPECT_EQ(complete_fish("tessera --threads 2 cri"), "critical-points ");
    EXPECT_EQ(complete_fish("tessera info --dev"), "--device --device-memory ");
    EXPECT_EQ(complete_fish("tessera info --device c"), "cpu cuda ");
    EXPECT_EQ(complete_fish("tessera completion z"), "zsh ");
  }
  expect_one_sentence(run({"completion", "fisch"}), 2, {"did you mean 'fish'?"});
}

TEST_F(CliCompletion, QuietRunsPrintWhatTheyAreRunFor) {
  for (const Arguments& arguments : {Arguments{"completion", "bash"}, Arguments{"man", "info"}}) {
    Arguments quiet = arguments;
    quiet.insert(quiet.begin(), "-q");
    const Outcome outcome = run(quiet);
    EXPECT_EQ(outcome.out, run(arguments).out);
    EXPECT_GT(outcome.out.size(), 100U);
  }
}

// The help is the oracle: every verb and option that it lists stands in a page, and groff has no complaint.
TEST_F(CliCompletion, ManualPagesHaveEveryVerbAndOption) {
  const bool has_groff = !shell("command -v groff || true").empty();
  const auto check = [&](const std::string& page, const std::string& words) {
    write("page.1", page);
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
      std::string escaped;
      for (const char c : word) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_NE(page.find("\\fB" + escaped + "\\fR"), std::string::npos) << word << " in " << page;
    }
    if (has_groff) {
      EXPECT_EQ(shell("groff -man -Tascii -ww page.1 2>&1 >/dev/null"), "");
    }
  };
  const std::string options =
      "grep -E '^  -' help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'";
  write("help", run({"--help"}).out);
  const std::string verbs = shell("sed '/^Example/,$d' help | grep -oE '^  [a-z][a-z-]+ '");
  check(run({"man"}).out, verbs + shell(options));
  std::istringstream stream(verbs);
  for (std::string verb; stream >> verb;) {
    write("help", run({verb, "--help"}).out);
    check(run({"man", verb}).out, shell(options));
  }
  expect_one_sentence(run({"man", "inof"}), 2, {"did you mean 'info'?"});
}

}  // namespace
}  // namespace tessera::test
