// What subdivision makes of one edge, one cell and one vertex, on either side.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <tessera/core/csr.h>
#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/generate/detail/keys/pair_groups.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::refine {

template <int Dim>
inline constexpr std::size_t edges_of = Dim == 2 ? 3 : 6;
template <int Dim>
inline constexpr std::size_t parts_of = Dim == 2 ? 4 : 8;

/// The corners that edge e of a cell joins.
template <int Dim>
[[nodiscard]] TS_HD constexpr std::array<std::uint8_t, 2> edge_corners(std::size_t e) {
  constexpr std::array<std::array<std::uint8_t, 2>, 3> of_triangle = {{{0, 1}, {1, 2}, {2, 0}}};
  constexpr std::array<std::array<std::uint8_t, 2>, 6> of_tet = {
      {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
  if constexpr (Dim == 2) return of_triangle[e];
  if constexpr (Dim == 3) return of_tet[e];
}

/// The key of an item: edge item % edges_of of cell item / edges_of.
template <int Dim>
[[nodiscard]] TS_HD PairKey edge_of(const typename SimplexMesh<Dim>::Cell* cells, std::size_t item) {
  const auto& cell = cells[item / edges_of<Dim>];
  const std::array<std::uint8_t, 2> corners = edge_corners<Dim>(item % edges_of<Dim>);
  return unordered_pair(cell[corners[0]], cell[corners[1]]);
}

/// A diagonal of the octahedron between the middles of a tet's edges, and the other middles around it,
/// counter-clockwise seen from its second end.
struct Diagonal {
  std::array<std::uint8_t, 2> ends;
  std::array<std::uint8_t, 4> around;
};
[[nodiscard]] TS_HD constexpr Diagonal diagonal(std::size_t d) {
  constexpr std::array<Diagonal, 3> diagonals = {
      {{{0, 5}, {1, 2, 4, 3}}, {{1, 4}, {2, 0, 3, 5}}, {{2, 3}, {0, 1, 5, 4}}}};
  return diagonals[d];
}

TS_HD inline void cut(const TriMesh::Cell& v, const VertexId* m, TriMesh::Cell* parts) {
  parts[0] = {v[0], m[0], m[2]};
  parts[1] = {m[0], v[1], m[1]};
  parts[2] = {m[2], m[1], v[2]};
  parts[3] = {m[0], m[1], m[2]};
}

/// `m` are the vertices of the edges, `length` the squared length of each diagonal.
TS_HD inline void cut(const TetMesh::Cell& v, const VertexId* m, const std::array<double, 3>& length,
                      TetMesh::Cell* parts) {
  parts[0] = {v[0], m[0], m[1], m[2]};
  parts[1] = {m[0], v[1], m[3], m[4]};
  parts[2] = {m[1], m[3], v[2], m[5]};
  parts[3] = {m[2], m[4], m[5], v[3]};
  const auto lowest = [&](const Diagonal& d) {
    return m[d.ends[0]] < m[d.ends[1]] ? m[d.ends[0]] : m[d.ends[1]];
  };
  std::size_t best = 0;
  for (std::size_t d = 1; d < 3; ++d) {
    if (length[d] < length[best] ||
        (length[d] == length[best] && lowest(diagonal(d)) < lowest(diagonal(best))))
      best = d;
  }
  const Diagonal d = diagonal(best);
  for (std::size_t i = 0; i < 4; ++i)
    parts[4 + i] = {m[d.ends[0]], m[d.ends[1]], m[d.around[i]], m[d.around[(i + 1) % 4]]};
}

template <class Vector>
[[nodiscard]] TS_HD std::array<double, 3> diagonal_lengths(const TetMesh::Cell& tet, const Vector* points) {
  std::array<double, 3> result{};
  const auto at = [&](std::size_t c) { return vec_cast<double>(points[tet[c].index()]); };
  for (std::size_t d = 0; d < 3; ++d) {
    const std::array<std::uint8_t, 2> a = edge_corners<3>(diagonal(d).ends[0]);
    const std::array<std::uint8_t, 2> b = edge_corners<3>(diagonal(d).ends[1]);
    const Vec3d twice = (at(a[0]) + at(a[1])) - (at(b[0]) + at(b[1]));
    result[d] = dot(twice, twice);
  }
  return result;
}

/// Cuts cell c into its parts.
template <int Dim, class Vector>
struct CutCell {
  using Cell = typename SimplexMesh<Dim>::Cell;

  const Cell* cells;
  const Vector* points;
  const VertexId* edges;     ///< of each cell
  std::uint32_t first_edge;  ///< the vertex of edge 0
  Cell* parts;

  TS_HD void operator()(std::size_t c) const {
    VertexId middles[edges_of<Dim>];
    for (std::size_t e = 0; e < edges_of<Dim>; ++e)
      middles[e] = VertexId(first_edge + edges[c * edges_of<Dim> + e].index());
    Cell* const to = parts + c * parts_of<Dim>;
    if constexpr (Dim == 2) cut(cells[c], middles, to);
    if constexpr (Dim == 3) cut(cells[c], middles, diagonal_lengths(cells[c], points), to);
  }
};

/// Old vertices stay, new ones lie in the middle.
struct LinearRule {
  std::size_t vertices;
  const PairKey* ends;

  template <class Take>
  TS_HD void operator()(std::size_t output, const Take& take) const {
    if (output < vertices) return take(output, 1.0);
    take(ends[output - vertices][0], 0.5);
    take(ends[output - vertices][1], 0.5);
  }
};

/// What Loop takes of each of so many neighbours inside of a surface. Cosines differ between libraries, so
/// the host makes a table of these for either side.
[[nodiscard]] inline double loop_weight(std::size_t neighbours) {
  if (neighbours == 0) return 0;
  if (neighbours == 6) return 0.0625;
  const auto n = static_cast<double>(neighbours);
  const double centre = 0.375 + 0.25 * std::cos(2 * std::numbers::pi / n);
  return (0.625 - centre * centre) / n;
}

/// Loop's weights.
struct LoopRule {
  std::size_t vertices;
  const TriMesh::Cell* cells;
  const PairKey* ends;
  RowsView<std::uint32_t> triangles;  ///< of each edge: items
  RowsView<std::uint32_t> around;     ///< of each vertex: ends of edges, 2 * edge or one more
  const double* weights;              ///< loop_weight() of each number of neighbours there is

  template <class Take>
  TS_HD void operator()(std::size_t output, const Take& take) const {
    if (output < vertices) {
      at_vertex(output, take);
    } else {
      at_edge(output - vertices, take);
    }
  }

 private:
  [[nodiscard]] TS_HD bool is_crease(std::size_t edge) const { return triangles.size_of(edge) != 2; }

  template <class Take>
  TS_HD void at_edge(std::size_t edge, const Take& take) const {
    const double own = is_crease(edge) ? 0.5 : 0.375;
    take(ends[edge][0], own);
    take(ends[edge][1], own);
    if (is_crease(edge)) return;
    for (const std::uint32_t item : triangles[edge])  // the corner that is not on the edge
      take(cells[item / 3][(item % 3 + 2) % 3].index(), 0.125);
  }

  template <class Take>
  TS_HD void at_vertex(std::size_t v, const Take& take) const {
    const std::span<const std::uint32_t> row = around[v];
    std::size_t creases = 0;
    for (const std::uint32_t end : row) creases += is_crease(end / 2) ? 1 : 0;
    if (row.empty() || (creases != 0 && creases != 2)) return take(v, 1.0);
    const double each = creases == 2 ? 0.125 : weights[row.size()];
    take(v, creases == 2 ? 0.75 : 1 - static_cast<double>(row.size()) * each);
    for (const std::uint32_t end : row) {
      if (creases == 0 || is_crease(end / 2)) take(ends[end / 2][1 - end % 2], each);
    }
  }
};

}  // namespace tessera::detail::refine
