// The loops that fill sparse matrices and multiply by them, on either side.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/surface/detail/triangle_rules.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

/// Where a matrix lies.
struct MatrixArrays {
  std::uint32_t* offsets;
  std::uint32_t* columns;
  double* values;
};

/// The triangles of a surface with coordinates.
struct Triangles {
  SurfaceRows<FV> corners;
  const Vec3d* positions;

  [[nodiscard]] TS_HD TriangleShape shape(tiled::FaceId f) const {
    const auto c = corners[f];
    return {positions[c[0].index()], positions[c[1].index()], positions[c[2].index()]};
  }
  /// Which corner of f is v?
  [[nodiscard]] TS_HD int find(tiled::FaceId f, std::uint32_t v) const {
    const auto c = corners[f];
    return c[0].index() == v ? 0 : c[1].index() == v ? 1 : 2;
  }
};

/// Offsets of rows that all have `width` entries.
struct FillEvenOffsets {
  std::uint32_t* offsets;
  std::uint32_t width;
  TS_HD void operator()(std::size_t row) const { offsets[row] = static_cast<std::uint32_t>(row * width); }
};

/// Offsets of rows that have so many entries for each of a relation, and so many more.
struct FillOffsets {
  std::uint32_t* offsets;
  const std::uint32_t* of_relation;
  std::uint32_t times;
  std::uint32_t more;
  TS_HD void operator()(std::size_t row) const {
    offsets[row] = times * of_relation[row] + more * static_cast<std::uint32_t>(row);
  }
};

struct FillOnes {
  MatrixArrays to;
  const std::uint32_t* entries;
  TS_HD void operator()(std::size_t k) const {
    to.columns[k] = entries[k];
    to.values[k] = 1;
  }
};

struct FillD0 {
  MatrixArrays to;
  SurfaceRows<EV> ends;
  TS_HD void operator()(std::size_t e) const {
    const auto edge = ends[tiled::EdgeId(static_cast<std::uint32_t>(e))];
    for (std::size_t k = 0; k < 2; ++k) {
      to.columns[2 * e + k] = edge[k].index();
      to.values[2 * e + k] = k == 0 ? -1 : 1;
    }
  }
};

/// The edges of a face are ab, ac, bc of its ascending corners; a face that is not turned walks ab, bc, ca.
struct FillD1 {
  MatrixArrays to;
  SurfaceRows<FE> edges;
  SurfaceRows<OrientedFV> corners;
  TS_HD void operator()(std::size_t i) const {
    const tiled::FaceId f(static_cast<std::uint32_t>(i));
    const double sign = corners[f][1] < corners[f][2] ? 1 : -1;
    for (std::size_t k = 0; k < 3; ++k) {
      to.columns[3 * i + k] = edges[f][k].index();
      to.values[3 * i + k] = k == 1 ? -sign : sign;
    }
  }
};

struct FillStar1 {
  MatrixArrays to;
  SurfaceRows<EV> ends;
  SurfaceRows<EF> faces;
  Triangles triangles;
  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    double weight = 0;
    for (const tiled::FaceId f : faces[e]) {
      const int opposite = 3 - triangles.find(f, ends[e][0].index()) - triangles.find(f, ends[e][1].index());
      weight += 0.5 * triangles.shape(f).cotangent(opposite);
    }
    to.columns[i] = static_cast<std::uint32_t>(i);
    to.values[i] = weight;
  }
};

/// A row is the neighbours of a vertex with the vertex among them.
struct FillLaplacian {
  MatrixArrays to;
  SurfaceRows<VV> neighbours;
  SurfaceRows<VF> faces;
  Triangles triangles;

  TS_HD void operator()(std::size_t i) const {
    const auto self = static_cast<std::uint32_t>(i);
    const tiled::VertexId v(self);
    std::uint32_t* columns = to.columns + to.offsets[i];
    double* values = to.values + to.offsets[i];
    const auto ring = neighbours[v];
    const auto size = static_cast<std::uint32_t>(ring.size()) + 1;
    std::uint32_t own = 0;
    while (own + 1 < size && ring[own].index() < self) ++own;
    for (std::uint32_t k = 0; k < size; ++k) {
      columns[k] = k == own ? self : ring[k < own ? k : k - 1].index();
      values[k] = 0;
    }
    for (const tiled::FaceId f : faces[v]) {
      const TriangleShape shape = triangles.shape(f);
      const int corner = triangles.find(f, self);
      for (int k = 1; k < 3; ++k) {
        const std::uint32_t other = triangles.corners[f][static_cast<std::size_t>((corner + k) % 3)].index();
        values[find(columns, size, other)] -= 0.5 * shape.cotangent((corner + 3 - k) % 3);
      }
    }
    double sum = 0;
    for (std::uint32_t k = 0; k < size; ++k) sum += values[k];
    values[own] = -sum;
  }

