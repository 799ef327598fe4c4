// A monitor that keeps what it hears, and that can ask for a stop.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/progress.h>

namespace tessera::test {

class RecordedMonitor {
 public:
  /// Stops at the first report of this stage that is above `from`; an empty name: never.
  explicit RecordedMonitor(std::string_view stage = "", double from = -1) {
    monitor_.stop = source_.get_token();
    monitor_.report = [this, stage = std::string(stage), from](std::string_view name, double fraction) {
      heard_[std::string(name)].push_back(fraction);
      if (name == stage && fraction > from) source_.request_stop();
    };
  }
  RecordedMonitor(const RecordedMonitor&) = delete;
  RecordedMonitor& operator=(const RecordedMonitor&) = delete;

  [[nodiscard]] const Monitor* get() const { return &monitor_; }
  [[nodiscard]] const std::map<std::string, std::vector<double>>& heard() const { return heard_; }

  /// Fractions of the stage never fall, lie within [0, 1], end at 1, and `between` of them at least are
  /// neither 0 nor 1.
  void expect_progress(const std::string& stage, std::size_t between) const {
    ASSERT_TRUE(heard_.contains(stage)) << stage;
    double last = 0;
    std::size_t found = 0;
    for (const double fraction : heard_.at(stage)) {
      EXPECT_GE(fraction, last) << stage;
      EXPECT_LE(fraction, 1) << stage;
      found += fraction > last && fraction < 1 ? 1 : 0;
      last = fraction;
    }
    EXPECT_EQ(last, 1) << stage;
    EXPECT_GE(found, between) << stage;
  }

 private:
  std::stop_source source_;
  std::map<std::string, std::vector<double>> heard_;
  Monitor monitor_;
};

/// Is the work that gets a monitor ended by Error(cancelled) once `stage` is past `from`?
template <class Work>
void expect_cancelled(std::string_view stage, double from, const Work& work) {
  const RecordedMonitor recorded(stage, from);
  try {
    work(recorded.get());
    ADD_FAILURE() << "not cancelled: " << stage;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled) << error.what();
    EXPECT_NE(std::string(error.what()).find(stage), std::string::npos) << error.what();
  }
}

}  // namespace tessera::test
