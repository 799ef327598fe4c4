// How long do distances between persistence diagrams take?
//   build/release/benchmarks/diagrams [--smoke] [size of the kuhn mesh] [prefix]
// The diagrams are those of the rough field and of the same with noise. With a prefix they are also written,
// one point of a class that dies as a line "dimension birth death": PREFIX1.txt and PREFIX2.txt, which
// benchmarks/peers/gudhi_distances.py reads.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/topology/diagram_distance.h>

#include "measure.h"

namespace {

using namespace tessera;
using Diagram = std::vector<DiagramPoint>;

Field add_noise(const Field& field, double size) {
  SplitMix64 random(1);
  Array<double> values;
  for (const float value : field.as<float>()) values.push_back(value + size * (2 * random.uniform() - 1));
  return {"noisy", std::move(values)};
}

void write(const std::string& file, const Diagram& diagram) {
  std::ofstream out(file);
  out.precision(17);
  for (const DiagramPoint& p : diagram) {
    if (p.is_finite()) out << p.dimension << ' ' << p.birth << ' ' << p.death << '\n';
  }
}

std::uint64_t checksum(const DiagramDistance& found) {
  return hash_bytes(std::as_bytes(std::span(found.matches)));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool smoke = std::erase(arguments, "--smoke") != 0;
  const auto size = static_cast<std::uint32_t>(!arguments.empty() ? std::atoi(arguments[0].c_str())
                                               : smoke            ? 12
                                                                  : 128);
  const TetMesh mesh = make_kuhn(size);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const Diagram first = make_diagram_points(compute_persistence(mesh, field));
  const Diagram second = make_diagram_points(compute_persistence(mesh, add_noise(field, 0.2)));
  if (arguments.size() > 1) {
    write(arguments[1] + "1.txt", first);
    write(arguments[1] + "2.txt", second);
  }
  const DiagramDistance largest = bottleneck_distance(first, second);
  const DiagramDistance sum = wasserstein_distance(first, second);
  if (!(largest.distance <= sum.distance && sum.at_least <= sum.distance &&
        sum.distance <= 1.0101 * sum.at_least)) {
    std::fprintf(stderr, "diagrams: a distance is wrong\n");
    return 1;
  }
  std::fprintf(stderr, "diagrams: bottleneck %.17g, wasserstein %.17g, at least %.17g\n", largest.distance,
               sum.distance, sum.at_least);
  bench::compare({.question = "diagram_distance",
                  .input = "kuhn" + std::to_string(size) + " rough and noisy",
                  .items = first.size() + second.size(),
                  .repeats = smoke ? 1 : 5},
                 {{"bottleneck", [&] { return checksum(bottleneck_distance(first, second)); }},
                  {"wasserstein_2", [&] { return checksum(wasserstein_distance(first, second)); }}});
}