 private:
  [[nodiscard]] TS_HD static std::uint32_t find(const std::uint32_t* columns, std::uint32_t size,
                                                std::uint32_t wanted) {
    std::uint32_t begin = 0;
    while (size > 1) {
      const std::uint32_t half = size / 2;
      if (columns[begin + half] <= wanted) begin += half;
      size -= half;
    }
    return begin;
  }
};

struct FillMass {
  MatrixArrays to;
  SurfaceRows<VF> faces;
  Triangles triangles;
  bool is_voronoi;
  TS_HD void operator()(std::size_t i) const {
    const auto self = static_cast<std::uint32_t>(i);
    double area = 0;
    for (const tiled::FaceId f : faces[tiled::VertexId(self)]) {
      const TriangleShape shape = triangles.shape(f);
      area += is_voronoi ? shape.mixed_area(triangles.find(f, self)) : shape.doubled_area / 6;
    }
    to.columns[i] = self;
    to.values[i] = area;
  }
};

struct FillGradient {
  MatrixArrays to;
  Triangles triangles;
  TS_HD void operator()(std::size_t i) const {
    const tiled::FaceId f(static_cast<std::uint32_t>(i));
    const TriangleShape shape = triangles.shape(f);
    for (int k = 0; k < 3; ++k) {
      const Vec3d g = shape.gradient(k);
      const double components[3] = {g.x, g.y, g.z};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t at = 9 * i + 3 * axis + static_cast<std::size_t>(k);
        to.columns[at] = triangles.corners[f][static_cast<std::size_t>(k)].index();
        to.values[at] = components[axis];
      }
    }
  }
};

struct FillDivergence {
  MatrixArrays to;
  SurfaceRows<VF> faces;
  Triangles triangles;
  TS_HD void operator()(std::size_t i) const {
    const auto self = static_cast<std::uint32_t>(i);
    std::size_t at = to.offsets[i];
    for (const tiled::FaceId f : faces[tiled::VertexId(self)]) {
      const TriangleShape shape = triangles.shape(f);
      const Vec3d g = (-0.5 * shape.doubled_area) * shape.gradient(triangles.find(f, self));
      const double components[3] = {g.x, g.y, g.z};
      for (std::uint32_t axis = 0; axis < 3; ++axis) {
        to.columns[at] = 3 * f.index() + axis;
        to.values[at++] = components[axis];
      }
    }
  }
};

struct MultiplyRow {
  const std::uint32_t* offsets;
  const std::uint32_t* columns;
  const double* values;
  const double* x;
  double* y;
  TS_HD void operator()(std::size_t row) const {
    double sum = 0;
    for (std::uint32_t k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
};

struct ApplyLaplacian {
  SurfaceRows<VF> faces;
  Triangles triangles;
  const double* x;
  double* y;
  TS_HD void operator()(std::size_t i) const {
    const auto self = static_cast<std::uint32_t>(i);
    double sum = 0;
    for (const tiled::FaceId f : faces[tiled::VertexId(self)]) {
      const TriangleShape shape = triangles.shape(f);
      const int corner = triangles.find(f, self);
      for (int k = 1; k < 3; ++k) {
        const std::uint32_t other = triangles.corners[f][static_cast<std::size_t>((corner + k) % 3)].index();
        sum += 0.5 * shape.cotangent((corner + 3 - k) % 3) * (x[i] - x[other]);
      }
    }
    y[i] = sum;
  }
};

/// Every loop of this file: nvcc compiles them one by one.
#define TS_FOR_EACH_SPARSE_LOOP(X) \
  X(FillEvenOffsets)               \
  X(FillOffsets)                   \
  X(FillOnes)                      \
  X(FillD0)                        \
  X(FillD1)                        \
  X(FillStar1)                     \
  X(FillLaplacian)                 \
  X(FillMass)                      \
  X(FillGradient)                  \
  X(FillDivergence)                \
  X(MultiplyRow)                   \
  X(ApplyLaplacian)

}  // namespace tessera::detail
