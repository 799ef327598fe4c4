// Meshes and fields for the tests of topology; each says what is remarkable about it.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/mesh.h>

#include "tile/oracle.h"

namespace tessera::testing {

inline const std::vector<const char*> small_solids = {"one_tet",        "two_tets",      "bow_tie_edge",
                                                      "bow_tie_vertex", "three_tet_fan", "isolated_vertices",
                                                      "two_components", "cone"};
inline const std::vector<const char*> small_surfaces = {"triangle",          "two_triangles",  "moebius",
                                                        "pinched_vertex",    "three_face_fan", "bow_tie",
                                                        "isolated_vertices", "two_components", "octahedron"};

/// Cells over so many vertices; points are scattered, so that tiles cut the mesh anyhow.
template <int Dim>
SimplexMesh<Dim> make_mesh(std::size_t vertices,
                           const std::vector<std::array<std::uint32_t, Dim + 1>>& cells) {
  SimplexMesh<Dim> mesh;
  Array<Vec3f> points(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    points[v] = vec_cast<float>(Vec3d{uniform01(1, v), uniform01(2, v), uniform01(3, v)});
  }
  mesh.points = std::move(points);
  for (const auto& cell : cells) {
    typename SimplexMesh<Dim>::Cell corners;
    for (std::size_t k = 0; k <= Dim; ++k) corners[k] = VertexId(cell[k]);
    mesh.cells.push_back(corners);
  }
  return mesh;
}

/// A cone from vertex 0 over a sphere of rings between the poles 1 and 2: a ball, all of it in one star.
/// 2 + longitudes * rings = n vertices on the sphere give 6 n - 9 cells with the center.
inline TetMesh make_ball(std::uint32_t longitudes, std::uint32_t rings) {
  const auto at = [&](std::uint32_t ring, std::uint32_t i) { return 3 + ring * longitudes + i % longitudes; };
  std::vector<std::array<std::uint32_t, 4>> cells;
  for (std::uint32_t i = 0; i < longitudes; ++i) {
    cells.push_back({0, 1, at(0, i), at(0, i + 1)});
    cells.push_back({0, 2, at(rings - 1, i), at(rings - 1, i + 1)});
    for (std::uint32_t r = 0; r + 1 < rings; ++r) {
      cells.push_back({0, at(r, i), at(r, i + 1), at(r + 1, i)});
      cells.push_back({0, at(r, i + 1), at(r + 1, i), at(r + 1, i + 1)});
    }
  }
  return make_mesh<3>(3 + longitudes * rings, cells);
}

/// The join of two cycles: a 3-sphere. A vertex of the first has n + 2 neighbours.
inline TetMesh make_sphere3(std::uint32_t m, std::uint32_t n) {
  std::vector<std::array<std::uint32_t, 4>> cells;
  for (std::uint32_t i = 0; i < m; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) cells.push_back({i, (i + 1) % m, m + j, m + (j + 1) % n});
  }
  return make_mesh<3>(m + n, cells);
}

/// A Kuhn lattice whose opposite sides are glued: the 3-torus, for n > 2.
inline TetMesh make_torus3(std::uint32_t n) {
  std::vector<std::array<std::uint32_t, 4>> cells;
  const auto at = [&](const std::array<std::uint32_t, 3>& p) {
    return p[0] % n + n * (p[1] % n) + n * n * (p[2] % n);
  };
  for (std::uint32_t i = 0; i < n * n * n; ++i) {
    std::array<std::uint32_t, 3> axes = {0, 1, 2};
    do {
      std::array<std::uint32_t, 3> p = {i % n, i / n % n, i / n / n};
      std::array<std::uint32_t, 4> cell = {at(p)};
      for (std::size_t k = 0; k < 3; ++k) {
        ++p[axes[k]];
        cell[k + 1] = at(p);
      }
      cells.push_back(cell);
    } while (std::next_permutation(axes.begin(), axes.end()));
  }
  return make_mesh<3>(n * n * n, cells);
}

/// Every cell there can be over so many vertices: the densest stars.
template <int Dim>
SimplexMesh<Dim> make_complete(std::uint32_t vertices) {
  std::vector<std::array<std::uint32_t, Dim + 1>> cells;
  for (unsigned subset = 0; subset < 1u << vertices; ++subset) {
    if (std::popcount(subset) != Dim + 1) continue;
    std::array<std::uint32_t, Dim + 1> cell;
    std::size_t k = 0;
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (subset >> v & 1) cell[k++] = v;
    }
    cells.push_back(cell);
  }
  return make_mesh<Dim>(vertices, cells);
}

/// A disc: triangles around vertex 0, the last one left out if it is open.
inline TriMesh make_fan(std::uint32_t triangles, bool is_closed) {
  std::vector<std::array<std::uint32_t, 3>> cells;
  const std::uint32_t rim = is_closed ? triangles : triangles + 1;
  for (std::uint32_t i = 0; i < triangles; ++i) cells.push_back({0, 1 + i, 1 + (i + 1) % rim});
  return make_mesh<2>(1 + rim, cells);
}

/// Values in a random order, all different.
inline Field make_random_field(std::size_t vertices, std::uint64_t seed) {
  Array<float> values(vertices);
  std::iota(values.begin(), values.end(), 0.0f);
  SplitMix64 random(seed);
  for (std::size_t i = vertices; i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
  return {"random", std::move(values)};
}
/// Few values for many vertices.
inline Field make_tied_field(std::size_t vertices, std::uint64_t levels, std::uint64_t seed) {
  Array<std::int32_t> values(vertices);
  SplitMix64 random(seed);
  for (std::int32_t& value : values) value = static_cast<std::int32_t>(random.below(levels)) - 1;
  return {"tied", std::move(values)};
}
/// Random, but highest at one vertex: all of its star is its lower star.
inline Field make_peak_field(std::size_t vertices, std::uint32_t peak, std::uint64_t seed) {
  Field field = make_random_field(vertices, seed);
  field.as<float>()[peak] = static_cast<float>(vertices);
  return field;
}

}  // namespace tessera::testing
