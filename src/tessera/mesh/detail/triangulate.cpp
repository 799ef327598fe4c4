#include <tessera/mesh/triangulate.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

constexpr double most_ids = 4294967295;  // the last one means none

std::string say(const Grid& grid) {
  return "a grid of " + std::to_string(grid.dims[0]) + " x " + std::to_string(grid.dims[1]) + " x " +
         std::to_string(grid.dims[2]) + " points";
}

/// Counts are compared as doubles: as integers they may overflow.
void check_size(const Grid& grid, const PeriodicAxes& periodic) {
  const int axes = dimension(grid);
  if (axes < 2) {
    throw Error(ErrorCode::unsupported,
                say(grid) + " has " + (axes == 1 ? "one axis" : "no axis") +
                    "; only grids with two or three can be cut into triangles or tetrahedra");
  }
  double points = 1;
  double parts = axes == 3 ? 6 : 2;
  for (size_t axis = 0; axis < 3; ++axis) {
    points *= grid.dims[axis];
    parts *= periodic[axis] ? grid.dims[axis] : std::max(grid.dims[axis], 2u) - 1;
  }
  if (points >= most_ids || parts >= most_ids) {
    throw Error(ErrorCode::unsupported, say(grid) + " is too large: its points or the parts of its cells " +
                                            "would be 4294967295 or more");
  }
  check_periodic(grid, periodic);
}

bool is_float(double x) {
  return static_cast<double>(static_cast<float>(x)) == x;
}

/// Can floats hold every coordinate? Only looked for along the axes, which is enough if they are not turned.
bool fits_float(const Grid& grid) {
  if (grid.direction != Grid{}.direction) return false;
  const auto fits = [](uint32_t n, double origin, double spacing) {
    for (uint32_t i = 0; i < n; ++i) {
      if (!is_float(origin + spacing * i)) return false;
    }
    return true;
  };
  return fits(grid.dims[0], grid.origin.x, grid.spacing.x) &&
         fits(grid.dims[1], grid.origin.y, grid.spacing.y) &&
         fits(grid.dims[2], grid.origin.z, grid.spacing.z);
}

/// The points of `count` vertices.
template <class T, class VertexAt>
Points list_points(const Grid& grid, size_t count, const VertexAt& vertex_at, const Exec& exec) {
  const GridPoints points(grid);
  Array<Vec3<T>> list(count);
  host_for_each(exec, count, [&](size_t i) {
    list[i] = vec_cast<T>(points[VertexId(static_cast<uint32_t>(vertex_at(i)))]);
  });
  return list;
}
template <class VertexAt>
Points list_points(const Grid& grid, size_t count, const VertexAt& vertex_at, const Exec& exec) {
  return fits_float(grid) ? list_points<float>(grid, count, vertex_at, exec)
                          : list_points<double>(grid, count, vertex_at, exec);
}

/// The axes that have cells: how many, and how far apart their points lie in memory.
template <int Dim>
struct Lattice {
  std::array<uint32_t, Dim> cells = {};
  std::array<uint32_t, Dim> steps = {};

  explicit Lattice(const Grid& grid) {
    size_t at = 0;
    uint32_t step = 1;
    for (const uint32_t n : grid.dims) {
      if (n > 1) {
        cells[at] = n - 1;
        steps[at++] = step;
      }
      step *= n;
    }
  }
  /// Rows of voxels or pixels along the first axis.
  [[nodiscard]] size_t rows() const { return Dim == 2 ? cells[1] : size_t{cells[1]} * cells[Dim - 1]; }
  /// The lowest point of a row.
  [[nodiscard]] uint32_t corner(size_t row) const {
    if constexpr (Dim == 2) return static_cast<uint32_t>(row) * steps[1];
    return static_cast<uint32_t>(row % cells[1]) * steps[1] +
           static_cast<uint32_t>(row / cells[1]) * steps[Dim - 1];
  }
};

/// The simplices whose lowest corner is a given point, ascending, as steps to their other corners: those of
/// the voxel or pixel that begins at the point, then those of the one before it.
template <int Dim>
struct Parts;
template <>
struct Parts<2> {
  static constexpr size_t own = 1;
  static constexpr size_t before = 1;
  std::array<std::array<uint32_t, 2>, own + before> steps;

  explicit Parts(const Lattice<2>& lattice) {
    const auto [x, y] = lattice.steps;
    steps = {{{x, y}, {y - x, y}}};
  }
};
template <>
struct Parts<3> {
  static constexpr size_t own = 2;
  static constexpr size_t before = 4;
  std::array<std::array<uint32_t, 3>, own + before> steps;

  explicit Parts(const Lattice<3>& lattice) {
    const auto [x, y, z] = lattice.steps;
    steps = {{{x, y, y + z},
              {x, z, y + z},
              {y - x, y, y + z - x},
              {y, y + z - x, y + z},
              {z - x, z, y + z - x},
              {z, y + z - x, y + z}}};
  }
};

