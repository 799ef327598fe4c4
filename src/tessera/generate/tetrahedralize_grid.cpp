#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/blend.h>
#include <tessera/generate/checks.h>
#include <tessera/generate/parts.h>
#include <tessera/generate/tetrahedralize.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

/// Corner c of a voxel lies at (c & 1, c >> 1 & 1, c >> 2).
using Tet = std::array<std::uint8_t, 4>;

constexpr std::array<Tet, 5> five_even = {
    {{0, 5, 3, 6}, {1, 0, 5, 3}, {2, 3, 6, 0}, {4, 5, 0, 6}, {7, 6, 3, 5}}};
constexpr std::array<Tet, 5> five_odd = {
    {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}}};
constexpr std::array<Tet, 6> six = {
    {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}}};
/// Each face counter-clockwise seen from outside: low x, high x, low y, ...
constexpr std::array<Tet, 6> faces = {
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};

constexpr size_t parts_of(TetMethod method) {
  return method == TetMethod::five ? 5 : method == TetMethod::six ? 6 : 24;
}

/// How a lattice and what lies between its points are numbered.
struct Lattice {
  std::array<size_t, 3> points;
  std::array<size_t, 3> cells;
  std::array<size_t, 5> first = {};  ///< ids of x faces, y faces, z faces, cells, and their end

  explicit Lattice(const Grid& grid, TetMethod method) {
    for (size_t a = 0; a < 3; ++a) {
      points[a] = grid.dims[a];
      cells[a] = grid.dims[a] - 1;
    }
    first.fill(points[0] * points[1] * points[2]);
    if (method != TetMethod::face_centred) return;
    for (size_t a = 0; a < 4; ++a) {
      const auto size = shape(a);
      first[a + 1] = first[a] + size[0] * size[1] * size[2];
    }
  }
  /// How many x, y or z faces (kinds 0, 1, 2) or cells (3) there are along each axis.
  [[nodiscard]] std::array<size_t, 3> shape(size_t kind) const {
    std::array<size_t, 3> size = cells;
    if (kind < 3) size[kind] = points[kind];
    return size;
  }
  [[nodiscard]] size_t vertices() const { return first[4]; }
  [[nodiscard]] uint32_t point(size_t i, size_t j, size_t k) const {
    return static_cast<uint32_t>(i + points[0] * (j + points[1] * k));
  }
  [[nodiscard]] uint32_t between(size_t kind, size_t i, size_t j, size_t k) const {
    const auto size = shape(kind);
    return static_cast<uint32_t>(first[kind] + i + size[0] * (j + size[1] * k));
  }

  /// Where a vertex lies in steps of the lattice, and over how many steps along each axis its corners spread.
  struct Place {
    std::array<size_t, 3> low;
    std::array<size_t, 3> spread;
  };
  [[nodiscard]] Place place_of(size_t vertex) const {
    size_t kind = 4;  // a point
    while (kind > 0 && vertex < first[kind - 1]) --kind;
    const bool is_point = kind == 0;
    const std::array<size_t, 3> size = is_point ? points : shape(kind - 1);
    const size_t index = is_point ? vertex : vertex - first[kind - 1];
    Place place = {{index % size[0], index / size[0] % size[1], index / size[0] / size[1]}, {1, 1, 1}};
    if (is_point) place.spread = {0, 0, 0};
    if (kind >= 1 && kind <= 3) place.spread[kind - 1] = 0;
    return place;
  }
  /// The rule of blends: a vertex takes as much of each of its corners.
  auto rule() const {
    return [this](size_t vertex, const auto& take) {
      const Place p = place_of(vertex);
      const double weight =
          1.0 / static_cast<double>((1 + p.spread[0]) * (1 + p.spread[1]) * (1 + p.spread[2]));
      for (size_t k = 0; k <= p.spread[2]; ++k) {
        for (size_t j = 0; j <= p.spread[1]; ++j) {
          for (size_t i = 0; i <= p.spread[0]; ++i)
            take(point(p.low[0] + i, p.low[1] + j, p.low[2] + k), weight);
        }
      }
    };
  }
};

