#include <tessera/mesh/triangulate.h>

#include <algorithm>
#include <array>
#include <string>

#include <tessera/core/error.h>
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
void check_size(const Grid& grid) {
  const int axes = dimension(grid);
  if (axes < 2) {
    throw Error(ErrorCode::unsupported,
                say(grid) + " has " + (axes == 1 ? "one axis" : "no axis") +
                    "; only grids with two or three can be cut into triangles or tetrahedra");
  }
  double points = 1;
  double parts = axes == 3 ? 6 : 2;
  for (const uint32_t n : grid.dims) {
    points *= n;
    parts *= std::max(n, 2u) - 1;
  }
  if (points >= most_ids || parts >= most_ids) {
    throw Error(ErrorCode::unsupported, say(grid) + " is too large: its points or the parts of its cells " +
                                            "would be 4294967295 or more");
  }
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

template <class T>
Points list_points(const Grid& grid, const Exec& exec) {
  Array<Vec3<T>> points(grid.vertex_count());
  const size_t nx = grid.dims[0];
  const size_t ny = grid.dims[1];
  host_for_each(exec, points.size(), [&](size_t v) {
    points[v] = vec_cast<T>(grid.point(static_cast<uint32_t>(v % nx), static_cast<uint32_t>(v / nx % ny),
                                       static_cast<uint32_t>(v / nx / ny)));
  });
  return points;
}

/// The axes that have cells: how many and how far apart their points lie in memory.
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
  /// The lowest point of a voxel or pixel.
  [[nodiscard]] uint32_t corner(size_t cell) const {
    uint32_t point = 0;
    for (size_t axis = 0; axis < Dim; ++axis) {
      point += static_cast<uint32_t>(cell % cells[axis]) * steps[axis];
      cell /= cells[axis];
    }
    return point;
  }
};

/// The orders of the axes, ascending: so are the cells that they make.
template <int Dim>
constexpr auto make_orders() {
  if constexpr (Dim == 2) {
    return std::array<std::array<std::uint8_t, 2>, 2>{{{0, 1}, {1, 0}}};
  } else {
    return std::array<std::array<std::uint8_t, 3>, 6>{
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  }
}

template <int Dim>
SimplexMesh<Dim> cut(const Grid& grid, const Exec& exec) {
  constexpr auto orders = make_orders<Dim>();
  const Lattice<Dim> lattice(grid);
  SimplexMesh<Dim> mesh;
  mesh.points = fits_float(grid) ? list_points<float>(grid, exec) : list_points<double>(grid, exec);
  mesh.cells.resize(grid.cell_count() * orders.size());
  host_for_each(exec, grid.cell_count(), [&](size_t c) {
    const uint32_t first = lattice.corner(c);
    for (size_t way = 0; way < orders.size(); ++way) {
      auto& cell = mesh.cells[c * orders.size() + way];
      uint32_t at = first;
      cell[0] = VertexId(at);
      for (size_t k = 0; k < Dim; ++k) cell[k + 1] = VertexId(at += lattice.steps[orders[way][k]]);
    }
  });
  mesh.point_data = grid.point_data;
  mesh.field_data = grid.field_data;
  if (!grid.cell_data.empty()) {
    Array<uint32_t> sources(mesh.cells.size());
    host_for_each(exec, sources.size(),
                  [&](size_t i) { sources[i] = static_cast<uint32_t>(i / orders.size()); });
    mesh.cell_data = grid.cell_data.gather(sources);
  }
  return mesh;
}

}  // namespace

int dimension(const Grid& grid) {
  return static_cast<int>(
      std::count_if(grid.dims.begin(), grid.dims.end(), [](uint32_t n) { return n > 1; }));
}

Bytes triangulation_bytes(const Grid& grid) {
  check_size(grid);
  const Bytes point = fits_float(grid) ? sizeof(Vec3f) : sizeof(Vec3d);
  const Bytes parts = dimension(grid) == 3 ? 6 * sizeof(TetMesh::Cell) : 2 * sizeof(TriMesh::Cell);
  return grid.vertex_count() * point + grid.cell_count() * parts;
}

AnyMesh triangulate(const Grid& grid, const Exec& exec) {
  check_size(grid);
  const Exec host = detail::host_only(exec, "triangulate()");
  if (dimension(grid) == 3) return cut<3>(grid, host);
  return cut<2>(grid, host);
}

}  // namespace tessera