template <int Dim>
SimplexMesh<Dim> cut(const Grid& grid, const Exec& exec) {
  const Lattice<Dim> lattice(grid);
  const Parts<Dim> parts(lattice);
  constexpr size_t own = Parts<Dim>::own;
  constexpr size_t of_cell = own + Parts<Dim>::before;
  const size_t in_row = lattice.cells[0];
  SimplexMesh<Dim> mesh;
  mesh.points = list_points(
      grid, grid.vertex_count(), [](size_t v) { return v; }, exec);
  mesh.cells.resize(grid.cell_count() * of_cell);
  Array<uint32_t> sources(grid.cell_data.empty() ? 0 : mesh.cells.size());
  const auto cut_row = [&](size_t row) {
    size_t at = row * in_row * of_cell;
    for (size_t x = 0; x <= in_row; ++x) {
      const uint32_t point = lattice.corner(row) + static_cast<uint32_t>(x) * lattice.steps[0];
      for (size_t part = x < in_row ? 0 : own; part < (x > 0 ? of_cell : own); ++part, ++at) {
        auto& cell = mesh.cells[at];
        cell[0] = VertexId(point);
        for (size_t k = 0; k < Dim; ++k) cell[k + 1] = VertexId(point + parts.steps[part][k]);
        if (!sources.empty()) sources[at] = static_cast<uint32_t>(row * in_row + x - (part < own ? 0 : 1));
      }
    }
  };
  detail::host::for_each_chunk(exec.threads(), lattice.rows(), 16, [&](detail::host::Range range, int) {
    for (size_t row = range.begin; row < range.end; ++row) cut_row(row);
  });
  mesh.point_data = grid.point_data;
  mesh.field_data = grid.field_data;
  if (!sources.empty()) mesh.cell_data = grid.cell_data.gather(sources);
  return mesh;
}

/// Cuts a grid with periodic axes: each vertex gets the cells of the voxels around it of which it is the
/// lowest corner.
template <int Dim>
class PeriodicCut {
 public:
  using Cell = typename SimplexMesh<Dim>::Cell;

  PeriodicCut(const Grid& grid, const PeriodicAxes& periodic) : inner_(Lattice<Dim>(grid)) {
    size_t at = 0;
    uint32_t stride = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
      const uint32_t n = grid.dims[axis];
      if (n > 1) axes_[at++] = {n, stride, periodic[axis]};
      stride *= n;
    }
  }

  [[nodiscard]] Array<Cell> run(const Exec& exec) const {
    const size_t nx = axes_[0].points;
    const size_t rows = vertex_count() / nx;
    Array<size_t> ends(rows);
    for_each_row(exec, rows, [&](size_t row, std::vector<Cell>& cells) {
      ends[row] = 0;
      for (size_t x = 0; x < nx; ++x) ends[row] += list_cells(row * nx + x, cells);
    });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    Array<Cell> all(ends.back());
    for_each_row(exec, rows, [&](size_t row, std::vector<Cell>& cells) {
      auto to = all.begin() + static_cast<std::ptrdiff_t>(row == 0 ? 0 : ends[row - 1]);
      for (size_t x = 0; x < nx; ++x) {
        (void)list_cells(row * nx + x, cells);
        to = std::copy(cells.begin(), cells.end(), to);
      }
    });
    return all;
  }

 private:
  struct Axis {
    uint32_t points = 1;
    uint32_t stride = 1;
    bool is_periodic = false;
  };
  using Place = std::array<uint32_t, Dim>;

  [[nodiscard]] size_t vertex_count() const {
    size_t count = 1;
    for (const Axis& axis : axes_) count *= axis.points;
    return count;
  }
  template <class F>
  static void for_each_row(const Exec& exec, size_t rows, const F& f) {
    detail::host::for_each_chunk(exec.threads(), rows, 16, [&](detail::host::Range range, int) {
      std::vector<Cell> cells;
      for (size_t row = range.begin; row < range.end; ++row) f(row, cells);
    });
  }

  /// The cells whose lowest corner is the vertex, ascending; how many they are.
  size_t list_cells(size_t vertex, std::vector<Cell>& cells) const {
    cells.clear();
    Place at;
    size_t left = vertex;
    for (size_t axis = 0; axis < Dim; ++axis) {
      at[axis] = static_cast<uint32_t>(left % axes_[axis].points);
      left /= axes_[axis].points;
    }
    if (is_inside(at)) {
      for (const auto& steps : inner_.steps) {
        Cell& cell = cells.emplace_back();
        cell[0] = VertexId(static_cast<uint32_t>(vertex));
        for (size_t k = 0; k < Dim; ++k) cell[k + 1] = VertexId(static_cast<uint32_t>(vertex) + steps[k]);
      }
      return cells.size();
    }
    for (uint32_t voxel = 0; voxel < 1u << Dim; ++voxel) {
      Place begin = at;
      bool is_there = true;
      for (size_t axis = 0; axis < Dim; ++axis) {
        if ((voxel >> axis & 1) != 0) is_there = is_there && step_back(axis, begin[axis]);
        is_there = is_there && (axes_[axis].is_periodic || begin[axis] + 1 < axes_[axis].points);
      }
      if (is_there) add_parts(begin, VertexId(static_cast<uint32_t>(vertex)), cells);
    }
    std::sort(cells.begin(), cells.end());
    return cells.size();
  }
  /// So that it has the cells of every vertex inside.
  [[nodiscard]] bool is_inside(const Place& at) const {
    for (size_t axis = 0; axis < Dim; ++axis) {
      if (at[axis] == 0 || at[axis] + 1 == axes_[axis].points) return false;
    }
    return true;
  }
  [[nodiscard]] bool step_back(size_t axis, uint32_t& i) const {
    const bool is_first = i == 0;
    i = is_first ? axes_[axis].points - 1 : i - 1;
    return !is_first || axes_[axis].is_periodic;
  }
  /// Of a voxel or pixel, those with the vertex as their lowest corner: from the corner p + x by one step
  /// after the other, in each order.
  void add_parts(const Place& begin, VertexId lowest, std::vector<Cell>& cells) const {
    std::array<size_t, Dim> order;
    std::iota(order.begin(), order.end(), size_t{0});
    do {
      Cell cell;
      uint32_t corner = 1;  // a bit for each axis: is it at the far end?
      cell[0] = vertex(begin, corner);
      for (size_t k = 0; k < Dim; ++k) {
        corner ^= 1u << order[k];
        cell[k + 1] = vertex(begin, corner);
      }
      std::sort(cell.begin(), cell.end());
      if (cell[0] == lowest) cells.push_back(cell);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  [[nodiscard]] VertexId vertex(const Place& begin, uint32_t corner) const {
    uint32_t id = 0;
    for (size_t axis = 0; axis < Dim; ++axis) {
      const uint32_t i = begin[axis] + (corner >> axis & 1);
      id += (i == axes_[axis].points ? 0 : i) * axes_[axis].stride;
    }
    return VertexId(id);
  }

  std::array<Axis, Dim> axes_ = {};
  Parts<Dim> inner_;
};

template <int Dim>
SimplexMesh<Dim> cut_periodic(const Grid& grid, const PeriodicAxes& periodic, const Exec& exec) {
  SimplexMesh<Dim> mesh;
  mesh.points = list_points(
      grid, grid.vertex_count(), [](size_t v) { return v; }, exec);
  mesh.cells = PeriodicCut<Dim>(grid, periodic).run(exec);
  mesh.point_data = grid.point_data;
  mesh.field_data = grid.field_data;
  return mesh;
}

}  // namespace