void check_grid(const Grid& grid, TetMethod method) {
  const auto dims = grid.dims;
  if (dims[0] < 2 || dims[1] < 2 || dims[2] < 2) {
    throw Error(ErrorCode::unsupported, "a grid of " + std::to_string(dims[0]) + " x " +
                                            std::to_string(dims[1]) + " x " + std::to_string(dims[2]) +
                                            " points has no volume to be cut into tetrahedra");
  }
  const double points = 1.0 * dims[0] * dims[1] * dims[2];
  const double cells = 1.0 * (dims[0] - 1) * (dims[1] - 1) * (dims[2] - 1);
  expect_ids(cells * static_cast<double>(parts_of(method)), "tetrahedra");
  expect_ids(method == TetMethod::face_centred ? 5 * points : points, "points");
}

bool is_float(double x) {
  return static_cast<double>(static_cast<float>(x)) == x;
}

/// Can floats hold every coordinate, those in the middle between points too? Only looked for along the axes,
/// which is enough if they are not turned.
bool fits_float(const Grid& grid, bool with_middles) {
  if (grid.direction != Grid{}.direction) return false;
  const auto fits = [&](uint32_t n, double origin, double spacing) {
    for (uint32_t i = 0; i < 2 * n - 1; i += with_middles ? 1 : 2) {
      if (!is_float(origin + spacing * (0.5 * i))) return false;
    }
    return true;
  };
  return fits(grid.dims[0], grid.origin.x, grid.spacing.x) &&
         fits(grid.dims[1], grid.origin.y, grid.spacing.y) &&
         fits(grid.dims[2], grid.origin.z, grid.spacing.z);
}

template <class T>
Points list_points(const Grid& grid, const Lattice& lattice, const Exec& exec) {
  Array<Vec3<T>> points(lattice.vertices());
  const size_t rows = lattice.points[1] * lattice.points[2];
  const auto at = [&](double x, double y, double z) {
    const Vec3d step = {grid.spacing.x * x, grid.spacing.y * y, grid.spacing.z * z};
    const auto& d = grid.direction;
    return grid.origin + Vec3d{d[0] * step.x + d[1] * step.y + d[2] * step.z,
                               d[3] * step.x + d[4] * step.y + d[5] * step.z,
                               d[6] * step.x + d[7] * step.y + d[8] * step.z};
  };
  host::for_each_share(
      exec.threads(), rows,
      [&](host::Range range) {
        for (size_t row = range.begin; row < range.end; ++row) {
          const auto y = static_cast<double>(row % lattice.points[1]);
          const auto z = static_cast<double>(row / lattice.points[1]);
          Vec3<T>* to = points.data() + row * lattice.points[0];
          for (size_t i = 0; i < lattice.points[0]; ++i)
            to[i] = vec_cast<T>(at(static_cast<double>(i), y, z));
        }
      },
      16);
  const size_t before = lattice.first[0];
  host_for_each(exec, points.size() - before, [&](size_t v) {
    const Lattice::Place p = lattice.place_of(before + v);
    const auto middle = [&](size_t axis) {
      return static_cast<double>(p.low[axis]) + 0.5 * static_cast<double>(p.spread[axis]);
    };
    points[before + v] = vec_cast<T>(at(middle(0), middle(1), middle(2)));
  });
  return points;
}

/// Does the lattice turn right-handed axes into left-handed ones?
bool is_mirrored(const Grid& grid) {
  const auto& d = grid.direction;
  const double turn = dot(cross(Vec3d{d[0], d[3], d[6]}, Vec3d{d[1], d[4], d[7]}), Vec3d{d[2], d[5], d[8]});
  return turn * grid.spacing.x * grid.spacing.y * grid.spacing.z < 0;
}

template <size_t Parts>
void put_parts(const std::array<Tet, Parts>& parts, const std::array<uint32_t, 8>& corner, bool mirrored,
               TetMesh::Cell* to) {
  for (const Tet& tet : parts) {
    const VertexId third(corner[tet[mirrored ? 3 : 2]]);
    const VertexId fourth(corner[tet[mirrored ? 2 : 3]]);
    *to++ = {VertexId(corner[tet[0]]), VertexId(corner[tet[1]]), third, fourth};
  }
}

