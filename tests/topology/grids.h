// Grids and fields for tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <tessera/core/random.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera::testing {

using Dims = std::array<std::uint32_t, 3>;

inline Grid grid_of(const Dims& dims) {
  Grid grid;
  grid.dims = dims;
  grid.origin = {0.1, -2, 3};
  grid.spacing = {0.3, 0.5, 0.7};
  return grid;
}

/// Values of 0 to `range` - 1, so that many are equal.
template <class T>
Field random_field(std::size_t size, std::uint64_t range, std::uint64_t seed) {
  SplitMix64 random(seed);
  Array<T> values(size);
  for (T& value : values) value = static_cast<T>(random.below(range));
  return Field("f", std::move(values));
}

inline std::string say(const Dims& dims) {
  return std::to_string(dims[0]) + " x " + std::to_string(dims[1]) + " x " + std::to_string(dims[2]);
}

}  // namespace tessera::testing
