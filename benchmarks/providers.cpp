// Which provider of connectivity is fastest under the same algorithm?
//   build/release/benchmarks/providers [--smoke] [n] [threads] [store MiB] [part]
//
// Parts, all of them if none is named; each ends with its table:
//   algorithms  critical points, gradient, Morse-Smale complex of a Kuhn mesh with a rough field, and a plain
//               traversal of eight relations: time and memory with every provider
//   consumers   the same for 1, 2, 4, ... consumers
//   breakdown   where the time of each consumer goes with a device that makes rows
//   sweep       tiles a batch, tiles ahead and threads a tile of such a device
//   windows     a device that has room for a part of the mesh only
//
// The same number of threads computes in all of them: all consumers, or half of them helpers that work ahead.
// Tiling and preparation are included. With a device the mesh is tiled there.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include <tessera/connect/detail/connect_tiled.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/mesh/make.h>
#include <tessera/topology/morse_smale.h>

#include "measure.h"

namespace {

using namespace tessera;
using namespace tessera::detail;

enum class Maker { push, materialized, consumers, helpers, device, on_device };

/// A way to get at connectivity.
struct Provider {
  std::string name;
  Maker maker = Maker::push;
  int threads = 1;  ///< consumers and helpers
  ConnectOptions device = {};

  [[nodiscard]] bool uses_device() const { return maker == Maker::device || maker == Maker::on_device; }
  [[nodiscard]] int helpers() const { return maker == Maker::helpers ? std::max(threads / 2, 1) : 0; }
  [[nodiscard]] int consumers() const { return std::max(threads - helpers(), 1); }
};

struct Input {
  TetMesh mesh;
  Field field;
  Bytes store;
};

/// What a device did in the last run, by relation.
std::map<std::string, DeviceReport> last_reports;

ConnectOptions options_of(const Provider& provider, Bytes store) {
  ConnectOptions options = provider.device;
  options.mode =
      provider.maker == Maker::materialized ? StorageMode::materialized : StorageMode::explicit_tiles;
  options.memory = provider.maker == Maker::materialized ? gib(64) : store;
  options.producers = provider.helpers();
  options.exec = provider.maker == Maker::device ? Exec::cuda(0, provider.consumers())
                                                 : Exec::host(provider.consumers());
  return options;
}

TiledMesh<3> cut(const Input& input, const Provider& provider) {
  // A device with a budget of its own gets the mesh in windows; otherwise it has cut it itself.
  const bool there = provider.uses_device() && provider.device.device_memory == 0;
  return tile(input.mesh, {.exec = there ? Exec::cuda(0, provider.threads) : Exec::host(provider.threads)});
}

using Stars = StarStore<3>;

/// Runs an analysis, run(tiles, exec, stars), with the provider's stars, null if it pushes.
template <class F>
std::uint64_t analyse(const Input& input, const Provider& provider, const F& run) {
  const TiledMesh<3> tiles = cut(input, provider);
  if (provider.maker == Maker::push || provider.maker == Maker::on_device) {
    const Exec exec = provider.uses_device() ? Exec::cuda(0, provider.threads) : Exec::host(provider.threads);
    return run(tiles, exec, static_cast<const Stars*>(nullptr));
  }
  const Stars stars(tiles, options_of(provider, input.store));
  const std::uint64_t checksum = run(tiles, Exec::host(provider.consumers()), &stars);
  last_reports = {{"VT", stars.device_report()}};
  return checksum;
}

/// Adds up all entries of a relation.
template <class R>
std::uint64_t traverse(const Rows<R, 3>& rows, int threads) {
  std::atomic<std::uint64_t> sum{0};
  const std::size_t chunk =
      std::max<std::size_t>(8192, rows.size() / (4 * static_cast<std::size_t>(threads)));
  host::for_each_chunk(threads, rows.size(), chunk, [&](host::Range range, int) {
    auto reader = rows.reader();
    std::uint64_t own = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      for (const auto id : reader[typename R::Row(static_cast<std::uint32_t>(i))])
        own += id.index() * (i + 1);
    }
    sum += own;
  });
  return sum;
}

std::uint64_t traverse_all(const Input& input, const Provider& provider) {
  const TiledMesh<3> tiles = cut(input, provider);
  const Bytes enumeration = 88 * input.mesh.cell_count();  // at the peak of its making
  auto conn = detail::connect_tiled(tiles, options_of(provider, input.store + enumeration));
  std::uint64_t sum = 0;
  last_reports.clear();
  const auto one = [&]<class Q>(Q, const char* name) {
    const auto [rows] = conn.request<Q>();
    sum += traverse(rows, provider.consumers());
    last_reports[name] = rows.device_report();
  };
  one(VV{}, "VV"), one(VE{}, "VE"), one(VF{}, "VF"), one(VT{}, "VT");
  one(EF{}, "EF"), one(ET{}, "ET"), one(FT{}, "FT"), one(TT{}, "TT");
  return sum;
}

