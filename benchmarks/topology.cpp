// How long do the topological analyses of a tetrahedral mesh with a rough field take, tiling included?
// Persistence and simplification (at 5 % of the range) are timed alone, from the gradient and the complex.
//   build/release/benchmarks/topology [--smoke] [n] [threads] [question] [vertices a tile]
// With a question (tile, critical_points, gradient, persistence, simplify, morse_smale, morse_smale_walls)
// only that one is asked, so that the peak memory is its own.
#include <cstdlib>
#include <string>

#include <tessera/mesh/make.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/simplification.h>

#include "measure.h"

int main(int argc, char** argv) {
  using namespace tessera;
  const bool smoke = bench::is_smoke(argc, argv);
  const auto number = [&](int i, int otherwise) {
    return !smoke && argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const std::uint32_t n = static_cast<std::uint32_t>(number(1, smoke ? 16 : 128));
  const Exec exec = Exec::host(number(2, 0));
  const std::string only = !smoke && argc > 3 ? argv[3] : "";
  const TileOptions tiling = {.max_vertices = static_cast<std::uint32_t>(number(4, pushed_tile_vertices)),
                              .exec = exec};
  const TetMesh mesh = make_kuhn(n, {.exec = exec});
  const Field field = make_wave_field(mesh.points, WaveField::rough, exec);
  const auto ask = [&](const std::string& question, const std::function<std::uint64_t()>& run) {
    if (!only.empty() && only != "all" && only != question) return;
    bench::compare({.question = question,
                    .input = "kuhn" + std::to_string(n) + " rough",
                    .items = mesh.cell_count(),
                    .bytes = mesh.cell_count() * sizeof(TetMesh::Cell),
                    .threads = exec.threads(),
                    .repeats = smoke ? 1 : 5},
                   {{"tessera", run}});
  };
  const auto morse = [&](bool walls) {
    MorseSmaleOptions<3> options;
    options.exec = exec;
    options.walls = walls;
    options.keep_paths = false;
    const TiledMesh<3> tiles = tile(mesh, tiling);
    const auto complex = morse_smale(tiles, field, options);
    return complex.separatrices.ends.size() + complex.walls.descending.size();
  };
  ask("tile", [&] { return tile(mesh, tiling).tile_count(); });
  ask("critical_points", [&] {
    const TiledMesh<3> tiles = tile(mesh, tiling);
    return critical_points<3>(tiles, field, {.exec = exec}).points.size();
  });
  ask("gradient", [&] {
    const TiledMesh<3> tiles = tile(mesh, tiling);
    return compute_gradient<3>(tiles, field, {{.exec = exec}}).critical_cells(1).size();
  });
  if (only.empty() || only == "all" || only == "persistence" || only == "simplify") {
    const TiledMesh<3> tiles = tile(mesh, tiling);
    MorseSmaleOptions<3> options;
    options.exec = exec;
    const auto complex = morse_smale(tiles, field, options);
    const TopologyOptions<3>& common = options;
    const auto persistence = compute_persistence(complex.gradient, field, common);
    ask("persistence", [&] { return compute_persistence(complex.gradient, field, common).pairs.size(); });
    ask("simplify", [&] {
      return simplify(complex, persistence, persistence.part_of_range(0.05), common).separatrices.ends.size();
    });
  }
  ask("morse_smale", [&] { return morse(false); });
  ask("morse_smale_walls", [&] { return morse(true); });
}
