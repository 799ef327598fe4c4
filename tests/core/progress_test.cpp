#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/progress.h>

namespace tessera {
namespace {

TEST(Monitor, DefaultListensToNobody) {
  const Monitor monitor;
  EXPECT_NO_THROW(monitor.update("working", 0.5));
  EXPECT_FALSE(monitor.is_stopped());
}

TEST(Monitor, ReportsThenStops) {
  std::stop_source source;
  std::vector<std::string> seen;
  const Monitor monitor{[&](std::string_view stage, double fraction) {
                          seen.push_back(std::string(stage) + " " + std::to_string(fraction));
                        },
                        source.get_token()};
  monitor.update("reading", 0.25);
  source.request_stop();
  try {
    monitor.update("sorting", 0.75);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
    EXPECT_STREQ(error.what(), "stopped on request while sorting");
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"reading 0.250000", "sorting 0.750000"}));
}

TEST(ErrorCode, EveryCodeHasAName) {
  for (const ErrorCode code :
       {ErrorCode::bad_option, ErrorCode::not_found, ErrorCode::bad_file, ErrorCode::bad_mesh,
        ErrorCode::unsupported, ErrorCode::write_failed, ErrorCode::out_of_memory, ErrorCode::device_failed,
        ErrorCode::out_of_device_memory, ErrorCode::cancelled}) {
    EXPECT_NE(to_string(code), "unknown");
  }
}

}  // namespace
}  // namespace tessera
