#include <tessera/generate/curvature.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include <tessera/exec/for_each.h>
#include <tessera/generate/checks.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/generate/pair_groups.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

/// What one corner of a triangle adds to its vertex.
struct Share {
  double angle = 0;
  double area = 0;              ///< Meyer et al., figure 4
  Vec3d laplacian = {0, 0, 0};  ///< the sum of cot(opposite angle) times the edge to each of both neighbours
  Vec3d normal = {0, 0, 0};     ///< twice the triangle's area long
};

Share share_of(const Vec3d& p, const Vec3d& q, const Vec3d& r) {
  const Vec3d normal = cross(q - p, r - p);
  const double twice = length(normal);
  if (!(twice > 0)) return {};
  const auto cotangent = [twice](const Vec3d& at, const Vec3d& a, const Vec3d& b) {
    return dot(a - at, b - at) / twice;
  };
  const double at_q = cotangent(q, r, p);
  const double at_r = cotangent(r, p, q);
  Share share;
  share.angle = std::atan2(twice, dot(q - p, r - p));
  const bool is_obtuse_here = dot(q - p, r - p) < 0;
  const bool is_obtuse = is_obtuse_here || at_q < 0 || at_r < 0;
  share.area = is_obtuse ? twice / (is_obtuse_here ? 4 : 8)
                         : (at_r * dot(q - p, q - p) + at_q * dot(r - p, r - p)) / 8;
  share.laplacian = at_r * (p - q) + at_q * (p - r);
  share.normal = normal;
  return share;
}

/// Marks the ends of edges with other than two triangles.
Array<std::uint8_t> boundary_of(const TriMesh& mesh, const Array<PairKey>& edges,
                                const Array<VertexId>& connections, const Exec& exec) {
  Array<std::uint8_t> marks(mesh.vertex_count(), 0);
  const Array<uint32_t> uses = count_items(connections, edges.size(), exec);
  for (size_t e = 0; e < edges.size(); ++e) {
    if (uses[e] != 2) marks[edges[e][0]] = marks[edges[e][1]] = 1;
  }
  return marks;
}

/// Gives vertices on the boundary the mean of their neighbours inside, by ascending edge.
void extend_to_boundary(const Array<PairKey>& edges, Curvature& result) {
  Array<double> weight(result.mean.size(), 0);
  const auto take = [&](uint32_t to, uint32_t from) {
    if (result.is_on_boundary[to] == 0 || result.is_on_boundary[from] != 0) return;
    result.gaussian[to] += result.gaussian[from];
    result.mean[to] += result.mean[from];
    ++weight[to];
  };
  for (const PairKey& edge : edges) {
    take(edge[0], edge[1]);
    take(edge[1], edge[0]);
  }
  for (size_t v = 0; v < weight.size(); ++v) {
    if (weight[v] == 0) continue;
    result.gaussian[v] /= weight[v];
    result.mean[v] /= weight[v];
  }
}

}  // namespace

Curvature compute_curvature(const TriMesh& mesh, const CurvatureOptions& options) {
  const Exec exec = Exec::host(options.exec.threads());
  expect_usable(mesh, exec);
  if (options.monitor != nullptr) options.monitor->update("finding edges", 0);
  const size_t vertices = mesh.vertex_count();
  const std::span<const TriMesh::Cell> cells(mesh.cells);
  Array<VertexId> connections(3 * mesh.cell_count());
  const Array<PairKey> edges = fill_pair_connections(
      connections, vertices,
      [&](size_t i) { return unordered_pair(cells[i / 3][i % 3], cells[i / 3][(i % 3 + 1) % 3]); }, exec);
  Curvature result{Array<double>(vertices), Array<double>(vertices), Array<double>(vertices),
                   Array<double>(vertices), boundary_of(mesh, edges, connections, exec)};
  if (options.monitor != nullptr) options.monitor->update("adding angles", 0.5);
  const Csr<VertexId, uint32_t> around = group_items(corners_of(cells), vertices, exec);
  mesh.points.visit([&](auto points) {
    host_for_each(exec, vertices, [&](size_t v) {
      Share sum;
      for (const uint32_t item : around[VertexId(static_cast<uint32_t>(v))]) {
        const auto at = [&](uint32_t c) {  // from the vertex on
          return vec_cast<double>(points[cells[item / 3][(item % 3 + c) % 3].index()]);
        };
        const Share share = share_of(at(0), at(1), at(2));
        sum.angle += share.angle;
        sum.area += share.area;
        sum.laplacian = sum.laplacian + share.laplacian;
        sum.normal = sum.normal + share.normal;
      }
      const bool is_inside = result.is_on_boundary[v] == 0 && sum.area > 0;
      const double turn = sum.angle > 0 ? (result.is_on_boundary[v] == 0 ? 2 : 1) * std::numbers::pi : 0;
      result.defect[v] = turn - sum.angle;
      result.area[v] = sum.area;
      result.gaussian[v] = is_inside ? result.defect[v] / sum.area : 0;
      const double bend = length(sum.laplacian) / (4 * sum.area);
      result.mean[v] = !is_inside ? 0 : dot(sum.laplacian, sum.normal) < 0 ? -bend : bend;
    });
  });
  extend_to_boundary(edges, result);
  return result;
}

}  // namespace tessera
