// How long do tiling, enumeration and each relation of a tetrahedral mesh take, and how many bytes?
//   build/release/benchmarks/relations [--smoke] [--natural] [n] [threads] [vertices a tile] [questions]
// Questions are names with commas between: enumeration,VV,TT,boundary; all of them if there are none.
// --natural leaves the mesh in the order of its maker; otherwise vertices and tets are shuffled.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/detail/enumeration_part.h>
#include <tessera/tile/materialize.h>

#include "measure.h"

namespace {

using namespace tessera;
using namespace tessera::detail;

struct Arguments {
  bool smoke = false;
  bool natural = false;
  std::uint32_t n = 128;
  int threads = 0;
  std::uint32_t tile_size = TileOptions{}.max_vertices;
  std::string questions;

  Arguments(int argc, char** argv) {
    std::vector<std::string> plain;
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      if (argument == "--smoke") {
        smoke = true;
      } else if (argument == "--natural") {
        natural = true;
      } else {
        plain.push_back(argument);
      }
    }
    plain.resize(4);
    if (smoke) n = 16;
    if (!plain[0].empty()) n = static_cast<std::uint32_t>(std::stoul(plain[0]));
    if (!plain[1].empty()) threads = std::stoi(plain[1]);
    if (!plain[2].empty()) tile_size = static_cast<std::uint32_t>(std::stoul(plain[2]));
    questions = plain[3];
  }
  [[nodiscard]] bool asks(const std::string& question) const {
    return questions.empty() || ("," + questions + ",").find("," + question + ",") != std::string::npos;
  }
};

std::uint64_t checksum(const TiledMesh<3>& tiles) {
  return hash_values(tiles.cells());
}
std::uint64_t checksum(const Enumeration<3>& e) {
  if (!e.is_explicit()) return e.face_count();
  const EnumerationPart& whole = e.whole();
  return hash_values(whole.face_hi, hash_values(whole.edge_hi, hash_values(whole.face_offsets)));
}
template <class Row, class T>
std::uint64_t checksum(const Csr<Row, T>& rows) {
  return hash_values(rows.values, hash_values(rows.offsets));
}
template <class K>
std::uint64_t checksum(const IdArray<K, std::uint8_t>& flags) {
  return hash_bytes(std::as_bytes(std::span(flags.data(), flags.size())));
}

/// Times making a result; checks and frees it when the clock has stopped.
template <class Make>
void ask(bench::Setup setup, const std::string& question, std::size_t bytes, Make make) {
  std::optional<decltype(make())> result;
  setup.question = question;
  setup.bytes = bytes;
  bench::compare(setup, {{.name = "tessera",
                          .run = [&] { return result.emplace(make()), 0; },
                          .prepare = [&] { result.reset(); },
                          .checksum = [&] { return checksum(*result); }}});
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const Exec exec = Exec::host(arguments.threads);
  TetMesh mesh = make_kuhn(arguments.n, {.exec = exec});
  if (!arguments.natural) mesh = make_shuffled(mesh);
  const bench::Setup setup = {
      .input = "kuhn" + std::to_string(arguments.n) + (arguments.natural ? "" : " shuffled"),
      .items = mesh.cell_count(),
      .threads = exec.threads(),
      .repeats = arguments.smoke ? 1 : 7};
  const TileOptions options = {.max_vertices = arguments.tile_size, .exec = exec};
  const TiledMesh<3> tiles = tile(mesh, options);
  std::fprintf(stderr, "tiles %zu, ribbon %.3f, %.2f bytes a tet\n", tiles.tile_count(), tiles.ribbon().share,
               static_cast<double>(tiles.bytes()) / static_cast<double>(mesh.cell_count()));
  if (arguments.asks("tile")) ask(setup, "tile", mesh.cell_count() * 36, [&] { return tile(mesh, options); });
  const auto enumeration = Enumeration<3>::make_explicit(tiles, exec);
  const auto implicit = Enumeration<3>::make_implicit(tiles, exec);
  if (arguments.asks("enumeration")) {
    ask(setup, "implicit enumeration", mesh.cell_count() * 16,
        [&] { return Enumeration<3>::make_implicit(tiles, exec); });
    ask(setup, "explicit enumeration", enumeration.bytes() + mesh.cell_count() * 16,
        [&] { return Enumeration<3>::make_explicit(tiles, exec); });
  }
  const MaterializeOptions how = {.exec = exec};
  if (arguments.asks("boundary")) {
    ask(setup, "boundary vertices", tiles.vertex_count(),
        [&] { return materialize_boundary<Kind::vertex>(tiles, enumeration, how); });
  }
  for_each_relation<3>([&]<class R>(R, std::string_view view) {
    const std::string name(view);
    if (!arguments.asks(name)) return;
    const auto rows = materialize<R>(tiles, enumeration, how);
    if (arguments.smoke && checksum(materialize<R>(tiles, implicit, how)) != checksum(rows)) {
      std::fprintf(stderr, "%s: the storage modes differ\n", name.c_str());
      std::exit(1);
    }
    ask(setup, name, rows.bytes(), [&] { return materialize<R>(tiles, enumeration, how); });
  });
}
