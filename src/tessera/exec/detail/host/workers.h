// The threads behind every parallel loop of the host, and how they wait.
//
// The threads belong to the process and sleep when there is nothing to do: a loop that waits actively takes
// the core from whoever else wants it, and a small loop on a busy machine then takes many times as long as on
// one thread. A thread waits actively only for about as long as it takes to wake it.
#pragma once

#include <atomic>
#include <concepts>

namespace tessera::detail::host {

/// Calls call(context, worker) for worker in [0, workers) and waits for all of them. The calling thread and
/// the threads that are free claim workers one after the other, in ascending order, so everything is done
/// even if no other thread gets a core or can be started. A claimed worker is always being run. If some
/// threw, the exception of the lowest one is thrown on. May be called from anywhere, from inside a worker
/// too.
void run_claimed(int workers, void (*call)(void* context, int worker), void* context);

/// A moment of active waiting that leaves the core's resources to its other thread.
inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits for is_done() actively, for some 30 microseconds at most: what it takes to wake a thread. False if
/// that was not enough. (With a tenth of that, loops of a millisecond take 1.1 to 1.9 times as long on 16
/// idle cores; five times as much brings nothing.)
template <std::predicate IsDone>
[[nodiscard]] bool wait_briefly(const IsDone& is_done) {
  constexpr int tries = 1000;
  for (int i = 0; i < tries; ++i) {
    if (is_done()) return true;
    pause_briefly();
  }
  return false;
}

/// Something that happens once, and that other threads wait for.
class Signal {
 public:
  [[nodiscard]] bool is_given() const { return state_.load(std::memory_order_acquire) != 0; }
  void give() {
    state_.store(1);  // sequentially consistent, so that either this sees the sleeper or it sees the value
    state_.notify_all();
  }
  void wait() const {
    if (wait_briefly([&] { return is_given(); })) return;
    while (!is_given()) state_.wait(0);
  }
  void reset() { state_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<int> state_{0};  // of the size that the kernel waits for directly
};

}  // namespace tessera::detail::host
