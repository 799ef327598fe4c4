// What smoothing, flow and denoising share: the points of a mesh by way of a surface, and their loops.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/detail/curvature_rules.h>
#include <tessera/surface/detail/sound_surface.h>
#include <tessera/surface/detail/stars.h>

namespace tessera::detail {

/// The points of a surface after move(positions), in the precision of its mesh.
template <class Move>
[[nodiscard]] Points move_points(const Surface& surface, const Move& move) {
  auto at = positions<double>(surface);
  move(at);
  Array<Vec3d> moved = at.values();
  if (surface.mesh()->points.is_double()) return moved;
  Array<Vec3f> rounded(moved.size());
  for (std::size_t v = 0; v < moved.size(); ++v) rounded[v] = vec_cast<float>(moved[v]);
  return rounded;
}

/// The same of a mesh. Triangles that are there several times count once, and those that name a vertex twice
/// do not count.
template <class Move>
[[nodiscard]] Points move_points(const TriMesh& mesh, const Exec& exec, const Monitor* monitor,
                                 const Move& move) {
  const SoundSurface sound(mesh, {.exec = stoppable(exec, monitor), .monitor = monitor});
  return move_points(sound.surface(), move);
}

struct MarkBoundary {
  FaceStars stars;
  std::uint32_t* ends;  ///< two for each entry of a row
  std::uint8_t* is_fixed;

  TS_HD void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    is_fixed[v] = count_star(stars, v, ends + 2 * stars.begin(v)).is_open ? 1 : 0;
  }
};

/// 1 for vertices at edges of other than two triangles; empty unless they are asked for.
template <class Side>
[[nodiscard]] Buffer<std::uint8_t> find_fixed(const Side& side, const Surface& surface, bool are_asked) {
  if (!are_asked) return {};
  Buffer<std::uint8_t> is_fixed(side.exec, surface.vertex_count());
  Buffer<std::uint32_t> ends(side.exec, 6 * surface.face_count());
  const auto rows = surface.rows<VF, OrientedFV>();
  side.for_each(surface.vertex_count(), MarkBoundary{FaceStars(rows), ends.data(), is_fixed.data()});
  return is_fixed;
}

struct CopyPoints {
  const Vec3d* from;
  Vec3d* to;
  TS_HD void operator()(std::size_t v) const { to[v] = from[v]; }
};

/// The lengths of edges, each from either end.
struct EdgeLengths {
  const std::uint32_t* offsets;
  const std::uint32_t* values;  ///< of VV
  const Vec3d* points;
  TS_HD double operator()(std::size_t v) const {
    double sum = 0;
    for (std::uint32_t i = offsets[v]; i < offsets[v + 1]; ++i) sum += length(points[values[i]] - points[v]);
    return sum;
  }
};
struct RowSizes {
  const std::uint32_t* offsets;
  TS_HD double operator()(std::size_t v) const { return offsets[v + 1] - offsets[v]; }
};
struct AddNumbers {
  TS_HD double operator()(double a, double b) const { return a + b; }
};

/// 0 for a surface without edges.
template <class Side>
[[nodiscard]] double mean_edge_length(const Side& side, const Surface& surface, const Vec3d* points) {
  const auto rows = surface.rows<VV>();
  const auto neighbours = rows.template get<VV>();
  const std::size_t vertices = surface.vertex_count();
  const double sum = side.reduce(
      vertices, 0.0, EdgeLengths{neighbours.offsets(), neighbours.values(), points}, AddNumbers{});
  const double degrees = side.reduce(vertices, 0.0, RowSizes{neighbours.offsets()}, AddNumbers{});
  return degrees > 0 ? sum / degrees : 0;
}

/// The upper half of each edge's length, which sorts as the length does.
struct EdgeKeys {
  const std::uint32_t* offsets;
  const std::uint32_t* values;  ///< of VV
  const Vec3d* points;
  std::uint32_t* keys;
  TS_HD void operator()(std::size_t v) const {
    for (std::uint32_t i = offsets[v]; i < offsets[v + 1]; ++i) {
      const double apart = length(points[values[i]] - points[v]);
      keys[i] = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(apart) >> 32);
    }
  }
};
struct ZeroKeys {
  const std::uint32_t* keys;
  TS_HD std::uint32_t operator()(std::size_t i) const { return keys[i] == 0 ? 1 : 0; }
};
struct AddCounts {
  TS_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};

template <class T>
[[nodiscard]] T read_one(const Exec& exec, const T* from) {
  T value{};
  copy(exec, &value, from, sizeof(T), CopyKind::to_host);
  return value;
}

/// Of the edges that have a length, the lower of two in the middle, cut to six digits; 0 if there is none.
/// 8 bytes a neighbour for a moment.
template <class Side>
[[nodiscard]] double median_edge_length(const Side& side, const Surface& surface, const Vec3d* points) {
  const auto rows = surface.rows<VV>();
  const auto neighbours = rows.template get<VV>();
  const std::size_t vertices = surface.vertex_count();
  const std::uint32_t entries = vertices == 0 ? 0 : read_one(side.exec, neighbours.offsets() + vertices);
  Buffer<std::uint32_t> keys(side.exec, entries);
  side.for_each(vertices, EdgeKeys{neighbours.offsets(), neighbours.values(), points, keys.data()});
  const std::uint32_t zeros = side.reduce(entries, 0U, ZeroKeys{keys.data()}, AddCounts{});
  if (zeros == entries) return 0;
  sort_keys<std::uint32_t>(side.exec, keys.span());
  const std::uint32_t middle = read_one(side.exec, keys.data() + zeros + (entries - zeros - 1) / 2);
  return std::bit_cast<double>(std::uint64_t{middle} << 32);
}

}  // namespace tessera::detail
