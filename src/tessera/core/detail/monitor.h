// The monitor of an operation whose caller may have none.
#pragma once

#include <cstddef>
#include <string_view>

#include <tessera/core/progress.h>

namespace tessera::detail {

/// The caller's monitor, or one that listens to nobody: inside the library a monitor is never null.
[[nodiscard]] inline const Monitor& monitor_of(const Monitor* monitor) {
  static const Monitor silent;
  return monitor == nullptr ? silent : *monitor;
}

/// Looks at a monitor now and then, in loops of one thread whose steps are short.
class StopCheck {
 public:
  StopCheck(const Monitor& monitor, std::string_view stage, double fraction)
      : monitor_(monitor), stage_(stage), fraction_(fraction) {}
  /// One step. Error(cancelled) if a stop was asked for.
  void operator()() {
    if (++steps_ % (1 << 14) == 0 && monitor_.is_stopped()) monitor_.update(stage_, fraction_);
  }

 private:
  const Monitor& monitor_;
  std::string_view stage_;
  double fraction_;
  std::size_t steps_ = 0;
};

}  // namespace tessera::detail
