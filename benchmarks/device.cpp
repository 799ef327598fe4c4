// How long do the analyses take on a device: on data that is there already, and from host arrays to host
// results?
//   build/release/benchmarks/device [--smoke] [n] [vertices a tile] [host]
// The mesh is kuhn-full-n with a rough field. `resident` times exclude every copy of the mesh and of large
// results. With a third argument the host's own times stand beside them. Of tiling there are the stages too,
// for a mesh whose numbering is kept and for one that is sorted.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/tile/detail/cuda/device_relations.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/morse_smale.h>

#include "measure.h"

namespace {

using namespace tessera;
using namespace tessera::detail;

/// How long each stage of tiling takes on a device, as its monitor is told.
void print_tiling_stages(const TetMesh& mesh, TileOptions options, bench::Setup setup) {
  std::map<std::string, std::vector<double>> stages;
  for (int round = -1; round < setup.repeats; ++round) {
    auto last = std::chrono::steady_clock::now();
    std::string stage;
    Monitor monitor;
    monitor.report = [&](std::string_view next, double) {
      const auto now = std::chrono::steady_clock::now();
      if (round >= 0 && !stage.empty()) {
        stages[stage].push_back(std::chrono::duration<double>(now - last).count());
      }
      last = now;
      stage = next;
    };
    options.monitor = &monitor;
    (void)tile(mesh, options);
  }
  for (auto& [stage, times] : stages) {
    std::ranges::sort(times);
    setup.question = std::string("tile, ") +
                     (options.order == VertexOrder::morton ? "Morton order" : "order of the input");
    bench::print(setup, {.name = stage,
                         .median = times[times.size() / 2],
                         .fastest = times.front(),
                         .slowest = times.back()});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  if (devices().empty()) {
    std::printf("no device: %s\n", no_device_reason().c_str());
    return 0;
  }
  const auto number = [&](int i, int otherwise) {
    return static_cast<std::uint32_t>(!smoke && argc > i ? std::atoi(argv[i]) : otherwise);
  };
  const std::uint32_t n = number(1, smoke ? 16 : 256);
  const Exec device = Exec::cuda();
  const Exec host = Exec::host();
  const TetMesh mesh = make_kuhn_full(n, {.exec = host});
  const Field field = make_wave_field(mesh.points, WaveField::rough, host);
  const TileOptions tiling = {.max_vertices = number(2, static_cast<int>(TileOptions{}.max_vertices)),
                              .exec = host};
  const TiledMesh<3> tiles = tile(mesh, tiling);
  const Monitor monitor;
  const bench::Setup setup = {.input = "kuhn-full-" + std::to_string(n) + " rough",
                              .items = mesh.cell_count(),
                              .device = device.description(),
                              .threads = device.threads(),
                              .repeats = smoke ? 1 : 5};
  const auto ask = [&](const std::string& question, std::uint64_t bytes,
                       std::vector<bench::Variant> variants) {
    bench::Setup asked = setup;
    asked.question = question;
    asked.bytes = bytes;
    bench::compare(asked, variants);
  };
  const std::uint64_t cell_bytes = mesh.cell_count() * sizeof(TetMesh::Cell);
  {
    Buffer<TetMesh::Cell> copy(device, mesh.cells.size());
    Buffer<TetMesh::Cell> other(device, mesh.cells.size());
    ask("copy on device", 2 * cell_bytes, {{"tessera", [&] {
                                              detail::copy(device, other.data(), copy.data(), copy.bytes(),
                                                           detail::CopyKind::on_device);
                                              synchronize(device);
                                              return std::uint64_t{0};
                                            }}});
    ask("copy to device", cell_bytes, {{"tessera", [&] {
                                          copy.assign(mesh.cells);
                                          return std::uint64_t{0};
                                        }}});
    ask("copy to host", cell_bytes, {{"tessera", [&] { return std::uint64_t{copy.to_host().size()}; }}});
  }
  {
    const DeviceTiles<3> resident(tiles, device);
    const Buffer<VertexOrderKey> order = cuda::compute_order(device, tiles, resident, field, monitor);
    const TileSizes& largest = resident.largest();
    std::printf("tiles %u, left to the host %zu, largest: %u owned, %u vertices, %u cells, %u corners; %s\n",
                resident.tile_count(), resident.host_tiles().size(), largest.owned, largest.vertices,
                largest.cells, largest.corners, format_bytes(resident.bytes()).c_str());
    const std::uint64_t tile_bytes = resident.local_cells.bytes() + resident.ghosts.bytes() + order.bytes();
    ask("critical_points resident", tile_bytes,
        {{"tessera", [&] {
            return std::uint64_t{cuda::find_critical_points(resident, order, monitor).points.size()};
          }}});
    const auto gradient = [&](bool paths) {
      cuda::GradientFinder<3> finder(resident, order, paths, monitor);
      const cuda::DeviceGradient<3> found = finder.finish(Array<std::uint32_t>(finder.left().size(), 0));
      synchronize(device);
      return std::uint64_t{found.lower.size()};
    };
    ask("gradient resident", tile_bytes, {{"tessera", [&] { return gradient(false); }}});
    ask("gradient with paths resident", tile_bytes, {{"tessera", [&] { return gradient(true); }}});
  }
  {
    const Gradient<3> gradient = compute_gradient(tiles, field, {.exec = device, .keep_paths = true});
    const GradientData<3>& data = *gradient.on_mesh();
    const cuda::DeviceGradient<3>& resident = *data.on_device();
    const auto ids = [&](int d) { return critical_ids(gradient.critical_cells(d)); };
    const auto saddles = [&](int d) { return cuda::saddles_of(data, d); };
    const auto minima = ids(0), edges = ids(1), maxima = ids(3);
    const auto lower = saddles(1), upper = saddles(2);
    const auto starts = cuda::path_starts_of(data);
    ask("segmentation resident", resident.next.bytes(), {{"tessera", [&] {
                                                            const auto labels = cuda::find_regions(
                                                                resident, minima, maxima, monitor);
                                                            synchronize(device);
                                                            return std::uint64_t{labels.count.morse_smale};
                                                          }}});
    const auto trace = [&](const std::string& question, const std::function<cuda::DevicePaths()>& run) {
      ask(question + " resident", run().cells.bytes(), {{"tessera", [&] {
                                                           const cuda::DevicePaths paths = run();
                                                           synchronize(device);
                                                           return std::uint64_t{paths.cells.size()};
                                                         }}});
    };
    trace("descending separatrices",
          [&] { return cuda::trace_descending(resident, lower, minima, monitor); });
    trace("connectors", [&] { return cuda::trace_connectors(resident, upper, edges, monitor).paths; });
    trace("ascending separatrices",
          [&] { return cuda::trace_ascending(resident, upper, starts, maxima, monitor); });
    std::printf("searches for connectors left to the host: %zu\n",
                cuda::trace_connectors(resident, upper, edges, monitor).left.size());
    ask("separatrices and connectors to host", 0,
        {{"tessera",
          [&] { return std::uint64_t{compute_separatrices(gradient, {.exec = device}).cells.size()}; }}});
  }
  {
    const DeviceTiles<3> resident(tiles, device);
    ask("enumeration resident", 0, {{"tessera", [&] {
                                       cuda::DeviceRelations<3> relations(tiles, resident, device);
                                       relations.enumerate();
                                       return std::uint64_t{relations.face_count()};
                                     }}});
    cuda::DeviceRelations<3> relations(tiles, resident, device);
    const auto rows = [&]<class R>(R, const char* name) {
      relations.prepare<R>();
      const cuda::DeviceRows once = relations.whole<R>();
      ask(std::string(name) + " resident", once.offsets.bytes() + once.values.bytes(),
          {{"tessera", [&] {
              const cuda::DeviceRows made = relations.whole<R>();
              synchronize(device);
              return std::uint64_t{made.values.size()};
            }}});
    };
    rows(VV{}, "VV"), rows(VE{}, "VE"), rows(VT{}, "VT"), rows(EF{}, "EF"), rows(ET{}, "ET"),
        rows(FT{}, "FT");
    rows(TE{}, "TE"), rows(TF{}, "TF"), rows(TT{}, "TT");
  }
  const bool with_host = !smoke && argc > 3;
  const auto both = [&](const std::string& question, const std::function<std::uint64_t(const Exec&)>& run) {
    std::vector<bench::Variant> variants = {{"device", [&] { return run(device); }}};
    if (with_host) variants.push_back({"host", [&] { return run(host); }});
    ask(question, cell_bytes, std::move(variants));
  };
  both("tile", [&](const Exec& exec) {
    return std::uint64_t{tile(mesh, {.max_vertices = tiling.max_vertices, .exec = exec}).tile_count()};
  });
  for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
    print_tiling_stages(mesh, {.max_vertices = tiling.max_vertices, .order = order, .exec = device}, setup);
  }
  both("critical_points", [&](const Exec& exec) {
    const TiledMesh<3> cut = tile(mesh, {.max_vertices = tiling.max_vertices, .exec = exec});
    return std::uint64_t{critical_points(cut, field, {.exec = exec}).points.size()};
  });
  both("gradient", [&](const Exec& exec) {
    const TiledMesh<3> cut = tile(mesh, {.max_vertices = tiling.max_vertices, .exec = exec});
    return std::uint64_t{compute_gradient(cut, field, {.exec = exec}).critical_cells(1).size()};
  });
  both("morse_smale", [&](const Exec& exec) {
    const TiledMesh<3> cut = tile(mesh, {.max_vertices = tiling.max_vertices, .exec = exec});
    const auto complex = morse_smale(cut, field, {.exec = exec, .keep_paths = false});
    return std::uint64_t{complex.separatrices.size()};
  });
}
