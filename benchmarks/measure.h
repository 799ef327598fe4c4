// The benchmarks' one tool: run variants in turn, print one JSON line a measurement.
//
// Variants of a comparison are interleaved (a b c, a b c, ...), because machines drift: a ratio of two
// medians from one run means something, two absolute times from two runs do not.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/memory.h>

namespace tessera::bench {

/// One way to do the work. `run` does it once and returns a checksum of the result; the time of `prepare`
/// (fresh input, say) is not counted.
struct Variant {
  std::string name;
  std::function<std::uint64_t()> run;
  std::function<void()> prepare = [] {};
  /// If there is one, it gives the checksum instead, when the clock has stopped.
  std::function<std::uint64_t()> checksum = {};
};

struct Setup {
  std::string question;     ///< what the benchmark asks: "radix_sort"
  std::string input;        ///< "50000000 keys"
  std::uint64_t items = 0;  ///< how many elements the work is done on
  std::uint64_t bytes = 0;  ///< the fewest bytes the work must move
  std::string device = "cpu";
  int threads = 1;
  int repeats = 7;
};

struct Timing {
  std::string name;
  double median = 0, fastest = 0, slowest = 0;  ///< seconds
  double cpu = 0;  ///< seconds of all threads together, the least of all rounds: what others do to a machine
                   ///< hardly shows
  std::uint64_t checksum = 0;
};

inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// From here on the peak memory is that of what follows (and of what is held now); where the system cannot
/// do that nothing happens.
inline void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

/// Prints one measurement as a JSON line.
inline void print(const Setup& setup, const Timing& t) {
  std::printf(
      "{\"question\":\"%s\",\"variant\":\"%s\",\"input\":\"%s\",\"items\":%llu,\"device\":\"%s\",\"threads\":"
      "%d,"
      "\"repeats\":%d,\"seconds\":%.6g,\"fastest\":%.6g,\"slowest\":%.6g,\"cpu_seconds\":%.6g,\"bytes\":%llu,"
      "\"bytes_per_second\":"
      "%.4g,"
      "\"peak_bytes\":%llu,\"checksum\":\"%016llx\"}\n",
      setup.question.c_str(), t.name.c_str(), setup.input.c_str(),
      static_cast<unsigned long long>(setup.items), setup.device.c_str(), setup.threads, setup.repeats,
      t.median, t.fastest, t.slowest, t.cpu, static_cast<unsigned long long>(setup.bytes),
      static_cast<double>(setup.bytes) / t.median, static_cast<unsigned long long>(peak_resident_bytes()),
      static_cast<unsigned long long>(t.checksum));
  std::fflush(stdout);
}

/// After so many seconds a comparison ends, but not before so many rounds.
inline constexpr double patience = 20;
inline constexpr int fewest_rounds = 3;

/// Runs every variant once to warm up, then `repeats` rounds of all of them in turn, or fewer if they are
/// long, and prints a line for each.
inline std::vector<Timing> compare(Setup setup, const std::vector<Variant>& variants) {
  std::vector<std::vector<double>> times(variants.size());
  std::vector<Timing> result(variants.size());
  const auto start = std::chrono::steady_clock::now();
  const auto seconds_so_far = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  int round = -1;
  for (; round < setup.repeats && (round < fewest_rounds || seconds_so_far() < patience); ++round) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      variants[i].prepare();
      const std::clock_t cpu = std::clock();
      const double seconds = seconds_of([&] { result[i].checksum = variants[i].run(); });
      const double cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
      if (round <= 0 || cpu_seconds < result[i].cpu) result[i].cpu = cpu_seconds;
      if (variants[i].checksum) result[i].checksum = variants[i].checksum();
      if (round >= 0) times[i].push_back(seconds);
    }
  }
  setup.repeats = round;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    std::sort(times[i].begin(), times[i].end());
    result[i].name = variants[i].name;
    result[i].median = times[i][times[i].size() / 2];
    result[i].fastest = times[i].front();
    result[i].slowest = times[i].back();
    print(setup, result[i]);
  }
  return result;
}

/// A variant that times `make` and checks its counts when the clock has stopped.
template <class Make, class Check>
Variant variant(std::string name, Make make, Check check) {
  const auto made = std::make_shared<std::optional<std::invoke_result_t<Make>>>();
  return {.name = std::move(name),
          .run =
              [=] {
                made->emplace(make());
                return std::uint64_t{0};
              },
          .prepare = [=] { made->reset(); },
          .checksum = [=] { return check(**made); }};
}

/// `--smoke` asks for sizes that finish in a second or two: CI runs every benchmark that way.
inline bool is_smoke(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* a) { return std::strcmp(a, "--smoke") == 0; });
}

/// The first argument that is a number: how many threads; otherwise 0, all.
inline int threads_argument(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::atoi(argv[i]) > 0) return std::atoi(argv[i]);
  }
  return 0;
}

/// Whether a part of a benchmark is to run: if it is named, or nothing is.
inline bool is_asked(int argc, char** argv, std::string_view name) {
  bool names = false;
  for (int i = 1; i < argc; ++i) {
    if (name == argv[i]) return true;
    names = names || (std::atoi(argv[i]) == 0 && argv[i][0] != '-');
  }
  return !names;
}

}  // namespace tessera::bench
