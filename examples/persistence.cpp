// Pairs the critical cells of a noisy field and simplifies its Morse-Smale complex until the noise is gone.
#include <iostream>

#include <tessera/mesh/make.h>
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
  std::cout << complex.gradient.critical_cells(0).size() << " minima, " << simplified.critical[0].size()
            << " that persist\n";
}
