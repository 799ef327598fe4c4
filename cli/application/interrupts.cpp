#include "application/interrupts.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include <tessera/core/error.h>

#include "application/cleanup.h"

namespace tessera::cli {
namespace {

/// SIGUSR1 is how the destructor wakes the waiting thread.
sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals, number);
  return signals;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader that left, as in `tessera info big.vtu | head -1`, is not a reason to lose the rest of the work.
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = std::jthread([this](const std::stop_token& ending) { wait_for_signals(ending); });
}

Interrupts::~Interrupts() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), SIGUSR1);
}

void Interrupts::wait_for_signals(const std::stop_token& ending) {
  const sigset_t signals = watched_signals();
  while (true) {
    int number = 0;
    if (sigwait(&signals, &number) != 0 || ending.stop_requested()) return;
    if (number == SIGUSR1) continue;
    if (work_.stop_requested()) {
      clean_up_now();
      _exit(static_cast<int>(ErrorCode::cancelled));
    }
    work_.request_stop();
  }
}

}  // namespace tessera::cli
