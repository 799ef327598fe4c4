// The inputs of the benchmarks of mesh generation, by name.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tessera/mesh/make.h>
#include <tessera/mesh/mesh.h>

namespace tessera::bench {

/// A lattice of n^3 points with a field, and the usual isovalue.
struct Volume {
  std::string name;  ///< "mri256"
  Grid grid;
  Field field;
  double isovalue;
};

inline Volume make_volume(const std::string& field, std::uint32_t n, const Exec& exec) {
  Grid grid = make_lattice(n, n, n);
  const bool is_mri = field == "mri";
  Field values = is_mri ? make_mri_field(grid, exec) : make_sphere_field(grid, exec);
  return {field + std::to_string(n), std::move(grid), std::move(values), is_mri ? 0.15 : 0.4};
}

}  // namespace tessera::bench
