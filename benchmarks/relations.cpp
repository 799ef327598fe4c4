// How long do tiling, enumeration and each relation of a tetrahedral mesh take, and how many bytes?
//   build/release/benchmarks/relations [--smoke] [n] [threads] [vertices a tile]
#include <cstdlib>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/materialize.h>

#include "measure.h"

int main(int argc, char** argv) {
  using namespace tessera;
  const bool smoke = bench::is_smoke(argc, argv);
  const std::uint32_t n = smoke ? 16 : argc > 1 ? static_cast<std::uint32_t>(std::atoi(argv[1])) : 128;
  const Exec exec = Exec::host(!smoke && argc > 2 ? std::atoi(argv[2]) : 0);
  const std::uint32_t tile_size =
      !smoke && argc > 3 ? static_cast<std::uint32_t>(std::atoi(argv[3])) : TileOptions{}.max_vertices;
  const TetMesh mesh = make_shuffled(make_kuhn(n, {.exec = exec}));
  bench::Setup setup = {.input = "kuhn" + std::to_string(n) + " shuffled",
                        .items = mesh.cell_count(),
                        .threads = exec.threads(),
                        .repeats = smoke ? 1 : 3};
  const auto ask = [&](const std::string& question, std::size_t bytes, std::function<std::uint64_t()> run) {
    setup.question = question;
    setup.bytes = bytes;
    bench::compare(setup, {{"tessera", std::move(run)}});
  };
  const TileOptions options = {.max_vertices = tile_size, .exec = exec};
  const TiledMesh<3> tiles = tile(mesh, options);
  std::fprintf(stderr, "tiles %zu, ribbon %.3f, %.2f bytes a tet\n", tiles.tile_count(), tiles.ribbon().share,
               static_cast<double>(tiles.bytes()) / static_cast<double>(mesh.cell_count()));
  ask("tile", mesh.cell_count() * 36, [&] { return tile(mesh, options).cells()[0][0].index(); });
  ask("implicit enumeration", mesh.cell_count() * 16,
      [&] { return Enumeration<3>::make_implicit(tiles, exec).face_count(); });
  const auto enumeration = Enumeration<3>::make_explicit(tiles, exec);
  ask("explicit enumeration", enumeration.bytes() + mesh.cell_count() * 16,
      [&] { return hash_values(Enumeration<3>::make_explicit(tiles, exec).whole().face_hi); });
  const auto implicit = Enumeration<3>::make_implicit(tiles, exec);
  const auto checksum = [](const auto& rows) { return hash_values(rows.values, hash_values(rows.offsets)); };
  for_each_relation<3>([&]<class R>(R, std::string_view name) {
    const auto rows = materialize<R>(tiles, enumeration, {.exec = exec});
    if (smoke && checksum(materialize<R>(tiles, implicit, {.exec = exec})) != checksum(rows)) {
      std::fprintf(stderr, "%s: the storage modes differ\n", std::string(name).c_str());
      std::exit(1);
    }
    ask(std::string(name), rows.bytes(),
        [&] { return checksum(materialize<R>(tiles, enumeration, {.exec = exec})); });
  });
}
