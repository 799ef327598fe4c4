// Gradients and what follows from them, compared by the vertices of their cells.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/simplification.h>

namespace tessera::testing {

using Vertices = std::vector<std::uint32_t>;

template <int Dim>
Vertices vertices_of(const Gradient<Dim>& gradient, const CellName& cell) {
  const auto simplex = gradient.simplex(cell);
  Vertices vertices;
  for (std::uint32_t k = 0; k < simplex.size; ++k) vertices.push_back(simplex.vertices[k].index());
  return vertices;
}

template <int Dim>
std::vector<Vertices> critical_of(const Gradient<Dim>& gradient, int dimension) {
  std::vector<Vertices> cells;
  for (const CriticalCell& cell : gradient.critical_cells(dimension)) {
    cells.push_back(vertices_of(gradient, cell.name));
    cells.back().push_back(cell.highest.index());
  }
  return cells;
}

template <int Dim>
std::vector<std::vector<Vertices>> paths_of(const Gradient<Dim>& gradient, const Separatrices& paths) {
  std::vector<std::vector<Vertices>> all;
  for (std::size_t s = 0; s < paths.size(); ++s) {
    const auto& ends = paths.ends[s];
    all.push_back({{static_cast<std::uint32_t>(ends.type), ends.source, ends.destination}});
    for (const CellName& cell : paths.path(s)) all.back().push_back(vertices_of(gradient, cell));
  }
  return all;
}

/// Every cell of the cut.
template <int Dim>
std::set<std::vector<VertexId>> all_cells(const SimplexMesh<Dim>& mesh) {
  std::set<std::vector<VertexId>> cells;
  for (const auto& cell : mesh.cells) {
    for (std::uint32_t subset = 1; subset < (2u << Dim); ++subset) {
      std::vector<VertexId> face;
      for (std::uint32_t k = 0; k <= Dim; ++k) {
        if ((subset >> k & 1) != 0) face.push_back(cell[k]);
      }
      cells.insert(face);
    }
  }
  return cells;
}

template <int Dim>
void expect_same_gradient(const Gradient<Dim>& found, const Gradient<Dim>& expected,
                          const SimplexMesh<Dim>& mesh) {
  EXPECT_EQ(found.vertex_count(), expected.vertex_count());
  EXPECT_EQ(found.edge_count(), expected.edge_count());
  EXPECT_EQ(found.cell_count(), expected.cell_count());
  for (int d = 0; d <= Dim; ++d) ASSERT_EQ(critical_of(found, d), critical_of(expected, d)) << d;
  for (std::size_t i = 0; i < found.critical_cells(Dim - 1).size(); ++i)
    ASSERT_EQ(found.cofaces(i), expected.cofaces(i));
  for (std::size_t i = 0; i < found.critical_cells(Dim).size(); ++i)
    ASSERT_EQ(found.top_cell(found.critical_cells(Dim)[i].name),
              expected.top_cell(expected.critical_cells(Dim)[i].name));
  for (const auto& cell : all_cells(mesh)) ASSERT_EQ(found.partner(cell), expected.partner(cell));
}

/// Is `found` as `expected` in each of its arrays?
inline void expect_same(const PolyData& found, const PolyData& expected, const std::string& what) {
  EXPECT_TRUE(found.points == expected.points) << what;
  EXPECT_TRUE(found.lines == expected.lines) << what;
  EXPECT_TRUE(found.vertices == expected.vertices) << what;
  EXPECT_TRUE(found.polygons == expected.polygons) << what;
  EXPECT_TRUE(found.point_data == expected.point_data) << what;
  EXPECT_TRUE(found.cell_data == expected.cell_data) << what;
}

/// The walls, cells by their vertices.
inline std::vector<std::vector<Vertices>> walls_of(const Gradient<3>& gradient, const Walls& walls) {
  std::vector<std::vector<Vertices>> all;
  for (std::size_t wall = 0; wall + 1 < walls.descending_offsets.size(); ++wall) {
    auto& cells = all.emplace_back();
    for (std::uint32_t i = walls.descending_offsets[wall]; i < walls.descending_offsets[wall + 1]; ++i)
      cells.push_back(vertices_of(gradient, walls.descending[i]));
  }
  for (std::size_t wall = 0; wall + 1 < walls.ascending_offsets.size(); ++wall) {
    auto& cells = all.emplace_back();
    for (std::uint32_t i = walls.ascending_offsets[wall]; i < walls.ascending_offsets[wall + 1]; ++i) {
      cells.push_back(vertices_of(gradient, walls.ascending_edge(i)));
      for (const TetId tet : walls.ring(i)) cells.back().push_back(tet.index());
    }
  }
  return all;
}

template <int Dim>
void expect_same_complex(const MorseSmaleComplex<Dim>& found, const MorseSmaleComplex<Dim>& expected) {
  ASSERT_EQ(paths_of(found.gradient, found.separatrices), paths_of(expected.gradient, expected.separatrices));
  EXPECT_EQ(found.segmentation.ascending, expected.segmentation.ascending);
  EXPECT_EQ(found.segmentation.descending, expected.segmentation.descending);
  EXPECT_EQ(found.segmentation.morse_smale, expected.segmentation.morse_smale);
  EXPECT_EQ(found.segmentation.count, expected.segmentation.count);
  if constexpr (Dim == 3) {
    ASSERT_EQ(walls_of(found.gradient, found.walls), walls_of(expected.gradient, expected.walls));
  }
}

/// Simplifications, each of a gradient.
template <int Dim>
void expect_same_simplified(const Gradient<Dim>& gradient, const SimplifiedComplex& found,
                            const Gradient<Dim>& expected_gradient, const SimplifiedComplex& expected) {
  EXPECT_EQ(found.critical, expected.critical);
  EXPECT_EQ(found.kept, expected.kept);
  EXPECT_EQ(found.segmentation.morse_smale, expected.segmentation.morse_smale);
  ASSERT_EQ(paths_of(gradient, found.separatrices), paths_of(expected_gradient, expected.separatrices));
}

}  // namespace tessera::testing
