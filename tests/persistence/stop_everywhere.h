// Work that is asked to stop at each of its reports, one after the other.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include <tessera/core/error.h>
#include <tessera/core/progress.h>

namespace tessera::test {

/// Expects work(monitor) to report at least so often, to go forward and to end with Error(cancelled).
template <class Work>
void stop_everywhere(const Work& work, int at_least) {
  int reports = 0;
  for (int stop_at = 0; stop_at <= reports; ++stop_at) {
    std::stop_source source;
    int seen = 0;
    double last = 0;
    std::string stage;
    const Monitor monitor{[&](std::string_view name, double fraction) {
                            if (name != stage) last = 0;
                            stage = name;
                            EXPECT_GE(fraction, last) << name;
                            EXPECT_LE(fraction, 1);
                            last = fraction;
                            if (++seen == stop_at) source.request_stop();
                          },
                          source.get_token()};
    if (stop_at == 0) {
      work(&monitor);
      reports = seen;
      continue;
    }
    try {
      work(&monitor);
      ADD_FAILURE() << "not stopped at report " << stop_at;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
  }
  EXPECT_GE(reports, at_least);
}

/// Asks to stop at some time, so that workers see it too: the work is done or cancelled, nothing else.
template <class Work>
void stop_at_some_time(const Work& work) {
  for (int i = 0; i < 20; ++i) {
    std::stop_source source;
    const Monitor monitor{{}, source.get_token()};
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(200 * i));
      source.request_stop();
    });
    try {
      work(&monitor);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
  }
}

}  // namespace tessera::test
