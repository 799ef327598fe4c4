// Fields on lattices, and hashes of what is found of them.
#pragma once

#include <cstdint>
#include <string>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/topology/gradient.h>

namespace tessera::bench {

/// float32: mri, smooth or rough waves.
inline Field make_grid_field(const Grid& grid, const std::string& name) {
  if (name == "mri") return make_mri_field(grid);
  Array<Vec3f> points;
  points.reserve(grid.vertex_count());
  for (std::uint32_t k = 0; k < grid.dims[2]; ++k) {
    for (std::uint32_t j = 0; j < grid.dims[1]; ++j) {
      for (std::uint32_t i = 0; i < grid.dims[0]; ++i) points.push_back(vec_cast<float>(grid.point(i, j, k)));
    }
  }
  return make_wave_field(points, name == "smooth" ? WaveField::smooth : WaveField::rough);
}

inline std::uint64_t hash_of(const CriticalPoints& found) {
  std::uint64_t hash = 0;
  for (const CriticalPoint& point : found.points)
    hash = splitmix64(hash ^
                      (std::uint64_t{point.vertex.index()} << 8 | static_cast<std::uint64_t>(point.type)));
  return hash;
}
inline std::uint64_t hash_of(const Gradient<3>& gradient) {
  std::uint64_t hash = 0;
  for (int d = 0; d <= 3; ++d) {
    for (const CriticalCell& cell : gradient.critical_cells(d)) {
      const auto simplex = gradient.simplex(cell.name);
      for (std::uint32_t k = 0; k < simplex.size; ++k) hash = splitmix64(hash ^ simplex.vertices[k].index());
    }
  }
  return hash;
}

}  // namespace tessera::bench
