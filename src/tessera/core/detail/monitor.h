// The monitor of an operation whose caller may have none.
#pragma once

#include <tessera/core/progress.h>

namespace tessera::detail {

/// The caller's monitor, or one that listens to nobody: inside the library a monitor is never null.
[[nodiscard]] inline const Monitor& monitor_of(const Monitor* monitor) {
  static const Monitor silent;
  return monitor == nullptr ? silent : *monitor;
}

}  // namespace tessera::detail
