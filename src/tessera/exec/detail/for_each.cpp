#include <tessera/exec/for_each.h>

#include <tessera/exec/detail/host/parallel.h>

namespace tessera::detail {

void run_shares(int threads, std::size_t n, const std::function<void(std::size_t, std::size_t)>& share) {
  host::for_each_share(threads, n, [&](host::Range range) { share(range.begin, range.end); });
}

}  // namespace tessera::detail
