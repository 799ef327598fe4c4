#include <tessera/exec/for_each.h>

#include <algorithm>
#include <chrono>

#include <tessera/exec/detail/host/parallel.h>

namespace tessera::detail {
namespace {

using Share = std::function<void(std::size_t, std::size_t)>;
using Seconds = std::chrono::duration<double>;

/// A thread that is woken for less does not pay.
constexpr Seconds least_work = std::chrono::microseconds(25);

struct Beginning {
  std::size_t done = 0;
  Seconds left{};  ///< of one thread, for the rest
};

/// Does the first few of n elements, to learn what the others take.
Beginning try_alone(std::size_t n, const Share& share) {
  constexpr Seconds enough = least_work / 5;
  Beginning beginning;
  Seconds taken{};
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t size = 32; beginning.done < n && taken < enough; size *= 4) {
    const std::size_t end = std::min(n, beginning.done + size);
    share(beginning.done, end);
    beginning.done = end;
    taken = std::chrono::steady_clock::now() - start;
  }
  beginning.left = taken * (static_cast<double>(n - beginning.done) / static_cast<double>(beginning.done));
  return beginning;
}

}  // namespace

void run_shares(int threads, std::size_t n, const Share& share) {
  constexpr std::size_t few = 256;        // whatever is done with them, it is rarely worth a thread
  constexpr std::size_t many = 1 << 20;   // worth all threads even if an element takes a nanosecond
  constexpr std::size_t shares_each = 4;  // a thread that gets half a core does half as many
  if (threads <= 1 || n < few) return share(0, n);
  std::size_t done = 0;
  if (n < many) {
    const Beginning beginning = try_alone(n, share);
    done = beginning.done;
    if (done == n) return;
    const double useful = std::min<double>(threads, beginning.left / least_work);
    threads = std::max(1, static_cast<int>(useful));
    if (threads == 1) return share(done, n);
  }
  const std::size_t shares = shares_each * static_cast<std::size_t>(threads);
  host::for_each_chunk(threads, n - done, (n - done + shares - 1) / shares,
                       [&](host::Range range, int) { share(done + range.begin, done + range.end); });
}

}  // namespace tessera::detail
