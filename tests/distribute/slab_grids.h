// Grids in files, and how their slabs are varied.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/distribute/slabs.h>
#include <tessera/io/grid_file.h>
#include <tessera/io/io.h>

#include "io/support.h"
#include "topology/grids.h"

namespace tessera::testing {

/// The bytes of numbers, as a raw file has them.
inline std::string bytes_of(const Field& field) {
  return field.visit([](auto values) {
    const auto bytes = std::as_bytes(values);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
}

/// A grid with one field, and the same in a raw file.
struct RawGrid {
  Grid grid;
  GridFile file;
};

/// The grid has no origin: raw files have none.
inline RawGrid make_raw(const TempDir& folder, const Dims& dims, Field field,
                        std::string_view name = "f.raw") {
  const std::filesystem::path path = folder / name;
  save(path, bytes_of(field));
  RawLayout layout{.dims = dims, .type = field.type(), .spacing = {0.3, 0.5, 0.7}, .field = field.name()};
  Grid grid;
  grid.dims = dims;
  grid.spacing = layout.spacing;
  grid.point_data.add(std::move(field));
  return {std::move(grid), GridFile(path, layout)};
}

/// One, two and three layers, and all of them.
inline std::vector<std::uint32_t> heights_of(const Grid& grid) {
  const std::uint32_t layers = layers_of(grid).count;
  std::vector<std::uint32_t> heights;
  for (const std::uint32_t height : {1u, 2u, 3u, layers}) {
    if (height <= layers && (heights.empty() || height > heights.back())) heights.push_back(height);
  }
  return heights;
}

/// Volumes and flat grids in every plane, with axes so short that all places are at the border.
inline const std::vector<Dims>& all_dims() {
  static const std::vector<Dims> dims = {{5, 4, 6}, {2, 2, 2},  {3, 2, 9},  {9, 8, 3}, {70, 3, 5},
                                         {4, 5, 7}, {7, 1, 9},  {1, 6, 8},  {6, 7, 1}, {2, 2, 1},
                                         {1, 2, 5}, {12, 3, 1}, {2, 3, 12}, {6, 6, 11}};
  return dims;
}

template <class F>
void for_each_type(const F& f) {
  f(std::int8_t{});
  f(std::uint8_t{});
  f(std::int16_t{});
  f(std::uint16_t{});
  f(std::int32_t{});
  f(std::uint32_t{});
  f(std::int64_t{});
  f(std::uint64_t{});
  f(float{});
  f(double{});
}

}  // namespace tessera::testing
