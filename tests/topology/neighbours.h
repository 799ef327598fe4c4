// What naive oracles of fields begin with: neighbours from the cells, values as numbers, vertices by (value,
// id).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera::testing {

template <int Dim>
std::vector<std::set<std::uint32_t>> neighbours_of(const SimplexMesh<Dim>& mesh) {
  std::vector<std::set<std::uint32_t>> neighbours(mesh.vertex_count());
  for (const auto& cell : mesh.cells) {
    for (const VertexId a : cell) {
      for (const VertexId b : cell) {
        if (a != b) neighbours[a.index()].insert(b.index());
      }
    }
  }
  return neighbours;
}

inline std::vector<double> numbers_of(const Field& field) {
  return field.visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); });
}

inline std::vector<std::uint32_t> sorted(const std::vector<double>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return values[a] != values[b] ? values[a] < values[b] : a < b;
  });
  return order;
}

}  // namespace tessera::testing
