// What the tests of generated surfaces share: a naive isosurface and measures of a mesh, by maps and plain
// loops.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <tessera/generate/detail/isosurface/cube_table.h>
#include <tessera/generate/isosurface.h>
#include <tessera/mesh/mesh.h>

namespace tessera::test {

using namespace detail;

/// An output vertex by the input points of its edge, the lower one first.
using EdgeName = std::array<std::uint64_t, 2>;
using TriangleName = std::array<EdgeName, 3>;

/// A triangle from its least vertex on: the same for the same triangle with the same orientation.
inline TriangleName turned(TriangleName t) {
  std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  return t;
}

struct NaiveSurface {
  std::map<EdgeName, double> vertices;  ///< with the weight from the lower point
  std::multiset<TriangleName> triangles;
};

/// Marching cubes cell by cell; cells with a NaN corner are left out.
inline NaiveSurface naive_isosurface(const std::array<std::uint32_t, 3>& dims,
                                     const std::vector<double>& values, double isovalue) {
  NaiveSurface result;
  const auto index = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    return i + std::uint64_t{dims[0]} * (j + std::uint64_t{dims[1]} * k);
  };
  for (std::uint32_t k = 0; k + 1 < dims[2]; ++k) {
    for (std::uint32_t j = 0; j + 1 < dims[1]; ++j) {
      for (std::uint32_t i = 0; i + 1 < dims[0]; ++i) {
        std::uint64_t corner[8];
        int high = 0;
        bool is_whole = true;
        for (std::uint32_t c = 0; c < 8; ++c) {
          corner[c] = index(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
          is_whole = is_whole && !std::isnan(values[corner[c]]);
          if (values[corner[c]] >= isovalue) high |= 1 << c;
        }
        if (!is_whole) continue;
        const cube::Case& entry = cube::cases[static_cast<std::size_t>(high)];
        for (int t = 0; t < entry.triangles; ++t) {
          TriangleName name;
          for (int c = 0; c < 3; ++c) {
            const auto ends = cube::edge_corners[entry.edges[3 * t + c]];
            const std::uint64_t a = corner[ends[0]];
            const std::uint64_t b = corner[ends[1]];
            name[c] = {std::min(a, b), std::max(a, b)};
            const double low = values[name[c][0]];
            result.vertices[name[c]] = (isovalue - low) / (values[name[c][1]] - low);
          }
          result.triangles.insert(turned(name));
        }
      }
    }
  }
  return result;
}

/// The triangles of a surface by the names of their vertices; needs its provenance.
inline std::multiset<TriangleName> triangle_names(const Isosurface& surface) {
  std::multiset<TriangleName> names;
  for (const TriMesh::Cell& cell : surface.mesh.cells) {
    TriangleName name;
    for (int c = 0; c < 3; ++c) name[c] = surface.provenance.edges[cell[c].index()];
    names.insert(turned(name));
  }
  return names;
}

/// For each undirected edge the number of triangles that walk it up and down.
inline std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<int, 2>> edge_uses(const TriMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<int, 2>> uses;
  for (const TriMesh::Cell& cell : mesh.cells) {
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t a = cell[c].index();
      const std::uint32_t b = cell[(c + 1) % 3].index();
      ++uses[{std::min(a, b), std::max(a, b)}][a < b ? 0 : 1];
    }
  }
  return uses;
}

/// Every edge has exactly two triangles, which walk it in opposite directions.
inline bool is_closed_manifold(const TriMesh& mesh) {
  return std::ranges::all_of(edge_uses(mesh), [](const auto& use) {
    return use.second == std::array<int, 2>{1, 1};
  });
}

inline long euler_characteristic(const TriMesh& mesh) {
  return static_cast<long>(mesh.vertex_count()) - static_cast<long>(edge_uses(mesh).size()) +
         static_cast<long>(mesh.cell_count());
}

struct Measure {
  double area = 0;
  double volume = 0;  ///< of what the triangles' normals point away from
};

inline Measure measure(const TriMesh& mesh) {
  Measure result;
  for (const TriMesh::Cell& cell : mesh.cells) {
    const Vec3d a = mesh.points[cell[0]];
    const Vec3d b = mesh.points[cell[1]];
    const Vec3d c = mesh.points[cell[2]];
    result.area += 0.5 * length(cross(b - a, c - a));
    result.volume += dot(a, cross(b, c)) / 6;
  }
  return result;
}

}  // namespace tessera::test
