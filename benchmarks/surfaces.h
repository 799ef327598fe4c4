// What benchmarks of surfaces share.
#pragma once

#include <cstdint>

#include <tessera/core/hash.h>
#include <tessera/mesh/mesh.h>

namespace tessera::bench {

inline TriMesh make_soup(const TriMesh& mesh) {
  TriMesh soup;
  Array<std::uint32_t> order;
  for (const TriMesh::Cell& cell : mesh.cells) {
    const auto next = static_cast<std::uint32_t>(order.size());
    soup.cells.push_back({VertexId(next), VertexId(next + 1), VertexId(next + 2)});
    for (const VertexId v : cell) order.push_back(v.index());
  }
  soup.points = mesh.points.gather(order);
  return soup;
}

template <class Mesh>
std::uint64_t checksum_of(const Mesh& mesh) {
  return mesh.points.visit([&](auto points) { return hash_values(mesh.cells, hash_values(points)); });
}

}  // namespace tessera::bench
