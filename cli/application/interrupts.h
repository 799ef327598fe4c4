// Ctrl-C: the first asks the work to stop, the second ends the program at once. Either way no half-written
// file stays.
#pragma once

#include <stop_token>
#include <thread>

namespace tessera::cli {

/// Waits for SIGINT and SIGTERM in a thread of its own, where, unlike in a signal handler, a stop may be
/// requested and files removed. Make it before any other thread, which then inherits the blocked signals.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  [[nodiscard]] std::stop_token token() const { return work_.get_token(); }

 private:
  void wait_for_signals(const std::stop_token& ending);

  std::stop_source work_;
  std::jthread thread_;
};

}  // namespace tessera::cli
