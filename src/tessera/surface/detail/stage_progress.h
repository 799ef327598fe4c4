// How far an iteration has come, for monitors.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include <tessera/core/progress.h>

namespace tessera::detail {

/// How much of its way a residual has fallen from `start` to `end`, by its logarithm, between 0 and 1.
[[nodiscard]] inline double share_fallen(double residual, double start, double end) {
  if (residual <= end) return 1;
  return residual < start ? std::log(start / residual) / std::log(start / end) : 0;
}

/// Reports a part of a stage, which never goes back: residuals may rise for a while.
class StageProgress {
 public:
  /// The part of the stage from `begin` to `end`.
  StageProgress(const Monitor& monitor, std::string_view stage, double begin = 0, double end = 1)
      : monitor_(&monitor), stage_(stage), begin_(begin), end_(end) {}

  /// Of the part, `done` is done. Error(cancelled) if the monitor is stopped.
  void update(double done) {
    done_ = std::max(done_, done);
    monitor_->update(stage_, begin_ + (end_ - begin_) * done_);
  }

 private:
  const Monitor* monitor_;
  std::string_view stage_;
  double begin_;
  double end_;
  double done_ = 0;
};

}  // namespace tessera::detail
