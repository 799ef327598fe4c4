// Meshes for the doctor's tests: small ones by hand, messy ones by seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/mesh.h>

#include "doctor_oracle.h"

namespace tessera::testing {

/// Points in general position: no three on a line, no four in a plane (a moment curve with different
/// weights).
inline Points make_general_points(std::size_t count) {
  Array<Vec3f> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<float>(i);
    points[i] = {t, t * t, t * t * t};
  }
  return points;
}

template <int Dim>
SimplexMesh<Dim> make_from(Points points, const Tuples& cells) {
  SimplexMesh<Dim> mesh;
  mesh.points = std::move(points);
  for (const Tuple& corners : cells) {
    typename SimplexMesh<Dim>::Cell cell;
    for (std::size_t i = 0; i < cell.size(); ++i) cell[i] = VertexId(corners[i]);
    mesh.cells.push_back(cell);
  }
  return mesh;
}

inline TriMesh make_surface(std::size_t vertices, const Tuples& cells) {
  return make_from<2>(make_general_points(vertices), cells);
}
/// With every tetrahedron on the moment curve ascending, volumes are positive.
inline TetMesh make_solid(std::size_t vertices, const Tuples& cells) {
  return make_from<3>(make_general_points(vertices), cells);
}

inline TriMesh make_moebius() {
  return make_surface(5, {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 0}, {4, 0, 1}});
}

/// Poles 0 and 5, equator 1 2 3 4, all triangles facing outward.
inline TriMesh make_octahedron() {
  return make_from<2>(
      Points(Array<Vec3f>{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}),
      {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}, {5, 2, 1}, {5, 3, 2}, {5, 4, 3}, {5, 1, 4}});
}

inline TriMesh make_small_torus(std::uint32_t n) {
  Tuples cells;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t a = i * n + j, b = i * n + (j + 1) % n;
      const std::uint32_t c = (i + 1) % n * n + j, d = (i + 1) % n * n + (j + 1) % n;
      cells.push_back({a, b, d});
      cells.push_back({a, d, c});
    }
  }
  return make_surface(std::size_t{n} * n, cells);
}

template <int Dim>
struct MessyMesh {
  SimplexMesh<Dim> mesh;
  std::vector<LatticePoint> points;
  Tuples cells;
};

/// A small mesh with everything wrong: corners picked from a few vertices and a little beyond, some cells
/// copied and permuted, points on a coarse lattice so that flat cells and equal points occur.
template <int Dim>
MessyMesh<Dim> make_messy(std::uint64_t seed) {
  SplitMix64 random(seed);
  MessyMesh<Dim> messy;
  const std::uint64_t vertices = 4 + random.below(9);
  const std::uint64_t cells = random.below(Dim == 2 ? 30 : 24);
  const std::uint64_t beyond = random.below(2);
  const std::int64_t lattice = 2 + static_cast<std::int64_t>(random.below(4));
  Array<Vec3d> points;
  for (std::uint64_t v = 0; v < vertices; ++v) {
    LatticePoint p;
    for (std::int64_t& x : p)
      x = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(lattice)));
    messy.points.push_back(p);
    points.push_back({static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])});
  }
  for (std::uint64_t c = 0; c < cells; ++c) {
    Tuple cell;
    if (c > 0 && random.below(12) == 0) {
      cell = messy.cells[random.below(c)];
      std::swap(cell[random.below(cell.size())], cell[0]);
    } else {
      const bool is_repetitive = random.below(8) == 0;
      while (cell.size() < Dim + 1) {
        const auto v =
            static_cast<std::uint32_t>(random.below(vertices + (random.below(10) == 0 ? beyond : 0)));
        if (is_repetitive || std::find(cell.begin(), cell.end(), v) == cell.end()) cell.push_back(v);
      }
    }
    messy.cells.push_back(cell);
  }
  messy.mesh = make_from<Dim>(Points(std::move(points)), messy.cells);
  return messy;
}

/// A regular mesh with cells taken out and some turned over, so that manifold and non-manifold places lie
/// side by side. Triangles: 4 x 4 quads, open or closed to a cylinder, Moebius strip, torus or Klein bottle.
/// Tetrahedra: 3 x 3 x 3 points, each cube cut into six.
template <int Dim>
MessyMesh<Dim> make_eroded(std::uint64_t seed) {
  SplitMix64 random(seed);
  MessyMesh<Dim> messy;
  const auto add = [&, missing = random.below(10)](Tuple cell) {
    if (random.below(10) < missing) return;
    if (random.below(6) == 0) std::swap(cell[0], cell[1]);
    messy.cells.push_back(cell);
  };
  const std::uint32_t n = Dim == 2 ? 5 : 3;
  for (std::uint32_t v = 0; v < (Dim == 2 ? n * n : n * n * n); ++v) {
    messy.points.push_back({v % n, v / n % n, Dim == 2 ? (v * v) % 7 : v / n / n});
  }
  if constexpr (Dim == 2) {
    const std::uint64_t closure = random.below(5);
    const auto at = [&](std::uint32_t i, std::uint32_t j) {
      const bool is_wrapped = i == n - 1;
      if (closure > 0 && is_wrapped) i = 0;
      if (closure >= 3 && j == n - 1) j = 0;
      if ((closure == 2 || closure == 4) && is_wrapped) j = closure == 2 ? n - 1 - j : (n - 1 - j) % (n - 1);
      return j * n + i;
    };
    for (std::uint32_t i = 0; i + 1 < n; ++i) {
      for (std::uint32_t j = 0; j + 1 < n; ++j) {
        add({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
        add({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    }
  } else {
    for (std::uint32_t v = 0; v < n * n * n; ++v) {
      if (v % n == n - 1 || v / n % n == n - 1 || v / n / n == n - 1) continue;
      std::array<std::uint32_t, 3> steps = {1, n, n * n};
      do {
        add({v, v + steps[0], v + steps[0] + steps[1], v + 1 + n + n * n});
      } while (std::next_permutation(steps.begin(), steps.end()));
    }
  }
  Array<Vec3d> points;
  for (const LatticePoint& p : messy.points) {
    points.push_back({static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])});
  }
  messy.mesh = make_from<Dim>(Points(std::move(points)), messy.cells);
  return messy;
}

/// As many cells as asked for over a third as many vertices; corners lie near each other, a few are wrong.
template <int Dim>
SimplexMesh<Dim> make_big_messy(std::uint32_t cells, std::uint64_t seed) {
  SplitMix64 random(seed);
  const std::uint32_t vertices = cells / 3 + 10;
  Array<Vec3f> points;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    points.push_back({static_cast<float>(random.below(40)), static_cast<float>(random.below(40)),
                      static_cast<float>(random.below(40))});
  }
  Tuples tuples;
  for (std::uint32_t c = 0; c < cells; ++c) {
    const auto base = static_cast<std::uint32_t>(random.below(vertices));
    Tuple cell;
    for (int i = 0; i <= Dim; ++i) cell.push_back(base + static_cast<std::uint32_t>(random.below(12)));
    tuples.push_back(cell);
  }
  return make_from<Dim>(Points(std::move(points)), tuples);
}

}  // namespace tessera::testing
