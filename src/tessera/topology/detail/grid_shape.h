// Where the vertices and cells of a grid lie in files.
//
// A cell that crosses the seam of a periodic axis has vertices at both ends. It lies behind the last point,
// with the vertices at the first end moved there by a period:
//
//   points    0 ── 1 ── 2 ── 3 ·· (0)       the edge from 3 to 0 has its barycentre at 3.5
//
// Polygons are placed likewise. Lines go on beyond the border, so that no piece of them leads back across the
// grid: their points may be any number of periods away from where their cells lie.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/mesh/triangulate.h>
#include <tessera/topology/detail/grid_cells.h>

namespace tessera::detail {

/// The grid and its cells must outlive it.
template <int Dim>
class GridShape {
 public:
  static constexpr bool has_seams = true;

  /// The vertices of a cell by their places along the axes of the grid.
  struct Placed {
    std::array<std::array<std::uint32_t, 3>, Dim + 1> points;
    std::uint32_t size = 0;
    bool is_moved = false;  ///< by unroll()

    [[nodiscard]] std::span<std::array<std::uint32_t, 3>> used() { return std::span(points).first(size); }
    [[nodiscard]] std::span<const std::array<std::uint32_t, 3>> used() const {
      return std::span(points).first(size);
    }
  };

  GridShape(const Grid& grid, const GridCells<Dim>& cells) : points_(grid), cells_(&cells) {
    std::size_t along = 0;  // the lattice has no axes of one point
    for (std::size_t axis = 0; axis < 3; ++axis) {
      dims_[axis] = grid.dims[axis];
      if (dims_[axis] > 1) periodic_[axis] = cells.lattice().periodic[along++];
      std::array<std::uint32_t, 3> end = {0, 0, 0};
      end[axis] = dims_[axis];
      periods_[axis] = grid.point(end[0], end[1], end[2]) - grid.point(0, 0, 0);
    }
  }

  [[nodiscard]] bool is_periodic() const { return is_any_periodic(periodic_); }
  [[nodiscard]] bool is_double() const { return points_.is_double(); }
  [[nodiscard]] Vec3d operator[](VertexId v) const { return points_[v]; }
  [[nodiscard]] auto corners(typename SimplexMesh<Dim>::CellId cell) const {
    typename SimplexMesh<Dim>::Cell corners;
    const auto top = cells_->top(cells_->top_of_rank(cell.index()));
    for (std::size_t k = 0; k <= Dim; ++k) corners[k] = VertexId(cells_->corner(top, k));
    if (is_periodic()) std::sort(corners.begin(), corners.end());
    return corners;
  }

  /// A cell where it lies.
  [[nodiscard]] Placed place(std::span<const VertexId> vertices) const {
    Placed cell;
    for (const VertexId v : vertices) {
      const std::uint32_t row = v.index() / dims_[0];
      cell.points[cell.size++] = {v.index() % dims_[0], row % dims_[1], row / dims_[1]};
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto is_any_at = [&](std::uint32_t i) {
        return std::ranges::any_of(cell.used(), [&](const auto& p) { return p[axis] == i; });
      };
      if (!periodic_[axis] || !is_any_at(0) || !is_any_at(dims_[axis] - 1)) continue;
      for (auto& point : cell.used()) point[axis] += point[axis] == 0 ? dims_[axis] : 0;
    }
    return cell;
  }
  [[nodiscard]] Vec3d barycentre(const Placed& cell) const {
    Vec3d sum = {0, 0, 0};
    for (const auto& point : cell.used()) sum = sum + points_.at(point);
    return (1.0 / cell.size) * sum;
  }
  [[nodiscard]] Vec3d barycentre(std::span<const VertexId> vertices) const {
    return barycentre(place(vertices));
  }

  /// Of the cells that are the corners of a polygon across a seam, moves those at the first end of the axis.
  void unroll(std::span<Placed> polygon) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto begins_at = [&](std::uint32_t i) {
        return [axis, i](const Placed& cell) {
          return i == std::ranges::min(cell.used(), {}, [&](const auto& p) { return p[axis]; })[axis];
        };
      };
      if (!periodic_[axis] || std::ranges::none_of(polygon, begins_at(0)) ||
          std::ranges::none_of(polygon, begins_at(dims_[axis] - 1)))
        continue;
      for (Placed& cell : polygon) {
        if (!begins_at(0)(cell)) continue;
        for (auto& point : cell.used()) point[axis] += dims_[axis];
        cell.is_moved = true;
      }
    }
  }

  /// A line through cells, each a facet of the one before or the other way round.
  class Line {
   public:
    explicit Line(const GridShape& shape) : shape_(&shape) {}
    /// Where its next point is.
    [[nodiscard]] Vec3d next(const Placed& cell) {
      Vec3d place = shape_->barycentre(cell);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double middle = 0;
        for (const auto& point : cell.used()) middle += static_cast<double>(point[axis]) / cell.size;
        if (has_begun_ && shape_->periodic_[axis])
          passed_[axis] += std::round((last_[axis] - middle) / shape_->dims_[axis]);
        last_[axis] = middle;
        if (passed_[axis] != 0) place = place + passed_[axis] * shape_->periods_[axis];
      }
      has_begun_ = true;
      return place;
    }

   private:
    const GridShape* shape_;
    bool has_begun_ = false;
    std::array<double, 3> last_ = {};    ///< where the last cell lies
    std::array<double, 3> passed_ = {};  ///< how many periods the line has gone on
  };

 private:
  GridPoints points_;
  const GridCells<Dim>* cells_;
  std::array<std::uint32_t, 3> dims_ = {};
  PeriodicAxes periodic_ = {};
  std::array<Vec3d, 3> periods_ = {};
};

}  // namespace tessera::detail
