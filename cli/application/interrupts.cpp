#include "application/interrupts.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>
#include <system_error>

#include <tessera/core/error.h>

#include "application/cleanup.h"

namespace tessera::cli {
namespace {

/// SIGUSR1 is how the destructor wakes the waiting thread.
sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals, number);
  struct sigaction on_hangup = {};
  sigaction(SIGHUP, nullptr, &on_hangup);
  if (on_hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);  // nohup has it ignored
  return signals;
}

/// For work that does not look whether it should stop, or not often enough.
[[noreturn]] void end_now() {
  clean_up_now();
  constexpr std::string_view sentence = "tessera: stopped on request\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, sentence.data(), sentence.size());
  _exit(static_cast<int>(ErrorCode::cancelled));
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader that left, as in `tessera info big.vtu | head -1`, is not a reason to lose the rest of the work.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond a limit on file sizes then fails as on a full disk
  try {
    thread_ = std::jthread([this](const std::stop_token& ending) { wait_for_signals(ending); });
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::out_of_memory, std::string("the system allows no thread to watch for Ctrl-C (") +
                                              error.code().message() +
                                              "); allow more processes or more memory");
  }
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
    work_.request_stop();
    const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(800);
    int next = SIGUSR1;
    while (next == SIGUSR1 || (next < 0 && std::chrono::steady_clock::now() < patience)) {
      constexpr timespec moment = {0, 50'000'000};
      next = sigtimedwait(&signals, nullptr, &moment);
      if (ending.stop_requested()) return;
    }
    end_now();  // a second signal, or none and the work goes on
  }
}

}  // namespace tessera::cli
