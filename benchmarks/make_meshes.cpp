// How long do the test meshes take to make?
//   build/release/benchmarks/make_meshes [--smoke] [threads]
#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>

#include "measure.h"

int main(int argc, char** argv) {
  using namespace tessera;
  const std::uint32_t n = bench::is_smoke(argc, argv) ? 32 : 192;
  const Exec exec = Exec::host(bench::threads_argument(argc, argv));
  const TetMesh mesh = make_kuhn(n, {.exec = exec});
  const bench::Setup setup = {.question = "make_kuhn",
                              .input = "kuhn" + std::to_string(n) + " with the rough field",
                              .items = mesh.cell_count(),
                              .bytes = mesh.bytes() + 4 * mesh.vertex_count(),
                              .threads = exec.threads(),
                              .repeats = 3};
  bench::compare(setup, {{"tessera", [&] {
                            TetMesh made = make_kuhn(n, {.exec = exec});
                            made.point_data.add(make_wave_field(made.points, WaveField::rough, exec));
                            return hash_values(made.cells, hash_values(made.field("rough").as<float>()));
                          }}});
}
