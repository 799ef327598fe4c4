// Closest points of a set of triangles or segments: a tree of boxes over shapes in Morton order, four to a
// box, which is made and asked on either side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/mesh/detail/morton.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit_mesh.h>

namespace tessera::detail {

/// A triangle, or an edge whose second end is there twice, and its vertices.
struct ClosestShape {
  Vec3d p[3];
  std::uint32_t vertices[3];
};
/// The point p0 + s (p1 - p0) + t (p2 - p0) of a shape.
struct ShapePoint {
  Vec3d point;
  double s;
  double t;
};

[[nodiscard]] inline TS_HD ShapePoint closest_on_segment(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
  const Vec3d ab = b - a;
  const double along = dot(p - a, ab);
  const double whole = dot(ab, ab);
  const double s = !(along > 0) || !(whole > 0) ? 0 : along >= whole ? 1 : along / whole;
  return {s == 1 ? b : a + s * ab, s, 0};
}

/// By the regions of Ericson, "Real-Time Collision Detection", section 5.1.5.
[[nodiscard]] inline TS_HD ShapePoint closest_on_triangle(const Vec3d& p, const Vec3d* corners) {
  const Vec3d a = corners[0];
  const Vec3d ab = corners[1] - a;
  const Vec3d ac = corners[2] - a;
  const double d1 = dot(ab, p - a);
  const double d2 = dot(ac, p - a);
  if (d1 <= 0 && d2 <= 0) return {a, 0, 0};
  const double d3 = dot(ab, p - corners[1]);
  const double d4 = dot(ac, p - corners[1]);
  if (d3 >= 0 && d4 <= d3) return {corners[1], 1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double s = d1 / (d1 - d3);
    return {a + s * ab, s, 0};
  }
  const double d5 = dot(ab, p - corners[2]);
  const double d6 = dot(ac, p - corners[2]);
  if (d6 >= 0 && d5 <= d6) return {corners[2], 0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double t = d2 / (d2 - d6);
    return {a + t * ac, 0, t};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {corners[1] + t * (corners[2] - corners[1]), 1 - t, t};
  }
  const double sum = va + vb + vc;
  if (!(sum > 0)) return closest_on_segment(p, a, corners[1]);
  return {a + vb / sum * ab + vc / sum * ac, vb / sum, vc / sum};
}

/// Bounds of some shapes.
struct ShapeBox {
  Vec3d low;
  Vec3d high;

  TS_HD void add(const Vec3d& p) {
    low = {p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y, p.z < low.z ? p.z : low.z};
    high = {p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y, p.z > high.z ? p.z : high.z};
  }
  [[nodiscard]] static TS_HD double beyond(double x, double low, double high) {
    return x < low ? low - x : x > high ? x - high : 0;
  }
  [[nodiscard]] TS_HD double squared_distance(const Vec3d& p) const {
    const Vec3d d = {beyond(p.x, low.x, high.x), beyond(p.y, low.y, high.y), beyond(p.z, low.z, high.z)};
    return dot(d, d);
  }
};

/// Shapes in the order of a space-filling curve, with a box for each few of them, one for each few boxes, and
/// so on up to one.
struct ClosestTree {
  static constexpr std::uint32_t width = 4;
  static constexpr std::uint32_t max_levels = 16;
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  const ClosestShape* shapes = nullptr;
  const ShapeBox* boxes = nullptr;
  std::uint32_t count = 0;
  std::uint32_t levels = 0;
  std::uint32_t begin[max_levels + 1] = {};  ///< of the boxes of a level; level 0 has boxes of shapes

  struct Found {
    Vec3d point = {0, 0, 0};
    double squared = 0;
    std::uint32_t shape = none;
    double s = 0;
    double t = 0;
  };

