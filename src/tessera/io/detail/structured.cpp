#include <tessera/io/detail/structured.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tessera::detail::io {
namespace {

/// Equal steps along an axis.
struct Axis {
  double first = 0;
  double step = 1;
  double tolerance = 0;

  [[nodiscard]] bool is_at(std::uint32_t i, double x) const {
    return std::abs(x - (first + step * i)) <= tolerance;
  }
};

/// The steps from the first to the last of n coordinates that are rounded to `epsilon`.
std::optional<Axis> fit_axis(std::uint32_t n, double first, double last, double epsilon) {
  if (n == 1) return Axis{first, 1, 0};
  const double step = (last - first) / (n - 1);
  if (!std::isfinite(first) || !std::isfinite(step) || step == 0) return std::nullopt;
  const double rounding = 2 * epsilon * std::max(std::abs(first), std::abs(last));
  const double tolerance = 1e-6 * std::abs(step) + rounding;
  // Steps that are lost in the rounding are not known to be equal.
  if (tolerance > 1e-2 * std::abs(step)) return std::nullopt;
  return Axis{first, step, tolerance};
}

/// Sets origin and spacing; false, with the grid as it was, if an axis has no equal steps.
bool try_place(Grid& grid, const std::array<std::optional<Axis>, 3>& axes) {
  if (!axes[0] || !axes[1] || !axes[2]) return false;
  grid.origin = {axes[0]->first, axes[1]->first, axes[2]->first};
  grid.spacing = {axes[0]->step, axes[1]->step, axes[2]->step};
  return true;
}

template <class T>
bool try_place_points(Grid& grid, std::span<const Vec3<T>> points) {
  const auto [nx, ny, nz] = grid.dims;
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  const Vec3<T> first = points[0];
  const std::size_t layer = std::size_t{nx} * ny;
  std::array<std::optional<Axis>, 3> axes = {fit_axis(nx, first.x, points[nx - 1].x, epsilon),
                                             fit_axis(ny, first.y, points[layer - nx].y, epsilon),
                                             fit_axis(nz, first.z, points[layer * (nz - 1)].z, epsilon)};
  if (!axes[0] || !axes[1] || !axes[2]) return false;
  // An axis of one point has no step: the others say how flat it must be.
  const double tolerance = std::max({axes[0]->tolerance, axes[1]->tolerance, axes[2]->tolerance});
  for (auto& axis : axes) axis->tolerance = axis->tolerance == 0 ? tolerance : axis->tolerance;
  std::size_t at = 0;
  for (std::uint32_t k = 0; k < nz; ++k) {
    for (std::uint32_t j = 0; j < ny; ++j) {
      for (std::uint32_t i = 0; i < nx; ++i, ++at) {
        const Vec3d p = vec_cast<double>(points[at]);
        if (!axes[0]->is_at(i, p.x) || !axes[1]->is_at(j, p.y) || !axes[2]->is_at(k, p.z)) return false;
      }
    }
  }
  return try_place(grid, axes);
}

std::optional<Axis> fit_coordinates(const Field& coordinates) {
  return coordinates.visit([](auto values) {
    using T = typename decltype(values)::value_type;
    constexpr double epsilon =
        std::numeric_limits<std::conditional_t<std::is_same_v<T, float>, float, double>>::epsilon();
    const auto n = static_cast<std::uint32_t>(values.size());
    auto axis = fit_axis(n, static_cast<double>(values.front()), static_cast<double>(values.back()), epsilon);
    for (std::uint32_t i = 0; i < n && axis; ++i) {
      if (!axis->is_at(i, static_cast<double>(values[i]))) axis.reset();
    }
    return axis;
  });
}

/// A cell for each step of the axes that have more than one point.
RawCells make_cells(Grid& grid, Points points) {
  RawCells cells;
  cells.mesh.points = std::move(points);
  cells.mesh.point_data = std::move(grid.point_data);
  cells.mesh.cell_data = std::move(grid.cell_data);
  cells.mesh.field_data = std::move(grid.field_data);
  const std::array<std::uint32_t, 3> strides = {1, grid.dims[0], grid.dims[0] * grid.dims[1]};
  std::vector<std::uint32_t> corners = {0};  // of a cell, as steps from its first
  std::array<std::uint32_t, 3> counts = {1, 1, 1};
  for (int axis = 0; axis < 3; ++axis) {
    if (grid.dims[axis] == 1) continue;
    counts[axis] = grid.dims[axis] - 1;
    const std::size_t n = corners.size();
    for (std::size_t i = 0; i < n; ++i) {
      // Around a quad, then the same quad again one step on.
      corners.push_back(corners[n == 2 ? 1 - i : i] + strides[axis]);
    }
  }
  cells.dimension = corners.size() == 8 ? 3 : 2;
  const std::size_t count = grid.cell_count();
  constexpr std::array<RawType, 9> types = {empty_cell, vertex,     line,       empty_cell, quad,
                                            empty_cell, empty_cell, empty_cell, hexahedron};
  cells.mesh.types.resize(count, types[corners.size()]);
  for (std::size_t i = 1; i <= count; ++i) cells.mesh.ends.push_back(i * corners.size());
  if (count == 0) return cells;
  cells.corners.reserve(count * corners.size());
  for (std::uint32_t k = 0; k < counts[2]; ++k) {
    for (std::uint32_t j = 0; j < counts[1]; ++j) {
      for (std::uint32_t i = 0; i < counts[0]; ++i) {
        const std::uint32_t base = i + j * strides[1] + k * strides[2];
        for (const std::uint32_t corner : corners) cells.corners.push_back(VertexId(base + corner));
      }
    }
  }
  return cells;
}

/// Refuses a grid that stands for far more points than its file has bytes, unless there are fields of them.
void check_points(const Input& input, const Grid& grid) {
  constexpr std::uint64_t most_points_a_byte = 16;
  if (grid.point_data.empty() && grid.cell_data.empty() &&
      grid.vertex_count() / most_points_a_byte > input.size()) {
    input.refuse("stands for " + std::to_string(grid.vertex_count()) +
                 " points, but holds no fields of them and only " + std::to_string(input.size()) + " bytes");
  }
}

}  // namespace

