// Pairs the critical cells of a noisy field and simplifies its Morse-Smale complex until the noise is gone.
#include <cstdint>
#include <iostream>
#include <vector>

#include <tessera/mesh/make.h>
#include <tessera/topology/diagram_distance.h>
#include <tessera/topology/generators.h>
#include <tessera/topology/simplification.h>
#include <tessera/topology/simplify_field.h>

namespace ts = tessera;

int main() {
  const ts::TetMesh mesh = ts::make_kuhn(32);
  const ts::Field field = ts::make_wave_field(mesh.points, ts::WaveField::rough);

  const auto complex = ts::morse_smale(mesh, field);
  const ts::Persistence persistence = ts::compute_persistence(complex.gradient, field);
  for (const ts::PersistencePair& pair : persistence.pairs) {
    if (!pair.is_finite())
      std::cout << "never dies: dimension " << pair.dimension << ", born at " << pair.birth_value << "\n";
  }

  const double threshold = persistence.part_of_range(0.05);
  const ts::SimplifiedComplex simplified = ts::simplify(complex, persistence, threshold);
  const ts::SimplifiedField simple = ts::simplify_field(mesh, field, threshold);
  std::cout << simple.changed_vertices << " values changed, by " << simple.largest_change << " at most\n";

  const ts::Persistence after = ts::compute_persistence(mesh, simple.field);
  const auto before_points = ts::make_diagram_points(persistence);
  const auto after_points = ts::make_diagram_points(after);
  std::cout << "bottleneck distance " << ts::bottleneck_distance(before_points, after_points).distance
            << ", Wasserstein distance " << ts::wasserstein_distance(before_points, after_points).distance
            << "\n";

  std::vector<std::uint32_t> tunnels;
  for (std::uint32_t i = 0; i < persistence.pairs.size(); ++i) {
    if (persistence.pairs[i].dimension == 1 && !persistence.pairs[i].is_finite()) tunnels.push_back(i);
  }
  const ts::PersistentGenerators loops = ts::compute_generators(complex.gradient, persistence, tunnels);
  std::cout << tunnels.size() << " tunnel, shown by " << loops.cells.size() << " edges\n";

  std::cout << complex.gradient.critical_cells(0).size() << " minima, " << simplified.critical[0].size()
            << " that persist\n";
}
