// What tests of parts of meshes share: random cells on random points, with data, non-manifold, overlapping
// and of either orientation; and the code of an error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/mesh.h>

namespace tessera::test {

/// Points on a lattice of steps of 1/8 in [-1, 1], so that many lie on planes; corners of a cell differ.
template <int Dim>
[[nodiscard]] SimplexMesh<Dim> make_random_complex(std::uint32_t points, std::uint32_t cells,
                                                   std::uint64_t seed) {
  SplitMix64 random(seed);
  SimplexMesh<Dim> mesh;
  Array<Vec3f> places(points);
  Array<std::int16_t> numbers(points);
  Array<double> pairs(2 * std::size_t{points});
  const auto coordinate = [&] { return static_cast<float>(random.below(17)) / 8 - 1; };
  for (Vec3f& p : places) p = {coordinate(), coordinate(), coordinate()};
  for (std::int16_t& n : numbers) n = static_cast<std::int16_t>(random.below(2000));
  for (double& x : pairs) x = static_cast<double>(random.below(1000)) / 100;
  mesh.points = std::move(places);
  mesh.point_data.add(Field("number", std::move(numbers)));
  mesh.point_data.add(Field("pair", std::move(pairs), 2));
  Array<std::uint32_t> labels(cells);
  for (std::uint32_t& label : labels) label = static_cast<std::uint32_t>(random.below(5));
  mesh.cell_data.add(Field("label", std::move(labels)));
  mesh.field_data.add(Field("time", Array<double>{1.5}));
  mesh.cells.resize(cells);
  for (auto& cell : mesh.cells) {
    for (int i = 0; i <= Dim; ++i) {
      do {
        cell[i] = VertexId(static_cast<std::uint32_t>(random.below(points)));
      } while (std::find(cell.begin(), cell.begin() + i, cell[i]) != cell.begin() + i);
    }
  }
  return mesh;
}

/// Of the Error that f() throws, or no code at all.
template <class F>
[[nodiscard]] ErrorCode code_of(const F& f) {
  try {
    (void)f();
  } catch (const Error& error) {
    return error.code();
  }
  return {};
}

}  // namespace tessera::test