Dataset make_structured(Grid grid, Points points) {
  const bool is_grid = points.visit([&](auto places) {
    using T = decltype(places[0].x);
    return try_place_points<std::decay_t<T>>(grid, places);
  });
  if (is_grid) return grid;
  return make_cells(grid, std::move(points));
}

RawCells make_grid_cells(const Input& input, Grid grid) {
  check_points(input, grid);
  Array<Vec3d> points;
  points.reserve(grid.vertex_count());
  for (std::uint32_t k = 0; k < grid.dims[2]; ++k) {
    for (std::uint32_t j = 0; j < grid.dims[1]; ++j) {
      for (std::uint32_t i = 0; i < grid.dims[0]; ++i) points.push_back(grid.point(i, j, k));
    }
  }
  return make_cells(grid, std::move(points));
}

Dataset make_rectilinear(const Input& input, Grid grid, const std::array<Field, 3>& axes) {
  if (try_place(grid, {fit_coordinates(axes[0]), fit_coordinates(axes[1]), fit_coordinates(axes[2])}))
    return grid;
  check_points(input, grid);
  const bool is_float =
      std::ranges::all_of(axes, [](const Field& axis) { return axis.type() == ScalarType::f32; });
  Points points =
      is_float ? Points(Array<Vec3f>(grid.vertex_count())) : Points(Array<Vec3d>(grid.vertex_count()));
  const auto fill = [&](auto places, int axis, std::size_t stride) {
    axes[axis].visit([&](auto values) {
      using T = decltype(places[0].x + 0);
      for (std::size_t i = 0; i < places.size(); ++i) {
        const auto x = static_cast<T>(values[i / stride % values.size()]);
        (axis == 0 ? places[i].x : axis == 1 ? places[i].y : places[i].z) = x;
      }
    });
  };
  points.visit([&](auto places) {
    fill(places, 0, 1);
    fill(places, 1, grid.dims[0]);
    fill(places, 2, std::size_t{grid.dims[0]} * grid.dims[1]);
  });
  return make_cells(grid, std::move(points));
}

}  // namespace tessera::detail::io
