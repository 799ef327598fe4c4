#include "data/mesh_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/vec.h>
#include <tessera/exec/for_each.h>

#include "application/text.h"
#include "data/fields.h"

namespace tessera::cli {
namespace {

/// The points that share an edge with each point. Every triangle names each of its corners to the two others,
/// so neighbours are there several times.
struct Neighbours {
  Array<std::uint32_t> offsets;
  Array<std::uint32_t> values;

  explicit Neighbours(const TriMesh& mesh)
      : offsets(mesh.vertex_count() + 1, 0u), values(6 * mesh.cell_count()) {
    // Rows end where they begin after they are filled from behind.
    for (const TriMesh::Cell& cell : mesh.cells) {
      for (const VertexId v : cell) offsets[v.index()] += 2;
    }
    std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
    for (const TriMesh::Cell& cell : mesh.cells) {
      for (std::size_t k = 0; k < 3; ++k) {
        std::uint32_t& end = offsets[cell[k].index()];
        values[--end] = cell[(k + 1) % 3].index();
        values[--end] = cell[(k + 2) % 3].index();
      }
    }
  }
};

/// The edges of a point: those to later points, so that each edge is measured once, and the number of all.
struct PointEdges {
  double sum = 0;
  double shortest = std::numeric_limits<double>::infinity();
  double longest = 0;
  std::uint32_t later = 0;
  std::uint32_t valence = 0;
};

template <class PointAt>
PointEdges measure_edges(std::uint32_t v, std::span<std::uint32_t> row, const PointAt& at) {
  PointEdges found;
  std::ranges::sort(row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::uint32_t w = row[i];
    if (w == v || (i > 0 && w == row[i - 1])) continue;
    ++found.valence;
    if (w < v) continue;
    const double distance = length(at(w) - at(v));
    ++found.later;
    found.sum += distance;
    found.shortest = std::min(found.shortest, distance);
    found.longest = std::max(found.longest, distance);
  }
  return found;
}

/// In degrees; 0 for those of a triangle without area.
std::array<double, 3> corner_angles(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double area = length(cross(b - a, c - a));
  const auto degrees = [&](double cosine) { return std::atan2(area, cosine) * 180 / std::numbers::pi; };
  return {degrees(dot(b - a, c - a)), degrees(dot(c - b, a - b)), degrees(dot(a - c, b - c))};
}

template <std::size_t N>
void count_in(std::array<std::uint64_t, N>& histogram, double bin) {
  ++histogram[std::min(static_cast<std::size_t>(bin), N - 1)];
}

void add_edges(MeshQuality& quality, const Array<PointEdges>& edges) {
  double sum = 0;
  std::size_t counted = 0;
  std::size_t six = 0;
  Spread length = {std::numeric_limits<double>::infinity(), 0, 0};
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t most = 0;
  for (const PointEdges& point : edges) {
    if (point.valence == 0) continue;
    ++counted;
    quality.edges += point.later;
    sum += point.sum;
    length.lowest = std::min(length.lowest, point.shortest);
    length.highest = std::max(length.highest, point.longest);
    fewest = std::min(fewest, point.valence);
    most = std::max(most, point.valence);
    six += point.valence == 6 ? 1 : 0;
    count_in(quality.valence_histogram, point.valence);
  }
  if (counted == 0) return;
  length.mean = sum / static_cast<double>(quality.edges);
  quality.edge_length = length;
  const auto points = static_cast<double>(counted);
  quality.valence = {static_cast<double>(fewest), 2 * static_cast<double>(quality.edges) / points,
                     static_cast<double>(most)};
  quality.valence_six = static_cast<double>(six) / points;
}

/// Lengths over the mean, which is known now; rows are sorted.
template <class PointAt>
void add_lengths(MeshQuality& quality, const Neighbours& neighbours, const PointAt& at) {
  if (!(quality.edge_length.mean > 0)) return;
  for (std::uint32_t v = 0; v + 1 < neighbours.offsets.size(); ++v) {
    std::uint32_t last = v;
    for (std::uint32_t i = neighbours.offsets[v]; i < neighbours.offsets[v + 1]; ++i) {
      const std::uint32_t w = neighbours.values[i];
      if (w <= last) continue;
      last = w;
      count_in(quality.length_histogram, 10 * length(at(w) - at(v)) / quality.edge_length.mean);
    }
  }
}

void add_angles(MeshQuality& quality, const Array<std::array<double, 3>>& angles) {
  if (angles.empty()) return;
  double sum = 0;
  quality.smallest_angle = 180;
  for (const std::array<double, 3>& triangle : angles) {
    const double smallest = std::ranges::min(triangle);
    sum += smallest;
    quality.smallest_angle = std::min(quality.smallest_angle, smallest);
    for (const double angle : triangle) count_in(quality.angle_histogram, angle / 5);
  }
  quality.mean_smallest_angle = sum / static_cast<double>(angles.size());
}

Json describe(const Spread& spread, bool is_there) {
  if (!is_there) return {{"lowest", nullptr}, {"mean", nullptr}, {"highest", nullptr}};
  return {{"lowest", spread.lowest}, {"mean", spread.mean}, {"highest", spread.highest}};
}

Json describe(const MeshQuality& quality) {
  const bool is_there = quality.edges > 0;
  const auto number = [&](double value) { return is_there ? Json(value) : Json(); };
  Json length = describe(quality.edge_length, is_there);
  length["histogram"] = quality.length_histogram;
  Json valence = describe(quality.valence, is_there);
  valence["six"] = number(quality.valence_six);
  valence["histogram"] = quality.valence_histogram;
  return {{"points", quality.points},
          {"edges", quality.edges},
          {"triangles", quality.triangles},
          {"edge_length", std::move(length)},
          {"valence", std::move(valence)},
          {"angle",
           {{"smallest", number(quality.smallest_angle)},
            {"mean_smallest", number(quality.mean_smallest_angle)},
            {"histogram", quality.angle_histogram}}}};
}

}  // namespace

MeshQuality measure_quality(const TriMesh& mesh, const Exec& host) {
  MeshQuality quality;
  quality.points = mesh.vertex_count();
  quality.triangles = mesh.cell_count();
  mesh.points.visit([&](auto points) {
    const auto at = [&](std::size_t v) { return vec_cast<double>(points[v]); };
    Neighbours neighbours(mesh);
    Array<PointEdges> edges(mesh.vertex_count());
    host_for_each(host, edges.size(), [&](std::size_t v) {
      const std::uint32_t begin = neighbours.offsets[v];
      const std::span row(neighbours.values.data() + begin, neighbours.offsets[v + 1] - begin);
      edges[v] = measure_edges(static_cast<std::uint32_t>(v), row, at);
    });
    add_edges(quality, edges);
    add_lengths(quality, neighbours, at);
    Array<std::array<double, 3>> angles(mesh.cell_count());
    host_for_each(host, angles.size(), [&](std::size_t t) {
      const TriMesh::Cell& cell = mesh.cells[t];
      angles[t] = corner_angles(at(cell[0].index()), at(cell[1].index()), at(cell[2].index()));
    });
    add_angles(quality, angles);
  });
  return quality;
}

Json describe_quality(const MeshQuality& before, const MeshQuality& after) {
  return {{"before", describe(before)}, {"after", describe(after)}};
}

std::string quality_table(const MeshQuality& before, const MeshQuality& after) {
  Table table({Align::left, Align::right, Align::right});
  table.add({"", "before", "after"});
  const auto add = [&](const char* name, const auto& text) {
    const auto shown = [&](const MeshQuality& quality) {
      return quality.edges > 0 ? text(quality) : std::string("-");
    };
    table.add({name, shown(before), shown(after)});
  };
  table.add({"points", grouped(before.points), grouped(after.points)});
  table.add({"triangles", grouped(before.triangles), grouped(after.triangles)});
  add("shortest edge", [](const MeshQuality& q) { return number_text(q.edge_length.lowest); });
  add("mean edge", [](const MeshQuality& q) { return number_text(q.edge_length.mean); });
  add("longest edge", [](const MeshQuality& q) { return number_text(q.edge_length.highest); });
  add("lowest valence", [](const MeshQuality& q) { return fmt::format("{}", q.valence.lowest); });
  add("mean valence", [](const MeshQuality& q) { return fmt::format("{:.3f}", q.valence.mean); });
  add("highest valence", [](const MeshQuality& q) { return fmt::format("{}", q.valence.highest); });
  add("of valence 6", [](const MeshQuality& q) { return fmt::format("{:.1f} %", 100 * q.valence_six); });
  add("smallest angle", [](const MeshQuality& q) { return fmt::format("{:.2f}°", q.smallest_angle); });
  add("mean smallest angle",
      [](const MeshQuality& q) { return fmt::format("{:.2f}°", q.mean_smallest_angle); });
  return table.text();
}

}  // namespace tessera::cli
