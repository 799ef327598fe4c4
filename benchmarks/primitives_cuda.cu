// Do the device primitives cost more than calling CUB directly?
//   build/release/benchmarks/primitives_cuda [--smoke]
#include <cub/cub.cuh>

#include <vector>

#include <tessera/core/hash.h>
#include <tessera/core/random.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/exec/cuda.cuh>
#include <tessera/exec/for_each.cuh>

#include "measure.h"

namespace tessera::bench {

using namespace detail;

/// Fills keys and values with the same pseudo-random data every time.
void fill(const Exec& exec, Buffer<uint64_t>& keys, Buffer<uint32_t>& values) {
  uint64_t* k = keys.data();
  uint32_t* v = values.data();
  for_each(
      exec, keys.size(), TS_LAMBDA(std::size_t i) {
        k[i] = splitmix64(i);
        v[i] = static_cast<uint32_t>(i);
      });
  synchronize(exec);
}

struct Cub {
  Buffer<char> space;
  std::size_t bytes = 0;

  template <class Call>
  void operator()(const Exec& exec, const Call& call) {
    if (space.empty()) {
      check_cuda(exec, call(nullptr, bytes), "sizing");
      space = Buffer<char>(exec, bytes);
    }
    check_cuda(exec, call(space.data(), bytes), "working");
    synchronize(exec);
  }
};

void measure(const Exec& exec, std::size_t n, int repeats) {
  Buffer<uint64_t> keys(exec, n), other_keys(exec, n);
  Buffer<uint32_t> values(exec, n), other_values(exec, n), out(exec, n);
  Buffer<uint64_t> count(exec, 1);
  fill(exec, keys, values);
  const auto setup = [&](const char* question, std::size_t bytes) {
    return Setup{.question = question,
                 .input = std::to_string(n) + " elements",
                 .items = n,
                 .bytes = bytes,
                 .device = exec.description(),
                 .repeats = repeats};
  };
  Cub scan, sort, sum, runs;
  compare(setup("device copy", 8 * n), {{"cudaMemcpyAsync", [&] {
                                           check_cuda(
                                               exec,
                                               cudaMemcpyAsync(out.data(), values.data(), 4 * n,
                                                               cudaMemcpyDeviceToDevice, cuda_stream(exec)),
                                               "copying");
                                           synchronize(exec);
                                           return uint64_t{0};
                                         }}});
  compare(setup("exclusive_scan", 8 * n),
          {{"cub",
            [&] {
              scan(exec, [&](void* s, std::size_t& b) {
                return cub::DeviceScan::ExclusiveSum(s, b, values.data(), out.data(), n, cuda_stream(exec));
              });
              return hash_values(out.to_host(1000));
            }},
           {"tessera", [&] {
              exclusive_scan<uint32_t, uint32_t>(exec, values.span(), out.span());
              synchronize(exec);
              return hash_values(out.to_host(1000));
            }}});
  compare(setup("reduce_sum", 4 * n),
          {{"cub",
            [&] {
              sum(exec, [&](void* s, std::size_t& b) {
                return cub::DeviceReduce::Sum(s, b, values.data(), out.data(), n, cuda_stream(exec));
              });
              return uint64_t{out.to_host(1)[0]};
            }},
           {"tessera", [&] { return uint64_t{reduce_sum<uint32_t>(exec, values.span())}; }}});
  const auto refill = [&] { fill(exec, keys, values); };
  compare(setup("sort_pairs", 24 * n), {{"cub",
                                         [&] {
                                           cub::DoubleBuffer<uint64_t> k(keys.data(), other_keys.data());
                                           cub::DoubleBuffer<uint32_t> v(values.data(), other_values.data());
                                           sort(exec, [&](void* s, std::size_t& b) {
                                             return cub::DeviceRadixSort::SortPairs(s, b, k, v, n, 0, 64,
                                                                                    cuda_stream(exec));
                                           });
                                           return hash_values(keys.to_host(1000));
                                         },
                                         refill},
                                        {"tessera",
                                         [&] {
                                           sort_pairs<uint64_t, uint32_t>(exec, keys.span(), values.span());
                                           synchronize(exec);
                                           return hash_values(keys.to_host(1000));
                                         },
                                         refill}});
  compare(setup("unique", 16 * n),
          {{"cub",
            [&] {
              runs(exec, [&](void* s, std::size_t& b) {
                return cub::DeviceSelect::Unique(s, b, keys.data(), other_keys.data(), count.data(),
                                                 static_cast<int64_t>(n), cuda_stream(exec));
              });
              return count.to_host()[0];
            }},
           {"tessera", [&] { return uint64_t{unique<uint64_t>(exec, keys.span(), other_keys.span())}; }}});
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  if (devices().empty()) {
    std::printf("{\"question\":\"primitives_cuda\",\"skipped\":\"%s\"}\n", no_device_reason().c_str());
    return 0;
  }
  const bool smoke = bench::is_smoke(argc, argv);
  bench::measure(Exec::cuda(), smoke ? 1 << 20 : 100'000'000, smoke ? 3 : 21);
}