void put_centred(const Lattice& lattice, const std::array<uint32_t, 8>& corner, std::array<size_t, 3> at,
                 bool mirrored, TetMesh::Cell* to) {
  const VertexId centre(lattice.between(3, at[0], at[1], at[2]));
  for (size_t f = 0; f < 6; ++f) {
    std::array<size_t, 3> place = at;
    place[f / 2] += f % 2;
    const VertexId middle(lattice.between(f / 2, place[0], place[1], place[2]));
    for (size_t e = 0; e < 4; ++e) {
      const VertexId a(corner[faces[f][e]]);
      const VertexId b(corner[faces[f][(e + 1) % 4]]);
      *to++ = {mirrored ? a : b, mirrored ? b : a, middle, centre};
    }
  }
}

Array<TetMesh::Cell> cut_voxels(const Grid& grid, const Lattice& lattice, TetMethod method,
                                const Exec& exec) {
  const auto [nx, ny, nz] = lattice.cells;
  const bool mirrored = is_mirrored(grid);
  const size_t parts = parts_of(method);
  const size_t in_row = nx;
  const size_t rows_in_layer = ny;
  Array<TetMesh::Cell> cells(nx * ny * nz * parts);
  const auto cut_row = [&](size_t row) {
    const size_t j = row % rows_in_layer;
    const size_t k = row / rows_in_layer;
    std::array<uint32_t, 8> corner;
    for (size_t c = 0; c < 8; ++c) corner[c] = lattice.point(c & 1, j + (c >> 1 & 1), k + (c >> 2));
    TetMesh::Cell* to = cells.data() + row * in_row * parts;
    for (size_t i = 0; i < in_row; ++i, to += parts) {
      if (method == TetMethod::six) {
        put_parts(six, corner, mirrored, to);
      } else if (method == TetMethod::five) {
        put_parts((i + j + k) % 2 == 0 ? five_even : five_odd, corner, mirrored, to);
      } else {
        put_centred(lattice, corner, {i, j, k}, mirrored, to);
      }
      for (uint32_t& c : corner) ++c;
    }
  };
  host::for_each_chunk(exec.threads(), rows_in_layer * nz, 16, [&](host::Range range, int) {
    for (size_t row = range.begin; row < range.end; ++row) cut_row(row);
  });
  return cells;
}

}  // namespace

Tetrahedralization tetrahedralize(const Grid& grid, const TetrahedralizeOptions& options) {
  check_grid(grid, options.method);
  expect_tuples(grid.point_data, grid.vertex_count(), "points");
  expect_tuples(grid.cell_data, grid.cell_count(), "cells");
  const Exec exec = Exec::host(options.exec.threads());
  const Lattice lattice(grid, options.method);
  const bool centred = options.method == TetMethod::face_centred;
  if (options.monitor != nullptr) options.monitor->update("cutting cells", 0);
  Tetrahedralization result;
  result.mesh.points = fits_float(grid, centred) ? list_points<float>(grid, lattice, exec)
                                                 : list_points<double>(grid, lattice, exec);
  result.mesh.cells = cut_voxels(grid, lattice, options.method, exec);
  if (options.monitor != nullptr) options.monitor->update("bringing data over", 0.5);
  result.mesh.point_data =
      centred ? blend(grid.point_data, lattice.vertices(), lattice.rule(), exec) : grid.point_data;
  const size_t parts = parts_of(options.method);
  result.mesh.cell_data = repeat(grid.cell_data, grid.cell_count(), parts);
  result.mesh.field_data = grid.field_data;
  if (options.keep_provenance) {
    result.cells.resize(result.mesh.cell_count());
    host_for_each(exec, result.cells.size(),
                  [&](size_t t) { result.cells[t] = static_cast<uint32_t>(t / parts); });
  }
  return result;
}

Bytes tetrahedralization_bytes(const Grid& grid, TetMethod method) {
  check_grid(grid, method);
  const Lattice lattice(grid, method);
  return lattice.vertices() * sizeof(Vec3d) + grid.cell_count() * parts_of(method) * sizeof(TetMesh::Cell);
}

}  // namespace tessera
