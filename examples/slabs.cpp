// Analyses a volume that is read from a file in slabs, as if it did not fit memory.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

int main() {
  ts::Grid grid = ts::make_lattice(64, 64, 64);
  grid.point_data.add(ts::make_mri_field(grid));
  ts::write_mesh("scan.vti", grid);

  const ts::GridFile file("scan.vti");
  const ts::CriticalPoints points = ts::critical_points(file, "mri", {.height = 16});
  const ts::RegionSummary summary = ts::write_regions(file, "mri", "regions.vti", {.slabs = {.height = 16}});

  std::cout << points.minima() << " minima and " << summary.regions.morse_smale << " regions in slabs\n";
}
