// Ctrl-C, TERM and HUP: exit code 130 and no file, whenever they come.
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

class CliInterrupt : public ProgramTest {
 protected:
  /// Work that takes many seconds, most of it before and during the writing of a large file.
  static Arguments long_work() {
    return {"make", "kuhn", "--size", "160", "--field", "rough", "--ascii", "-o", "m.vtu"};
  }

  bool wait_for_temporary() const {
    for (int i = 0; i < 1200 && files().empty(); ++i) std::this_thread::sleep_for(50ms);
    return !files().empty();
  }
};

TEST_F(CliInterrupt, DuringTheWork) {
  const pid_t child = start(long_work());
  std::this_thread::sleep_for(300ms);
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_TRUE(files().empty());
}

TEST_F(CliInterrupt, WhileWriting) {
  for (const int signal : {SIGINT, SIGHUP}) {
    const pid_t child = start(long_work());
    ASSERT_TRUE(wait_for_temporary());
    kill(child, signal);
    EXPECT_EQ(wait_for(child), 130) << signal;
    EXPECT_TRUE(files().empty()) << signal;
  }
}

TEST_F(CliInterrupt, TwiceEndsAtOnce) {
  const pid_t child = start(long_work());
  std::this_thread::sleep_for(300ms);
  kill(child, SIGINT);
  std::this_thread::sleep_for(50ms);
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_TRUE(files().empty());
}

TEST_F(CliInterrupt, TwiceWhileWritingRemovesTheTemporary) {
  const pid_t child = start(long_work());
  ASSERT_TRUE(wait_for_temporary());
  kill(child, SIGTERM);
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_TRUE(files().empty());
}

TEST_F(CliInterrupt, DuringTopology) {
  ASSERT_EQ(run({"make", "kuhn", "--size", "96", "--field", "rough", "-o", "m.vtu"}).code, 0);
  for (const auto after : {60ms, 300ms, 900ms}) {
    const pid_t child = start({"morse-smale", "m.vtu", "--walls", "w.vtp", "-o", "s.vtu", "--ascii"});
    std::this_thread::sleep_for(after);
    kill(child, SIGINT);
    const int code = wait_for(child);
    EXPECT_TRUE(code == 130 || after != 60ms) << code;
    // Several files are written one after the other; those that are there are complete.
    for (const std::string& name : files()) EXPECT_FALSE(name.starts_with(".")) << name;
    EXPECT_EQ(std::filesystem::exists(path("s.vtu")), code == 0);
  }
}

TEST_F(CliInterrupt, AnOlderFileStays) {
  write("m.vtu", "old");
  const pid_t child = start(long_work());
  std::this_thread::sleep_for(300ms);
  kill(child, SIGTERM);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_EQ(read("m.vtu"), "old");
  EXPECT_EQ(files(), std::vector<std::string>{"m.vtu"});
}

}  // namespace
}  // namespace tessera::test