  TS_HD void look_at(const Vec3d& p, std::uint32_t shape, Found& best) const {
    const ShapePoint found = closest_on_triangle(p, shapes[shape].p);
    const Vec3d d = found.point - p;
    const double squared = dot(d, d);
    if (best.shape == none || squared < best.squared) best = {found.point, squared, shape, found.s, found.t};
  }
  /// Of equally close ones the first that is met. `hint` is a shape that is close, or any.
  [[nodiscard]] TS_HD Found find(const Vec3d& p, std::uint32_t hint) const {
    Found best;
    if (count == 0) return best;
    look_at(p, hint < count ? hint : first_guess(p), best);
    struct Entry {
      std::uint32_t level;
      std::uint32_t box;  ///< within the level
      double squared;
    };
    Entry stack[(width - 1) * max_levels + 2];
    std::uint32_t size = 0;
    stack[size++] = {levels - 1, 0, 0};
    while (size != 0) {
      const Entry entry = stack[--size];
      if (!(entry.squared < best.squared)) continue;
      const std::uint32_t first = entry.box * width;
      if (entry.level == 0) {
        for (std::uint32_t i = first; i < first + width && i < count; ++i) look_at(p, i, best);
        continue;
      }
      const std::uint32_t below = entry.level - 1;
      const std::uint32_t boxes_below = begin[entry.level] - begin[below];
      for (std::uint32_t i = first; i < first + width && i < boxes_below; ++i) {
        const double squared = boxes[begin[below] + i].squared_distance(p);
        if (squared < best.squared) stack[size++] = {below, i, squared};
      }
    }
    return best;
  }

 private:
  /// Down from the top, always into the closest box.
  [[nodiscard]] TS_HD std::uint32_t first_guess(const Vec3d& p) const {
    std::uint32_t place = 0;
    for (std::uint32_t level = levels - 1; level-- > 0;) {
      const std::uint32_t first = begin[level] + place * width;
      std::uint32_t closest = first;
      for (std::uint32_t i = first + 1; i < first + width && i < begin[level + 1]; ++i) {
        if (boxes[i].squared_distance(p) < boxes[closest].squared_distance(p)) closest = i;
      }
      place = closest - begin[level];
    }
    return place * width;
  }
};

/// Shapes as they lie in the surface.
struct FaceShapes {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  const std::uint32_t* ids;
  [[nodiscard]] TS_HD ClosestShape operator()(std::size_t i) const {
    const auto c = mesh.vertices(tiled::FaceId(ids[i]));
    return {{position[c[0]], position[c[1]], position[c[2]]}, {c[0].index(), c[1].index(), c[2].index()}};
  }
};
struct EdgeShapes {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  const std::uint32_t* ids;
  [[nodiscard]] TS_HD ClosestShape operator()(std::size_t i) const {
    const auto [a, b] = mesh.ends(tiled::EdgeId(ids[i]));
    return {{position[a], position[b], position[b]}, {a.index(), b.index(), b.index()}};
  }
};
/// Shapes that were written.
struct StoredShapes {
  const ClosestShape* shapes;
  [[nodiscard]] TS_HD const ClosestShape& operator()(std::size_t i) const { return shapes[i]; }
};

template <class Shapes>
struct BoxShapes {
  Shapes shapes;
  std::uint32_t count;
  ShapeBox* boxes;
  TS_HD void operator()(std::size_t i) const {
    const std::size_t first = i * ClosestTree::width;
    ShapeBox box = {shapes(first).p[0], shapes(first).p[0]};
    for (std::size_t k = first; k < first + ClosestTree::width && k < count; ++k) {
      const ClosestShape shape = shapes(k);
      for (const Vec3d& p : shape.p) box.add(p);
    }
    boxes[i] = box;
  }
};
struct BoxBoxes {
  const ShapeBox* lower;
  std::uint32_t count;
  ShapeBox* boxes;
  TS_HD void operator()(std::size_t i) const {
    const std::size_t first = i * ClosestTree::width;
    ShapeBox box = lower[first];
    for (std::size_t k = first + 1; k < first + ClosestTree::width && k < count; ++k) {
      box.add(lower[k].low);
      box.add(lower[k].high);
    }
    boxes[i] = box;
  }
};
template <class Shapes>
struct PlaceShapes {
  Shapes shapes;
  Box bounds;
  std::uint64_t* codes;
  std::uint32_t* order;
  TS_HD void operator()(std::size_t i) const {
    const ClosestShape shape = shapes(i);
    codes[i] = morton_code(1.0 / 3 * (shape.p[0] + shape.p[1] + shape.p[2]), bounds);
    order[i] = static_cast<std::uint32_t>(i);
  }
};
template <class Shapes>
struct WriteShapes {
  Shapes shapes;
  const std::uint32_t* order;
  ClosestShape* out;
  std::uint32_t* place_of;  ///< of each element; may be null
  TS_HD void operator()(std::size_t i) const {
    out[i] = shapes(order[i]);
    if (place_of != nullptr) place_of[shapes.ids[order[i]]] = static_cast<std::uint32_t>(i);
  }
};

}  // namespace tessera::detail
