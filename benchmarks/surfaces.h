// What benchmarks of surfaces share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <tessera/core/hash.h>
#include <tessera/generate/subdivide.h>
#include <tessera/mesh/make.h>
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

/// A text file of triangles, without comments, as `tessera convert scan.ply -o scan.off` writes it: read
/// here, so that machines without the file formats have it too.
inline TriMesh read_off(const std::string& path) {
  std::ifstream file(path);
  std::string magic;
  std::size_t vertices = 0, faces = 0, edges = 0;
  file >> magic >> vertices >> faces >> edges;
  Array<Vec3f> points(vertices);
  for (Vec3f& p : points) file >> p.x >> p.y >> p.z;
  TriMesh mesh;
  mesh.points = Points(std::move(points));
  mesh.cells.resize(faces);
  for (TriMesh::Cell& cell : mesh.cells) {
    std::uint32_t corners = 0, a = 0, b = 0, c = 0;
    file >> corners >> a >> b >> c;
    cell = {VertexId(a), VertexId(b), VertexId(c)};
  }
  if (!file || magic != "OFF") throw std::runtime_error(path + " is no OFF file of triangles");
  return mesh;
}

/// A flat open square with corners 0 and 1 of n x n vertices, as El Topo's test of curl noise has it.
inline TriMesh make_sheet(std::uint32_t n) {
  TriMesh mesh;
  Array<Vec3d> points;
  const double spacing = 1.0 / (n - 1);
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) points.push_back({i * spacing, 0, j * spacing});
  }
  for (std::uint32_t j = 0; j + 1 < n; ++j) {
    for (std::uint32_t i = 0; i + 1 < n; ++i) {
      const std::uint32_t a = j * n + i;
      mesh.cells.push_back({VertexId(a), VertexId(a + n), VertexId(a + 1)});
      mesh.cells.push_back({VertexId(a + 1), VertexId(a + n), VertexId(a + n + 1)});
    }
  }
  mesh.points = Points(std::move(points));
  return mesh;
}

/// "ico8", "sheet1000" (vertices a side), "torus" or "torus2m", so many faces of a torus, or an .off file;
/// ":2" behind it refines it twice by Loop's scheme.
inline TriMesh make_surface(const std::string& name) {
  if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
    TriMesh mesh = make_surface(name.substr(0, colon));
    for (int level = std::atoi(name.c_str() + colon + 1); level > 0; --level) {
      mesh = subdivide(mesh, {.scheme = SubdivisionScheme::loop}).mesh;
    }
    return mesh;
  }
  if (name.ends_with(".off")) return read_off(name);
  if (name.starts_with("ico")) return make_ico(std::atoi(name.c_str() + 3));
  if (name.starts_with("sheet"))
    return make_sheet(std::max(2u, static_cast<std::uint32_t>(std::atoi(name.c_str() + 5))));
  if (name == "torus" || name == "torus2m") return make_torus(1414, 707);
  const double faces = std::atof(name.c_str());
  if (!(faces >= 36 && faces < 4e9))
    throw std::runtime_error("\"" + name + "\" is no surface: use ico8, sheet1000, torus2m, 64000 or a.off");
  const auto nv = static_cast<std::uint32_t>(std::lround(std::sqrt(faces / 4)));
  return make_torus(2 * nv, nv);
}

template <class Mesh>
std::uint64_t checksum_of(const Mesh& mesh) {
  return mesh.points.visit([&](auto points) { return hash_values(mesh.cells, hash_values(points)); });
}

}  // namespace tessera::bench
