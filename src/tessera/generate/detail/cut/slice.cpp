#include <tessera/generate/slice.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/contour_lines.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/cut/plane_distances.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/detail/isosurface/surface_parts.h>
#include <tessera/generate/detail/keys/pair_groups.h>

namespace tessera {

using namespace detail;
namespace {

std::string unused_name(const FieldSet& fields) {
  std::string name = "distance";
  while (fields.has(name)) name += '\'';
  return name;
}

/// The isosurface of the distances, turned to face along the normal. Points on the plane count as behind it,
/// unless nothing is before it.
template <class Mesh>
Isosurface slice_volume(const Mesh& mesh, Array<double> distances, const SliceOptions& options) {
  const bool is_before = std::ranges::any_of(distances, [](double d) { return d > 0; });
  if (is_before) host_for_each(options.exec, distances.size(), [&](std::size_t v) { distances[v] *= -1; });
  const Field field(unused_name(mesh.point_data), std::move(distances));
  const double at = 0;
  Isosurface surface = isosurface(
      mesh, field, {&at, 1},
      {.merge_exact = true, .keep_provenance = true, .exec = options.exec, .monitor = options.monitor});
  if constexpr (!std::is_same_v<Mesh, Grid>)
    surface.mesh.points = points_along(mesh.points, surface.provenance, options.exec);
  if (!options.keep_provenance) surface.provenance = {};
  Array<TriMesh::Cell>& cells = surface.mesh.cells;
  if (!is_before) host_for_each(options.exec, cells.size(), TurnTriangle{cells.data()});
  surface.mesh.point_data.remove(field.name());
  surface.mesh.field_data = mesh.field_data;
  return surface;
}

template <class Mesh>
void begin(const Mesh& mesh, const Plane& plane, const SliceOptions& options) {
  (void)host_only(options.exec, "slice()");
  expect_plane(plane);
  expect_tuples(mesh.point_data, mesh.vertex_count(), "points");
  expect_tuples(mesh.cell_data, mesh.cell_count(), "cells");
  monitor_of(options.monitor).update("measuring distances", 0);
}

/// The two ends of a line: input edges, or points as edges from themselves to themselves.
using Line = std::array<PairKey, 2>;

PairKey point_key(VertexId v) {
  return {v.index(), v.index()};
}

/// The line of a triangle, from where a walk around it leaves the side of the normal to where it comes back.
/// `sides` has the sides of its points, -1, 0 or 1.
std::optional<Line> line_of(const TriMesh::Cell& triangle, std::array<int, 3> sides) {
  const bool is_behind = std::ranges::max(sides) == 0;  // walk the other way round
  if (is_behind) {
    for (int& side : sides) side = -side;
  }
  std::optional<PairKey> from;
  std::optional<PairKey> to;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    if (sides[i] > 0 && sides[j] == 0) from = point_key(triangle[j]);
    if (sides[i] == 0 && sides[j] > 0) to = point_key(triangle[i]);
    if (sides[i] > 0 && sides[j] < 0) from = unordered_pair(triangle[i], triangle[j]);
    if (sides[i] < 0 && sides[j] > 0) to = unordered_pair(triangle[i], triangle[j]);
  }
  if (!from || !to || *from == *to) return {};
  return is_behind ? Line{*to, *from} : Line{*from, *to};
}

class TriangleSlice {
 public:
  TriangleSlice(const TriMesh& mesh, const Array<double>& distances, const Exec& exec)
      : mesh_(mesh), distances_(distances), exec_(exec) {
    triangles_ = list_if(
        mesh.cell_count(), [&](std::size_t t) { return line_at(t).has_value(); }, exec);
    ends_.resize(2 * triangles_.size());
    const auto key_of = [&](std::size_t end) { return (*line_at(triangles_[end / 2]))[end % 2]; };
    edges_ = fill_pair_connections(ends_, mesh.vertex_count(), key_of, exec);
  }

  /// Drops lines that have the same points as an earlier one.
  void drop_repeated() {
    Array<VertexId> groups(triangles_.size());
    const auto points_of = [&](std::size_t l) { return unordered_pair(ends_[2 * l], ends_[2 * l + 1]); };
    const std::size_t count = fill_pair_connections(groups, edges_.size(), points_of, exec_).size();
    Array<std::uint32_t> first(count);
    for (std::size_t l = groups.size(); l-- > 0;) first[groups[l].index()] = static_cast<std::uint32_t>(l);
    const Array<std::uint32_t> kept = list_if(
        groups.size(), [&](std::size_t l) { return first[groups[l].index()] == l; }, exec_);
    Array<VertexId> ends(2 * kept.size());
    for (std::size_t l = 0; l < ends.size(); ++l) ends[l] = ends_[2 * std::size_t{kept[l / 2]} + l % 2];
    ends_ = std::move(ends);
    triangles_ = gather(triangles_, kept, exec_);
  }

