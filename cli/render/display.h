// A place to draw on without a screen. Debian's VTK draws through an X server only, so one is borrowed or
// started.
#pragma once

#include <stop_token>

#include "application/cleanup.h"

namespace tessera::cli {

/// Makes DISPLAY name an X server with OpenGL for as long as it lives: the user's own if it answers, else a
/// private Xvfb. Error(unsupported) says what to install if there is neither, Error(out_of_memory) that
/// drawing cannot have the address space it takes.
class Display {
 public:
  explicit Display(const std::stop_token& stop);

  /// True if an Xvfb was started.
  [[nodiscard]] bool is_private() const { return server_.pid() != 0; }

 private:
  ChildProcess server_;
};

}  // namespace tessera::cli
