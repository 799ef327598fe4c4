// Meshes and fields for the tests of persistence: random complexes of every kind, with many ties.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>

namespace tessera::test {

template <int Dim>
struct Sample {
  std::string name;
  SimplexMesh<Dim> mesh;
};

/// Some vertices and random cells of them: non-manifold in every way, disconnected, with isolated vertices,
/// and closed if all cells are taken.
template <int Dim>
SimplexMesh<Dim> make_random_cells(std::uint32_t vertices, std::size_t cells, std::uint64_t seed) {
  SplitMix64 random(seed);
  std::set<std::vector<std::uint32_t>> chosen;
  for (std::size_t tries = 0; chosen.size() < cells && tries < 50 * cells; ++tries) {
    std::set<std::uint32_t> corners;
    while (corners.size() < Dim + 1) corners.insert(static_cast<std::uint32_t>(random.below(vertices)));
    chosen.emplace(corners.begin(), corners.end());
  }
  SimplexMesh<Dim> mesh;
  Array<Vec3f> points;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    points.push_back({static_cast<float>(random.uniform()), static_cast<float>(random.uniform()),
                      static_cast<float>(random.uniform())});
  }
  mesh.points = points;
  for (const auto& corners : chosen) {
    typename SimplexMesh<Dim>::Cell cell;
    for (std::size_t k = 0; k <= Dim; ++k) cell[k] = VertexId(corners[k]);
    mesh.cells.push_back(cell);
  }
  return mesh;
}

/// A part of the cells.
template <int Dim>
SimplexMesh<Dim> thin_out(SimplexMesh<Dim> mesh, double share, std::uint64_t seed) {
  SplitMix64 random(seed);
  std::erase_if(mesh.cells, [&](const auto&) { return random.uniform() > share; });
  return mesh;
}

inline std::vector<Sample<2>> make_surfaces() {
  std::vector<Sample<2>> samples;
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"}) {
    samples.push_back({name, make_small_surface(name)});
  }
  samples.push_back({"torus", make_shuffled(make_torus(9, 7))});
  samples.push_back({"height field", make_height_field(9, 8)});
  samples.push_back({"holes", thin_out<2>(make_height_field(12, 9), 0.7, 3)});
  samples.push_back({"ico", make_ico(1)});
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    samples.push_back({"random", make_random_cells<2>(9, 6 + 8 * seed, seed)});
  }
  return samples;
}

inline std::vector<Sample<3>> make_solids() {
  std::vector<Sample<3>> samples;
  for (const char* name : {"one_tet", "two_tets", "bow_tie_edge", "bow_tie_vertex", "three_tet_fan",
                           "isolated_vertices", "two_components"}) {
    samples.push_back({name, make_small_solid(name)});
  }
  samples.push_back({"kuhn", make_shuffled(make_kuhn(7))});
  samples.push_back({"full", make_kuhn_full(4)});
  samples.push_back({"holes", make_shuffled(thin_out<3>(make_kuhn_full(5), 0.5, 4))});
  samples.push_back({"sphere of dimension 3", make_random_cells<3>(5, 5, 1)});
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    samples.push_back({"random", make_random_cells<3>(9, 4 + 10 * seed, seed)});
  }
  return samples;
}

/// Random numbers below `levels`: the fewer, the more ties.
inline Field make_levels(std::size_t size, std::uint64_t levels, std::uint64_t seed) {
  SplitMix64 random(seed);
  Array<std::int32_t> values;
  for (std::size_t v = 0; v < size; ++v) values.push_back(static_cast<std::int32_t>(random.below(levels)));
  return {"levels", std::move(values)};
}

/// Fields that differ in how many ties and how much noise they have.
template <int Dim>
std::vector<Field> make_fields(const SimplexMesh<Dim>& mesh, std::uint64_t seed) {
  const std::size_t n = mesh.vertex_count();
  return {make_levels(n, 1, seed), make_levels(n, 3, seed), make_levels(n, 1000, seed),
          make_wave_field(mesh.points, WaveField::smooth)};
}

}  // namespace tessera::test
