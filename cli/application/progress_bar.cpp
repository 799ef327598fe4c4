#include "application/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tessera::cli {
namespace {

constexpr int bar_width = 24;
constexpr auto redraw_interval = std::chrono::milliseconds(100);
/// A stage that is over sooner than this never draws, so quick commands do not flicker.
constexpr auto patience = std::chrono::milliseconds(300);

std::string time_left(double fraction, double elapsed) {
  // Too early, the estimate jumps about more than it tells.
  if (fraction < 0.02 || elapsed < 0.5) return "";
  const auto left = static_cast<long>(elapsed * (1 - fraction) / fraction + 0.5);
  if (left >= 3600) return fmt::format("  {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60);
  return fmt::format("  {}:{:02} left", left / 60, left % 60);
}

}  // namespace

bool ProgressBar::is_wanted() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string progress_line(std::string_view stage, double fraction, double elapsed) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(fraction * bar_width);
  return fmt::format("{}  [{:#<{}}{: <{}}] {:3.0f}%{}", stage, "", filled, "", bar_width - filled,
                     100 * fraction, time_left(fraction, elapsed));
}

void ProgressBar::update(std::string_view stage, double fraction) {
  if (!is_shown_) return;
  const Clock::time_point now = Clock::now();
  if (stage != stage_) {
    stage_ = stage;
    stage_start_ = now;
  }
  if (now - stage_start_ < patience || now - last_drawn_ < redraw_interval) return;
  last_drawn_ = now;
  is_drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - stage_start_).count();
  fmt::print(stderr, "\r{}\x1b[K", progress_line(stage, fraction, elapsed));
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!is_drawn_) return;
  is_drawn_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace tessera::cli