int dimension(const Grid& grid) {
  return static_cast<int>(
      std::count_if(grid.dims.begin(), grid.dims.end(), [](uint32_t n) { return n > 1; }));
}

Bytes triangulation_bytes(const Grid& grid, const PeriodicAxes& periodic) {
  check_size(grid, periodic);
  const Bytes point = fits_float(grid) ? sizeof(Vec3f) : sizeof(Vec3d);
  const Bytes parts = dimension(grid) == 3 ? 6 * sizeof(TetMesh::Cell) : 2 * sizeof(TriMesh::Cell);
  Bytes voxels = 1;
  for (size_t axis = 0; axis < 3; ++axis)
    voxels *= periodic[axis] ? grid.dims[axis] : std::max(grid.dims[axis], 2u) - 1;
  return grid.vertex_count() * point + voxels * parts;
}

AnyMesh triangulate(const Grid& grid, const Exec& exec, const PeriodicAxes& periodic) {
  check_size(grid, periodic);
  const Exec host = detail::host_only(exec, "triangulate()");
  if (is_any_periodic(periodic)) {
    if (dimension(grid) == 3) return cut_periodic<3>(grid, periodic, host);
    return cut_periodic<2>(grid, periodic, host);
  }
  if (dimension(grid) == 3) return cut<3>(grid, host);
  return cut<2>(grid, host);
}

GridPoints::GridPoints(const Grid& grid) : grid_(grid), is_double_(!fits_float(grid)) {}

Vec3d GridPoints::operator[](VertexId v) const {
  const uint32_t nx = grid_.dims[0];
  const uint32_t ny = grid_.dims[1];
  return at({v.index() % nx, v.index() / nx % ny, v.index() / nx / ny});
}

Vec3d GridPoints::at(const std::array<uint32_t, 3>& place) const {
  const Vec3d point = grid_.point(place[0], place[1], place[2]);
  return is_double_ ? point : vec_cast<double>(vec_cast<float>(point));
}

Points GridPoints::gather(std::span<const uint32_t> vertices) const {
  return list_points(
      grid_, vertices.size(), [&](size_t i) { return vertices[i]; }, Exec::host(1));
}

}  // namespace tessera