  /// Adds the lines to those that are there, by their provenance.
  void append_to(ContourLines& result) const {
    Provenance& from = result.provenance;
    const std::size_t before = from.edges.size();
    from.edges.resize(before + edges_.size());
    from.weights.resize(before + edges_.size());
    host_for_each(exec_, edges_.size(), [&](std::size_t v) {
      const auto [a, b] = edges_[v];
      from.edges[before + v] = {a, b};
      from.weights[before + v] = a == b ? 0 : edge_weight(distances_[a], distances_[b], 0.0);
    });
    from.cells.insert(from.cells.end(), triangles_.begin(), triangles_.end());
    PolyCells& lines = result.lines.lines;
    for (const VertexId end : ends_)
      lines.corners.emplace_back(static_cast<std::uint32_t>(before + end.index()));
    for (std::size_t l = 0; l < triangles_.size(); ++l) lines.offsets.push_back(lines.offsets.back() + 2);
  }

 private:
  [[nodiscard]] std::optional<Line> line_at(std::size_t t) const {
    const TriMesh::Cell& triangle = mesh_.cells[t];
    std::array<int, 3> sides{};
    for (std::size_t i = 0; i < 3; ++i) {
      const double distance = distances_[triangle[i].index()];
      if (distance != distance) return {};
      sides[i] = distance > 0 ? 1 : distance < 0 ? -1 : 0;
    }
    return line_of(triangle, sides);
  }

  const TriMesh& mesh_;
  const Array<double>& distances_;
  Exec exec_;
  Array<std::uint32_t> triangles_;  ///< of each line
  Array<VertexId> ends_;            ///< two points a line
  Array<PairKey> edges_;            ///< of each point
};

/// Points and data of lines whose provenance is known.
void finish(ContourLines& result, const TriMesh& mesh, const Exec& exec) {
  const Provenance& from = result.provenance;
  PolyData& lines = result.lines;
  lines.points = points_along(mesh.points, from, exec);
  for (const Field& field : mesh.point_data) lines.point_data.add(transfer_point_field(field, from, exec));
  for (const Field& field : mesh.cell_data) lines.cell_data.add(transfer_cell_field(field, from, exec));
  lines.field_data = mesh.field_data;
}

}  // namespace

Isosurface slice(const TetMesh& mesh, const Plane& plane, const SliceOptions& options) {
  begin(mesh, plane, options);
  return slice_volume(mesh, plane_distances(mesh.points, plane, options.exec), options);
}

Isosurface slice(const Grid& grid, const Plane& plane, const SliceOptions& options) {
  begin(grid, plane, options);
  return slice_volume(grid, plane_distances(grid, plane, options.exec), options);
}

ContourLines slice(const TriMesh& mesh, const Plane& plane, const SliceOptions& options) {
  begin(mesh, plane, options);
  const Exec exec = host_for(options.exec, mesh.cell_count());
  expect_usable(mesh, exec);
  const Array<double> distances = plane_distances(mesh.points, plane, exec);
  monitor_of(options.monitor).update("cutting triangles", 0.3);
  TriangleSlice slice(mesh, distances, exec);
  slice.drop_repeated();
  ContourLines result;
  slice.append_to(result);
  finish(result, mesh, exec);
  if (!options.keep_provenance) result.provenance = {};
  return result;
}

ContourLines contour_lines(const TriMesh& mesh, const Field& field, std::span<const double> isovalues,
                           const ContourLineOptions& options) {
  (void)host_only(options.exec, "contour_lines()");
  expect_contourable(
      {mesh.vertex_count(), mesh.cell_count(), mesh.point_data, mesh.cell_data, field, isovalues});
  const Exec host = host_for(options.exec, mesh.cell_count());
  expect_usable(mesh, host);
  Array<double> distances(mesh.vertex_count());
  ContourLines result;
  std::size_t done = 0;
  for (const double isovalue : isovalues) {
    monitor_of(options.monitor)
        .update("finding contour lines", static_cast<double>(done++) / static_cast<double>(isovalues.size()));
    field.visit([&](auto values) {
      host_for_each(host, distances.size(), [&](std::size_t v) {
        const double apart = static_cast<double>(values[v]) - isovalue;
        distances[v] = std::isfinite(apart) ? apart : std::numeric_limits<double>::quiet_NaN();
      });
    });
    TriangleSlice lines(mesh, distances, host);
    lines.drop_repeated();
    lines.append_to(result);
  }
  finish(result, mesh, host);
  if (!options.keep_provenance) result.provenance = {};
  return result;
}

}  // namespace tessera