struct Algorithm {
  std::string name;
  std::function<std::uint64_t(const Provider&)> run;
  bool is_analysis = true;
};

std::vector<Algorithm> algorithms(const Input& input) {
  const auto analysis = [&input](const std::string& name, const auto& run) {
    return Algorithm{name, [&input, run](const Provider& provider) { return analyse(input, provider, run); }};
  };
  return {
      analysis("critical points",
               [&](const TiledMesh<3>& tiles, const Exec& exec, const Stars* stars) {
                 return std::uint64_t{
                     critical_points(tiles, input.field, {.exec = exec, .stars = stars}).points.size()};
               }),
      analysis("gradient",
               [&](const TiledMesh<3>& tiles, const Exec& exec, const Stars* stars) {
                 return std::uint64_t{compute_gradient(tiles, input.field, {.exec = exec, .stars = stars})
                                          .critical_cells(1)
                                          .size()};
               }),
      analysis("Morse-Smale complex",
               [&](const TiledMesh<3>& tiles, const Exec& exec, const Stars* stars) {
                 const auto complex = morse_smale(tiles, input.field, {.exec = exec, .stars = stars});
                 return std::uint64_t{complex.separatrices.cells.size()};
               }),
      {"traversal", [&](const Provider& provider) { return traverse_all(input, provider); }, false},
  };
}

std::vector<Provider> providers(int threads) {
  std::vector<Provider> all = {{"push", Maker::push, threads},
                               {"materialized", Maker::materialized, threads},
                               {"inline", Maker::consumers, threads},
                               {"threads", Maker::helpers, threads}};
  if (!devices().empty()) {
    all.push_back({"CUDA producers", Maker::device, threads});
    all.push_back({"on the device", Maker::on_device, threads});
  }
  return all;
}

bool fits(const Algorithm& algorithm, const Provider& provider) {
  return algorithm.is_analysis || (provider.maker != Maker::push && provider.maker != Maker::on_device);
}

/// Times providers in turn under an algorithm.
std::vector<bench::Timing> time_all(const Algorithm& algorithm, const std::vector<Provider>& all,
                                    const Input& input, int repeats) {
  std::vector<bench::Variant> variants;
  for (const Provider& provider : all) {
    variants.push_back({provider.name, [&] { return algorithm.run(provider); }});
  }
  return bench::compare({.question = algorithm.name,
                         .input = std::to_string(input.mesh.cell_count()) + " tets, rough",
                         .items = input.mesh.cell_count(),
                         .bytes = input.mesh.cell_count() * sizeof(TetMesh::Cell),
                         .threads = all.front().threads,
                         .repeats = repeats},
                        variants);
}

/// What a run takes of the host's memory at its peak beyond what is there before, in MiB.
double megabytes_of(const std::function<void()>& run) {
  bench::forget_peak();
  const Bytes before = peak_resident_bytes();
  run();
  return static_cast<double>(peak_resident_bytes() - before) / static_cast<double>(mib(1));
}

void compare_algorithms(const Input& input, int threads, int repeats) {
  std::string table;
  for (const Algorithm& algorithm : algorithms(input)) {
    std::vector<Provider> all;
    for (const Provider& provider : providers(threads)) {
      if (fits(algorithm, provider)) all.push_back(provider);
    }
    const std::vector<bench::Timing> timings = time_all(algorithm, all, input, repeats);
    table += "| " + algorithm.name + " |";
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double memory = megabytes_of([&] { (void)algorithm.run(all[i]); });
      char cell[96];
      std::snprintf(cell, sizeof(cell), " %s %.0f ms (%.0f to %.0f), %.0f MiB |", all[i].name.c_str(),
                    1e3 * timings[i].median, 1e3 * timings[i].fastest, 1e3 * timings[i].slowest, memory);
      table += cell;
    }
    table += "\n";
  }
  std::printf("%s", table.c_str());
}

void compare_consumers(const Input& input, int threads, int repeats) {
  for (const Algorithm& algorithm : algorithms(input)) {
    std::string table;
    for (int consumers = 1; consumers <= threads; consumers *= 2) {
      std::vector<Provider> all = {{"inline", Maker::consumers, consumers}};
      if (consumers > 1) all.push_back({"threads", Maker::helpers, consumers});
      // One consumer may have helpers beside it: the machine's other threads.
      if (consumers == 1 && threads > 1) all.push_back({"a helper beside it", Maker::helpers, 2});
      if (!devices().empty()) all.push_back({"CUDA producers", Maker::device, consumers});
      table += "| " + algorithm.name + " | " + std::to_string(consumers) + " |";
      for (const bench::Timing& timing : time_all(algorithm, all, input, repeats)) {
        table +=
            " " + timing.name + " " + std::to_string(static_cast<int>(1e3 * timing.median + 0.5)) + " ms |";
      }
      table += "\n";
    }
    std::printf("%s", table.c_str());
  }
}

