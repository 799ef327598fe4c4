// A line on the terminal that says how far the work is and how long it will still take.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tessera::cli {

/// Draws on stderr, and only where somebody looks at it: `is_shown` is false unless stderr is a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(bool is_shown) : is_shown_(is_shown) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  /// True if stderr is a terminal that understands how to erase a line.
  [[nodiscard]] static bool is_wanted();

  void update(std::string_view stage, double fraction);
  /// Takes the line away, so that other text can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_shown_;
  bool is_drawn_ = false;
  std::string stage_;
  Clock::time_point stage_start_;
  Clock::time_point last_drawn_;
};

/// The line for `elapsed` seconds into a stage: "reading engine.vtu  [########            ]  41%  0:07 left".
[[nodiscard]] std::string progress_line(std::string_view stage, double fraction, double elapsed);

}  // namespace tessera::cli
