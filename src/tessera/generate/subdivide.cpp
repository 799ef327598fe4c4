#include <tessera/generate/subdivide.h>

#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/blend.h>
#include <tessera/generate/checks.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/generate/pair_groups.h>
#include <tessera/generate/parts.h>

namespace tessera {
namespace {

template <int Dim>
constexpr std::size_t edges_of = Dim == 2 ? 3 : 6;
template <int Dim>
constexpr std::size_t parts_of = Dim == 2 ? 4 : 8;

template <int Dim>
using EdgeCorners = std::array<std::array<std::uint8_t, 2>, edges_of<Dim>>;
constexpr EdgeCorners<2> triangle_edges = {{{0, 1}, {1, 2}, {2, 0}}};
constexpr EdgeCorners<3> tet_edges = {{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

template <int Dim>
constexpr const EdgeCorners<Dim>& edge_corners() {
  if constexpr (Dim == 2) return triangle_edges;
  if constexpr (Dim == 3) return tet_edges;
}

/// The edges of a mesh's cells.
struct Edges {
  Array<PairKey> ends;          ///< of each edge, ascending
  Array<VertexId> connections;  ///< for each edge of each cell

  template <int Dim>
  Edges(const SimplexMesh<Dim>& mesh, const Exec& exec) : connections(mesh.cell_count() * edges_of<Dim>) {
    ends = fill_pair_connections(
        connections, mesh.vertex_count(),
        [&](std::size_t item) {
          const auto& cell = mesh.cells[item / edges_of<Dim>];
          const auto& corners = edge_corners<Dim>()[item % edges_of<Dim>];
          return unordered_pair(cell[corners[0]], cell[corners[1]]);
        },
        exec);
  }
};

void cut(const TriMesh::Cell& v, const VertexId* m, TriMesh::Cell* parts) {
  parts[0] = {v[0], m[0], m[2]};
  parts[1] = {m[0], v[1], m[1]};
  parts[2] = {m[2], m[1], v[2]};
  parts[3] = {m[0], m[1], m[2]};
}

/// A diagonal of the octahedron between the middles of a tet's edges, and the other middles around it,
/// counter-clockwise seen from its second end.
struct Diagonal {
  std::array<std::uint8_t, 2> ends;
  std::array<std::uint8_t, 4> around;
};
constexpr std::array<Diagonal, 3> diagonals = {
    {{{0, 5}, {1, 2, 4, 3}}, {{1, 4}, {2, 0, 3, 5}}, {{2, 3}, {0, 1, 5, 4}}}};

/// `m` are the vertices of the edges, `length` the squared length of each diagonal.
void cut(const TetMesh::Cell& v, const VertexId* m, const std::array<double, 3>& length,
         TetMesh::Cell* parts) {
  parts[0] = {v[0], m[0], m[1], m[2]};
  parts[1] = {m[0], v[1], m[3], m[4]};
  parts[2] = {m[1], m[3], v[2], m[5]};
  parts[3] = {m[2], m[4], m[5], v[3]};
  const auto lowest = [&](const Diagonal& d) { return std::min(m[d.ends[0]], m[d.ends[1]]); };
  std::size_t best = 0;
  for (std::size_t d = 1; d < 3; ++d) {
    if (length[d] < length[best] ||
        (length[d] == length[best] && lowest(diagonals[d]) < lowest(diagonals[best])))
      best = d;
  }
  const Diagonal& d = diagonals[best];
  for (std::size_t i = 0; i < 4; ++i)
    parts[4 + i] = {m[d.ends[0]], m[d.ends[1]], m[d.around[i]], m[d.around[(i + 1) % 4]]};
}

template <class Vector>
std::array<double, 3> diagonal_lengths(const TetMesh::Cell& tet, std::span<const Vector> points) {
  std::array<double, 3> result;
  const auto at = [&](std::size_t c) { return vec_cast<double>(points[tet[c].index()]); };
  for (std::size_t d = 0; d < 3; ++d) {
    const auto& a = tet_edges[diagonals[d].ends[0]];
    const auto& b = tet_edges[diagonals[d].ends[1]];
    const Vec3d twice = (at(a[0]) + at(a[1])) - (at(b[0]) + at(b[1]));
    result[d] = dot(twice, twice);
  }
  return result;
}

template <int Dim>
Array<typename SimplexMesh<Dim>::Cell> cut_cells(const SimplexMesh<Dim>& mesh, const Edges& edges,
                                                 const Exec& exec) {
  Array<typename SimplexMesh<Dim>::Cell> cells(mesh.cell_count() * parts_of<Dim>);
  const auto first = static_cast<std::uint32_t>(mesh.vertex_count());
  mesh.points.visit([&](auto points) {
    host_for_each(exec, mesh.cell_count(), [&](std::size_t c) {
      VertexId middles[edges_of<Dim>];
      for (std::size_t e = 0; e < edges_of<Dim>; ++e)
        middles[e] = VertexId(first + edges.connections[c * edges_of<Dim> + e].index());
      auto* parts = cells.data() + c * parts_of<Dim>;
      if constexpr (Dim == 2) cut(mesh.cells[c], middles, parts);
      if constexpr (Dim == 3) cut(mesh.cells[c], middles, diagonal_lengths(mesh.cells[c], points), parts);
    });
  });
  return cells;
}

/// Old vertices stay, new ones lie in the middle.
auto linear_rule(std::size_t vertices, const Edges& edges) {
  return [&edges, vertices](std::size_t output, const auto& take) {
    if (output < vertices) return take(output, 1.0);
    const PairKey& ends = edges.ends[output - vertices];
    take(ends[0], 0.5);
    take(ends[1], 0.5);
  };
}

/// Loop's weights.
class LoopRule {
 public:
  LoopRule(const TriMesh& mesh, const Edges& edges, const Exec& exec)
      : mesh_(mesh),
        edges_(edges),
        triangles_(group_items(edges.connections, edges.ends.size(), exec)),
        around_(group_items(ends_of(edges), mesh.vertex_count(), exec)) {}

  template <class Take>
  void operator()(std::size_t output, const Take& take) const {
    if (output < mesh_.vertex_count()) {
      at_vertex(static_cast<std::uint32_t>(output), take);
    } else {
      at_edge(static_cast<std::uint32_t>(output - mesh_.vertex_count()), take);
    }
  }

 private:
  static std::span<const VertexId> ends_of(const Edges& edges) {
    static_assert(sizeof(PairKey) == 2 * sizeof(VertexId));
    return {reinterpret_cast<const VertexId*>(edges.ends.data()), 2 * edges.ends.size()};
  }
  [[nodiscard]] bool is_crease(std::uint32_t edge) const {
    return triangles_.offsets[edge + 1] - triangles_.offsets[edge] != 2;
  }

  template <class Take>
  void at_edge(std::uint32_t edge, const Take& take) const {
    const PairKey& ends = edges_.ends[edge];
    const double own = is_crease(edge) ? 0.5 : 0.375;
    take(ends[0], own);
    take(ends[1], own);
    if (is_crease(edge)) return;
    for (const std::uint32_t item : triangles_[VertexId(edge)])  // the corner that is not on the edge
      take(mesh_.cells[item / 3][(item % 3 + 2) % 3].index(), 0.125);
  }

  template <class Take>
  void at_vertex(std::uint32_t v, const Take& take) const {
    const std::span<const std::uint32_t> row = around_[VertexId(v)];  // ends: 2 * edge or one more
    const auto creases = static_cast<std::size_t>(
        std::ranges::count_if(row, [&](std::uint32_t end) { return is_crease(end / 2); }));
    if (row.empty() || (creases != 0 && creases != 2)) return take(v, 1.0);
    const double each = creases == 2 ? 0.125 : weight_of(row.size());
    take(v, creases == 2 ? 0.75 : 1 - static_cast<double>(row.size()) * each);
    for (const std::uint32_t end : row) {
      if (creases == 0 || is_crease(end / 2)) take(edges_.ends[end / 2][1 - end % 2], each);
    }
  }
  static double weight_of(std::size_t neighbours) {
    if (neighbours == 6) return 0.0625;
    const auto n = static_cast<double>(neighbours);
    const double centre = 0.375 + 0.25 * std::cos(2 * std::numbers::pi / n);
    return (0.625 - centre * centre) / n;
  }

  const TriMesh& mesh_;
  const Edges& edges_;
  Csr<VertexId, std::uint32_t> triangles_;  ///< of each edge: items
  Csr<VertexId, std::uint32_t> around_;     ///< of each vertex: ends of edges
};

template <int Dim>
Provenance provenance_of(const SimplexMesh<Dim>& mesh, const Edges& edges, const Exec& exec) {
  Provenance from;
  const std::size_t vertices = mesh.vertex_count();
  from.edges.resize(vertices + edges.ends.size());
  from.weights.resize(from.edges.size());
  host_for_each(exec, from.edges.size(), [&](std::size_t v) {
    if (v < vertices) {
      from.edges[v] = {v, v};
      from.weights[v] = 0;
    } else {
      from.edges[v] = {edges.ends[v - vertices][0], edges.ends[v - vertices][1]};
      from.weights[v] = 0.5;
    }
  });
  from.cells.resize(mesh.cell_count() * parts_of<Dim>);
  host_for_each(exec, from.cells.size(), [&](std::size_t c) { from.cells[c] = c / parts_of<Dim>; });
  return from;
}

template <int Dim>
SimplexMesh<Dim> next_level(const SimplexMesh<Dim>& mesh, const SubdivideOptions& options,
                            std::vector<Provenance>& provenance) {
  const Exec exec = Exec::host(options.exec.threads());
  const Edges edges(mesh, exec);
  const std::size_t vertices = mesh.vertex_count() + edges.ends.size();
  expect_ids(static_cast<double>(vertices), "points");
  SimplexMesh<Dim> finer;
  const auto take_points = [&](const auto& rule) {
    finer.points = blend(mesh.points, vertices, rule, exec);
    finer.point_data = blend(mesh.point_data, vertices, rule, exec);
  };
  if (options.scheme == SubdivisionScheme::linear) take_points(linear_rule(mesh.vertex_count(), edges));
  if constexpr (Dim == 2) {
    if (options.scheme == SubdivisionScheme::loop) take_points(LoopRule(mesh, edges, exec));
  }
  finer.cells = cut_cells(mesh, edges, exec);
  finer.cell_data = repeat(mesh.cell_data, mesh.cell_count(), parts_of<Dim>);
  finer.field_data = mesh.field_data;
  if (options.keep_provenance) provenance.push_back(provenance_of(mesh, edges, exec));
  return finer;
}

template <int Dim>
double cells_after(const SimplexMesh<Dim>& mesh, int levels) {
  return static_cast<double>(mesh.cell_count()) * std::pow(static_cast<double>(parts_of<Dim>), levels);
}

template <int Dim>
Subdivision<Dim> subdivide_levels(const SimplexMesh<Dim>& mesh, const SubdivideOptions& options) {
  if (options.levels < 0) {
    throw Error(ErrorCode::bad_option,
                std::to_string(options.levels) + " levels can not be subdivided; 0 or more can");
  }
  if (Dim == 3 && options.scheme == SubdivisionScheme::loop)
    throw Error(ErrorCode::bad_option, "Loop's scheme is for triangles; subdivide tetrahedra linearly");
  expect_usable(mesh, options.exec);
  expect_ids(cells_after(mesh, options.levels), Dim == 2 ? "triangles" : "tetrahedra");
  Subdivision<Dim> result;
  for (int level = 0; level < options.levels; ++level) {
    if (options.monitor != nullptr)
      options.monitor->update("subdividing", std::pow(0.25, options.levels - level));
    result.mesh = next_level(level == 0 ? mesh : result.mesh, options, result.provenance);
  }
  if (options.levels == 0) result.mesh = mesh;
  return result;
}

}  // namespace

Subdivision<2> subdivide(const TriMesh& mesh, const SubdivideOptions& options) {
  return subdivide_levels(mesh, options);
}
Subdivision<3> subdivide(const TetMesh& mesh, const SubdivideOptions& options) {
  return subdivide_levels(mesh, options);
}

template <int Dim>
std::uint64_t subdivided_bytes(const SimplexMesh<Dim>& mesh, int levels) {
  const double cells = cells_after(mesh, levels);
  expect_ids(cells, Dim == 2 ? "triangles" : "tetrahedra");
  const double points = cells / (Dim == 2 ? 2 : 6);  // of a closed surface, a large solid
  const double point_bytes = mesh.points.is_double() ? sizeof(Vec3d) : sizeof(Vec3f);
  return static_cast<std::uint64_t>(cells * (Dim + 1) * sizeof(VertexId) + points * point_bytes);
}

template std::uint64_t subdivided_bytes<2>(const TriMesh&, int);
template std::uint64_t subdivided_bytes<3>(const TetMesh&, int);

}  // namespace tessera