void print_breakdown(const Input& input, int threads) {
  if (devices().empty()) return;
  const Provider provider{"CUDA producers", Maker::device, threads};
  for (const Algorithm& algorithm : algorithms(input)) {
    (void)algorithm.run(provider);
    const double total = bench::seconds_of([&] { (void)algorithm.run(provider); });
    for (const auto& [relation, report] : last_reports) {
      std::printf("# %s, %s: %.3f s; %llu batches, %llu tiles\n", algorithm.name.c_str(), relation.c_str(),
                  total, static_cast<unsigned long long>(report.batches),
                  static_cast<unsigned long long>(report.tiles));
      std::printf(
          "| consumer | requests | waiting ms | push | in queue | preparation | kernels and transfer | "
          "integration | under way | leading |\n");
      const auto line = [&](const std::string& who, const DeviceStatistics& s) {
        std::printf("| %s | %llu | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", who.c_str(),
                    static_cast<unsigned long long>(s.requests), 1e3 * s.waiting, 1e3 * s.pushing,
                    1e3 * s.queued, 1e3 * s.preparing, 1e3 * s.computing, 1e3 * s.integrating,
                    1e3 * s.sharing, 1e3 * s.leading);
      };
      for (std::size_t i = 0; i < report.consumers.size(); ++i) line(std::to_string(i), report.consumers[i]);
      line("all", report.all);
    }
  }
}

void sweep(const Input& input, int threads, int repeats) {
  if (devices().empty()) return;
  const auto measure = [&](const std::string& what, const std::vector<int>& values,
                           int ConnectOptions::*member) {
    for (const Algorithm& algorithm : algorithms(input)) {
      if (algorithm.name == "Morse-Smale complex") continue;  // asks for the rows of the gradient
      std::vector<Provider> all;
      for (const int value : values) {
        all.push_back({what + " " + std::to_string(value), Maker::device, threads});
        all.back().device.*member = value;
      }
      std::string table = "| " + algorithm.name + " |";
      for (const bench::Timing& timing : time_all(algorithm, all, input, repeats)) {
        table +=
            " " + timing.name + ": " + std::to_string(static_cast<int>(1e3 * timing.median + 0.5)) + " ms |";
      }
      std::printf("%s\n", table.c_str());
    }
  };
  measure("tiles a batch", {16, 64, 256, 512, 1024}, &ConnectOptions::device_batch);
  measure("tiles ahead", {0, 4, 16, 32, 64, 128}, &ConnectOptions::device_look_ahead);
  measure("threads a tile", {128, 256, 512, 1024}, &ConnectOptions::device_threads);
}

void compare_windows(const Input& input, int threads, int repeats) {
  if (devices().empty()) return;
  for (const Algorithm& algorithm : algorithms(input)) {
    std::vector<Provider> all = {{"all of the mesh", Maker::device, threads}};
    for (const int part : {2, 8}) {
      all.push_back({"1/" + std::to_string(part) + " of it", Maker::device, threads});
      all.back().device.device_memory = Bytes{96} * input.mesh.cell_count() / static_cast<Bytes>(part);
    }
    std::string table = "| " + algorithm.name + " |";
    for (const bench::Timing& timing : time_all(algorithm, all, input, repeats)) {
      table +=
          " " + timing.name + ": " + std::to_string(static_cast<int>(1e3 * timing.median + 0.5)) + " ms |";
    }
    std::printf("%s\n", table.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  const auto number = [&](int i, int otherwise) {
    return !smoke && argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const int n = number(1, smoke ? 16 : 128);
  const int threads = Exec::host(number(2, 0)).threads();
  TetMesh mesh = make_kuhn(static_cast<std::uint32_t>(n));
  Field field = make_wave_field(mesh.points, WaveField::rough);
  const Input input{std::move(mesh), std::move(field), mib(static_cast<std::uint64_t>(number(3, 64)))};
  const std::string part = !smoke && argc > 4 ? argv[4] : "";
  const int repeats = smoke ? 1 : 3;
  const auto is_wanted = [&](const char* name) { return part.empty() || part == name; };
  if (is_wanted("algorithms")) compare_algorithms(input, threads, repeats);
  if (is_wanted("consumers")) compare_consumers(input, threads, repeats);
  if (is_wanted("breakdown")) print_breakdown(input, threads);
  if (is_wanted("sweep")) sweep(input, threads, repeats);
  if (is_wanted("windows")) compare_windows(input, threads, repeats);
}
