// Which provider of connectivity is fastest under the same algorithm, and do helper threads pay?
//   build/release/benchmarks/providers [--smoke] [n] [threads] [store MiB] [name]
// With a name only the providers whose names have it are asked, next to push.
// With a device its producers are asked too; a line says where the consumers' time went.
// Critical points and gradient of a Kuhn mesh with a rough field, stars pushed tile by tile or pulled as VT
// rows: materialized, from tiles with an explicit or implicit enumeration. The same number of threads
// computes in all of them: all consumers, or half of them helpers that work ahead. Preparation is included,
// tiling is not.
#include <cstdlib>
#include <string>

#include <tessera/connect/connectivity.h>
#include <tessera/mesh/make.h>
#include <tessera/topology/gradient.h>

#include "measure.h"

namespace {

using namespace tessera;

struct Provider {
  std::string name;
  StorageMode mode;
  int consumers;
  int producers;
  bool device = false;
};

/// Runs the algorithm with rows pulled from a provider; returns a checksum.
template <class F>
std::uint64_t pull(const TiledMesh<3>& tiles, const Provider& provider, Bytes memory, const F& run) {
  const Exec exec = Exec::host(provider.consumers);
  auto conn = connect(tiles, {.mode = provider.mode,
                              .ids = Ids::tiled,
                              .memory = memory,
                              .producers = provider.producers,
                              .exec = provider.device ? Exec::cuda(0, provider.consumers) : exec,
                              .device_producers = provider.device});
  const auto [rows] = conn.request<VT>();
  const std::uint64_t checksum = run(exec, &rows);
  const DeviceStatistics device = rows.device_statistics();
  if (provider.device) {
    std::printf(
        "# requests %llu, batches %llu, tiles %llu; seconds of consumers: waiting %.4f = pushing %.4f + "
        "queued %.4f + preparing %.4f + computing %.4f + integrating %.4f\n",
        static_cast<unsigned long long>(device.requests), static_cast<unsigned long long>(device.batches),
        static_cast<unsigned long long>(device.tiles), device.waiting, device.pushing, device.queued,
        device.preparing, device.computing, device.integrating);
  }
  return checksum;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  const auto number = [&](int i, int otherwise) {
    return !smoke && argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const int n = number(1, smoke ? 16 : 128);
  const int threads = Exec::host(number(2, 0)).threads();
  const Bytes store = mib(static_cast<std::uint64_t>(number(3, 64)));
  const TetMesh mesh = make_kuhn(static_cast<std::uint32_t>(n));
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const TiledMesh<3> tiles = tile(mesh);
  const auto points = [&](const Exec& exec, const auto* rows) {
    return std::uint64_t{critical_points<3>(tiles, field, {.exec = exec, .rows = rows}).points.size()};
  };
  const auto gradient = [&](const Exec& exec, const auto* rows) {
    return std::uint64_t{
        compute_gradient<3>(tiles, field, {{.exec = exec, .rows = rows}}).critical_cells(1).size()};
  };
  const auto ask = [&](const std::string& question, const auto& run) {
    const PulledStars<3>::Rows* const none = nullptr;
    std::vector<bench::Variant> variants = {{"push", [&] { return run(Exec::host(threads), none); }}};
    std::vector<Provider> providers = {{"materialized", StorageMode::materialized, threads, 0}};
    for (const auto& [name, mode] : {std::pair{"explicit", StorageMode::explicit_tiles},
                                     std::pair{"implicit", StorageMode::implicit_tiles}}) {
      providers.push_back({std::string(name) + " inline", mode, threads, 0});
      const int helpers = threads / 2;
      if (helpers > 0)
        providers.push_back({std::string(name) + " helpers", mode, threads - helpers, helpers});
    }
    if (!devices().empty()) {
      providers.push_back({"device", StorageMode::explicit_tiles, threads, 0, true});
      providers.push_back({"device, one consumer", StorageMode::explicit_tiles, 1, 0, true});
    }
    providers.push_back({"explicit, one consumer", StorageMode::explicit_tiles, 1, 0});
    providers.push_back({"explicit, one consumer and one helper", StorageMode::explicit_tiles, 1, 1});
    const std::string only = !smoke && argc > 4 ? argv[4] : "";
    for (const Provider& provider : providers) {
      if (provider.name.find(only) == std::string::npos) continue;
      const Bytes memory = provider.mode == StorageMode::materialized ? gib(16) : store;
      variants.push_back(
          {provider.name, [&, provider, memory] { return pull(tiles, provider, memory, run); }});
    }
    bench::compare({.question = question,
                    .input = "kuhn" + std::to_string(n) + " rough",
                    .items = mesh.cell_count(),
                    .bytes = mesh.cell_count() * sizeof(TetMesh::Cell),
                    .threads = threads,
                    .repeats = smoke ? 1 : 3},
                   variants);
  };
  ask("critical_points", points);
  ask("gradient", gradient);
}
