// How fast are the host primitives, next to the machine's copy and to libstdc++'s parallel sort?
//   build/release/benchmarks/primitives [--smoke] [threads]
#include <algorithm>
#include <cstring>
#include <parallel/algorithm>
#include <utility>
#include <vector>

#include <omp.h>

#include <tessera/core/hash.h>
#include <tessera/core/random.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>

#include "measure.h"

namespace tessera::bench {

using namespace detail;
namespace {

void measure_scan(const Exec& exec, std::size_t n) {
  Buffer<uint32_t> in(exec, n);
  Buffer<uint32_t> out(exec, n);
  host_for_each(exec, n, [&](std::size_t i) { in.data()[i] = static_cast<uint32_t>(splitmix64(i) % 8); });
  const Setup setup = {.question = "exclusive_scan",
                       .input = std::to_string(n) + " uint32",
                       .items = n,
                       .bytes = 8 * n,
                       .threads = exec.threads()};
  compare(setup, {{"copy",
                   [&] {
                     host::for_each_share(exec.threads(), n, [&](host::Range r) {
                       std::memcpy(out.data() + r.begin, in.data() + r.begin, 4 * r.size());
                     });
                     return hash_values(out.span().first(1000));
                   }},
                  {"tessera", [&] {
                     exclusive_scan<uint32_t, uint32_t>(exec, in.span(), out.span());
                     return hash_values(out.span().first(1000));
                   }}});
}

void measure_sort(const Exec& exec, std::size_t n) {
  using Pair = std::pair<uint64_t, uint32_t>;
  std::vector<Pair> pairs(n);
  Buffer<uint64_t> keys(exec, n);
  Buffer<uint32_t> values(exec, n);
  const auto key = [](std::size_t i) { return splitmix64(i); };
  const Setup setup = {.question = "sort_pairs",
                       .input = std::to_string(n) + " uint64 keys with uint32 values",
                       .items = n,
                       .bytes = 24 * n,
                       .threads = exec.threads(),
                       .repeats = 3};
  omp_set_num_threads(exec.threads());
  const std::vector<Variant> variants = {
      {"libstdc++ parallel mode",
       [&] {
         __gnu_parallel::sort(pairs.begin(), pairs.end());
         return pairs[n / 2].first;
       },
       [&] {
         host_for_each(exec, n, [&](std::size_t i) { pairs[i] = {key(i), static_cast<uint32_t>(i)}; });
       }},
      {"tessera",
       [&] {
         sort_pairs<uint64_t, uint32_t>(exec, keys.span(), values.span());
         return keys.data()[n / 2];
       },
       [&] {
         host_for_each(exec, n, [&](std::size_t i) {
           keys.data()[i] = key(i);
           values.data()[i] = static_cast<uint32_t>(i);
         });
       }}};
  const auto timings = compare(setup, variants);
  if (timings[0].checksum != timings[1].checksum)
    std::fprintf(stderr, "sort_pairs: the results differ\n"), std::exit(1);
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  const bool smoke = bench::is_smoke(argc, argv);
  const Exec exec = Exec::host(bench::threads_argument(argc, argv));
  bench::measure_scan(exec, smoke ? 1 << 20 : 100'000'000);
  bench::measure_sort(exec, smoke ? 1 << 20 : 50'000'000);
}
